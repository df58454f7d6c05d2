"""A text in plain form: what metrics that read sentences see in place of the text as it was given.

Unicode, white space, quotes, dashes, HTML, Markdown and line breaks are written in one way, and
marks of citations and a chat model's phrases around a summary are left out, so that the form of a
text changes no value. Every character is mapped to the given text, so that spans and evidence are
in the user's characters.
What lives here: the steps in their order. A new one is a function in `layout/`, `speech/` or
`notations/` and a name in the group below that it belongs to. What does not: numbers, dates and
contractions within a sentence (`reading.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial

from faithkit.language.layout.answers import with_answers
from faithkit.language.layout.catalogues import with_entries
from faithkit.language.layout.characters import merge_blanks, replace_tabs, unify_characters
from faithkit.language.layout.checkboxes import inline_ticked_options
from faithkit.language.layout.cut_words import with_whole_words
from faithkit.language.layout.diaries import with_days
from faithkit.language.layout.endings import without_stray_marks
from faithkit.language.layout.fields import with_fields_apart
from faithkit.language.layout.inline import unify_inline_marks
from faithkit.language.layout.latex import without_latex
from faithkit.language.layout.life_signs import with_life_signs
from faithkit.language.layout.lines import join_wrapped_lines
from faithkit.language.layout.markup import without_markup
from faithkit.language.layout.patents import with_claims
from faithkit.language.layout.phrases import without_phrases
from faithkit.language.layout.prompts import without_question
from faithkit.language.layout.timestamps import with_durations, with_durations_of
from faithkit.language.layout.wrapping import unwrapped
from faithkit.language.layout.yes_no import expand_yes_no
from faithkit.language.mapped import Mapped, identity_map
from faithkit.language.notations.ages import with_ages
from faithkit.language.notations.centuries import with_years_of_centuries
from faithkit.language.notations.credits import with_credits
from faithkit.language.notations.currencies import with_currencies
from faithkit.language.notations.dates import in_known_order
from faithkit.language.notations.deviations import with_deviations
from faithkit.language.notations.dollars import name_dollars
from faithkit.language.notations.feats import with_feats
from faithkit.language.notations.frequencies import with_frequencies
from faithkit.language.notations.holidays import with_holidays
from faithkit.language.notations.instant import with_months
from faithkit.language.notations.matches import with_matches
from faithkit.language.notations.minutes import with_motions
from faithkit.language.notations.notation import in_powers_of
from faithkit.language.notations.parties import with_names_of, with_names_of_terms
from faithkit.language.notations.periods import with_parts_of_years, with_periods
from faithkit.language.notations.quantities import in_units_of
from faithkit.language.notations.relative_dates import with_relative_dates
from faithkit.language.notations.shares import with_shares
from faithkit.language.speech.corrections import with_corrections
from faithkit.language.speech.dialogues import with_turns
from faithkit.language.speech.initials import with_names
from faithkit.language.speech.posts import with_writers
from faithkit.language.speech.quoted import without_quoted
from faithkit.language.speech.subtitles import without_cues
from faithkit.language.speech.transcripts import without_json, without_tags

NORMALISER = "plain-7"
"""Names the rules of the plain form, and of how words and numbers are read in it (`reading.py`), in
a signature; change it when they change."""

Step = Callable[[Mapped], Mapped]
"""Writes one form or notation of a text in another way; most texts do not have it and stay."""

StepWithSource = Callable[[Mapped, str], Mapped]
"""Writes what a summary has as its source does; the second argument is the source's plain form."""

# Notations of one kind of record: results of matches, credits of films, minutes of meetings.
_RECORDS: tuple[Step, ...] = (with_matches, with_credits, with_motions)

# What a source is stored in (JSON, tags, HTML, LaTeX), and its characters.
_SOURCE_CHARACTERS: tuple[Step, ...] = (
    without_json,
    without_tags,
    partial(without_markup, source=True),
    without_latex,
    unify_characters,
)

# A prompt's question, messages that correct another, and signs and marks within a line.
_SOURCE_MARKS: tuple[Step, ...] = (
    without_question,
    with_corrections,
    with_life_signs,
    unify_inline_marks,
)

# Notations of a kind of document: show notes, diaries, patents, records, letters.
_SOURCE_NOTATIONS: tuple[Step, ...] = (
    with_durations,
    with_days,
    with_claims,
    *_RECORDS,
    with_months,
)

# Who says what, as a line "Anna: ..." for each turn.
_SOURCE_TURNS: tuple[Step, ...] = (
    without_cues,
    with_turns,
    with_writers,
    with_names,
    without_quoted,
)

# Fields, catalogues and forms: what belongs to a label or a column is beside it.
_SOURCE_FIELDS: tuple[Step, ...] = (
    with_fields_apart,
    with_entries,
    inline_ticked_options,
    partial(with_currencies, source=True),
    partial(expand_yes_no, source=True),
    replace_tabs,
)

# What a summary is wrapped in (JSON, a fence, HTML, LaTeX), its characters, and signs of lives.
_SUMMARY_CHARACTERS: tuple[Step, ...] = (
    unwrapped,
    partial(without_markup, source=False),
    without_latex,
    unify_characters,
    with_life_signs,
)

# Fields and records, as in a source.
_SUMMARY_FIELDS: tuple[Step, ...] = (
    with_fields_apart,
    *_RECORDS,
    partial(with_currencies, source=False),
    partial(expand_yes_no, source=False),
    replace_tabs,
)

# Numbers and amounts of a summary, as its source writes the same ones.
_AMOUNTS_AS_IN_SOURCE: tuple[StepWithSource, ...] = (
    with_deviations,
    with_shares,
    in_units_of,
    in_powers_of,
)

# Periods of a summary, and how often something is, as its source writes the same ones.
_PERIODS_AS_IN_SOURCE: tuple[StepWithSource, ...] = (
    with_periods,
    with_parts_of_years,
    with_frequencies,
)

# Names, dates, ages and words cut short: "a hat-trick", "at Christmas", "confid...".
_WORDS_AS_IN_SOURCE: tuple[StepWithSource, ...] = (
    with_feats,
    name_dollars,
    with_years_of_centuries,
    with_holidays,
    with_ages,
    with_relative_dates,
    with_whole_words,
)

_SOURCE_STEPS = (
    *_SOURCE_CHARACTERS,
    *_SOURCE_MARKS,
    *_SOURCE_NOTATIONS,
    *_SOURCE_TURNS,
    *_SOURCE_FIELDS,
)
_STEPS_WITH_SOURCE = (*_AMOUNTS_AS_IN_SOURCE, *_PERIODS_AS_IN_SOURCE, *_WORDS_AS_IN_SOURCE)


def _apply_steps(text: Mapped, steps: Iterable[Step]) -> Mapped:
    """The text after these steps, one after the other."""
    for step in steps:
        text = step(text)
    return text


@lru_cache(maxsize=128)
def plain_source(text: str) -> Mapped:
    """A source in plain form: one line for each paragraph, turn, heading and list item."""
    plain = _apply_steps(identity_map(text), _SOURCE_STEPS)
    # How long the lines were, and which of day and month comes first, is read off the given text.
    plain = in_known_order(join_wrapped_lines(plain, text), text)
    plain = name_dollars(plain, plain.text)
    return with_names_of_terms(merge_blanks(plain))


@lru_cache(maxsize=512)
def plain_summary(text: str, source: str) -> Mapped:
    """A summary in plain form, phrases such as "Here is a summary:" left out. The source says how a
    word is written that a line end cut in two, and which phrases are its own."""
    plain_text = plain_source(source).text
    summary = _apply_steps(identity_map(text), _SUMMARY_CHARACTERS)
    # Times of show notes and marks of citations are those that the source has.
    summary = unify_inline_marks(with_durations_of(summary, source), plain_text)
    summary = _apply_steps(summary, _SUMMARY_FIELDS)
    # Phrases, questions and answers are sentences, so they come after the lines are joined.
    summary = without_phrases(join_wrapped_lines(summary, text, plain_text), plain_text)
    summary = with_answers(in_known_order(summary, text, source), plain_text)
    for write_as_source in _STEPS_WITH_SOURCE:
        summary = write_as_source(summary, plain_text)
    return with_names_of(merge_blanks(without_stray_marks(summary)), plain_text)

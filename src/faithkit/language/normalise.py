"""A text in plain form: what metrics that read sentences see in place of the text as it was given.

Unicode, white space, quotes, dashes, HTML, Markdown and line breaks are written in one way, and
marks of citations and a chat model's phrases around a summary are left out, so that the form of a
text changes no value. Every character is mapped to the given text, so that spans and evidence are
in the user's characters.
What lives here: characters and what is within a line. What does not: HTML (`markup.py`), marks of
citations (`citations.py`), lines (`lines.py`), phrases (`phrases.py`), and numbers, dates and
contractions (`reading.py`).
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from faithkit.language.layout.answers import with_answers
from faithkit.language.layout.catalogues import with_entries
from faithkit.language.layout.checkboxes import inline_ticked_options
from faithkit.language.layout.citations import without_citations
from faithkit.language.layout.cut_words import with_whole_words
from faithkit.language.layout.diaries import with_days
from faithkit.language.layout.encodings import with_right_encoding
from faithkit.language.layout.fields import with_fields_apart
from faithkit.language.layout.latex import without_latex
from faithkit.language.layout.life_signs import with_life_signs
from faithkit.language.layout.lines import join_wrapped_lines
from faithkit.language.layout.markup import without_markup
from faithkit.language.layout.patents import with_claims
from faithkit.language.layout.phrases import without_phrases
from faithkit.language.layout.prompts import without_question
from faithkit.language.layout.timestamps import with_durations, with_durations_of
from faithkit.language.layout.tokenised import detokenise
from faithkit.language.layout.wrapping import unwrapped
from faithkit.language.layout.yes_no import expand_yes_no
from faithkit.language.lexicon import STOP_WORDS
from faithkit.language.mapped import (
    Mapped,
    Piece,
    identity_map,
    is_mark,
    replace_match,
    replace_pieces,
    substitute,
)
from faithkit.language.notations.ages import with_ages
from faithkit.language.notations.centuries import with_years_of_centuries
from faithkit.language.notations.credits import with_credits
from faithkit.language.notations.currencies import with_currencies
from faithkit.language.notations.dates import in_known_order
from faithkit.language.notations.deviations import with_deviations
from faithkit.language.notations.dollars import name_dollars
from faithkit.language.notations.feats import with_feats
from faithkit.language.notations.frequencies import with_frequencies
from faithkit.language.notations.grades import with_stars
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

NORMALISER = "plain-6"
"""Names the rules of the plain form, and of how words and numbers are read in it (`reading.py`), in
a signature; change it when they change."""


@lru_cache(maxsize=128)
def plain_source(text: str) -> Mapped:
    """A source in plain form: one line for each paragraph, turn, heading and list item."""
    lines = without_tags(without_json(identity_map(text)))
    characters = _characters(without_latex(without_markup(lines, source=True)))
    inline = _inline(with_life_signs(with_corrections(without_question(characters))))
    inline = with_claims(with_days(with_durations(inline)))
    records = with_motions(with_credits(with_matches(inline)))
    posts = with_writers(with_turns(without_cues(with_months(records))))
    plain = with_fields_apart(without_quoted(with_names(posts)))
    options = inline_ticked_options(with_entries(plain))
    written = expand_yes_no(with_currencies(options, source=True), source=True)
    ordered = in_known_order(join_wrapped_lines(_without_tabs(written), text), text)
    return with_names_of_terms(_spaced(name_dollars(ordered, ordered.text)))


@lru_cache(maxsize=512)
def plain_summary(text: str, source: str) -> Mapped:
    """A summary in plain form, phrases such as "Here is a summary:" left out. The source says how a
    word is written that a line end cut in two, and which phrases are its own."""
    plain = plain_source(source).text
    lines = without_markup(unwrapped(identity_map(text)), source=False)
    characters = _characters(without_latex(lines))
    signed = with_durations_of(with_life_signs(characters), source)
    inline = with_fields_apart(_inline(signed, plain))
    records = with_motions(with_credits(with_matches(inline)))
    written = with_currencies(records, source=False)
    written = expand_yes_no(written, source=False)
    lined = join_wrapped_lines(_without_tabs(written), text, plain)
    ordered = in_known_order(without_phrases(lined, plain), text, source)
    answered = with_deviations(with_answers(ordered, plain), plain)
    said = in_powers_of(in_units_of(with_shares(answered, plain), plain), plain)
    said = with_frequencies(with_parts_of_years(with_periods(said, plain), plain), plain)
    said = name_dollars(with_feats(said, plain), plain)
    for with_same in (with_years_of_centuries, with_holidays, with_ages, with_relative_dates):
        said = with_same(said, plain)
    return with_names_of(_spaced(with_whole_words(said, plain)), plain)


# --- characters ----------------------------------------------------------------------------------

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,30});", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_BEYOND_ASCII = re.compile(r"[^\n]?[^\x00-\x7f]+")
_SPACES = re.compile(r"[^\S\n\t ]")
_TAB = re.compile(r"\t")
_QUOTED = re.compile(r"(?<!`)``(?!`)|''")
_DASHED = re.compile(r"(?:(?<![ \t])[ \t]+)?(?:[—―]+|(?<![-|:])--(?![-|:>]))[ \t]*")

_NEGATIVE = re.compile(r"(?<![^\s(\[])-\d[\d.]*%?\Z")

_SPEAKER = re.compile(r"(?<![\w-])s(?:peaker|pk)(?:_0?| 0)(?P<number>\d{1,2})(?!\w)", re.IGNORECASE)

_ONE_FORM = {
    **dict.fromkeys("‘’‚‛‹›ʹʻʼʽ′´＇", "'"),
    **dict.fromkeys("“”„‟«»″〝〞〟＂", '"'),
    **dict.fromkeys("‐‑‒–−﹣－", "-"),
    **dict.fromkeys("⇒⟶➔➜➝➞➡", "→"),
    "⁄": "/",
    "…": "...",
}
_MIDDLE_DOT = re.compile(r"·(?<=\d·)(?<!·\d·)(?<!·\d\d·)(?=\d)(?!\d{1,2}·|10[\^⁻⁰¹²³⁴⁵⁶⁷⁸⁹])")
"""A decimal point, as in "0·71"; not one of several between numbers, nor before a power of ten."""
_NARROW_BLANK = re.compile(r"[\u00a0\u2009\u202f]")
_IN_NARROW_BLANKS = re.compile(
    rf"(?<![\w.,])(?<!\d\s)[1-9]\d{{0,2}}(?:{_NARROW_BLANK.pattern}\d{{3}})+(?!\w|\s\d|[.,]\d{{3}})"
)
_DIGITS = re.compile(r"\d+")
_COMPATIBLE = re.compile("[\uff01-\uff5e\ufb00-\ufb06\U0001d400-\U0001d7ff\u2126\u212a\u212b]")
"""Full-width letters, ligatures, mathematical letters: NFKC makes plain ones of them. Of others
(superscripts, fractions) it would change the meaning."""


def _characters(text: Mapped) -> Mapped:
    """One line end, one blank, one quote, one dash, one arrow; letters with their marks composed
    (NFC); "SPEAKER_01" and "spk_1", as programs call a voice, as "Speaker 1"."""
    text = substitute(text, _ENTITY, _unescaped)
    text = with_right_encoding(text)
    if not text.text.isascii():
        text = substitute(text, _MIDDLE_DOT, lambda match: replace_match(match, "."))
        if _NARROW_BLANK.search(text.text):
            text = substitute(text, _IN_NARROW_BLANKS, _one_number)
        text = replace_pieces(text, list(_composed(text.text)))
    text = substitute(text, _LINE_END, lambda match: replace_match(match, "\n"))
    text = substitute(text, _INVISIBLE, lambda match: replace_match(match, ""))
    text = substitute(text, _SPACES, lambda match: replace_match(match, " "))
    text = substitute(text, _QUOTED, lambda match: replace_match(match, '"'))
    text = substitute(
        text, _SPEAKER, lambda match: replace_match(match, f"Speaker {match['number']}")
    )
    return detokenise(substitute(text, _DASHED, _dash))


def _one_number(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1 234 567" without the no-break or thin blanks that group its digits."""
    groups = _DIGITS.finditer(match.string, match.start(), match.end())
    return tuple(Piece(group.group(), *group.span()) for group in groups)


def _unescaped(match: re.Match[str]) -> tuple[Piece, ...]:
    """What an entity of HTML stands for, where that is one character."""
    letter = html.unescape(match.group())
    return replace_match(match, letter) if len(letter) == 1 else ()


def _dash(match: re.Match[str]) -> tuple[Piece, ...]:
    """A dash between words has blanks around it; one that begins a line has no blank before it.
    In "-2--1" it is a range's and a minus."""
    start, end = match.span()
    before_digit = match.group() == "--" and match.string[end : end + 1].isdigit()
    if before_digit and _NEGATIVE.search(match.string, max(0, start - 12), start):
        return ()
    first = start == 0 or match.string[start - 1] == "\n"
    return replace_match(match, "- " if first else " - ")


def _composed(text: str) -> Iterator[Piece]:
    """A piece for each character with marks, which belong together, and for each that has another
    form here."""
    done = 0
    for run in _BEYOND_ASCII.finditer(text):
        start = max(run.start(), done)
        while start < run.end():
            end = start + 1
            while end < len(text) and is_mark(text[end]):
                end += 1
            given = text[start:end]
            form = _form(given)
            if form != given or end - start > 1:
                yield Piece(form, start, end, whole=True)
            start = done = end


@lru_cache(maxsize=4096)
def _form(given: str) -> str:
    form = unicodedata.normalize("NFC", given)
    if _COMPATIBLE.match(form):
        form = unicodedata.normalize("NFKC", form)
    return "".join(_ONE_FORM.get(letter, letter) for letter in form)


# --- inline Markdown, marks of citations, missing blanks ------------------------------------------

# Each mark is judged by its neighbours alone, never by a partner further on: what is appended to a
# text must not change how the text before it is read. A link holds no end of a sentence, for the
# same reason.
_LINK = re.compile(
    r"!?\[(?P<text>(?:(?![.!?][\"'”’)]*\s)[^\[\]\n])*)\]\((?:https?:|www\.|mailto:|[/#.])[^()\s]*\)"
)
_EMPHASIS = re.compile(
    r"(?<![\w*\\])\*{1,3}(?=[^\s*])|(?<=[^\s*\\])\*{1,3}(?![\w*])"
    r"|(?<![\w\\])_{1,3}(?=[^\W_])|(?<=[^\W_])_{1,3}(?!\w)|(?<=[.!?,;:\"')])_{1,3}(?!\w)"
    r"|~~(?=\S)|(?<=\S)~~|(?<!`)`{1,2}(?!`)"
)

_LEADER = re.compile(
    r"(?<=[^\s.?!:]):?(?:[ \t]*+\.{4,}+[ \t]*(?=[$£€¥₹+-]?\d)|(?<!:)[ \t]++\.{5,}+[ \t]+(?=\w)"
    r"|[ \t]++(?:\.[ \t]++){3,}+(?=[$£€¥₹+-]?\w))"
)
"""The points between a name and its value, "Soup ........ 7": of a pause in prose there are fewer,
or no blanks around them."""

_BOX = re.compile(r"\[(?P<tick>[ xX✓✔])\](?=[ \t]+\S)")
_BEFORE_BOX = re.compile(r"(?:^|\n)[ \t>]*(?:(?:[-*+•]|\d{1,2}[.)])[ \t]+)?$|[:|] $")
_AFTER_ENUMERATOR = re.compile(r"(?:\)|(?<=\d)\.)[ \t]+(?=\S)")
_ENUMERATOR = re.compile(
    r"(?P<before>^|\n[ \t]*|(?:[.;:,!?][\"')]?|\band|\bor) )\(?(?P<sign>\d|[a-h])$"
)
_BULLETED = re.compile(r"^[ \t]*(?P<label>[^\n•]{1,60}:[ \t]+)?•[ \t][^\n]*•[ \t]", re.MULTILINE)
_BULLET = re.compile(r"(?<=\S)[ \t]+(?=•[ \t])")


def _starts(words: list[str]) -> str:
    return "|".join(sorted(word.capitalize() for word in words))


_LONG_STARTS = _starts([word for word in STOP_WORDS if len(word) > 2])
_SHORT_STARTS = _starts([word for word in STOP_WORDS if len(word) == 2])
_MISSING_BLANK = re.compile(rf"[.!?][\"')]?(?=(?:(?P<long>{_LONG_STARTS})|{_SHORT_STARTS})[ ,'])")
_BEFORE_LONG = re.compile(r"(?:[a-z%)\"']|\d{3})\Z")
_BEFORE_SHORT = re.compile(r"(?<![\w.@/])[a-z]{3,}\Z")
"""What a sentence ends with that another follows without a blank: not as in "Amazon.In"."""


def _inline(text: Mapped, source: str | None = None) -> Mapped:
    """Without the marks of citations, emphasis, code and links, with signs for boxes and a blank
    between sentences. `source`: that of a summary."""
    text = without_citations(text, source)
    text = replace_pieces(text, [*_boxes(text.text)])
    text = replace_pieces(text, [*_enumerators(text.text)])
    text = replace_pieces(text, [*_bullets(text.text)])
    text = replace_pieces(text, [*_leaders(text.text)])
    text = with_stars(substitute(text, _LINK, _link))
    # Three backticks are the fence of a block of code: see `lines.py`.
    text = substitute(text, _EMPHASIS, lambda match: replace_match(match, ""))
    return substitute(text, _MISSING_BLANK, _with_blank)


def _boxes(text: str) -> Iterator[Piece]:
    """Signs for the boxes of a list of tasks or of a form: "- [x] Deploy", "Smoker: [ ] yes"."""
    box_end = 0
    for match in _BOX.finditer(text):
        start, end = match.span()
        follows = 0 < box_end < start and "\n" not in text[box_end:start]
        if follows or _BEFORE_BOX.search(text[max(0, start - 20) : start]):
            yield Piece("☐" if match["tick"] == " " else "☑", start, end)
            box_end = end


def _enumerators(text: str) -> Iterator[Piece]:
    """A line end before "(2)", "2)", "2." and "b)" within a line that begins with the first of
    them, which is left to `lines.py`; else nothing for "(2)" and "2)" after "(1)" and "1)"."""
    number, last_end, is_list = 0, 0, False
    for mark in _AFTER_ENUMERATOR.finditer(text):
        first = max(0, mark.start() - 8)
        match = _ENUMERATOR.search(text[first : mark.start()])
        if match is None:
            continue
        start, end = first + match.end("before"), mark.end()
        sign, before = match["sign"], match["before"].strip()
        if "\n" in text[last_end:start]:
            number, is_list = 0, False
        if (int(sign) if sign.isdigit() else ord(sign) - ord("a") + 1) != number + 1:
            continue
        is_point = text[mark.start()] == "."
        if before and is_point and before[0] in ",:":
            continue
        if not before:
            is_list = True
        elif is_list:
            yield Piece("\n", start - 1, start)
        elif sign.isdigit() and not is_point:
            yield Piece("", start, end)
        else:
            continue
        number, last_end = number + 1, end


def _leaders(text: str) -> Iterator[Piece]:
    """A colon for the points between a name and its value, and two line ends after its line, which
    is a row however long it is."""
    row_end = -1
    for leader in _LEADER.finditer(text):
        if row_end < leader.start():
            if row_end > -1:
                yield Piece("\n\n", row_end, row_end + 1)
            row_end = text.find("\n", leader.end()) % (len(text) + 1)
        yield Piece(": ", *leader.span())
    if -1 < row_end < len(text):
        yield Piece("\n\n", row_end, row_end + 1)


def _bullets(text: str) -> Iterator[Piece]:
    """A line end before each bullet within a line that begins with one, or with a label before
    it: "• wifi • pool"."""
    for line in _BULLETED.finditer(text):
        start = line.end("label") - 1 if line["label"] else line.start()
        for bullet in _BULLET.finditer(text, start, line.end()):
            yield Piece("\n", *bullet.span())


def _with_blank(match: re.Match[str]) -> tuple[Piece, ...]:
    start, end = match.span()
    before = _BEFORE_SHORT if match["long"] is None else _BEFORE_LONG
    if before.search(match.string, max(0, start - 30), start) is None:
        return ()
    return (Piece(match.group(), start, end), Piece(" ", end - 1, end))


def _link(match: re.Match[str]) -> tuple[Piece, ...]:
    start, end = match.span("text")
    words = (Piece(match["text"], start, end),) if match["text"] else ()
    return (Piece("", match.start(), start), *words, Piece("", end, match.end()))


def _without_tabs(text: Mapped) -> Mapped:
    """A tab may be between a speaker and what is said; elsewhere it is a blank."""
    return substitute(text, _TAB, lambda match: replace_match(match, " "))


_BLANKS = re.compile(r" {2,}")


def _spaced(text: Mapped) -> Mapped:
    return substitute(text, _BLANKS, lambda match: replace_match(match, " "))

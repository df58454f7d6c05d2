"""Edits of a summary that change words or clauses and keep what they say, from the parse [STRESS].

The rules for one sentence are in `faithkit.rewrites`; here they are put to all sentences of a
summary.
"""

from __future__ import annotations

import re
from random import Random

from faithkit.language.calendar_words import MONTH
from faithkit.language.lexicon import STOP_WORDS, word_set
from faithkit.rewrites import paraphrases, restructuring
from faithkit.rewrites.parsed import (
    Edit,
    Edits,
    Maker,
    Page,
    Parsed,
    apply,
    decapitalised,
    is_clause,
    usable,
)
from faithkit.stress.suites.surface import parsed


def _all(maker: Maker, summary: str, random: Random) -> str | None:
    """Applies as many of the maker's edits to each sentence as do not overlap; among overlapping
    ones, a random one."""
    sentences = parsed(summary)
    page = Page(summary, "", sentences)
    new: dict[int, str] = {}
    for index, sentence in enumerate(sentences):
        chosen: Edits = ()
        choices = maker(sentence, page, random) if _plain(sentence) else []
        for edits in random.sample(choices, len(choices)):
            if all(a.end < b.start or b.end < a.start for a in edits for b in chosen):
                chosen += edits
        if chosen:
            new[index] = apply(sentence.text, chosen)[0]
    return _with(summary, sentences, new)


def _one_each(
    maker: Maker, summary: str, random: Random, *, source: str = "", most: int | None = None
) -> str | None:
    """One of the maker's edits in every sentence that has one, or in `most` of them. `source` is
    the document that a maker may look at."""
    sentences = parsed(summary)
    page = Page(source, "", sentences)
    choices = {
        index: options
        for index, sentence in enumerate(sentences)
        if _plain(sentence) and (options := maker(sentence, page, random))
    }
    indices = list(choices)
    if most is not None:
        indices = random.sample(indices, min(most, len(indices)))
    new = {
        index: apply(sentences[index].text, random.choice(choices[index]))[0] for index in indices
    }
    return _with(summary, sentences, new)


def _plain(sentence: Parsed) -> bool:
    return usable(sentence.text) and is_clause(sentence)


def _with(summary: str, sentences: tuple[Parsed, ...], new: dict[int, str]) -> str | None:
    """The summary with some sentences replaced, or None where there are none."""
    if not new:
        return None
    parts: list[str] = []
    end = 0
    for index, sentence in enumerate(sentences):
        parts += [summary[end : sentence.start], new.get(index, sentence.text)]
        end = sentence.end
    return "".join([*parts, summary[end:]])


def number_forms(summary: str, _source: str, random: Random) -> str | None:
    """ "12 people" becomes "twelve people" and back, "3,000" "3000", "5%" "5 per cent"."""
    return _all(paraphrases.number_form, summary, random)


# The training sentences may keep a little odd English that these tests should not have.
_ODD_WORDS = word_set(
    "sick telephone telephones earlier finish finished finishes completed kid kids deceased"
)
_PARTICLES = word_set("off up out down over away 's ’s")


def synonyms(summary: str, _source: str, random: Random) -> str | None:
    """Words of a small table become others that mean the same nearly everywhere."""
    return _all(_synonym, summary, random)


def _synonym(sentence: Parsed, page: Page, random: Random) -> list[Edits]:
    def fits(edit: Edit) -> bool:
        after = next((t.text for t in sentence.tokens if t.start >= edit.end), "")
        return edit.new not in _ODD_WORDS and after not in _PARTICLES

    candidates = paraphrases.synonym(sentence, page, random)
    return [edits for edits in candidates if all(fits(edit) for edit in edits)]


def other_voice(summary: str, source: str, random: Random) -> str | None:
    """Active to passive and back."""
    return _one_each(_voice, summary, random, source=source)


_AFTER_VOICE = word_set("after before during when while on in at last this next , .")


def _voice(sentence: Parsed, page: Page, random: Random) -> list[Edits]:
    """Where what follows cannot belong to the wrong noun, and not "caught fire", "finished top"."""
    tokens = sentence.tokens
    if tokens[sentence.root].lemma in ("catch", "finish") or not _may_lose_capital(sentence, page):
        return []
    return [
        edits
        for edits in paraphrases.voice(sentence, page, random)
        if next(t.text for t in tokens if t.start >= edits[0].end) in _AFTER_VOICE
    ]


def _may_lose_capital(sentence: Parsed, page: Page) -> bool:
    """Whether the first word is surely a name, or surely none: the document has it in small."""
    first = sentence.tokens[0]
    lower = first.text.lower()
    if decapitalised(sentence, 0, 0) == first.text or lower in STOP_WORDS:
        return True
    return re.search(rf"\b{re.escape(lower)}\b", page.document) is not None


def reordered(summary: str, source: str, random: Random) -> str | None:
    """A phrase of time goes to the other end of its sentence."""
    return _one_each(_reordered, summary, random, source=source)


def _reordered(sentence: Parsed, page: Page, random: Random) -> list[Edits]:
    """Where it is the only time, and nothing speaks of the time or puts weight on it."""
    times = [entity for entity in sentence.entities if entity.label in ("DATE", "TIME")]
    weighed = {token.text.lower() for token in sentence.tokens} & {"only", "just", "even", "first"}
    clauses = {token.dep for token in sentence.tokens} & {"relcl", "acl"}
    if len(times) > 1 or weighed or clauses or _TWO_TIMES.search(sentence.text):
        return []
    if not _may_lose_capital(sentence, page):
        return []
    return paraphrases.reordered(sentence, page, random)


_TWO_TIMES = re.compile(rf"\b(?:{MONTH}) (?:this|last|next)\b", re.IGNORECASE)


def negated(summary: str, source: str, random: Random) -> str | None:
    """ "not alive" for "dead", "no fewer than" for "at least"; where there is nothing of the kind,
    one statement is negated twice: "It is not true that he did not go"."""
    words = _all(restructuring.negated, summary, random)
    return words or _one_each(_negated_twice, summary, random, source=source, most=1)


def _negated_twice(sentence: Parsed, page: Page, random: Random) -> list[Edits]:
    fits = _may_lose_capital(sentence, page)
    return restructuring.negated_twice(sentence, page, random) if fits else []


def split(summary: str, _source: str, random: Random) -> str | None:
    """Sentences of two clauses become two sentences, as long as there are any."""
    new = _one_each(restructuring.split, summary, random)
    while new is not None and (again := _one_each(restructuring.split, new, random)) is not None:
        new = again
    return new


def shortened(summary: str, _source: str, random: Random) -> str | None:
    """Without an apposition, a clause in commas, a parenthesis, a time or a place: what is left
    follows from what was there, so the source supports it."""
    return _one_each(_shorter, summary, random)


_COUNTED = re.compile(
    r"\b(?:times?|occasions?|once|twice|second|third|fourth|fifth|record)\b", re.I
)


def _shorter(sentence: Parsed, page: Page, random: Random) -> list[Edits]:
    """With the time and place of what is counted ("twice in a week" is not just "twice") and of a
    birth, which nobody tells without them."""
    dropped = paraphrases.clause_dropped(sentence, page, random)
    if not _COUNTED.search(sentence.text) and sentence.tokens[sentence.root].text != "born":
        return dropped
    apart = re.compile(r"\s*[,(]")
    return [edits for edits in dropped if apart.match(sentence.text, edits[0].start)]

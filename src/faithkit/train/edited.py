"""Supported claims of the labelled files, written by people and chat models, and copies of them
with planted errors whose words are labelled.

Comparing words detects an error in a copied sentence (`corruptions`); here it is in a paraphrase.
The rules are those of `rewrites`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from faithkit.language.sentences import closed_sentences, sentences
from faithkit.rewrites import entity_errors, paraphrases, predicate_errors
from faithkit.rewrites.parsed import (
    Maker,
    Page,
    Parsed,
    is_clause,
    read,
    usable,
)
from faithkit.train.corruptions import additions
from faithkit.train.paraphrased import made_row
from faithkit.train.words import Labelled

EDITED = "edited"
"""The file of rows made from supported claims."""

ERRORS: tuple[Maker, ...] = (
    *entity_errors.MAKERS.values(),
    *(maker for name, maker in predicate_errors.MAKERS.items() if name != "hedge_weaker"),
)
"""Without weakened claims, which a lenient reader would often still accept."""

NEGATIONS = 0.2
"""Share of the claims that may be negated: nearly all could be, and "not" would then predict the
label."""

BORROWED: tuple[Maker, ...] = (additions.predicate, entity_errors.entity_extrinsic)
"""Errors with words from other sources, for claims that allow no other error."""

REWRITINGS: tuple[Maker, ...] = (
    paraphrases.voice, paraphrases.number_form, paraphrases.reordered, paraphrases.synonym,
)  # fmt: skip
"""Edits that keep a claim true, so that an edit does not predict the label."""

EDITS = 2
"""Most errors that are planted in a claim, each in a copy of its own."""

NAMED_FROM = 6
"""Sentences of a source from which names are taken."""

NEIGHBOURS = 2
"""Other sources from which words are taken."""

PARSED_AT_ONCE = 1000


def edited_claims(rows: Sequence[Labelled], seed: int, most: int) -> list[Labelled]:
    """Rows made from at most `most` supported claims of one sentence: the claim as it is, up to
    `EDITS` copies with an error each, and a true rewriting where the claim allows one."""
    claims = [row for row in rows if _is_supported(row)]
    Random(f"{seed} edited").shuffle(claims)
    made: list[Labelled] = []
    for first in range(0, min(len(claims), most), PARSED_AT_ONCE):
        made += _edited(claims[first : min(first + PARSED_AT_ONCE, most)], seed)
    return list(dict.fromkeys(made))


def _is_supported(row: Labelled) -> bool:
    """Whether a row is one supported sentence of plain prose."""
    return row.is_supported and usable(row.summary) and len(closed_sentences(row.summary)) == 1


def _edited(rows: Sequence[Labelled], seed: int) -> Iterator[Labelled]:
    pages = _pages(list(dict.fromkeys(row.source for row in rows)), seed)
    parsed = read([(0, row.summary) for row in rows])
    for row, claim in zip(rows, parsed, strict=True):
        if not is_clause(claim):
            continue
        random = Random(f"{seed} {row.source} {row.summary}")
        page = pages[row.source]
        negated = random.random() < NEGATIONS
        within = [make for make in ERRORS if negated or make is not predicate_errors.negation]
        kinds = random.sample(within, len(within)) + random.sample(BORROWED, len(BORROWED))
        errors = [edits for make in kinds if (edits := make(claim, page, random))]
        for edits in errors[:EDITS]:
            yield made_row(EDITED, row.source, claim, random.choice(edits), wrong=True)
        others = [edits for make in REWRITINGS if (edits := make(claim, page, random))]
        if errors:
            yield made_row(EDITED, row.source, claim, ())
        if errors and others:
            yield made_row(EDITED, row.source, claim, random.choice(random.choice(others)))


def _pages(sources: Sequence[str], seed: int) -> dict[str, Page]:
    """A page of each source with some of its sentences; its neighbours are the pages of the next
    sources."""
    pieces: list[tuple[int, int, str]] = []
    for index, source in enumerate(sources):
        prose = [(piece.start, piece.text) for piece in sentences(source) if usable(piece.text)]
        sampled = Random(f"{seed} named {source}").sample(prose, min(len(prose), NAMED_FROM))
        pieces += [(index, start, text) for start, text in sorted(sampled)]
    every = read([(start, text) for _, start, text in pieces])
    clauses: list[list[Parsed]] = [[] for _ in sources]
    for (index, _, _), sentence in zip(pieces, every, strict=True):
        if is_clause(sentence):
            clauses[index].append(sentence)
    alone = [Page(source, "", parsed) for source, parsed in zip(sources, clauses, strict=True)]
    return {
        page.document: Page(
            page.document, "", page.sentences,
            [alone[(index + step) % len(alone)] for step in range(1, NEIGHBOURS + 1)],
        )
        for index, page in enumerate(alone)
    }  # fmt: skip

"""Labelled training sentences made from clean documents: paraphrases, planted errors and
non-claims. The seed decides all of them; spaCy parses the documents.

The kinds follow the error types of FRANK (Pagnoni et al. 2021, section 3) and the transformations
of FactCC (Kryscinski et al. 2020, section 3.1). The makers are in `rewrites` (paraphrases, and
errors within a document), `additions.py` and `non_claim_grammar.py`; here sentences are sampled and
edits become records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import NamedTuple

from faithkit.language.sentences import sentences
from faithkit.records import ConfigError
from faithkit.rewrites import entity_errors, paraphrases, predicate_errors
from faithkit.rewrites.parsed import (
    Edits,
    Maker,
    Page,
    Parsed,
    apply,
    is_clause,
    labelled,
    read,
    usable,
)
from faithkit.train.corruptions import additions
from faithkit.train.corruptions.non_claim_grammar import non_claims

__all__ = [
    "BORROWED", "FAITHFUL", "KINDS", "MAKERS", "NON_CLAIM", "UNFAITHFUL", "Made", "corrupt",
    "non_claims",
]  # fmt: skip

MAKERS: dict[str, Maker] = {
    **paraphrases.MAKERS,
    **entity_errors.MAKERS,
    **predicate_errors.MAKERS,
    **entity_errors.BORROWING,
    **additions.MAKERS,
    **additions.BORROWING,
}
FAITHFUL = tuple(paraphrases.MAKERS)
BORROWED = (*entity_errors.BORROWING, *additions.BORROWING)
_WITHIN = (*entity_errors.MAKERS, *predicate_errors.MAKERS, *additions.MAKERS)
UNFAITHFUL = (*_WITHIN, *BORROWED)
NON_CLAIM = "non_claim"
KINDS = (*FAITHFUL, *UNFAITHFUL, NON_CLAIM)

# Shares of the sentences that are made from a document, on average.
_SHARES = {"faithful": 0.45, "unfaithful": 0.35, "borrowing": 0.12, NON_CLAIM: 0.08}
_NEIGHBOURS = 3
# Share of the sentences that are also paraphrased in another place, so that a changed word does not
# predict the label; and the kinds that allow no other change.
_REWRITTEN = 0.3
_WHOLE = ("verbatim", "fused", "voice", "reordered")
_NON_CLAIMS = 4096


class Made(NamedTuple):
    """A sentence made from a document.

    text    the sentence
    words   (start, end, label) of each word with a letter or digit: 1 unsupported, else 0
    kind    one of KINDS
    label   1 faithful, 0 not, None for a non-claim
    source  the document
    origin  (start, end) of the original sentence in the document; (0, 0) for a non-claim
    """

    text: str
    words: tuple[tuple[int, int, int], ...]
    kind: str
    label: int | None
    source: str
    origin: tuple[int, int]


def corrupt(documents: Sequence[str], *, seed: int, per_document: int) -> Iterator[Made]:
    """At most `per_document` sentences of each different document, of all kinds in turn.

    Documents are sorted by a hash of text and seed, so their order does not matter. The sentences
    of a document depend on it and the seed only, except those of the kinds in BORROWED, which take
    words from the next three documents. Raises ConfigError where `per_document` is negative.
    """
    if per_document < 0:
        raise ConfigError(f"per_document must not be negative, got {per_document}")
    keyed = {text: sha256(f"{seed}/{text}".encode()).hexdigest() for text in documents}
    ordered = sorted(keyed, key=keyed.__getitem__)
    pages: dict[int, Page] = {}
    for index, document in enumerate(ordered):
        near = dict.fromkeys((index + step) % len(ordered) for step in range(_NEIGHBOURS + 1))
        for number in near:
            if number not in pages:
                text = ordered[number]
                pages[number] = _page(text, keyed[text], per_document)
        page, *others = (pages[number] for number in near)
        if page.sentences:
            yield from _made(Page(document, page.key, page.sentences, tuple(others)), per_document)
        if index >= _NEIGHBOURS:  # the first pages are neighbours of the last
            del pages[index]


def _page(document: str, key: str, per_document: int) -> Page:
    """The page of a document, with a sample of pairs of consecutive sentences parsed; about two
    thirds as many sentences as are to be made."""
    random = Random(f"page/{key}")
    prose = [sentence for sentence in sentences(document) if usable(sentence.text)]
    starts = list(range(0, len(prose), 2))
    sampled = sorted(random.sample(starts, min(len(starts), per_document // 3 + 2)))
    pieces = [sentence for start in sampled for sentence in prose[start : start + 2]]
    parsed = [
        sentence
        for sentence in read([(piece.start, piece.text) for piece in pieces])
        if is_clause(sentence)
    ]
    return Page(document, key, parsed)


def _made(page: Page, per_document: int) -> Iterator[Made]:
    random = Random(f"plan/{page.key}")
    plan = random.choices(list(_SHARES), list(_SHARES.values()), k=per_document)
    sorts = {
        "faithful": _in_turn(FAITHFUL, page, random),
        "unfaithful": _in_turn(_WITHIN, page, random),
        "borrowing": _in_turn(BORROWED, page, random),
        NON_CLAIM: _non_claims_of(page),
    }
    for sort in plan:
        made = next(sorts[sort], None)
        if made is not None:
            yield made


def _in_turn(kinds: Sequence[str], page: Page, random: Random) -> Iterator[Made]:
    """A sentence of each kind in turn, in random order, until no kind has more."""
    waiting = [_of_kind(kind, page) for kind in random.sample(kinds, len(kinds))]
    while waiting:
        first = waiting.pop(0)
        made = next(first, None)
        if made is not None:
            waiting.append(first)
            yield made


def _of_kind(kind: str, page: Page) -> Iterator[Made]:
    """Sentences of one kind: one edit of each original sentence, in random order, then a second
    edit of each."""
    random = Random(f"{kind}/{page.key}")
    waiting = []
    for sentence in random.sample(page.sentences, len(page.sentences)):
        choices = MAKERS[kind](sentence, page, random)
        random.shuffle(choices)
        waiting.append((sentence, choices[1:2]))
        if choices:
            yield _record(kind, page, sentence, choices[0], random)
    for sentence, second in waiting:
        for edits in second:
            yield _record(kind, page, sentence, edits, random)


def _record(kind: str, page: Page, sentence: Parsed, edits: Edits, random: Random) -> Made:
    if kind not in _WHOLE and random.random() < _REWRITTEN:
        edits = _also_rewritten(edits, sentence, page, random)
    text, wrong = apply(sentence.text, edits)
    after = page.after(sentence) if kind == "fused" else None
    return Made(
        text=text,
        words=labelled(text, wrong),
        kind=kind,
        label=1 if kind in FAITHFUL else 0,
        source=page.document,
        origin=(sentence.start, after.end if after else sentence.end),
    )


def _also_rewritten(edits: Edits, sentence: Parsed, page: Page, random: Random) -> Edits:
    """The edits, with a faithful one in another place if there is one."""
    choices = [
        more
        for kind in ("synonym", "clause_dropped", "number_form")
        for more in MAKERS[kind](sentence, page, random)
        if all(new.end < old.start or old.end < new.start for new in more for old in edits)
    ]
    return (*edits, *random.choice(choices)) if choices else edits


def _non_claims_of(page: Page) -> Iterator[Made]:
    random = Random(f"talk/{page.key}")  # the sentences depend on this text
    every = _all_non_claims()
    while True:
        text = random.choice(every)
        yield Made(text, labelled(text, []), NON_CLAIM, None, page.document, (0, 0))


@lru_cache(maxsize=1)
def _all_non_claims() -> tuple[str, ...]:
    return tuple(non_claims(_NON_CLAIMS, seed=0, held_out=False))

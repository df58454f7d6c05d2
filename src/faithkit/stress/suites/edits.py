"""Does the score rise when an error is corrected, and stay where nothing changes? [STRESS]

Corrections are pairs of an inconsistent summary and the consistent one nearest to it. Benign edits
change the form of a summary and not what it says; they are the table EDITS, their code is in
`surface.py` and `wording.py`. Each edits both members of the pairs: the inconsistent ones, as in
[STRESS], and the consistent ones, which have a table of their own. Any further kind of case of one
of them counts as benign, so rewritings by a model need only add cases. Nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from random import Random

import numpy as np

from faithkit import meta
from faithkit.meta import Kernel, Measure, Sample
from faithkit.meta.sample import Bools, Floats, cluster_sums, ratio
from faithkit.records import JSON, Example
from faithkit.stress.suites import surface, wording
from faithkit.stress.suites.cases import Case
from faithkit.stress.suites.choosing import (
    SCANNED,
    chance,
    consistent,
    distinct,
    inconsistent,
    ordered,
)
from faithkit.stress.suites.figures import DRAWS, RISE, figure

SUITE = "edits"
CORRECTION = "correction"

INCONSISTENT, CONSISTENT = "inconsistent", "consistent"
MEMBERS = (INCONSISTENT, CONSISTENT)
"""The member of a pair that a benign edit starts from, in the order of the tables; the kind of a
case ends with it ("voice, inconsistent")."""

NEAR = 0.5
"""Two summaries that nobody paired are one and its correction if they share half of their words."""

Edit = Callable[[str, str, Random], str | None]
"""Summary and source to the edited summary, or None where the edit does not apply."""


@dataclass(frozen=True, slots=True)
class Benign:
    """An edit that keeps what a summary says.

    what        what changes
    idempotent  whether a second time changes nothing more; `why` says why not
    """

    edit: Edit
    what: str
    idempotent: bool = False
    why: str = ""


_BACK = "a second time goes back"
_MORE = "a second time changes another place"

EDITS: dict[str, Benign] = {
    "shuffled sentences": Benign(
        surface.shuffled, "the order of the sentences", why="the order is drawn again"
    ),
    "irrelevant sentence": Benign(
        surface.irrelevant_added,
        "the source's sentence least like it is appended",
        why="a second time appends another",
    ),
    "lower case": Benign(surface.lower_case, "no capitals but in acronyms", idempotent=True),
    "headline case": Benign(surface.headline_case, "longer words get a capital", idempotent=True),
    "white space": Benign(surface.wide_spaces, "two blanks between words", idempotent=True),
    "quotes": Benign(surface.other_quotes, "straight quotes to curly and back", why=_BACK),
    "contractions": Benign(surface.contractions, '"did not" to "didn\'t" and back', why=_BACK),
    "numbers": Benign(wording.number_forms, '"12" to "twelve" and back', why=_BACK),
    "dates": Benign(surface.dates, '"May 29" to "29 May" and back', why=_BACK),
    "synonyms": Benign(wording.synonyms, "words to their synonyms", why=_BACK),
    "voice": Benign(wording.other_voice, "active to passive and back", why=_BACK),
    "clause order": Benign(wording.reordered, "a phrase of time to the other end", why=_BACK),
    "negation": Benign(wording.negated, "said by a negation, to the same effect", why=_MORE),
    "split": Benign(wording.split, "two clauses become two sentences", idempotent=True),
    "shortened": Benign(wording.shortened, "a phrase that may go is dropped", why=_MORE),
}
"""By kind of case."""


def cases(examples: Sequence[Example], *, seed: int, limit: int | None) -> list[Case]:
    """At most `limit` corrections, and `limit` cases of each benign edit of each member, spread
    over documents. The conditions are "before" and "after"."""
    return corrections(examples, seed=seed, limit=limit) + benign(examples, seed=seed, limit=limit)


def corrections(examples: Sequence[Example], *, seed: int, limit: int | None) -> list[Case]:
    """Each inconsistent summary and the consistent one of the same pair and source that shares most
    words with it. Pairs are the release's own, else rows of one document that share at least half
    of their words."""
    return [
        _case(CORRECTION, "", wrong, right.summary, difference(wrong.summary, right.summary))
        for wrong, right in islice(_pairs(examples, seed), limit)
    ]


def _pairs(examples: Sequence[Example], seed: int) -> Iterator[tuple[Example, Example]]:
    """Every inconsistent summary that has a correction, with it."""
    consistent_ones: dict[tuple[str, str], list[Example]] = {}
    rows = ordered(examples, seed)
    for example in rows:
        if example.label == 1:
            consistent_ones.setdefault((_pair(example), example.source), []).append(example)
    for example in rows:
        if example.label != 0:
            continue
        near = [
            (alike(example.summary, other.summary), other)
            for other in consistent_ones.get((_pair(example), example.source), [])
            if other.summary != example.summary
        ]
        if not near:
            continue
        likeness, corrected = max(near, key=lambda item: (item[0], item[1].id))
        if likeness >= NEAR or example.pair is not None:
            yield example, corrected


def _pair(example: Example) -> str:
    return example.document if example.pair is None else example.pair


def alike(one: str, two: str) -> float:
    """Share of the words that two texts have in common, in order: 0 to 1."""
    return SequenceMatcher(None, one.split(), two.split(), autojunk=False).ratio()


def difference(before: str, after: str) -> str:
    """The words that were exchanged: "17 → 18; the → a"."""
    one, two = before.split(), after.split()
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    return "; ".join(
        f"{' '.join(one[a:b]) or '–'} → {' '.join(two[c:d]) or '–'}"
        for name, a, b, c, d in blocks
        if name != "equal"
    )


def members(
    examples: Sequence[Example], *, seed: int, limit: int | None
) -> dict[str, list[Example]]:
    """The summaries that benign edits start from, by member, in the order in which they are taken;
    at most ten times `limit` of each.

    Inconsistent: those that have a correction; where none has, see `choosing.inconsistent`.
    Consistent: see `choosing.consistent`; unlabelled and unrated summaries count as such.
    """
    most = None if limit is None else SCANNED * limit
    wrong = [example for example, _ in islice(_pairs(examples, seed), most)]
    return {
        INCONSISTENT: distinct(wrong or ordered(inconsistent(examples), seed))[:most],
        CONSISTENT: distinct(ordered(consistent(examples), seed))[:most],
    }


def benign(examples: Sequence[Example], *, seed: int, limit: int | None) -> list[Case]:
    """At most `limit` cases of every edit of EDITS and member."""
    made: dict[tuple[str, str], list[Case]] = {
        (member, kind): [] for member in MEMBERS for kind in EDITS
    }
    for member, rows in members(examples, seed=seed, limit=limit).items():
        for example in rows:
            for kind, item in EDITS.items():
                cases = made[member, kind]
                if limit is not None and len(cases) >= limit:
                    continue
                new = item.edit(example.summary, example.source, chance(seed, kind, example))
                if new is not None and new != example.summary:
                    cases.append(_case(kind, member, example, new, item.what))
    return [case for cases in made.values() for case in cases]


def _case(kind: str, member: str, example: Example, after: str, note: str) -> Case:
    return Case(
        id=f"{kind}/{example.id}",
        suite=SUITE,
        kind=kind_of(kind, member),
        document=example.document,
        texts={
            "before": (example.source, example.summary),
            "after": (example.source, after),
        },
        note=note,
    )


def kind_of(edit: str, member: str) -> str:
    """The kind of the cases of an edit of one member; a correction has no member."""
    return f"{edit}, {member}" if member else edit


def member_of(kind: str) -> str:
    """INCONSISTENT or CONSISTENT; "" of a correction."""
    member = kind.rpartition(", ")[2]
    return member if member in MEMBERS else ""


def judged_member(kinds: Iterable[str]) -> str:
    """The member whose benign edits the rules judge: the inconsistent one, as in [STRESS], or the
    consistent one where there is no other."""
    found = {member_of(kind) for kind in kinds}
    return CONSISTENT if INCONSISTENT not in found and CONSISTENT in found else INCONSISTENT


# Figures


def summarise(
    cases: Sequence[Case], values: Sequence[Mapping[str, float | None]]
) -> dict[str, JSON]:
    """Figures with intervals by document, the correction first: of every kind the mean change and
    the share of cases without one; of the correction also the share that rises (by more than 1e-6)
    and p, two-sided, of a paired bootstrap by document that nothing changes; last for each member
    the discrimination ratio, the mean change of the correction over the root mean square of all
    benign changes."""
    groups: dict[str, list[tuple[str, float | None, float | None]]] = {}
    for case, answer in zip(cases, values, strict=True):
        row = (case.document, answer["before"], answer["after"])
        groups.setdefault(case.kind, []).append(row)
    figures: list[JSON] = []
    for kind in sorted(groups, key=lambda kind: ("", *MEMBERS).index(member_of(kind))):
        rows = groups[kind]
        documents, changes = [row[0] for row in rows], [_change(*row[1:]) for row in rows]
        figures.append(figure(kind, "mean change", changes, documents))
        if kind == CORRECTION:
            risen = [None if change is None else float(change > RISE) for change in changes]
            figures.append(figure(kind, "share that rises", risen, documents))
            figures.append(_tested(rows))
        missing = [float(change is None) for change in changes]
        figures.append(figure(kind, "share without a value", missing, documents))
    figures += [_ratio(member, groups) for member in MEMBERS if member in map(member_of, groups)]
    return {"figures": figures}


def _ratio(
    member: str, groups: Mapping[str, Sequence[tuple[str, float | None, float | None]]]
) -> dict[str, JSON]:
    """The discrimination ratio of corrections and the benign edits of one member."""
    rows = [
        (kind, *row)
        for kind, rows in groups.items()
        if kind == CORRECTION or member_of(kind) == member
        for row in rows
    ]
    return figure(
        kind_of("all", member),
        DISCRIMINATION.name,
        [_change(*row[2:]) for row in rows],
        [row[1] for row in rows],
        labels=[int(row[0] == CORRECTION) for row in rows],
        measure=DISCRIMINATION,
    )


def _change(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _tested(rows: Iterable[tuple[str, float | None, float | None]]) -> dict[str, JSON]:
    documents, before, after = zip(*rows, strict=True)
    found = meta.compare(
        meta.MEAN,
        after,
        before,
        meta.Rows(groups=documents),
        names=("after", "before"),
        draws=DRAWS,
    )
    return {"kind": CORRECTION, "statistic": "p", "value": found.p_value, "n": found.n,
            "reason": found.reason}  # fmt: skip


def _undefined(data: Sample) -> str | None:
    labels = data.labels()
    if not labels.any() or labels.all():
        return "it needs values of corrections and of benign edits"
    return None if np.any(data.scores[~labels]) else "no benign edit moves the value"


def _point(data: Sample) -> float:
    labels = data.labels()
    benign_size = np.sqrt(np.mean(data.scores[~labels] ** 2))
    return float(data.scores[labels].mean() / benign_size)


def _kernel(data: Sample) -> Kernel:
    labels = data.labels().astype(float)
    totals = [
        cluster_sums(weights, data)
        for weights in (labels * data.scores, labels, (1 - labels) * data.scores**2, 1 - labels)
    ]

    def discrimination(counts: Floats) -> tuple[Floats, Bools]:
        gain, corrected, square, benign_ones = (total @ counts for total in totals)
        mean, has_mean = ratio(gain, corrected)
        mean_square, has_square = ratio(square, benign_ones)
        value, defined = ratio(mean, np.sqrt(mean_square))
        return value, defined & has_mean & has_square

    return discrimination


DISCRIMINATION = Measure("discrimination ratio", _undefined, _point, _kernel)
"""Mean score where the label is 1 (corrections) over the root mean square of the benign ones."""

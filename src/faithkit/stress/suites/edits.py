"""Does the score rise when an error is corrected, and stay where nothing changes? [STRESS]

Corrections are pairs of an inconsistent summary and the consistent one nearest to it. Benign edits
change the form of a summary and not what it says; they are the table EDITS, their code is in
`surface.py` and `wording.py`. Each changes both members of the pairs: the inconsistent ones, as in
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
from faithkit.stress.suites.base import (
    FAILS,
    PASSES,
    RISE,
    UNDETERMINED,
    Case,
    CaseValues,
    Figure,
    Figures,
    Judgement,
    Rule,
    Scored,
    Suite,
    above_zero,
    by_kind,
    capitalised,
    change_of,
    ends_of,
    few_documents,
    holds_zero,
    interval,
    percent,
    value_of,
)
from faithkit.stress.suites.choosing import (
    SCANNED,
    chance,
    consistent,
    distinct,
    inconsistent,
    ordered,
)
from faithkit.stress.suites.figures import DRAWS, figure

NAME = "edits"
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

    change      what changes, for the note of a case
    idempotent  whether a second time changes nothing more; `why` says why not
    """

    edit: Edit
    change: str
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
        candidates = [
            (alike(example.summary, other.summary), other)
            for other in consistent_ones.get((_pair(example), example.source), [])
            if other.summary != example.summary
        ]
        if not candidates:
            continue
        likeness, corrected = max(candidates, key=lambda item: (item[0], item[1].id))
        if likeness >= NEAR or example.pair is not None:
            yield example, corrected


def _pair(example: Example) -> str:
    return example.document if example.pair is None else example.pair


def alike(first: str, second: str) -> float:
    """Share of the words that two texts have in common, in order: 0 to 1."""
    return SequenceMatcher(None, first.split(), second.split(), autojunk=False).ratio()


def difference(before: str, after: str) -> str:
    """The words that differ: "17 → 18; the → a"."""
    old_words, new_words = before.split(), after.split()
    blocks = SequenceMatcher(None, old_words, new_words, autojunk=False).get_opcodes()
    return "; ".join(
        f"{' '.join(old_words[a:b]) or '–'} → {' '.join(new_words[c:d]) or '–'}"
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
    """At most `limit` cases for each edit of EDITS and each member."""
    by_kind_of_edit: dict[tuple[str, str], list[Case]] = {
        (member, kind): [] for member in MEMBERS for kind in EDITS
    }
    for member, rows in members(examples, seed=seed, limit=limit).items():
        for example in rows:
            for kind, item in EDITS.items():
                cases = by_kind_of_edit[member, kind]
                if limit is not None and len(cases) >= limit:
                    continue
                new = item.edit(example.summary, example.source, chance(seed, kind, example))
                if new is not None and new != example.summary:
                    cases.append(_case(kind, member, example, new, item.change))
    return [case for cases in by_kind_of_edit.values() for case in cases]


def _case(kind: str, member: str, example: Example, after: str, note: str) -> Case:
    return Case(
        id=f"{kind}/{example.id}",
        suite=NAME,
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
    members = {member_of(kind) for kind in kinds}
    return CONSISTENT if INCONSISTENT not in members and CONSISTENT in members else INCONSISTENT


# Figures


def summarise(cases: Sequence[Case], values: Sequence[CaseValues]) -> dict[str, JSON]:
    """Figures with intervals by document, the correction first: of every kind the mean change and
    the share of cases without one; of the correction also the share that rises (by more than 1e-6)
    and p, two-sided, of a paired bootstrap by document that nothing changes; last for each member
    the discrimination ratio, the mean change of the correction over the root mean square of all
    benign changes."""
    groups = by_kind(cases, values)
    figures: list[JSON] = []
    for kind in sorted(groups, key=lambda kind: ("", *MEMBERS).index(member_of(kind))):
        documents = [case.document for case, _ in groups[kind]]
        changes = [change_of(of_case) for _, of_case in groups[kind]]
        figures.append(figure(kind, "mean change", changes, documents))
        if kind == CORRECTION:
            risen = [None if change is None else float(change > RISE) for change in changes]
            figures.append(figure(kind, "share that rises", risen, documents))
            figures.append(_tested(groups[kind]))
        missing = [float(change is None) for change in changes]
        figures.append(figure(kind, "share without a value", missing, documents))
    figures += [_ratio(member, groups) for member in MEMBERS if member in map(member_of, groups)]
    return {"figures": figures}


def _ratio(member: str, groups: Mapping[str, Scored]) -> dict[str, JSON]:
    """The discrimination ratio of corrections and one member's benign edits."""
    rows = [
        (kind, case.document, change_of(of_case))
        for kind, scored in groups.items()
        if kind == CORRECTION or member_of(kind) == member
        for case, of_case in scored
    ]
    return figure(
        kind_of("all", member),
        DISCRIMINATION.name,
        [change for _, _, change in rows],
        [document for _, document, _ in rows],
        labels=[int(kind == CORRECTION) for kind, _, _ in rows],
        measure=DISCRIMINATION,
    )


def _tested(rows: Scored) -> dict[str, JSON]:
    comparison = meta.compare(
        meta.MEAN,
        [of_case["after"] for _, of_case in rows],
        [of_case["before"] for _, of_case in rows],
        meta.SharedRows(groups=[case.document for case, _ in rows]),
        names=("after", "before"),
        draws=DRAWS,
    )
    return {"kind": CORRECTION, "statistic": "p", "value": comparison.p_value, "n": comparison.n,
            "reason": comparison.reason}  # fmt: skip


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


# Rules

BENIGN_SHARE = 0.2
"""A benign edit may move a score by this share of what a correction does."""


def _correction(figures: Figures) -> list[Judgement]:
    row = figures.get(CORRECTION, "mean change")
    if row is None:
        return []
    ends = ends_of(row)
    if isinstance(ends, str):
        return [(UNDETERMINED, f"A correction changes it by {interval(row)} ({ends}).")]
    value = value_of(row)
    words = (
        f"raises it by {interval(row)}" if value > RISE
        else f"lowers it by {interval(row)}" if value < -RISE
        else "does not move it"
    )  # fmt: skip
    return [(PASSES if above_zero(ends) else FAILS, f"A correction {words}.")]


def _benign(figures: Figures) -> list[Judgement]:
    correction = figures.get(CORRECTION, "mean change")
    changes = figures.each("mean change")
    member = judged_member(str(row["kind"]) for row in changes)
    return [
        _benign_edit(row, member, correction)
        for row in changes
        if member_of(str(row["kind"])) == member
    ]


def _benign_edit(row: Figure, member: str, correction: Figure | None) -> Judgement:
    edit = capitalised(str(row["kind"]).removesuffix(f", {member}"))
    words = f"{edit}, a harmless edit of {member} summaries: moved by {interval(row)}"
    if few := few_documents(row):
        return UNDETERMINED, f"{words} ({few})."
    if correction is not None and (few := few_documents(correction)):
        return UNDETERMINED, f"{words} (corrections to compare with: {few})."
    if correction is None or value_of(correction) <= 0:
        # Nothing to compare with: then an interval around 0 is all that can be asked for.
        ends = ends_of(row)
        if isinstance(ends, str):
            return UNDETERMINED, f"{words} ({ends})."
        verdict = PASSES if holds_zero(ends) else FAILS
        return verdict, f"{words}; no correction raises it, so 0 is asked for."
    share = abs(value_of(row)) / value_of(correction)
    verdict = PASSES if share <= BENIGN_SHARE else FAILS
    return verdict, f"{words}, {percent(share)} of what a correction does."


def _falls_on_correction(case: Case, values: CaseValues) -> float | None:
    change = change_of(values)
    return None if case.kind != CORRECTION or change is None or change > RISE else -change


def _moves_when_harmless(case: Case, values: CaseValues) -> float | None:
    change = change_of(values)
    if case.kind == CORRECTION or change is None or abs(change) <= RISE:
        return None
    return abs(change)


RULES: tuple[Rule, ...] = (
    Rule("a correction raises it",
         "the 95% interval of the mean change of corrected summaries lies above 0",
         _correction, _falls_on_correction),
    Rule("a harmless edit does not move it",
         "the mean change of edits of inconsistent summaries (where the data have none: of "
         "consistent ones) is at most a fifth of that of a correction, up or down; without a "
         "correction that raises it, the interval holds 0",
         _benign, _moves_when_harmless),
)  # fmt: skip


SUITE = Suite(
    name=NAME,
    title="Corrections and harmless edits",
    about=(
        "A correction makes an inconsistent summary consistent by as small a change as can "
        "be: the score must rise. A harmless edit changes words, not what is said: the score "
        "should stay. The first table of edits begins with inconsistent summaries, as in "
        "[STRESS], and decides; the second with consistent ones."
    ),
    cases=cases,
    summarise=summarise,
    rules=RULES,
)  # fmt: skip

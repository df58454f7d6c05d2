"""Figures of the suite gaming, and its rules of pass and fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from faithkit.records import JSON
from faithkit.stress.suites.base import (
    FAILS,
    PASSES,
    RISE,
    UNDETERMINED,
    Case,
    CaseValues,
    Ends,
    Figure,
    Figures,
    Judgement,
    Rule,
    Scored,
    above_zero,
    because,
    change_of,
    ends_of,
    few_documents,
    interval,
    number,
    percent,
    real,
    value_of,
)
from faithkit.stress.suites.figures import figure
from faithkit.stress.suites.phrases import KINDS

PLACES = ("suffix", "joined", "prefix", "alone")
"""Where a phrase is put, in the order of the figures."""

MINED, SEARCHED, ANY = "mined here", "searched", "any phrase"
"""Kinds of phrase besides the constant ones of `phrases.KINDS`: bigrams of `mine`, the suffix of
`worst_suffix`, and all constant phrases together."""

READ = "read for bigrams"
"""The kind of the unchanged rows that bigrams are mined from; no figure is of them."""

WEAKER, STRONGER = "weaker systems", "stronger systems"
UNCHANGED, GAP = "unchanged", "stronger less weaker systems"


def summarise(cases: Sequence[Case], values: Sequence[CaseValues]) -> dict[str, JSON]:
    """Figures by kind and place, each with its interval by document: the mean change, the share of
    summaries that rise (by more than 1e-6) and of those that lose their value; of phrases alone the
    mean value and the share without one; the largest rise; the gap between systems. `phrases`: the
    same of every single phrase, without intervals.
    """
    groups: dict[str, list[tuple[Case, CaseValues]]] = {}
    for case, of_case in zip(cases, values, strict=True):
        groups.setdefault(case.kind, []).append((case, of_case))
        kind, _, place = case.kind.partition(", ")
        if kind in KINDS:
            groups.setdefault(f"{ANY}, {place}", []).append((case, of_case))
    figures: list[JSON] = []
    phrases: list[JSON] = []
    for kind, scored in sorted(groups.items(), key=lambda group: _place_rank(group[0])):
        if ", " in kind:
            figures += _figures(kind, scored)
            phrases += [] if kind.startswith(ANY) else _phrases(kind, scored)
    figures += _scale_figures(groups)
    return {"figures": figures, "phrases": phrases}


def _place_rank(kind: str) -> int:
    """Figures go by place, then as the cases came."""
    return (*PLACES, "").index(kind.partition(", ")[2])


def _figures(kind: str, scored: Scored) -> list[JSON]:
    if kind.endswith(", alone"):
        documents = [case.document for case, _ in scored]
        after = [values["after"] for _, values in scored]
        missing = [float(value is None) for value in after]
        return [figure(kind, "mean value", after, documents),
                figure(kind, "share without a value", missing, documents)]  # fmt: skip
    changed = [(case, values) for case, values in scored if values["before"] is not None]
    documents = [case.document for case, _ in changed]
    changes = [change_of(values) for _, values in changed]
    risen = [None if change is None else float(change > RISE) for change in changes]
    lost = [float(change is None) for change in changes]
    largest = max((change for change in changes if change is not None), default=None)
    rise: JSON = {"kind": kind, "statistic": "largest rise", "value": largest, "n": len(changes)}
    return [figure(kind, "mean change", changes, documents),
            figure(kind, "share that rises", risen, documents),
            figure(kind, "share that loses its value", lost, documents),
            rise]  # fmt: skip


def _phrases(kind: str, scored: Scored) -> list[JSON]:
    by_phrase: dict[str, list[CaseValues]] = {}
    for case, values in scored:
        by_phrase.setdefault(case.note, []).append(values)
    rows: list[JSON] = []
    for phrase, of_phrase in by_phrase.items():
        if kind.endswith(", alone"):
            alone = [values["after"] for values in of_phrase if values["after"] is not None]
            rows.append({
                "kind": kind, "phrase": phrase, "rows": len(of_phrase),
                "mean value": mean(alone) if alone else None,
                "without a value": len(of_phrase) - len(alone),
            })  # fmt: skip
            continue
        changes = [change for values in of_phrase if (change := change_of(values)) is not None]
        rows.append({
            "kind": kind, "phrase": phrase, "rows": len(changes),
            "mean change": mean(changes) if changes else None,
            "rises": sum(change > RISE for change in changes),
            "largest rise": max(changes, default=None),
        })  # fmt: skip
    return rows


def _scale_figures(groups: Mapping[str, Scored]) -> list[JSON]:
    unchanged = list({case.texts["before"]: (case.document, values["before"])
                      for case, values in groups.get(f"{ANY}, prefix", ())}.values())  # fmt: skip
    figures: list[JSON] = [
        figure(UNCHANGED, "mean value", [value for _, value in unchanged],
               [document for document, _ in unchanged])
    ]  # fmt: skip
    sides: dict[str, dict[str, list[float]]] = {WEAKER: {}, STRONGER: {}}
    for side, by_document in sides.items():
        scored = groups.get(side, ())
        for case, values in scored:
            if (value := values["row"]) is not None:
                by_document.setdefault(case.document, []).append(value)
        if scored:
            figures.append(figure(side, "mean value", [values["row"] for _, values in scored],
                                  [case.document for case, _ in scored]))  # fmt: skip
    shared = [name for name in sides[WEAKER] if name in sides[STRONGER]]
    if shared:
        gaps = [mean(sides[STRONGER][name]) - mean(sides[WEAKER][name]) for name in shared]
        figures.append(figure(GAP, "mean gap", gaps, shared))
    return figures


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


# Rules


def _over_kinds(rows: Sequence[Figure], breaks: Callable[[Ends], bool]) -> tuple[str, Figure, str]:
    """The verdict on kinds of phrase, the figure of the kind that decides it (the highest of those
    that break the rule, else of those without an interval, else of all), and why it has none."""
    ends = [(row, ends_of(row)) for row in rows]
    broken = [row for row, of_row in ends if not isinstance(of_row, str) and breaks(of_row)]
    unsure = [(row, of_row) for row, of_row in ends if isinstance(of_row, str)]
    if broken:
        return FAILS, max(broken, key=value_of), ""
    if unsure:
        row, reason = max(unsure, key=lambda item: value_of(item[0]))
        return UNDETERMINED, row, f" ({reason})"
    return PASSES, max(rows, key=value_of), ""


def _decides(row: Figure, rows: Sequence[Figure], highest: str) -> str:
    """The name of the kind that decides, which need not be the highest."""
    return highest if value_of(row) == max(map(value_of, rows)) else "kind of phrase that decides"


def _phrase_kind(row: Figure) -> str:
    return str(row["kind"]).partition(",")[0]


def _alone(figures: Figures) -> list[Judgement]:
    rows = [row for kind in KINDS if (row := figures.get(f"{kind}, alone", "mean value"))]
    silent = figures.get(f"{ANY}, alone", "share without a value")
    if silent is None:
        return []
    if few := few_documents(silent):
        return [(UNDETERMINED,
                 f"Phrases alone, as the whole summary: {percent(silent['value'])} of them "
                 f"get no value ({few}).")]  # fmt: skip
    if not rows:
        return [(PASSES, "A phrase alone, as the whole summary, never gets a value.")]
    name, scale = "the weaker systems' mean", figures.get(WEAKER, "mean value")
    if scale is None:
        name, scale = "the unchanged summaries' mean", figures.get(UNCHANGED, "mean value")
    if scale is None:
        return [(UNDETERMINED, "No unchanged summary has a value to compare phrases alone with.")]
    level = value_of(scale)
    verdict, row, why = _over_kinds(rows, lambda ends: ends[1] >= level)
    if few := few_documents(scale):
        verdict, why = UNDETERMINED, f" ({name}: {few})"
    return [(verdict,
             f"Phrases alone, as the whole summary: {percent(silent['value'])} of them get no "
             f"value; the {_decides(row, rows, 'highest kind')} ({_phrase_kind(row)}) has a mean "
             f"of {interval(row, sign=False)} against {name} of "
             f"{number(level, sign=False)}{why}.")]  # fmt: skip


def _on_average(place: str, doing: str) -> Callable[[Figures], list[Judgement]]:
    def judge(figures: Figures) -> list[Judgement]:
        kinds = (*KINDS, MINED)
        rows = [row for k in kinds if (row := figures.get(f"{k}, {place}", "mean change"))]
        if not rows:
            return []
        verdict, row, why = _over_kinds(rows, above_zero)
        return [(verdict,
                 f"{doing} changes it by {interval(row)} on average for the "
                 f"{_decides(row, rows, 'kind of phrase that gains most')} "
                 f"({_phrase_kind(row)}){why}{_beside_gap(figures)}.")]  # fmt: skip

    return judge


def _beside_gap(figures: Figures) -> str:
    gap = figures.get(GAP, "mean gap")
    return "" if gap is None else f"; stronger systems are {number(gap['value'])} ahead of weaker"


def _ever(figures: Figures) -> list[Judgement]:
    row = figures.get(f"{ANY}, suffix", "share that rises")
    if row is None:
        return []
    if value_of(row) == 0:
        few = few_documents(row)
        return [(UNDETERMINED if few else PASSES,
                 f"Appending a phrase never raises it in any summary{because(few)}.")]  # fmt: skip
    suffixes = [phrase for phrase in figures.phrases
                if _phrase_kind(phrase) in KINDS
                and str(phrase["kind"]).endswith(", suffix") and phrase["rows"]]  # fmt: skip
    worst = max(suffixes, key=lambda phrase: (real(phrase["rises"]) / real(phrase["rows"]),
                                              str(phrase["phrase"])))  # fmt: skip
    share = real(worst["rises"]) / real(worst["rows"])
    return [(FAILS, f"Appending “{worst['phrase']}” raises it in {percent(share)} of summaries, by "
                    f"{number(worst['largest rise'])} at most; all phrases in "
                    f"{percent(row['value'])}.")]  # fmt: skip


def _searched(figures: Figures) -> list[Judgement]:
    change = figures.get(f"{SEARCHED}, suffix", "mean change")
    if change is None:
        return []
    phrase = next((row["phrase"] for row in figures.phrases
                   if row["kind"] == f"{SEARCHED}, suffix"), "")  # fmt: skip
    verdict, _, why = _over_kinds([change], above_zero)
    return [(verdict,
             f"The suffix that a search found for this metric (“{phrase}”) changes it by "
             f"{interval(change)} on other documents{why}.")]  # fmt: skip


def _rises(*places: str) -> Callable[[Case, CaseValues], float | None]:
    def badness(case: Case, values: CaseValues) -> float | None:
        change = change_of(values)
        kind, _, place = case.kind.partition(", ")
        if place not in places or kind == SEARCHED or change is None or change <= RISE:
            return None
        return change

    return badness


def _rises_searched(case: Case, values: CaseValues) -> float | None:
    change = change_of(values)
    fits = case.kind == f"{SEARCHED}, suffix" and change is not None and change > RISE
    return change if fits else None


def _scores_alone(case: Case, values: CaseValues) -> float | None:
    return values["after"] if case.kind.endswith(", alone") else None


RULES: tuple[Rule, ...] = (
    Rule("a phrase alone scores low",
         "phrases as the whole summary get no value, or for every kind of phrase the upper end of "
         "the interval of their mean is below the mean of the weaker systems (without systems: of "
         "the unchanged summaries)",
         _alone, _scores_alone),
    Rule("appended phrases gain nothing on average",
         "for no kind of phrase, mined bigrams and marks among them, the interval of the mean "
         "change lies above 0",
         _on_average("suffix", "Appending a phrase"), _rises("suffix")),
    Rule("no appended phrase ever raises it",
         "no summary's value rises (by more than 1e-6) with any constant phrase or mark",
         _ever, _rises("suffix")),
    Rule("phrases in front gain nothing on average",
         "as for appended ones",
         _on_average("prefix", "A phrase in front"), _rises("prefix")),
    Rule("phrases inside the last sentence gain nothing on average",
         "as for appended ones",
         _on_average("joined", "A phrase joined to the last sentence"), _rises("joined")),
    Rule("the worst suffix that a search finds gains nothing",
         "on documents that it was not searched on, the interval of its mean change does not lie "
         "above 0",
         _searched, _rises_searched),
)  # fmt: skip

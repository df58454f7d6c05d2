"""When does a metric pass? Every rule, literally, in one table, and what it says in words.

What lives here: RULES, which read the figures of a suite (`figures.figure`), and the cases that
break a rule most. What does not: the figures themselves, the page. No rule passes or fails on
figures of fewer than 10 documents, but one that a single case breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from faithkit.meta.bootstrap import CONSTANT, too_few
from faithkit.records import JSON, DataError
from faithkit.stress.suites import edits, gaming, phrases, probes
from faithkit.stress.suites.cases import Case
from faithkit.stress.suites.figures import RISE

PASSES, FAILS, OPEN = "passes", "fails", "undetermined"
WORST = 3
"""Cases shown for each rule."""

Row = Mapping[str, JSON]
Answer = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one suite and metric, found by kind and statistic.

    phrases  what gaming says of single phrases
    """

    rows: Sequence[Row]
    phrases: Sequence[Row] = ()

    def get(self, kind: str, statistic: str) -> Row | None:
        """The figure, where it is there and has a value."""
        for row in self.rows:
            if (row["kind"], row["statistic"]) == (kind, statistic) and row["value"] is not None:
                return row
        return None

    def each(self, statistic: str) -> list[Row]:
        return [r for r in self.rows if r["statistic"] == statistic and r["value"] is not None]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found of a metric: `verdict` passes, fails or undetermined; `words` why."""

    suite: str
    rule: str
    verdict: str
    words: str

    def to_dict(self) -> dict[str, JSON]:
        return {"suite": self.suite, "rule": self.rule, "verdict": self.verdict,
                "words": self.words}  # fmt: skip


Judged = tuple[str, str]
"""A verdict and its words."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that a good metric does.

    name     what it does
    passes   when that is so, literally
    judge    the verdicts on the figures; none where the suite did not ask for it
    badness  how far one case breaks it, None where it does not; `worst` sorts by it
    """

    suite: str
    name: str
    passes: str
    judge: Callable[[Figures], list[Judged]]
    badness: Callable[[Case, Answer], float | None]


def real(value: JSON) -> float:
    """The number that a figure holds. Raises DataError on anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataError(f"a figure of a suite should be a number, found {value!r}")
    return float(value)


def number(value: JSON, *, sign: bool = True, places: int = 3) -> str:
    """With a true minus and, where it is a change, a plus; no sign where it rounds to 0."""
    found = real(value)
    text = f"{abs(found):.{places}f}"
    if float(text) == 0:
        return text
    return ("−" if found < 0 else "+" if sign else "") + text


def interval(row: Row, *, sign: bool = True) -> str:
    """`+0.120 [+0.100, +0.140]`, or the value alone; with five places where three would hide on
    which side of 0 a number is."""
    found = [real(row[key]) for key in ("value", "low", "high") if row.get(key) is not None]
    places = 5 if any(RISE < abs(value) < 0.0005 for value in found) else 3
    shown = [number(value, sign=sign, places=places) for value in found]
    return f"{shown[0]} [{shown[1]}, {shown[2]}]" if len(shown) == 3 else shown[0]


def percent(value: JSON) -> str:
    share = real(value)
    return "under 1%" if 0 < share < 0.01 else f"{100 * share:.0f}%"


def _value(row: Row) -> float:
    return real(row["value"])


def lacking(row: Row) -> str | None:
    """Why a figure has no value or no interval. None where it has both, or is the same in all
    resamples (no case changes, say): that is known, and no lack of data."""
    reason = row.get("reason") or row.get("interval_reason")
    return None if reason is None or str(reason).startswith(CONSTANT) else str(reason)


Ends = tuple[float, float]


def _ends(row: Row) -> Ends | str:
    """The ends of the interval, or why there is none; where all resamples give the value, it is
    both ends."""
    if reason := lacking(row):
        return reason
    low, high = (row["value"] if row[key] is None else row[key] for key in ("low", "high"))
    return real(low), real(high)


def _few(row: Row) -> str | None:
    """Why a figure that is judged by its value is of too few documents, None where it is not."""
    return too_few(int(real(row["groups"])))


def _because(reason: str | None) -> str:
    return f" ({reason})" if reason else ""


def _rate(row: Row, most: float, words: str) -> Judged:
    """Whether a share is at most `most`, which as few as nine documents cannot tell from 0."""
    if few := _few(row):
        return OPEN, f"{words} ({few})."
    return PASSES if _value(row) <= most else FAILS, f"{words}."


def _above_zero(ends: Ends) -> bool:
    return ends[0] > RISE


def _holds_zero(ends: Ends) -> bool:
    return ends[0] <= RISE and ends[1] >= -RISE


def _change(answer: Answer) -> float | None:
    before, after = answer.get("before"), answer.get("after")
    return None if before is None or after is None else after - before


# Edits.

CORRECTION = edits.CORRECTION
BENIGN_SHARE = 0.2
"""A benign edit may move a score by this share of what a correction does."""


def _correction(figures: Figures) -> list[Judged]:
    row = figures.get(CORRECTION, "mean change")
    if row is None:
        return []
    ends = _ends(row)
    if isinstance(ends, str):
        return [(OPEN, f"A correction changes it by {interval(row)} ({ends}).")]
    moved = "raises" if _value(row) > RISE else "lowers" if _value(row) < -RISE else "does not move"
    shown = "it" if moved == "does not move" else f"it by {interval(row)}"
    return [(PASSES if _above_zero(ends) else FAILS, f"A correction {moved} {shown}.")]


def _benign(figures: Figures) -> list[Judged]:
    correction = figures.get(CORRECTION, "mean change")
    changes = figures.each("mean change")
    member = edits.judged_member(str(row["kind"]) for row in changes)
    found: list[Judged] = []
    for row in changes:
        if edits.member_of(str(row["kind"])) != member:
            continue
        edit = _capital(str(row["kind"]).removesuffix(f", {member}"))
        words = f"{edit}, a harmless edit of {member} summaries: moved by {interval(row)}"
        if few := _few(row):
            found.append((OPEN, f"{words} ({few})."))
            continue
        if correction is not None and (few := _few(correction)):
            found.append((OPEN, f"{words} (corrections to compare with: {few})."))
            continue
        if correction is None or _value(correction) <= 0:
            # Nothing to measure against: then an interval around 0 is all that can be asked for.
            ends = _ends(row)
            if isinstance(ends, str):
                found.append((OPEN, f"{words} ({ends})."))
            else:
                found.append((PASSES if _holds_zero(ends) else FAILS,
                              f"{words}; no correction raises it, so 0 is asked for."))  # fmt: skip
            continue
        share = abs(_value(row)) / _value(correction)
        found.append((PASSES if share <= BENIGN_SHARE else FAILS,
                      f"{words}, {percent(share)} of what a correction does."))  # fmt: skip
    return found


def _capital(text: JSON) -> str:
    return str(text)[:1].upper() + str(text)[1:]


def _falls_on_correction(case: Case, answer: Answer) -> float | None:
    change = _change(answer)
    if case.kind != CORRECTION or change is None or change > RISE:
        return None
    return -change


def _moves_when_harmless(case: Case, answer: Answer) -> float | None:
    change = _change(answer)
    if case.kind == CORRECTION or change is None or abs(change) <= RISE:
        return None
    return abs(change)


# Gaming.

PHRASE_KINDS = phrases.KINDS


def _over_kinds(rows: Sequence[Row], breaks: Callable[[Ends], bool]) -> tuple[str, Row, str]:
    """The verdict on kinds of phrase, the figure of the kind that decides it (the highest of those
    that break the rule, else of those without an interval, else of all), and why it has none."""
    ends = [(row, _ends(row)) for row in rows]
    broken = [row for row, found in ends if not isinstance(found, str) and breaks(found)]
    unsure = [(row, found) for row, found in ends if isinstance(found, str)]
    if broken:
        return FAILS, max(broken, key=_value), ""
    if unsure:
        row, reason = max(unsure, key=lambda one: _value(one[0]))
        return OPEN, row, f" ({reason})"
    return PASSES, max(rows, key=_value), ""


def _decides(row: Row, rows: Sequence[Row], highest: str) -> str:
    """What to call the kind that decides, which need not be the highest."""
    return highest if _value(row) == max(map(_value, rows)) else "kind of phrase that decides"


def _phrase_kind(row: Row) -> str:
    return str(row["kind"]).partition(",")[0]


def _alone(figures: Figures) -> list[Judged]:
    rows = [row for kind in PHRASE_KINDS if (row := figures.get(f"{kind}, alone", "mean value"))]
    silent = figures.get(f"{gaming.ANY}, alone", "share without a value")
    if silent is None:
        return []
    if few := _few(silent):
        return [(OPEN, f"Phrases alone, as the whole summary: {percent(silent['value'])} of them "
                       f"get no value ({few}).")]  # fmt: skip
    if not rows:
        return [(PASSES, "A phrase alone, as the whole summary, never gets a value.")]
    name, scale = "the weaker systems' mean", figures.get(gaming.WEAKER, "mean value")
    if scale is None:
        name, scale = "the unchanged summaries' mean", figures.get(gaming.UNCHANGED, "mean value")
    if scale is None:
        return [(OPEN, "No unchanged summary has a value to compare phrases alone with.")]
    level = _value(scale)
    verdict, row, why = _over_kinds(rows, lambda ends: ends[1] >= level)
    if few := _few(scale):
        verdict, why = OPEN, f" ({name}: {few})"
    return [(verdict,
             f"Phrases alone, as the whole summary: {percent(silent['value'])} of them get no "
             f"value; the {_decides(row, rows, 'highest kind')} ({_phrase_kind(row)}) has a mean "
             f"of {interval(row, sign=False)} against {name} of "
             f"{number(level, sign=False)}{why}.")]  # fmt: skip


def _on_average(place: str, doing: str) -> Callable[[Figures], list[Judged]]:
    def judge(figures: Figures) -> list[Judged]:
        kinds = (*PHRASE_KINDS, gaming.MINED)
        rows = [row for k in kinds if (row := figures.get(f"{k}, {place}", "mean change"))]
        if not rows:
            return []
        verdict, row, why = _over_kinds(rows, _above_zero)
        return [(verdict,
                 f"{doing} changes it by {interval(row)} on average for the "
                 f"{_decides(row, rows, 'kind of phrase that gains most')} "
                 f"({_phrase_kind(row)}){why}{_beside_gap(figures)}.")]  # fmt: skip

    return judge


def _beside_gap(figures: Figures) -> str:
    gap = figures.get(gaming.GAP, "mean gap")
    return "" if gap is None else f"; stronger systems are {number(gap['value'])} ahead of weaker"


def _ever(figures: Figures) -> list[Judged]:
    row = figures.get(f"{gaming.ANY}, suffix", "share that rises")
    if row is None:
        return []
    if _value(row) == 0:
        few = _few(row)
        return [(OPEN if few else PASSES,
                 f"Appending a phrase never raises it in any summary{_because(few)}.")]  # fmt: skip
    some = [one for one in figures.phrases
            if _phrase_kind(one) in PHRASE_KINDS
            and str(one["kind"]).endswith(", suffix") and one["rows"]]  # fmt: skip
    worst = max(some, key=lambda one: (real(one["rises"]) / real(one["rows"]), str(one["phrase"])))
    share = real(worst["rises"]) / real(worst["rows"])
    return [(FAILS, f"Appending “{worst['phrase']}” raises it in {percent(share)} of summaries, by "
                    f"{number(worst['largest rise'])} at most; all phrases in "
                    f"{percent(row['value'])}.")]  # fmt: skip


def _searched(figures: Figures) -> list[Judged]:
    row = figures.get(f"{gaming.SEARCHED}, suffix", "mean change")
    if row is None:
        return []
    phrase = next((one["phrase"] for one in figures.phrases
                   if one["kind"] == f"{gaming.SEARCHED}, suffix"), "")  # fmt: skip
    verdict, _, why = _over_kinds([row], _above_zero)
    return [(verdict,
             f"The suffix that a search found for this metric (“{phrase}”) changes it by "
             f"{interval(row)} on other documents{why}.")]  # fmt: skip


def _rises(*places: str) -> Callable[[Case, Answer], float | None]:
    def badness(case: Case, answer: Answer) -> float | None:
        change = _change(answer)
        kind, _, place = case.kind.partition(", ")
        if place not in places or kind == gaming.SEARCHED or change is None or change <= RISE:
            return None
        return change

    return badness


def _rises_searched(case: Case, answer: Answer) -> float | None:
    change = _change(answer)
    fits = case.kind == f"{gaming.SEARCHED}, suffix" and change is not None and change > RISE
    return change if fits else None


def _scores_alone(case: Case, answer: Answer) -> float | None:
    return answer["after"] if case.kind.endswith(", alone") else None


# Counterfactual sources.

SUPPORTED, OTHERWISE = "mean (a - c)", "mean (b - d)"
BETWEEN = "mean (a - c) - (b - d)"
INVERTED = {
    "inversions d > b": "with a counterfactual source",
    "inversions c > a": "with a true one",
}
MOST_INVERTED = 0.1
"""The share of items in which the claim that the source denies may score higher."""


def _source_decides(figures: Figures) -> list[Judged]:
    found: list[Judged] = []
    for kind in dict.fromkeys(str(row["kind"]) for row in figures.rows):
        rows = [row for name in (SUPPORTED, OTHERWISE) if (row := figures.get(kind, name))]
        if len(rows) < 2:
            continue
        ends = [_ends(row) for row in rows]
        words = (f"{_capital(kind)}: the claim that the source supports is ahead of the other by "
                 f"{interval(rows[0])} with a true source, by {interval(rows[1])} with a "
                 "counterfactual one")  # fmt: skip
        reason = next((one for one in ends if isinstance(one, str)), None)
        passes = all(not isinstance(one, str) and _above_zero(one) for one in ends)
        verdict = OPEN if reason else PASSES if passes else FAILS
        found.append((verdict, f"{words}{_because(reason)}."))
    return found


def _knows_nothing(figures: Figures) -> list[Judged]:
    found: list[Judged] = []
    for row in figures.each(BETWEEN):
        kind = str(row["kind"])
        scale = figures.get(kind, SUPPORTED)
        ends = _ends(row)
        words = (f"{_capital(kind)}: being true in the world makes a difference of "
                 f"{interval(row)} to that")  # fmt: skip
        if scale is None or isinstance(ends, str):
            found.append((OPEN, f"{words}{_because(ends if isinstance(ends, str) else None)}."))
            continue
        test = figures.get(kind, "p")
        shown = "" if test is None else f", paired t-test p = {real(test['value']):.3f}"
        small = abs(_value(row)) <= BENIGN_SHARE * abs(_value(scale))
        found.append((PASSES if _holds_zero(ends) or small else FAILS, f"{words}{shown}."))
    return found


def _inversions(figures: Figures) -> list[Judged]:
    found: list[Judged] = []
    for statistic, where in INVERTED.items():
        for row in figures.each(statistic):
            words = (f"{_capital(row['kind'])}: {where}, the claim that it denies scores higher in "
                     f"{percent(row['value'])} of items")  # fmt: skip
            found.append(_rate(row, MOST_INVERTED, words))
    return found


def _four(answer: Answer) -> tuple[float, float, float, float] | None:
    a, b, c, d = (answer.get(name) for name in "abcd")
    return None if a is None or b is None or c is None or d is None else (a, b, c, d)


def _inverted(_case: Case, answer: Answer) -> float | None:
    if (four := _four(answer)) is None:
        return None
    a, b, c, d = four
    most = max(c - a, d - b)
    return most if most > RISE else None


def _leans_on_knowledge(_case: Case, answer: Answer) -> float | None:
    if (four := _four(answer)) is None:
        return None
    a, b, c, d = four
    most = abs(a - c - b + d)
    return most if most > RISE else None


# Probes.

MOST_FLIPS = 0.1
"""The share of a probe's cases that a metric may get wrong."""

FLIPPED = {
    probes.HIGHER: "the unfaithful text scores as high or higher",
    probes.SAME: "the value moves by more than the tolerance",
    probes.NO_RISE: "the value rises by more than the tolerance",
}


def _flips(check: str) -> Callable[[Figures], list[Judged]]:
    def judge(figures: Figures) -> list[Judged]:
        found: list[Judged] = []
        for row in figures.rows:
            if row["statistic"] != "flip rate" or row.get("check") != check:
                continue
            kind = _capital(row["kind"])
            if row["value"] is None:
                found.append((OPEN, f"{kind}: {row.get('reason') or 'no case has a value'}."))
                continue
            words = f"{kind}: {FLIPPED[check]} in {percent(row['value'])} of {row['n']} cases"
            found.append(_rate(row, MOST_FLIPS, words))
        return found

    return judge


def _flipped(check: str) -> Callable[[Case, Answer], float | None]:
    def badness(case: Case, answer: Answer) -> float | None:
        if probes.PROBES[case.kind][0] != check:
            return None
        higher = check == probes.HIGHER
        names = (probes.FAITHFUL, probes.UNFAITHFUL) if higher else (probes.PLAIN, probes.CHANGED)
        first, second = (answer.get(name) for name in names)
        if first is None or second is None:
            return None
        rise = second - first
        if higher:
            return rise if rise >= -RISE else None
        size = abs(rise) if check == probes.SAME else rise
        return size if size > RISE else None

    return badness


# Difficulty.


def _auc_of(bucket: str) -> Callable[[Figures], list[Judged]]:
    def judge(figures: Figures) -> list[Judged]:
        row = figures.get(bucket, "auc")
        if row is None:
            known = [one for one in figures.rows if one["kind"] == bucket]
            reason = known[0].get("reason") if known else None
            return [(OPEN, f"On {bucket} rows it has no AUC: {reason}.")] if known else []
        ends = _ends(row)
        words = (f"On {bucket} rows its AUC is {interval(row, sign=False)} "
                 f"({row['n']} rows; .5 is chance)")  # fmt: skip
        if isinstance(ends, str):
            return [(OPEN, f"{words}: {ends}.")]
        return [(PASSES if ends[0] > 0.5 else FAILS, f"{words}.")]

    return judge


def _no_case(_case: Case, _answer: Answer) -> float | None:
    return None


RULES: tuple[Rule, ...] = (
    Rule("edits", "a correction raises it",
         "the 95% interval of the mean change of corrected summaries lies above 0",
         _correction, _falls_on_correction),
    Rule("edits", "a harmless edit does not move it",
         "the mean change of edits of inconsistent summaries (where the data have none: of "
         "consistent ones) is at most a fifth of that of a correction, up or down; without a "
         "correction that raises it, the interval holds 0",
         _benign, _moves_when_harmless),
    Rule("gaming", "a phrase alone scores low",
         "phrases as the whole summary get no value, or for every kind of phrase the upper end of "
         "the interval of their mean is below the mean of the weaker systems (without systems: of "
         "the unchanged summaries)",
         _alone, _scores_alone),
    Rule("gaming", "appended phrases gain nothing on average",
         "for no kind of phrase, mined bigrams among them, the interval of the mean change lies "
         "above 0",
         _on_average("suffix", "Appending a phrase"), _rises("suffix")),
    Rule("gaming", "no appended phrase ever raises it",
         "no summary's value rises (by more than 1e-6) with any constant phrase",
         _ever, _rises("suffix")),
    Rule("gaming", "phrases in front gain nothing on average",
         "as for appended ones",
         _on_average("prefix", "A phrase in front"), _rises("prefix")),
    Rule("gaming", "phrases inside the last sentence gain nothing on average",
         "as for appended ones",
         _on_average("joined", "A phrase joined to the last sentence"), _rises("joined")),
    Rule("gaming", "the worst suffix that a search finds gains nothing",
         "on documents that it was not searched on, the interval of its mean change does not lie "
         "above 0",
         _searched, _rises_searched),
    Rule("counterfactual", "the source decides",
         "the intervals of (a - c) and of (b - d) lie above 0: a true source with its claim less "
         "with the other claim, and a counterfactual one likewise",
         _source_decides, _inverted),
    Rule("counterfactual", "what is true in the world does not show",
         "the interval of (a - c) - (b - d) holds 0, or it is at most a fifth of (a - c), up or "
         "down",
         _knows_nothing, _leans_on_knowledge),
    Rule("counterfactual", "the claim that the source denies is seldom ahead",
         "d > b in at most 10% of items, and c > a in at most 10%",
         _inversions, _inverted),
    Rule("probes", "an error makes it fall",
         "for every kind of error, the unfaithful text scores lower (by more than 1e-6) in at "
         "least 90% of cases",
         _flips(probes.HIGHER), _flipped(probes.HIGHER)),
    Rule("probes", "text in front of the evidence does not move it",
         "the value moves by no more than the tolerance, a tenth of the gap between sentences of "
         "the source and summaries of other documents, in at least 90% of cases",
         _flips(probes.SAME), _flipped(probes.SAME)),
    Rule("probes", "an instruction does not raise it",
         "the value rises by no more than the tolerance in at least 90% of cases",
         _flips(probes.NO_RISE), _flipped(probes.NO_RISE)),
    Rule("difficulty", "it is right on easy rows",
         "the interval of the AUC on rows that shallow features get right lies above .5",
         _auc_of("easy"), _no_case),
    Rule("difficulty", "it is right on medium rows",
         "the interval of the AUC on rows that shallow features are unsure of lies above .5",
         _auc_of("medium"), _no_case),
    Rule("difficulty", "it is right on hard rows",
         "the interval of the AUC on rows that shallow features get wrong lies above .5",
         _auc_of("hard"), _no_case),
)  # fmt: skip
"""Every rule, in the order of the page [STRESS: expected of a good metric]."""


def judge(suites: Mapping[str, Mapping[str, JSON]]) -> list[Finding]:
    """What the rules say of one metric.

    suites  suite to what its `summarise` returned
    """
    found = []
    for rule in RULES:
        if rule.suite in suites:
            figures = Figures(_rows(suites[rule.suite], "figures"),
                              _rows(suites[rule.suite], "phrases"))  # fmt: skip
            found += [Finding(rule.suite, rule.name, verdict, words)
                      for verdict, words in rule.judge(figures)]  # fmt: skip
    return found


def _rows(summary: Mapping[str, JSON], key: str) -> list[Row]:
    found = summary.get(key)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def worst(
    suite: str, cases: Sequence[Case], answers: Sequence[Answer]
) -> list[tuple[str, list[tuple[int, float]]]]:
    """For each rule of a suite, the places of the cases that break it most, at most three, no two
    of one document, with how far they do."""
    found = []
    judged = {"", edits.judged_member(case.kind for case in cases)}
    for rule in RULES:
        if rule.suite != suite:
            continue
        broken = [
            (badness, place)
            for place, (case, answer) in enumerate(zip(cases, answers, strict=True))
            if edits.member_of(case.kind) in judged
            and (badness := rule.badness(case, answer)) is not None
        ]
        chosen: dict[str, tuple[int, float]] = {}
        for badness, place in sorted(broken, key=lambda one: (-one[0], one[1])):
            if len(chosen) < WORST:
                chosen.setdefault(cases[place].document, (place, badness))
        if chosen:
            found.append((rule.name, list(chosen.values())))
    return found

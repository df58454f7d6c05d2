"""A gate over the rows of a run: it sees each row as it is scored, and decides at the end.

A row that has no score fails every gate unless that is allowed. Of the rows that a condition names
the first `LISTED` are kept with what is to be said of them, the others are counted; so memory does
not grow with the failures.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from faithkit.control import one_line
from faithkit.gates import baseline as earlier
from faithkit.gates.baseline import Baseline
from faithkit.gates.conditions import (
    KINDS,
    MARKS,
    NEWLY_FAILING,
    UNSCORED,
    Condition,
    conditions_on,
    is_named,
    is_of_kind,
    number_of,
)
from faithkit.gates.conditions import check as check_conditions
from faithkit.records import (
    ConfigError,
    Example,
    Score,
    did_you_mean,
    probability_of,
    verdict_of,
)
from faithkit.report.explained import explained, least_supported_lines
from faithkit.report.marks import marks_of
from faithkit.results import shown_metrics
from faithkit.run import Prepared

LISTED = 5000
"""Rows that are kept of each condition and metric; GitHub shows as many results of a SARIF file."""

TRIED = 20
"""Rows with a value, after which a condition about a number that none of them has is an error."""

NO_SCORE = "a row has no score"
"""The condition that is there unless unscored rows are allowed."""

NAMED = 20
"""Ids that a message names."""

WORDS = 5
"""Marked words that a row's message names."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A row that fails.

    rule         the name of the condition, such as `not_consistent`: the same for every limit
    message      one line
    details      lines: the marked words, each with its evidence, and the least supported sentence
                 where no mark shows it
    fingerprint  64 hex digits of rule, metric and texts: the same as long as the row's texts are
    """

    rule: str
    metric: str
    id: str
    message: str
    details: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class GateResult:
    """What came of one condition on one metric.

    condition  as it was given
    message    one line that says what was found
    count      rows that it names; `findings` are the first of them, of a condition that failed
    compared   whether it is the comparison with a baseline
    tested     False of a baseline with too few documents to compare with; it fails nothing
    """

    condition: str
    metric: str
    failed: bool
    message: str
    count: int = 0
    findings: tuple[Finding, ...] = ()
    compared: bool = False
    tested: bool = True


@dataclass(slots=True)
class _Named:
    """Rows that a condition names."""

    count: int = 0
    findings: list[Finding] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        self.count += 1
        if len(self.findings) < LISTED:
            self.findings.append(finding)


@dataclass(slots=True)
class _Column:
    """What is kept of a metric: every row's id, value and document where there is a baseline, the
    names of its parts, the rows that each condition names, how many rows have the number that a
    condition is about, and how many are of its kind."""

    rows: int = 0
    valued: int = 0
    ids: list[str] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    named: dict[str, _Named] = field(default_factory=dict)
    numbered: Counter[str] = field(default_factory=Counter)
    of_kind: Counter[str] = field(default_factory=Counter)
    parts: set[str] = field(default_factory=set)


class Gate:
    """The conditions of a run, asked of every row.

    Raises ConfigError on a condition that the metrics can never meet (see `conditions.check`).
    """

    def __init__(
        self,
        conditions: Sequence[Condition],
        prepared: Sequence[Prepared],
        *,
        baseline: Baseline | None = None,
        allow_unscored: bool = False,
    ) -> None:
        check_conditions(conditions, prepared, baseline is not None)
        counts_marks = any(condition.name == MARKS for condition in conditions)
        if baseline is not None and counts_marks and not baseline.has_marks():
            raise ConfigError(
                f"--baseline {baseline.path} does not say how many words are marked: it is a table "
                f"without the column '{MARKS}'; score it again"
            )
        self._conditions = tuple(dict.fromkeys(conditions))
        self._baseline = baseline
        self._allow_unscored = allow_unscored
        self._scorers = {scorer.label: scorer for scorer in prepared}
        self._metrics = {metric.label: metric for metric in shown_metrics(prepared)}
        self._columns = {one.label: _Column() for one in prepared}
        self.rows: list[tuple[str, str]] | None = None

    def keep_rows(self) -> None:
        """Keeps the metric and id of every row, for a report that names those that pass too."""
        self.rows = []

    def add(self, example: Example, scores: Sequence[Score]) -> None:
        """One row more, with its scores."""
        for score in scores:
            self._add(example, score)

    def _add(self, example: Example, score: Score) -> None:
        column = self._columns[score.metric]
        column.rows += 1
        column.valued += score.value is not None
        column.parts.update(score.parts)
        if self.rows is not None:
            self.rows.append((score.metric, score.id))
        if self._baseline is not None:
            column.ids.append(score.id)
            column.values.append(score.value)
            column.documents.append(example.document)
        names = [*self._names_of(column, score)]
        if score.value is None and not self._allow_unscored:
            names.append((NO_SCORE, UNSCORED))
        if self._baseline is not None and self._fails_newly(score, bool(names)):
            names.append((NEWLY_FAILING, NEWLY_FAILING))
        for key, rule in dict(names).items():
            column.named.setdefault(key, _Named()).add(self._finding(rule, example, score))
        if column.valued == TRIED:  # a name that is mistyped is not found hours later
            for condition in self._about(score.metric):
                self._check_named(condition, score.metric, column)

    def _names_of(self, column: _Column, score: Score) -> Iterator[tuple[str, str]]:
        """(condition, rule) of every condition that names the row."""
        for condition in self._about(score.metric):
            if condition.counts:
                column.of_kind[condition.text] += is_of_kind(score, condition.name)
                if condition.name != NEWLY_FAILING and is_named(score, condition):
                    yield condition.text, condition.name
                continue
            number = number_of(score, condition.name, self._metrics[score.metric].unit)
            if number is not None:
                column.numbered[condition.text] += 1
                if condition.holds(number):
                    yield condition.text, condition.name

    def _about(self, label: str) -> list[Condition]:
        return [condition for condition in self._conditions if condition.is_about(label)]

    def _fails_newly(self, score: Score, fails: bool) -> bool:
        """Whether the row fails, and did not in the baseline. A row fails that a condition names or
        that is not consistent."""
        before = None if self._baseline is None else self._baseline.before(score)
        if before is None or not (fails or verdict_of(score.parts) == "not consistent"):
            return False
        failed = any(True for _ in self._names_of(_Column(), before))
        return not (failed or before.value is None or verdict_of(before.parts) == "not consistent")

    def _finding(self, rule: str, example: Example, score: Score) -> Finding:
        # One at a time: marks have no numbers here by which one could name the evidence of another.
        metrics = {score.metric: self._metrics[score.metric]}
        notes = [
            note
            for mark in marks_of(example.summary, [score])
            for note in explained(example, [score], [mark], metrics)
        ]
        digest = hashlib.sha256()
        for text in (rule, score.metric, example.source, example.summary):
            digest.update(f"{len(text)}:{text}".encode())
        details = []
        for note in notes:
            details += [f"{note.words}{note.doubtful}", *(f"  {line}" for line in note.details)]
        for line, indent in zip(least_supported_lines(example, [score]), ("", "  "), strict=False):
            details.append(f"{indent}{line}")
        return Finding(
            rule,
            score.metric,
            score.id,
            self._message(score, [note.words for note in notes]),
            tuple(map(one_line, details)),
            digest.hexdigest(),
        )

    def _message(self, score: Score, words: Sequence[str]) -> str:
        said = verdict_of(score.parts)
        chance = probability_of(score, self._metrics[score.metric].unit)
        if score.value is None:
            said = f"no score ({score.outcome})"
        elif said is None:
            said = f"{score.value:.4g}"
        elif chance is not None:
            said += f" ({chance:.0%} likely to be consistent)"
        more = f" and {len(words) - WORDS} more" if len(words) > WORDS else ""
        marked = f"; unsupported: {', '.join(words[:WORDS])}{more}" if words else ""
        return one_line(f"{self._metrics[score.metric].title}: {said}{marked}")

    def verdicts(self) -> list[GateResult]:
        """What came of every condition, once all rows are added. Raises ConfigError on a condition
        about a number that no row has, DataError where the baseline shares no row."""
        return [
            verdict
            for label, column in self._columns.items()
            for verdict in self._verdicts_on(label, column)
        ]

    def _verdicts_on(self, label: str, column: _Column) -> Iterator[GateResult]:
        about = self._about(label)
        for condition in about:
            if condition.counts:
                yield self._counted(condition, label, column)
            elif condition.text in column.numbered or not column.valued:
                named = column.named.get(condition.text, _Named())
                yield _verdict(condition.text, label, named, column.numbered[condition.text])
            else:
                self._check_named(condition, label, column)
        asked = any(condition.name == UNSCORED for condition in about)
        if (about or self._baseline) and not (asked or self._allow_unscored):
            yield _verdict(NO_SCORE, label, column.named.get(NO_SCORE, _Named()), column.rows)
        if self._baseline is not None:
            yield self._compared(label, column)

    def _check_named(self, condition: Condition, label: str, column: _Column) -> None:
        """Raises ConfigError if a condition is about a number that none of the rows so far has."""
        if condition.counts or condition.text in column.numbered:
            return
        if condition.name == MARKS:
            raise ConfigError(
                f"--fail-if '{condition.text}': the rows of an earlier run do not say how many "
                "words are marked; use --no-resume to score them again"
            )
        if condition.metric is not None or len(self._columns) == 1:
            names = conditions_on(self._scorers[label], self._baseline is not None)
            hint = did_you_mean(condition.name, (names | column.parts) - {condition.name})
            if condition.name == "mean":
                hint = f" The mean is that of --fail-under {condition.limit:g}."
            raise ConfigError(
                f"--fail-if '{condition.text}': no row of {label} has '{condition.name}'.{hint}"
            )

    def _counted(self, condition: Condition, label: str, column: _Column) -> GateResult:
        key = condition.name if condition.name == NEWLY_FAILING else condition.text
        named = column.named.get(key, _Named())
        # Of the rows that have a verdict; of all where the kind is about having none.
        rows = column.valued if condition.name in KINDS else column.rows
        is_new = condition.name == NEWLY_FAILING
        count = named.count if is_new else column.of_kind[condition.text]
        failed = condition.exceeded(count, rows)
        if not condition.lower_bound or is_new:
            return _verdict(condition.text, label, named, rows, failed)
        message = f"{count} of {rows} rows{_share(count, rows)}"
        if named.count:
            message += f"; the others: {_shown(named)}"
        return GateResult(
            condition.text, label, failed, message, named.count, tuple(named.findings)
        )

    def _compared(self, label: str, column: _Column) -> GateResult:
        assert self._baseline is not None
        comparison = self._baseline.compared(label, column.ids, column.values, column.documents)
        named = column.named.get(NEWLY_FAILING, _Named())
        message = earlier.described(comparison, column.rows)
        if named.count:
            rows = "1 row fails" if named.count == 1 else f"{named.count} rows fail"
            message += f"; {rows} that did not before: {_shown(named)}"
        if gone := self._baseline.without(label, column.ids):
            message += f"; {gone} of its rows {'is' if gone == 1 else 'are'} not in this run"
        return GateResult(
            f"no worse than {self._baseline.path}",
            label,
            earlier.is_worse(comparison),
            message,
            named.count,
            tuple(named.findings),
            compared=True,
            tested=earlier.is_tested(comparison),
        )


def failed_rows(verdicts: Sequence[GateResult]) -> dict[tuple[str, str], list[Finding]]:
    """The rows of the conditions that failed, by (metric, id), each finding once."""
    rows: dict[tuple[str, str], list[Finding]] = {}
    for verdict in verdicts:
        for finding in verdict.findings if verdict.failed else ():
            findings = rows.setdefault((finding.metric, finding.id), [])
            if all(other.rule != finding.rule for other in findings):
                findings.append(finding)
    return rows


def lines_of(verdicts: Sequence[GateResult], several: bool) -> list[str]:
    """A line for each condition that failed; `several`: metrics, so that each is named."""
    return [
        f"{verdict.condition}{f' ({verdict.metric})' if several else ''}: {verdict.message}"
        for verdict in verdicts
        if verdict.failed
    ]


def _verdict(
    condition: str, label: str, named: _Named, rows: int, failed: bool | None = None
) -> GateResult:
    message = f"{named.count} of {rows} rows{_share(named.count, rows)}"
    if named.count:
        message += f": {_shown(named)}"
    failed = named.count > 0 if failed is None else failed
    return GateResult(condition, label, failed, message, named.count, tuple(named.findings))


def _share(count: int, rows: int) -> str:
    return f" ({count / rows:.1%})" if rows else ""


def _shown(named: _Named) -> str:
    ids = ", ".join(one_line(finding.id) for finding in named.findings[:NAMED])
    return f"{ids} and {named.count - NAMED} more" if named.count > NAMED else ids

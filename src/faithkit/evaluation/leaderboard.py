"""Summarisers compared by a metric: mean score with its interval, paired tests, wins.

What lives here: who wrote which row, the mean over documents, the tests on documents that two
summarisers share, and the leaderboard as Markdown, CSV and JSON. What does not: scoring
(`judged.py`) and the statistics (`meta/compare.py`). Ranking summarisers by a metric's mean: [LSS].
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from pathlib import Path

import numpy as np

from faithkit import meta, writing
from faithkit.evaluation.judged import JudgedTable
from faithkit.evaluation.markdown import escaped, plain, shortened, table_lines
from faithkit.meta.columns import CodedColumn, FloatColumn, chained, coded
from faithkit.meta.compare import NONE_SHARED
from faithkit.meta.sample import Ints, column
from faithkit.metrics import loading
from faithkit.metrics.registry import METRICS, split
from faithkit.metrics.spec import MetricSpec
from faithkit.records import JSON, ConfigError, DataError
from faithkit.report import pages

ENDINGS = (".md", ".csv", ".json", ".html")

NO_DOCUMENT = "no document has a score of both"
"""Why summarisers of different documents cannot be compared."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One summariser.

    mean      over its documents, a document's value being the mean over its rows
    shared    the same over the documents that every summariser has a score for
    unscored  rows without a value, by outcome
    """

    system: str
    mean: meta.Estimate
    shared: float | None
    rows: int
    unscored: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Board:
    """All summarisers by one metric, the best first.

    documents    of all summarisers together; `shared` of them have a score of each
    pairs        every two summarisers on the documents both have, with Holm's correction over all
    wins         documents on which the one in the row is strictly above the one in the column
    limitations  what the metric's number does not mean; "" if unknown
    """

    metric: str
    signature: str | None
    documents: int
    shared: int
    standings: tuple[Standing, ...]
    pairs: tuple[meta.Comparison, ...]
    wins: meta.WinMatrix
    limitations: str = ""

    def to_dict(self) -> dict[str, JSON]:
        return {
            "metric": self.metric,
            "signature": self.signature,
            "documents": self.documents,
            "shared": self.shared,
            "systems": [
                {
                    "system": standing.system,
                    "mean": standing.mean.to_dict(),
                    "mean_on_shared": standing.shared,
                    "rows": standing.rows,
                    "unscored": dict(standing.unscored),
                }
                for standing in self.standings
            ],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "wins": {
                "systems": list(self.wins.names),
                "wins": [list(row) for row in self.wins.wins],
                "ties": [list(row) for row in self.wins.ties],
                "n": [list(row) for row in self.wins.n],
            },
        }


def systems_of(tables: Sequence[JudgedTable]) -> list[CodedColumn[str]]:
    """The summariser of each row of each table: its system column, else the file's name.

    Raises DataError where only some rows of a file name theirs, where a file without names is
    the only one, or where two files have the same summariser.
    """
    systems: list[CodedColumn[str]] = []
    table_of: dict[str, str] = {}
    for table in tables:
        unnamed = sum(system is None for system in table.systems)
        if 0 < unnamed < len(table.rows):
            first = table.ids[table.systems.index(None)]
            raise DataError(
                f"{table.name}: {unnamed} of {len(table.rows)} rows name no system, the first "
                f"'{first}'; give every row its summariser, or none"
            )
        stem = Path(table.name).stem or table.name
        of_rows = coded(stem if system is None else system for system in table.systems)
        for system in of_rows.values:
            if system in table_of:
                raise DataError(
                    f"{table.name} and {table_of[system]} both have the system '{system}'; "
                    "rename one"
                )
            table_of[system] = table.name
        systems.append(of_rows)
    if len(table_of) < 2:
        only = next(iter(table_of))
        raise DataError(
            f"only one summariser ('{only}'): give a file for each, or one file with a system "
            "column (--column system=NAME)"
        )
    return systems


def board(
    tables: Sequence[JudgedTable], metric: str, *, draws: int = meta.DRAWS, seed: int = 0
) -> Board:
    """The leaderboard of one metric over the rows of all tables.

    Documents are what is resampled and what pairs two summarisers. Raises DataError as
    `systems_of`, and where some files name their documents and others do not.
    """
    systems = systems_of(tables)
    _check_documents(tables)
    columns, unscored = _by_document(tables, systems, metric)
    names = list(columns)
    count = len(columns[names[0]])
    # A document is a row here, so its number is name enough.
    documents = CodedColumn(np.arange(count), range(1, count + 1))
    shared = np.flatnonzero(~np.isnan([column.numbers for column in columns.values()]).any(axis=0))
    means = {
        name: replace(
            meta.estimate(meta.MEAN, meta.sample(column, groups=documents), draws=draws, seed=seed),
            unscored=unscored[name],
        )
        for name, column in columns.items()
    }
    ranked = sorted(names, key=lambda name: _last_if_none(means[name].value), reverse=True)
    counted = _counts(tables, systems, metric)
    standings = tuple(
        Standing(name, means[name], _mean(columns[name], shared), *counted[name]) for name in ranked
    )
    ordered = {name: columns[name] for name in ranked}
    pairs = meta.compare_all(
        meta.MEAN, ordered, meta.SharedRows(groups=documents), draws=draws, seed=seed
    )
    signature = next((c.made_by for t in tables if (c := t.column(metric)).made_by), None)
    return Board(
        metric,
        None if signature is None else signature.short,
        count,
        len(shared),
        standings,
        tuple(
            replace(
                pair,
                unscored_first=unscored[pair.first],
                unscored_second=unscored[pair.second],
                reason=NO_DOCUMENT if pair.reason == NONE_SHARED else pair.reason,
            )
            for pair in pairs
        ),
        meta.win_matrix(ordered),
        _limitations_of(metric),
    )


def _limitations_of(metric: str) -> str:
    """What a metric says that its number does not mean; "" of one that is no part of faithkit: to
    read results runs nobody's code."""
    name, _ = split(metric)
    return loading.class_of(MetricSpec.parse(name)).limitations if name in METRICS else ""


def _last_if_none(value: float | None) -> float:
    return -math.inf if value is None else value


def _check_documents(tables: Sequence[JudgedTable]) -> None:
    kinds = {table.documents_named: table.name for table in tables}
    if len(kinds) > 1:
        raise DataError(
            f"{kinds[True]} names the source document of its rows and {kinds[False]} does "
            "not, so rows cannot be paired; name it in all files, or in none (then equal source "
            "texts are one document)"
        )


def _by_document(
    tables: Sequence[JudgedTable], systems: Sequence[CodedColumn[str]], metric: str
) -> tuple[dict[str, FloatColumn], dict[str, int]]:
    """The mean of each summariser's scored rows on each document of all tables, None where it has
    none; documents in the order of first appearance. And how many documents it has rows of, but no
    score."""
    named = coded(chain.from_iterable(table.documents for table in tables))
    documents, count = named.codes, len(named.values)
    values, present = column(chained(t.column(metric).values for t in tables), metric)
    by_system: dict[str, FloatColumn] = {}
    unscored: dict[str, int] = {}
    starts = accumulate((len(of_rows) for of_rows in systems), initial=0)
    for of_rows, start in zip(systems, starts, strict=False):
        rows = slice(start, start + len(of_rows))
        for code, system in enumerate(of_rows.values):
            own = of_rows.codes == code
            scored = own & present[rows]
            document_of_row = documents[rows][scored]
            sums = np.bincount(document_of_row, weights=values[rows][scored], minlength=count)
            sizes = np.bincount(document_of_row, minlength=count)
            empty = np.full(count, np.nan)
            by_system[system] = FloatColumn(np.divide(sums, sizes, out=empty, where=sizes > 0))
            has_rows = np.bincount(documents[rows][own], minlength=count) > 0
            unscored[system] = int(np.count_nonzero(has_rows & (sizes == 0)))
    return by_system, unscored


def _mean(values: FloatColumn, rows: Ints) -> float | None:
    return sum(values.numbers[rows].tolist()) / len(rows) if len(rows) else None


def _counts(
    tables: Sequence[JudgedTable], systems: Sequence[CodedColumn[str]], metric: str
) -> dict[str, tuple[int, dict[str, int]]]:
    """Rows of each summariser, and those without a value by outcome."""
    rows: Counter[str] = Counter()
    unscored: dict[str, Counter[str]] = {}
    for table, of_rows in zip(tables, systems, strict=True):
        column = table.column(metric)
        for system, value, outcome in zip(of_rows, column.values, column.outcomes, strict=True):
            rows[system] += 1
            unscored.setdefault(system, Counter()).update([outcome] if value is None else [])
    return {system: (count, dict(unscored[system])) for system, count in rows.items()}


def standings_rows(board: Board) -> tuple[list[str], list[list[str]]]:
    """Header and cells of the ranking. The mean on shared documents has a column only if it differs
    from the mean over all documents for some summariser."""
    header = ["system", "mean", "95% interval", "documents", "rows", "unscored"]
    partial = any(standing.mean.n != board.shared for standing in board.standings)
    if partial:
        header.insert(3, "mean on shared")
    rows = []
    for standing in board.standings:
        mean = standing.mean
        missing = ", ".join(f"{n} {outcome}" for outcome, n in standing.unscored.items()) or "0"
        cells = [
            standing.system, number(mean.value), interval(mean.low, mean.high), str(mean.n),
            str(standing.rows), missing,
        ]  # fmt: skip
        if partial:
            cells.insert(3, number(standing.shared))
        rows.append(cells)
    return header, rows


def pair_rows(pairs: Sequence[meta.Comparison]) -> tuple[list[str], list[list[str]]]:
    """Header and cells of the paired tests."""
    header = ["first", "second", "difference", "95% interval", "p", "p (Holm)", "documents",
              "smallest it could find"]  # fmt: skip
    rows = [
        [pair.first, pair.second, number(pair.difference, signed=True),
         interval(pair.low, pair.high), number(pair.p_value), number(pair.adjusted), str(pair.n),
         number(pair.minimum_detectable)]
        for pair in pairs
    ]  # fmt: skip
    return header, rows


def notes(board: Board) -> list[str]:
    """Why means have no interval and pairs no test: a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for standing in board.standings:
        if reason := standing.mean.reason or standing.mean.interval_reason:
            by_reason.setdefault(f"No interval ({reason}): ", []).append(standing.system)
    for pair in board.pairs:
        if pair.reason:
            names = f"{pair.first} and {pair.second}"
            by_reason.setdefault(f"No test ({pair.reason}): ", []).append(names)
    lines = [start + shortened(names) for start, names in by_reason.items()]
    if board.limitations:
        lines.append(f"Before you rank by it: {board.limitations}")
    return lines


def win_rows(wins: meta.WinMatrix) -> tuple[list[str], list[list[str]]]:
    """Percent of shared documents on which the row's summariser is above the column's."""
    rows = []
    for i, name in enumerate(wins.names):
        cells = [
            "–" if i == j or not wins.n[i][j] else f"{100 * wins.wins[i][j] / wins.n[i][j]:.0f}"
            for j in range(len(wins.names))
        ]
        rows.append([name, *cells])
    return ["above (% of documents)", *wins.names], rows


def number(value: float | None, *, signed: bool = False) -> str:
    """Four places, or a dash."""
    if value is None:
        return "–"
    return f"{value:+.4f}" if signed else f"{value:.4f}"


def interval(low: float | None, high: float | None) -> str:
    """`0.1 to 0.2`, or a dash."""
    return "–" if low is None or high is None else f"{low:.4f} to {high:.4f}"


def check_ending(path: Path) -> list[Path]:
    """The files that `write` writes. Raises ConfigError on an ending that no format of the
    leaderboard has."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ConfigError(f"{path}: a leaderboard is written as {', '.join(ENDINGS)}")
    return [path, path.with_suffix(".pairs.csv")] if ending == ".csv" else [path]


def write(path: Path, boards: Sequence[Board]) -> list[Path]:
    """Markdown, JSON, a page or CSV by ending; CSV puts the paired tests into `NAME.pairs.csv`.

    Returns what was written. Raises DataError where it cannot be.
    """
    written = check_ending(path)
    ending = path.suffix.lower()
    if ending == ".json":
        writing.write_json(path, [board.to_dict() for board in boards])
    elif ending == ".md":
        writing.write_text(path, "\n".join(map(markdown, boards)))
    elif ending == ".html":
        pages.tables_page(path, "Summarisers compared", list(map(_section, boards)))
    else:
        writing.write_csv(path, _standings_records(boards), STANDINGS_FIELDS)
        writing.write_csv(written[1], _pair_records(boards), PAIR_FIELDS)
    return written


def markdown(board: Board) -> str:
    """Ranking, paired tests and wins of one metric."""
    board = _with_plain_names(board)
    lines = [f"## {board.metric}", "", about(board), ""]
    for header, rows in (standings_rows(board), pair_rows(board.pairs), win_rows(board.wins)):
        lines += table_lines(header, rows)
    for note in notes(board):
        lines += [escaped(note), ""]
    if board.signature:
        lines += [f"Signature: `{board.signature}`", ""]
    return "\n".join(lines)


def _with_plain_names(board: Board) -> Board:
    """The board with names that are no Markdown and no HTML."""
    return replace(
        board,
        metric=plain(board.metric),
        standings=tuple(replace(row, system=plain(row.system)) for row in board.standings),
        pairs=tuple(
            replace(pair, first=plain(pair.first), second=plain(pair.second))
            for pair in board.pairs
        ),
        wins=replace(board.wins, names=tuple(map(plain, board.wins.names))),
    )


def _section(board: Board) -> pages.Section:
    lines = [about(board), *notes(board)]
    if board.signature:
        lines.append(f"Signature: {board.signature}")
    tables = (
        ("Mean score", standings_rows(board)),
        ("Paired tests", pair_rows(board.pairs)),
        ("Wins", win_rows(board.wins)),
    )
    shown = [pages.Table(title, header, rows) for title, (header, rows) in tables]
    return pages.Section(board.metric, lines, shown)


def about(board: Board) -> str:
    """One line: how many documents, and what the figures are."""
    draws = next((s.mean.draws for s in board.standings if s.mean.draws), 0)
    how = (
        f"; {draws} bootstrap draws by document; smallest difference found with 80% power."
        if draws
        else "."
    )
    plural = "" if board.documents == 1 else "s"
    return f"{board.documents} document{plural}, {board.shared} with a score of every system{how}"


STANDINGS_FIELDS = (
    "metric", "rank", "system", "mean", "low", "high", "mean_on_shared", "documents", "rows",
    "unscored", "interval_reason",
)  # fmt: skip
PAIR_FIELDS = (
    "metric", "first", "second", "difference", "low", "high", "p_value", "p_holm", "documents",
    "minimum_detectable", "reason",
)  # fmt: skip


def _standings_records(boards: Sequence[Board]) -> Iterator[dict[str, JSON]]:
    """The full figures of each metric and summariser, as CSV rows."""
    for board in boards:
        for rank, standing in enumerate(board.standings, start=1):
            mean = standing.mean
            cells = (
                board.metric, rank, standing.system, mean.value, mean.low, mean.high,
                standing.shared, mean.n, standing.rows, sum(standing.unscored.values()),
                mean.reason or mean.interval_reason,
            )  # fmt: skip
            yield dict(zip(STANDINGS_FIELDS, cells, strict=True))


def _pair_records(boards: Sequence[Board]) -> Iterator[dict[str, JSON]]:
    """The full paired test of each metric and two summarisers, as CSV rows."""
    for board in boards:
        for pair in board.pairs:
            cells = (
                board.metric, pair.first, pair.second, pair.difference, pair.low, pair.high,
                pair.p_value, pair.adjusted, pair.n, pair.minimum_detectable, pair.reason,
            )  # fmt: skip
            yield dict(zip(PAIR_FIELDS, cells, strict=True))

"""Pairs that people judged, with columns of scores beside the judgements.

What lives here: reading the pairs (a file or a dataset's name), scoring them once or joining them
with saved scores by id. What does not: what is learned from them (`learning.py`) and how
summarisers compare on them (`leaderboard.py`).
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from faithkit import files, run
from faithkit.cache import Cache
from faithkit.datasets import DATASETS, VALIDATION, is_validation, split_of
from faithkit.records import (
    ConfigError,
    DataError,
    Example,
    Outcome,
    Score,
    Signature,
    did_you_mean,
)

NO_ROW = "no row in the results"
"""Counted among the outcomes where a results file has nothing about a pair."""

Column = list[float | None]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Examples that are checked and can be walked more than once.

    name        what the user called them
    sha256      of a file's ids and texts, as in a run's manifest; None for a dataset
    validation  whether only the rows of the validation split are walked; `count` is theirs then
    used        which rows these are, in words, where some are left out
    note        what the reader found out about a file that the user may want to know
    """

    name: str
    examples: Iterable[Example]
    count: int
    sha256: str | None = None
    validation: bool = False
    used: str = ""
    note: str = ""

    def with_fields(self, wanted: Collection[str], columns: files.Columns) -> Pairs:
        """See `files.Rows.with_fields`; a dataset has all its fields."""
        if not isinstance(self.examples, files.Rows):
            return self
        return dataclasses.replace(self, examples=self.examples.with_fields(wanted, columns))

    def __iter__(self) -> Iterator[Example]:
        for example in self.examples:
            if not self.validation or is_validation(example):
                yield example


def validation_rows(pairs: Pairs) -> Pairs:
    """The validation split of pairs that have one beside other rows, else all of them."""
    found = Counter(split_of(example) for example in pairs.examples)
    count = sum(number for split, number in found.items() if split in VALIDATION)
    if count in (0, pairs.count):
        return pairs
    others = ", ".join(
        f"{number} of {split or 'no split'}"
        for split, number in sorted(found.items())
        if split not in VALIDATION
    )
    used = f"{count} of {pairs.count} rows used, those of the validation split; left out: {others}"
    return dataclasses.replace(pairs, count=count, validation=True, used=used)


@contextmanager
def open_pairs(
    name: str,
    columns: files.Columns | None = None,
    *,
    data_dir: str | None = None,
    stdin_format: str = "jsonl",
) -> Iterator[Pairs]:
    """A file of pairs, `-` for standard input, or a dataset as `faithkit bench -d` names it.

    Raises DataError as `files.open_pairs` and the readers do, and on a name that is neither;
    ConfigError on column options for a dataset, which has columns of its own.
    """
    plain = name.partition("[")[0].partition("+")[0].strip()
    if plain in DATASETS or name.startswith("hf:"):
        if columns is not None and columns.customised:
            raise ConfigError(
                f"'{name}' is a dataset with a reader of its own; column options are for files"
            )
        from faithkit.evaluation.bench.scoring import read

        _, examples = read(name, data_dir, None)
        yield Pairs(name, examples, len(examples))
        return
    if name != "-" and not Path(name).exists() and not Path(name).suffix:
        raise DataError(f"'{name}' is neither a file nor a dataset.{did_you_mean(name, DATASETS)}")
    with files.open_pairs(name, columns, stdin_format) as rows:
        yield Pairs(name, rows, rows.count, rows.sha256, note=rows.note)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of human judgements with columns of scores beside them; no texts.

    used        which rows of the file or dataset these are, in words; "" where all are
    documents   the source document of each row
    declared    whether the rows name it, or it is the identity of the source's text
    scores      a metric's label to a Score per row (without spans and evidence), None where a
                results file has none
    signatures  what made each column, None where a results file does not say
    """

    name: str
    used: str
    ids: tuple[str, ...]
    documents: tuple[str, ...]
    declared: bool
    systems: tuple[str | None, ...]
    labels: tuple[int | None, ...]
    ratings: tuple[float | None, ...]
    scores: Mapping[str, Sequence[Score | None]]
    signatures: Mapping[str, Signature | None]

    def values(self, metric: str) -> Column:
        """A metric's value on each row."""
        return [None if score is None else score.value for score in self._column(metric)]

    def part(self, metric: str, part: str) -> Column:
        """One part of a metric on each row. Raises ConfigError on a part that no row has."""
        rows = self._column(metric)
        known = dict.fromkeys(name for score in rows if score for name in score.parts)
        if part not in known:
            hint = did_you_mean(part, known) if known else " It has none."
            raise ConfigError(f"{metric} has no part '{part}'.{hint}")
        return [None if score is None else score.parts.get(part) for score in rows]

    def unscored(self, metric: str) -> dict[str, list[str]]:
        """Outcome to the ids of the rows that have no value because of it."""
        found: dict[str, list[str]] = {}
        for identity, score in zip(self.ids, self._column(metric), strict=True):
            if score is None or score.value is None:
                found.setdefault(NO_ROW if score is None else str(score.outcome), []).append(
                    identity
                )
        return found

    def _column(self, metric: str) -> Sequence[Score | None]:
        if metric not in self.scores:
            raise ConfigError(f"no scores of '{metric}' here.{did_you_mean(metric, self.scores)}")
        return self.scores[metric]


class _Judgements:
    """What a Table keeps of the examples, gathered while they stream by."""

    def __init__(self, pairs: Pairs) -> None:
        self._name, self._used = pairs.name, pairs.used
        self._is_file = pairs.sha256 is not None
        self.ids: list[str] = []
        self._documents: list[str] = []
        self._declared: list[bool] = []
        self._systems: list[str | None] = []
        self._labels: list[int | None] = []
        self._ratings: list[float | None] = []

    def add(self, example: Example) -> None:
        self.ids.append(example.id)
        self._documents.append(example.document)
        self._declared.append(files.names_document(example))
        self._systems.append(example.system)
        self._labels.append(example.label)
        self._ratings.append(example.rating)

    def table(
        self,
        scores: Mapping[str, Sequence[Score | None]],
        signatures: Mapping[str, Signature | None],
    ) -> Table:
        if self._is_file:
            files.check_named(self._name, self.ids, self._declared)
        return Table(
            self._name,
            self._used,
            tuple(self.ids),
            tuple(self._documents),
            any(self._declared),
            tuple(self._systems),
            tuple(self._labels),
            tuple(self._ratings),
            scores,
            signatures,
        )


def read_judgements(pairs: Pairs) -> Table:
    """The judgements without any scores: what can be checked before a metric is run."""
    judged = _Judgements(pairs)
    for example in pairs:
        judged.add(example)
    return judged.table({}, {})


def score_pairs(
    pairs: Pairs,
    prepared: Sequence[run.Prepared],
    store: Cache,
    *,
    batch_size: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Table:
    """Scores pairs, reusing what the cache has. Texts, spans and evidence are let go."""
    judged = _Judgements(pairs)
    columns: dict[str, list[Score | None]] = {one.label: [] for one in prepared}
    scored = run.scored_batches(prepared, pairs, store, batch_size=batch_size, progress=progress)
    for batch, rows in scored:
        for example, row in zip(batch, rows, strict=True):
            judged.add(example)
            for score in row:
                columns[score.metric].append(_slim(score))
    return judged.table(columns, {one.label: one.signature for one in prepared})


def _slim(score: Score) -> Score:
    return dataclasses.replace(score, spans=(), evidence=())


def join_results(
    pairs: Pairs, results: Sequence[Path], wanted: Sequence[str] | None = None
) -> Table:
    """The pairs with the scores that `faithkit score -o` wrote, joined by id. Scores nothing.

    wanted  the metrics' labels; None takes all there are
    Raises DataError where the results are of other pairs, or hold a row twice or of two signatures;
    ConfigError on a metric they do not have. A pair without a row is counted as unscored.
    """
    saved: dict[str, dict[str, Score]] = {}
    signatures: dict[str, Signature | None] = {}
    for path in results:
        _gather(path, saved, signatures)
    judged = _Judgements(pairs)
    for example in pairs:
        judged.add(example)
    for path in results:
        _check_same_pairs(path, pairs)
    shown = ", ".join(map(str, results))
    known = set(judged.ids)
    if not any(known & rows.keys() for rows in saved.values()):
        raise DataError(f"{shown}: no row has an id of {pairs.name}; were other pairs scored?")
    for label in wanted or ():
        if label not in saved:
            raise ConfigError(f"{shown}: no rows of '{label}'.{did_you_mean(label, saved)}")
    chosen = list(wanted) if wanted else list(saved)
    columns = {label: [saved[label].get(identity) for identity in judged.ids] for label in chosen}
    return judged.table(columns, {label: signatures[label] for label in chosen})


def _gather(
    path: Path,
    saved: dict[str, dict[str, Score]],
    signatures: dict[str, Signature | None],
) -> None:
    for score in files.score_lines(path):
        rows = saved.setdefault(score.metric, {})
        if score.id in rows:
            raise DataError(f"{path}: two rows of {score.metric} for '{score.id}'")
        signature = signatures.setdefault(score.metric, score.signature)
        if signature != score.signature:
            raise DataError(
                f"{path}: the rows of {score.metric} have two signatures, so they are numbers of "
                "two different settings; score all pairs with one"
            )
        rows[score.id] = dataclasses.replace(_slim(score), signature=None)


def _check_same_pairs(path: Path, pairs: Pairs) -> None:
    """Row numbers fit any file, so where ids are only that, the manifest must name this file."""
    manifest = path.with_name(path.name + ".manifest.json")
    if pairs.sha256 is None or not manifest.is_file():
        return
    numbered = enumerate(pairs.examples, start=1)
    if any(example.id != str(number) for number, example in numbered):
        return
    try:
        scored = json.loads(manifest.read_text(encoding="utf-8"))["input"]
        same = scored["sha256"] == pairs.sha256
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{manifest}: not the manifest of a run ({error})") from error
    if not same:
        raise DataError(
            f"{path} holds scores of {scored.get('path')}, whose texts are not those of "
            f"{pairs.name}; the rows have no ids to join them by"
        )


def labels_of(table: Table, consistent_from: float | None = None) -> list[int | None]:
    """1 consistent, 0 not, None where nobody said.

    consistent_from  the least rating that counts as consistent; then ratings decide, not labels
    Raises DataError where there is neither label nor cut-off, or no rating to cut.
    """
    rated = [rating for rating in table.ratings if rating is not None]
    if consistent_from is not None:
        if not rated:
            raise DataError(
                f"{table.name}: no row has a rating, so --consistent-from has nothing "
                "to cut; is the rating in another column?"
            )
        return [
            None if rating is None else int(rating >= consistent_from) for rating in table.ratings
        ]
    if any(label is not None for label in table.labels):
        return list(table.labels)
    if rated:
        raise DataError(
            f"{table.name}: rows have ratings ({min(rated):g} to {max(rated):g}) but no labels; "
            "name the least rating that counts as consistent with --consistent-from"
        )
    raise DataError(f"{table.name}: no row has a label or a rating; are they in other columns?")


def judgements_of(table: Table) -> tuple[str, Column]:
    """`rating`, or `label` where no row has a rating, and that column. DataError with neither."""
    if any(rating is not None for rating in table.ratings):
        return "rating", list(table.ratings)
    if any(label is not None for label in table.labels):
        return "label", list(table.labels)
    raise DataError(f"{table.name}: no row has a rating or a label; are they in other columns?")


def incomplete(table: Table) -> int:
    """Scores that are missing or whose outcome is not ok, over all metrics."""
    return sum(
        score is None or score.outcome is not Outcome.OK
        for rows in table.scores.values()
        for score in rows
    )

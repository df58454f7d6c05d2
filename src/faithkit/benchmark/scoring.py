"""The rows of a benchmark and the values of each metric on them, kept in a folder.

A folder holds, for each dataset, `NAME.truth.jsonl` (ids, documents, systems, human judgements; no
text, so it may be passed on) and `NAME.METRIC-DIGEST.values.jsonl` for each metric signature. What
is there is not scored again, so a new metric adds its own file and a new statistic needs no model.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from faithkit import datasets
from faithkit.cache import Cache
from faithkit.files import open_pairs, score_lines
from faithkit.records import TRANSIENT, ConfigError, DataError, Example, Outcome, Score, document_id
from faithkit.run import Prepared, scored_batches

WRONG = frozenset({Outcome.UNPARSABLE, Outcome.REFUSED, Outcome.TIMEOUT})
"""Outcomes of a judge that count as a wrong verdict in detection [FCLLM §4]; others are left out
and counted."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a benchmark row besides its texts.

    document   what the bootstrap resamples
    pair       rows that are compared with each other in ranking, None where there are none
    subset     part of the benchmark (origin/era), None where the release has no parts
    validation true for rows that thresholds may be chosen on
    """

    id: str
    document: str
    pair: str | None = None
    system: str | None = None
    label: int | None = None
    rating: float | None = None
    error_types: tuple[str, ...] = ()
    subset: str | None = None
    validation: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One metric's values on a dataset's rows, in their order; None where there is none."""

    label: str
    signature: str
    unit: str
    values: tuple[float | None, ...]
    outcomes: tuple[str, ...]

    def counted_wrong(self) -> list[bool]:
        return [outcome in WRONG for outcome in self.outcomes]

    def is_final(self) -> bool:
        """False where another try may change an outcome (a server that timed out, say)."""
        return TRANSIENT.isdisjoint(self.outcomes)

    def missing(self) -> dict[str, int]:
        """Count by outcome of the rows that have no value."""
        pairs = zip(self.values, self.outcomes, strict=True)
        return dict(Counter(outcome for value, outcome in pairs if value is None))


@dataclass(slots=True)
class Table:
    """A dataset's truth and the metrics' columns on it."""

    name: str
    tasks: tuple[str, ...]
    truth: list[Truth]
    columns: list[Column] = field(default_factory=list)


def read(
    name: str, data_dir: str | None, limit: int | None
) -> tuple[tuple[str, ...], list[Example]]:
    """The tasks and examples that a benchmark name asks for.

    `A+B` pools datasets; `A[origin=xsum,label=1]` keeps the rows whose field or meta has these
    values; `A[documents=20]` those of the first 20 documents, which `limit` says for every one.
    A may be a file of labelled or rated pairs: its tasks are what its rows allow, and rows without
    a group belong to the document of their source. Raises ConfigError on a malformed name,
    DataError where nothing is left.
    """
    tasks: dict[str, None] = {}
    rows: list[Example] = []
    parts = re.findall(r"[^+\[\]]+(?:\[[^\]]*\])?", name)
    for part in parts:
        plain, filters = _filters(part, name)
        found = _of_file(plain) if _is_file(plain) else datasets.load(plain, data_dir=data_dir)
        most = _whole_number(filters.pop("documents", None), part) or limit
        kept = [e for e in found if all(_has(e, key, value) for key, value in filters.items())]
        if most is not None:
            first = set(list(dict.fromkeys(_document(e) for e in kept))[:most])
            kept = [e for e in kept if _document(e) in first]
        if not kept:
            raise DataError(f"dataset '{part}': none of {len(found)} rows is left")
        if plain in datasets.DATASETS:
            tasks |= dict.fromkeys(datasets.entry(plain).tasks)
        if len(parts) > 1:
            kept = [replace(e, id=f"{plain}/{e.id}") for e in kept]
        rows += kept
    return tuple(tasks) or _tasks(name, rows), rows


def _tasks(name: str, rows: Sequence[Example]) -> tuple[str, ...]:
    """What rows of no known dataset allow: `rating` where one is rated, `detection` where one is
    labelled. Raises DataError where none is either."""
    known = {"rating": any(e.rating is not None for e in rows),
             "detection": any(e.label is not None for e in rows)}  # fmt: skip
    if not any(known.values()):
        raise DataError(f"dataset '{name}': no row has a label or a rating to compare with")
    return tuple(task for task, has in known.items() if has)


def _is_file(name: str) -> bool:
    return bool(Path(name).suffix) and not name.startswith("hf:")


def _of_file(path: str) -> list[Example]:
    with open_pairs(path) as rows:
        return [e if e.group else replace(e, group=document_id(e.source)) for e in rows]


def _whole_number(text: str | None, part: str) -> int | None:
    if text is not None and not (text.isdecimal() and int(text) > 0):
        raise ConfigError(f"dataset '{part}': documents should be a whole number, found '{text}'")
    return None if text is None else int(text)


def _filters(part: str, name: str) -> tuple[str, dict[str, str]]:
    plain, _, inside = part.partition("[")
    pairs = [piece.partition("=") for piece in inside.rstrip("]").split(",") if piece]
    if any(not key or not equals for key, equals, _ in pairs):
        raise ConfigError(f"dataset '{name}': expected NAME[key=value,...], found '{part}'")
    return plain.strip(), {key.strip(): value.strip() for key, _, value in pairs}


def _has(example: Example, key: str, value: str) -> bool:
    found = getattr(example, key, None) if hasattr(example, key) else example.meta.get(key)
    return str(found) == value


def _document(example: Example) -> str:
    found = example.meta.get("document") or example.group
    if not found:
        raise DataError(
            f"row '{example.id}' has no group; intervals resample source documents, so each row "
            "must name its own"
        )
    return str(found)


def truth_of(example: Example) -> Truth:
    """A row without its texts."""
    meta = example.meta
    parts = [str(meta[key]) for key in ("origin", "era") if meta.get(key)]
    split = str(meta.get("split") or meta.get("cut") or "")
    return Truth(
        id=example.id,
        document=_document(example),
        pair=str(meta["pair"]) if meta.get("pair") is not None else None,
        system=example.system,
        label=example.label,
        rating=example.rating,
        error_types=tuple(meta.get("error_types") or ()),
        subset="/".join(parts) or None,
        validation=split in ("val", "valid", "validation", "dev"),
    )


def score_dataset(
    name: str,
    tasks: tuple[str, ...],
    examples: Sequence[Example],
    prepared: Sequence[Prepared],
    folder: Path,
    store: Cache,
    progress: Callable[[str, int, int], None],
) -> Table:
    """The dataset's truth and every metric's values, scored where the folder lacks them."""
    rows = [truth_of(example) for example in examples]
    table = Table(name, tasks, rows)
    digest = _digest(examples)
    folder.mkdir(parents=True, exist_ok=True)
    _write_lines(
        folder / f"{_slug(name)}.truth.jsonl",
        {"dataset": name, "tasks": list(tasks), "sha256": digest},
        ({"id": t.id, **_truth_row(t)} for t in rows),
    )
    paths = {
        one.label: folder
        / f"{_slug(name)}.{_slug(one.label)}-{one.signature.digest[:10]}.values.jsonl"
        for one in prepared
    }
    kept = {
        label: column
        for label, path in paths.items()
        if path.is_file() and (column := _load_column(path, digest)) and column.is_final()
    }
    missing = [one for one in prepared if one.label not in kept]
    for column in _score(
        missing, examples, store, lambda done: progress(name, done, len(examples))
    ):
        _save_column(paths[column.label], digest, column, [t.id for t in rows])
        _drop_older(paths[column.label], name, column.label)
        kept[column.label] = column
    table.columns = [kept[one.label] for one in prepared]
    return table


def _score(
    prepared: Sequence[Prepared],
    examples: Sequence[Example],
    store: Cache,
    tell: Callable[[int], None],
) -> list[Column]:
    """A column for each metric. All metrics see a batch before the next one is begun, so those that
    share a model share its passes, and a run that is stopped has lost one batch."""
    if not prepared:
        return []
    found: list[list[Score]] = []
    for _, rows in scored_batches(prepared, examples, store, progress=tell):
        found += rows
    return [
        Column(
            one.label,
            one.signature.short,
            one.metric.unit,
            tuple(row[number].value for row in found),
            tuple(str(row[number].outcome) for row in found),
        )
        for number, one in enumerate(prepared)
    ]


def columns_from(path: Path, truth: Sequence[Truth]) -> list[Column]:
    """The columns of a file that `faithkit score -o` wrote, joined with the truth by id.

    Raises DataError where a row of the truth has no score.
    """
    scores: dict[str, dict[str, Score]] = {}
    for found in score_lines(path):
        scores.setdefault(found.metric, {})[found.id] = found
    columns = []
    for label, by_id in scores.items():
        lacking = [t.id for t in truth if t.id not in by_id]
        if lacking:
            raise DataError(
                f"{path}: {label} has no score for {len(lacking)} of {len(truth)} rows, the first "
                f"'{lacking[0]}'; were other rows scored?"
            )
        own = [by_id[t.id] for t in truth]
        signature = own[0].signature
        columns.append(
            Column(
                label,
                signature.short if signature else label,
                "",
                tuple(score.value for score in own),
                tuple(str(score.outcome) for score in own),
            )
        )
    return columns


def load_folder(folder: Path) -> list[Table]:
    """The tables that an earlier run left, without reading any dataset or loading any model."""
    tables = []
    for path in sorted(folder.glob("*.truth.jsonl")):
        header, *rows = _read_lines(path)
        truth = [Truth(**{**row, "error_types": tuple(row["error_types"])}) for row in rows]
        table = Table(header["dataset"], tuple(header["tasks"]), truth)
        for values in sorted(folder.glob(f"{_slug(table.name)}.*.values.jsonl")):
            column = _load_column(values, header["sha256"])
            if column is not None:
                table.columns.append(column)
        if table.columns:
            tables.append(table)
    if not tables:
        raise DataError(f"{folder}: no benchmark results; `faithkit bench -o {folder}` makes them")
    return tables


def _truth_row(truth: Truth) -> dict[str, Any]:
    return {
        "document": truth.document,
        "pair": truth.pair,
        "system": truth.system,
        "label": truth.label,
        "rating": truth.rating,
        "error_types": list(truth.error_types),
        "subset": truth.subset,
        "validation": truth.validation,
    }


def _save_column(path: Path, digest: str, column: Column, ids: Sequence[str]) -> None:
    _write_lines(
        path,
        {
            "metric": column.label,
            "signature": column.signature,
            "unit": column.unit,
            "dataset_sha256": digest,
        },
        (
            {"id": identity, "value": value, "outcome": outcome}
            for identity, value, outcome in zip(ids, column.values, column.outcomes, strict=True)
        ),
    )


def _drop_older(path: Path, name: str, label: str) -> None:
    """Removes this metric's values under other signatures: a folder has each metric once."""
    for other in path.parent.glob(f"{_slug(name)}.{_slug(label)}-*.values.jsonl"):
        if other != path and _read_lines(other)[0].get("metric") == label:
            other.unlink()


def _load_column(path: Path, digest: str) -> Column | None:
    """A saved column, or None where it is about other rows."""
    header, *rows = _read_lines(path)
    if header.get("dataset_sha256") != digest:
        return None
    return Column(
        header["metric"],
        header["signature"],
        header["unit"],
        tuple(row["value"] for row in rows),
        tuple(row["outcome"] for row in rows),
    )


def _read_lines(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read ({error}); delete it and run again") from error


def _write_lines(path: Path, header: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8") as file:
        for row in _chain(header, rows):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    partial.replace(path)


def _chain(
    header: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    yield header
    yield from rows


def _digest(examples: Sequence[Example]) -> str:
    """Of the texts and ids: a column belongs to exactly these rows."""
    hashed = hashlib.sha256()
    for example in examples:
        for text in (example.id, example.source, example.summary):
            hashed.update(f"{len(text)}:".encode())
            hashed.update(text.encode())
    return hashed.hexdigest()


def _slug(text: str) -> str:
    return re.sub(r"[^\w+=,.-]", "_", text)[:80]

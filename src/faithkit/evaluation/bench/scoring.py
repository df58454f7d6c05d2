"""The rows of a benchmark, read, and the values of each metric on them, scored where the folder
lacks them.

What is in the folder (`folder.py`) is not scored again, so a new metric adds its own file and a new
statistic needs no model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from faithkit import datasets
from faithkit.cache import Cache
from faithkit.datasets.aggrefact import ERA_OF_CATEGORY
from faithkit.datasets.releases import parts as parts_of
from faithkit.evaluation.bench import folder as saved
from faithkit.evaluation.bench.columns import Column, Table, Truth
from faithkit.files import check_named, names_document, open_pairs
from faithkit.records import ConfigError, DataError, Example, Score
from faithkit.run import Prepared, scored_batches

ERAS = frozenset(ERA_OF_CATEGORY.values())
"""The eras of AggreFact's summarisers [FCLLM]."""


def read(
    name: str, data_dir: str | None, limit: int | None
) -> tuple[tuple[str, ...], list[Example]]:
    """The tasks and examples that a benchmark name asks for.

    `A+B` pools datasets; `A[origin=xsum,label=1]` keeps the rows whose field or meta has these
    values; `A[documents=20]` those of the first 20 documents, which `limit` says for every one.
    A may be a file of labelled or rated pairs: its tasks are what its rows allow, and rows without
    a document belong to that of their source's text. Raises ConfigError on a malformed name,
    DataError where nothing is left or only some rows name their document.
    """
    tasks: dict[str, None] = {}
    rows: list[Example] = []
    parts = parts_of(name)
    for part in parts:
        plain, filters = _filters(part, name)
        found = _of_file(plain) if _is_file(plain) else datasets.load(plain, data_dir=data_dir)
        most = _whole_number(filters.pop("documents", None), part) or limit
        kept = [e for e in found if all(_has(e, key, value) for key, value in filters.items())]
        if most is not None:
            first = set(list(dict.fromkeys(e.document for e in kept))[:most])
            kept = [e for e in kept if e.document in first]
        if not kept:
            raise DataError(f"dataset '{part}': none of {len(found)} rows is left"
                            + "".join(_choices(found, key) for key in filters))  # fmt: skip
        if plain in datasets.DATASETS:
            tasks |= dict.fromkeys(datasets.entry(plain).tasks)
        kept = _without_era(kept)
        if len(parts) > 1:
            kept = [replace(e, id=f"{plain}/{e.id}") for e in kept]
        rows += kept
    return tuple(tasks) or _tasks(name, rows), rows


def _tasks(name: str, rows: Sequence[Example]) -> tuple[str, ...]:
    """What rows of no known dataset allow: `rating` where one is rated, `detection` where one is
    labelled, `error_types` where one names its errors. Raises DataError where none is rated or
    labelled."""
    known = {"rating": any(e.rating is not None for e in rows),
             "detection": any(e.label is not None for e in rows)}  # fmt: skip
    if not any(known.values()):
        raise DataError(f"dataset '{name}': no row has a label or a rating to compare with")
    known["error_types"] = any(_names(e, key) for e in rows for key in saved.LISTS)
    return tuple(task for task, has in known.items() if has)


def _without_era(rows: list[Example]) -> list[Example]:
    """Rows of no era in a release that goes by eras are outside of its parts."""
    lacking = [e.meta.get("era") not in ERAS for e in rows]
    if all(lacking) or not any(lacking):
        return rows
    return [
        replace(e, meta={**e.meta, "outside": True}) if out else e
        for e, out in zip(rows, lacking, strict=True)
    ]


def _names(example: Example, key: str) -> tuple[str, ...]:
    """A list of names in `meta`, or a single one. Raises DataError on anything else."""
    value = example.meta.get(key)
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise DataError(f"row '{example.id}', field '{key}': expected a list of names, found {value!r}")


def _is_file(name: str) -> bool:
    return bool(Path(name).suffix) and not name.startswith("hf:")


def _of_file(path: str) -> list[Example]:
    with open_pairs(path) as rows:
        found = list(rows)
    check_named(path, [e.id for e in found], [names_document(e) for e in found])
    return found


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
    if key == "split" and value in datasets.VALIDATION:
        return datasets.is_validation(example)
    return _field(example, key) == value


def _field(example: Example, key: str) -> str:
    return str(getattr(example, key) if hasattr(example, key) else example.meta.get(key))


def _choices(rows: Sequence[Example], key: str) -> str:
    """What a filter could have asked for."""
    found = sorted({_field(row, key) for row in rows} - {"None"})
    if not found:
        return f"; no row has '{key}'"
    shown = ", ".join(found[:8]) + (", ..." if len(found) > 8 else "")
    return f"; '{key}' can be {shown}"


def truth_of(example: Example) -> Truth:
    """A row without its texts."""
    meta = example.meta
    outside = bool(meta.get("outside"))
    parts = [str(meta[key]) for key in ("origin", "era") if meta.get(key) and not outside]
    return Truth(
        id=example.id,
        document=example.document,
        pair=example.pair,
        system=example.system,
        label=example.label,
        rating=example.rating,
        error_types=_names(example, "error_types"),
        error_groups=_names(example, "error_groups"),
        subset="/".join(parts) or None,
        outside=outside,
        validation=datasets.is_validation(example),
    )


def score_dataset(
    name: str,
    tasks: tuple[str, ...],
    examples: Sequence[Example],
    prepared: Sequence[Prepared],
    folder: Path,
    store: Cache,
    progress: Callable[[str, int, int], None],
    notes: Sequence[str] = (),
) -> Table:
    """The dataset's truth and every metric's values, scored where the folder lacks them.

    notes  what was left out of the examples, for the table
    """
    rows = [truth_of(example) for example in examples]
    digest = saved.digest_of(text for one in examples for text in (one.id, one.source, one.summary))
    saved.save_truth(folder, name, tasks, rows, digest, notes)
    paths = {
        one.label: saved.values_path(folder, name, one.label, one.signature.digest)
        for one in prepared
    }
    kept = {
        label: column
        for label, path in paths.items()
        if path.is_file() and (column := saved.load_column(path, digest)) and column.is_final()
    }
    missing = [one for one in prepared if one.label not in kept]
    for column in _score(
        missing, examples, store, lambda done: progress(name, done, len(examples))
    ):
        saved.save_column(paths[column.label], name, digest, column, [t.id for t in rows])
        kept[column.label] = column
    return Table(name, tasks, rows, [kept[one.label] for one in prepared], list(notes))


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
        saved.column_of(
            one.label,
            [row[number] for row in found],
            one.metric.unit,
            one.metric.verdict_from(one.signature.options),
            one.trained_on,
        )
        for number, one in enumerate(prepared)
    ]

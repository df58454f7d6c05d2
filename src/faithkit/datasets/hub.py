"""Any dataset of the Hugging Face hub by its id and a mapping of columns, through `datasets`.

`hf:ID[@REVISION][?split=S&config=C&source=COLUMN&summary=COLUMN&label=COLUMN&...]`, for example
`hf:lytang/LLM-AggreFact?split=dev&source=doc&summary=claim`. The package is optional. Loading
scripts of datasets are never run. With FAITHKIT_OFFLINE=1 only the hub's cache is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any
from urllib.parse import parse_qsl

from faithkit.datasets.rows import ONE_ZERO, Row
from faithkit.network import is_offline
from faithkit.records import ConfigError, DataError, Example, did_you_mean

FIELDS = ("id", "source", "summary", "document", "pair", "system", "label", "rating")
OPTIONS = ("split", "config", "positive")


def read(name: str, split: str | None, columns: Mapping[str, str] | None) -> Iterator[Example]:
    """The examples of the dataset `name`, which begins with `hf:`. By default, a field is read from
    the column of the same name.

    The label is 1 or 0 as in its column; with `positive=VALUE` it is 1 if the column has VALUE,
    else 0. Other columns are put into `meta`. Raises ConfigError on an unknown option, DataError if
    the package is missing, the dataset cannot be loaded, or a column or label is missing or
    malformed.
    """
    identity, revision, options = _parse(name, columns or {})
    wanted = split or options.get("split")
    rows = _load(identity, revision, options.get("config"), wanted)
    fields = {field: options.get(field, field) for field in FIELDS}
    explicit = {field for field in FIELDS if field in options} | {"source", "summary"}
    for number, values in enumerate(rows):
        row = Row(f"{name.partition('?')[0]}, row {number + 1}", values)
        for field in explicit:
            row.get(fields[field])
        yield _example(row, number, fields, options.get("positive"))


def _parse(name: str, columns: Mapping[str, str]) -> tuple[str, str | None, dict[str, str]]:
    """The id, the revision and the options of a name. Raises ConfigError on an unknown option."""
    path, _, query = name.removeprefix("hf:").partition("?")
    identity, _, revision = path.partition("@")
    options = {**dict(parse_qsl(query, keep_blank_values=True)), **columns}
    names = (*FIELDS, *OPTIONS)
    for option in options:
        if option not in names:
            raise ConfigError(f"'{name}': unknown option '{option}'.{did_you_mean(option, names)}")
    if not identity:
        raise ConfigError("'hf:' needs the id of a dataset, as in hf:lytang/LLM-AggreFact")
    return identity, revision or None, options


def _load(identity: str, revision: str | None, config: str | None, split: str | None) -> Any:
    """The rows of one split. Raises DataError if they cannot be loaded."""
    try:
        import datasets  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise DataError(
            f"hf:{identity} needs the package datasets; install it with: pip install datasets"
        ) from error
    try:
        with _without_network(datasets) if is_offline() else nullcontext():
            loaded = datasets.load_dataset(identity, config, split=split, revision=revision)
    except (OSError, ValueError, RuntimeError) as error:
        variables = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")
        offline = is_offline() or any(map(os.environ.get, variables))
        why = " (offline mode is on)" if offline else ""
        raise DataError(
            f"hf:{identity} could not be loaded{why}: {error}. It needs the network or a copy in "
            "the hub's cache; a gated dataset needs its terms accepted and a login"
        ) from error
    if split is None and isinstance(loaded, dict):
        if len(loaded) != 1:
            raise DataError(
                f"hf:{identity} has the splits {', '.join(map(str, loaded))}; choose with split="
            )
        return next(iter(loaded.values()))
    return loaded


@contextmanager
def _without_network(datasets: Any) -> Iterator[None]:
    """Offline mode of the hub's libraries. They read their variables when they are imported, so
    that to set these would be too late, or stay."""
    from huggingface_hub import constants

    libraries: tuple[Any, ...] = (constants, datasets.config)
    before = [library.HF_HUB_OFFLINE for library in libraries]
    try:
        for library in libraries:
            library.HF_HUB_OFFLINE = True
        yield
    finally:
        for library, value in zip(libraries, before, strict=True):
            library.HF_HUB_OFFLINE = value


def _example(row: Row, number: int, fields: Mapping[str, str], positive: str | None) -> Example:
    source = row.text(fields["source"])
    label, rating = row.values.get(fields["label"]), row.values.get(fields["rating"])
    if label is not None and positive is not None:
        label = int(str(label) == positive)
    elif label is not None:
        label = row.choice(fields["label"], ONE_ZERO)
    return row.example(
        row.optional_name(fields["id"]) or str(number),
        source,
        row.text(fields["summary"]),
        document=row.optional_name(fields["document"]) or "",
        pair=row.optional_name(fields["pair"]),
        system=row.optional_name(fields["system"]),
        label=label,
        rating=None if rating is None else row.number(fields["rating"]),
        meta=row.rest(*fields.values()),
    )

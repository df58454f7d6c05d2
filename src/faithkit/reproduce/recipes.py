"""What a recipe is, and how its TOML file is read. Every field is checked; an unknown one is an
error, so that a misspelt setting is never left out silently."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from faithkit.annotation.task_files import RESERVED_NAMES
from faithkit.datasets.rows import flag
from faithkit.fields import Row
from faithkit.records import ConfigError, did_you_mean

PAPERS = ("FFLM", "MFAS", "FCLLM", "LSS", "STRESS")
"""The keys of docs/papers.md; a user's own recipe may name any other."""

ENDING = ".toml"

RESERVED_CODES = (
    "another_cause", "which_cause", "cases_drawn", "cases_coded", *RESERVED_NAMES,
)  # fmt: skip
"""Questions that every coding task has, rows that every tally has, and names that no question may
have."""


@dataclass(frozen=True, slots=True)
class DatasetUse:
    """Rows that a table is about.

    name             as `faithkit bench -d` takes it, filters and splits included
    consistent_from  the least rating that makes the label 1; None: the release's labels
    parts            the field of the rows (`system`, or a name of their meta) that divides them
                     into parts; "": origin and era, where the release has them
    recase           whether summaries without a capital are given them, as the loaders of [FFLM]
                     do for FRANK's
    """

    name: str
    consistent_from: float | None = None
    parts: str = ""
    recase: bool = False


@dataclass(frozen=True, slots=True)
class DatasetNeed:
    """A dataset of the paper, and what is read where its files are missing; None if nothing is."""

    key: str
    paper: DatasetUse
    stand_in: DatasetUse | None = None


@dataclass(frozen=True, slots=True)
class ModelNeed:
    """A model of the paper.

    name      as rows refer to it (`{llama-7b}`) and `--model llama-7b=PATH` replaces it
    id        a hub id, an address or an embedded name; "" where nothing can be named
    get       where to get it, in words; "" where the id says it
    stand_in  the embedded model that takes its place; "" where none can
    """

    name: str
    role: str
    id: str = ""
    get: str = ""
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class RowSpec:
    """A row of the table. At most one of `metric`, `field`, `constant` and `random` gives its
    values; with none of them the row has published cells only.

    metric    as `-m` takes it; `{NAME}` is a model of the recipe
    stand_in  the metric that takes its place where one of its models is missing; "": the same
              metric with the models' stand-ins
    field     a field of the rows' meta that holds scores (`published.DAE_score`)
    constant  every row's value: the baseline that calls everything consistent
    random    values drawn uniformly, by the seed
    fit       parts of the metric whose weights are searched on validation rows [FFLM §3]
    verdict   balanced accuracy is that of the metric's own verdicts, without a threshold [FCLLM]
    lss       the metric compares the claim with its longest supported subsequence, instead of the
              summary with its source [LSS]: "human", those of the annotators, or an lss_* metric,
              whose generator writes them
    lss_as_source  of these two the LSS is read as the source and the claim as the summary, for
              metrics of one direction; else the claim as the source, as BLEU's reference in the
              published code
    """

    title: str
    metric: str = ""
    stand_in: str = ""
    field: str = ""
    constant: float | None = None
    random: bool = False
    fit: tuple[str, ...] = ()
    verdict: bool = False
    lss: str = ""
    lss_as_source: bool = False


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A column of the table.

    dataset      a key of the recipe's datasets
    statistic    what is computed; see the recipe's kind
    part         "" for all rows, one part of them, or "*" for a column for each part
    suite        of the kind stress; its `part` is a kind of case
    thresholds   behind balanced accuracy, as `faithkit bench --thresholds` takes it
    error_cases  error rows of a type in each draw
    scale        least and greatest rating, for over-prediction; of the values, for bins
    times        by what ours is multiplied to be in the paper's unit
    metric       the row whose metric the column shows, where summarisers or values are the rows
    by           kind distribution: the field whose values each have a column
    bins         kind distribution: into how many parts of the scale values are counted; 0: each
    """

    title: str
    dataset: str
    statistic: str
    part: str = ""
    suite: str = ""
    thresholds: str = "dataset"
    error_cases: int = 50
    scale: tuple[float, float] | None = None
    times: float = 100.0
    metric: str = ""
    by: str = ""
    bins: int = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """One published table.

    name          the file's, which the command takes
    table         as the paper calls it; `about` says what it shows
    kind          a name of `kinds.KINDS`
    published     row title to column title to the published number
    source        where the published numbers were read
    differs       what differs from the paper in every run, a sentence each
    combinations  row titles that are combined (kind combination)
    growing       whether metrics are also added one by one (kind combination)
    codes         causes of error that people tick (kind coding)
    limit         the documents (stress: rows) of each dataset that are enough; None: all
    rewriter      kind stress: the model of the recipe that rewrites summaries as further edits,
                  and `checker`, the one that discards rewritings which changed the facts; "": none
    """

    name: str
    paper: str
    table: str
    about: str
    kind: str
    datasets: tuple[DatasetNeed, ...]
    models: tuple[ModelNeed, ...]
    rows: tuple[RowSpec, ...]
    columns: tuple[ColumnSpec, ...]
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    source: str = ""
    differs: tuple[str, ...] = ()
    combinations: tuple[tuple[str, ...], ...] = ()
    growing: bool = False
    codes: tuple[str, ...] = ()
    limit: int | None = None
    rewriter: str = ""
    checker: str = ""

    @property
    def shown(self) -> str:
        """`[FFLM] Table 3`."""
        return f"[{self.paper}] {self.table}"


@cache
def names() -> tuple[str, ...]:
    """The recipes that come with the package, by paper and then by table."""
    recipes = [
        item.name.removesuffix(ENDING)
        for item in package_files("faithkit.reproduce").joinpath("recipes").iterdir()
        if item.name.endswith(ENDING)
    ]
    papers = [paper.lower() for paper in PAPERS]
    return tuple(sorted(recipes, key=lambda name: (papers.index(name.partition("-")[0]), name)))


def load(name: str) -> Recipe:
    """A recipe by name, or the user's own by the path of its file. Raises ConfigError on an
    unknown name, and as `parse`."""
    path = Path(name)
    if path.suffix == ENDING:
        try:
            return parse(path.read_text(encoding="utf-8"), path.stem, str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot be read as text ({error})") from error
    if name not in names():
        raise ConfigError(f"There is no recipe '{name}'.{did_you_mean(name, names())}")
    file = package_files("faithkit.reproduce").joinpath("recipes", name + ENDING)
    return parse(file.read_text("utf-8"), name, f"recipe {name}")


def parse(text: str, name: str, place: str) -> Recipe:
    """A recipe's TOML. Raises ConfigError on what is no TOML, an unknown field and a reference to
    a dataset, model or row that the recipe does not have; DataError on a field of a wrong type."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{place}: not TOML: {error}") from error
    row = Row(place, values)
    tables = ("datasets", "models", "rows", "columns", "published", "columns_default")
    known = {item.name for item in fields(Recipe)} - {"name"} | set(tables)
    _check_fields(row, known)
    limit = row.values.get("limit")
    recipe = Recipe(
        name,
        paper=row.name("paper"),
        table=row.name("table"),
        about=row.text("about"),
        kind=row.name("kind"),
        datasets=tuple(_dataset(key, item) for key, item in _tables(row, "datasets")),
        models=tuple(_model(key, item) for key, item in _tables(row, "models")),
        rows=tuple(_row(row.inner("rows", str(i), v)) for i, v in _list(row, "rows")),
        columns=_columns(row),
        published={title: _numbers(item) for title, item in _tables(row, "published")},
        source=row.text("source") if "source" in values else "",
        differs=_texts(row, "differs"),
        combinations=tuple(
            tuple(map(str, item)) for item in values.get("combinations", ()) if item
        ),
        growing=flag(row, "growing") if "growing" in values else False,
        codes=_texts(row, "codes"),
        limit=None if limit is None else row.whole("limit"),
        rewriter=row.name("rewriter") if "rewriter" in values else "",
        checker=row.name("checker") if "checker" in values else "",
    )
    _check(recipe, place)
    return recipe


def _check(recipe: Recipe, place: str) -> None:
    """References between the recipe's own tables, and its kind."""
    from faithkit.reproduce.kinds import KINDS

    keys = {item.key for item in recipe.datasets}
    titles = {item.title for item in recipe.rows}
    _one_of(place, "kind", recipe.kind, KINDS)
    for column in recipe.columns:
        _one_of(place, f"column '{column.title}': dataset", column.dataset, keys)
        if column.metric:
            _one_of(place, f"column '{column.title}': metric", column.metric, titles)
    for name in filter(None, (recipe.rewriter, recipe.checker)):
        _one_of(place, "rewriter and checker: model", name, {m.name for m in recipe.models})
    if bool(recipe.rewriter) != bool(recipe.checker):
        raise ConfigError(f"{place}: a rewriter needs a checker, and a checker a rewriter")
    if len(titles) < len(recipe.rows):
        raise ConfigError(f"{place}: two rows have the same title")
    for item in recipe.rows:
        for name in models_of(item.metric + item.stand_in + item.lss):
            _one_of(place, f"row '{item.title}': model", name, {m.name for m in recipe.models})
    for names_ in recipe.combinations:
        for title in names_:
            _one_of(place, "combinations: row", title, titles)
    if recipe.published and not recipe.source:
        raise ConfigError(f"{place}: published cells need a source")
    _check_codes(recipe, f"{place}, field 'codes'")


def _check_codes(recipe: Recipe, place: str) -> None:
    if (recipe.kind == "coding") != bool(recipe.codes):
        raise ConfigError(f"{place}: a recipe of the kind coding has codes, no other has")
    by_name: dict[str, str] = {}
    for code in recipe.codes:
        name = code_name(code)
        if not name or name in RESERVED_CODES:
            why = "is reserved" if name else "has no letter and no digit"
            raise ConfigError(f"{place}: '{code}' {why}")
        if name in by_name:
            raise ConfigError(f"{place}: '{code}' and '{by_name[name]}' are the same")
        by_name[name] = code


def code_name(code: str) -> str:
    """The name of a code's answer in a store: its letters, digits and `_`."""
    return "_".join(re.findall(r"[^\W_]+", code.lower()))


def _one_of(place: str, what: str, name: str, choices: Sequence[str] | Mapping[str, Any] | set[str]
            ) -> None:  # fmt: skip
    if name not in choices:
        raise ConfigError(f"{place}, {what}: there is no '{name}'.{did_you_mean(name, choices)}")


def models_of(metric: str) -> list[str]:
    """The names of the recipe's models in a row's metric: what is between braces."""
    return [piece.partition("}")[0] for piece in metric.split("{")[1:]]


def _dataset(key: str, row: Row) -> DatasetNeed:
    _check_fields(row, {item.name for item in fields(DatasetUse)} | {"stand_in"})
    stand_in_value = row.values.get("stand_in")
    if isinstance(stand_in_value, str):
        stand_in_value = {"name": stand_in_value}
    stand_in = None if stand_in_value is None else _use(row.inner("stand_in", "", stand_in_value))
    return DatasetNeed(key, _use(row), stand_in)


def _use(row: Row) -> DatasetUse:
    cut = row.number("consistent_from") if "consistent_from" in row.values else None
    recase = flag(row, "recase") if "recase" in row.values else False
    return DatasetUse(row.name("name"), cut, str(row.values.get("parts", "")), recase)


def _model(name: str, row: Row) -> ModelNeed:
    _check_fields(row, {item.name for item in fields(ModelNeed)})
    texts = {key: row.text(key) for key in ("id", "get", "stand_in") if key in row.values}
    return ModelNeed(name, row.name("role"), **texts)


def _row(row: Row) -> RowSpec:
    _check_fields(row, {item.name for item in fields(RowSpec)})
    texts = {
        key: row.text(key) for key in ("metric", "stand_in", "field", "lss") if key in row.values
    }
    return RowSpec(
        row.name("title"),
        **texts,
        constant=row.number("constant") if "constant" in row.values else None,
        random=flag(row, "random") if "random" in row.values else False,
        fit=_texts(row, "fit"),
        verdict=flag(row, "verdict") if "verdict" in row.values else False,
        lss_as_source=flag(row, "lss_as_source") if "lss_as_source" in row.values else False,
    )


def _columns(row: Row) -> tuple[ColumnSpec, ...]:
    """The columns, each over the fields of `columns_default`."""
    shared = row.values.get("columns_default", {})
    if not isinstance(shared, dict):
        raise row.wrong("columns_default", "a table")
    columns = [
        _column(row.inner("columns", str(i), {**shared, **value} if isinstance(value, dict)
                          else value))
        for i, value in _list(row, "columns")
    ]  # fmt: skip
    if not columns:
        raise ConfigError(f"{row.place}: a recipe needs columns")
    return tuple(columns)


def _column(row: Row) -> ColumnSpec:
    _check_fields(row, {item.name for item in fields(ColumnSpec)})
    texts = {
        key: row.name(key)
        for key in ("suite", "part", "thresholds", "metric", "by")
        if key in row.values
    }
    return ColumnSpec(
        row.name("title"),
        row.name("dataset"),
        row.name("statistic"),
        error_cases=row.whole("error_cases") if "error_cases" in row.values else 50,
        scale=_scale(row),
        times=row.number("times") if "times" in row.values else 100.0,
        bins=row.whole("bins") if "bins" in row.values else 0,
        **texts,
    )


def _scale(row: Row) -> tuple[float, float] | None:
    scale = row.items("scale") if "scale" in row.values else None
    if scale is None:
        return None
    if not (len(scale) == 2 and all(isinstance(end, int | float) for end in scale)
            and scale[0] < scale[1]):  # fmt: skip
        raise row.wrong("scale", "the least and the greatest value")
    return float(scale[0]), float(scale[1])


def _list(row: Row, key: str) -> list[tuple[int, object]]:
    return list(enumerate(row.items(key) if key in row.values else (), start=1))


def _tables(row: Row, key: str) -> list[tuple[str, Row]]:
    values = row.values.get(key, {})
    if not isinstance(values, dict):
        raise row.wrong(key, "a table")
    return [(name, row.inner(key, name, item)) for name, item in values.items()]


def _texts(row: Row, key: str) -> tuple[str, ...]:
    values = row.items(key) if key in row.values else []
    if not all(isinstance(value, str) for value in values):
        raise row.wrong(key, "a list of texts")
    return tuple(values)


def _numbers(row: Row) -> dict[str, float]:
    return {title: row.number(title) for title in row.values}


def _check_fields(row: Row, known: set[str]) -> None:
    for name in row.values:
        if name not in known:
            raise ConfigError(f"{row.place}: unknown field '{name}'.{did_you_mean(name, known)}")

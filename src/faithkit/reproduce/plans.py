"""What a recipe needs on this machine: which datasets and models are available, where to get the
others, and what replaces them. Nothing is read, loaded or downloaded here."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from faithkit import models
from faithkit.datasets import DATASETS, entry, find_file, sources
from faithkit.datasets.releases import parts as parts_of
from faithkit.evaluation.examples import split_filters
from faithkit.models import store
from faithkit.records import ConfigError, ModelError, did_you_mean
from faithkit.reproduce.recipes import DatasetUse, ModelNeed, Recipe, RowSpec, models_of

THERE, MISSING = "there", "missing"


@dataclass(frozen=True, slots=True)
class Need:
    """A dataset or model of a recipe.

    what      dataset or model
    name      the dataset as `bench` names it, or the recipe's name of the model
    state     THERE or MISSING
    get       where to get it and where to put it
    stand_in  what `--stand-in` takes in its place; "" where nothing can
    ready     whether the stand-in is available
    """

    what: str
    name: str
    state: str
    get: str
    stand_in: str = ""
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A recipe with what is used of it.

    datasets  key to the rows that are read; a key that is not here has none
    metrics   row title to the metric that is run
    generators  row title to the lss_* metric that writes what the metric compares
    rewriter, checker   the models that rewrite summaries and check the rewritings; "" without them
    replaced  what takes the place of what, a line each
    left_out  rows and columns that cannot be run, with the reason, a line each
    """

    recipe: Recipe
    datasets: Mapping[str, DatasetUse]
    metrics: Mapping[str, str]
    generators: Mapping[str, str]
    rewriter: str = ""
    checker: str = ""
    replaced: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def own_data(self) -> bool:
        """Whether every dataset is the paper's own."""
        needed = {item.key: item.paper for item in self.recipe.datasets}
        return needed == dict(self.datasets)

    @property
    def complete(self) -> bool:
        """Whether the paper's own datasets and models are used, and no row or column lacks."""
        return not self.replaced and not self.left_out


@dataclass(slots=True)
class _Lines:
    replaced: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def parse_models(recipes: list[Recipe], given: list[str]) -> dict[str, str]:
    """`NAME=PATH` as the user's models by name. Raises ConfigError on a malformed one, and on a
    name that none of the recipes has."""
    known = [item.name for recipe in recipes for item in recipe.models]
    chosen = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not path:
            raise ConfigError(f"--model wants NAME=PATH, as llama-7b=/models/llama, found '{text}'")
        if name not in known:
            hint = did_you_mean(name, known) if known else " It names none."
            raise ConfigError(f"--model {text}: the recipe has no model '{name}'.{hint}")
        chosen[name] = path
    return chosen


def parse_limits(
    planned: Sequence[Plan], given: Sequence[str]
) -> tuple[int | None, dict[str, int]]:
    """`N` and `NAME=N`: the limit of each dataset, None without one, and those of single datasets
    by name. Raises ConfigError on a malformed one, and on a dataset that none of the plans reads
    by documents (stress recipes are limited by kinds of cases)."""
    known = sorted({
        use.name for plan in planned if plan.recipe.kind != "stress"
        for use in plan.datasets.values()
    })  # fmt: skip
    limit, limits = None, {}
    for text in given:
        name, named, number = text.rpartition("=")
        if not number.isdecimal() or int(number) < 1:
            raise ConfigError(f"--limit wants a number from 1 on, or NAME=N, found '{text}'")
        if not named:
            limit = int(number)
        elif name in known:
            limits[name] = int(number)
        else:
            hint = did_you_mean(name, known) if known else ""
            raise ConfigError(f"--limit {text}: no documents of '{name}' are read here.{hint}")
    return limit, limits


def needs(
    recipe: Recipe, data_dir: str | None = None, given: Mapping[str, str] | None = None
) -> list[Need]:
    """Everything the recipe needs, datasets first. given: the user's models by name."""
    listed = []
    for item in recipe.datasets:
        missing = _missing_files(item.paper.name, data_dir)
        stand_in = "" if item.stand_in is None else item.stand_in.name
        ready = bool(stand_in) and not _missing_files(stand_in, data_dir)
        listed.append(Need("dataset", item.paper.name, MISSING if missing else THERE,
                           missing, stand_in, ready))  # fmt: skip
    for model in recipe.models:
        missing = _missing_model(model, (given or {}).get(model.name))
        ready = bool(model.stand_in) and not _not_ready(model.role, model.stand_in)
        listed.append(Need("model", model.name, MISSING if missing else THERE,
                           missing, model.stand_in, ready))  # fmt: skip
    return listed


def plan(
    recipe: Recipe,
    data_dir: str | None = None,
    given: Mapping[str, str] | None = None,
    *,
    stand_in: bool = False,
    only: Collection[str] = (),
    offline: bool = False,
) -> Plan:
    """What is run.

    stand_in  whether what is missing may be replaced, or else left out
    only      the titles of the rows that are run; empty: all
    offline   whether a stand-in that would have to be downloaded is missing too
    Raises ConfigError on a row that the recipe does not have; without `stand_in`, naming
    everything that is missing; and where with it no dataset or no row is left.
    """
    recipe, without = _narrowed(recipe, only)
    missing = [need for need in needs(recipe, data_dir, given) if need.state == MISSING]
    if missing and not stand_in:
        raise ConfigError(
            f"{recipe.name} needs what is not here: "
            + "; ".join(f"{need.what} {need.name} ({need.get})" for need in missing)
            + ". With --stand-in it runs with embedded models on what is here"
        )
    lines = _Lines()
    lacking = {need.name for need in missing if need.what == "dataset"}
    datasets = {}
    for item in recipe.datasets:
        if item.paper.name not in lacking:
            datasets[item.key] = item.paper
        elif item.stand_in and not _missing_files(item.stand_in.name, data_dir):
            datasets[item.key] = item.stand_in
            lines.replaced.append(f"dataset {item.paper.name}: {item.stand_in.name} instead")
        else:
            lines.left_out.append(f"dataset {item.paper.name} is not here")
    absent = {need.name for need in missing if need.what == "model"}
    names = {model.name: (given or {}).get(model.name) or model.id for model in recipe.models}
    not_ready = {need.name for need in missing if need.what == "model" and not need.ready}
    chooser = _Chooser(recipe, names, absent, not_ready if offline else set(), lines)
    metrics, generators = {}, {}
    for row in recipe.rows:
        metric, generator = chooser.metric(row), chooser.named(row.lss, row.title)
        if metric and generator is not None:
            metrics[row.title] = metric
            generators[row.title] = generator
    rewriter, checker = (
        chooser.named("{" + name + "}", f"of the {role}") if name else ""
        for role, name in (("rewriter", recipe.rewriter), ("checker", recipe.checker))
    )
    has_rows = metrics or any(row.field or row.constant is not None for row in recipe.rows)
    if not datasets or (recipe.rows and not has_rows) or rewriter is None or checker is None:
        raise ConfigError(f"{recipe.name}: nothing is left to run. {'; '.join(lines.left_out)}")
    return Plan(recipe, datasets, metrics, generators, rewriter, checker,
                tuple(dict.fromkeys(lines.replaced)),
                tuple(dict.fromkeys([*lines.left_out, *without])))  # fmt: skip


def _narrowed(recipe: Recipe, only: Collection[str]) -> tuple[Recipe, list[str]]:
    """The recipe with these rows and the models that they name, and a line for the others."""
    if not only:
        return recipe, []
    titles = [row.title for row in recipe.rows]
    for title in only:
        if title not in titles:
            raise ConfigError(f"{recipe.name} has no row '{title}'.{did_you_mean(title, titles)}")
    rows = tuple(row for row in recipe.rows if row.title in only)
    named = {name for row in rows for name in models_of(row.metric + row.stand_in + row.lss)}
    named |= {recipe.rewriter, recipe.checker}
    models_left = tuple(model for model in recipe.models if model.name in named)
    without = ", ".join(title for title in titles if title not in only)
    narrowed = replace(recipe, rows=rows, models=models_left)
    return narrowed, [f"rows not asked for: {without}"] if without else []


@dataclass(frozen=True, slots=True)
class _Chooser:
    """Puts models into the recipe's metrics.

    names   of every model
    absent  those that are not here
    unmet   of these, those whose stand-in cannot be had either
    """

    recipe: Recipe
    names: Mapping[str, str]
    absent: set[str]
    unmet: set[str]
    lines: _Lines

    def metric(self, row: RowSpec) -> str | None:
        """The metric of a row, its stand-in where a model is missing; None without one."""
        if not row.metric:
            return None
        if row.stand_in and any(name in self.absent for name in models_of(row.metric)):
            named = self.named(row.stand_in, row.title)
            if named is not None:
                self.lines.replaced.append(
                    f"{row.title}: `{named}` instead of `{_plain(row.metric)}`"
                )
            return named
        return self.named(row.metric, row.title)

    def named(self, text: str, title: str) -> str | None:
        """The text with its models' names; None where one is missing without a stand-in."""
        by_name = {model.name: model for model in self.recipe.models}
        replaced = []
        for name in models_of(text):
            put = self.names[name]
            if name in self.absent:
                put = by_name[name].stand_in
                if not put or name in self.unmet:
                    line = f"row {title}: the model {name} is not here"
                    pull = f", nor its stand-in {put}: `faithkit models pull {put}`" if put else ""
                    self.lines.left_out.append(line + pull)
                    return None
                replaced.append(f"model {name}: {put} instead")
            text = text.replace("{" + name + "}", put)
        self.lines.replaced += replaced
        return text


def _plain(metric: str) -> str:
    return metric.replace("{", "").replace("}", "")


def _missing_files(name: str, data_dir: str | None) -> str:
    """Instructions for getting the missing files of a dataset; "" if none is missing."""
    lines = []
    for part in parts_of(name):
        plain, filters = split_filters(part, name)
        if plain.startswith("hf:"):
            continue
        if Path(plain).suffix and plain not in DATASETS:
            if not Path(plain).is_file():
                lines.append(f"no file {plain}")
            continue
        dataset = entry(plain)
        of_split = [
            spec for key, spec in dataset.split_files.items() if key == filters.get("split")
        ]
        specs = [*dataset.files, *(of_split or dataset.split_files.values())]
        if absent := [spec for spec in specs if find_file(spec, data_dir=data_dir) is None]:
            wanted = ", ".join(f"DATA/{spec.split('|')[0]}" for spec in absent)
            lines.append(f"get {sources()[dataset.source]['get']}; put it at {wanted}")
    return "; ".join(dict.fromkeys(lines))


def _missing_model(model: ModelNeed, path: str | None) -> str:
    """Instructions for getting a missing model; "" if it is not missing."""
    how = f"name a folder with --model {model.name}=PATH"
    if path is None and not model.id:
        return f"{model.get}; {how}" if model.get else how
    if not _not_ready(model.role, path or model.id):
        return ""
    if path is not None:
        return f"'{path}' cannot be loaded as a model of the role {model.role}"
    return f"{model.get or f'the Hugging Face hub has {model.id}'}; {how}"


def _not_ready(role: str, name: str) -> bool:
    """Whether a model cannot be loaded without the network, or is behind an API without its key."""
    if f"{role}:{name.partition(':')[0]}" in models.RULES:
        return False
    if name.startswith("openai/"):
        return not os.environ.get("OPENAI_API_KEY")
    if name.startswith(models.ADDRESSES):
        return False
    artefact = store.find(role, name)
    if artefact is not None:
        return not store.status(artefact).ready
    if Path(name).expanduser().is_dir():
        return False
    if importlib.util.find_spec("huggingface_hub") is None:
        return True  # there is no cache of the hub to look into
    try:
        models.resolve(role, name, offline=True, pull=False)
    except ModelError:
        return True
    return False

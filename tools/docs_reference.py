"""Writes the generated pages of the documentation: the commands from the program itself, the
metrics from their declarations and docstrings. `tools/docs_site.py` puts them into the site.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import typer

from docs_docstrings import definition, inline_markdown, markdown
from faithkit.cli import app
from faithkit.extras import extra_of
from faithkit.metrics import loading, options
from faithkit.metrics.base import Metric
from faithkit.metrics.registry import METRICS
from faithkit.metrics.spec import MetricSpec

FAMILIES: dict[str, tuple[str, str]] = {
    "support": ("The support model", "faithkit.metrics.support"),
    "entailment": ("Entailment", "faithkit.metrics.entailment"),
    "summac": ("SummaC", "faithkit.metrics.summac"),
    "subsequence": ("Longest supported subsequence", "faithkit.metrics.lss"),
    "bertscore": ("Similar tokens", "faithkit.metrics.bertscore"),
    "sentsim": ("Similar sentences", "faithkit.metrics.sentsim"),
    "entities": ("Named entities", "faithkit.metrics.facts"),
    "triples": ("Triples of open information extraction", "faithkit.metrics.openie"),
    "roles": ("Semantic roles", "faithkit.metrics.srl"),
    "arcs": ("Dependency arcs", "faithkit.metrics.arcs"),
    "novelty": ("Novel words", "faithkit.metrics.novelty"),
    "overlap": ("Overlap of words", "faithkit.metrics.overlap"),
    "likelihood": ("Likelihood", "faithkit.metrics.probability"),
    "questions": ("Questions and answers", "faithkit.metrics.qgqa"),
    "judge": ("A chat model as judge", "faithkit.metrics.judge.judge"),
    "checkpoints": ("Published checkpoints", "faithkit.metrics.checkpoints"),
    "lettucedetect": ("LettuceDetect", "faithkit.metrics.lettucedetect"),
    "combine": ("A learned combination", "faithkit.metrics.learned.combine"),
    "calibrated": ("A calibrated metric", "faithkit.metrics.learned.calibrated"),
}
"""Pages of metrics: title, and the module whose metrics are on it."""

TORCH = {"embed", "tokens", "lm", "check", "spans", "chat"}
"""Roles of models that run by torch."""


def pages() -> dict[str, str]:
    """Every generated page: its path within the site, and its Markdown."""
    return {**dict(_command_pages()), **dict(_metric_pages())}


def _command_pages() -> Iterator[tuple[str, str]]:
    program: Any = typer.main.get_command(app)
    context = program.context_class(program, info_name="faithkit")
    names = program.list_commands(context)
    summaries = []
    for name in names:
        command = program.get_command(context, name)
        within = program.context_class(command, info_name=name, parent=context)
        about = (command.help or "").split("\n\n")[0]
        summaries.append(
            definition(f"[`faithkit {name}`](commands/{name}.md)", " ".join(about.split()))
        )
        yield f"reference/commands/{name}.md", "\n\n".join(_command(command, within, "#")) + "\n"
    tree = ["```{toctree}", ":hidden:", "", *(f"commands/{name}" for name in names), "```"]
    yield (
        "reference/commands.md",
        "\n\n".join(
            [
                "# The command line",
                inline_markdown(" ".join((program.help or "").split())),
                "These pages are written from the program: they say what `--help` says. A command "
                "ends with 0, with 1 where a gate fails, with 2 where input, option or model is "
                "wrong (one line on standard error says why), with 3 where `--strict` is not met.",
                *summaries,
                "\n".join(tree),
            ]
        )
        + "\n",
    )


def _command(command: Any, context: Any, level: str) -> Iterator[str]:
    """A command: usage, what it does, its arguments and options, and those below it."""
    yield f"{level} {context.command_path}"
    yield "\n".join(["```text", command.get_usage(context).removeprefix("Usage: "), "```"])
    yield markdown(command.help or "", "../../papers.md")
    for kind in ("argument", "option"):
        shown = [one for one in command.get_params(context) if one.param_type_name == kind]
        records = [record for one in shown if (record := one.get_help_record(context))]
        if [names for names, _ in records] in ([], ["--help"]):
            continue
        yield f"**{kind.capitalize()}s**"
        yield from (definition(f"`{names}`", text) for names, text in records)
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        below = command.get_command(context, name)
        within = command.context_class(below, info_name=name, parent=context)
        yield from _command(below, within, f"{level}#")


def _metric_pages() -> Iterator[tuple[str, str]]:
    by_module: dict[str, list[str]] = {}
    for name, target in METRICS.items():
        by_module.setdefault(target.partition(":")[0], []).append(name)
    if left := set(by_module) ^ {module for _, module in FAMILIES.values()}:
        raise ValueError(f"FAMILIES does not fit the table of metrics: {', '.join(sorted(left))}")
    lines = ["| metric | from | to | what the number means |", "| --- | --- | --- | --- |"]
    for page, (title, module) in FAMILIES.items():
        names = by_module[module]
        for name in names:
            metric = _class(name)
            low, high = (_bound(bound) for bound in metric.bounds)
            link = f"[`{name}`](metrics/{page}.md#{name.lower()})"
            lines.append(f"| {link} | {low} | {high} | {inline_markdown(metric.unit)} |")
        yield f"reference/metrics/{page}.md", "\n\n".join(_family(title, module, names)) + "\n"
    tree = ["```{toctree}", ":hidden:", "", *(f"metrics/{page}" for page in FAMILIES), "```"]
    yield "reference/metrics.md", "\n\n".join(
        ["# Metrics",
         "Each metric with what it computes, its options and its limitations, from its own "
         "declaration: `faithkit metrics info NAME` prints the same. Higher is always more "
         "faithful. What was measured of them, side by side: [results](../results.md) and "
         "[stress tests](../stress.md).", "\n".join(lines), "\n".join(tree)]
    ) + "\n"  # fmt: skip


def _family(title: str, module: str, names: list[str]) -> Iterator[str]:
    yield f"# {title}"
    about = importlib.import_module(module).__doc__ or ""
    # What follows is for those who read the code.
    yield markdown(about.partition("What lives here")[0], "../../papers.md")
    for name in names:
        yield f"## {name}"
        yield from _metric(_class(name))


def _metric(metric: type[Metric]) -> Iterator[str]:
    low, high = (_bound(bound) for bound in metric.bounds)
    yield f"*{inline_markdown(metric.unit[0].upper() + metric.unit[1:])}*; {low} to {high}."
    yield markdown(options.about(metric), "../../papers.md")
    if metric.limitations:
        yield f"**Limitations.** {inline_markdown(metric.limitations, '../../papers.md')}"
    needed = [f"`{extra}`" for extra in _extras(metric)]
    if needed:
        yield f"Needs the extra {' and '.join(needed)} ([install](../../install.md))."
    described = options.describe(metric)
    if described:
        rows = [
            f"| `{name}` | {_cell(takes)} | {_cell(default)} |"
            for name, takes, default in described
        ]
        yield "\n".join(["| option | takes | default |", "| --- | --- | --- |", *rows])
    for name, settings in metric.presets.items():
        shown = ", ".join(f"`{key}={value}`" for key, value in settings.items())
        yield f"Preset `{name}`: {shown or 'the defaults'}."


def _extras(metric: type[Metric]) -> list[str]:
    """The extras without which the metric does not run with its defaults."""
    defaults = {name: p.default for name, p in options.parameters_of(metric).items()}
    roles = {model.partition(":")[0] for model in metric.models_for(defaults).values()}
    extras = {extra for package in metric.packages if (extra := extra_of(package))}
    return sorted(extras | ({"torch"} if roles & TORCH else set()))


def _class(name: str) -> type[Metric]:
    return loading.class_of(MetricSpec.parse(name))


def _bound(bound: float) -> str:
    return {"inf": "∞", "-inf": "−∞"}.get(f"{bound:g}", f"{bound:g}".replace("-", "−"))


def _cell(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""

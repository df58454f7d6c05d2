"""The options that several commands share, each declared once.

An option is an annotated type; options that belong together are a group, a dataclass of them. A
command takes a group as one parameter, and `flatten_options` gives it to Typer option by option.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from faithkit.network import OFFLINE

if TYPE_CHECKING:
    from pathlib import Path

    from faithkit.cache import Cache
    from faithkit.columns import Columns
    from faithkit.models.runtime import Runtime

Command = Callable[..., None]

OPTION_ORDER = (
    "column", "labels", "input_format", "data_dir", "batch_size", "device", "dtype", "offline",
    "cache", "no_cache", "json_output", "quiet",
)  # fmt: skip
"""The options that most commands have are at the end of every --help, in this order."""

PAIRS_HELP = (
    "JSONL, JSON, CSV, TSV, Parquet or XLSX by ending, plain or .gz; - for stdin; or a dataset's "
    "name: DATASET[split=val] takes one split, DATASET[key=value,...] the rows whose field has the "
    "value."
)

PairsArgument = Annotated[str, typer.Argument(help=PAIRS_HELP)]


def _metric_option(how_many: str) -> Any:
    return typer.Option("-m", "--metric", help=f"NAME[:key=value,...] or path.py:Class; {how_many}")


MetricOption = Annotated[list[str] | None, _metric_option("repeatable.")]
DefaultMetricOption = Annotated[list[str] | None, _metric_option("repeatable. Default: support.")]
NeededMetricOption = Annotated[list[str] | None, _metric_option("required; repeatable.")]
SavedMetricOption = Annotated[
    list[str] | None, _metric_option("repeatable. Required without --from.")
]
OneMetricOption = Annotated[list[str] | None, _metric_option("one. Required without --from.")]
SeveralMetricsOption = Annotated[
    list[str] | None, _metric_option("two or more, repeated. Required without --from.")
]
FiguresPageOption = Annotated[
    str | None, typer.Option("--html", help="Write figures and plots as an HTML page (.html).")
]
HtmlOption = Annotated[str | None, typer.Option("--html", help="Write an HTML report (.html).")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SeedOption = Annotated[int, typer.Option(help="Random seed.")]
DrawsOption = Annotated[int, typer.Option(min=10, help="Bootstrap draws, by source document.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Exit 3 if a row has no score.")]
PlotOption = Annotated[str | None, typer.Option(help="Write a plot (.png or .svg).")]
AllRowsOption = Annotated[
    bool,
    typer.Option(
        "--all-rows",
        help="Fit on all rows. Default: on the validation split, if there is one, so that the rest "
        "stays for testing.",
    ),
]
LssDataArgument = Annotated[
    str,
    typer.Argument(
        help="The release's CSV, a JSONL with source, summary and annotations (a list of "
        "objects with lss and lss_star), or the dataset lss."
    ),
]
DataOption = Annotated[
    str | None,
    typer.Option(help="Folder with the datasets' files; FAITHKIT_DATA does the same."),
]
BatchOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Batch size. Default: 8 to 64, so that a batch takes about two seconds.",
    ),
]
GateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        help="Fail (exit 1) if a metric's mean is below X or a row has no score. METRIC=X applies "
        "to one metric; repeatable.",
    ),
]
PresetOption = Annotated[
    str | None, typer.Option(help="Use this preset for every metric that has it: paper.")
]
LearnedFilesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="A file to learn from: a name of the data folder, the path of a .jsonl that "
        "`faithkit export` wrote, or of a file of premise, hypothesis and label; repeatable. "
        "Default: all of the data folder."
    ),
]
HeldOutOption = Annotated[
    float, typer.Option(help="Share of the documents kept for the figures; 0: none.")
]


def _forbid_network(context: typer.Context, offline: bool) -> bool:
    """Makes --offline hold for the whole command: datasets of the hub know no runtime."""
    if offline:
        before = os.environ.get(OFFLINE)
        os.environ[OFFLINE] = "1"
        context.call_on_close(partial(_restore, before))
    return offline


def _restore(before: str | None) -> None:
    if before is None:
        del os.environ[OFFLINE]
    else:
        os.environ[OFFLINE] = before


OfflineOption = Annotated[
    bool,
    typer.Option(
        "--offline",
        callback=_forbid_network,
        help="Never touch the network; say what is missing. FAITHKIT_OFFLINE=1 does the same.",
    ),
]


@dataclass(frozen=True)
class DeviceOptions:
    """Where a model is trained, in the number format of its training."""

    device: Annotated[
        str | None, typer.Option(help="cpu, cuda, cuda:1, mps. Default: the best available.")
    ] = None
    offline: OfflineOption = False

    def record(self) -> Runtime:
        from faithkit.models.runtime import Runtime

        return Runtime(self.device, offline=self.offline)


@dataclass(frozen=True)
class RuntimeOptions(DeviceOptions):
    """Where models run."""

    dtype: Annotated[str | None, typer.Option(help="float32, bfloat16 or float16.")] = None

    def record(self) -> Runtime:
        from faithkit.models.runtime import Runtime

        return Runtime(self.device, self.dtype, self.offline)


@dataclass(frozen=True)
class CacheOptions:
    """Where scores are stored."""

    cache: Annotated[
        str | None,
        typer.Option(
            help="SQLite file of scores. Default: scores.sqlite in the user's cache directory, or "
            "in the folder FAITHKIT_CACHE."
        ),
    ] = None
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Do not use the score cache.")] = (
        False
    )

    def path(self) -> Path | None:
        """The file; None without one."""
        from pathlib import Path

        from faithkit.cache import default_folder

        if self.no_cache:
            return None
        return Path(self.cache) if self.cache else default_folder() / "scores.sqlite"

    def open(self) -> Cache:
        from faithkit.cache import Cache

        return Cache(self.path())


@dataclass(frozen=True)
class FieldOptions:
    """What the columns of a file of pairs hold."""

    column: Annotated[
        list[str] | None,
        typer.Option(
            help="FIELD=NAME: the column that holds a field, such as source=article; FIELD=none "
            "ignores it; repeatable. Fields: source, summary, id, document (the source's "
            "identity), pair (joins a minimal pair), system (the summariser), label (1 "
            "consistent, 0 not), rating. Default: the field's own name, and score for rating."
        ),
    ] = None
    labels: Annotated[
        str | None,
        typer.Option(
            help="What the labels mean where they are not 1 (consistent) and 0: "
            "hallucinated=0,ok=1,unsure=none."
        ),
    ] = None

    def columns(self, *unread: str) -> Columns:
        """The columns that the user named. Raises ConfigError on a name for one of the `unread`
        fields, which the command does not use."""
        from faithkit.columns import parse_columns

        return parse_columns(self.column or (), self.labels, unread)


@dataclass(frozen=True)
class ColumnOptions(FieldOptions):
    """What the columns of a file of pairs, or of standard input, hold."""

    input_format: Annotated[
        str, typer.Option(help="Format of standard input: jsonl, json, csv, tsv, parquet or xlsx.")
    ] = "jsonl"


def flatten_options(command: Command) -> Command:
    """The command as Typer reads it: with the options of each group instead of the group."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _options(groups[name])
        else:
            parameters.append(_option(name, parameter.default, hints[name]))

    parameters.sort(
        key=lambda option: OPTION_ORDER.index(option.name) if option.name in OPTION_ORDER else -1
    )

    @wraps(command)
    def call(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{item.name: values.pop(item.name) for item in fields(group)})
        command(**values)

    vars(call)["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        _option(
            item.name,
            inspect.Parameter.empty if item.default is MISSING else item.default,
            hints[item.name],
        )
        for item in fields(group)
    ]


def _option(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def register(app: typer.Typer, *commands: Command) -> None:
    """Adds commands under their names (`summac_conv` is summac-conv)."""
    for command in commands:
        app.command()(flatten_options(command))

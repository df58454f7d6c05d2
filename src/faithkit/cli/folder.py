"""The options of `faithkit score` for an output folder, whose shards are scored by workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faithkit.cli.common import check_choice

if TYPE_CHECKING:
    from faithkit.cli.gates import GateOptions
    from faithkit.cli.options import CacheOptions
    from faithkit.columns import Columns
    from faithkit.metrics.spec import MetricSpec
    from faithkit.models.runtime import Runtime
    from faithkit.run import Prepared, Scoring, Tally


@dataclass(frozen=True)
class FolderOptions:
    """How many processes score, and how a folder is scored."""

    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that score. Default: 1.")
    ] = None
    engine: Annotated[
        str,
        typer.Option(
            help="What runs the workers of a FOLDER/: local, or ray, a cluster whose machines all "
            "see the files."
        ),
    ] = "local"
    address: Annotated[
        str | None,
        typer.Option(help="Of the Ray cluster. Default: RAY_ADDRESS, or a new one here."),
    ] = None
    allow_duplicate_ids: Annotated[
        bool,
        typer.Option(
            "--allow-duplicate-ids", help="Into a FOLDER/: score rows whose ids are used twice."
        ),
    ] = False

    def check(self, pairs: str, into_folder: bool, gate: GateOptions) -> None:
        """Refuses, before a long file is read, what does not go together."""
        from faithkit.records import ConfigError

        check_choice("--engine", self.engine, ("local", "ray"))
        if self.address and self.engine != "ray":
            raise ConfigError("--address is that of a cluster for --engine ray")
        if into_folder:
            if pairs == "-":
                raise ConfigError("standard input is scored into a file; -o FOLDER/ is for files")
            if gate.fail_if or gate.baseline or gate.junit or gate.sarif or gate.github:
                raise ConfigError(
                    "a run into a FOLDER/ has the gates --fail-under and --strict only"
                )
            return
        if self.allow_duplicate_ids or self.engine != "local":
            option = "--allow-duplicate-ids" if self.allow_duplicate_ids else "--engine"
            raise ConfigError(f"{option} needs -o FOLDER/")
        if Path(pairs).is_dir():
            raise ConfigError(_about_folder(Path(pairs)))
        if "://" in pairs or (set("*?[|") & set(pairs) and not Path(pairs).is_file()):
            raise ConfigError(f"{pairs} may be several files: score them with -o FOLDER/")

    def scoring(self, specs: Sequence[MetricSpec], runtime: Runtime) -> Scoring:
        """Who scores the batches of one file."""
        if self.workers is None or self.workers == 1:
            from faithkit.run import scored_batches

            return scored_batches
        from faithkit import scale

        scale.check_budget(specs, self.workers)
        return scale.Workers(self.workers, tuple(specs), runtime)

    def score(
        self,
        pairs: str,
        specs: Sequence[MetricSpec],
        prepared: Sequence[Prepared],
        output: Any,
        *,
        columns: Columns,
        runtime: Runtime,
        cache: CacheOptions,
    ) -> dict[str, Tally]:
        """Scores files into the folder, shard by shard. output: the `OutputOptions`."""
        from faithkit import scale
        from faithkit.cli import terminal

        settings = scale.Settings(
            self.workers or 1, cache.path(), output.batch_size, output.resume,
            self.allow_duplicate_ids, engine="ray" if self.engine == "ray" else "local",
            address=self.address,
        )  # fmt: skip
        with terminal.named_progress() as progress:
            return scale.score_files(
                pairs, specs, prepared, output.output, columns=columns, runtime=runtime,
                settings=settings, progress=progress,
            )  # fmt: skip


def _about_folder(folder: Path) -> str:
    """What is said of a folder where one file is wanted."""
    from faithkit import rows
    from faithkit.records import DataError

    def is_table(file: Path) -> bool:
        try:
            return file.is_file() and bool(rows.format_of(file))
        except DataError:
            return False

    files = sorted(file.name for file in folder.iterdir() if is_table(file))
    if not files:
        return (
            f"{folder} is a folder, and no file in it ends as a file of pairs does "
            f"({', '.join(rows.FORMATS)})"
        )
    more = ", ..." if len(files) > 1 else ""
    return (
        f"{folder} is a folder: name a file in it ({files[0]}{more}), or score all of them with "
        "-o FOLDER/"
    )

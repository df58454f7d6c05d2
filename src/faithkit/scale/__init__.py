"""Runs of more rows than one process should hold: files in shards, scored by worker processes.

`score_files` is what `faithkit score DIR -o FOLDER/` does; `Workers` scores the batches of one
file. What a run of one file does is in `run/`; a folder of shards is read by `files.score_lines`.
"""

from __future__ import annotations

from faithkit.scale.batches import Workers
from faithkit.scale.run import Progress, Settings, check_budget, score_files

__all__ = ["Progress", "Settings", "Workers", "check_budget", "score_files"]

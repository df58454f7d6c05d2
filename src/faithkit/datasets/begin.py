"""BEGIN (Dziri et al., TACL 2022): replies grounded in some knowledge, attributable to it or not.

Files `begin_<dev_wow|dev_cmu|dev_tc|test_wow>.tsv`. A `Generic` reply claims nothing that could be
attributed, so it has no label here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import read_rows
from faithkit.records import Example

LABELS = {"Fully attributable": 1, "Not fully attributable": 0, "Generic": -1}
REQUIRED = ("model_name", "data_source", "knowledge", "message", "response", "begin_label")


def read(paths: Sequence[Path], *, split: str) -> Iterator[Example]:
    """The source is the knowledge, the summary is the response.

    `meta`: message (the turn before), data_source, begin_label, split.
    """
    for number, row in enumerate(read_rows(paths[0], REQUIRED)):
        label, source = row.choice("begin_label", LABELS), row.text("knowledge")
        yield row.example(
            f"begin/{split}/{number}",
            source,
            row.text("response"),
            system=row.name("model_name"),
            label=None if label < 0 else label,
            meta={
                "message": row.text("message"),
                "data_source": row.text("data_source"),
                "begin_label": row.text("begin_label"),
                "split": split,
            },
        )

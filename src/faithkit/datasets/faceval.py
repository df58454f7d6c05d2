"""FacEval (Wang et al., EMNLP 2022): `FacEval_human_result.csv`, summaries of SAMSum dialogues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import YES_NO, Names, read_rows
from faithkit.records import Example

REQUIRED = ("DocID", "Dialogue", "Model", "Summary", "w/ Error")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """Label 0 if `w/ Error` is yes. `meta["error_types"]`: the columns between `Summary` and
    `w/ Error` that say yes (SubObjE, ProE, ...).
    """
    named = Names()
    for row in read_rows(paths[0], REQUIRED):
        columns = list(row.values)
        types = columns[columns.index("Summary") + 1 : columns.index("w/ Error")]
        yes_no = {answer: value for word, value in YES_NO.items()
                  for answer in (word, word.title(), word.upper())}  # fmt: skip
        yield row.example(
            named(f"faceval/{row.name('DocID')}/{row.name('Model')}"),
            row.text("Dialogue"),
            row.text("Summary"),
            document=row.name("DocID"),
            system=row.name("Model"),
            label=1 - row.choice("w/ Error", yes_no),
            meta={
                "error_types": [name for name in types if row.choice(name, yes_no)],
                **row.rest(*REQUIRED, *types),
            },
        )

"""The table of `bench/ladder.sh`: support models that differ in one thing each, on families that
none of them was trained or calibrated on, from their cards, and on the clinical pairs.

    python bench/ladder.py out/ladder/everything out/ladder/licensed ... [-o results/ladder.md]

The shipped model is the last row. AUC x 100; each family's calibration was fitted on the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from faithkit import models
from faithkit.evaluation.markdown import table_lines
from faithkit.models.runtime import Runtime
from faithkit.run import prepare
from probes import pairs_of, rows_of, values_of
from support_card import per_cent

PAIRS = Path("examples/clinical.jsonl")
RUNTIME = Runtime("cpu", offline=True)


def pairs_right(model: str) -> str:
    """How many of PAIRS have the higher value at the faithful sentence."""
    rows = rows_of(PAIRS)
    (prepared,) = prepare([f"support:model={model}"], RUNTIME)
    values = values_of(prepared.metric.score(rows))
    both = pairs_of(rows)
    right = sum(values[good.id] > values[bad.id] for good, bad in both)
    return f"{right} of {len(both)}"


def cells(name: str, model: str, card: Mapping[str, Any]) -> list[str]:
    left_out = card["left_out"]
    aucs = [one["auc"] for one in left_out.values()]
    marks = left_out["claims"]
    return [
        name,
        f"{card['sentences']:,}",
        f"{sum(aucs) / len(aucs):.1f}",
        f"{min(aucs):.1f}",
        *(f"{auc:.1f}" for auc in aucs),
        f"{per_cent(marks['marks_precision'])} / {per_cent(marks['marks_recall'])}",
        pairs_right(model),
    ]


def page(folders: Sequence[Path], command: str) -> list[str]:
    named = {folder.name: str(folder) for folder in folders} | {"shipped (its last pass)": "mini"}
    cards = [models.load(f"support:{model}", RUNTIME).settings.card for model in named.values()]
    rows = [cells(*one, card) for one, card in zip(named.items(), cards, strict=True)]
    families = cards[-1]["left_out"]
    return [
        "# What the parts of the support model's training are worth",
        "",
        "Readers of six layers (MiniLM), each of as many sentences as the table says; what they "
        "differ in is in `bench/ladder.sh`. AUC x 100 on families in no training, each calibrated "
        "on the others; `claims` is the claims set's dev part. Marks: precision / recall of the "
        "claims set's words. Pairs: clinical sentences told from their copies with one error. Read "
        "[docs/support.md](../docs/support.md).",
        "",
        "```",
        "bench/ladder.sh DATA out/ladder",
        command,
        "```",
        "",
        *table_lines(["training", "sentences", "mean", "worst", *families, "marks", "pairs"], rows),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path, nargs="+", help="Folders of support models.")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    names = ",".join(folder.name for folder in arguments.models)
    command = f"python bench/ladder.py out/ladder/{{{names}}} -o results/ladder.md"
    text = "\n".join(page(arguments.models, command))
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

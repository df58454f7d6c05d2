"""What a support model's card says of the families that it was not trained on: each is judged with
a calibration, bands and a threshold for marks that were fitted on the others.

    python bench/support_card.py [--model mini] [-o results/support-card.md]

The figures were computed by `faithkit train support`; no row is judged here.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from faithkit import models
from faithkit.evaluation.markdown import table_lines
from faithkit.models.runtime import Runtime

Figures = Mapping[str, Any]


def per_cent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}%"


def verdicts(left_out: Mapping[str, Figures]) -> list[str]:
    header = ["family", "rows", "faithful", "AUC × 100", "verdict: consistent", "precision",
              "balanced", "verdict: not consistent", "precision", "balanced"]  # fmt: skip
    rows = [
        [name, str(one["rows"]), per_cent(one["consistent"]),
         "–" if one["auc"] is None else f"{one['auc']:.1f}",
         per_cent(one["called_consistent"]), per_cent(one["right_consistent"]),
         per_cent(one["even_consistent"]), per_cent(one["called_not"]),
         per_cent(one["right_not"]), per_cent(one["even_not"])]
        for name, one in left_out.items()
    ]  # fmt: skip
    return table_lines(header, rows)


def probabilities(left_out: Mapping[str, Figures]) -> list[str]:
    bins = max(len(one["reliability"]) for one in left_out.values())
    edges = [f"{k / bins:.1f}–{(k + 1) / bins:.1f}" for k in range(bins)]
    rows = [
        [name, f"{one['calibration_error']:.2f}",
         *(f"{per_cent(share)} ({n})" if n else "–" for n, _, share in one["reliability"])]
        for name, one in left_out.items()
    ]  # fmt: skip
    return table_lines(["family", "ECE", *edges], rows)


def marks(left_out: Mapping[str, Figures]) -> list[str]:
    steps = [step for step, *_ in next(iter(left_out.values()))["marks"]]
    rows = [
        [name, f"{per_cent(one['marks_precision'])} / {per_cent(one['marks_recall'])}",
         *(f"{per_cent(right)} / {per_cent(recall)}" for _, _, right, recall in one["marks"])]
        for name, one in left_out.items()
        if one["marks_recall"] is not None
    ]  # fmt: skip
    return table_lines(["family", "as shown", *(f"{step:g}" for step in steps)], rows)


def thresholds(lower: float, upper: float) -> str:
    below = f"not consistent below {lower:g}" if lower > 0 else "nothing is called not consistent"
    above = f"consistent from {upper:g} up" if upper <= 1 else "nothing is called consistent"
    return f"{below}, {above}"


def measured(card: Mapping[str, Any]) -> str:
    """Which weights the figures are of."""
    if card["options"]["leave_out"]:
        return "No training has seen these families."
    return (
        f"The figures are those of the weights from which its last pass started "
        f"(`{card['start']['id']}`), in whose training the families were not; the last pass has "
        "a part of each, so there are no such figures of the shipped weights."
    )


def page(settings: Any, name: str, command: str) -> list[str]:
    card = settings.card
    left_out: Mapping[str, Figures] = card["left_out"]
    talk = card.get("non_claims", {})
    lower, upper = settings.decision
    rows: Sequence[str] = [
        "# The support model on held-out families",
        "",
        "Read [docs/support.md](../docs/support.md) for what the model is.",
        "",
        "```",
        command,
        "```",
        "",
        f"`{name}`. {measured(card)} Each family is judged with a calibration fitted on the "
        "others. `claims` is the development part of the claims set, whose training part was "
        "trained on.",
        "",
        *verdicts(left_out),
        "Precision: the share of the verdicts of a kind that are right; balanced: the same if half "
        f"of a family's summaries were faithful. The shipped thresholds, fitted on all families: "
        f"{thresholds(lower, upper)}.",
        "",
        "Share of faithful rows by value (number of rows), and the expected calibration error:",
        "",
        *probabilities(left_out),
        "## Marked words",
        "",
        "Precision / recall over content words, at the threshold fitted on the other families "
        f"(shipped: {settings.marked:g}) and at fixed ones:",
        "",
        *marks(left_out),
    ]
    if talk:
        rows = [
            *rows,
            "Of sentences that make no claim, from templates that no training has seen, "
            f"{per_cent(talk['noticed'])} are recognised; of the claims set's sentences "
            f"{100 * talk['mistaken']:.1f}% are mistaken for such.",
            "",
        ]
    return list(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="mini", help="A support model or its folder.")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    model = models.load(f"support:{arguments.model}", Runtime("cpu", offline=True))
    shown = ["python bench/support_card.py"]
    shown += [f"--model {arguments.model}"] if arguments.model != "mini" else []
    shown += [f"-o {arguments.output}"] if arguments.output else []
    text = "\n".join(page(model.settings, model.id, " ".join(shown)))
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

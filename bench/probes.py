"""Minimal pairs, a faithful sentence and one with a single error: values, verdicts and marks.

    python bench/probes.py examples/clinical.jsonl [--model mini] [-o results/clinical.md]

Each row of the file names its `pair`. A pair is right where the faithful sentence has the higher
value.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from faithkit import Example, Score, files
from faithkit.columns import Columns
from faithkit.evaluation.markdown import table_lines
from faithkit.models.runtime import Runtime
from faithkit.records import verdict_of
from faithkit.run import prepare


def pairs_of(rows: list[Example]) -> list[tuple[Example, Example]]:
    """(faithful, unfaithful) of each pair, in the file's order."""
    by_pair: dict[str, dict[int | None, Example]] = {}
    for row in rows:
        by_pair.setdefault(row.pair or row.id, {})[row.label] = row
    return [(both[1], both[0]) for both in by_pair.values()]


def marked(text: str, score: Score) -> str:
    """The summary with its marked words in bold."""
    for span in sorted(score.spans, key=lambda span: -span.start):
        text = f"{text[: span.start]}**{text[span.start : span.end]}**{text[span.end :]}"
    return text


def shown(score: Score) -> str:
    value = "–" if score.value is None else f"{score.value:.2f}"
    return f"{value} {verdict_of(score.parts) or score.outcome}"


def rows_of(path: Path) -> list[Example]:
    with files.open_pairs(str(path), Columns()) as opened:
        return list(opened)


def values_of(scores: Sequence[Score]) -> dict[str, float]:
    """By id; exits with the reason where a row has no value."""
    values = {score.id: score.value for score in scores if score.value is not None}
    if unscored := [f"{one.id} ({one.outcome})" for one in scores if one.id not in values]:
        raise SystemExit(f"without a value: {', '.join(unscored)}")
    return values


def page(path: Path, model: str) -> list[str]:
    rows = rows_of(path)
    (prepared,) = prepare([f"support:model={model}"], Runtime(offline=True))
    scores = {score.id: score for score in prepared.metric.score(rows)}
    values = values_of(list(scores.values()))
    cells, right, total = [], Counter[str](), Counter[str]()
    verdicts: Counter[tuple[int | None, str]] = Counter()
    for faithful, changed in pairs_of(rows):
        good, bad = scores[faithful.id], scores[changed.id]
        kind = changed.meta["error_types"][0]
        total[kind] += 1
        right[kind] += values[faithful.id] > values[changed.id]
        for row, score in ((faithful, good), (changed, bad)):
            verdicts[row.label, verdict_of(score.parts) or str(score.outcome)] += 1
        cells.append([kind, marked(faithful.summary, good), shown(good),
                      marked(changed.summary, bad), shown(bad)])  # fmt: skip
    kinds = ", ".join(f"{kind} {right[kind]} of {count}" for kind, count in total.items())
    given = "; ".join(
        f"{'faithful' if label else 'unfaithful'} sentences: "
        + ", ".join(f"{count} {word}" for (of, word), count in verdicts.items() if of == label)
        for label in (1, 0)
    )
    return [
        f"# `support` on the pairs of {path.name}",
        "",
        "```",
        f"python bench/probes.py {path}" + (f" --model {model}" if model != "mini" else ""),
        "```",
        "",
        f"`{prepared.signature.short}`. Marked words in bold.",
        "",
        f"The faithful sentence has the higher value in {sum(right.values())} of "
        f"{sum(total.values())} pairs ({kinds}). Verdicts of {given}.",
        "",
        *table_lines(["error", "faithful", "value", "unfaithful", "value"], cells),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--model", default="mini", help="A support model or its folder.")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    text = "\n".join(page(arguments.pairs, arguments.model))
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

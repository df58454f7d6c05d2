"""Why the release of [LSS] cannot give the published kappa of its ratings (0.63): every reading of
the file that might, and what the file holds of the answers that annotators gave alike.

    python bench/lss_agreement.py DATA/lss/LSS_test.csv
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

from faithkit import meta
from faithkit.datasets.lss import read
from faithkit.datasets.spans import removed_words
from faithkit.language.words import words
from faithkit.records import Example

LEAST = 10
"""Items that a pair of annotators has in common."""


def kappa(pairs: Iterable[tuple[Any, Any]], weights: Any = "quadratic") -> float:
    given = list(pairs)
    value = meta.cohen_kappa([a for a, _ in given], [b for _, b in given], weights=weights).value
    return float("nan") if value is None else value


def kept(example: Example, answer: dict[str, Any]) -> list[bool]:
    """For each word of the claim, whether the annotator left it."""
    removed = removed_words(example.summary, answer["lss"])
    return [not any(start < word.end and end > word.start for start, end in removed)
            for word in words(example.summary)]  # fmt: skip


def main(path: Path) -> None:
    items = [(example, example.meta["annotations"]) for example in read([path])]
    three = [(example, answers) for example, answers in items if len(answers) == 3]
    sizes = Counter(len(answers) for _, answers in items)
    print("claims by number of answers:", dict(sorted(sizes.items())))
    for name in ("lss", "lss_star"):
        alike = Counter(len({answer[name] for answer in answers}) for _, answers in three)
        print(f"of those with three, by number of different texts of {name}:", dict(alike))

    def ratings(chosen: Iterable[Any]) -> list[tuple[int, int]]:
        return [pair for answers in chosen
                for pair in permutations([answer["rating"] for answer in answers], 2)]  # fmt: skip

    every = [answers for _, answers in items]
    print(f"all pairs of answers: {kappa(ratings(every)):.3f}")
    different = [a for _, a in three if len({answer["worker"] for answer in a}) == 3]
    print(f"{len(different)} claims with three annotators: {kappa(ratings(different)):.3f}")
    related = [[answer for answer in answers if not answer["unrelated"]] for answers in every]
    print(f"without answers marked as unrelated: {kappa(ratings(related)):.3f}")
    common: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for answers in every:
        for a, b in combinations(sorted(answers, key=lambda answer: str(answer["worker"])), 2):
            if a["worker"] != b["worker"]:
                common.setdefault((a["worker"], b["worker"]), []).append((a["rating"], b["rating"]))
    by_pair = sorted(kappa(pairs) for pairs in common.values() if len(pairs) >= LEAST)
    print(f"{len(by_pair)} pairs of annotators with {LEAST} common claims: {by_pair[0]:.3f} to "
          f"{by_pair[-1]:.3f}, median {by_pair[len(by_pair) // 2]:.3f}")  # fmt: skip
    marks = [[kept(example, answer) for answer in answers] for example, answers in three]
    by_word = [pair for of_item in marks for a, b in permutations(of_item, 2)
               for pair in zip(a, b, strict=True)]  # fmt: skip
    print(f"words kept or removed, all claims together: {kappa(by_word, 'none'):.3f}")
    medians = [(answer["rating"], sorted(a["rating"] for a in answers)[1])
               for _, answers in three for answer in answers]  # fmt: skip
    print(f"each rating with the median of its claim's three: {kappa(medians):.3f}")
    agreed = [answers * 3 if len(answers) == 1 else answers for answers in every]
    print(f"if claims with one answer had been rated alike: {kappa(ratings(agreed)):.3f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))

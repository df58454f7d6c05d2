"""Are the words that a metric marks those that annotators mark?

    python bench/words.py -m bertscore:threshold=0.45 bertscore:threshold=0.53 ner --documents 50

On xsumfaith_dev: content words that two of three annotators marked, against those inside a metric's
unsupported spans. Prints the share marked, precision and recall, beside the annotators' share.
"""

from __future__ import annotations

import argparse

from data import DATA
from faithkit import datasets
from faithkit.cache import Cache
from faithkit.language.words import is_content, words
from faithkit.models.runtime import Runtime
from faithkit.records import Example, Score
from faithkit.run import batched, prepare, score_batch


def unsupported(example: Example, start: int, end: int) -> bool:
    """Whether two annotators or more marked a span that touches these characters."""
    who = {name for s, e, _, name in example.meta["spans"] if s < end and start < e}
    return len(who) >= 2


def counts(examples: list[Example], scores: list[Score]) -> tuple[int, int, int, int]:
    """Content words: all, unsupported, marked, both."""
    totals = [0, 0, 0, 0]
    for example, score in zip(examples, scores, strict=True):
        spans = [span for span in score.spans if span.label == "unsupported"]
        for word in words(example.summary):
            if is_content(word.text):
                gold = unsupported(example, word.start, word.end)
                marked = any(s.start < word.end and word.start < s.end for s in spans)
                for place, counted in enumerate((True, gold, marked, gold and marked)):
                    totals[place] += counted
    return totals[0], totals[1], totals[2], totals[3]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-m", "--metrics", nargs="+", default=["bertscore", "ner"])
    parser.add_argument("--documents", type=int, default=50)
    arguments = parser.parse_args()
    rows = datasets.load("xsumfaith_dev", data_dir=DATA)
    first = set(list(dict.fromkeys(e.document for e in rows))[: arguments.documents])
    rows = [example for example in rows if example.document in first]
    for metric in arguments.metrics:
        prepared = prepare([metric], Runtime(offline=True))
        with Cache(None) as store:
            scores = [r[0] for b in batched(rows, 64) for r in score_batch(prepared, b, store)]
        every, gold, marked, both = counts(rows, scores)
        print(f"{metric:28s} {every} content words, {100 * gold / every:.0f}% unsupported; marked "
              f"{100 * marked / every:.0f}%, precision {100 * both / max(marked, 1):.0f}%, recall "
              f"{100 * both / gold:.0f}%", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()

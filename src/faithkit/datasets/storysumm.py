"""StorySumm (Subbiah et al., EMNLP 2024): `storysumm.json`, summaries of short stories.

One object of summaries by chat models; each is a list of sentences with a label for each, and one
for the whole that several rounds of annotation agreed on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import ONE_ZERO, read_keyed
from faithkit.records import Example

REQUIRED = ("story", "summary", "errors", "label", "story-id", "model", "split")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """The summary is its sentences, joined by one space. `meta`: sentences (text, and 1 or 0; in
    one summary of the release the last sentence has no label, and is not among them),
    difficulty, explanations (of the errors), claims (of the summary, decomposed), split."""
    for key, row in read_keyed(paths[0], REQUIRED):
        texts, labels = row.items("summary"), row.items("errors")
        if len(texts) < len(labels) or not all(isinstance(text, str) for text in texts):
            raise row.wrong("summary", f"sentences, {len(labels)} at least as 'errors' has labels")
        if any(label not in (0, 1) for label in labels):
            raise row.wrong("errors", "a list of 0 and 1")
        yield row.example(
            f"storysumm/{key}",
            row.text("story"),
            " ".join(texts),
            document=f"storysumm/{row.name('story-id')}",
            system=row.name("model"),
            label=row.choice("label", ONE_ZERO),
            meta={
                "sentences": [list(pair) for pair in zip(texts, labels, strict=False)],
                "split": row.name("split"),
                **{name: row.values.get(name) for name in ("difficulty", "explanations", "claims")},
            },
        )

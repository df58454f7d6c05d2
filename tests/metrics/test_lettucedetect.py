"""`lettucedetect` beside its authors' way, and its spans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from tests.helpers.tiny_checkpoints import (
    EXAMPLES,
    LONG,
    SOURCE,
    S,
    directly,
    softmax,
    tokens_of,
    value,
)

from faithkit import Example, Outcome
from faithkit.metrics.lettucedetect import LettuceDetect, marked_spans


def lettuce_tokens(path: Path, source: str, summary: str) -> list[tuple[int, int, float]]:
    """Start, end and probability of label 1 of each token of the summary."""
    model, tokenizer = directly(path, "TokenClassification")
    prompt = f"Summarize the following text:\npassage 1: {source}\noutput:"
    encoded = tokenizer(prompt, summary, return_offsets_mapping=True, return_tensors="pt")
    offsets = encoded.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        logits = model(**encoded).logits[0]
    return [
        (start, end, softmax(logits[place])[1])
        for place, (start, end) in enumerate(offsets)
        if encoded.sequence_ids(0)[place] == 1
    ]


def test_lettucedetect(folders: dict[str, Path]) -> None:
    summary = EXAMPLES[0].summary
    tokens = lettuce_tokens(folders["lettucedetect"], SOURCE, summary)
    shares = [share for _, _, share in tokens]
    assert np.std(shares) > 0.01
    threshold = float(np.median(shares))
    model = tokens_of(folders["lettucedetect"])
    worst = LettuceDetect(model, threshold=threshold).score(EXAMPLES)
    mean = LettuceDetect(model, aggregate="mean").score(EXAMPLES)
    assert value(worst) == pytest.approx(1 - max(shares), abs=1e-6)
    assert value(mean) == pytest.approx(1 - sum(shares) / len(shares), abs=1e-6)
    marked = [False] * len(summary)
    for start, end, share in tokens:
        for place in range(start, end):
            marked[place] = share >= threshold
    for span in worst[0].spans:
        assert all(marked[span.start : span.end])
        assert summary[span.start : span.end].strip() == summary[span.start : span.end]
    covered = {place for span in worst[0].spans for place in range(span.start, span.end)}
    assert {
        place for place, on in enumerate(marked) if on and not summary[place].isspace()
    } <= covered
    assert len(worst[0].spans) > 1
    coverage = worst[0].coverage
    assert (coverage.summary_tokens, coverage.source_tokens_cut) == (len(tokens), 0)
    assert worst[4].outcome is Outcome.NO_CONTENT


def test_spans_are_runs_of_tokens_scored_with_the_probability_of_being_supported() -> None:
    text = "ab cd  ef gh"
    offsets = np.array([(0, 2), (2, 5), (5, 5), (5, 7), (7, 9), (9, 12)])
    shares = np.array([0.9, 0.6, 0.0, 0.7, 0.2, 0.5], dtype=np.float32)
    found = marked_spans(text, offsets, shares, 0.5)
    marked = [(text[span.start : span.end], span.score) for span in found]
    assert marked == [("ab cd", pytest.approx(0.1)), ("gh", 0.5)]
    (span,) = marked_spans(text, offsets, shares, 0.65)
    assert (span.start, span.end, span.score) == (0, 2, pytest.approx(0.1))
    assert marked_spans(text, offsets[3:4], shares[3:4], 0.5) == []  # white space alone
    assert marked_spans("", np.zeros((0, 2), int), shares[:0], 0.5) == []


def test_a_long_source_is_cut_and_a_long_summary_is_not_scored(folders: dict[str, Path]) -> None:
    metric = LettuceDetect(tokens_of(folders["lettucedetect"]))
    found = metric.score([Example("a", LONG, S[0]), Example("b", SOURCE, LONG), EXAMPLES[2]])
    assert found[0].outcome is Outcome.OK and found[0].coverage.source_tokens_cut > 0
    assert (found[1].value, found[1].outcome) == (None, Outcome.TRUNCATED_SUMMARY)
    assert found[2].outcome is Outcome.OK
    # Cutting is at the end of the document: what stands behind the cut changes nothing.
    (other,) = metric.score([Example("a", LONG + " Never seen.", S[0])])
    assert other.value == found[0].value

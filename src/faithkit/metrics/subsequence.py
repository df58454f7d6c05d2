"""The longest supported subsequence (LSS) of a summary's words [LSS]: kept by a support model, or
written by a generator sentence by sentence and repaired to a subsequence by alignment.

Its similarity to the summary, which is the metric, is in `lss.py`; training is in `train/lss.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from faithkit.language.sentences import sentences
from faithkit.language.words import Segment, words
from faithkit.models.protocols import Generated, Generator, SupportModel, Verdict
from faithkit.records import Coverage, Evidence, Example, Outcome, is_blank

Offsets = Sequence[tuple[int, int]]


class Repair(NamedTuple):
    """A generated text brought back to a subsequence of the claim's words.

    kept       [claim words], those that the two have in common in the same order
    added      generated words that the claim does not have, or not as often
    reordered  generated words that it has, but in another order
    longer     generated words beyond the claim's number of words; `added` counts them too
    """

    kept: tuple[bool, ...]
    added: int
    reordered: int
    longer: int


@dataclass(frozen=True, slots=True)
class Subsequence:
    """The LSS of one summary.

    outcome      ok, or why there is none; then only `coverage` is set
    text         the LSS; "" where nothing is supported
    star         the LSS*, as it was written; None if not asked for
    words        [words], the characters of each word of the summary, punctuation left out
    kept         [words], whether it is in the LSS
    unsupported  [words], each word's probability, where the generator gives one; else empty
    evidence     the source sentences it was compared with
    repairs      of each sentence that was generated; empty for `words`
    """

    outcome: Outcome
    coverage: Coverage
    text: str = ""
    star: str | None = None
    words: tuple[tuple[int, int], ...] = ()
    kept: tuple[bool, ...] = ()
    unsupported: tuple[float, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def compared(self) -> str:
        """The text that is compared with the claim: the LSS* if it was asked for, else the LSS."""
        return self.text if self.star is None else self.star

    @property
    def share(self) -> float:
        """Share of the summary's words that are in the LSS, in [0, 1]; of an outcome ok."""
        return sum(self.kept) / len(self.kept)

    @property
    def violations(self) -> int:
        """Generated words that no subsequence of the claim has: added or reordered. The filler
        words of an LSS* count."""
        return sum(repair.added + repair.reordered for repair in self.repairs)


def claim_words(text: str) -> list[Segment]:
    """The words of a text, punctuation left out."""
    return [word for word in words(text) if any(letter.isalnum() for letter in word.text)]


def subsequence_text(claim: str, offsets: Offsets, kept: Sequence[bool]) -> str:
    """The kept words of a claim, each with its punctuation. With every word kept it is the claim.

    offsets  [words, 2], characters of the words, in order
    kept     [words]

    Punctuation belongs to the word it follows; but where white space is before it and none after
    it ("£", an opening quotation mark), to the word it precedes.
    """
    starts = [0]
    for (_, end), (start, _) in pairwise(offsets):
        gap = claim[end:start]
        touching = re.split(r"\s", gap)[-1]
        starts.append(start if touching == gap else start - len(touching))
    stops = [*starts[1:], len(claim)]
    text, last = "", -1
    for position, (start, stop, keep) in enumerate(zip(starts, stops, kept, strict=True)):
        if keep:
            if text and last < position - 1 and not text[-1].isspace():
                text += " "
            text += claim[start:stop]
            last = position
    return text.strip()


def repair(generated: Sequence[str], claim: Sequence[str]) -> Repair:
    """Aligns generated words with the claim's by their longest common subsequence, in any case."""
    ours, theirs = [word.casefold() for word in generated], [word.casefold() for word in claim]
    kept = _common(ours, theirs)
    shared = (Counter(ours) & Counter(theirs)).total()
    return Repair(kept, len(ours) - shared, shared - sum(kept), max(0, len(ours) - len(theirs)))


def _common(ours: Sequence[str], theirs: Sequence[str]) -> tuple[bool, ...]:
    """[theirs], which of their words are in the longest common subsequence; of several, the last
    words."""
    longest = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i, word in enumerate(ours, start=1):
        for j, other in enumerate(theirs, start=1):
            longest[i][j] = (
                longest[i - 1][j - 1] + 1
                if word == other
                else max(longest[i - 1][j], longest[i][j - 1])
            )
    kept = [False] * len(theirs)
    i, j = len(ours), len(theirs)
    while i and j:
        if ours[i - 1] == theirs[j - 1]:
            i, j = i - 1, j - 1
            kept[j] = True
        elif longest[i - 1][j] >= longest[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return tuple(kept)


def subsequences(
    model: SupportModel | Generator,
    examples: Sequence[Example],
    *,
    threshold: float | None = None,
    star: bool = False,
) -> list[Subsequence]:
    """The LSS of each summary, in order.

    model      a support model or a generator, which is asked sentence by sentence
    threshold  of a support model: words of an unsupported probability under it are kept; by default
               the model's `doubtful`
    star       what is generated is LSS*: it is kept as written; the LSS are the claim's words in it

    Outcomes: no_content (blank text), no_claims (no sentence states anything, or there is no
    word), truncated_summary (more than the model can take), model_error.
    """
    usable = [example for example in examples if not is_blank(example)]
    if isinstance(model, SupportModel):
        threshold = model.doubtful if threshold is None else threshold
        verdicts = model.judge([(example.source, example.summary) for example in usable])
        judged = [
            _judged(example, verdict, threshold)
            for example, verdict in zip(usable, verdicts, strict=True)
        ]
    else:
        judged = _generated(model, usable, star)
    results = iter(judged)
    blank = Subsequence(Outcome.NO_CONTENT, Coverage())
    return [blank if is_blank(example) else next(results) for example in examples]


def _judged(example: Example, verdict: Verdict, threshold: float) -> Subsequence:
    coverage = verdict.coverage
    offsets = [
        (int(start), int(end)) for sentence in verdict.sentences for start, end in sentence.words
    ]
    unsupported = [
        float(number) for sentence in verdict.sentences for number in sentence.unsupported
    ]
    if coverage.summary_tokens_cut or coverage.summary_sentences_cut:
        return Subsequence(Outcome.TRUNCATED_SUMMARY, coverage)
    if not offsets or not any(sentence.has_claim for sentence in verdict.sentences):
        return Subsequence(Outcome.NO_CLAIMS, coverage)
    if not np.isfinite(unsupported).all():
        return Subsequence(Outcome.MODEL_ERROR, coverage)
    kept = tuple(number < threshold for number in unsupported)
    return Subsequence(
        Outcome.OK,
        coverage,
        subsequence_text(example.summary, offsets, kept),
        words=tuple(offsets),
        kept=kept,
        unsupported=tuple(unsupported),
        evidence=tuple(item for sentence in verdict.sentences for item in sentence.evidence),
    )


def _generated(model: Generator, examples: Sequence[Example], star: bool) -> list[Subsequence]:
    claims = [
        [piece for piece in sentences(example.summary) if claim_words(piece.text)]
        for example in examples
    ]
    pairs = [
        (example.source, piece.text)
        for example, pieces in zip(examples, claims, strict=True)
        for piece in pieces
    ]
    written = iter(model.generate(pairs))
    return [
        _repaired(example, [(piece, next(written)) for piece in pieces], star)
        for example, pieces in zip(examples, claims, strict=True)
    ]


def _repaired(
    example: Example, written: Sequence[tuple[Segment, Generated]], star: bool
) -> Subsequence:
    """The LSS of a summary from its sentences, each with what was generated for it."""
    answers = [answer for _, answer in written]
    if not answers:
        return Subsequence(Outcome.NO_CLAIMS, Coverage())
    coverage = Coverage(
        # Each sentence was read beside the source, the longest with the least of it.
        source_tokens=min(answer.source_tokens for answer in answers),
        source_tokens_cut=max(answer.source_cut for answer in answers),
        summary_tokens=sum(answer.claim_tokens for answer in answers),
        summary_sentences=len(answers),
    )
    for answer in answers:
        if answer.outcome is not Outcome.OK:
            return Subsequence(answer.outcome, coverage)
    offsets: list[tuple[int, int]] = []
    repairs: list[Repair] = []
    for piece, answer in written:
        expected = claim_words(piece.text)
        offsets += [(piece.start + word.start, piece.start + word.end) for word in expected]
        generated = [word.text for word in claim_words(answer.text)]
        repairs.append(repair(generated, [word.text for word in expected]))
    kept = tuple(keep for repaired in repairs for keep in repaired.kept)
    return Subsequence(
        Outcome.OK,
        coverage,
        subsequence_text(example.summary, offsets, kept),
        " ".join(answer.text for answer in answers if answer.text) if star else None,
        tuple(offsets),
        kept,
        repairs=tuple(repairs),
    )

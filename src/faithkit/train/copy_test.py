"""The copy test: does an entailment model read its evidence?

A verbatim sentence of a long source is entailed, and the same sentence with one number changed is
not. A model that has learned only the style of summaries cannot tell them apart. `nli.py` and
`judge.py` run the test early in a training and at the end.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from faithkit.language.sentences import closed_sentences, sentences
from faithkit.language.words import numbers, words
from faithkit.models.protocols import EntailmentModel
from faithkit.records import JSON, ConfigError, Outcome
from faithkit.support.adapter import WHOLE_WORDS

COPIES = 50
"""Number of sentences in the test, each of another source."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A sentence of a source, and the same with a number that the source does not have."""

    source: str
    verbatim: str
    changed: str


_DIGITS = re.compile(r"\d+")


def copies(sources: Iterable[str], count: int, seed: int) -> list[Copy]:
    """A sample of at most `count` sentences with a number, each of another source, and only of
    sources that are too long for the model's window."""
    sampled: list[Copy] = []
    order = list(dict.fromkeys(sources))
    random.Random(seed).shuffle(order)
    for source in order:
        if len(sampled) == count:
            break
        if len(words(source)) <= WHOLE_WORDS:
            continue
        generator = random.Random(f"{seed} {source}")
        # Only what is one closed sentence too, because closed sentences are judged.
        candidates = [
            sentence.text
            for sentence in sentences(source)
            if _DIGITS.search(sentence.text) and len(closed_sentences(sentence.text)) == 1
        ]
        if candidates:
            verbatim = generator.choice(candidates)
            if changed := change_number(verbatim, source, generator):
                sampled.append(Copy(source, verbatim, changed))
    return sampled


def change_number(sentence: str, source: str, generator: random.Random) -> str | None:
    """The sentence with its first number replaced by another of as many digits that does not occur
    in the source; None if it has no number or no such other is found."""
    in_source = {value for _, value in numbers(source)}
    match = _DIGITS.search(sentence)
    if match is None:
        return None
    size = match.end() - match.start()
    for _ in range(50):
        digits = str(generator.randrange(10 ** (size - 1), 10**size))
        changed = sentence[: match.start()] + digits + sentence[match.end() :]
        if {value for _, value in numbers(changed)} - in_source:
            return changed
    return None


def copy_test(model: EntailmentModel, sampled: Sequence[Copy]) -> dict[str, JSON]:
    """The share of verbatim sentences judged entailed (probability over a half), and of those with
    a changed number judged not entailed; `accuracy` is over both, so half is chance. The shares are
    None if nothing is sampled."""
    if not sampled:
        return {"sentences": 0, "accuracy": None, "verbatim": None, "number_changed": None}
    # Both sentences of a source are adjacent, so that the model reads it once.
    pairs = [(copy.source, text) for copy in sampled for text in (copy.verbatim, copy.changed)]
    entailed = [
        judged.outcome is Outcome.OK and judged.probabilities[0] > 0.5
        for judged in model.predict(pairs)
    ]
    verbatim, changed = entailed[::2], [not judged for judged in entailed[1::2]]
    return {
        "sentences": len(sampled),
        "accuracy": float(np.mean([*verbatim, *changed])),
        "verbatim": float(np.mean(verbatim)),
        "number_changed": float(np.mean(changed)),
    }


def require(result: Mapping[str, JSON], least: float | None, step: int) -> None:
    """Raises ConfigError where the accuracy of the copy test after this step is under `least`."""
    accuracy = result["accuracy"]
    if least is not None and isinstance(accuracy, float) and accuracy < least:
        raise ConfigError(
            f"after {step} steps the copy test is at {accuracy:.2f} (verbatim sentences "
            f"{result['verbatim']:.2f}, changed numbers {result['number_changed']:.2f}), under the "
            f"{least} that was asked for, so training ended and nothing was "
            "written. Try another rate or rank, more data, or a later test"
        )


class CopyCheck:
    """The copy test of one training: early, after `after` steps, and at the end.

    sources  whose sentences are copied
    least    the accuracy under which training ends with an error; None: never
    report   gets a line about each result
    Raises ConfigError where an accuracy is required and no source allows the test.
    """

    def __init__(
        self,
        sources: Iterable[str],
        least: float | None,
        after: int,
        seed: int,
        report: Callable[[str], None],
    ) -> None:
        self._copies = copies(sources, COPIES, seed)
        if least is not None and not self._copies:
            raise ConfigError("there is no long source with a number for the copy test; leave it "
                              "out")  # fmt: skip
        self._least, self._after, self._report = least, after, report
        self.early: dict[str, JSON] | None = None
        """The result of the early test; None if it was not reached."""

    def after_step(self, number: int, model: EntailmentModel) -> None:
        """Runs the early test if this is its step. Raises as `require`."""
        if number == self._after:
            self.early = copy_test(model, self._copies)
            self._report(f"copy test after {number} steps: {self.early}")
            require(self.early, self._least, number)

    def at_end(self, steps: int, model: EntailmentModel) -> dict[str, JSON]:
        """The test of the trained model. Raises as `require` if there was no early test."""
        result = copy_test(model, self._copies)
        self._report(f"copy test at the end: {result}")
        if self.early is None:
            require(result, self._least, steps)
        return result

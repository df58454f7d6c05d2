"""The copy test: does an entailment model read its evidence?

A verbatim sentence of a long source is entailed, and the same sentence with one number changed is
not; a model that has learned what summaries look like cannot tell them apart. `nli.py` runs it
early in a training and at the end.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from faithkit.language.sentences import closed_sentences, sentences
from faithkit.language.words import numbers, words
from faithkit.models.protocols import EntailmentModel
from faithkit.records import JSON, ConfigError, Outcome
from faithkit.support.adapter import WHOLE_WORDS

COPIES = 50
"""Sentences of the test, each of its own source."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A sentence of a source, and the same with a number that the source does not have."""

    source: str
    verbatim: str
    changed: str


_DIGITS = re.compile(r"\d+")


def copies(sources: Iterable[str], count: int, seed: int) -> list[Copy]:
    """At most `count`, drawn at random, one of each source with a number that is longer than what
    is read whole."""
    found: list[Copy] = []
    order = list(dict.fromkeys(sources))
    random.Random(seed).shuffle(order)
    for source in order:
        if len(found) == count:
            break
        if len(words(source)) <= WHOLE_WORDS:
            continue
        own = random.Random(f"{seed} {source}")
        options = [s.text for s in sentences(source) if _DIGITS.search(s.text)]
        # Of one closed sentence, since that is what is judged.
        options = [one for one in options if len(closed_sentences(one)) == 1]
        if options:
            verbatim = own.choice(options)
            changed = change_number(verbatim, source, own)
            found += [Copy(source, verbatim, changed)] if changed else []
    return found


def change_number(sentence: str, source: str, drawn: random.Random) -> str | None:
    """The sentence with its first digits replaced by as many others, so that it states a number
    that the source does not have; None where none is found."""
    known = {value for _, value in numbers(source)}
    match = _DIGITS.search(sentence)
    if match is None:
        return None
    size = match.end() - match.start()
    for _ in range(50):
        digits = str(drawn.randrange(10 ** (size - 1), 10**size))
        changed = sentence[: match.start()] + digits + sentence[match.end() :]
        if {value for _, value in numbers(changed)} - known:
            return changed
    return None


def copy_test(model: EntailmentModel, some: Sequence[Copy]) -> dict[str, JSON]:
    """How often a verbatim sentence is found entailed (probability over a half) and one with a
    changed number not; `accuracy` is over both, so half is chance. None of it without a copy."""
    if not some:
        return {"sentences": 0, "accuracy": None, "verbatim": None, "number_changed": None}
    # Both sentences of a source beside each other, so that it is read once.
    pairs = [(one.source, text) for one in some for text in (one.verbatim, one.changed)]
    entailed = [
        one.outcome is Outcome.OK and one.probabilities[0] > 0.5 for one in model.predict(pairs)
    ]
    same, other = entailed[::2], [not one for one in entailed[1::2]]
    return {
        "sentences": len(some),
        "accuracy": float(np.mean([*same, *other])),
        "verbatim": float(np.mean(same)),
        "number_changed": float(np.mean(other)),
    }


def require(test: Mapping[str, JSON], least: float | None, step: int) -> None:
    """Raises ConfigError where the copy test of this step is under `least`; not without a copy."""
    reached = test["accuracy"]
    if least is not None and isinstance(reached, float) and reached < least:
        raise ConfigError(
            f"after {step} steps the copy test is at {reached:.2f} (verbatim sentences "
            f"{test['verbatim']:.2f}, changed numbers {test['number_changed']:.2f}), under the "
            f"{least} that was asked for, so training ended and nothing was "
            "written. Try another rate or rank, more data, or a later test"
        )

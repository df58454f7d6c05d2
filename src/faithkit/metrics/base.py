"""The contract of a metric.

A metric class declares `name`, `bounds`, `unit`, `needs` and has one method, `score`. Its
constructor's keyword arguments are its options. An option that is a model is also named in the
class attribute `models`, with the role and name of its default: `models = {"model":
"tokens:mini"}`. Options that change no number (a time limit, a file of transcripts) are named in
`unsigned` and are no part of the signature.

A metric with a verdict of its own puts it into its parts as `verdict` (1 consistent, 0 not, 0.5
undecided) and declares `verdicts = True`; or it has a static method `verdict_from(options)`, the
value from which it says "consistent" with these options, None where it does not say. What it was
trained on, beside what its models were, are the names in its attribute `trained_on`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from faithkit.records import Example, Score


class Metric(Protocol):
    """What a metric is. All scores: higher = more faithful.

    name    the name it is asked for by
    bounds  the least and the greatest value it can give
    unit    one sentence: what the number means
    needs   the fields of an Example it reads
    """

    name: ClassVar[str]
    bounds: ClassVar[tuple[float, float]]
    unit: ClassVar[str]
    needs: ClassVar[frozenset[str]]

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """One Score for each example, in order; the same value alone or among a thousand."""
        ...

"""Cheap metrics with verdicts of their own, with cut texts and with parts, asked for as
`tiny_verdicts.py:Class` by the tests of the benchmark. No test is in here."""

from __future__ import annotations

from collections.abc import Sequence

from faithkit.records import Coverage, Example, Outcome, Score, scored, unscored


class Stated:
    """The number in the summary's first word; `-` is an outcome without a value."""

    name = "stated"
    bounds = (-9.0, 9.0)
    unit = "the number that the summary begins with"
    needs = frozenset({"source", "summary"})

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [self._score(example) for example in examples]

    def _score(self, example: Example) -> Score:
        first = example.summary.split()[0]
        if first == "-":
            return unscored(example, self.name, Outcome.NO_CLAIMS)
        value = float(first)
        return scored(example, self.name, value, parts=self.parts(value), coverage=self.coverage())

    def parts(self, value: float) -> dict[str, float]:
        return {}

    def coverage(self) -> Coverage:
        return Coverage(source_tokens=10)


class Decided(Stated):
    """From .5 up consistent, below .25 not, undecided between."""

    name = "decided"
    verdicts = True

    def parts(self, value: float) -> dict[str, float]:
        return {"verdict": 1.0 if value >= 0.5 else 0.0 if value < 0.25 else 0.5}


class Cut(Stated):
    """Sees a quarter of every source."""

    name = "cut"

    def coverage(self) -> Coverage:
        return Coverage(source_tokens=100, source_tokens_cut=300)


class Composed(Stated):
    """Two parts, one the square of the other."""

    name = "composed"

    def parts(self, value: float) -> dict[str, float]:
        return {"plain": value, "square": value * value}


class Taught(Stated):
    """Says that it was trained on a benchmark file."""

    name = "taught"
    trained_on = frozenset({"cliff", "nli_pairs"})

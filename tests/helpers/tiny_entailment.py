"""An entailment model whose probabilities are a table, for the tests of metrics. No test is in
here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from faithkit.models.protocols import Entailed
from faithkit.records import Outcome

Pair = tuple[str, str]


class TableModel:
    """Satisfies `EntailmentModel`. A pair that is not in the table is neutral; tokens are words.

    table     (premise, hypothesis) to entailment and contradiction; neutral is the rest
    outcomes  pairs that have no probabilities, and why
    calls     the pairs of each call
    """

    id = "table@000000000000"

    def __init__(
        self,
        table: Mapping[Pair, tuple[float, float]],
        outcomes: Mapping[Pair, Outcome] | None = None,
        cut: int = 0,
    ) -> None:
        self._table = table
        self._outcomes = outcomes or {}
        self._cut = cut
        self.calls: list[list[Pair]] = []

    def predict(self, pairs: Sequence[Pair]) -> list[Entailed]:
        self.calls.append(list(pairs))
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> Entailed:
        premise, hypothesis = (len(text.split()) for text in pair)
        outcome = self._outcomes.get(pair, Outcome.OK)
        entailment, contradiction = self._table.get(pair, (0.0, 0.0))
        probabilities = (entailment, 1 - entailment - contradiction, contradiction)
        return Entailed(
            outcome,
            probabilities if outcome is Outcome.OK else (0.0, 0.0, 0.0),
            premise - self._cut,
            self._cut,
            hypothesis,
        )

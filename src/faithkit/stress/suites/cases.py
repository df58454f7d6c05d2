"""A case: the texts under which a metric's values are compared. Suites make cases and read the
values; scoring them is not done here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Pair = tuple[str, str]
"""A source and a summary."""


@dataclass(frozen=True, slots=True)
class Case:
    """One comparison within one metric.

    id        unique in its suite and the same in every run
    suite     edits, gaming, counterfactual, probes or difficulty
    kind      what was done, for example "correction" or "shuffled sentences"
    document  the source document's identity, which the bootstrap resamples
    texts     condition to (source, summary): {"before", "after"} of an edit, {"a", "b", "c", "d"}
              of the four conditions with and without a counterfactual source, {"row"} of one row
    label     1 consistent, 0 not, where the suite needs it
    note      what the page shows beside it, for example the words that were exchanged
    """

    id: str
    suite: str
    kind: str
    document: str
    texts: Mapping[str, Pair]
    label: int | None = None
    note: str = ""

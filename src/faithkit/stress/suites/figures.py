"""The shape of the figures that every suite gives: a number with its interval by document.

`summarise` of a suite returns `{"figures": [...]}`, a list of what `figure` makes, which the page
shows as a table without knowing the suite.
"""

from __future__ import annotations

from collections.abc import Sequence

from faithkit import meta
from faithkit.meta import Measure
from faithkit.records import JSON

DRAWS = 2000
"""Bootstrap draws of every interval."""


def figure(
    kind: str,
    statistic: str,
    values: Sequence[float | None],
    documents: Sequence[str],
    *,
    labels: Sequence[int | None] | None = None,
    measure: Measure = meta.MEAN,
) -> dict[str, JSON]:
    """An Estimate with its 95% interval by document, as a dict, with `kind` and `statistic`.
    `interval_reason` says why there is none, as on fewer than 10 documents.

    kind       what was done, as the cases have it ("correction", "shuffled sentences")
    statistic  what the number is, in words ("mean change", "share that rises", "AUC")
    values     one for each case, None if missing; these are left out and counted (`unscored`)
    labels     1 or 0 of each case, for a measure that compares with them (AUC)
    """
    data = meta.sample(values, labels, groups=documents)
    estimate = meta.estimate(measure, data, draws=DRAWS)
    return {"kind": kind, **estimate.to_dict(), "statistic": statistic}

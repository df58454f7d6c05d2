"""What the suites share: which rows to take, and one shape for the figures that they give.

`summarise(cases, values)` of every suite returns `{"figures": [...]}`: a list of the dicts that
`figure` makes, which the page can show as a table without knowing the suite. A suite may add keys
of its own beside "figures". What lives here: that shape. What does not: any rule of pass or fail
(`stress/verdicts.py`), any scoring (`stress/run.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from random import Random

from faithkit import meta
from faithkit.meta import Measure
from faithkit.records import JSON, Example

DRAWS = 2000
"""Bootstrap draws of every interval."""

RISE = 1e-6
"""A change counts from here on: metrics promise the same value in every batch up to this."""


def by_document(rows: Iterable[Example], seed: int) -> list[list[Example]]:
    """The rows of each document; documents, and the rows of each, in a random order."""
    found: dict[str, list[Example]] = {}
    for row in rows:
        found.setdefault(row.document, []).append(row)
    random = Random(seed)
    documents = list(found.values())
    random.shuffle(documents)
    for some in documents:
        random.shuffle(some)
    return documents


def spread(rows: Iterable[Example], seed: int, limit: int | None) -> list[Example]:
    """A row of each document, then a second one of each, and so on up to the limit; in the end
    those of a document stand together."""
    documents = by_document(rows, seed)
    turns = [row for turn in zip_longest(*documents) for row in turn if row is not None]
    order = {some[0].document: place for place, some in enumerate(documents)}
    return sorted(turns[:limit], key=lambda row: order[row.document])


def figure(
    kind: str,
    statistic: str,
    values: Sequence[float | None],
    documents: Sequence[str],
    *,
    labels: Sequence[int | None] | None = None,
    measure: Measure = meta.MEAN,
    seed: int = 0,
) -> dict[str, JSON]:
    """An Estimate with its 95% interval by document, as a dict, with `kind` and `statistic`.
    `interval_reason` says why there is none, as on fewer than 10 documents.

    kind       what was done, as the cases have it ("correction", "shuffled sentences")
    statistic  what the number is, in words ("mean change", "share that rises", "AUC")
    values     one a case, None where there is none; these are left out and counted (`unscored`)
    labels     1 or 0 of each case, for a measure that compares with them (AUC)
    """
    data = meta.sample(values, labels, groups=documents)
    found = meta.estimate(measure, data, draws=DRAWS, seed=seed)
    return {"kind": kind, **found.to_dict(), "statistic": statistic}

"""How far two annotators mark the same words: F1 with an interval by item.

What lives here: the statistic over sets of marked words. What does not: words out of characters,
and agreement on answers (`agreement.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np

from faithkit.meta.agreement import Agreement, with_interval
from faithkit.meta.sample import Bools, Floats
from faithkit.records import DataError

Marked = Collection[Hashable]
"""The words that an annotator marked in an item, by place, or by place and type."""


def span_f1(
    first: Sequence[Marked | None],
    second: Sequence[Marked | None],
    *,
    name: str = "span_f1",
    draws: int = 0,
    seed: int = 0,
) -> Agreement:
    """F1 of one annotator's words with the other's, over all items together, in [0, 1].

    Twice the words that both marked, divided by the words that each marked. An item that neither
    marked adds nothing to it, so agreement that nothing is wrong shows in the other statistics.

    first, second  a set for each item; None where the annotator did not judge it
    draws          resamples of the items for an interval; 0: none
    """
    if len(first) != len(second):
        raise DataError(f"two annotators of the same items; found {len(first)} and {len(second)}")
    pairs = [
        (set(ours), set(theirs))
        for ours, theirs in zip(first, second, strict=True)
        if ours is not None and theirs is not None
    ]
    marked = sum(len(ours) + len(theirs) for ours, theirs in pairs)
    reason = None
    if not pairs:
        reason = "no item was judged by both"
    elif not marked:
        reason = "neither marked anything"
    result = Agreement(
        name, None, len(pairs), 2 * len(pairs), len(first) - len(pairs), reason=reason
    )
    if reason:
        return result
    matched = np.array([2.0 * len(ours & theirs) for ours, theirs in pairs])
    either = np.array([float(len(ours) + len(theirs)) for ours, theirs in pairs])

    def f1(counts: Floats) -> tuple[Floats, Bools]:
        total = either @ counts
        defined = total > 0
        return np.divide(matched @ counts, total, out=np.zeros_like(total), where=defined), defined

    return with_interval(result, f1, draws, seed)

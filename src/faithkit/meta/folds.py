"""Cross-validation grouped by source document: rows that share a source are never on both sides.

The one place where folds are made, for calibrations, combinations, thresholds and training.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from faithkit.meta.sample import Bools, Ints, codes, hash_order
from faithkit.records import ConfigError


def grouped_folds(
    groups: Sequence[Hashable] | Ints, folds: int, seed: int
) -> list[tuple[Bools, Bools]]:
    """The training rows and the held-out rows of each fold, as masks, [rows] each.

    Groups are shuffled by seed and dealt to the folds in turn; every row is held out once. The
    order of the rows does not matter: the shuffle begins with the groups in the order of hashes of
    their names.

    groups  [rows], the name of each row's source document
    Raises ConfigError on fewer than two folds or fewer groups than folds.
    """
    group_of_row, names = codes(groups, "group", "a fold never divides a source document")
    count = len(names)
    if not 2 <= folds <= count:
        raise ConfigError(
            f"{folds} folds cannot be made of {count} source documents, as a fold never divides "
            "one: give more documents" + (f", or --folds 2 to {count}" if count > 1 else "")
        )
    dealt = hash_order(names)[np.random.default_rng(seed).permutation(count)]
    fold_of_group = np.empty(count, dtype=np.int64)
    fold_of_group[dealt] = np.arange(count) % folds
    fold = fold_of_group[group_of_row]
    return [(fold != number, fold == number) for number in range(folds)]

"""Cross-validation grouped by source document: rows that share a source are never on both sides.

The one place where folds are made, for calibrations, combinations, thresholds and training.
"""

from __future__ import annotations

import numpy as np

from faithkit.meta.sample import Bools, Ints
from faithkit.records import ConfigError


def grouped_folds(groups: Ints, folds: int, seed: int) -> list[tuple[Bools, Bools]]:
    """The training rows and the held-out rows of each fold, as masks, [rows] each.

    Groups are shuffled by seed and dealt to the folds in turn; every row is held out once.

    groups  [rows], the source document of each row as a code from 0 (`Sample.groups`)
    Raises ConfigError on fewer than two folds or fewer groups than folds.
    """
    count = int(groups.max(initial=-1)) + 1
    if not 2 <= folds <= count:
        raise ConfigError(
            f"{folds} folds cannot be made of {count} source documents: a fold never divides "
            "one, and there are at least two; give more documents or another number of folds"
        )
    fold_of_group = np.empty(count, dtype=np.int64)
    fold_of_group[np.random.default_rng(seed).permutation(count)] = np.arange(count) % folds
    fold = fold_of_group[groups]
    return [(fold != number, fold == number) for number in range(folds)]

"""How far a metric can be trusted: statistics over columns of scores and human judgements.

Pure functions over arrays: no model, no file, nothing resampled without a seed. One module each:
`sample.py` (rows in, typed results out), `columns.py` (rows in few bytes), `bootstrap.py`,
`correlation.py`, `detection.py`, `compare.py`, `errors.py`, `folds.py`, `combination.py`,
`calibration.py`, `agreement.py`, `span_agreement.py`.

    data = sample(scores, ratings, groups=source_ids)
    estimate(SPEARMAN, data, draws=10_000)
"""

from faithkit.meta.agreement import (
    Agreement,
    SharedAnswers,
    cohen_kappa,
    krippendorff_alpha,
    raw_agreement,
    shared_answers,
)
from faithkit.meta.bootstrap import DRAWS, MEAN, by_subset, estimate, resample
from faithkit.meta.calibration import (
    Bin,
    Calibration,
    CalibrationResult,
    Reliability,
    fit_calibration,
    reliability,
)
from faithkit.meta.combination import (
    Combination,
    CombinationResult,
    Objective,
    WeightSearch,
    growing_combinations,
    held_out_search,
    learn_combination,
    search_weights,
    simplex_grid,
    weight_estimates,
)
from faithkit.meta.compare import (
    Comparison,
    Rows,
    WinMatrix,
    compare,
    compare_all,
    holm,
    win_matrix,
)
from faithkit.meta.correlation import (
    KENDALL,
    PEARSON,
    SPEARMAN,
    SYSTEM_KENDALL,
    SYSTEM_PEARSON,
    SYSTEM_SPEARMAN,
    CorrelationMatrix,
    correlation_matrix,
    system_means,
)
from faithkit.meta.detection import (
    AUC,
    RANKING,
    RankingCounts,
    Threshold,
    balanced_accuracy,
    choose_threshold,
    looks_inverted,
    ranking_counts,
    unscored_as_wrong,
)
from faithkit.meta.errors import (
    Case,
    ErrorTypeResult,
    PredictionReport,
    error_type_correlations,
    prediction_report,
    quantiles,
)
from faithkit.meta.folds import grouped_folds
from faithkit.meta.sample import Estimate, Kernel, Measure, Sample, Values, sample

__all__ = [
    "AUC",
    "DRAWS",
    "KENDALL",
    "MEAN",
    "PEARSON",
    "RANKING",
    "SPEARMAN",
    "SYSTEM_KENDALL",
    "SYSTEM_PEARSON",
    "SYSTEM_SPEARMAN",
    "Agreement",
    "Bin",
    "Calibration",
    "CalibrationResult",
    "Case",
    "Combination",
    "CombinationResult",
    "Comparison",
    "CorrelationMatrix",
    "ErrorTypeResult",
    "Estimate",
    "Kernel",
    "Measure",
    "Objective",
    "PredictionReport",
    "RankingCounts",
    "Reliability",
    "Rows",
    "Sample",
    "SharedAnswers",
    "Threshold",
    "Values",
    "WeightSearch",
    "WinMatrix",
    "balanced_accuracy",
    "by_subset",
    "choose_threshold",
    "cohen_kappa",
    "compare",
    "compare_all",
    "correlation_matrix",
    "error_type_correlations",
    "estimate",
    "fit_calibration",
    "grouped_folds",
    "growing_combinations",
    "held_out_search",
    "holm",
    "krippendorff_alpha",
    "learn_combination",
    "looks_inverted",
    "prediction_report",
    "quantiles",
    "ranking_counts",
    "raw_agreement",
    "reliability",
    "resample",
    "sample",
    "search_weights",
    "shared_answers",
    "simplex_grid",
    "system_means",
    "unscored_as_wrong",
    "weight_estimates",
    "win_matrix",
]

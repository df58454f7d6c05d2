"""Another metric with the verdict that your own labels gave it: what `faithkit calibrate -o` saves,
as a metric.

What lives here: reading that file and applying it. What does not: the fitting
(`meta/calibration.py`) and the command (`evaluation/learning.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from faithkit.meta.calibration import Calibration
from faithkit.metrics import loading
from faithkit.metrics.base import Metric, ModelLoader
from faithkit.metrics.learned.components import (
    check_drift,
    content_hash,
    fields_of,
    read_saved,
    scores_of,
    trained_on,
)
from faithkit.metrics.spec import MetricSpec
from faithkit.records import (
    JSON,
    ConfigError,
    DataError,
    Example,
    Score,
    Signature,
)

KIND = "faithkit calibration"
CODES = {"consistent": 1.0, "inconsistent": 0.0, "uncertain": 0.5}
"""A calibration's verdicts as `records.VERDICTS` has them."""


@dataclass(frozen=True, slots=True)
class SavedCalibration:
    """What a calibration file says of one metric: its request, what made its numbers, the map, and
    the pairs that it was fitted to, "" where it does not say."""

    request: str
    signature: Signature
    calibration: Calibration
    pairs: str


def read_calibration(path: Path) -> SavedCalibration:
    """The calibration that `faithkit calibrate -o` wrote. Raises DataError naming file and field,
    ConfigError where it is not of a metric's own value."""
    row = read_saved(path, KIND, "calibrate")
    if row.get("weights") is not None:
        raise ConfigError(
            f"{path}: this calibrates weighted parts of '{row.get('metric')}'. Save these as a "
            "metric with --save-weights weights.json, and calibrate -m combine:file=weights.json"
        )
    if row.get("signature") is None:
        raise ConfigError(
            f"{path}: the scores that were calibrated did not say what made them; calibrate the "
            "metric itself (-m) or results that have signatures"
        )
    with fields_of(path, "calibration"):
        if not isinstance(row["metric"], str):
            raise DataError("'metric' should be text")
        return SavedCalibration(
            row["metric"],
            Signature(**row["signature"]),
            Calibration.from_dict(row["calibration"]),
            str(row.get("pairs") or ""),
        )


class Calibrated(Metric):
    """A metric with the probability and the verdict that `faithkit calibrate` learned for it from
    your own labels [FCLLM, thresholds chosen on validation data].

    file   the file that `faithkit calibrate -o` wrote
    drift  `refuse` to score when the metric's signature (options, model weights, version) is not
           the one that was calibrated, or `allow` it

    Value, spans and evidence are the metric's own. Parts: the metric's, and `probability` of being
    consistent and `verdict` 1 (consistent), 0 (not) or 0.5 (undecided) in place of its own.
    """

    name = "calibrated"
    bounds = (-float("inf"), float("inf"))
    unit = "the calibrated metric's own value; verdict and probability are those of your labels"
    limits = (
        "Probability and verdict hold for texts, errors and summarisers like those that were "
        "labelled. Calibration changes no order: a metric that ranks badly still does."
    )
    verdicts = True

    def __init__(self, file: str = "", drift: Literal["refuse", "allow"] = "refuse") -> None:
        if not file:
            raise ConfigError(
                "metric 'calibrated' needs a file: calibrated:file=calibration.json, which "
                "`faithkit calibrate -o calibration.json` writes"
            )
        self._file = file
        self._refuse = drift == "refuse"
        self._saved = read_calibration(Path(file))
        self._metric: Metric
        self.resolved: dict[str, JSON] = {}

    def load_components(self, load_model: ModelLoader) -> None:
        """Creates the metric. Raises ConfigError where it is no longer what it was."""
        saved = self._saved
        spec = MetricSpec.parse(saved.request)
        if issubclass(loading.class_of(spec), Calibrated):
            raise ConfigError(f"{self._file}: '{saved.request}' is calibrated itself")
        loaded = loading.load(spec, load_model)
        self._metric, now = loaded.metric, loaded.signature
        if self._refuse:
            check_drift(self._file, saved.request, saved.signature, now, "calibrate")
        self.title = f"{saved.request}, calibrated"
        self.needs, self.bounds = self._metric.needs, self._metric.bounds
        self.marks_words = self._metric.marks_words
        self.trained_on = trained_on(saved.pairs, [self._metric])
        self.resolved = {
            # The verdicts depend on what the file holds, not on where it is.
            "file": content_hash(saved.calibration.to_dict()),
            "metric": f"{saved.request}@{now.digest[:12]}",
        }

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        scores = scores_of(self._metric, self._saved.request, self._file, examples)
        values = [score.value for score in scores]
        probabilities = self._saved.calibration.apply(values)
        verdicts = self._saved.calibration.verdicts(values)
        return [
            replace(
                score,
                metric=self.name,
                parts={**score.parts, "probability": probability, "verdict": CODES[verdict]}
                if probability is not None and verdict is not None
                else score.parts,
            )
            for score, probability, verdict in zip(scores, probabilities, verdicts, strict=True)
        ]

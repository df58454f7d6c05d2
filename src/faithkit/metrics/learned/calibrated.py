"""A calibrated metric: another metric with the verdicts that `faithkit calibrate` fitted to labels.

What lives here: reading that file and applying it. What does not: loading the metric
(`fitted.py`), the fitting (`meta/calibration.py`) and the command (`evaluation/learning.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from faithkit.meta.calibration import Calibration
from faithkit.metrics.learned.components import content_hash, fields_of, read_saved, scores_of
from faithkit.metrics.learned.fitted import FittedMetric
from faithkit.records import JSON, ConfigError, DataError, Example, Score, Signature

KIND = "faithkit calibration"
CODES = {"consistent": 1.0, "inconsistent": 0.0, "uncertain": 0.5}
"""A calibration's verdicts as `records.VERDICTS` has them."""


@dataclass(frozen=True, slots=True)
class SavedCalibration:
    """A calibration file.

    request      the calibrated metric, as `-m` takes it
    signature    of the metric when it was calibrated
    calibration  the fitted map from scores to probabilities and verdicts
    pairs        name of the pairs it was fitted to, "" if the file does not say
    """

    request: str
    signature: Signature
    calibration: Calibration
    pairs: str


def read_calibration(path: Path) -> SavedCalibration:
    """The calibration that `faithkit calibrate -o` wrote.

    Raises DataError naming file and field, ConfigError if it calibrates weighted parts or scores
    without a signature instead of a metric's own value.
    """
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


class Calibrated(FittedMetric[SavedCalibration]):
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
    limitations = (
        "Probability and verdict hold for texts, errors and summarisers like those that were "
        "labelled. Calibration changes no order: a metric that ranks badly still does."
    )
    verdicts = True

    command = "calibrate"
    saved_as = "calibration"
    kind = "calibrated"

    def _read(self, path: Path) -> SavedCalibration:
        return read_calibration(path)

    def _fitted_with(self) -> list[tuple[str, Signature]]:
        return [(self._saved.request, self._saved.signature)]

    def _pairs(self) -> JSON:
        return self._saved.pairs

    def _resolve(self, signatures: Mapping[str, Signature]) -> None:
        request = self._saved.request
        self.title = f"{request}, calibrated"
        self.bounds = self._metrics[request].bounds
        self.resolved = {
            # The verdicts depend on what the file holds, not on where it is.
            "file": content_hash(self._saved.calibration.to_dict()),
            "metric": f"{request}@{signatures[request].digest[:12]}",
        }

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        request = self._saved.request
        scores = scores_of(self._metrics[request], request, self._file, examples)
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

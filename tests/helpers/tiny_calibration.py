"""A saved calibration of a cheap metric, for the tests of `calibrated`. No test is in here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from faithkit.meta import Calibration
from faithkit.models.runtime import Runtime
from faithkit.run import prepare

SIGMOID = Calibration("platt", 0.5, lower=0.3, upper=0.8, slope=2.0, intercept=-1.0)


def write(path: Path, request: str = "novelty", **fields: Any) -> Path:
    (one,) = prepare([request], Runtime(offline=True))
    row = {
        "kind": "faithkit calibration",
        "metric": request,
        "signature": one.signature.to_dict(),
        "weights": None,
        "calibration": SIGMOID.to_dict(),
    }
    path.write_text(json.dumps(row | fields), encoding="utf-8")
    return path

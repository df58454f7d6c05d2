"""Over- and under-prediction of each metric against the ratings [MFAS Figure 2], and the cases.

The default figure is on the raw scale from 0 to 1. The second maps both to their quantiles, and
about half of the rows are then above and half below by construction: it shows how far metric and
ratings are apart, not in which direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faithkit import meta
from faithkit.caveats import Caveats
from faithkit.evaluation.bench.statistics import BenchSettings, caveats_of
from faithkit.evaluation.judged import JudgedTable
from faithkit.records import Example

KINDS = {
    "worst_over": "Most over-predicted",
    "worst_under": "Most under-predicted",
    "random_over": "Over-predicted, at random",
    "random_under": "Under-predicted, at random",
}
"""What a report shows cases of, by the field that holds them."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A metric against the ratings of a dataset, on both scales."""

    dataset: str
    metric: str
    raw: meta.PredictionReport
    quantile: meta.PredictionReport
    caveats: Caveats

    def to_dict(self, ids: Sequence[str]) -> dict[str, Any]:
        """ids: of the dataset's rows."""
        return {
            "metric": self.metric,
            "raw": _as_dict(self.raw, ids),
            "quantile": _as_dict(self.quantile, ids),
        }


def predictions(
    tables: Sequence[JudgedTable], settings: BenchSettings, cases: int
) -> list[Prediction]:
    """Over- and under-prediction of every metric on every rated dataset. cases: how many of the
    largest and of random differences of each sign are listed."""
    computed = []
    for table in tables:
        if "rating" not in table.tasks:
            continue
        for column in table.columns.values():
            raw, quantile = (
                meta.prediction_report(
                    column.values, table.ratings, scale=scale, cases=cases, seed=settings.seed,
                    human_range=settings.rating_scale or (0.0, 1.0),
                )
                for scale in ("raw", "quantile")
            )  # fmt: skip
            computed.append(
                Prediction(table.name, column.label, raw, quantile, caveats_of(table, column))
            )
    return computed


def share(rows: int, report: meta.PredictionReport) -> str:
    return f"{100 * rows / report.n:.1f}%" if report.n else "–"


def _as_dict(report: meta.PredictionReport, ids: Sequence[str]) -> dict[str, Any]:
    numbers = ("n", "unscored", "unlabelled", "over", "under", "equal", "mean_over", "mean_under",
               "mean_difference", "mean_absolute", "reason")  # fmt: skip
    return {
        **{name: getattr(report, name) for name in numbers},
        **{kind: [_case(case, ids) for case in getattr(report, kind)] for kind in KINDS},
    }


def _case(case: meta.Case, ids: Sequence[str]) -> dict[str, Any]:
    return {"id": ids[case.row], "score": case.score, "human": case.human,
            "difference": case.difference}  # fmt: skip


def case_sections(
    predicted: Sequence[Prediction], texts: Mapping[str, Sequence[Example]]
) -> list[dict[str, Any]]:
    """The worst and random cases with their texts, for `report.pages.cases_page`: on the raw scale
    where there is one, else by quantiles. texts: of each dataset, its examples in the table's
    order."""
    sections = []
    for prediction in predicted:
        rows = texts[prediction.dataset]
        reason = prediction.raw.reason
        report = prediction.quantile if reason else prediction.raw
        sections.append({
            "title": f"{prediction.metric} on {prediction.dataset}",
            "scale": f"quantiles, since {reason}" if reason else "the raw scale from 0 to 1",
            "difference": "of quantiles" if reason else "on the scale from 0 to 1",
            "groups": [
                {"title": title, "cases": [
                    {"id": rows[case.row].id, "score": case.score, "human": case.human,
                     "difference": case.difference, "source": rows[case.row].source,
                     "summary": rows[case.row].summary}
                    for case in getattr(report, kind)]}
                for kind, title in KINDS.items()
            ],
        })  # fmt: skip
    return sections

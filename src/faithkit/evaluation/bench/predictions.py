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
from faithkit.caveats import Caveats, caveat_lines, marks
from faithkit.evaluation.bench.statistics import BenchSettings, caveats_of
from faithkit.evaluation.judged import JudgedTable
from faithkit.evaluation.markdown import shortened
from faithkit.records import Example
from faithkit.report.pages import Table

KINDS = {
    "worst_over": "Most over-predicted",
    "worst_under": "Most under-predicted",
    "random_over": "Over-predicted, at random",
    "random_under": "Under-predicted, at random",
}
"""What a report shows cases of, by the field that holds them."""
SHARES = ("over", "under", "equal")
SIZES = ("mean_over", "mean_under", "mean_difference")
"""What the tables show of `PredictionReport.estimates`."""


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
                    groups=table.documents, draws=settings.draws,
                )
                for scale in ("raw", "quantile")
            )  # fmt: skip
            computed.append(
                Prediction(table.name, column.label, raw, quantile, caveats_of(table, column))
            )
    return computed


def tables_of(predicted: Sequence[Prediction]) -> list[Table]:
    """Over- and under-prediction on each dataset, on the raw scale and by quantiles."""
    tables = []
    for name in dict.fromkeys(prediction.dataset for prediction in predicted):
        of_dataset = [p for p in predicted if p.dataset == name]
        caveats = caveat_lines([(p.metric, p.dataset, p.caveats) for p in of_dataset])
        for scale, title in (
            ("raw", f"Metric − human on {name}, raw scale from 0 to 1"),
            ("quantile", f"Metric − human on {name}, both as quantiles (by construction about half "
                         "of the rows are above and half below)"),
        ):  # fmt: skip
            rows = [_row(prediction, getattr(prediction, scale)) for prediction in of_dataset]
            header = ["metric", "over", "under", "equal", "mean size over", "mean size under",
                      "mean difference", "rows"]  # fmt: skip
            tables.append(Table(title, header, rows, [*_reasons(of_dataset, scale), *caveats]))
    return tables


def _row(prediction: Prediction, report: meta.PredictionReport) -> list[str]:
    name = f"{prediction.metric} {marks(prediction.caveats)}".rstrip()
    shares = [spanned(report.estimates[share], unit="%") for share in SHARES]
    sizes = [spanned(report.estimates[size], 1, 3) for size in SIZES if size in report.estimates]
    if report.scale == "quantile":
        sizes.append("–" if report.mean_difference is None else "0.000")
    return [name, *shares, *sizes, str(report.n)]


def spanned(estimate: meta.Estimate, times: float = 100, places: int = 1, unit: str = "") -> str:
    """`56.0 (52.1–59.8)`, without a negative zero; a dash where there is no value."""
    value, low, high = (
        "" if number is None else f"{number * times:z.{places}f}"
        for number in (estimate.value, estimate.low, estimate.high)
    )
    if not value:
        return "–"
    return f"{value}{unit} ({low}–{high})" if low and high else f"{value}{unit}"


def _reasons(predicted: Sequence[Prediction], scale: str) -> list[str]:
    """Why figures of a table have no interval: a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for prediction in predicted:
        for name, item in getattr(prediction, scale).estimates.items():
            if item.interval_reason and name in (*SHARES, *SIZES):
                names = by_reason.setdefault(item.interval_reason, [])
                names.append(f"{prediction.metric} {name.replace('mean_', 'mean ')}")
    return [f"No interval ({why}): {shortened(names)}." for why, names in by_reason.items()]


def _as_dict(report: meta.PredictionReport, ids: Sequence[str]) -> dict[str, Any]:
    numbers = ("n", "unscored", "unlabelled", "over", "under", "equal", "mean_over", "mean_under",
               "mean_difference", "mean_absolute", "reason")  # fmt: skip
    return {
        **{name: getattr(report, name) for name in numbers},
        "estimates": {name: item.to_dict() for name, item in report.estimates.items()},
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

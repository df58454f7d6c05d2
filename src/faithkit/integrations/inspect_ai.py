"""Inspect: faithkit as a `@scorer`, registered as `faithkit/faithful`. Made for inspect_ai 0.3."""

from __future__ import annotations

from inspect_ai.scorer import Score, Target, mean, stderr
from inspect_ai.scorer import Scorer as InspectScorer
from inspect_ai.scorer import scorer as inspect_scorer
from inspect_ai.solver import TaskState

from faithkit.records import DataError
from faithkit.scorer import Scorer


@inspect_scorer(metrics=[mean(), stderr()])
def faithful(metric: str = "support", source: str | None = None) -> InspectScorer:
    """Compares the model's completion with its source.

    metric  a metric of faithkit
    source  the key of the source in the sample's metadata; None: the source is the sample's input

    A sample that cannot be scored is unscored, with the outcome as the reason. DataError is raised
    if a sample lacks the key.
    """
    loaded = Scorer(metric)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        completion = state.output.completion
        result = await loaded.acheck(_source(state, source), completion)
        about = {"verdict": result.verdict, "probability": result.probability,
                 "marked": result.marked}  # fmt: skip
        if result.value is None:
            return Score.unscored(
                reason=str(result.outcome), answer=completion, explanation=str(result)
            )
        return Score(value=result.value, answer=completion, explanation=str(result), metadata=about)

    return score


def _source(state: TaskState, key: str | None) -> str:
    if key is None:
        return str(state.input_text)
    if key not in state.metadata:
        raise DataError(f"sample {state.sample_id}: no metadata '{key}'")
    return str(state.metadata[key])

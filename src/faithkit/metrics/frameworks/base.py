"""What the metrics of other packages share: their judge, and what becomes of its failures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from importlib.metadata import version
from typing import ClassVar

from faithkit.language.words import word_coverage
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import score_unless_blank
from faithkit.metrics.frameworks.judging import Judge, NoAnswerError, Questioner
from faithkit.models.protocols import Asking, ChatModel, Limits
from faithkit.records import (
    JSON,
    ConfigError,
    Example,
    ModelError,
    Outcome,
    Score,
    scored,
    unscored,
)

UNREADABLE = (ValueError, KeyError, IndexError, TypeError, AttributeError)
"""What packages raise on an answer that is not the JSON that they asked for."""


class FrameworkMetric(Metric):
    """A metric of another package, by that package's own code and prompts.

    distribution  the package whose version is in the signature

    `model=` is the judge, which has to be named: an address (`http://host:port/v1#NAME`,
    `openai/NAME`) or a chat model that runs here. `tokens` are the most of one answer. Answers are
    kept and asked for within limits as those of `judge`.

    Outcomes: no_claims where the package finds nothing to check; unparsable where it cannot read
    the answers; refused, timeout, too_long and model_error as the judge gives them.
    """

    bounds = (0.0, 1.0)
    marks_words = False
    limitations = (
        "As good as the judge that is named, and bound to the package's prompts, which change with "
        "its version. How far it agrees with people was not measured here."
    )
    models: ClassVar[dict[str, str]] = {"model": "chat:"}
    unsigned = frozenset(Limits.__dataclass_fields__)
    distribution: ClassVar[str]

    def __init__(
        self,
        model: ChatModel | None = None,
        tokens: int = 2048,
        transcripts: str = "",
        timeout: float = 60.0,
        retries: int = 4,
        concurrency: int = 4,
        max_requests: int | None = None,
    ) -> None:
        if model is None:
            raise ConfigError(
                f"{self.name} needs a judge: model=http://host:port/v1#NAME, openai/NAME, or a "
                "chat model here (a folder, a hub id, mini)"
            )
        if tokens <= 0:
            raise ConfigError(f"{self.name}: tokens should be above 0, found {tokens}")
        limits = Limits(transcripts, timeout, retries, concurrency, max_requests)
        self._model = model.limited(limits)
        self._asking = Asking(tokens, whole=True)
        self.resolved: dict[str, JSON] = {self.distribution: version(self.distribution)}
        self.prepare()

    def prepare(self) -> None:
        """Imports the package, without its telemetry."""

    async def value(self, example: Example, judge: Questioner) -> float | None:
        """The package's number, higher is better; None where it finds nothing to check."""
        raise NotImplementedError

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return score_unless_blank(examples, self.name, self._score_all)

    def _score_all(self, examples: Sequence[Example]) -> list[Score]:
        # A thread of its own, because the caller's may have an event loop already (a notebook's).
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(copy_context().run, asyncio.run, self._scored(examples)).result()

    async def _scored(self, examples: Sequence[Example]) -> list[Score]:
        judge = Judge(self._model, self._asking)
        return await asyncio.gather(*(self._score(example, judge) for example in examples))

    async def _score(self, example: Example, judge: Judge) -> Score:
        questioner = Questioner(judge, [])
        value, outcome = None, Outcome.NO_CLAIMS
        try:
            value = await self.value(example, questioner)
        except (NoAnswerError, *UNREADABLE) as error:
            if not (questioner.replies or questioner.error):
                # Nothing was answered, so that it is not the answer that is wrong.
                raise ModelError(f"{self.name}: {type(error).__name__}: {error}") from error
            outcome = Outcome.UNPARSABLE
        if questioner.error:
            raise questioner.error
        coverage, parts = word_coverage(example), questioner.cost
        if value is None or questioner.failure:
            outcome = questioner.failure or outcome
            return unscored(example, self.name, outcome, parts=parts, coverage=coverage)
        return scored(example, self.name, value, parts=parts, coverage=coverage)

"""A chat model as judge [FCLLM]: is the summary consistent with its document, how consistent, and
what a clinical protocol says of it.

What is asked is a template of `prompts/`, what comes back is read by `answers.py`. Here they are
put together, sampled where asked, and every failure gets its outcome. Models are in
`models/chat.py` (here) and `models/endpoint.py` (behind an API); they keep the transcripts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from faithkit.metrics import prompts
from faithkit.metrics.answers import Reading, read_form, read_rating, read_verdict
from faithkit.models.protocols import Asking, ChatModel, Limits, Reply
from faithkit.records import (
    JSON,
    ConfigError,
    Coverage,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    is_blank,
    scored,
    unscored,
)

Setting = Literal["zero-shot", "few-shot"]
Scale = Literal["yesno", "1-5", "1-10", "0-100"]
Protocol = Literal["consistency", "clinical"]

WORDS = ("yes", "no")
TOKENS = {"word": 16, "reasoned": 512, "form": 512}
"""The most tokens of an answer: a word or number, a chain of thought, the clinical form."""


class Judge:
    """What a chat model says when asked if the summary is consistent with its document [FCLLM].

    model            chat:mini (SmolLM2-135M), a folder or hub id with a chat template,
                     `http://host:port/v1#name`, `openai/NAME` (key: OPENAI_API_KEY)
    setting, cot     zero-shot or few-shot (two examples for each origin); with a chain of thought
    scale            yes or no; or a direct rating, zero-shot
    protocol         clinical: TreatFact's form, its aspects in the parts, overall / 3 the value
    prompt           a template of your own, with {document} and {summary}; it is answered as the
                     other options say
    repeats          answers to each prompt, sampled; the value is their mean, and parts tell their
                     `variance`
    temperature      0, and 1 with repeats
    document_tokens  the most tokens of the document (words, behind an API)
    tokens           the most tokens of an answer
    prices           dollars for a million tokens in and out (`0.15,0.60`): parts tell `cost`
    transcripts, timeout, retries, concurrency, max_requests
                     see `models.protocols.Limits`; no part of the signature

    The value is P(yes) / (P(yes) + P(no)) at the answer's first token where the model gives
    probabilities and the answer is one word, else 1 or 0; a rating is brought to 0..1. Parts: p_yes
    and p_no; or answer, contradiction (of its own reasoning), omission (held against a summary).
    Outcomes: unparsable (also an empty answer, or a number outside the scale), refused, timeout,
    model_error, truncated_summary.
    """

    name = "judge"
    bounds = (0.0, 1.0)
    unit = "how far a chat model holds that the summary is consistent with the document"
    needs = frozenset({"source", "summary"})
    models: ClassVar[dict[str, str]] = {"model": "chat:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"model": "openai/gpt-4", "cot": "on"}}
    unsigned = frozenset(
        {"prompt", "transcripts", "timeout", "retries", "concurrency", "max_requests"}
    )
    """`prompt` stands in the signature by its hash."""

    @staticmethod
    def verdict_from(options: Mapping[str, JSON]) -> float | None:
        """Its own "yes": an even chance of yes against no, or 3 of 3 in the clinical form. A direct
        rating is no verdict."""
        if options["protocol"] == "clinical":
            return 1.0
        return 0.5 if options["scale"] == "yesno" else None

    def __init__(
        self,
        model: ChatModel,
        setting: Setting = "zero-shot",
        cot: bool = False,
        scale: Scale = "yesno",
        protocol: Protocol = "consistency",
        prompt: str | None = None,
        repeats: int = 1,
        temperature: float | None = None,
        document_tokens: int | None = None,
        tokens: int | None = None,
        prices: str | None = None,
        transcripts: str = "",
        timeout: float = 60.0,
        retries: int = 4,
        concurrency: int = 4,
        max_requests: int | None = None,
    ) -> None:
        if (scale != "yesno" or protocol == "clinical") and (cot or setting == "few-shot"):
            raise ConfigError("judge: setting=few-shot and cot=on are for yes or no only")
        if scale != "yesno" and protocol == "clinical":
            raise ConfigError("judge: protocol=clinical has a scale of its own; leave scale out")
        for option, number in {
            "repeats": repeats, "tokens": tokens, "document_tokens": document_tokens,
            "concurrency": concurrency, "timeout": timeout, "temperature": temperature,
        }.items():  # fmt: skip
            if number is not None and (number <= 0 or (isinstance(number, int) and number < 1)):
                raise ConfigError(f"judge: {option} should be above 0, found {number}")
        if temperature is not None and repeats == 1:
            raise ConfigError("judge: temperature is for repeats; one answer is the most probable")
        if retries < 0 or (max_requests is not None and max_requests < 0):
            raise ConfigError("judge: retries and max_requests should be 0 or more")
        self._model = model
        self._scale, self._protocol, self._cot = scale, protocol, cot
        self._template = _template(setting, cot, scale, protocol, prompt)
        self.prompt = self._template.hash
        self._repeats = repeats
        self._temperature = 0.0 if repeats == 1 else temperature or 1.0
        form = "form" if protocol == "clinical" else "reasoned" if cot else "word"
        self._tokens = tokens or TOKENS[form]
        # A sampled answer is read as it was drawn: its first token's probability has no variance.
        one_word = form == "word" and scale == "yesno" and repeats == 1
        self._first = WORDS if one_word else ()
        self._document_tokens = document_tokens
        self._prices = _prices(prices)
        self._limits = Limits(transcripts, timeout, retries, concurrency, max_requests)
        self.resolved: dict[str, JSON] = {
            "temperature": self._temperature, "tokens": self._tokens,
        }  # fmt: skip

    def score(self, examples: Sequence[Example]) -> list[Score]:
        usable = [example for example in examples if not is_blank(example)]
        asked = [self._template.prompt(example.source, example.summary) for example in usable]
        columns = [
            self._model.reply(asked, self._asking(sample), self._limits)
            for sample in range(self._repeats)
        ]
        rows = iter(zip(*columns, strict=True))
        return [
            unscored(example, self.name, Outcome.NO_CONTENT)
            if is_blank(example)
            else self._score(example, next(rows))
            for example in examples
        ]

    def _asking(self, sample: int) -> Asking:
        return Asking(self._tokens, self._first, self._temperature, sample, self._document_tokens)

    def _score(self, example: Example, replies: Sequence[Reply]) -> Score:
        readings = [self._read(reply) for reply in replies]
        values = [reading.value for reading in readings if reading.value is not None]
        parts = _means(readings)
        if self._repeats > 1:
            parts["answers"] = float(len(values))
            if values:
                mean = math.fsum(values) / len(values)
                parts["variance"] = math.fsum((one - mean) ** 2 for one in values) / len(values)
        parts |= self._cost(replies)
        coverage = Coverage(
            source_tokens=replies[0].document_tokens,
            source_tokens_cut=replies[0].document_cut,
            summary_tokens=replies[0].summary_tokens,
        )
        if not values:
            outcome = readings[0].outcome
            return unscored(example, self.name, outcome, parts=parts, coverage=coverage)
        spans, evidence = _quotes(example, readings[0])
        return scored(
            example,
            self.name,
            math.fsum(values) / len(values),
            parts=parts,
            spans=spans,
            evidence=evidence,
            coverage=coverage,
        )

    def _read(self, reply: Reply) -> Reading:
        if reply.outcome is not Outcome.OK:
            return Reading(reply.outcome)
        if self._protocol == "clinical":
            return read_form(reply.text)
        if self._scale != "yesno":
            low, high = map(int, self._scale.split("-"))
            return read_rating(reply.text, low, high)
        if not reply.first:
            return read_verdict(reply.text, self._cot)
        # Among the first tokens of any text yes and no have some small share; what was written in
        # their place then counts.
        written = read_verdict(reply.text, self._cot) if reply.text else None
        if written is not None and written.outcome is not Outcome.OK:
            return written
        yes, no = (reply.first[word] for word in WORDS)
        if not yes + no > 0:
            return Reading(Outcome.MODEL_ERROR)
        return Reading(Outcome.OK, yes / (yes + no), {"p_yes": yes, "p_no": no})

    def _cost(self, replies: Sequence[Reply]) -> dict[str, float]:
        tokens_in = sum(reply.prompt_tokens for reply in replies)
        tokens_out = sum(reply.completion_tokens for reply in replies)
        parts = {"prompt_tokens": float(tokens_in), "completion_tokens": float(tokens_out)}
        if self._prices:
            parts["cost"] = (tokens_in * self._prices[0] + tokens_out * self._prices[1]) / 1e6
        return parts


def _template(
    setting: Setting, cot: bool, scale: Scale, protocol: Protocol, prompt: str | None
) -> prompts.Template:
    examples = prompts.consistency_examples(reasoning=cot)
    if prompt is not None:
        return prompts.own(prompt, examples)
    if protocol == "clinical":
        return prompts.packaged("clinical")
    if scale != "yesno":
        return prompts.packaged(f"rating-{scale}")
    name = f"{setting}-cot" if cot else setting
    return prompts.packaged(name, examples if setting == "few-shot" else ())


def _prices(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        price_in, price_out = (float(one) for one in text.split(","))
    except ValueError:
        raise ConfigError(f"judge: prices should be IN,OUT in dollars, found '{text}'") from None
    if not (0 <= price_in < math.inf and 0 <= price_out < math.inf):
        raise ConfigError(f"judge: prices should be 0 or more, found '{text}'")
    return price_in, price_out


def _means(readings: Sequence[Reading]) -> dict[str, float]:
    """Each part's mean over the readings that have it."""
    names = dict.fromkeys(name for reading in readings for name in reading.parts)
    columns = {
        name: [reading.parts[name] for reading in readings if name in reading.parts]
        for name in names
    }
    return {name: math.fsum(column) / len(column) for name, column in columns.items()}


def _quotes(example: Example, reading: Reading) -> tuple[list[Span], list[Evidence]]:
    """The summary's words that the clinical form says are wrong, and the abstract's that tell,
    where they stand there as they are quoted."""
    said, truth = reading.quotes
    at = example.summary.find(said) if said else -1
    if at < 0:
        return [], []
    span = Span(at, at + len(said), "unsupported")
    there = example.source.find(truth) if truth else -1
    if there < 0:
        return [span], []
    return [span], [Evidence(there, there + len(truth), span.start, span.end, "truth")]

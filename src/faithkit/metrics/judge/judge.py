"""A chat model as judge [FCLLM]: is the summary consistent with its document, how consistent, and
the answers to a clinical protocol.

What is asked is a template of `prompts/`, what comes back is read by `answers.py` and
`answers_rated.py`. Here they are put together, sampled where asked, and every failure gets its
outcome. Models are in `models/chat/local.py` (here) and `models/chat/endpoint.py` (behind an API);
they keep the transcripts.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from faithkit.metrics.base import Metric
from faithkit.metrics.batch import score_unless_blank
from faithkit.metrics.judge.answers import Reading, opens_with, read_verdict
from faithkit.metrics.judge.answers_rated import read_form, read_rating
from faithkit.metrics.judge.templates import (
    OWN_ORIGIN,
    Protocol,
    Questioning,
    Scale,
    Setting,
    Wording,
)
from faithkit.models.protocols import Asking, ChatModel, Limits, Prompt, Reply
from faithkit.records import (
    JSON,
    ConfigError,
    Coverage,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    scored,
    unscored,
)

log = logging.getLogger("faithkit")

EMBEDDED = "smollm2-135m"
"""The default model, which is too small to judge."""

TooLong = Literal["cut", "wrong"]

WORDS = ("yes", "no")
TOKENS = {"word": 128, "reasoned": 512, "form": 512}
"""The most tokens of an answer: a word or number, which some models explain; a chain of thought;
the clinical form."""

MIN_PROBABILITY = 0.5
"""Where P(yes) + P(no) is below this, a model is more likely to write something else."""

_PUBLISHED = {"wording": "published", "too_long": "wrong"}


class Judge(Metric):
    """What a chat model says when asked if the summary is consistent with its document [FCLLM].

    model            chat:mini (SmolLM2-135M), a folder or hub id (a base model without a chat
                     template is asked with the plain prompt), `http://host:port/v1#name`,
                     `openai/NAME` (key: OPENAI_API_KEY)
    setting, cot     zero-shot or few-shot (two examples of the row's own origin); with a chain of
                     thought
    scale            yes or no; or a direct rating, zero-shot
    protocol         clinical: TreatFact's form, its aspects in the parts, overall / 3 the value;
                     clinical-yesno: one question about the same aspects, zero-shot
    wording          published: asks what the papers' prompts ask (each file of prompts/published
                     says whose), in our words
    prompt           a template of your own, with {document} and {summary}, and {examples} for
                     few-shot; it is answered as the other options say
    examples         JSONL with source, summary, label (1 or 0) and origin, and reasoning for
                     cot=on; `faithkit datasets examples` draws one from a validation split. ""
                     for those of the package, of the origins cnndm and xsum
    origin           whose examples are shown: row, those of the row's field `origin`, and a row
                     without examples is an error; or the name of one origin for all rows
    too_long         cut the document where the prompt does not fit (coverage says so), or count
                     the row as wrong: outcome too_long, and nothing is cut
    min_probability  where P(yes) + P(no) is below it, what the model writes is read instead, and
                     an answer without a verdict is off_topic
    repeats          answers to each prompt, sampled; the value is their mean, and parts give their
                     `variance`
    temperature      0, and 1 with repeats
    document_tokens  the most tokens of the document (words, behind an API)
    tokens           the most tokens of an answer
    prices           dollars for a million tokens in and out (`0.15,0.60`): parts give `cost`
    transcripts, timeout, retries, concurrency, max_requests, max_total_tokens, max_cost, budget,
    per_minute, responses
                     see `models.chat.limits.Limits`; no part of the signature

    The value is P(yes) / (P(yes) + P(no)) at the answer's first token where the model gives
    probabilities and its first word is its verdict, else 1 or 0, the last verdict it gives; a
    rating is brought to 0..1. Parts: p_yes, p_no and p_verdict, their sum; answer, contradiction
    (of its own reasoning), omission (taken for an inconsistency). Outcomes: unparsable (also an
    empty answer, or a number outside the scale), off_topic (neither word was probable, or a long
    answer speaks of something else), refused, too_long, timeout, model_error, truncated_summary.

    Presets: paper (GPT-4, zero-shot chain of thought [FCLLM]); fcllm-zero-shot, fcllm-cot,
    fcllm-few-shot, fcllm-few-shot-cot, its four settings; fflm (LLaMA-7B as a base model, prompted
    [FFLM §4.6]); stars and direct (Wang et al. 2023), points (Luo et al. 2023), ratings. All of
    them have wording=published and too_long=wrong.
    """

    name = "judge"
    bounds = (0.0, 1.0)
    unit = "a chat model's judgement that the summary is consistent with the document"
    limitations = (
        "As good as the model that is asked: the embedded one is at chance. A text that says what "
        "to answer can turn a weak model's verdict, and a model behind an API may change without "
        "its name changing."
    )
    models: ClassVar[dict[str, str]] = {"model": "chat:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"model": "openai/gpt-4", "cot": "on", **_PUBLISHED},
        "fcllm-zero-shot": _PUBLISHED,
        "fcllm-cot": {"cot": "on", **_PUBLISHED},
        "fcllm-few-shot": {"setting": "few-shot", **_PUBLISHED},
        "fcllm-few-shot-cot": {"setting": "few-shot", "cot": "on", **_PUBLISHED},
        "fflm": {"model": "huggyllama/llama-7b", **_PUBLISHED},
        "stars": {"scale": "1-5", **_PUBLISHED},
        "points": {"scale": "1-10", **_PUBLISHED},
        "direct": {"scale": "0-100", **_PUBLISHED},
    }
    unsigned = frozenset({*Limits.__dataclass_fields__, "prompt", "examples"})
    """`prompt` and `examples` are in the signature by their hash."""

    @classmethod
    def verdict_from(cls, options: Mapping[str, JSON]) -> float | None:
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
        wording: Wording = "faithkit",
        prompt: str | None = None,
        examples: str = "",
        origin: str = OWN_ORIGIN,
        too_long: TooLong = "cut",
        min_probability: float = MIN_PROBABILITY,
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
        max_total_tokens: int | None = None,
        max_cost: float | None = None,
        budget: str = "",
        per_minute: float | None = None,
        responses: str = "",
    ) -> None:
        above = {
            "repeats": repeats, "tokens": tokens, "document_tokens": document_tokens,
            "temperature": temperature,
        }  # fmt: skip
        _check_numbers(above, min_probability)
        self._prices = _prices(prices)
        self._model = model.limited(
            Limits(
                transcripts, timeout, retries, concurrency, max_requests, max_total_tokens,
                max_cost, budget, per_minute, responses, self._prices,
            )
        )  # fmt: skip
        _say_embedded(self._model.id)
        self._scale, self._protocol, self._cot = scale, protocol, cot
        questioning = Questioning(setting, cot, scale, protocol, wording, prompt)
        self._templates = questioning.templates(examples, origin)
        self.prompt = self._templates.hash
        if self._templates.by_origin:
            self.needs = Judge.needs | {"origin"}
            self.field_hints = {"origin": f". {self._templates.remedy}"}
        self._repeats, self._temperature = repeats, 0.0 if repeats == 1 else temperature or 1.0
        form = "form" if protocol == "clinical" else "reasoned" if cot else "word"
        self._tokens = tokens or TOKENS[form]
        # A sampled answer is read as it was drawn: its first token's probability has no variance.
        one_word = form == "word" and scale == "yesno" and repeats == 1
        self._first = WORDS if one_word else ()
        self._min_probability = min_probability
        self._document_tokens, self._whole = document_tokens, too_long == "wrong"
        self.resolved: dict[str, JSON] = {
            "temperature": self._temperature, "tokens": self._tokens,
        }  # fmt: skip

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return score_unless_blank(examples, self.name, self._score_all)

    def _score_all(self, examples: Sequence[Example]) -> list[Score]:
        asked = [self._templates.of(e).prompt(e.source, e.summary) for e in examples]
        samples = [self._replies(asked, sample) for sample in range(self._repeats)]
        rows = zip(examples, *samples, strict=True)
        return [self._score(example, replies) for example, *replies in rows]

    def _replies(self, prompts: Sequence[Prompt], sample: int) -> list[Reply]:
        """The answer to each prompt. If a model gave first-token probabilities instead of a text,
        and neither word is probable, it is asked again for the text."""
        asking = Asking(
            self._tokens,
            self._first,
            self._temperature,
            sample,
            self._document_tokens,
            self._whole,
        )
        replies = self._model.reply(prompts, asking)
        unsure = [
            number
            for number, reply in enumerate(replies)
            if reply.first and not (reply.text or reply.completion_tokens)
            and math.fsum(reply.first.values()) < self._min_probability
        ]  # fmt: skip
        again = replace(asking, first=())
        texts = self._model.reply([prompts[number] for number in unsure], again)
        for number, text in zip(unsure, texts, strict=True):
            replies[number] = replace(
                text,
                first=replies[number].first,
                prompt_tokens=text.prompt_tokens + replies[number].prompt_tokens,
            )
        return replies

    def _score(self, example: Example, replies: Sequence[Reply]) -> Score:
        readings = [self._read(reply) for reply in replies]
        values = [reading.value for reading in readings if reading.value is not None]
        parts = _means(readings)
        if self._repeats > 1:
            parts["answers"] = float(len(values))
            if values:
                mean = math.fsum(values) / len(values)
                parts["variance"] = math.fsum((value - mean) ** 2 for value in values) / len(values)
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
        if reply.first:
            return self._read_word(reply)
        cut = reply.completion_tokens >= self._tokens
        return read_verdict(reply.text, self._cot, cut)

    def _read_word(self, reply: Reply) -> Reading:
        """An answer whose first token has probabilities. They are the value where this token is the
        verdict; among the first tokens of any other text, yes and no have some small share."""
        yes, no = (reply.first[word] for word in WORDS)
        verdict_mass = yes + no
        parts = {"p_yes": yes, "p_no": no, "p_verdict": verdict_mass}
        if not (reply.text or reply.completion_tokens):
            if not verdict_mass > 0:
                return Reading(Outcome.MODEL_ERROR)
            return Reading(Outcome.OK, yes / verdict_mass, parts)
        reading = read_verdict(reply.text, reasoned=False)
        parts |= reading.parts
        if reading.outcome is Outcome.UNPARSABLE and verdict_mass < self._min_probability:
            return Reading(Outcome.OFF_TOPIC, None, parts)
        if reading.value is None:
            return Reading(reading.outcome, None, parts)
        first_word = opens_with(reply.text)
        agrees = first_word == (reading.value == 1) == (yes > no) and yes != no
        return Reading(Outcome.OK, yes / verdict_mass if agrees else reading.value, parts)

    def _cost(self, replies: Sequence[Reply]) -> dict[str, float]:
        tokens_in = sum(reply.prompt_tokens for reply in replies)
        tokens_out = sum(reply.completion_tokens for reply in replies)
        parts = {"prompt_tokens": float(tokens_in), "completion_tokens": float(tokens_out)}
        if self._prices:
            parts["cost"] = (tokens_in * self._prices[0] + tokens_out * self._prices[1]) / 1e6
        return parts


def _check_numbers(positive: Mapping[str, float | None], min_probability: float) -> None:
    """Raises ConfigError on an option out of range. positive: options that must be above 0."""
    for option, number in positive.items():
        if number is not None and number <= 0:
            raise ConfigError(f"judge: {option} should be above 0, found {number}")
    if positive["temperature"] is not None and positive["repeats"] == 1:
        raise ConfigError("judge: temperature is for repeats; one answer is the most probable")
    if not 0 <= min_probability <= 1:
        raise ConfigError(f"judge: min_probability should be 0 to 1, found {min_probability}")


def _say_embedded(model: str) -> None:
    """A warning where nobody has named a model."""
    if model.partition("@")[0] == EMBEDDED:
        log.warning("judge: %s is at chance; name a model, judge:model=...", EMBEDDED)


def _prices(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        price_in, price_out = (float(price) for price in text.split(","))
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
    """The words of the summary that the clinical form calls wrong, and the words of the source that
    contradict them, if they occur literally."""
    wrong, truth = reading.quotes
    start = example.summary.find(wrong) if wrong else -1
    if start < 0:
        return [], []
    span = Span(start, start + len(wrong), "unsupported")
    start = example.source.find(truth) if truth else -1
    if start < 0:
        return [span], []
    return [span], [Evidence(start, start + len(truth), span.start, span.end, "truth")]

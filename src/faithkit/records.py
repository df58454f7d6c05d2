"""The records every part of faithkit passes around: Example in, Score out, and the error types.

Plain frozen dataclasses with their validation and their row (JSON) shape; files are `files.py`'s.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

JSON = None | bool | int | float | str | list["JSON"] | dict[str, "JSON"]


class FaithkitError(Exception):
    """Base of the library's own errors: says what was expected, what was found and what to do."""


class DataError(FaithkitError):
    """The user's data is not as it should be; names file, line and field where there are any."""


class ModelError(FaithkitError):
    """A model is missing, broken, refused, or gave something that cannot be used."""


class ConfigError(FaithkitError):
    """An option, metric, model or dataset name is not one we know, or does not fit."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The choice most similar to an unknown name; None if none is similar."""
    choices = sorted(names)
    same = [choice for choice in choices if choice.casefold() == name.casefold()]
    return next(iter(same or difflib.get_close_matches(name, choices, n=1, cutoff=0.5)), None)


def did_you_mean(name: str, names: Iterable[str], apart: Collection[str] = ()) -> str:
    """The end of an error about an unknown name: the most similar choice, then all. apart: choices
    that are not meant."""
    choices = sorted(names)
    near = nearest(name, [choice for choice in choices if choice not in apart])
    hint = f" Did you mean '{near}'?" if near else ""
    return f"{hint} Choices: {', '.join(choices)}."


class Outcome(StrEnum):
    """The status of a row. `ok` has a value; every other outcome says why there is no number.

    no_content        the source or the summary is empty, or the source has nothing to compare with
    no_claims         the summary holds nothing this metric can check (no entity, no sentence, ...)
    truncated_summary the summary does not fit the model, so a score would not be about all of it
    unparsable        a judge's answer could not be read
    refused           a judge would not answer
    off_topic         a judge wrote about something else, or neither verdict was probable
    too_long          the source and the summary do not fit the judge, and nothing was to be cut
    timeout           a model or server did not answer in time
    model_error       a model failed, or gave NaN or infinity
    unsupported_language  the source or the summary is in a language that the metric cannot read
    unsupported_text      the source or the summary is code or a table of numbers
    """

    OK = "ok"
    NO_CONTENT = "no_content"
    NO_CLAIMS = "no_claims"
    TRUNCATED_SUMMARY = "truncated_summary"
    UNPARSABLE = "unparsable"
    REFUSED = "refused"
    OFF_TOPIC = "off_topic"
    TOO_LONG = "too_long"
    TIMEOUT = "timeout"
    MODEL_ERROR = "model_error"
    UNSUPPORTED_LANGUAGE = "unsupported_language"
    UNSUPPORTED_TEXT = "unsupported_text"


NO_VERDICT = frozenset(
    {Outcome.UNPARSABLE, Outcome.REFUSED, Outcome.OFF_TOPIC, Outcome.TOO_LONG, Outcome.TIMEOUT}
)
"""Outcomes of a judge that gave no verdict; benchmarks count them as wrong [FCLLM]."""

TRANSIENT = frozenset({Outcome.TIMEOUT, Outcome.MODEL_ERROR})
"""Outcomes that another try may change, so they are never cached."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start:end` of the summary, with a label ("unsupported", ...) and a score."""

    start: int
    end: int
    label: str = "unsupported"
    score: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise DataError(f"a span needs 0 <= start < end, found {self.start}:{self.end}")
        _check_score("a span", self.score)


LEAST_SUPPORTED = "least supported sentence"
"""Label of the best evidence for a summary's least supported sentence, where no mark shows it; its
score is the probability that the sentence is supported."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Characters `start:end` of the source that support (or contradict) a span of the summary."""

    start: int
    end: int
    summary_start: int
    summary_end: int
    label: str = "evidence"
    score: float | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.start < self.end and 0 <= self.summary_start < self.summary_end):
            raise DataError(
                f"evidence needs 0 <= start < end on both sides, found source {self.start}:"
                f"{self.end}, summary {self.summary_start}:{self.summary_end}"
            )
        _check_score("evidence", self.score)


def _check_score(kind: str, score: float | None) -> None:
    if score is not None and not math.isfinite(score):
        raise DataError(f"the score of {kind} should be a finite number or None, found {score}")


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many tokens and sentences the metric saw on each side, and how many were cut.

    Tokens are the model's own where there is a model, else words.
    """

    source_tokens: int = 0
    source_tokens_cut: int = 0
    source_sentences: int = 0
    source_sentences_cut: int = 0
    summary_tokens: int = 0
    summary_tokens_cut: int = 0
    summary_sentences: int = 0
    summary_sentences_cut: int = 0

    def counts(self) -> dict[str, int]:
        """The counts that are not 0, by name; `Coverage(**counts)` restores the coverage."""
        return {name: count for name, count in asdict(self).items() if count}


UNITS = ("source_tokens", "source_sentences", "summary_tokens", "summary_sentences")
"""What `Coverage` counts; each has its `_cut`."""


@dataclass(frozen=True, slots=True)
class Example:
    """One (source, summary) pair.

    `document` is the identity of the source document: examples that share it are resampled
    together and never divided between folds; by default `document_id(source)`. `pair` joins the
    members of a minimal pair, None if absent. `system` is the summariser. `label` is 1
    (consistent) or 0; `rating` is the mean human faithfulness, higher is better. `spans` are
    human-marked spans of the summary.
    """

    id: str
    source: str
    summary: str
    document: str = field(default="", kw_only=True)
    pair: str | None = field(default=None, kw_only=True)
    system: str | None = field(default=None, kw_only=True)
    label: int | None = field(default=None, kw_only=True)
    rating: float | None = field(default=None, kw_only=True)
    spans: tuple[Span, ...] = field(default=(), kw_only=True)
    meta: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("id", "source", "summary", "document", "pair"):
            value = getattr(self, name)
            if not isinstance(value, str | None if name in ("document", "pair") else str):
                raise DataError(f"field '{name}' should be text, found {type(value).__name__}")
            if not is_unicode(value or ""):
                raise DataError(f"field '{name}' holds half a surrogate pair, which is no Unicode")
        if not self.id:
            raise DataError("field 'id' is empty")
        if self.system is not None and not isinstance(self.system, str):
            raise DataError(f"field 'system' should be text, found {type(self.system).__name__}")
        if not isinstance(self.meta, Mapping):
            raise DataError(f"field 'meta' should be a mapping, found {type(self.meta).__name__}")
        if self.label not in (None, 0, 1):
            raise DataError(f"field 'label' should be 1 (consistent) or 0, found {self.label!r}")
        if self.rating is not None and not _is_finite(self.rating):
            kind = type(self.rating).__name__
            raise DataError(f"field 'rating' should be a number that is finite, found {kind}")
        if not all(isinstance(span, Span) for span in self.spans):
            raise DataError("field 'spans' should be a tuple of Spans")
        if self.label is not None:  # a table's labels may be 1.0 or True
            object.__setattr__(self, "label", int(self.label))
        object.__setattr__(self, "spans", tuple(self.spans))
        if not self.document:
            object.__setattr__(self, "document", document_id(self.source))


def _is_finite(number: Any) -> bool:
    try:
        return math.isfinite(number)
    except (TypeError, ValueError, OverflowError):
        return False


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that determines a score: metric, options, weights and prompt.

    `models` maps an option to `name@12-hex-digits`, a hash over the model's weights and every other
    file of its folder that changes a number.
    """

    metric: str
    options: Mapping[str, JSON] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    splitter: str | None = None
    prompt: str | None = None
    version: str = ""

    @property
    def short(self) -> str:
        """One line for tables: `bertscore|model=mini@53aa51|layer=4|v0.1.0`."""
        shown = [self.metric]
        shown += [f"{key}={name}" for key, name in self.models.items()]
        shown += [f"{key}={_plain(value)}" for key, value in self.options.items()]
        if self.splitter:
            shown.append(f"split={self.splitter}")
        if self.prompt:
            shown.append(f"prompt={self.prompt[:6]}")
        return "|".join([*shown, f"v{self.version}"])

    @property
    def digest(self) -> str:
        """SHA-256 of the whole signature; the part of a cache key that names the metric."""
        return hashlib.sha256(canonical_json(self.to_dict()).encode()).hexdigest()

    def to_dict(self) -> dict[str, JSON]:
        return {
            "metric": self.metric,
            "options": dict(self.options),
            "models": dict(self.models),
            "splitter": self.splitter,
            "prompt": self.prompt,
            "version": self.version,
        }


def _plain(value: JSON) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(_plain(item) for item in value)
    return str(value)


def canonical_json(value: JSON) -> str:
    """JSON with sorted keys and no spaces, so that equal values have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Score:
    """The result of one metric on one example. `value` is None unless there is a value.

    A metric fills everything but `signature`; the run adds that, and puts the label under which
    the metric was asked for into `metric`. `texts`, by name: what the metric writes about the
    summary (the LSS of `lss_*`), and `left_out`, which words it did not read. `unlisted_marks`, in
    no row of JSON: how many unsupported spans the row of a table had; None if unknown.
    """

    id: str
    metric: str
    value: float | None
    outcome: Outcome = Outcome.OK
    parts: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[Span, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    coverage: Coverage = Coverage()
    signature: Signature | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    unlisted_marks: int | None = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        if self.value is None and self.outcome is Outcome.OK:
            raise DataError(f"{self.metric} on '{self.id}': outcome ok needs a value")
        numbers = list(self.parts.items())
        if self.value is not None:
            numbers.append(("value", self.value))
        for name, value in numbers:
            if not isinstance(value, int | float):
                found = f"{name} should be a Python number, found {type(value).__name__}"
                raise DataError(f"{self.metric} on '{self.id}': {found}")
            if not math.isfinite(value):
                raise DataError(
                    f"{self.metric} on '{self.id}': {name} is {value}; "
                    "an unscored row has value=None and an outcome, never NaN or infinity"
                )
        for name, text in self.texts.items():
            if not isinstance(text, str) or not is_unicode(text):
                raise DataError(
                    f"{self.metric} on '{self.id}': text '{name}' should be Unicode text, found "
                    f"{type(text).__name__}"
                )

    @property
    def verdict(self) -> str | None:
        """consistent, not consistent or undecided; None of a metric that gives no verdict."""
        return verdict_of(self.parts)

    def to_row(self) -> dict[str, JSON]:
        """The output row: exactly ROW_KEYS, in this order."""
        return {
            "id": self.id,
            "metric": self.metric,
            "value": self.value,
            "outcome": str(self.outcome),
            "verdict": self.verdict,
            "parts": dict(self.parts),
            "spans": [_as_dict(span) for span in self.spans],
            "evidence": [_as_dict(item) for item in self.evidence],
            "coverage": _as_dict(self.coverage),
            "signature": self.signature.to_dict() if self.signature else None,
            "texts": dict(self.texts),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Score:
        """The inverse of `to_row`. Raises DataError on a row that is not a score. One of an earlier
        release has no `texts` or `verdict`; one of `check --json` has the words of spans too."""
        try:
            signature = row["signature"]
            return cls(
                id=row["id"],
                metric=row["metric"],
                value=row["value"],
                outcome=Outcome(row["outcome"]),
                parts=dict(row["parts"]),
                spans=tuple(Span(**_offsets(span)) for span in row["spans"]),
                evidence=tuple(Evidence(**_offsets(item)) for item in row["evidence"]),
                coverage=Coverage(**row["coverage"]),
                signature=Signature(**signature) if signature else None,
                texts=dict(row.get("texts") or {}),
            )
        except (KeyError, TypeError, ValueError) as error:
            problem = f"no field {error}" if isinstance(error, KeyError) else error
            raise DataError(f"this is not a row of scores ({problem})") from error


_KEYS = "id metric value outcome verdict parts spans evidence coverage signature texts"
ROW_KEYS = tuple(_KEYS.split())


def _as_dict(record: Span | Evidence | Coverage) -> dict[str, JSON]:
    return {item.name: getattr(record, item.name) for item in fields(record)}


def _offsets(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "text"}


VERDICTS = {1.0: "consistent", 0.0: "not consistent", 0.5: "undecided"}


def verdict_of(parts: Mapping[str, float]) -> str | None:
    """The verdict in words; None if the metric gives none."""
    return VERDICTS.get(parts.get("verdict", -1.0))


def probability_of(score: Score, unit: str) -> float | None:
    """The probability that the summary is consistent, of a metric that gives verdicts: a part of
    its own, else the value where the metric's `unit` says that this is one. None without either."""
    if "probability" in score.parts or verdict_of(score.parts) is None:
        return score.parts.get("probability")
    return score.value if unit.startswith("probability") else None


def scored(
    example: Example,
    metric: str,
    value: float,
    *,
    parts: Mapping[str, float] | None = None,
    spans: Sequence[Span] = (),
    evidence: Sequence[Evidence] = (),
    coverage: Coverage | None = None,
    texts: Mapping[str, str] | None = None,
) -> Score:
    """A Score with a value, or the outcome `model_error` where a model gave NaN or infinity."""
    coverage = coverage or Coverage()
    numbers = [value, *(parts or {}).values()]
    if not all(math.isfinite(number) for number in numbers):
        return unscored(example, metric, Outcome.MODEL_ERROR, coverage=coverage)
    return Score(
        id=example.id,
        metric=metric,
        value=float(value),
        parts={name: float(part) for name, part in (parts or {}).items()},
        spans=tuple(spans),
        evidence=tuple(evidence),
        coverage=coverage,
        texts=dict(texts or {}),
    )


def unscored(
    example: Example,
    metric: str,
    outcome: Outcome,
    *,
    default: float | None = None,
    parts: Mapping[str, float] | None = None,
    spans: Sequence[Span] = (),
    coverage: Coverage | None = None,
    texts: Mapping[str, str] | None = None,
) -> Score:
    """A Score whose outcome says why there is no number; `default` is what the user asked for."""
    return Score(
        id=example.id,
        metric=metric,
        value=default,
        outcome=outcome,
        parts=dict(parts or {}),
        spans=tuple(spans),
        coverage=coverage or Coverage(),
        texts=dict(texts or {}),
    )


def document_id(source: str) -> str:
    """The identity of a source document that its release does not name: the first 16 hex digits of
    the SHA-256 of its text in UTF-8."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def is_unicode(text: str) -> bool:
    """False where the text holds half a surrogate pair, which no file or database can store."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_blank(example: Example) -> bool:
    """True where the source or the summary holds no visible character: outcome `no_content`."""
    return not example.source.strip() or not example.summary.strip()

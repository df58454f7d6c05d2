"""What local chat models (`local.py`) and models behind an API (`endpoint.py`) share: every answer
is stored as soon as it arrives, and texts cannot imitate the marks of a chat template.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from faithkit.cache import Cache, default_folder
from faithkit.models.chat.limits import Limits
from faithkit.models.chat.responses import collector
from faithkit.models.protocols import Asking, Prompt, Reply
from faithkit.records import JSON, ConfigError, DataError, Outcome, canonical_json

FILE = "transcripts.sqlite"
KEPT = frozenset({Outcome.OK, Outcome.REFUSED})
"""The outcomes of answers that are stored; after any other, the prompt is asked again."""

MARKS = re.compile(
    r"<\|[^\n<>|]{1,64}\|>"  # ChatML, Llama 3, Phi
    r"|<｜[^\n<>｜]{1,64}｜>"  # DeepSeek
    r"|</?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|think|tool_call|tool_response)>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"  # Mistral, Llama 2
    r"|<</?SYS>>",
    re.IGNORECASE,
)
"""The marks of turns, roles and tools in common chat templates."""


def defused(text: str) -> str:
    """The text with a space inside every mark of a chat template: `< |im_end|>`. A text without
    such marks is unchanged."""
    return MARKS.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", text)


def key_of(model: str, prompt: Prompt, asking: Asking) -> bytes:
    """The key of a transcript: a hash of the model, the prompt and how it is to be answered."""
    pieces: list[JSON] = [[piece.slot, piece.text] for piece in prompt]
    settings: dict[str, JSON] = {**asdict(asking), "first": list(asking.first)}
    if not asking.whole:
        del settings["whole"]  # so that answers of releases without this field are found again
    return hashlib.sha256(canonical_json([model, pieces, settings]).encode()).digest()


class Transcripts(Cache):
    """Prompts and answers by `key_of`, in SQLite. Several processes may write at a time, and a
    killed process does no damage."""

    def explain(self, error: Exception) -> DataError:
        text = str(super().explain(error))
        return DataError(
            text.replace("score cache", "transcripts", 1)
            .replace("another --cache", "another transcripts=FILE")
            .replace("another place with --cache, or --no-cache", "another transcripts=FILE")
            .replace("only time is lost", "answers must then be asked for again")
        )


_listener: ContextVar[Callable[[float], None] | None] = ContextVar("answers", default=None)


@contextmanager
def listening(progress: Callable[[float], None]) -> Iterator[None]:
    """Within this context, `progress` is called after each answer with the share of the call's
    prompts that are answered, as a batch of a chat model may take minutes."""
    token = _listener.set(progress)
    try:
        yield
    finally:
        _listener.reset(token)


_lost: set[Path] = set()
"""Default stores that could not be used: this process warned about them and does not try again."""


def open_transcripts(limits: Limits) -> Transcripts:
    """The store that the limits name, or the default store, which may fail without stopping the
    run. Raises DataError if a named store cannot be opened."""
    if limits.transcripts == "off":
        return Transcripts(None)
    if limits.transcripts:
        return Transcripts(Path(limits.transcripts).expanduser(), required=True)
    path = default_folder() / FILE
    return Transcripts(None if path in _lost else path)


class Transcribed:
    """The base of chat models that read stored answers and ask the model for the others only.
    Satisfies `ChatModel`; a subclass has an `id` and answers prompts in `_ask`."""

    id: str
    limits: Limits = Limits()
    has_requests = False
    """Whether the model is behind an API."""

    def limited(self, limits: Limits) -> Self:
        """See `protocols.ChatModel`."""
        limited = copy.copy(self)
        limited.limits = limits
        return limited

    def reply(self, prompts: Sequence[Prompt], asking: Asking) -> list[Reply]:
        """See `protocols.ChatModel`. Raises DataError if a file of transcripts that the user named
        cannot be used, and ConfigError if requests are collected and the model is local."""
        keys = [key_of(self.id, prompt, asking) for prompt in prompts]
        if not keys:
            return []
        if collector() and not self.has_requests:
            raise ConfigError(f"{self.id} answers here; only a model behind an API has requests")
        with open_transcripts(self.limits) as store:
            replies = _stored(store.get(list(set(keys))), store)
            new = {
                key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in replies
            }
            order, progress = list(new), _listener.get()
            answers = self._ask(list(new.values()), asking)
            for number, (position, reply) in enumerate(answers, start=1):
                key = order[position]
                replies[key] = reply
                if progress:
                    progress(number / len(new))
                if reply.outcome in KEPT:
                    store.put({key: _row(self.id, new[key], asking, reply)})
            if store.lost and store.path:
                _lost.add(store.path)
        return [replies[key] for key in keys]

    def _ask(self, prompts: Sequence[Prompt], asking: Asking) -> Iterator[tuple[int, Reply]]:
        """The position and the reply of each prompt, in any order, each as soon as it arrives."""
        raise NotImplementedError


def _row(model: str, prompt: Prompt, asking: Asking, reply: Reply) -> dict[str, Any]:
    return {
        "model": model,
        "prompt": "".join(piece.text for piece in prompt),
        "asking": asdict(asking),
        "reply": asdict(reply),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _stored(rows: Mapping[bytes, Mapping[str, Any]], store: Transcripts) -> dict[bytes, Reply]:
    """The replies in stored rows; empty if a row is damaged, and the store is then given up."""
    replies = {}
    try:
        for key, row in rows.items():
            fields = dict(row["reply"])
            replies[key] = Reply(**{**fields, "outcome": Outcome(fields["outcome"])})
    except (KeyError, TypeError, ValueError) as error:
        store.give_up(error)
        return {}
    return replies

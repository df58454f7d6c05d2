"""Chat models behind an OpenAI-compatible API: `openai/NAME`, or `http://host:port/v1#model`.

The openai package (extra `judge`) sends the requests and repeats those that fail temporarily. The
key is read from OPENAI_API_KEY only. It is sent to the server that is named, but not unencrypted
to another computer, and is neither stored nor shown. If the server says that a document is too
long, the document is halved until it fits, unless it must not be truncated. Its tokens are unknown
here, so words are counted. A server that truncates silently is not noticed.
"""

from __future__ import annotations

import logging
import math
import os
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from faithkit import extras
from faithkit.models.chat.limits import Limits
from faithkit.models.chat.responses import Collect, Responses, collector, failure
from faithkit.models.chat.spending import Budget, Spent
from faithkit.models.chat.transcripts import Transcribed, defused, key_of
from faithkit.models.protocols import Asking, Prompt, Reply
from faithkit.network import is_local
from faithkit.records import ConfigError, FaithkitError, ModelError, Outcome

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

OPENAI = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"
BASE_URL = "OPENAI_BASE_URL"
"""The variable with the address of `openai/NAME`, instead of OPENAI."""
PLAIN_HTTP = "FAITHKIT_PLAIN_HTTP"
"""Set to 1, it lets the key be sent unencrypted to another computer."""
TOP = 20
"""How many tokens' probabilities are requested: the most that the API gives."""

_TOO_LONG = re.compile(
    r"context.?(?:length|size|window)|maximum context|max_model_len|too long|too many tokens",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+")

log = logging.getLogger("faithkit")


def connect(name: str, *, offline: bool) -> Endpoint:
    """The model at an address; nothing is sent yet. Its id tells models of one name at several
    addresses apart, so that the answers of one are not taken for another's.

    Raises ConfigError if no model is named, the address holds a password, the package openai is
    missing, or the address is on another machine and this run is offline.
    """
    base, model = _address(name)
    host = urlsplit(base).hostname or ""
    local = is_local(host)
    if offline and not local:
        raise ConfigError(
            f"chat:{name} is at {host}, and this run is offline. Only models on this machine "
            "(localhost, or chat:mini) can be asked offline."
        )
    extras.require(["openai"], "A chat model at an address")
    elsewhere = name.startswith("openai/") and base.rstrip("/") != OPENAI
    return Endpoint(f"{name}@{base}" if elsewhere else name, base, model, local=local)


def _address(name: str) -> tuple[str, str]:
    """The base URL, and the model's name there. Raises ConfigError on an address of another
    form."""
    if name.startswith("openai/"):
        base, model = os.environ.get(BASE_URL) or OPENAI, name.removeprefix("openai/")
        expected = f"openai/NAME, and in {BASE_URL} http://host:port/v1"
    else:
        base, _, model = name.partition("#")
        expected = "http://host:port/v1#model"
    try:
        parts = urlsplit(base)
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        # Not the address itself, which may hold a password.
        raise ConfigError(f"chat: the address of '{model}' is no address: {error}") from error
    if parts.username or parts.password or parts.query:
        raise ConfigError(
            "chat: an address holds neither a password nor a query; a key is read from the "
            "environment, OPENAI_API_KEY"
        )
    if not host or not model:
        raise ConfigError(f"chat:{name}: expected {expected}")
    return base, model


@dataclass(slots=True)
class _Server:
    """The state that all copies of a model share: whether the server gives probabilities of tokens,
    the budgets and the responses, each by its file."""

    gives_probabilities: bool = True
    budgets: dict[str, Budget] = field(default_factory=dict)
    responses: dict[str, Responses] = field(default_factory=dict)


class Endpoint(Transcribed):
    """A chat model behind an API. Satisfies `ChatModel`.

    requests  how many requests were sent under its budget so far, retries not counted
    """

    has_requests = True

    def __init__(self, identity: str, base: str, model: str, *, local: bool) -> None:
        self.id = identity
        self._base, self._model, self._local = base, model, local
        self._server = _Server()

    @property
    def requests(self) -> int:
        return self._budget().spent()[0]

    def _budget(self) -> Budget:
        path = self.limits.budget
        if path not in self._server.budgets:
            self._server.budgets[path] = Budget(path)
        return self._server.budgets[path]

    def _ask(self, prompts: Sequence[Prompt], asking: Asking) -> Iterator[tuple[int, Reply]]:
        if collect := collector():
            yield from self._collected(prompts, asking, collect)
        elif self.limits.responses:
            yield from self._responded(prompts, asking)
        else:
            yield from self._sent(prompts, asking)

    def _sent(self, prompts: Sequence[Prompt], asking: Asking) -> Iterator[tuple[int, Reply]]:
        """Sends every prompt, several at a time, and yields the replies in the order of arrival.
        Raises the first error that stops all requests, after the replies that have arrived; and
        ModelError if the budget is used up."""
        limits, stop = self.limits, threading.Event()
        budget = self._budget()
        fatal: FaithkitError | None = None
        failed, reason, answers, spent = 0, "", 0, ""
        with (
            self._client(limits, budget, stop) as client,
            ThreadPoolExecutor(limits.concurrency) as pool,
        ):
            futures = {
                pool.submit(self._answer, client, prompt, asking, budget, stop): position
                for position, prompt in enumerate(prompts)
            }
            try:
                for future in as_completed(futures):
                    # Replies that arrived in the meantime are paid for: keep them before giving up.
                    try:
                        answered = future.result()
                    except FaithkitError as error:
                        stop.set()
                        fatal = fatal or error
                        continue
                    except Spent as error:
                        spent = spent or str(error)
                        continue
                    if answered is None:
                        continue
                    reply, why = answered
                    answers += 1
                    failed, reason = failed + bool(why), why or reason
                    yield futures[future], reply
            finally:
                stop.set()
        self._warn(failed, reason)
        if fatal:
            raise fatal
        if spent:
            raise ModelError(
                f"chat:{self.id}: {spent} is used up and {len(prompts) - answers} prompts are "
                "left. What was answered is kept: run the same command again to go on."
            )

    def _warn(self, failed: int, reason: str) -> None:
        if failed:
            requests = "1 request" if failed == 1 else f"{failed} requests"
            log.warning("chat:%s: %s failed; the last: %s", self.id, requests, reason)

    def _collected(
        self, prompts: Sequence[Prompt], asking: Asking, collect: Collect
    ) -> Iterator[tuple[int, Reply]]:
        """Passes every prompt to `collect` as a request that is not sent; each reply is
        model_error."""
        for position, prompt in enumerate(prompts):
            message, blank = _message(prompt, asking.document_tokens)
            if not (asking.whole and blank.document_cut):
                body = self._request(message, asking, bool(asking.first))
                collect(key_of(self.id, prompt, asking).hex(), body)
            yield position, blank

    def _responded(self, prompts: Sequence[Prompt], asking: Asking) -> Iterator[tuple[int, Reply]]:
        """Reads the reply to every prompt from the files of responses; nothing is sent."""
        path = self.limits.responses
        if path not in self._server.responses:
            self._server.responses[path] = Responses(path)
        failed, reason = 0, ""
        for position, prompt in enumerate(prompts):
            _, blank = _message(prompt, asking.document_tokens)
            line = self._server.responses[path].of(key_of(self.id, prompt, asking).hex())
            reply, why = _from_file(line, asking, blank)
            failed, reason = failed + bool(why), why or reason
            yield position, reply
        self._warn(failed, reason)

    def _client(self, limits: Limits, budget: Budget, stop: threading.Event) -> OpenAI:
        from openai import DefaultHttpxClient, OpenAI

        host = urlsplit(self._base).netloc

        def await_turn(_: Any) -> None:
            while limits.per_minute and not stop.is_set():
                if not (seconds := budget.turn(host, limits.per_minute)):
                    return
                stop.wait(seconds)

        options: dict[str, Any] = {}
        if self._local:
            # A server on this machine is contacted without a proxy, and may not redirect elsewhere.
            options |= {"trust_env": False, "follow_redirects": False}
        if limits.per_minute:
            options["event_hooks"] = {"request": [await_turn]}
        http = DefaultHttpxClient(**options) if options else None
        return OpenAI(
            base_url=self._base,
            api_key=self._key(),
            timeout=limits.timeout,
            max_retries=limits.retries,
            http_client=http,
        )

    def _key(self) -> str:
        """The key for the server; "none" for one that may not need any. Raises ConfigError where
        OpenAI's is missing, or where it would be sent unencrypted to another computer."""
        key = os.environ.get(KEY)
        if not key:
            if self.id.startswith("openai/"):
                raise ConfigError(f"chat:{self.id} needs a key in the environment: {KEY}")
            return "none"
        plain = urlsplit(self._base).scheme != "https" and not self._local
        if plain and os.environ.get(PLAIN_HTTP) != "1":
            raise ConfigError(
                f"chat:{self.id}: {KEY} would be sent unencrypted to {self._base}. Use https, "
                f"unset {KEY} for a server that needs no key, or set {PLAIN_HTTP}=1"
            )
        return key

    def _answer(
        self,
        client: OpenAI,
        prompt: Prompt,
        asking: Asking,
        budget: Budget,
        stop: threading.Event,
    ) -> tuple[Reply, str] | None:
        """The reply to one prompt, and the reason if it is a failure, else ""; None once `stop` is
        set. Raises Spent if the budget is used up, and ModelError if the server refuses every
        request."""
        import openai

        limit = asking.document_tokens
        while not stop.is_set():
            message, blank = _message(prompt, limit)
            if asking.whole and blank.document_cut:
                return replace(blank, outcome=Outcome.TOO_LONG), ""
            with_probabilities = bool(asking.first) and self._server.gives_probabilities
            expected = budget.take(self.limits, message, asking.tokens)
            used = expected  # until the server says: a request without an answer may be charged
            try:
                completion = client.chat.completions.create(
                    **self._request(message, asking, with_probabilities)
                )
                reply, why = _reply(completion, asking.first, blank)
                if reply.prompt_tokens:
                    used = reply.prompt_tokens, reply.completion_tokens
                return reply, why
            except openai.APITimeoutError:
                return replace(blank, outcome=Outcome.TIMEOUT), "no answer in time"
            except (
                openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError
            ) as error:  # fmt: skip
                stop.set()
                raise ModelError(
                    f"chat:{self.id}: the server refuses every request ({error.status_code}). Is "
                    f"OPENAI_API_KEY right, and the address {self._base}, and does it have a "
                    f"model '{self._model}'?"
                ) from None
            except openai.APIStatusError as error:
                used = 0, 0
                result = self._failed(error, with_probabilities, asking, blank, limit, stop)
                if isinstance(result, tuple):
                    return result
                limit = result
            except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
                # Incomplete JSON, a page of HTML, or a completion of another shape.
                return blank, _without_key(error)
            finally:
                budget.settle(self.limits, expected, used)
        return None

    def _failed(
        self,
        error: APIStatusError,
        with_probabilities: bool,
        asking: Asking,
        blank: Reply,
        limit: int | None,
        stop: threading.Event,
    ) -> tuple[Reply, str] | int | None:
        """Handles an error status: the reply and the reason, or the limit of document words with
        which the prompt is sent again. Raises ModelError, and sets `stop`, if the account has no
        money left."""
        if with_probabilities and error.status_code in (400, 422) and "logprob" in str(error):
            self._server.gives_probabilities = False
            return limit
        if error.code == "insufficient_quota":
            stop.set()
            raise ModelError(f"chat:{self.id}: the account has nothing left.") from None
        if error.code == "content_filter":
            return replace(blank, outcome=Outcome.REFUSED), ""
        if error.status_code in (400, 413, 422) and _TOO_LONG.search(str(error)):
            if asking.whole:
                return replace(blank, outcome=Outcome.TOO_LONG), ""
            if blank.document_tokens <= 1:
                return replace(blank, outcome=Outcome.TRUNCATED_SUMMARY), ""
            return blank.document_tokens // 2
        return blank, _without_key(error)

    def _request(self, message: str, asking: Asking, probabilities: bool) -> dict[str, Any]:
        """The body of a request. probabilities: whether to ask for those of the first token."""
        # Newer models of OpenAI refuse the name that every other server knows.
        tokens = "max_completion_tokens" if self.id.startswith("openai/") else "max_tokens"
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": message}],
            "temperature": asking.temperature,
            tokens: asking.tokens,
        }
        if probabilities:
            request |= {"logprobs": True, "top_logprobs": TOP}
        if asking.temperature > 0:
            request["seed"] = asking.sample
        return request


def _from_file(line: dict[str, Any] | None, asking: Asking, blank: Reply) -> tuple[Reply, str]:
    """The reply in a line of responses, and the reason if it is a failure, else ""."""
    from openai.types.chat import ChatCompletion

    if asking.whole and blank.document_cut:
        return replace(blank, outcome=Outcome.TOO_LONG), ""
    response = (line or {}).get("response") or {}
    if response.get("status_code") != 200:
        outcome, why = failure(line, _TOO_LONG.search)
        return replace(blank, outcome=outcome), why
    try:
        return _reply(ChatCompletion.construct(**response["body"]), asking.first, blank)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        return blank, f"a completion of another shape ({error!r})"


def _without_key(error: Exception) -> str:
    """The error's message, at most 500 characters, without the API key."""
    text = f"{type(error).__name__}: {error}"[:500]
    key = os.environ.get(KEY)
    return text.replace(key, "***") if key else text


def _message(prompt: Prompt, limit: int | None) -> tuple[str, Reply]:
    """The prompt as one text, its document truncated to `limit` words, and a reply with the outcome
    model_error that has the counts of words."""
    document_words = cut_words = summary_words = 0
    parts = []
    for piece in prompt:
        text = piece.text
        if piece.slot == "document":
            ends = [word.end() for word in _WORD.finditer(text)]
            length = len(ends) if limit is None else min(limit, len(ends))
            if length < len(ends):
                text = text[: ends[length - 1]] if length else ""
            document_words, cut_words = document_words + length, cut_words + len(ends) - length
        elif piece.slot == "summary":
            summary_words += len(_WORD.findall(text))
        parts.append(defused(text) if piece.slot else text)
    blank = Reply(
        Outcome.MODEL_ERROR,
        document_tokens=document_words,
        document_cut=cut_words,
        summary_tokens=summary_words,
    )
    return "".join(parts), blank


def _reply(completion: Any, first: Sequence[str], blank: Reply) -> tuple[Reply, str]:
    """The API's completion as a Reply, and the reason if it is a failure, else "". A completion of
    another shape raises AttributeError, TypeError or ValueError."""
    if not completion.choices:
        return blank, "a completion without an answer"
    choice, usage = completion.choices[0], completion.usage
    text, refusal = choice.message.content or "", getattr(choice.message, "refusal", None) or ""
    if not isinstance(text, str) or not isinstance(refusal, str):
        return blank, "an answer that is no text"
    refused = bool(refusal) or choice.finish_reason == "content_filter"
    reply = replace(
        blank,
        outcome=Outcome.REFUSED if refused else Outcome.OK,
        text=refusal if refused else text,
        first={} if refused else _first(choice, first),
        prompt_tokens=int(usage.prompt_tokens) if usage else 0,
        completion_tokens=int(usage.completion_tokens) if usage else 0,
    )
    return reply, ""


def _first(choice: Any, words: Sequence[str]) -> dict[str, float]:
    """The probability of each word as the first token, summed over its spellings, 0 if the word is
    not among the most probable; empty if the server gives no probabilities."""
    logs = getattr(choice, "logprobs", None)
    if not words or not logs or not logs.content:
        return {}
    probabilities = dict.fromkeys(words, 0.0)
    # Without alternatives, the generated token itself is used.
    for alternative in logs.content[0].top_logprobs or logs.content[:1]:
        spelled = alternative.token.strip().casefold()
        if spelled in probabilities and math.isfinite(alternative.logprob):
            probabilities[spelled] += math.exp(min(0.0, alternative.logprob))
    return probabilities

"""Open information extraction by a CoreNLP server that the user runs and names by its URL.

This module sends the request, limits the answer, and reads the output of CoreNLP's `openie`
annotator (stanfordnlp.github.io/CoreNLP/openie.html). Nothing is contacted before `extract`.
"""

from __future__ import annotations

import json
import logging
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPException
from typing import Any, NoReturn

from faithkit.language.sentences import closed_sentences
from faithkit.language.words import Segment
from faithkit.models.batching import map_distinct
from faithkit.models.protocols import Fact, Facts
from faithkit.network import is_local
from faithkit.records import ConfigError, ModelError, Outcome

SECONDS = 60.0
"""The time limit for one complete answer; one that stops midway is given up after twice this."""
ANSWER_BYTES = 64 * 2**20
REQUEST_CHARACTERS = 50_000
"""The most characters of one request; by default, a server refuses more than 100,000."""
PROPERTIES = {
    "annotators": "tokenize,ssplit,pos,lemma,depparse,natlog,openie",
    "outputFormat": "json",
    "tokenize.codepoint": "true",
}

log = logging.getLogger("faithkit")


class _Unusable(Exception):
    """An answer that cannot be read; the message says why."""


class CoreNlp:
    """A CoreNLP server. Satisfies `FactExtractor`. A long text is sent in several requests, divided
    between sentences.

    seconds  the time limit for each answer; the outcome of a late answer is timeout
    most     the most bytes of an answer

    The outcome of an answer that is an HTTP error, too large, or not in the expected layout is
    model_error, and the reason is logged. `extract` raises ModelError if the server is unreachable.
    """

    def __init__(self, url: str, seconds: float = SECONDS, most: int = ANSWER_BYTES) -> None:
        self.id = url.rstrip("/")
        self._seconds = seconds
        self._most = most

    @property
    def _opener(self) -> urllib.request.OpenerDirector:
        # A server on this machine is contacted without a proxy.
        host = urllib.parse.urlsplit(self.id).hostname or ""
        proxies = [urllib.request.ProxyHandler({})] if is_local(host) else []
        return urllib.request.build_opener(_NoRedirect, *proxies)

    def extract(self, texts: Sequence[str]) -> list[Facts]:
        """See `protocols.FactExtractor`. Each distinct text is sent once."""
        return map_distinct(texts, lambda distinct: [self._facts(text) for text in distinct])

    def _facts(self, text: str) -> Facts:
        facts: list[Fact] = []
        try:
            for part in _parts(text):
                answer = self._answer(part.text)
                facts += read_answer(answer, part.text, part.start)
        except TimeoutError:
            log.warning("%s did not answer within %g s.", self.id, self._seconds)
            return Facts(Outcome.TIMEOUT)
        except _Unusable as error:
            log.warning("%s: %s", self.id, error)
            return Facts(Outcome.MODEL_ERROR)
        return Facts(Outcome.OK, tuple(facts))

    def _answer(self, text: str) -> Any:
        """The server's answer to one request. Raises TimeoutError, _Unusable or ModelError."""
        query = urllib.parse.urlencode({"properties": json.dumps(PROPERTIES)})
        request = urllib.request.Request(
            f"{self.id}/?{query}",
            data=text.encode(),
            headers={"Content-Type": "text/plain; charset=utf-8"},
        )
        deadline = time.monotonic() + self._seconds
        try:
            with self._opener.open(request, timeout=self._seconds) as answer:
                body = self._read(answer.read1, deadline)
        except urllib.error.HTTPError as error:
            raise _Unusable(f"the server answered with status {error.code}") from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise TimeoutError from error
            self._unreachable(error.reason)
        except (ConnectionError, HTTPException) as error:
            raise _Unusable(f"the connection broke ({error!r})") from error
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _Unusable(f"the answer is no JSON ({error})") from error

    def _read(self, read: Callable[[int], bytes], deadline: float) -> bytes:
        """Reads the body piece by piece, so that the limits of time and size hold for a slow or
        endless answer too."""
        body = bytearray()
        while piece := read(65_536):
            body += piece
            if len(body) > self._most:
                raise _Unusable(f"the answer is larger than {self._most:,} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError
        return bytes(body)

    def _unreachable(self, reason: object) -> NoReturn:
        raise ModelError(
            f"No server answers at {self.id} ({reason}). Start CoreNLP there: java -cp '*' "
            "edu.stanford.nlp.pipeline.StanfordCoreNLPServer -port 9000"
        )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, so that texts are sent to the user's address only."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _parts(text: str) -> Iterator[Segment]:
    """The text in parts of whole sentences, each short enough for one request."""
    start = end = 0
    for sentence in closed_sentences(text):
        if sentence.end - start > REQUEST_CHARACTERS and end > start:
            yield Segment(start, end, text[start:end])
            start = sentence.start
        end = sentence.end
    if end > start:
        yield Segment(start, end, text[start:end])


def read_answer(answer: Any, text: str, shift: int = 0) -> list[Fact]:
    """The facts in an answer in CoreNLP's JSON layout.

    shift  is added to the character offsets of the facts

    Uses the tokens' code point offsets if the server gives them; its other offsets count UTF-16
    units, which differ after an emoji. Raises an error that `CoreNlp` turns into model_error.
    """
    codepoints = None if _has_codepoints(answer) else _from_utf16(text)
    try:
        return [
            _fact(triple, sentence["tokens"], codepoints, shift)
            for sentence in answer["sentences"]
            for triple in sentence["openie"]
        ]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise _Unusable(f"the answer is not in CoreNLP's openie layout ({error!r})") from error


def _has_codepoints(answer: Any) -> bool:
    try:
        return "codepointOffsetBegin" in answer["sentences"][0]["tokens"][0]
    except (KeyError, IndexError, TypeError):
        return False


def _fact(triple: Any, tokens: Any, codepoints: list[int] | None, shift: int) -> Fact:
    """A triple as a fact. codepoints: the code point offset of each UTF-16 offset; None if the
    tokens have code point offsets."""
    begin, end = ("characterOffsetBegin", "characterOffsetEnd")
    if codepoints is None:
        begin, end = ("codepointOffsetBegin", "codepointOffsetEnd")
    pieces = []
    for part in ("subject", "relation", "object"):
        first, stop = triple[f"{part}Span"]
        # A relation without a word has an empty or negative span.
        if 0 <= first < stop:
            start, last = int(tokens[first][begin]), int(tokens[stop - 1][end])
            if codepoints is not None:
                start, last = codepoints[start], codepoints[last]
            pieces.append((shift + start, shift + last))
    words = [str(triple[part]) for part in ("subject", "relation", "object")]
    return Fact(words[0], words[1], words[2], tuple(sorted(set(pieces))))


def _from_utf16(text: str) -> list[int]:
    """The code point offset of each UTF-16 offset."""
    codepoints: list[int] = []
    for index, letter in enumerate(text):
        codepoints += [index] * (2 if ord(letter) > 0xFFFF else 1)
    return [*codepoints, len(text)]


def load_server(url: str, *, offline: bool = False) -> CoreNlp:
    """The extractor at a URL. Raises ConfigError if it is not a plain http(s) URL, and ModelError
    if the server is on another machine and this run is offline."""
    parsed = urllib.parse.urlsplit(url)
    if parsed.scheme not in ("http", "https") or not parsed.hostname:
        raise ConfigError(
            f"An extractor is a server's URL, for example http://localhost:9000; found '{url}'."
        )
    if parsed.username or parsed.password or parsed.query or parsed.fragment:
        raise ConfigError(
            "The extractor's URL is part of every score: it may hold no user name, password, query "
            "or fragment."
        )
    if offline and not is_local(parsed.hostname):
        raise ModelError(f"{url} is on another machine, and this run is offline.")
    return CoreNlp(url)

"""BERT's tokenizer [Devlin et al. 2019, §3]: text without accents and case, cut at white space and
punctuation, each piece of it in the longest word pieces of a vocabulary.

For models that run without torch: the package tokenizers, of which a test holds this equal, brings
50 MB of others with it, more than such a model weighs.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from faithkit.records import ModelError

LONGEST = 100
"""Characters of a word; a longer one is unknown."""

CONTINUED, UNKNOWN = "##", "[UNK]"
REMEMBERED = 100_000
"""Words whose pieces are kept."""

_PLAIN = re.compile(r"[0-9A-Za-z]+|[!-/:-@\[-`{-~]")
"""The words of a text in ASCII."""

_REMOVED = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Control characters in ASCII, which are left out of a text."""

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""Blocks of characters each of which is a word (BERT's)."""


class Encoding(NamedTuple):
    """A text in tokens, without special ones. offsets: characters [start, end) of each."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class WordPiece:
    """A tokenizer over a vocabulary of word pieces, lower case. Letters that spell a special token,
    as "[SEP]", are text like any other."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.vocabulary = vocabulary
        self._pieces = lru_cache(REMEMBERED)(self._pieces_of)

    def encode_batch(self, texts: Sequence[str]) -> list[Encoding]:
        return [self.encode(text) for text in texts]

    def encode(self, text: str) -> Encoding:
        ids: list[int] = []
        offsets: list[tuple[int, int]] = []
        if text.isascii() and not _REMOVED.search(text):
            for match in _PLAIN.finditer(text):
                first = match.start()
                for id, start, end in self._pieces(match.group().lower()):
                    ids.append(id)
                    offsets.append((first + start, first + end))
            return Encoding(ids, offsets)
        for word, places in _words(text):
            for id, start, end in self._pieces(word):
                ids.append(id)
                offsets.append((places[start], places[end - 1] + 1))
        return Encoding(ids, offsets)

    def _pieces_of(self, word: str) -> tuple[tuple[int, int, int], ...]:
        """Of each piece the id and the characters [start, end) in the word."""
        whole = ((self.vocabulary[UNKNOWN], 0, len(word)),)
        if len(word) > LONGEST:
            return whole
        pieces: list[tuple[int, int, int]] = []
        start = 0
        while start < len(word):
            mark = CONTINUED if start else ""
            for end in range(len(word), start, -1):
                id = self.vocabulary.get(mark + word[start:end])
                if id is not None:
                    break
            else:
                return whole
            pieces.append((id, start, end))
            start = end
        return tuple(pieces)


def _words(text: str) -> Iterable[tuple[str, Sequence[int]]]:
    """The words of any text in lower case, of each the place of every character."""
    word: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        kind = _kind(character)
        if kind == "removed":
            continue
        if kind != "letter" and word:
            yield "".join(word), places
            word, places = [], []
        if kind == "alone":
            yield from ((one, [place]) for one in _folded(character))
        elif kind == "letter":
            for one in _folded(character):
                if _kind(one) == "alone":  # a sign that decomposes into punctuation
                    if word:
                        yield "".join(word), places
                        word, places = [], []
                    yield one, [place]
                elif _kind(one) == "letter":
                    word.append(one)
                    places.append(place)
    if word:
        yield "".join(word), places


@lru_cache(maxsize=20_000)
def _kind(character: str) -> str:
    """`removed`, `blank`, `alone` (punctuation and ideographs) or `letter` (all else)."""
    category = unicodedata.category(character)
    if character in "\t\n\r" or (character.isspace() and category != "Cc"):
        return "blank"
    if category in ("Cc", "Cf", "Co", "Cs") or character == "\ufffd":
        return "removed"
    code = ord(character)
    is_sign = category[0] == "P" or (code < 128 and not character.isalnum())
    alone = is_sign or any(first <= code <= last for first, last in _IDEOGRAPHS)
    return "alone" if alone else "letter"


@lru_cache(maxsize=20_000)
def _folded(character: str) -> str:
    """Without accents, in lower case; may be empty or longer."""
    parts = unicodedata.normalize("NFD", character)
    return "".join(one.lower() for one in parts if unicodedata.category(one) != "Mn")


def read_wordpiece(path: Path) -> WordPiece:
    """The tokenizer in a `tokenizer.json`. Raises ModelError where it is missing or is not that of
    an uncased BERT."""
    try:
        file = json.loads(path.read_text(encoding="utf-8"))
        model, normalizer = file["model"], file["normalizer"]
        is_bert = (
            normalizer["type"] == "BertNormalizer"
            and normalizer["lowercase"]
            and normalizer["clean_text"]
            and normalizer["handle_chinese_chars"]
            and normalizer["strip_accents"] is not False
            and file["pre_tokenizer"]["type"] == "BertPreTokenizer"
            and model["continuing_subword_prefix"] == CONTINUED
            and model["unk_token"] == UNKNOWN
            and model["max_input_chars_per_word"] == LONGEST
        )
        vocabulary = {str(piece): int(id) for piece, id in model["vocab"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} is no tokenizer of BERT ({error!r})") from error
    if not is_bert or UNKNOWN not in vocabulary:
        raise ModelError(f"{path} is no tokenizer of BERT without case")
    return WordPiece(vocabulary)

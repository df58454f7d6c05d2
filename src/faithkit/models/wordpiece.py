"""BERT's tokenizer [Devlin et al. 2019, §3]: removes accents and case, splits text at white space
and punctuation, and divides each word into the longest word pieces of a vocabulary.

For models that run without torch: the package tokenizers, to which a test compares this one, brings
50 MB of other packages, more than such a model weighs.
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
"""The most characters of a word; a longer word is unknown."""

CONTINUED, UNKNOWN = "##", "[UNK]"
CACHED_WORDS = 100_000
"""The number of words whose pieces are cached."""

_PLAIN = re.compile(r"[0-9A-Za-z]+|[!-/:-@\[-`{-~]")
"""The words and punctuation marks of an ASCII text."""

_REMOVED = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""ASCII control characters, which are removed from a text."""

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""The blocks of characters that BERT reads as one word each, as (first, last) code point."""


class Encoding(NamedTuple):
    """The token ids of a text, without special tokens, and the character offsets [start, end) of
    each."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class WordPiece:
    """A tokenizer over a vocabulary of lower-case word pieces. Characters that spell a special
    token, such as "[SEP]", are treated as ordinary text."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.vocabulary = vocabulary
        self._pieces = lru_cache(CACHED_WORDS)(self._pieces_of)

    def encode(self, text: str) -> Encoding:
        """The tokens of a text; its length is not limited."""
        ids: list[int] = []
        offsets: list[tuple[int, int]] = []
        if text.isascii() and not _REMOVED.search(text):
            for match in _PLAIN.finditer(text):
                first = match.start()
                for id, start, end in self._pieces(match.group().lower()):
                    ids.append(id)
                    offsets.append((first + start, first + end))
            return Encoding(ids, offsets)
        for word, indices in _words(text):
            for id, start, end in self._pieces(word):
                ids.append(id)
                offsets.append((indices[start], indices[end - 1] + 1))
        return Encoding(ids, offsets)

    def _pieces_of(self, word: str) -> tuple[tuple[int, int, int], ...]:
        """The id and the characters [start, end) of each piece of the word; if the vocabulary lacks
        a piece, or the word is too long, the whole word as one unknown piece."""
        unknown = ((self.vocabulary[UNKNOWN], 0, len(word)),)
        if len(word) > LONGEST:
            return unknown
        pieces: list[tuple[int, int, int]] = []
        start = 0
        while start < len(word):
            prefix = CONTINUED if start else ""
            for end in range(len(word), start, -1):
                id = self.vocabulary.get(prefix + word[start:end])
                if id is not None:
                    break
            else:
                return unknown
            pieces.append((id, start, end))
            start = end
        return tuple(pieces)


def _words(text: str) -> Iterable[tuple[str, Sequence[int]]]:
    """The words of any text, in lower case and without accents, each with the index in the text of
    each of its characters. A punctuation mark or ideograph is a word of its own."""
    word: list[str] = []
    indices: list[int] = []
    for index, character in enumerate(text):
        kind = _kind(character)
        if kind == "removed":
            continue
        if kind != "letter" and word:
            yield "".join(word), indices
            word, indices = [], []
        if kind == "alone":
            yield from ((letter, [index]) for letter in _folded(character))
        elif kind == "letter":
            for letter in _folded(character):
                if _kind(letter) == "alone":  # a sign that decomposes into punctuation
                    if word:
                        yield "".join(word), indices
                        word, indices = [], []
                    yield letter, [index]
                elif _kind(letter) == "letter":
                    word.append(letter)
                    indices.append(index)
    if word:
        yield "".join(word), indices


@lru_cache(maxsize=20_000)
def _kind(character: str) -> str:
    """The class of a character: `removed`, `blank`, `alone` (punctuation and ideographs) or
    `letter` (all others)."""
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
    """The character in lower case without accents; the result may be empty or longer."""
    parts = unicodedata.normalize("NFD", character)
    return "".join(part.lower() for part in parts if unicodedata.category(part) != "Mn")


def read_wordpiece(path: Path) -> WordPiece:
    """The tokenizer of a `tokenizer.json`. Raises ModelError if the file is missing or does not
    describe the tokenizer of an uncased BERT."""
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

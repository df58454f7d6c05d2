"""The wording of what chat models are asked: template files, and how texts are put into them.

A template has the slots `{document}`, `{summary}` and, where it wants worked examples,
`{examples}`. They are filled in one pass, so a slot's name inside a text stays text. Each text
is put between tags whose name does not occur in any of the texts, so that none can close its own.
Lines that begin with "#:" at the head of a file say what it asks and after which paper; they are no
part of the prompt. What a text could do to a chat template is `models/chat/transcripts.py`'s
business. Settings: [FCLLM §3], [LSS §4]; worked examples of consistency are in `examples.py`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

from faithkit.models.protocols import Piece, Prompt
from faithkit.records import JSON, ConfigError, canonical_json

LAYOUT = 1
"""Raised when the tags change, since a prompt is more than its template."""

_SLOT = re.compile(r"\{(document|summary|examples)\}")
_TAG = re.compile(r"(?:document|summary)(?:-(\d{1,9}))?\s*>", re.IGNORECASE)
_HEADER = re.compile(r"\A(?:#:[^\n]*\n)+\s*")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True, slots=True)
class Worked:
    """A worked example: two texts and what to answer about them."""

    document: str
    summary: str
    answer: str


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt to be filled. examples: those of its slot `{examples}`, in order."""

    text: str
    examples: tuple[Worked, ...] = ()

    @property
    def hash(self) -> str:
        """SHA-256 of all that does not depend on the pair, for the signature."""
        examples: list[JSON] = [
            [example.document, example.summary, example.answer] for example in self.examples
        ]
        content = canonical_json([LAYOUT, self.text, *examples])
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def has_examples(self) -> bool:
        """True where it has the slot `{examples}`."""
        return "examples" in _SLOT.findall(self.text)

    def prompt(self, document: str, summary: str) -> Prompt:
        """The prompt about one pair; both texts are in it as they are, each one piece."""
        worked = [text for example in self.examples for text in (example.document, example.summary)]
        number = _unused(document, summary, *worked)
        pieces: list[Piece] = []
        for position, part in enumerate(_SLOT.split(self.text.strip())):
            if position % 2 == 0:
                pieces.append(Piece(part))
            elif part == "document":
                pieces += _fenced("document", document, number)
            elif part == "summary":
                pieces += _fenced("summary", summary, number)
            else:
                pieces.append(
                    Piece(
                        "\n\n".join(_rendered_example(example, number) for example in self.examples)
                    )
                )
        return tuple(pieces)


def _unused(*texts: str) -> int:
    """The least number whose tags occur in none of the texts; 1 is that of tags without one."""
    used = {int(tag[1] or 1) for text in texts for tag in _TAG.finditer(text)}
    return next(number for number in range(1, len(used) + 2) if number not in used)


def _fenced(slot: Literal["document", "summary"], text: str, number: int) -> list[Piece]:
    tag = slot if number == 1 else f"{slot}-{number}"
    return [Piece(f"<{tag}>\n"), Piece(text, slot), Piece(f"\n</{tag}>")]


def _rendered_example(example: Worked, number: int) -> str:
    texts = [
        "".join(piece.text for piece in pieces)
        for pieces in (
            _fenced("document", example.document, number),
            _fenced("summary", example.summary, number),
        )
    ]
    return "\n\n".join([*texts, f"Answer: {example.answer}"])


def packaged(name: str, examples: tuple[Worked, ...] = ()) -> Template:
    """The template NAME.txt of this folder, its header left out."""
    return Template(_HEADER.sub("", _file(f"{name}.txt")), examples)


def user_template(
    path: str,
    examples: tuple[Worked, ...] = (),
    *,
    required: Sequence[str] = ("document", "summary"),
) -> Template:
    """A user's template, a header left out. Raises ConfigError where it cannot be read, lacks a
    slot of `required`, has a slot twice, or holds control characters."""
    try:
        text = _HEADER.sub("", Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"prompt {path}: cannot be read as UTF-8 text: {error}") from error
    slots = _SLOT.findall(text)
    for slot in required:
        if slot not in slots:
            raise ConfigError(f"prompt {path}: has no {{{slot}}}, where the {slot} should be")
    for slot in set(slots):
        if slots.count(slot) > 1:
            raise ConfigError(
                f"prompt {path}: has {{{slot}}} {slots.count(slot)} times; once is all"
            )
    if control := _CONTROL.search(text):
        raise ConfigError(f"prompt {path}: holds the control character {control[0]!r}; remove it")
    return Template(text, examples if "examples" in slots else ())


def lss_examples(star: bool = False) -> tuple[Worked, ...]:
    """Four claims with what is left of them [LSS]: deletions only, or with `star` made grammatical
    by filler words."""
    return tuple(
        Worked(example["document"], example["summary"], example["answer"])
        for example in shipped_examples()["lss-star" if star else "lss"]
    )


@cache
def shipped_examples() -> dict[str, list[dict[str, str]]]:
    """The examples in `examples.json`, by purpose."""
    examples: dict[str, list[dict[str, str]]] = json.loads(_file("examples.json"))
    return examples


@cache
def _file(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")

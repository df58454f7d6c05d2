"""Does the form of a text show in its verdict? Copies of a file's pairs in other forms (wrapped,
opened as chat models do, with bullets, in Markdown, with decomposed accents, ...) against the plain
ones: how many have the same verdict, and the greatest difference of the value.

    python bench/form.py examples/pairs.jsonl [METRIC]
"""

from __future__ import annotations

import sys
import textwrap
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from faithkit import Example, Score, files
from faithkit.language.sentences import closed_sentences
from faithkit.models.runtime import Runtime
from faithkit.records import verdict_of
from faithkit.run import prepare

Form = Callable[[str], str]

WIDTHS = (40, 60, 72, 100)
OPENERS = (
    "Sure!\n\n",
    "TL;DR: ",
    "Here is a summary:\n\n",
    "Certainly! Here's a concise summary of the article:\n\n",
    "In summary, ",
)
CLOSER = "\n\nI hope this helps! Let me know if you have any questions."


def wrapped(width: int, text: str) -> str:
    """Each line wrapped between words."""
    return "\n".join(textwrap.fill(line, width) for line in text.split("\n"))


def cut(width: int, text: str) -> str:
    """Each line cut at a width, within words too, as `fold` does."""
    lines = text.split("\n")
    return "\n".join(
        "\n".join(line[i : i + width] for i in range(0, max(len(line), 1), width)) for line in lines
    )


def opened(opener: str, text: str) -> str:
    return opener + text


def listed(mark: str, text: str) -> str:
    """Each sentence as a list item."""
    pieces = closed_sentences(text)
    return "\n".join(f"{mark.format(n)} {p.text}" for n, p in enumerate(pieces, start=1))


def marked_up(text: str) -> str:
    """With a heading, and each sentence with a word in bold, one in italics and one as code."""
    lines = []
    for piece in closed_sentences(text):
        words = piece.text.split(" ")
        for place, mark in ((0, "**"), (2, "*"), (4, "`")):
            if place < len(words) and words[place].isalpha():
                words[place] = f"{mark}{words[place]}{mark}"
        lines.append(" ".join(words))
    return "## Summary\n\n" + "\n\n".join(lines)


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in wrapped(72, text).split("\n"))


def typeset(text: str) -> str:
    """Curly quotes, no-break spaces, ligatures, soft hyphens and zero-width blanks."""
    curly = text.replace("'", "’").replace("fi", "ﬁ").replace(" the ", "\u00a0the\u2009")
    return curly.replace("tion", "\u00adtion").replace(", ", ",\u200b ")


SUMMARY_FORMS: dict[str, Form] = {
    **{f"wrapped at {width}": partial(wrapped, width) for width in WIDTHS},
    "cut at 60, within words": partial(cut, 60),
    "wrapped at 72, CRLF": lambda text: wrapped(72, text).replace("\n", "\r\n"),
    **{f"opened: {opener.strip()}": partial(opened, opener) for opener in OPENERS},
    "closed: I hope this helps! ...": lambda text: text + CLOSER,
    **{f"listed: {mark.format(1)}": partial(listed, mark) for mark in ("-", "*", "•", "{}.")},
    "Markdown": marked_up,
    "quoted (>), wrapped at 72": quoted,
    "decomposed accents (NFD)": partial(unicodedata.normalize, "NFD"),
    "typeset": typeset,
    "in small letters": str.lower,
    "in capitals": str.upper,
}
SOURCE_FORMS: dict[str, Form] = {
    **{f"source wrapped at {width}": partial(wrapped, width) for width in WIDTHS},
    "source wrapped at 72, CRLF": lambda text: wrapped(72, text).replace("\n", "\r\n"),
    "source cut at 60, within words": partial(cut, 60),
    "source quoted (>), wrapped at 72": quoted,
    "source decomposed (NFD)": partial(unicodedata.normalize, "NFD"),
    "source typeset": typeset,
}


def copies(examples: list[Example]) -> dict[str, list[Example]]:
    """Each form's copies of the examples, in their order."""
    made = {
        name: [replace(pair, summary=form(pair.summary)) for pair in examples]
        for name, form in SUMMARY_FORMS.items()
    }
    return made | {
        name: [replace(pair, source=form(pair.source)) for pair in examples]
        for name, form in SOURCE_FORMS.items()
    }


def compared(plain: list[Score], other: list[Score]) -> tuple[int, float]:
    """(rows with the same outcome and verdict, greatest difference of the value)."""
    pairs = list(zip(plain, other, strict=True))
    same = sum(
        (pair.outcome, verdict_of(pair.parts)) == (changed.outcome, verdict_of(changed.parts))
        for pair, changed in pairs
    )
    both = [
        abs(pair.value - changed.value)
        for pair, changed in pairs
        if pair.value is not None and changed.value is not None
    ]
    return same, max(both, default=0.0)


def main() -> None:
    path = Path(sys.argv[1])
    with files.open_pairs(str(path)) as rows:
        examples = list(rows)
    (metric,) = prepare(sys.argv[2:3] or ["support"], Runtime(offline=True))
    plain = metric.metric.score(examples)
    print(f"| {len(examples)} pairs of {path.name} | same verdict | greatest difference |")
    print("| --- | --- | --- |")
    for name, some in copies(examples).items():
        same, difference = compared(plain, metric.metric.score(some))
        print(f"| {name} | {same} | {difference:.0e} |")


if __name__ == "__main__":
    main()

"""Questions of a summary that "yes" or "no" answers: together they state one thing ("Was the dam
cracked? No." is "Was the dam cracked: No.").

Only questions that begin with their verb, and that the source does not ask itself. One without a
short answer stays as it is: it may have a wrong detail too.
"""

from __future__ import annotations

import re

from faithkit.language.layout.phrases import in_words
from faithkit.language.lexicon import MODAL_VERBS
from faithkit.language.mapped import Mapped, Piece, substitute

_VERBS = sorted(
    {"am", "is", "are", "was", "were", "do", "does", "did", "has", "have", "had"}
    | (MODAL_VERBS - {"may", "might"})
)
_QUESTION = rf"(?P<question>(?:{'|'.join(map(str.capitalize, _VERBS))}) [^.!?\n\"]{{3,200}})"
_ANSWERED = re.compile(
    rf"(?:(?<!\w)Q(?:uestion)? ?\d{{0,2}}[:.)] |(?<![\w,;:\"-] )(?<![\w\"])){_QUESTION}"
    r"\?(?P<between>\s+(?:A(?:nswer)? ?\d{0,2}[:.)] )?)(?P<answer>Yes|No)"
    rf"(?P<again>, (?:it|he|she|they|there|that|this|you|we|I) (?:{'|'.join(_VERBS)})"
    r"(?P<not>n't| not)?)?(?=[.!](?:\s|$)|[ \t]*(?:\n|$))"
)


def with_answers(text: Mapped, source: str) -> Mapped:
    """The text with such questions and answers in one sentence each."""
    if "?" not in text.text:
        return text
    asked = in_words(source)

    def joined(match: re.Match[str]) -> tuple[Piece, ...]:
        start, end = match.span("question")
        if in_words(match["question"]) in asked or (match["not"] and match["answer"] == "Yes"):
            return ()
        again = (Piece("", *match.span("again")),) if match["again"] else ()
        return (
            *((Piece("", match.start(), start),) if start > match.start() else ()),
            Piece(match["question"], start, end),
            Piece(":", end, end + 1),
            Piece(" ", *match.span("between")),
            Piece(match["answer"], *match.span("answer")),
            *again,
        )

    return substitute(text, _ANSWERED, joined)

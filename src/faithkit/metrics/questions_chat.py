"""Questions and answers by a chat model: the prompts, and how what it writes is read [MFAS §3].

What is asked about, and what the answers come to, is `qgqa.py`; the models are in
`models/chat/local.py` and `models/chat/endpoint.py`, which also keep the transcripts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from faithkit.language.sentences import sentences
from faithkit.metrics.judge import prompts
from faithkit.metrics.judge.answers import is_refusal, written
from faithkit.models.protocols import (
    GAP,
    Answer,
    AnswerKind,
    Asking,
    ChatModel,
    Prompt,
    Question,
    Reply,
)
from faithkit.records import Outcome

QUESTION_TOKENS, ANSWER_TOKENS = 40, 48
"""The most that is written for one question, and for an answer."""

BEFORE = 2
"""Sentences shown before the one that is asked about, so that its pronouns can be understood."""

_NUMBERED = re.compile(
    r"^(?:[\s\"'“*_`\[{#>-]|\(?\d+[.):]|question(?:s|\s*\d+)?\W*:|q\d*\W*:)+", re.I
)
_AROUND = " \t\"'“”‘’*_`,[]{}"

_WORDS: tuple[tuple[AnswerKind, str], ...] = (
    ("how many", r"how (?:many|much)|what (?:number|share|percentage|price|amount)"),
    ("when", r"when|how long|(?:in |on |at |during )?(?:what|which) (?:day|date|month|year|time)"),
    ("where", r"where|(?:in |at )?(?:what|which) (?:place|city|town|country|village)"),
    ("who", r"who|whom|whose"),
    ("what", r"what|which"),
)
"""The sort of answer that is wanted, by how a question begins; the first that fits."""


class ChatQuestions:
    """Questions by a chat model, at most `most` for each request. Satisfies `QuestionGenerator`.

    It is shown the sentence with the answer and the BEFORE sentences before it, none of which is
    ever cut. A line that ends with a question mark is a question. As it gives no probabilities, its
    k-th question has 1 / k: the first ones about all pieces come before any second one. The cloze
    form is the sentence with the answer left out.

    Outcomes of a question: refused; unparsable if the reply contains none; timeout,
    model_error; truncated_summary where the passage does not fit.
    """

    def __init__(self, model: ChatModel, most: int) -> None:
        self._model, self._most = model, most
        template = prompts.packaged("question")
        self._template = replace(template, text=template.text.replace("{count}", str(most)))
        self.prompt = self._template.hash

    @property
    def id(self) -> str:
        return self._model.id

    def ask(self, requests: Sequence[tuple[str, int, int]]) -> list[list[Question]]:
        """See `protocols.QuestionGenerator`."""
        asked = [self._prompt(*request) for request in requests]
        asking = Asking(QUESTION_TOKENS * self._most)
        replies = self._model.reply(asked, asking)
        return [
            read_questions(reply, gapped(*request))[: self._most]
            for request, reply in zip(requests, replies, strict=True)
        ]

    def _prompt(self, context: str, start: int, end: int) -> Prompt:
        first, _, last = passage(context, start, end)
        filled = self._template.prompt(context[first:last], context[start:end])
        # A model cuts documents where they do not fit, and would cut the answer's sentence first.
        return tuple(replace(piece, slot="summary") if piece.slot else piece for piece in filled)


def passage(context: str, start: int, end: int) -> tuple[int, int, int]:
    """Where the passage that is shown for an answer begins, where the answer's sentence begins, and
    where both end."""
    pieces = sentences(context)
    answered = next((i for i, piece in enumerate(pieces) if start < piece.end), None)
    if answered is None:
        return 0, 0, len(context)
    ends = (piece.end for piece in pieces if end <= piece.end)
    first = min(pieces[answered].start, start)
    return min(pieces[max(0, answered - BEFORE)].start, first), first, next(ends, len(context))


def gapped(context: str, start: int, end: int) -> str:
    """The sentence of an answer with GAP in its place."""
    _, first, last = passage(context, start, end)
    return " ".join(f"{context[first:start]}{GAP}{context[end:last]}".split())


def read_questions(reply: Reply, cloze: str) -> list[Question]:
    """The questions in a reply, each wording once; or the one Question that says why there are
    none."""
    if reply.outcome is not Outcome.OK:
        return [Question("", 0.0, outcome=reply.outcome)]
    text = written(reply.text)
    lines = [_NUMBERED.sub("", line.strip()).strip(_AROUND) for line in text.splitlines()]
    questions = [line for line in lines if _is_question(line)]
    if not questions:
        outcome = Outcome.REFUSED if is_refusal(text) else Outcome.UNPARSABLE
        return [Question("", 0.0, outcome=outcome)]
    return [
        Question(line, 1 / rank, cloze, kind_of(line))
        for rank, line in enumerate(dict.fromkeys(questions), start=1)
    ]


def _is_question(line: str) -> bool:
    # "I'm sorry, I can't do that. May I help with anything else?" asks about nothing.
    return line.endswith("?") and len(line.split()) > 1 and not is_refusal(line)


def kind_of(question: str) -> AnswerKind:
    """The kind of answer that the first words of an English question ask for."""
    lower = question.lower()
    return next((kind for kind, begin in _WORDS if re.match(rf"(?:{begin})\b", lower)), "")


class ChatAnswers:
    """Answers by a chat model. Satisfies `QuestionAnswerer`; only the question's text is read.

    An answer is a piece of the text. What the model writes is looked for in the text, whatever its
    case, white space, quotation marks and dashes, without punctuation at its ends, and failing that
    without a leading article; its first place in the text is the answer, spelled as it is there. An
    answer that the text does not have comes from elsewhere, so the text does not give it: it is no
    answer, as if the model had said "unanswerable", but is marked `strayed`, and `qgqa` counts it.
    A chat model gives no probability: 1 for an answer, 0 for none.

    Outcomes: refused; unparsable where nothing was written, or a JSON without an answer that the
    text has; timeout, model_error; truncated_summary where the question does not fit.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._template = prompts.packaged("answer")
        self.prompt = self._template.hash

    @property
    def id(self) -> str:
        return self._model.id

    def answer(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        """See `protocols.QuestionAnswerer`."""
        asked = [self._template.prompt(context, question.text) for question, context in pairs]
        replies = self._model.reply(asked, Asking(ANSWER_TOKENS))
        return [
            read_answer(reply, context) for reply, (_, context) in zip(replies, pairs, strict=True)
        ]


_LABEL = re.compile(r"^\W*(?:the )?answer(?: is)?\W*[:=]\s*|^the answer is\s+", re.IGNORECASE)
_UNANSWERABLE = re.compile(
    r"^\W*(?:(?:the|this) question is |it is )?(?:unanswerable|not answerable)\b", re.IGNORECASE
)
_SILENT = re.compile(
    r"\b(?:text|passage|document|article)\b[^.]{0,30}(?:\bnot\b|n['’]t\b)", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_SAME = {
    **dict.fromkeys("'’‘`", "['’‘`]"),
    **dict.fromkeys('"“”', '["“”]'),
    **dict.fromkeys("-–—", "[-–—]"),
}


def read_answer(reply: Reply, context: str) -> Answer:
    """The answer in a model's reply; see `ChatAnswers` for which ones count."""
    nothing = Answer(
        "", None, None, 0.0, False,
        context_tokens=reply.document_tokens, context_cut=reply.document_cut,
    )  # fmt: skip
    if reply.outcome is not Outcome.OK:
        return replace(nothing, outcome=reply.outcome)
    text = written(reply.text)
    line = next(
        (stripped for stripped in map(str.strip, text.splitlines()) if re.search(r"\w", stripped)),
        "",
    )
    answer = _LABEL.sub("", line)
    if not re.search(r"\w", answer):
        return replace(nothing, outcome=Outcome.UNPARSABLE)
    if _UNANSWERABLE.match(answer):
        return nothing
    if offsets := find(answer, context):
        start, end = offsets
        return replace(
            nothing, text=context[start:end], start=start, end=end, probability=1.0, answerable=True
        )
    if _SILENT.search(text):
        return nothing
    if is_refusal(text):
        return replace(nothing, outcome=Outcome.REFUSED)
    if line.startswith(("{", "[")):
        return replace(nothing, outcome=Outcome.UNPARSABLE)
    return replace(nothing, strayed=True)


def find(answer: str, context: str) -> tuple[int, int] | None:
    """The first place in a text of an answer, as whole words; None where the text has it not."""
    bare = answer.strip(_AROUND + ".;:!?()")
    for wording in (bare, _ARTICLE.sub("", bare)):
        pattern = r"\s+".join(
            "".join(_SAME.get(sign, re.escape(sign)) for sign in word) for word in wording.split()
        )
        match = re.search(rf"(?<!\w){pattern}(?!\w)", context, re.IGNORECASE)
        if pattern and match:
            return match.span()
    return None

"""Claims made from questions that people asked about a passage [Rajpurkar et al. 2018, SQuAD 2.0].

A question and its answer become a statement by rule ("When did Greenland sign a treaty?", "1985":
"Greenland signed a treaty in 1985") [Demszky et al. 2018]. With the annotated answer it is
supported; with that of another question about the same passage it is not, and the words of the
answer are labelled as unsupported. The statement with the plausible answer of an unanswerable
question is not supported either. Questions that the rules do not cover are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from faithkit.language.inflection import inflect
from faithkit.language.lexicon import PREPOSITIONS
from faithkit.language.parse import Token, Tree, parse
from faithkit.language.words import words
from faithkit.records import DataError, document_id
from faithkit.train.labels.rows import by_spans
from faithkit.train.words import (
    ENTAILED,
    UNSUPPORTED,
    Labelled,
    Labels,
    Target,
    supported,
)

FILE = "squad_v2_dev"

_OPENING = PREPOSITIONS | frozenset(("as", "because", "due", "when", "where", "while"))
"""Words that begin an answer which needs no other preposition in the statement."""

_DAY = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)?\b.*\b[A-Z][a-z]+|\b[A-Z][a-z]+ \d{1,2}\b")
_VERBS = frozenset(("VERB", "AUX"))
_NEGATED = frozenset(("not", "n't", "never"))  # what comes with an auxiliary: "did not"
_NUMBER = re.compile(
    r"\d|^(?:an? (?:few|third|quarter|dozen|hundred|thousand|million)|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|half|several|about|over|around|nearly|at least)\b"
)
_KIND = re.compile(r"(?:type|kind|sort|form|style|name|example|year|date)s?\b")
_AMOUNT = re.compile(r"(?:percentage|percent|number|amount|share|proportion|part) (?=of\b)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a passage.

    answer       the first annotated one; of an unanswerable question the first plausible one
    is_answered  whether the passage answers the question
    """

    text: str
    answer: str
    is_answered: bool


def claims(data: Path) -> Iterator[Labelled]:
    """The rows of train/squad_v2_dev.json. Raises DataError where the file is missing or broken."""
    path = data / "train" / f"{FILE}.json"
    if not path.is_file():
        raise DataError(f"{path}: no such file (SQuAD 2.0's development set, or a part of it)")
    try:
        pages = json.loads(path.read_text("utf-8"))["data"]
        passages = [
            (passage["context"], list(_questions(passage["qas"])))
            for page in pages
            for passage in page["paragraphs"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: expected the questions of SQuAD 2.0 ({error})") from error
    texts = list(
        dict.fromkeys(question.text for _, questions in passages for question in questions)
    )
    forms = {
        text: form
        for text, tokens in zip(texts, parse([f"{text}?" for text in texts]), strict=True)
        if (form := form_of(tokens))
    }
    for passage, questions in passages:
        yield from _of_passage(passage, questions, forms)


def _questions(entries: Sequence[dict[str, object]]) -> Iterator[Question]:
    for entry in entries:
        answers = entry.get("answers") or entry.get("plausible_answers")
        if isinstance(answers, list) and answers:
            text = str(entry["question"]).strip().rstrip("?. ").strip()
            answer = str(answers[0]["text"]).strip(" .,;")
            if text and answer:
                yield Question(text, answer, not entry.get("is_impossible"))


@dataclass(frozen=True, slots=True)
class Form:
    """A statement with a gap for the answer.

    before, after  the text before and after the gap
    asks           the question word, with the noun phrase that it asks for
    noun           that noun phrase without the question word
    takes          the preposition before the answer, unless it begins with one; "" if none
    """

    before: str
    after: str
    asks: str
    noun: str
    takes: str

    def filled(self, answer: str) -> tuple[str, int, int] | None:
        """The statement with this answer, and start and end of the answer in it; None where the
        answer has not the form that the question asks for."""
        phrase = self._phrased(answer)
        if phrase is None:
            return None
        text = " ".join(f"{self.before} {phrase} {self.after}".split()) + "."
        text = re.sub(r" (?=[,.;:)'’])", "", text)
        text = text[0].upper() + text[1:]
        core = answer[0].upper() + answer[1:] if text.startswith(answer[0].upper()) else answer
        start = text.find(core) if text.startswith(core) else text.rfind(answer)
        return (text, start, start + len(answer)) if start >= 0 else None

    def _phrased(self, answer: str) -> str | None:
        if self.asks in ("why", "how"):
            ready = re.match(r"(?:because|to|due|for|as|since|by|through|with|in)\b", answer)
            return answer if ready else None
        if self.asks.startswith("how "):
            if not _NUMBER.search(answer):
                return None
            counted = self.noun if self.noun and self.noun.split()[0] not in answer else ""
            return f"{self.takes} {answer} {counted}".strip()
        if self.asks in ("when", "where"):
            if answer.split()[0].lower() in _OPENING or answer.startswith(
                ("the day", "early", "late")
            ):
                return answer
            takes = "on" if self.asks == "when" and _DAY.search(answer) else "in"
            return f"{takes} {answer}"
        if self.takes and answer.lower().startswith(f"{self.takes} "):
            return answer
        return f"{self.takes} {self._named(answer)}".strip()

    def _named(self, answer: str) -> str:
        """The answer with the noun that is asked for, where that adds information."""
        if _KIND.match(self.noun) or " " not in self.noun:
            return answer
        if amount := _AMOUNT.match(self.noun):
            return f"{answer} {self.noun[amount.end() :]}"
        return f"the {self.noun} {answer}"


def form_of(tokens: Sequence[Token]) -> Form | None:
    """The statement that a parsed question, with its question mark, becomes; None where the rules
    do not cover it."""
    tokens = tokens[:-1]
    tree = Tree(tokens)
    asks = next((i for i, token in enumerate(tokens) if token.tag in ("WDT", "WP", "WRB")), None)
    if asks is None or any(token.text in _NEGATED for token in tokens):
        return None
    head, last = _asked(tree, asks)
    with_preposition = asks > 0 and tokens[asks - 1].pos == "ADP"
    takes = tokens[asks - 1].text.lower() if with_preposition else ""
    lead = _text(tokens[: asks - with_preposition])
    rest = range(last + 1, len(tokens))
    if rest and lead and not lead.endswith(","):
        return None
    word, noun = tokens[asks].text.lower(), _text(tokens[asks + 1 : last + 1])
    if word == "how" and noun:
        word, noun = f"how {tokens[asks + 1].text.lower()}", _text(tokens[asks + 2 : last + 1])
    asked_for = f"{word} {noun}".strip()
    if not rest:
        return Form(lead, "", asked_for, noun, takes)  # asked in place: "Lorentz's law says what"
    is_adverbial = with_preposition or (head == asks and tokens[asks].tag == "WRB")
    statement = _stated(tree, head, last + 1, is_adverbial)
    if statement is None:
        return None
    before, after = statement
    return Form(f"{lead} {before}".strip(), after, asked_for, noun, takes)


def _asked(tree: Tree, asks: int) -> tuple[int, int]:
    """(head, last token) of what is asked for: the noun phrase of the question word, or that word
    alone."""
    tokens = tree.tokens
    above = tokens[asks].head
    if tokens[above].text.lower() in ("many", "much"):
        head = tokens[above].head if tokens[tokens[above].head].pos == "NOUN" else above
    elif tokens[asks].dep == "det" and tokens[above].pos in ("NOUN", "PROPN"):
        head = above
    else:
        head = asks
    if head <= asks:
        return asks, asks
    verb = next((i for i in range(asks, len(tokens)) if tokens[i].pos in _VERBS), len(tokens))
    return head, max(head, max(i for i in tree.subtree(head) if i < max(verb, head + 1)))


def _stated(tree: Tree, head: int, start: int, is_adverbial: bool) -> tuple[str, str] | None:
    """The text before and after the gap: the rest of a question, from token `start` on, in the word
    order of a statement; None where the rules do not cover it.

    head          head of what is asked for
    is_adverbial  whether the answer is of time, place, reason or manner
    """
    tokens = tree.tokens
    opened = tokens[start]
    if opened.pos not in _VERBS:
        return None
    inverted = opened.pos == "AUX" or opened.lemma in ("do", "be", "have")
    subject = _subject(tree, start) if inverted else None
    if subject is None:
        asks_subject = tokens[head].dep in ("nsubj", "nsubjpass") or not inverted
        if is_adverbial or not asks_subject or opened.lemma == "do":
            return None
        return "", _text(tokens[start:])
    after = subject[1] + 1
    subject_text = _text(tokens[start + 1 : after])
    verb = next((i for i in range(after, len(tokens)) if tokens[i].pos in _VERBS), None)
    if verb is None:
        is_copula = opened.lemma == "be"
        return (f"{subject_text} {opened.text}", _text(tokens[after:])) if is_copula else None
    if opened.lemma != "do":
        predicate = f"{opened.text} {_text(tokens[after : verb + 1])}"
    elif tokens[verb].tag in ("VB", "VBP") and tokens[verb].lemma != "do":
        tag = {"did": "VBD", "does": "VBZ"}.get(opened.text.lower(), "VB")
        predicate = f"{_text(tokens[after:verb])} {inflect(tokens[verb].lemma, tag)}"
    else:
        return None
    gap = _gap(tree, verb + 1, is_adverbial)
    return f"{subject_text} {predicate} {_text(tokens[verb + 1 : gap])}", _text(tokens[gap:])


def _subject(tree: Tree, start: int) -> tuple[int, int] | None:
    """First and last token of the subject; None unless it directly follows the auxiliary or copula
    at `start`."""
    for index in range(start, len(tree.tokens)):
        if tree.tokens[index].dep in ("nsubj", "nsubjpass", "csubj", "attr"):
            span = tree.phrase(index)
            return span if span and span[0] == start + 1 else None
    return None


def _gap(tree: Tree, start: int, is_adverbial: bool) -> int:
    """The index, from `start` on, of the token before which the answer is inserted: after a
    preposition without an object, else before a modifier that follows directly, else at the end."""
    tokens = tree.tokens
    for index in range(start, len(tokens)):
        if tokens[index].pos == "ADP" and max(tree.children[index], default=0) < index:
            return index + 1
    if not is_adverbial and start < len(tokens) and tokens[start].pos in ("ADP", "SCONJ", "ADV"):
        return start
    return len(tokens)


def _text(tokens: Iterator[Token] | Sequence[Token]) -> str:
    """The text of tokens, with a space where there was white space between them."""
    parts: list[str] = []
    end = None
    for token in tokens:
        parts.append(("" if end == token.start else " ") + token.text)
        end = token.end
    return "".join(parts).strip()


def _of_passage(
    passage: str, questions: Sequence[Question], forms: dict[str, Form]
) -> Iterator[Labelled]:
    random = Random(f"questions {passage}")
    answered = [question for question in questions if question.is_answered]
    for question in questions:
        form = forms.get(question.text)
        filled = form.filled(question.answer) if form else None
        if form is None or filled is None:
            continue
        if not question.is_answered:
            yield _row(passage, filled[0], [], UNSUPPORTED)
            continue
        yield _row(passage, filled[0], supported(filled[0]), ENTAILED)
        others = [
            other.answer for other in answered
            if _is_like(forms.get(other.text), form) and _is_other(other.answer, question.answer)
            and other.answer.lower() not in question.text.lower()
        ]  # fmt: skip
        random.shuffle(others)
        for answer in others[:1]:
            if wrong := form.filled(answer):
                text, start, end = wrong
                yield _row(passage, text, by_spans(text, [(start, end)]), UNSUPPORTED)


def _row(passage: str, claim: str, labels: Labels, target: Target) -> Labelled:
    return Labelled(FILE, document_id(passage), passage, claim, tuple(labels), target)


def _is_like(form: Form | None, other: Form) -> bool:
    """Whether the words of two questions ask for the same kind of answer."""
    if form is None:
        return False
    if form.asks == other.asks:
        return True
    kinds = ("who", "how many", "how much", "when", "where")
    return not any(asking.asks.startswith(kinds) for asking in (form, other)) and (
        form.asks.split()[-1] == other.asks.split()[-1]
    )


def _is_other(answer: str, right: str) -> bool:
    """Whether an answer has no content word in common with the right one."""
    first, second = ({word.text.lower() for word in words(text)} for text in (answer, right))
    return not (first & second) - {"the", "a", "an", "of", "and", "in", "to"}

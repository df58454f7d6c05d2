"""Question generation and answering: ask about one text, answer from both, compare the answers
[MFAS §3]; with presets after QAGS (Wang et al. 2020), FEQA (Durmus et al. 2020), QuestEval
(Scialom et al. 2021) and QAFactEval (Fabbri et al. 2022).

What lives here: what is asked about, which questions are kept, and what the answers come to. What
does not: the questions and the answers themselves (`questions/rules.py`, `questions/answering.py`
and their neighbours; `questions_chat.py` where a chat model writes them).
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from faithkit.language.parse import entities, noun_phrases, parse
from faithkit.language.sentences import SPLITTER, sentences
from faithkit.language.words import Segment, is_content, word_coverage, words
from faithkit.metrics.align import (
    Normalise,
    Similarities,
    Similarity,
    f1,
    models_for_similarity,
    normalised,
    token_f1,
)
from faithkit.metrics.base import Metric
from faithkit.metrics.plain import reads_plain_texts
from faithkit.metrics.questions_chat import ChatAnswers, ChatQuestions
from faithkit.models.protocols import (
    ENGLISH,
    Answer,
    ChatModel,
    Limits,
    Question,
    QuestionAnswerer,
    QuestionGenerator,
    SentenceEmbedder,
    TokenEncoder,
)
from faithkit.records import (
    JSON,
    ConfigError,
    Coverage,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    is_blank,
    scored,
    unscored,
)

Candidates = Literal["both", "entities", "noun_phrases"]
Direction = Literal["precision", "recall", "f1", "mean"]
Keep = Literal["answered", "same"]

# Below it an answer is marked as unmatched. Round numbers, not fitted to any data.
THRESHOLDS: dict[str, float] = {"exact": 1.0, "f1": 0.5, "bertscore": 0.8, "cosine": 0.8}

SAME = 0.5
"""Token F1 from which two answers from one text count as the same; in the code released with [MFAS]
0.9."""

PASSED_OVER = frozenset({Outcome.REFUSED, Outcome.UNPARSABLE})
"""What a chat model does to one question and would do again: it costs the question, not the row."""

SPARE = 2
"""Times `most` answers are asked about, so that some questions may be dropped."""


def normal(text: str) -> str:
    """An answer's words in lower case, without punctuation and articles."""
    return normalised(text, "words")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a text, the piece `start:end` of it that it was made for, and what the text
    itself answers."""

    question: Question
    start: int
    end: int
    text: str
    own: Answer


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What one text gave to ask about.

    candidates  pieces of the text that could be asked about
    made        different questions about them
    asked       those that were kept, the most probable first; none where a model failed
    answers     of the text itself to every question made
    failed      why pieces have no question, and questions no answer from the text itself
    """

    candidates: int
    made: int
    asked: tuple[Asked, ...]
    answers: tuple[Answer, ...]
    failed: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A question of one text with the other's answer, and how similar the answers are."""

    asked: Asked
    answer: Answer
    similarity: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Side:
    """The questions about one text.

    inquiry   about the text
    answers   of the other text to the questions that were kept
    compared  the questions that it answers, or does not; those left out that a model passed over
    """

    inquiry: Inquiry
    answers: tuple[Answer, ...]
    compared: tuple[Compared, ...]

    @property
    def failed(self) -> list[Outcome]:
        """Why questions or answers are missing."""
        return [*self.inquiry.failed, *_failures(one.outcome for one in self.answers)]


def _failures(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one is not Outcome.OK]


def mean(compared: Sequence[Compared], *, answerable: bool = False) -> float:
    """The weighted mean of the similarities; of the answers' probabilities with `answerable`, where
    an unanswerable question counts 0."""
    values = [
        (one.answer.probability if one.answer.answerable else 0.0) if answerable else one.similarity
        for one in compared
    ]
    weights = [one.weight for one in compared]
    total = math.fsum(value * weight for value, weight in zip(values, weights, strict=True))
    return total / math.fsum(weights)


class Qgqa(Metric):
    """Mean similarity of what source and summary answer to questions about one of them [MFAS §3].

    qg, qa      the models that ask and answer: the rules (`rules`, `cloze`), a folder or hub id of
                a checkpoint, or a chat model named as for `judge`: `chat:NAME`
    candidates  what is asked about: named entities, noun phrases or both; pronouns never
    questions   for each of them, the most probable ones
    minimum     least probability of a question
    keep        `answered`: questions that the text they were made from answers; `same`: with the
                piece they were made for
    same        token F1 from which they are the same
    most        questions of one text, the most probable; among equals, one sentence's after the
                other's; none: all. Twice as many pieces are asked about
    direction   `precision`: questions about the summary; `recall`: about the source; `f1`, `mean`
    own         what the other text's answer is compared with: `answer`, what the text asked about
                answers; `candidate`, the piece that the question was made for; `best`, the more
                similar of the two
    similarity  of two answers: exact, f1, bertscore, cosine (with `model`); an unanswerable
                question counts 0
    normalise   what is done to answers before exact or f1 compare them (`align.Normalise`)
    default     the value where no question is left (`no_claims`); none unless given
    recall_by   `similarity`, or `answerable`: the probability that the summary answers at all
    weights     of the source's questions: `equal`, or `mentions`: the share of its sentences that
                have the answer's words
    threshold   a summary's answer less similar is marked unsupported
    transcripts, timeout, retries, concurrency, max_requests
                of a chat model, see `models.protocols.Limits`; no part of the signature

    Every question that meets a piece of the summary is a span labelled with the question; what the
    source answers is evidence with the same label. Parts: `precision`, `recall`; counts of pieces
    (`candidates`), different questions (`made`), kept ones (`questions`) and `answered` ones.
    Degenerate: no question left is `no_claims`.

    With a chat model: each piece is one request, and so is each question to each text; questions=1
    asks least. A question that it refuses, or where nothing can be read, is left out and counted
    (`failed`); where none is left for that reason, the row is `refused` or `unparsable`. Of its
    answers only those count that the text has word for word; any other is no answer, and counted
    (`strayed`). Where the document is cut to fit, coverage says so; a summary that would have to be
    is `truncated_summary`. A timeout or an error is the row's outcome; asking again may mend it.

    Presets: settings of papers. `paper` names the paper's models as well; the others run with
    whatever models are named, and the embedded ones make one question for each answer.

    paper       the code released with [MFAS]: questions kept whose answer from the summary is their
                piece (F1 0.9 or more), the better of answer and piece, 1 where none is left. Not as
                the code: its QA model had to answer; here it may say that it cannot.
    mfas        as the defaults (entities and noun phrases, 5 questions each, at most 10).
    qags        20 questions, those kept whose answer from the summary is the one they were made
                for, compared by F1.
    feqa        one question for each masked piece, which is the answer to be met. Not as the
                paper: questions that the summary does not answer are dropped.
    questeval   precision by F1 with the piece, recall by answerability, their harmonic mean. Not
                as the paper: weights by `mentions`, where the paper learns them; 20 questions.
    qafacteval  noun phrases, all kept questions, compared with the piece. Not as the paper:
                BERTScore stands for its learned similarity (LERC).
    """

    name = "qgqa"
    bounds = (-1.0, 1.0)
    unit = "mean similarity of the source's and the summary's answers to the same questions"
    models: ClassVar[dict[str, str]] = {"qg": "qg:rules", "qa": "qa:cloze", "model": "tokens:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {
            "qg": "valhalla/t5-base-qg-hl",
            "qa": "deepset/roberta-large-squad2",
            "candidates": "both",
            "questions": "5",
            "most": "10",
            "keep": "same",
            "same": "0.9",
            "own": "best",
            "similarity": "f1",
            "normalise": "squad",
            "default": "1",
        },
        "mfas": {"candidates": "both", "questions": "5", "most": "10"},
        "qags": {"most": "20", "keep": "same"},
        "feqa": {"questions": "1", "most": "none", "own": "candidate"},
        "questeval": {
            "direction": "f1",
            "most": "20",
            "keep": "same",
            "own": "candidate",
            "recall_by": "answerable",
            "weights": "mentions",
        },
        "qafacteval": {
            "candidates": "noun_phrases",
            "most": "none",
            "keep": "same",
            "own": "candidate",
            "similarity": "bertscore",
        },
    }
    unsigned = frozenset({"transcripts", "timeout", "retries", "concurrency", "max_requests"})
    splitter = SPLITTER
    language = ENGLISH  # what is asked about is found by the English parse

    @classmethod
    def models_for(cls, options: Mapping[str, JSON]) -> dict[str, str]:
        return {"qg": "qg:rules", "qa": "qa:cloze", **models_for_similarity(options)}

    def __init__(
        self,
        qg: QuestionGenerator | ChatModel,
        qa: QuestionAnswerer | ChatModel,
        model: SentenceEmbedder | TokenEncoder | None = None,
        candidates: Candidates = "both",
        questions: int = 5,
        minimum: float = 0.0,
        keep: Keep = "answered",
        most: int | None = 10,
        direction: Direction = "precision",
        own: Literal["answer", "candidate", "best"] = "answer",
        similarity: Similarity = "f1",
        recall_by: Literal["similarity", "answerable"] = "similarity",
        weights: Literal["equal", "mentions"] = "equal",
        threshold: float | None = None,
        same: float = SAME,
        normalise: Normalise = "words",
        default: float | None = None,
        transcripts: str = "",
        timeout: float = 60.0,
        retries: int = 4,
        concurrency: int = 4,
        max_requests: int | None = None,
    ) -> None:
        if questions < 1 or (most is not None and most < 1):
            raise ValueError("questions and most should be 1 or more")
        if not 0 < same <= 1:
            raise ConfigError(f"qgqa: same should lie above 0 and up to 1, found {same:g}")
        if timeout <= 0 or concurrency < 1 or retries < 0 or (max_requests or 0) < 0:
            raise ConfigError(
                "qgqa: timeout and concurrency should be above 0, retries and max_requests 0 or "
                "more"
            )
        limits = Limits(transcripts, timeout, retries, concurrency, max_requests)
        self._qg = ChatQuestions(qg, limits, questions) if isinstance(qg, ChatModel) else qg
        self._qa = ChatAnswers(qa, limits) if isinstance(qa, ChatModel) else qa
        hashes = [
            one.prompt
            for one in (self._qg, self._qa)
            if isinstance(one, ChatQuestions | ChatAnswers)
        ]
        self._chats = bool(hashes)
        self.prompt = _joined(hashes)
        self._similarities = Similarities(similarity, model, normalise)
        self._same, self._normalise, self._default = same, normalise, default
        self._candidates: Candidates = candidates
        self._questions, self._minimum, self._most = questions, minimum, most
        self._keep: Keep = keep
        self._direction: Direction = direction
        self._own, self._recall_by, self._weights = own, recall_by, weights
        self._threshold = THRESHOLDS[similarity] if threshold is None else threshold
        self.resolved = {"threshold": self._threshold}

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        usable = [example for example in examples if not is_blank(example)]
        found = zip(usable, self._sides(usable), strict=True)
        scores = {id(example): self._score(example, sides) for example, sides in found}
        return [
            scores[id(example)]
            if id(example) in scores
            else unscored(example, self.name, Outcome.NO_CONTENT)
            for example in examples
        ]

    def _sides(self, examples: Sequence[Example]) -> list[dict[str, Side]]:
        """Of each example: the questions about the summary (`precision`) and about the source
        (`recall`), as far as the direction needs them, with the other text's answers compared."""
        pairs = {
            "precision": [(example.summary, example.source) for example in examples],
            "recall": [(example.source, example.summary) for example in examples],
        }
        if self._direction in pairs:
            pairs = {self._direction: pairs[self._direction]}
        inquiries = self._inquire([text for some in pairs.values() for text, _ in some])
        wanted = [
            (one.question, other)
            for some in pairs.values()
            for text, other in some
            for one in inquiries[text].asked
        ]
        answers = self._answers(wanted)
        self._prepare(inquiries.values(), answers.values())
        return [
            {
                name: self._side(*some[place], inquiries[some[place][0]], answers, name)
                for name, some in pairs.items()
            }
            for place in range(len(examples))
        ]

    def _inquire(self, texts: Sequence[str]) -> dict[str, Inquiry]:
        """The questions about each distinct text: made, filtered and answered from it."""
        unique = list(dict.fromkeys(texts))
        found = candidates_of(unique, self._candidates)
        limit = None if self._most is None else SPARE * self._most
        pieces = {text: found[text][:limit] for text in unique}
        requests = [(text, one.start, one.end) for text in unique for one in pieces[text]]
        made = iter(self._qg.ask(requests))
        about = {text: [(one, next(made)) for one in pieces[text]] for text in unique}
        kept = {text: self._distinct(about[text]) for text in unique}
        answers = self._answers([(q, text) for text, some in kept.items() for q, _ in some])
        inquiries = {}
        for text in unique:
            some = kept[text]
            own = tuple(answers[q, text] for q, _ in some)
            failed = _failures(q.outcome for _, asked in about[text] for q in asked)
            failed += _failures(answer.outcome for answer in own)
            asked = [
                Asked(q, one.start, one.end, one.text, answer)
                for (q, one), answer in zip(some, own, strict=True)
            ]
            good = tuple(one for one in asked if self._good(one))[: self._most]
            inquiries[text] = Inquiry(
                len(found[text]),
                len(some),
                good if PASSED_OVER.issuperset(failed) else (),
                own,
                tuple(failed),
            )
        return inquiries

    def _distinct(
        self, about: Sequence[tuple[Segment, Sequence[Question]]]
    ) -> list[tuple[Question, Segment]]:
        """Questions that are probable enough, each wording once, the most probable first."""
        best: dict[str, tuple[Question, Segment]] = {}
        for one, questions in about:
            for question in questions[: self._questions]:
                key = " ".join(question.text.lower().split())
                good = question.outcome is Outcome.OK and question.probability >= self._minimum
                if key and good and key not in best:
                    best[key] = (question, one)
        return sorted(best.values(), key=lambda item: -item[0].probability)

    def _good(self, asked: Asked) -> bool:
        if not asked.own.answerable or self._keep == "answered":
            return asked.own.answerable
        return float(token_f1([asked.own.text], [asked.text], self._normalise)[0, 0]) >= self._same

    def _answers(self, pairs: Sequence[tuple[Question, str]]) -> dict[tuple[Question, str], Answer]:
        unique = list(dict.fromkeys(pairs))
        return dict(zip(unique, self._qa.answer(unique), strict=True))

    def _expected(self, asked: Asked) -> list[str]:
        both = {"answer": asked.own.text, "candidate": asked.text}
        return list(both.values()) if self._own == "best" else [both[self._own]]

    def _prepare(self, inquiries: Iterable[Inquiry], answers: Iterable[Answer]) -> None:
        expected = [
            t for inquiry in inquiries for one in inquiry.asked for t in self._expected(one)
        ]
        self._similarities.prepare([*expected, *(one.text for one in answers if one.answerable)])

    def _side(
        self,
        text: str,
        other: str,
        inquiry: Inquiry,
        answers: Mapping[tuple[Question, str], Answer],
        direction: str,
    ) -> Side:
        by_mentions = direction == "recall" and self._weights == "mentions"
        theirs = tuple(answers[one.question, other] for one in inquiry.asked)
        found = []
        for one, answer in zip(inquiry.asked, theirs, strict=True):
            if answer.outcome in PASSED_OVER:
                continue
            weight = mentions(one.text, text) if by_mentions else 1.0
            found.append(Compared(one, answer, self._similarity(one, answer), weight))
        return Side(inquiry, theirs, tuple(found))

    def _similarity(self, asked: Asked, answer: Answer) -> float:
        if not answer.answerable:
            return 0.0
        return float(self._similarities.matrix(self._expected(asked), [answer.text]).max())

    def _score(self, example: Example, sides: Mapping[str, Side]) -> Score:
        coverage = coverage_of(example, sides)
        every = [one for side in sides.values() for one in side.compared]
        failed = [one for side in sides.values() for one in side.failed]
        parts = {
            "candidates": float(sum(side.inquiry.candidates for side in sides.values())),
            "made": float(sum(side.inquiry.made for side in sides.values())),
            "questions": float(len(every)),
            "answered": float(sum(one.answer.answerable for one in every)),
        }
        if self._chats:
            answers = [a for side in sides.values() for a in (*side.inquiry.answers, *side.answers)]
            parts |= {
                "failed": float(len(failed)),
                "strayed": float(sum(answer.strayed for answer in answers)),
            }
        outcomes = [one for one in failed if one not in PASSED_OVER]
        if coverage.summary_tokens_cut:
            outcomes.append(Outcome.TRUNCATED_SUMMARY)
        if not all(side.compared for side in sides.values()):
            outcomes += [*failed, Outcome.NO_CLAIMS]
        if outcomes:
            default = self._default if outcomes[0] is Outcome.NO_CLAIMS else None
            return unscored(
                example, self.name, outcomes[0], default=default, parts=parts, coverage=coverage
            )
        values = {
            name: mean(
                side.compared, answerable=name == "recall" and self._recall_by == "answerable"
            )
            for name, side in sides.items()
        }
        return scored(
            example,
            self.name,
            self._value(values),
            parts=values | parts,
            spans=self._spans(sides),
            evidence=self._evidence(sides),
            coverage=coverage,
        )

    def _value(self, values: Mapping[str, float]) -> float:
        if self._direction in values:
            return values[self._direction]
        precision, recall = values["precision"], values["recall"]
        return f1(precision, recall) if self._direction == "f1" else (precision + recall) / 2

    def _spans(self, sides: Mapping[str, Side]) -> list[Span]:
        """The summary's answers: those that the source does not share, and all by question."""
        asked, marked = [], []
        by_place: dict[tuple[int, int], list[float]] = {}
        for name, side in sides.items():
            for one in side.compared:
                ours, _ = self._places(name, one)
                if ours is None:
                    continue
                asked.append(Span(*ours, one.asked.question.text, one.similarity))
                if name == "precision":
                    by_place.setdefault(ours, []).append(one.similarity)
        for place, similarities in sorted(by_place.items()):
            average = math.fsum(similarities) / len(similarities)
            if average < self._threshold:
                marked.append(Span(*place, "unsupported", average))
        return marked + asked

    def _evidence(self, sides: Mapping[str, Side]) -> list[Evidence]:
        found = []
        for name, side in sides.items():
            for one in side.compared:
                ours, theirs = self._places(name, one)
                if ours is not None and theirs is not None:
                    label = one.asked.question.text
                    found.append(Evidence(*theirs, *ours, label, one.similarity))
        return found

    def _places(
        self, direction: str, one: Compared
    ) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """Where the answers stand in the summary and in the source, as far as they do."""
        asked = one.asked
        own: tuple[int, int] | None = (asked.start, asked.end)
        if self._own != "candidate" and asked.own.start is not None and asked.own.end is not None:
            own = (asked.own.start, asked.own.end)
        other = None
        if one.answer.start is not None and one.answer.end is not None:
            other = (one.answer.start, one.answer.end)
        return (own, other) if direction == "precision" else (other, own)


def _joined(hashes: Sequence[str]) -> str | None:
    """One hash for all prompts, for the signature; None without any."""
    if len(hashes) < 2:
        return next(iter(hashes), None)
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def coverage_of(example: Example, sides: Mapping[str, Side]) -> Coverage:
    """Every word of both texts; of one that a chat model read, its tokens, the fewest that it saw
    for a question."""
    read: dict[str, list[Answer]] = {"source": [], "summary": []}
    for name, side in sides.items():
        own, other = ("summary", "source") if name == "precision" else ("source", "summary")
        read[own] += side.inquiry.answers
        read[other] += side.answers
    found = word_coverage(example)
    if source := max(read["source"], key=_tokens, default=None):
        found = replace(
            found,
            source_tokens=source.context_tokens or found.source_tokens,
            source_tokens_cut=source.context_cut,
        )
    if summary := max(read["summary"], key=_tokens, default=None):
        found = replace(
            found,
            summary_tokens=summary.context_tokens or found.summary_tokens,
            summary_tokens_cut=summary.context_cut,
        )
    return found


def _tokens(answer: Answer) -> tuple[int, int]:
    return answer.context_cut, answer.context_tokens


def candidates_of(texts: Sequence[str], kind: Candidates) -> dict[str, list[Segment]]:
    """The pieces of each text to ask about, first one of each sentence, then each one's second, and
    so on; in a sentence entities come before noun phrases. What is the same but for an article, in
    one sentence, is there once."""
    found: dict[str, list[Segment]] = {text: [] for text in texts}
    if kind != "noun_phrases":
        for text, some in zip(texts, entities(texts), strict=True):
            # A name may be spelled like a stop-word: "May", "US".
            found[text] += [Segment(*one[:3]) for one in some if normal(one.text)]
    if kind != "entities":
        for text, tokens in zip(texts, parse(texts), strict=True):
            found[text] += [
                Segment(one.start, one.end, text[one.start : one.end])
                for one in noun_phrases(tokens)
                if tokens[one.head].pos != "PRON" and _has_content(text[one.start : one.end])
            ]
    return {text: _in_turn(text, pieces) for text, pieces in found.items()}


def _has_content(text: str) -> bool:
    return any(is_content(word.text) for word in words(text))


def _in_turn(text: str, pieces: Sequence[Segment]) -> list[Segment]:
    ends = [one.end for one in sentences(text)]
    seen: set[tuple[int, str]] = set()
    ranked: list[tuple[int, int, Segment]] = []
    count: dict[int, int] = {}
    for piece in pieces:
        own = bisect_right(ends, piece.start)
        key = (own, normal(piece.text))
        if key not in seen:
            seen.add(key)
            count[own] = count.get(own, 0) + 1
            ranked.append((count[own], own, piece))
    return [piece for *_, piece in sorted(ranked)]


def mentions(answer: str, text: str) -> float:
    """Share of a text's sentences that have every content word of an answer, in (0, 1]."""
    wanted = {word.text.lower() for word in words(answer) if is_content(word.text)}
    pieces = sentences(text)
    having = sum(wanted <= {word.text.lower() for word in words(one.text)} for one in pieces)
    return max(having, 1) / max(len(pieces), 1)

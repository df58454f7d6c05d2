"""Question generation and answering: ask about one text, answer from both, compare the answers
[MFAS §3]; with presets after QAGS (Wang et al. 2020), FEQA (Durmus et al. 2020), QuestEval
(Scialom et al. 2021) and QAFactEval (Fabbri et al. 2022).

What lives here: which questions are kept, and how the answers are compared and counted. What does
not: what is asked about (`inquiry.py`), the questions and the answers themselves (`questions/`, or
`questions_chat.py` if a chat model writes them).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from faithkit.language.sentences import SPLITTER
from faithkit.language.words import Segment
from faithkit.metrics.align import (
    COSINES,
    Normalise,
    Similarities,
    Similarity,
    f1,
    models_for_similarity,
    token_f1,
)
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import score_unless_blank
from faithkit.metrics.defaults import gives_default
from faithkit.metrics.inquiry import (
    AnsweredQuestion,
    Candidates,
    ComparedAnswers,
    Direction,
    Inquiry,
    candidates_of,
    coverage_of,
    failures,
    mean,
    mentions,
)
from faithkit.metrics.options import check_range
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
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    scored,
    unscored,
)

Measure = Literal["precision", "recall", "f1", "mean"]
Keep = Literal["answered", "same"]
Offsets = tuple[int, int]

# Below it an answer is marked as unmatched. Round numbers, not fitted to any data.
THRESHOLDS: dict[str, float] = {"exact": 1.0, "f1": 0.5, "bertscore": 0.8, "cosine": 0.8}

SAME = 0.5
"""Token F1 from which two answers from one text count as the same; in the code released with [MFAS]
0.9."""

SKIPPED = frozenset({Outcome.REFUSED, Outcome.UNPARSABLE})
"""What a chat model does to one question and would do again: it costs the question, not the row."""

SPARE = 2
"""Times `most` answers are asked about, so that some questions may be dropped."""


class Qgqa(Metric):
    """Mean similarity of what source and summary answer to questions about one of them [MFAS §3].

    qg, qa      the models that ask and answer: the rules (`rules`, `cloze`), a folder or hub id of
                a checkpoint, or a chat model named as for `judge`: `chat:NAME`
    candidates  what is asked about: named entities, noun phrases or both; pronouns never
    questions   for each of them, the most probable ones; of the same question about two of them,
                the more probable one
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
    default     the value where no question is left (`no_claims`) or a text is blank
                (`no_content`); none unless given
    recall_by   `similarity`, or `answerable`: the probability that the summary answers at all,
                however low
    weights     of the source's questions: `equal`, or `mentions`: the share of its sentences that
                have the answer's words
    threshold   a summary's answer less similar is marked unsupported
    transcripts, timeout, retries, concurrency, max_requests
                of a chat model, see `models.chat.limits.Limits`; no part of the signature

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
                BERTScore replaces its learned similarity (LERC).
    """

    name = "qgqa"
    bounds = (-1.0, 1.0)
    unit = "mean similarity of the source's and the summary's answers to the same questions"
    limitations = (
        "Finds errors only in what is asked about; a wrong question or answer counts against the "
        "summary. The rules ask about English only, and with the embedded answerer one false word "
        "makes every question about its clause unanswerable. Slow."
    )
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
    unsigned = frozenset(Limits.__dataclass_fields__)
    splitter = SPLITTER
    packages = ("spacy",)
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
        direction: Measure = "precision",
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
        check_range(self.name, "minimum", minimum, (0.0, 1.0))
        check_range(self.name, "threshold", threshold, COSINES)
        check_range(self.name, "default", default, self.bounds)
        if not 0 < same <= 1:
            raise ConfigError(f"qgqa: same should lie above 0 and up to 1, found {same:g}")
        limits = Limits(transcripts, timeout, retries, concurrency, max_requests)
        self._qg = ChatQuestions(qg.limited(limits), questions) if isinstance(qg, ChatModel) else qg
        self._qa = ChatAnswers(qa.limited(limits)) if isinstance(qa, ChatModel) else qa
        hashes = [
            model.prompt
            for model in (self._qg, self._qa)
            if isinstance(model, ChatQuestions | ChatAnswers)
        ]
        self._chats = bool(hashes)
        self.prompt = _joined(hashes)
        self._similarities = Similarities(similarity, model, normalise)
        self._same, self._normalise = same, normalise
        self.default = default
        self._candidates: Candidates = candidates
        self._questions, self._minimum, self._most = questions, minimum, most
        self._keep: Keep = keep
        self._direction: Measure = direction
        self._own, self._recall_by, self._weights = own, recall_by, weights
        self._threshold = THRESHOLDS[similarity] if threshold is None else threshold
        self.resolved = {"threshold": self._threshold}

    @gives_default
    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return score_unless_blank(examples, self.name, self._score_all)

    def _score_all(self, examples: Sequence[Example]) -> list[Score]:
        answered = zip(examples, self._directions(examples), strict=True)
        return [self._score(example, directions) for example, directions in answered]

    def _directions(self, examples: Sequence[Example]) -> list[dict[str, Direction]]:
        """For each example, the questions about the summary (`precision`) and about the source
        (`recall`), as the direction requires, with the answers of the other text compared."""
        pairs = {
            "precision": [(example.summary, example.source) for example in examples],
            "recall": [(example.source, example.summary) for example in examples],
        }
        if self._direction in pairs:
            pairs = {self._direction: pairs[self._direction]}
        inquiries = self._inquire([text for texts in pairs.values() for text, _ in texts])
        answers = self._answers(
            [
                (kept.question, other)
                for texts in pairs.values()
                for text, other in texts
                for kept in inquiries[text].kept
            ]
        )
        self._prepare(inquiries.values(), answers.values())
        return [
            {
                name: self._compared(*texts[number], inquiries[texts[number][0]], answers, name)
                for name, texts in pairs.items()
            }
            for number in range(len(examples))
        ]

    def _inquire(self, texts: Sequence[str]) -> dict[str, Inquiry]:
        """The questions about each distinct text: generated, filtered and answered from that
        text."""
        unique = list(dict.fromkeys(texts))
        candidates = candidates_of(unique, self._candidates)
        limit = None if self._most is None else SPARE * self._most
        pieces = {text: candidates[text][:limit] for text in unique}
        requests = [(text, piece.start, piece.end) for text in unique for piece in pieces[text]]
        made = iter(self._qg.ask(requests))
        about = {text: [(piece, next(made)) for piece in pieces[text]] for text in unique}
        distinct = {text: self._distinct(about[text]) for text in unique}
        answers = self._answers([(q, text) for text, asked in distinct.items() for q, _ in asked])
        inquiries = {}
        for text in unique:
            asked = distinct[text]
            answered = [
                AnsweredQuestion(q, piece.start, piece.end, piece.text, answers[q, text])
                for q, piece in asked
            ]
            failed = failures(q.outcome for _, questions in about[text] for q in questions)
            failed += failures(question.answer.outcome for question in answered)
            kept = tuple(question for question in answered if self._keeps(question))[: self._most]
            inquiries[text] = Inquiry(
                len(candidates[text]),
                len(asked),
                kept if SKIPPED.issuperset(failed) else (),
                tuple(question.answer for question in answered),
                tuple(failed),
            )
        return inquiries

    def _distinct(
        self, about: Sequence[tuple[Segment, Sequence[Question]]]
    ) -> list[tuple[Question, Segment]]:
        """The questions that are probable enough, without repeated wordings, the most probable
        first."""
        probable = [
            (question, piece)
            for piece, questions in about
            for question in questions[: self._questions]
            if question.outcome is Outcome.OK
            and question.text.strip()
            and question.probability >= self._minimum
        ]
        best: dict[str, tuple[Question, Segment]] = {}
        for question, piece in sorted(probable, key=lambda item: -item[0].probability):
            best.setdefault(" ".join(question.text.lower().split()), (question, piece))
        return list(best.values())

    def _keeps(self, question: AnsweredQuestion) -> bool:
        answer = question.answer
        if not answer.answerable or self._keep == "answered":
            return answer.answerable
        similarity = token_f1([answer.text], [question.text], self._normalise)
        return float(similarity[0, 0]) >= self._same

    def _answers(self, pairs: Sequence[tuple[Question, str]]) -> dict[tuple[Question, str], Answer]:
        unique = list(dict.fromkeys(pairs))
        return dict(zip(unique, self._qa.answer(unique), strict=True))

    def _expected(self, question: AnsweredQuestion) -> list[str]:
        texts = {"answer": question.answer.text, "candidate": question.text}
        return list(texts.values()) if self._own == "best" else [texts[self._own]]

    def _prepare(self, inquiries: Iterable[Inquiry], answers: Iterable[Answer]) -> None:
        expected = [
            text
            for inquiry in inquiries
            for question in inquiry.kept
            for text in self._expected(question)
        ]
        answered = [answer.text for answer in answers if answer.answerable]
        self._similarities.prepare([*expected, *answered])

    def _compared(
        self,
        text: str,
        other: str,
        inquiry: Inquiry,
        answers: Mapping[tuple[Question, str], Answer],
        direction: str,
    ) -> Direction:
        by_mentions = direction == "recall" and self._weights == "mentions"
        others = tuple(answers[question.question, other] for question in inquiry.kept)
        compared = []
        for question, answer in zip(inquiry.kept, others, strict=True):
            if answer.outcome in SKIPPED:
                continue
            weight = mentions(question.text, text) if by_mentions else 1.0
            similarity = self._similarity(question, answer)
            compared.append(ComparedAnswers(question, answer, similarity, weight))
        return Direction(inquiry, others, tuple(compared))

    def _similarity(self, question: AnsweredQuestion, answer: Answer) -> float:
        if not answer.answerable:
            return 0.0
        return float(self._similarities.matrix(self._expected(question), [answer.text]).max())

    def _score(self, example: Example, directions: Mapping[str, Direction]) -> Score:
        coverage = coverage_of(example, directions)
        sides = directions.values()
        compared = [pair for side in sides for pair in side.compared]
        failed = [outcome for side in sides for outcome in side.failed]
        parts = {
            "candidates": float(sum(side.inquiry.candidates for side in sides)),
            "made": float(sum(side.inquiry.made for side in sides)),
            "questions": float(len(compared)),
            "answered": float(sum(pair.answer.answerable for pair in compared)),
        }
        if self._chats:
            answers = [
                answer for side in sides for answer in (*side.inquiry.answers, *side.answers)
            ]
            parts |= {
                "failed": float(len(failed)),
                "strayed": float(sum(answer.strayed for answer in answers)),
            }
        outcomes = [outcome for outcome in failed if outcome not in SKIPPED]
        if coverage.summary_tokens_cut:
            outcomes.append(Outcome.TRUNCATED_SUMMARY)
        if not all(side.compared for side in sides):
            outcomes += [*failed, Outcome.NO_CLAIMS]
        if outcomes:
            return unscored(example, self.name, outcomes[0], parts=parts, coverage=coverage)
        values = {
            name: mean(
                side.compared, answerable=name == "recall" and self._recall_by == "answerable"
            )
            for name, side in directions.items()
        }
        return scored(
            example,
            self.name,
            self._value(values),
            parts=values | parts,
            spans=self._spans(directions),
            evidence=self._evidence(directions),
            coverage=coverage,
        )

    def _value(self, values: Mapping[str, float]) -> float:
        if self._direction in values:
            return values[self._direction]
        precision, recall = values["precision"], values["recall"]
        return f1(precision, recall) if self._direction == "f1" else (precision + recall) / 2

    def _spans(self, directions: Mapping[str, Direction]) -> list[Span]:
        """Spans of the summary's answers: those that are less similar to the source's answers than
        the threshold, then all of them, labelled with their questions."""
        by_question: list[Span] = []
        similarities: dict[tuple[int, int], list[float]] = {}
        for name, pair, in_summary, _ in self._located(directions):
            if in_summary is None:
                continue
            by_question.append(Span(*in_summary, pair.question.question.text, pair.similarity))
            if name == "precision":
                similarities.setdefault(in_summary, []).append(pair.similarity)
        means = {
            offsets: math.fsum(values) / len(values) for offsets, values in similarities.items()
        }
        unsupported = [
            Span(*offsets, "unsupported", value)
            for offsets, value in sorted(means.items())
            if value < self._threshold
        ]
        return unsupported + by_question

    def _evidence(self, directions: Mapping[str, Direction]) -> list[Evidence]:
        return [
            Evidence(*in_source, *in_summary, pair.question.question.text, pair.similarity)
            for _, pair, in_summary, in_source in self._located(directions)
            if in_summary is not None and in_source is not None
        ]

    def _located(
        self, directions: Mapping[str, Direction]
    ) -> Iterator[tuple[str, ComparedAnswers, Offsets | None, Offsets | None]]:
        """Each question with the characters of its answers in the summary and in the source; None
        where an answer has no position."""
        for name, direction in directions.items():
            for pair in direction.compared:
                question = pair.question
                about: Offsets | None = (question.start, question.end)
                if self._own != "candidate":
                    about = _offsets(question.answer) or about
                other = _offsets(pair.answer)
                yield (name, pair, *((about, other) if name == "precision" else (other, about)))


def _offsets(answer: Answer) -> Offsets | None:
    if answer.start is None or answer.end is None:
        return None
    return answer.start, answer.end


def _joined(hashes: Sequence[str]) -> str | None:
    """One hash for all prompts, for the signature; None without any."""
    if len(hashes) < 2:
        return next(iter(hashes), None)
    return hashlib.sha256("".join(hashes).encode()).hexdigest()

"""What the summary says of whom, against what the source says: `openie` on (subject, relation,
object) triples and `srl` on phrases with semantic roles [MFAS §3]. Both are read off the
parse in `relations.py`, or come from an extractor that the user names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

from faithkit.language.case import TrueCase, with_case
from faithkit.language.clauses import Names, Pieces, phrase_text
from faithkit.language.coreference import antecedents, coreference_name
from faithkit.language.parse import PARSER, Token, parse
from faithkit.language.relations import Triple, relation_key, triples
from faithkit.language.roles import Phrases, merged_role, roles
from faithkit.language.sentences import closed_sentences
from faithkit.language.words import is_content, word_coverage, words
from faithkit.metrics.align import (
    Absent,
    Alignment,
    Normalise,
    Similarities,
    Similarity,
    align,
    f1,
    models_for_similarity,
)
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import by_size
from faithkit.metrics.overlap import Measure
from faithkit.metrics.plain import reads_plain_texts
from faithkit.models.protocols import (
    ENGLISH,
    Fact,
    FactExtractor,
    RoleLabeller,
    SentenceEmbedder,
    TokenEncoder,
)
from faithkit.records import (
    JSON,
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

# Below it a triple or phrase is marked as unmatched. Round numbers, not fitted to any data.
THRESHOLDS: dict[str, float] = {"exact": 1.0, "f1": 0.5, "bertscore": 0.6, "cosine": 0.6}


class Item(NamedTuple):
    """A triple or phrase to be aligned: its words, where they stand, and for triples what must be
    equal for two to be the same."""

    text: str
    pieces: Pieces
    key: tuple[str, str, str] = ("", "", "")

    @property
    def start(self) -> int:
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        return max(end for _, end in self.pieces)


class Read(NamedTuple):
    """What was read in one text. cut: sentences that an extractor could not take."""

    groups: dict[str, list[Item]]
    outcome: Outcome = Outcome.OK
    cut: int = 0


class Rates(NamedTuple):
    """How many triples of a summary the source confirms, contradicts, and does not speak of."""

    hits: int
    wrong: int
    missed: int


def match_rates(
    summary: Iterable[tuple[str, str, str]], source: Iterable[tuple[str, str, str]]
) -> Rates:
    """Counts behind the relation matching rates of Zhu et al. 2021 ("Enhancing Factual Consistency
    of Abstractive Summarization"), which [MFAS] uses.

    hit    the source has the same (subject, relation, object)
    wrong  it has the subject and relation with another object, or the relation and object with
           another subject
    missed neither
    RMR1 = hits / (hits + wrong); RMR2 = hits / (hits + wrong + missed).
    """
    known = set(source)
    beginnings = {(subject, relation) for subject, relation, _ in known}
    endings = {(relation, thing) for _, relation, thing in known}
    hits = wrong = missed = 0
    for subject, relation, thing in summary:
        if (subject, relation, thing) in known:
            hits += 1
        elif (subject, relation) in beginnings or (relation, thing) in endings:
            wrong += 1
        else:
            missed += 1
    return Rates(hits, wrong, missed)


Rate = Literal["rmr1", "rmr2"]


class _Aligned(Metric):
    """What `openie` and `srl` share: items of both texts, aligned within their group."""

    splitter = PARSER
    language: str | None = ENGLISH

    def __init__(
        self,
        model: SentenceEmbedder | TokenEncoder | None,
        similarity: Similarity,
        measure: Measure | Rate,
        threshold: float | None,
        default: float | None,
        truecase: TrueCase,
        coreference: str | None,
        normalise: Normalise,
    ) -> None:
        self._similarities = Similarities(similarity, model, normalise)
        self._measure = measure
        self._threshold = THRESHOLDS[similarity] if threshold is None else threshold
        self._default = default
        self._truecase: TrueCase = truecase
        self._coreference = coreference
        self.resolved: dict[str, JSON] = {"threshold": self._threshold}
        if coreference is not None:
            self.resolved["coreference"] = coreference_name(coreference)

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        scores: dict[int, Score] = {}
        for chunk in by_size(examples):
            summaries = [with_case(e.summary, e.source, self._truecase) for _, e in chunk]
            texts = list(dict.fromkeys([*summaries, *(e.source for _, e in chunk)]))
            found = dict(zip(texts, self._read(texts), strict=True))
            self._similarities.prepare(
                item.text for one in found.values() for some in one.groups.values() for item in some
            )
            for (position, example), summary in zip(chunk, summaries, strict=True):
                scores[position] = self._score(example, found[summary], found[example.source])
        return [scores[position] for position in range(len(examples))]

    def _read(self, texts: Sequence[str]) -> list[Read]:
        raise NotImplementedError

    def _parts(
        self, ours: Mapping[str, Alignment], summary: Read, source: Read
    ) -> dict[str, float]:
        raise NotImplementedError

    def _parsed(self, texts: Sequence[str]) -> Iterator[tuple[str, list[Token], Names | None]]:
        """Each text with its tokens and what its pronouns stand for."""
        parsed = parse(texts)
        if self._coreference is None:
            yield from zip(texts, parsed, [None] * len(texts), strict=True)
            return
        resolved = antecedents(texts, self._coreference)
        for text, tokens, names in zip(texts, parsed, resolved, strict=True):
            whose = {token.start for token in tokens if token.tag in ("PRP$", "WP$")}
            yield (
                text,
                tokens,
                {
                    start: (end, f"{name}'s" if start in whose else name)
                    for start, (end, name) in names.items()
                },
            )

    def _score(self, example: Example, summary: Read, source: Read) -> Score:
        coverage = word_coverage(example)
        if source.cut:
            coverage = Coverage(
                source_tokens=coverage.source_tokens,
                summary_tokens=coverage.summary_tokens,
                source_sentences_cut=source.cut,
            )
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        if failed := _failure(summary, source):
            return unscored(example, self.name, failed, coverage=coverage)
        common = [group for group in summary.groups if group in source.groups]
        alignments = {
            group: align(
                self._similarities.matrix(
                    [item.text for item in summary.groups[group]],
                    [item.text for item in source.groups[group]],
                )
            )
            for group in common
        }
        parts = self._parts(alignments, summary, source)
        spans = self._unmatched(example.summary, summary, alignments)
        if not common or self._measure not in parts:
            outcome = Outcome.NO_CONTENT if summary.groups else Outcome.NO_CLAIMS
            return unscored(
                example,
                self.name,
                outcome,
                default=self._default,
                parts=parts,
                spans=spans,
                coverage=coverage,
            )
        evidence = [
            Evidence(other.start, other.end, item.start, item.end, group or "best match", number)
            for group, found in alignments.items()
            for item, j, number in zip(
                summary.groups[group], found.best_source, found.similarity, strict=True
            )
            for other in [source.groups[group][j]]
        ]
        return scored(
            example,
            self.name,
            parts[self._measure],
            parts=parts,
            spans=spans,
            evidence=sorted(evidence, key=lambda item: (item.summary_start, item.summary_end)),
            coverage=coverage,
        )

    def _unmatched(
        self, text: str, summary: Read, alignments: Mapping[str, Alignment]
    ) -> list[Span]:
        """Words of items under the threshold that are in no item above it, neighbours joined; the
        score is that of the worst."""
        worst: dict[int, float] = {}
        fine: set[int] = set()
        places = words(text)
        for group, items in summary.groups.items():
            found = alignments.get(group)
            numbers = found.similarity if found else (0.0,) * len(items)
            for item, number in zip(items, numbers, strict=True):
                covered = [
                    index
                    for index, word in enumerate(places)
                    if any(start < word.end and word.start < end for start, end in item.pieces)
                ]
                if number >= self._threshold:
                    fine.update(covered)
                else:
                    worst |= {index: min(number, worst.get(index, 1.0)) for index in covered}
        marked = [index for index in sorted(worst) if index not in fine]
        return [
            Span(
                places[run[0]].start,
                places[run[-1]].end,
                "unsupported",
                min(worst[index] for index in run),
            )
            for run in _runs(marked)
            if any(is_content(places[index].text) for index in run)
        ]


class OpenIe(_Aligned):
    """Triples of the summary against those of the source, each written as a line.

    The value is the mean over the summary's triples of the best match (`measure=precision`), or one
    of the relation matching rates (`measure=rmr1`, `rmr2`). Parts besides: `hits`, `wrong` and
    `missed` as `match_rates` counts them (relations by their lemmas), `rmr1` (left out where
    nothing is hit or wrong; as the value it is then no_content) and `rmr2`; `summary_triples`,
    `source_triples`.

    normalise    what is done to a line before exact or f1 compare it (`align.Normalise`)
    extractor    the URL of a CoreNLP server to be asked instead of the parse; where it fails the
                 outcome is timeout or model_error
    coreference  an installed spaCy pipeline that resolves pronouns (`coreference.antecedents`)
    truecase     a summary without a capital letter takes the case of its source (auto), any (on)
    Degenerate: no triple in the summary is `no_claims`, none in the source `no_content`; both score
    `default` (none unless given).

    The preset `paper` is the code released with [MFAS], 0 where either text has no triple; its
    triples are CoreNLP's (extractor=URL), pronouns resolved, and of those that are much alike in
    one sentence the longest alone.
    """

    name = "openie"
    bounds = (-1.0, 1.0)
    unit = "mean match of the summary's (subject, relation, object) triples with the source's"
    models: ClassVar[dict[str, str]] = {"model": "embed:mini", "extractor": "openie:"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"similarity": "f1", "normalise": "squad", "default": "0", "truecase": "off"}
    }

    @classmethod
    def models_for(cls, options: Mapping[str, JSON]) -> dict[str, str]:
        return models_for_similarity(options) | {"extractor": "openie:"}

    def __init__(
        self,
        model: SentenceEmbedder | TokenEncoder | None = None,
        extractor: FactExtractor | None = None,
        similarity: Similarity = "f1",
        measure: Measure | Rate = "precision",
        threshold: float | None = None,
        default: float | None = None,
        truecase: TrueCase = "auto",
        coreference: str | None = None,
        normalise: Normalise = "none",
    ) -> None:
        if extractor is not None and coreference is not None:
            raise ValueError("coreference works on the own parse, not with an extractor")
        super().__init__(
            model, similarity, measure, threshold, default, truecase, coreference, normalise
        )
        self._extractor = extractor
        if extractor is not None:
            self.language = None

    def _read(self, texts: Sequence[str]) -> list[Read]:
        if self._extractor is not None:
            return [
                Read(_grouped([_stated(fact) for fact in one.facts if fact.pieces]), one.outcome)
                for one in self._extractor.extract(texts)
            ]
        return [
            Read(_grouped(_from_parse(text, tokens, names)))
            for text, tokens, names in self._parsed(texts)
        ]

    def _parts(
        self, ours: Mapping[str, Alignment], summary: Read, source: Read
    ) -> dict[str, float]:
        keys = [[item.key for item in one.groups.get("", [])] for one in (summary, source)]
        counts = {"summary_triples": float(len(keys[0])), "source_triples": float(len(keys[1]))}
        if not ours:
            return counts
        rates = match_rates(*keys)
        found = ours[""]
        parts = {"precision": found.precision, "recall": found.recall, "f1": found.f1}
        if rates.hits + rates.wrong:
            parts["rmr1"] = rates.hits / (rates.hits + rates.wrong)
        parts["rmr2"] = rates.hits / sum(rates)
        return parts | {key: float(value) for key, value in rates._asdict().items()} | counts


class Srl(_Aligned):
    """Phrases of the summary against the source's of the same role: who, what, whom, when, where,
    why or how (`relations.roles`).

    The value is the mean over the summary's roles of the mean best match of their phrases
    (`measure=precision`). Parts besides: the precision of each role of the summary,
    `summary_phrases`, `source_phrases`.

    roles      off: all phrases are aligned with all
    phrases    `arguments`: those of the seven roles; `all`: also each verb, its negation and
               adverbials that are none of the seven, as roles of their own (`relations.Phrases`)
    absent     a role that the other text lacks counts 0 (`zero`) or is left out (`skip`)
    extractor  a token classifier for semantic roles (`models/labelling.py`) that finds the phrases
               of each verb instead of the parse
    The other options are as in `openie`.
    Degenerate: no phrase in the summary is `no_claims`, no role in common `no_content`; both score
    `default` (none unless given).

    The preset `paper` is the code released with [MFAS]: all phrases, 0 where a role or everything
    is missing. Its phrases are AllenNLP's (extractor=), of which it keeps the longest row that does
    not overlap.
    """

    name = "srl"
    bounds = (-1.0, 1.0)
    unit = "mean match of the summary's phrases with the source's of the same role, over the roles"
    models: ClassVar[dict[str, str]] = {"model": "embed:mini", "extractor": "srl:"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {
            "similarity": "cosine",
            "model": "sentence-transformers/all-mpnet-base-v2",
            "phrases": "all",
            "absent": "zero",
            "default": "0",
            "truecase": "off",
        }
    }

    @classmethod
    def models_for(cls, options: Mapping[str, JSON]) -> dict[str, str]:
        return models_for_similarity(options) | {"extractor": "srl:"}

    def __init__(
        self,
        model: SentenceEmbedder | TokenEncoder | None = None,
        extractor: RoleLabeller | None = None,
        roles: bool = True,
        similarity: Similarity = "cosine",
        measure: Measure = "precision",
        threshold: float | None = None,
        default: float | None = None,
        truecase: TrueCase = "auto",
        coreference: str | None = None,
        normalise: Normalise = "none",
        phrases: Phrases = "arguments",
        absent: Absent = "zero",
    ) -> None:
        super().__init__(
            model, similarity, measure, threshold, default, truecase, coreference, normalise
        )
        self._extractor = extractor
        self._roles = roles
        self._phrases: Phrases = phrases
        self._skip = absent == "skip"

    def _read(self, texts: Sequence[str]) -> list[Read]:
        if self._extractor is not None:
            return [
                self._labelled(self._extractor, text, tokens, names)
                for text, tokens, names in self._parsed(texts)
            ]
        return [
            Read(self._by_role(text, _arguments(tokens, self._phrases), names))
            for text, tokens, names in self._parsed(texts)
        ]

    def _labelled(
        self, labeller: RoleLabeller, text: str, tokens: Sequence[Token], names: Names | None
    ) -> Read:
        """The phrases that a labeller finds for each verb of the parse."""
        verbs = [frame.verb for frame in roles(tokens, self._phrases)]
        asked, shifts = _requests(text, verbs)
        phrases: list[tuple[str, Pieces]] = []
        cut: set[str] = set()
        for (sentence, _, _), shift, found in zip(
            asked, shifts, labeller.label(asked), strict=True
        ):
            if found.outcome is Outcome.MODEL_ERROR:
                return Read({}, Outcome.MODEL_ERROR)
            if found.outcome is not Outcome.OK:
                cut.add(sentence)
            for start, end, label in found.phrases:
                if role := merged_role(label, self._phrases):
                    phrases.append((role, ((shift + start, shift + end),)))
        return Read(self._by_role(text, phrases, names), cut=len(cut))

    def _by_role(
        self, text: str, phrases: Iterable[tuple[str, Pieces]], names: Names | None
    ) -> dict[str, list[Item]]:
        groups: dict[str, list[Item]] = {}
        for role, pieces in phrases:
            item = Item(phrase_text(text, pieces, names), pieces)
            groups.setdefault(role if self._roles else "", []).append(item)
        return {group: list(dict.fromkeys(items)) for group, items in groups.items()}

    def _parts(
        self, ours: Mapping[str, Alignment], summary: Read, source: Read
    ) -> dict[str, float]:
        counts = {
            "summary_phrases": float(sum(map(len, summary.groups.values()))),
            "source_phrases": float(sum(map(len, source.groups.values()))),
        }
        if not ours:
            return counts
        # A role that the other side lacks has no match: it counts 0.
        summary_roles, source_roles = (
            len(ours if self._skip else side.groups) for side in (summary, source)
        )
        precision = math.fsum(one.precision for one in ours.values()) / summary_roles
        recall = math.fsum(one.recall for one in ours.values()) / source_roles
        by_role = {role: ours[role].precision if role in ours else 0.0 for role in summary.groups}
        by_role.pop("", None)
        return {
            "precision": precision,
            "recall": recall,
            "f1": f1(precision, recall),
            **by_role,
            **counts,
        }


def _failure(*sides: Read) -> Outcome | None:
    """Why the texts could not be read; a summary that was cut is not scored."""
    for side in sides:
        if side.outcome is not Outcome.OK:
            return side.outcome
    return Outcome.TRUNCATED_SUMMARY if sides[0].cut else None


def _grouped(items: Sequence[Item]) -> dict[str, list[Item]]:
    return {"": list(items)} if items else {}


def _from_parse(text: str, tokens: Sequence[Token], names: Names | None) -> list[Item]:
    starts = {token.start: token for token in tokens}
    return [
        Item(
            one.text(text, names),
            tuple(sorted({piece for part in one for piece in part})),
            _key_of(one, text, starts, names),
        )
        for one in triples(tokens)
    ]


def _key_of(
    one: Triple, text: str, starts: Mapping[int, Token], names: Names | None
) -> tuple[str, str, str]:
    return (
        _plain(phrase_text(text, one.subject, names)),
        relation_key(starts, one.relation),
        _plain(phrase_text(text, one.object, names)),
    )


def _stated(fact: Fact) -> Item:
    parts = (fact.subject, fact.relation, fact.object)
    key = (_plain(fact.subject), _plain(fact.relation), _plain(fact.object))
    return Item(" ".join(part for part in parts if part), fact.pieces, key)


def _plain(text: str) -> str:
    """Words without case, articles and punctuation."""
    found = [word.text.lower() for word in words(text) if word.text[0].isalnum()]
    return " ".join(word for word in found if word not in ("a", "an", "the"))


def _arguments(tokens: Sequence[Token], phrases: Phrases) -> Iterator[tuple[str, Pieces]]:
    for frame in roles(tokens, phrases):
        for argument in frame.arguments:
            yield argument.role, argument.pieces


def _requests(
    text: str, verbs: Sequence[tuple[int, int]]
) -> tuple[list[tuple[str, int, int]], list[int]]:
    """Each verb with the sentence it stands in, and where that begins."""
    asked: list[tuple[str, int, int]] = []
    shifts: list[int] = []
    sentences = iter(closed_sentences(text))
    sentence = next(sentences, None)
    for start, end in verbs:
        while sentence is not None and sentence.end <= start:
            sentence = next(sentences, None)
        if sentence is not None and sentence.start <= start and end <= sentence.end:
            asked.append((sentence.text, start - sentence.start, end - sentence.start))
            shifts.append(sentence.start)
    return asked, shifts


def _runs(indices: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][-1] + 1 == index:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs

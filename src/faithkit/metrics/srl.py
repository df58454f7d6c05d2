"""`srl`: phrases of the summary with semantic roles, aligned with the source's of the same role
[MFAS §3]. They are read off the parse (`language/roles.py`), or come from a labeller that the
user names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from faithkit.language.case import TrueCase
from faithkit.language.clauses import Names, Pieces, phrase_text
from faithkit.language.parse import PARSER, Token
from faithkit.language.roles import Phrases, merged_role, roles
from faithkit.language.sentences import closed_sentences
from faithkit.metrics.align import (
    Absent,
    Alignment,
    Normalise,
    Similarity,
    models_for_similarity,
    precision_recall_f1,
)
from faithkit.metrics.aligned import AlignedMetric, Extraction, Item
from faithkit.metrics.openie import THRESHOLDS
from faithkit.metrics.overlap import Measure
from faithkit.models.protocols import RoleLabeller, SentenceEmbedder, TokenEncoder
from faithkit.records import JSON, Outcome


class Srl(AlignedMetric):
    """Phrases of the summary, compared with the source's of the same role: who, what, whom, when,
    where, why or how (`roles.roles`).

    The value is the mean over the summary's roles of the mean best match of their phrases
    (`measure=precision`). Parts besides: the precision of each role of the summary,
    `summary_phrases`, `source_phrases`.

    roles      off: all phrases are aligned with all
    phrases    `arguments`: those of the seven roles; `all`: also each verb, its negation and
               adverbials that are none of the seven, as roles of their own (`roles.Phrases`)
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
    splitter = PARSER
    packages = ("spacy",)
    thresholds = THRESHOLDS
    unit = "mean match of the summary's phrases with the source's of the same role, over the roles"
    limitations = (
        "English only. As good as the parse, which is poor on dialogue and fragments. Phrases are "
        "compared by role over the whole text, so those of different verbs may be taken for each "
        "other."
    )
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
            model, similarity, measure, threshold, default, truecase, normalise, coreference
        )
        self._extractor = extractor
        self._roles = roles
        self._phrases: Phrases = phrases
        self._skip = absent == "skip"

    def _extract(self, texts: Sequence[str]) -> list[Extraction]:
        if self._extractor is not None:
            return [
                self._labelled(self._extractor, text, tokens, names)
                for text, tokens, names in self._parsed(texts)
            ]
        return [
            Extraction(self._by_role(text, _arguments(tokens, self._phrases), names))
            for text, tokens, names in self._parsed(texts)
        ]

    def _labelled(
        self, labeller: RoleLabeller, text: str, tokens: Sequence[Token], names: Names | None
    ) -> Extraction:
        """The phrases that a labeller finds for each verb of the parse."""
        verbs = [frame.verb for frame in roles(tokens, self._phrases)]
        requests, shifts = _requests(text, verbs)
        phrases: list[tuple[str, Pieces]] = []
        cut: set[str] = set()
        for (sentence, _, _), shift, labelled in zip(
            requests, shifts, labeller.label(requests), strict=True
        ):
            if labelled.outcome is Outcome.MODEL_ERROR:
                return Extraction({}, Outcome.MODEL_ERROR)
            if labelled.outcome is not Outcome.OK:
                cut.add(sentence)
            for start, end, label in labelled.phrases:
                if role := merged_role(label, self._phrases):
                    phrases.append((role, ((shift + start, shift + end),)))
        return Extraction(self._by_role(text, phrases, names), cut=len(cut))

    def _by_role(
        self, text: str, phrases: Iterable[tuple[str, Pieces]], names: Names | None
    ) -> dict[str, Sequence[Item]]:
        groups: dict[str, list[Item]] = {}
        for role, pieces in phrases:
            item = Item(phrase_text(text, pieces, names), pieces)
            groups.setdefault(role if self._roles else "", []).append(item)
        return {group: list(dict.fromkeys(items)) for group, items in groups.items()}

    def _parts(
        self, alignments: Mapping[str, Alignment], summary: Extraction, source: Extraction
    ) -> dict[str, float]:
        counts = {"summary_phrases": summary.total(), "source_phrases": source.total()}
        if not alignments:
            return counts
        # A role that the other text lacks has no match: it counts 0.
        summary_roles, source_roles = (
            len(alignments if self._skip else text.groups) for text in (summary, source)
        )
        precision = math.fsum(role.precision for role in alignments.values()) / summary_roles
        recall = math.fsum(role.recall for role in alignments.values()) / source_roles
        by_role = {
            role: alignments[role].precision if role in alignments else 0.0
            for role in summary.groups
            if role
        }
        return {**precision_recall_f1(precision, recall), **by_role, **counts}


def _arguments(tokens: Sequence[Token], phrases: Phrases) -> Iterator[tuple[str, Pieces]]:
    for frame in roles(tokens, phrases):
        for argument in frame.arguments:
            yield argument.role, argument.pieces


def _requests(
    text: str, verbs: Sequence[tuple[int, int]]
) -> tuple[list[tuple[str, int, int]], list[int]]:
    """Each verb with the sentence it is in, and where that begins."""
    requests: list[tuple[str, int, int]] = []
    shifts: list[int] = []
    sentences = iter(closed_sentences(text))
    sentence = next(sentences, None)
    for start, end in verbs:
        while sentence is not None and sentence.end <= start:
            sentence = next(sentences, None)
        if sentence is not None and sentence.start <= start and end <= sentence.end:
            requests.append((sentence.text, start - sentence.start, end - sentence.start))
            shifts.append(sentence.start)
    return requests, shifts

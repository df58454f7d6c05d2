"""`openie`: (subject, relation, object) triples of the summary, aligned with those of the source
[MFAS §3]. They are read off the parse (`language/relations.py`), or come from an extractor that the
user names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

from faithkit.language.case import TrueCase
from faithkit.language.clauses import Names, phrase_text
from faithkit.language.parse import PARSER, Token
from faithkit.language.relations import Triple, relation_key, triples
from faithkit.language.words import words
from faithkit.metrics.align import (
    Alignment,
    Normalise,
    Similarity,
    models_for_similarity,
)
from faithkit.metrics.aligned import AlignedMetric, Extraction, Item
from faithkit.metrics.overlap import Measure
from faithkit.models.protocols import Fact, FactExtractor, SentenceEmbedder, TokenEncoder
from faithkit.records import JSON


class Rates(NamedTuple):
    """How many triples of a summary the source confirms, contradicts, and does not mention."""

    hits: int
    wrong: int
    missed: int


def match_rates(
    summary: Iterable[tuple[str, str, str]], source: Iterable[tuple[str, str, str]]
) -> Rates:
    """The counts of the relation matching rates of Zhu et al. 2021 ("Enhancing Factual Consistency
    of Abstractive Summarization"), which [MFAS] uses.

    hit    the source has the same (subject, relation, object)
    wrong  it has the subject and relation with another object, or the relation and object with
           another subject
    missed neither
    RMR1 = hits / (hits + wrong); RMR2 = hits / (hits + wrong + missed).
    """
    source_triples = set(source)
    beginnings = {(subject, relation) for subject, relation, _ in source_triples}
    endings = {(relation, object) for _, relation, object in source_triples}
    hits = wrong = missed = 0
    for subject, relation, object in summary:
        if (subject, relation, object) in source_triples:
            hits += 1
        elif (subject, relation) in beginnings or (relation, object) in endings:
            wrong += 1
        else:
            missed += 1
    return Rates(hits, wrong, missed)


Rate = Literal["rmr1", "rmr2"]

# Below it a triple is marked as unmatched. Round numbers, not fitted to any data.
THRESHOLDS = {"exact": 1.0, "f1": 0.5, "bertscore": 0.6, "cosine": 0.6}


class OpenIe(AlignedMetric):
    """Triples of the summary, compared with those of the source, each written as a line.

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
    splitter = PARSER
    packages = ("spacy",)
    thresholds = THRESHOLDS
    unit = "mean match of the summary's (subject, relation, object) triples with the source's"
    limitations = (
        "English only. As good as the triples: long or nested sentences and dialogue give few or "
        "wrong ones. A triple that is paraphrased matches badly, one with two names exchanged "
        "well."
    )
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
            raise ValueError("coreference works on the parse, not with an extractor")
        super().__init__(
            model, similarity, measure, threshold, default, truecase, normalise, coreference
        )
        self._extractor = extractor
        if extractor is not None:
            self.language = None

    def _extract(self, texts: Sequence[str]) -> list[Extraction]:
        if self._extractor is not None:
            return [
                Extraction(
                    _grouped([_from_fact(fact) for fact in extracted.facts if fact.pieces]),
                    extracted.outcome,
                )
                for extracted in self._extractor.extract(texts)
            ]
        return [
            Extraction(_grouped(_from_parse(text, tokens, names)))
            for text, tokens, names in self._parsed(texts)
        ]

    def _parts(
        self, alignments: Mapping[str, Alignment], summary: Extraction, source: Extraction
    ) -> dict[str, float]:
        counts = {"summary_triples": summary.total(), "source_triples": source.total()}
        if not alignments:
            return counts
        rates = match_rates(*([item.key for item in side.groups[""]] for side in (summary, source)))
        parts = alignments[""].parts
        if rates.hits + rates.wrong:
            parts["rmr1"] = rates.hits / (rates.hits + rates.wrong)
        parts["rmr2"] = rates.hits / sum(rates)
        return parts | {key: float(value) for key, value in rates._asdict().items()} | counts


def _grouped(triples: Sequence[Item]) -> dict[str, Sequence[Item]]:
    return {"": triples} if triples else {}


def _from_parse(text: str, tokens: Sequence[Token], names: Names | None) -> list[Item]:
    starts = {token.start: token for token in tokens}
    return [
        Item(
            triple.text(text, names),
            tuple(sorted({piece for part in triple for piece in part})),
            _key_of(triple, text, starts, names),
        )
        for triple in triples(tokens)
    ]


def _key_of(
    triple: Triple, text: str, starts: Mapping[int, Token], names: Names | None
) -> tuple[str, str, str]:
    return (
        _plain(phrase_text(text, triple.subject, names)),
        relation_key(starts, triple.relation),
        _plain(phrase_text(text, triple.object, names)),
    )


def _from_fact(fact: Fact) -> Item:
    parts = (fact.subject, fact.relation, fact.object)
    key = (_plain(fact.subject), _plain(fact.relation), _plain(fact.object))
    return Item(" ".join(part for part in parts if part), fact.pieces, key)


def _plain(text: str) -> str:
    """Words without case, articles and punctuation."""
    lower = [word.text.lower() for word in words(text) if word.text[0].isalnum()]
    return " ".join(word for word in lower if word not in ("a", "an", "the"))

"""What a source says about each word of a summary sentence, as numbers: the input of the support
model (`model.py`), and the choice of the evidence sentences.

Pure functions over words and their vectors; no model is loaded here. `FEATURES` names them
all; a trained model names the features it wants, so that a new one never changes an old model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from faithkit.language import thesaurus
from faithkit.language.inflection import verb_of
from faithkit.language.lexicon import STOP_WORDS
from faithkit.language.reading import read, values
from faithkit.language.words import Segment, words
from faithkit.models.protocols import Floats, Ints

EVIDENCE_SENTENCES = 3
"""Source sentences that a summary sentence is judged against [MFAS: top2s]."""

_NEGATIONS = (
    "no not n't never none nobody nothing neither nor nowhere without cannot can't won't don't "
    "doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't wouldn't shouldn't couldn't "
    "fail fails failed failing refuse refuses refused deny denies denied lack lacks lacked unable "
    "hardly barely rarely"
)
NEGATIONS = frozenset(_NEGATIONS.split())
_HEDGES = (
    "may might could can would should possibly perhaps probably likely unlikely suggest suggests "
    "suggested appear appears appeared seem seems seemed reportedly allegedly alleged expect "
    "expects expected plan plans planned hope hopes hoped consider considering considered "
    "potential potentially risk if whether claim claims claimed believe believes believed about "
    "almost nearly around some"
)
HEDGES = frozenset(_HEDGES.split())
_WORD_CHARACTER = re.compile(r"\w")
WINDOW = 3
"""Words on either side within which a negation or a hedge bears on a word."""


GROUPS: dict[str, tuple[str, ...]] = {
    "match": (
        "in_source",
        "in_evidence",
        "in_best",
        "run",
        "run_evidence",
        "left_pair",
        "right_pair",
        "triple",
        "left_content_pair",
        "right_content_pair",
    ),
    "alignment": (
        "cosine",
        "cosine_evidence",
        "cosine_best",
        "cosine_second",
        "cosine_other_words",
        "cosine_left",
        "cosine_right",
    ),
    "numbers": (
        "number",
        "number_known",
        "number_in_context",
        "number_conflict",
    ),
    "lexicon": (
        "synonym",
        "antonym",
    ),
    "names": (
        "capital",
        "name_known",
        "name_unknown",
        "name_run_known",
    ),
    "word": (
        "content",
        "rarity",
        "negation",
    ),
    "polarity": (
        "negation_added",
        "negation_lost",
        "hedge_added",
        "hedge_lost",
        "sentence_negation",
    ),
    "structure": (
        "before_same_sentence",
        "before_in_order",
        "before_distance",
        "after_same_sentence",
        "after_in_order",
        "after_distance",
        "partner_in_best",
    ),
    "sentence": (
        "sentence_in_source",
        "sentence_in_evidence",
        "sentence_in_best",
        "sentence_cosine",
        "sentence_cosine_best",
        "sentence_pairs",
        "sentence_length",
    ),
}
"""The features by what they look at, for ablations."""

FEATURES = tuple(name for some in GROUPS.values() for name in some)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence taken apart. Arrays have one row a word; punctuation is no word.

    start, end  characters in the text
    text        the sentence as it stands there
    values      [words], each number's value as `reading.values` has it; "" for other words
    offsets     [words, 2], characters in the text; in the order of the reading, which is not
                always that of the text
    vectors     [words, width], unit length: the mean of the word's token vectors
    rarity      [words], 0 (a common word) to 1: how much the word says
    """

    start: int
    end: int
    text: str
    lower: tuple[str, ...]
    stems: tuple[str, ...]
    values: tuple[str, ...]
    offsets: Ints
    vectors: Floats
    rarity: Floats
    capital: NDArray[np.bool_]
    content: NDArray[np.bool_]
    negation: NDArray[np.bool_]
    near_negation: NDArray[np.bool_]
    near_hedge: NDArray[np.bool_]


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The word's stem (Snowball): an irregular verb's form is that of the verb, spelling variants
    of "-ise" and "-our" are one."""
    plain = verb_of(word.replace("’", "'").removesuffix("'s").removesuffix("'"))
    plain = re.sub(r"(?<=\w{3})is(e|ed|es|ing|ation)$", r"iz\1", plain)
    plain = re.sub(r"(?<=\w{2})our$", "or", plain)
    return str(_stemmer().stemWord(plain)) or word


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def read_sentence(
    piece: Segment,
    vectors: Floats,
    offsets: Ints,
    rarities: Floats,
) -> Sentence | None:
    """A sentence of a text from the tokens of its reading (`reading.read`): vectors
    [tokens, width], offsets [tokens, 2] (within it; special tokens have start == end) and
    rarities [tokens]. None without a word."""
    reading = read(piece.text)
    text = reading.text
    found = [word for word in words(text) if _WORD_CHARACTER.search(word.text)]
    real = np.flatnonzero(offsets[:, 0] < offsets[:, 1])
    lows, highs = (np.array([w[side] for w in found], dtype=np.int64) for side in (0, 1))
    # The tokens that overlap a word stand together: from its first to before its last.
    first = np.searchsorted(offsets[real, 1], lows, side="right")
    last = np.searchsorted(offsets[real, 0], highs, side="left")
    kept = np.flatnonzero(first < last)
    if not len(kept):
        return None
    found = [found[i] for i in kept]
    parts = np.stack([first[kept], last[kept]], axis=1).ravel()
    # The row of zeros is the end that reduceat can be told.
    tokens = np.concatenate([vectors[real], np.zeros_like(vectors[:1])])
    pooled = np.add.reduceat(tokens, parts)[::2]
    pooled /= np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
    rarity = np.maximum.reduceat(np.append(rarities[real], 0), parts)[::2]
    lower = tuple(word.text.lower().replace("’", "'") for word in found)
    valued = {segment.start: value for segment, value in reversed(values(text))}
    stems = tuple(valued.get(w.start) or stem(low) for w, low in zip(found, lower, strict=True))
    negation = np.array([low in NEGATIONS or low.endswith("n't") for low in lower])
    return Sentence(
        start=piece.start,
        end=piece.end,
        text=piece.text,
        lower=lower,
        stems=stems,
        values=tuple(valued.get(word.start, "") for word in found),
        offsets=piece.start + np.array([reading.span(w.start, w.end) for w in found]),
        vectors=pooled,
        rarity=rarity.astype(np.float32),
        capital=np.array([word.text[0].isupper() for word in found]),
        content=np.array([low not in STOP_WORDS for low in lower]),
        negation=negation,
        near_negation=_spread(negation),
        near_hedge=_spread(np.array([low in HEDGES for low in lower])),
    )


class Values:
    """The numbers of a source, from the `values` of its sentences."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = frozenset(known)
        self._days = frozenset(value.split()[0] for value in self._known if " " in value)

    def has(self, value: str) -> bool:
        """Whether the source has it: a day with its month, or either without one ("the 3rd" where
        the source has "February 3", or "February 3" where it has "the 3rd")."""
        return value in self._known or value in self._days or value.split(" ")[0] in self._known


@dataclass(frozen=True, slots=True)
class SourceWords:
    """All words of a source in one row, with the sentence each belongs to.

    starts  [sentences], position of each sentence's first word
    owner   [words], the word's sentence
    capital words (lower case) away from sentence starts: whether most have a capital
    """

    sentences: tuple[Sentence, ...]
    vectors: Floats
    stems: NDArray[np.int64]
    vocabulary: dict[str, int]
    starts: Ints
    owner: Ints
    near_negation: NDArray[np.bool_]
    near_hedge: NDArray[np.bool_]
    content_pairs: frozenset[tuple[str, str]]
    values: Values
    value_context: dict[str, frozenset[str]]
    capital: dict[str, bool]


def read_source(sentences: Sequence[Sentence]) -> SourceWords:
    """Raises ValueError without a sentence."""
    vocabulary: dict[str, int] = {}
    stems = [vocabulary.setdefault(s, len(vocabulary)) for one in sentences for s in one.stems]
    sizes = [len(one.stems) for one in sentences]
    context: dict[str, set[str]] = {}
    capitals: dict[str, int] = {}
    for one in sentences:
        for low, capital in zip(one.lower[1:], one.capital[1:].tolist(), strict=True):
            capitals[low] = capitals.get(low, 0) + (1 if capital else -1)
        for i, value in enumerate(one.values):
            if value:
                context.setdefault(value, set()).update(_near(one, i))
    return SourceWords(
        sentences=tuple(sentences),
        vectors=np.concatenate([one.vectors for one in sentences]),
        stems=np.array(stems, dtype=np.int64),
        vocabulary=vocabulary,
        starts=np.cumsum([0, *sizes[:-1]]),
        owner=np.repeat(np.arange(len(sizes)), sizes),
        near_negation=np.concatenate([one.near_negation for one in sentences]),
        near_hedge=np.concatenate([one.near_hedge for one in sentences]),
        content_pairs=frozenset(pair for one in sentences for pair in _content_pairs(one)),
        values=Values(context),
        value_context={value: frozenset(some) for value, some in context.items()},
        capital={low: balance > 0 for low, balance in capitals.items()},
    )


def _near(sentence: Sentence, i: int, reach: int = 3) -> set[str]:
    """Content stems within `reach` words of word i."""
    low, high = max(0, i - reach), i + reach + 1
    return {
        s
        for j, s in enumerate(sentence.stems[low:high], start=low)
        if j != i and sentence.content[j]
    }


@dataclass(frozen=True, slots=True)
class Alignment:
    """A summary sentence laid against a source.

    cosine    [words, source words]
    by_sent   [words, source sentences], the best cosine in each
    chosen    evidence sentences, the one that covers most first
    words     positions (among the source's words) of the evidence's words
    """

    cosine: Floats
    by_sentence: Floats
    chosen: tuple[int, ...]
    words: Ints


def select_evidence(
    summary: Sentence, source: SourceWords, limit: int = EVIDENCE_SENTENCES
) -> Alignment:
    """Chooses up to `limit` evidence sentences, each the one that adds most to how well the words
    are covered (best cosine, weighted by rarity); ties go to the earlier sentence."""
    cosine = summary.vectors @ source.vectors.T
    by_sentence = np.maximum.reduceat(cosine, source.starts, axis=1)
    weights = summary.rarity + 0.05
    covered = np.zeros(len(weights), dtype=np.float32)
    chosen: list[int] = []
    for _ in range(min(limit, len(source.sentences))):
        gain = weights @ np.maximum(by_sentence, covered[:, None])
        gain[chosen] = -np.inf
        # Rounded, so that the last bit of a dot product never decides between equal sentences.
        best = int(np.round(gain, 4).argmax())
        chosen.append(best)
        covered = np.maximum(covered, by_sentence[:, best])
    inside = np.flatnonzero(np.isin(source.owner, chosen))
    return Alignment(cosine, by_sentence, tuple(chosen), inside)


HALVED, REACH = 1.5, 8
"""Words over which a neighbour's weight falls by half, and beyond which it is 0; chosen by reading
the marks of examples/pairs.jsonl."""


def nearest_sentences(summary: Sentence, laid: Alignment) -> tuple[Ints, Floats]:
    """[words] the source sentence that has most of each word and of those around it (the best
    cosine there, weighted by rarity and by nearness to the word), and that weighted mean, -1..1.
    Ties go to the earlier sentence."""
    weights = summary.rarity[:, None] + np.float32(0.05)
    matched, total = weights * laid.by_sentence, weights.copy()
    near, count = matched.copy(), total.copy()
    for step in range(1, min(REACH, len(weights) - 1) + 1):
        share = np.float32(0.5 ** (step / HALVED))
        for pooled, own in ((near, matched), (count, total)):
            pooled[step:] += share * own[:-step]
            pooled[:-step] += share * own[step:]
    near /= count
    best: Ints = np.round(near, 4).argmax(axis=1)
    return best, near[np.arange(len(best)), best]


def _runs(equal: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """For each cell the length of the diagonal run of equal words that ends there, and begins."""
    ending = np.zeros(equal.shape, dtype=np.int64)
    beginning = np.zeros(equal.shape, dtype=np.int64)
    for i in range(len(equal)):
        ending[i] = equal[i]
        if i:
            ending[i, 1:] += ending[i - 1, :-1] * equal[i, 1:]
    for i in range(len(equal) - 1, -1, -1):
        beginning[i] = equal[i]
        if i + 1 < len(equal):
            beginning[i, :-1] += beginning[i + 1, 1:] * equal[i, :-1]
    return ending, beginning


def _shifted(column: Floats, by: int) -> Floats:
    """The column moved by words; what moves in from outside is the column's own value."""
    moved = column.copy()
    if by > 0:
        moved[by:] = column[:-by]
    else:
        moved[:by] = column[-by:]
    return moved


def _spread(flags: NDArray[np.bool_], reach: int = WINDOW) -> NDArray[np.bool_]:
    """True within `reach` of a true cell."""
    near = flags.copy()
    for step in range(1, min(reach, len(flags) - 1) + 1):
        near[step:] |= flags[:-step]
        near[:-step] |= flags[step:]
    return near


def _content_pairs(sentence: Sentence) -> set[tuple[str, str]]:
    stems = [s for s, keep in zip(sentence.stems, sentence.content, strict=True) if keep]
    return set(pairwise(stems))


def features(
    summary: Sentence,
    source: SourceWords,
    laid: Alignment,
) -> dict[str, Floats]:
    """Every one of FEATURES for every word of a summary sentence: name to [words].

    Shares and flags lie in 0..1, cosines in -1..1. Source: the feature list of this project's own
    design; the alignment is BERTScore's (Zhang et al. 2020), the runs are extractive fragments
    (Grusky et al. 2018).
    """
    count = len(summary.stems)
    ids = np.array([source.vocabulary.get(s, -1) for s in summary.stems])
    equal = ids[:, None] == source.stems[None, :]
    ending, beginning = _runs(equal)
    inside = laid.words
    evidence = [source.sentences[i] for i in laid.chosen]
    first = np.flatnonzero(source.owner == laid.chosen[0])

    def has(columns: Ints) -> Floats:
        flags: Floats = equal[:, columns].any(axis=1).astype(np.float32)
        return flags

    found: dict[str, Floats] = {}
    found["in_source"] = equal.any(axis=1).astype(np.float32)
    found["in_evidence"] = has(inside)
    found["in_best"] = has(first)
    run = np.where(equal, ending + beginning - 1, 0)
    longest = run.max(axis=1)
    found["run"] = np.minimum(longest, 8) / 8
    found["run_evidence"] = np.minimum(run[:, inside].max(axis=1), 8) / 8
    found["left_pair"] = (ending.max(axis=1) >= 2).astype(np.float32)
    found["right_pair"] = (beginning.max(axis=1) >= 2).astype(np.float32)
    found["triple"] = (longest >= 3).astype(np.float32)
    left, right = _content_neighbours(summary, source.content_pairs)
    found["left_content_pair"], found["right_content_pair"] = left, right

    ordered = np.sort(laid.by_sentence, axis=1)
    found["cosine"] = ordered[:, -1]
    found["cosine_evidence"] = laid.cosine[:, inside].max(axis=1)
    found["cosine_best"] = laid.by_sentence[:, laid.chosen[0]]
    found["cosine_second"] = ordered[:, -2] if ordered.shape[1] > 1 else ordered[:, -1]
    found["cosine_other_words"] = np.where(equal, -1.0, laid.cosine).max(axis=1)
    found["cosine_left"] = _shifted(found["cosine_evidence"], 1)
    found["cosine_right"] = _shifted(found["cosine_evidence"], -1)

    is_number = np.array([bool(value) for value in summary.values])
    known = np.array([source.values.has(value) for value in summary.values])
    close = np.array(
        [
            bool(value and source.value_context.get(value, frozenset()) & _near(summary, i))
            for i, value in enumerate(summary.values)
        ]
    )
    seen_numbers = any(value for one in evidence for value in one.values)
    found["number"] = is_number.astype(np.float32)
    found["number_known"] = (is_number & known).astype(np.float32)
    found["number_in_context"] = close.astype(np.float32)
    found["number_conflict"] = (is_number & ~known & seen_numbers).astype(np.float32)

    found["synonym"], found["antonym"] = _related(summary, evidence, found["in_evidence"])

    # The source's case where it has the word: a summary may be in small letters, or a headline.
    own = np.zeros_like(summary.capital) if is_headline(summary) else summary.capital
    own_case = zip(summary.lower, own.tolist(), strict=True)
    capital = np.array([source.capital.get(low, own) for low, own in own_case])
    named = capital & summary.content
    found["capital"] = capital.astype(np.float32)
    found["name_known"] = (named & equal.any(axis=1)).astype(np.float32)
    found["name_unknown"] = (named & ~equal.any(axis=1)).astype(np.float32)
    found["name_run_known"] = _name_runs(named, longest)

    found["content"] = summary.content.astype(np.float32)
    found["rarity"] = summary.rarity
    found["negation"] = summary.negation.astype(np.float32)

    # The evidence word that each word is aligned to; the same word first, then the nearest.
    strength = laid.cosine[:, inside] + equal[:, inside]
    partner = inside[np.round(strength, 4).argmax(axis=1)]
    negated, hedged = source.near_negation[partner], source.near_hedge[partner]
    own_negation, own_hedge = summary.near_negation, summary.near_hedge
    found["negation_added"] = (own_negation & ~negated).astype(np.float32)
    found["negation_lost"] = (~own_negation & negated).astype(np.float32)
    found["hedge_added"] = (own_hedge & ~hedged).astype(np.float32)
    found["hedge_lost"] = (~own_hedge & hedged).astype(np.float32)

    before, after = _neighbour_partners(partner, summary.content)
    same = source.owner[partner]
    for name, other in (("before", before), ("after", after)):
        step = (partner - other) if name == "before" else (other - partner)
        near = (same == source.owner[other]) & (np.abs(step) <= 20)
        found[f"{name}_same_sentence"] = (same == source.owner[other]).astype(np.float32)
        found[f"{name}_in_order"] = (near & (step > 0)).astype(np.float32)
        found[f"{name}_distance"] = np.where(near, np.minimum(np.abs(step), 10) / 10, 1.0)
    found["partner_in_best"] = (same == laid.chosen[0]).astype(np.float32)

    weight = summary.rarity + 0.05
    weight = weight / weight.sum()
    whole = {
        "sentence_in_source": float(weight @ found["in_source"]),
        "sentence_in_evidence": float(weight @ found["in_evidence"]),
        "sentence_in_best": float(weight @ found["in_best"]),
        "sentence_cosine": float(weight @ found["cosine_evidence"]),
        "sentence_cosine_best": float(weight @ found["cosine_best"]),
        "sentence_pairs": float(np.mean(found["left_pair"][1:])) if count > 1 else 1.0,
        "sentence_negation": float(
            bool(summary.negation.any()) != any(one.negation.any() for one in evidence)
        ),
        "sentence_length": min(count, 60) / 60,
    }
    for name, value in whole.items():
        found[name] = np.full(count, value)
    return {name: found[name].astype(np.float32) for name in FEATURES}


LONG_WORD, LONG_WORDS = 4, 4
"""Letters of a word, and such words of a sentence, from which its capitals can show a headline."""


def is_headline(sentence: Sentence) -> bool:
    """Whether every longer content word has a capital, so that capitals tell no names."""
    long = np.array([len(low) >= LONG_WORD and low.isalpha() for low in sentence.lower])
    long &= sentence.content
    return bool(long.sum() >= LONG_WORDS and sentence.capital[long].all())


SYNONYM = 0.8
"""How near a synonym is at least."""


def similarities(found: Mapping[str, Floats], cosine: str) -> Floats:
    """[words], how near each word's nearest is, from `features`: the feature `cosine` (that in the
    whole source) or `cosine_evidence`; at least SYNONYM where the evidence has a synonym; 0 for a
    number or a name that the source does not have, whatever it resembles; half for a content word
    that is negated where its counterpart is not, or the other way round, and for one whose antonym
    the evidence has: unless both, for "not alive" is "dead"."""
    near = np.where(found["synonym"] > 0, np.maximum(found[cosine], SYNONYM), found[cosine])
    mismatched = ((found["negation_added"] + found["negation_lost"]) * found["content"]) > 0
    near[mismatched ^ (found["antonym"] > 0)] *= 0.5
    near[(found["number"] > found["number_known"]) | (found["name_unknown"] > 0)] = 0
    return near.astype(np.float32)


def _related(
    summary: Sentence, evidence: Sequence[Sentence], known: Floats
) -> tuple[Floats, Floats]:
    """For every content word that the evidence does not have whether it has a synonym, and whether
    it has no synonym but an antonym."""
    synonym = np.zeros(len(summary.stems), dtype=np.float32)
    antonym = np.zeros(len(summary.stems), dtype=np.float32)
    others = {low for one in evidence for low in one.lower}
    shared = frozenset().union(*map(thesaurus.senses, others))
    entries = frozenset().union(*map(thesaurus.entries, others))
    for word in np.flatnonzero(summary.content & (known == 0)).tolist():
        low = summary.lower[word]
        synonym[word] = not shared.isdisjoint(thesaurus.senses(low))
        antonym[word] = not synonym[word] and not entries.isdisjoint(thesaurus.opposites(low))
    return synonym, antonym


def _content_neighbours(
    summary: Sentence, pairs: frozenset[tuple[str, str]]
) -> tuple[Floats, Floats]:
    """Whether each content word stands beside the same content word as in the source; 1 for a
    word without a neighbour or without content."""
    left = np.ones(len(summary.stems), dtype=np.float32)
    right = np.ones(len(summary.stems), dtype=np.float32)
    places = np.flatnonzero(summary.content)
    for i, j in pairwise(places):
        known = (summary.stems[i], summary.stems[j]) in pairs
        right[i] = left[j] = float(known)
    return left, right


def _name_runs(named: NDArray[np.bool_], longest: Ints) -> Floats:
    """1 where the whole run of capitalised words around a word stands in the source together."""
    result = np.zeros(len(named), dtype=np.float32)
    start = 0
    for i in range(len(named) + 1):
        if i < len(named) and named[i]:
            continue
        if i > start:
            result[start:i] = float((longest[start:i] >= i - start).all())
        start = i + 1
    return result


def _neighbour_partners(partner: Ints, content: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """The partner of the content word before each word and after it; its own without one."""
    before, after = partner.copy(), partner.copy()
    last = -1
    for i in range(len(partner)):
        before[i] = partner[last] if last >= 0 else partner[i]
        last = i if content[i] else last
    last = -1
    for i in range(len(partner) - 1, -1, -1):
        after[i] = partner[last] if last >= 0 else partner[i]
        last = i if content[i] else last
    return before, after

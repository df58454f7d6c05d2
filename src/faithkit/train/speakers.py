"""Claims about who says and does what in a dialogue, and copies with the speakers exchanged.

The claims are supported ones of the labelled files that name a speaker, and turns in the third
person: "Anna: I have the key." becomes "Anna has the key." In a copy only the names are wrong, and
they are of speakers of the same dialogue, so that the error shows only in whose turn says it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from faithkit.language import reading
from faithkit.language.inflection import inflect, verb_of
from faithkit.language.lexicon import MODAL_VERBS
from faithkit.language.normalise import plain_source
from faithkit.language.sentences import closed_sentences, source_sentences, turns
from faithkit.records import document_id
from faithkit.rewrites.parsed import Edit, apply, labelled
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

SPEAKERS = "speakers"
"""The file of these rows."""

TURNS = 2
"""Turns of a dialogue that are put into the third person."""

_PART = re.compile(r"(?!(?:Mrs?|Ms|Dr|Prof|The)\b)[A-Z][^\W\d_]{2,}")
"""A part of a name that may be used for the whole."""

EXCHANGED = 1 / 3
"""Share of the claims that have a copy: in real summaries most names are right."""

FEWEST_TURNS = 2
"""Fewest turns of a speaker: "Date:" has a colon too."""

_OF_SEVERAL = re.compile(r"\b(both|each|every\w*|all|together|agree\w*|same|also|too)\b", re.I)
"""Words of a claim that may be true of other speakers too."""


def speaker_claims(rows: Sequence[Labelled], seed: int, share: float = EXCHANGED) -> list[Labelled]:
    """Rows of turns of dialogues in the third person, and of sentences of supported summaries that
    name a speaker: each as it is, and a share of them, drawn by the seed, also with the speakers
    exchanged."""
    dialogues = {row.source: _Dialogue(row.source) for row in rows}
    made: list[Labelled] = []
    for source, dialogue in dialogues.items():
        if len(dialogue.names) > 1:
            for claim in _reported(dialogue, Random(f"{seed} {source}")):
                made += _with_copy(claim, dialogue, seed, share)
    for row in rows:
        if len(dialogues[row.source].names) > 1 and row.is_supported:
            for sentence in closed_sentences(row.summary):
                made += _with_copy(sentence.text, dialogues[row.source], seed, share)
    return list(dict.fromkeys(made))


class _Dialogue:
    """A source with its turns.

    spoken  (speaker, sentence without the speaker's name) of every sentence of a turn
    names   of the speakers of at least FEWEST_TURNS turns; empty where the source is no dialogue
    """

    def __init__(self, source: str) -> None:
        pieces = source_sentences(plain_source(source).text)
        self.source = source
        self.spoken: list[tuple[str, str]] = []
        opened = turns(pieces)
        speaker = ""
        for piece, opens in zip(pieces, opened, strict=True):
            speaker = opens or speaker
            text = piece.text[len(speaker) :].lstrip(" :") if opens else piece.text
            if speaker:
                self.spoken.append((speaker, text))
        counts = Counter(filter(None, opened))
        self.names = [name for name, count in counts.items() if count >= FEWEST_TURNS]


def _with_copy(claim: str, dialogue: _Dialogue, seed: int, share: float) -> list[Labelled]:
    """The claim as it is and, for a share of the claims, with its speakers exchanged; empty where
    that may leave it true."""
    random = Random(f"{seed} {dialogue.source} {claim}")
    edits = exchanged(claim, dialogue.names, random)
    if not edits:
        return []
    copies = [edits] if random.random() < share else []
    return [_row(claim, changes, dialogue.source) for changes in ((), *copies)]


def _row(claim: str, edits: tuple[Edit, ...], source: str) -> Labelled:
    text, wrong = apply(claim, edits)
    labels = tuple((start, end, float(share)) for start, end, share in labelled(text, wrong))
    target = UNSUPPORTED if edits else ENTAILED
    return Labelled(SPEAKERS, document_id(source), source, text, labels, target, pair=claim)


def exchanged(claim: str, names: Sequence[str], random: Random) -> tuple[Edit, ...]:
    """Edits that exchange the first two speakers that a claim names, or replace the only one by
    another; none where it names no speaker, or says the same of several."""
    if _OF_SEVERAL.search(claim):
        return ()
    whose = _forms(names)
    either = "|".join(re.escape(form) for form in sorted(whose, key=len, reverse=True))
    if re.search(rf"\b(?:{either})(?:,| and| or| nor| &) (?:{either})\b", claim):
        return ()
    mentions = list(re.finditer(rf"\b(?:{either})\b", claim))
    named = list(dict.fromkeys(whose[match.group()] for match in mentions))
    others = [name for name in names if name not in named]
    if not named or (len(named) == 1 and not others):
        return ()
    first, second = named[0], named[1] if len(named) > 1 else random.choice(others)
    instead = {first: second, second: first}
    return tuple(
        Edit(match.start(), match.end(), instead[name])
        for match in mentions
        if (name := whose[match.group()]) in instead
    )


def _forms(names: Sequence[str]) -> dict[str, str]:
    """The name that each form belongs to: names as they are, and parts that occur in one only."""
    parts = [(part, name) for name in names for part in name.split() if _PART.fullmatch(part)]
    counts = Counter(part for part, _ in parts)
    unique = {part: name for part, name in parts if counts[part] == 1}
    return {name: name for name in names} | unique


# Turns in the third person

_OPENERS = "yes|yeah|yep|no|nope|okay|ok|oh|ah|well|so|right|sure|thanks|great|and|but|hi|hey"
_FIRST_PERSON = re.compile(
    rf"(?:(?:{_OPENERS})[,.!]? )*I (?P<adverb>(?:just|also|already|really|still|never|\w+ly) )?"
    r"(?P<verb>[a-z]+)(?P<rest> [^?\"“”:;()]+?)?[.!]",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"\b(we|us|our|ours|ourselves)\b", re.IGNORECASE)
_YOU = re.compile(r"\byou(r?)\b", re.IGNORECASE)
_BEFORE_OBJECT = (
    "to|for|with|from|after|about|at|send|give|tell|call|help|text|show|get|bring|see|ask|meet|owe"
    "|remind|let|email|join|lend|pay|told|gave|sent|saw|called"
)
_OBJECT = re.compile(rf"\b({_BEFORE_OBJECT}) you\b(?! (?:are|were|have|do))", re.IGNORECASE)
_THIRD = {"am": "is", "have": "has", "do": "does", "need": "needs"}
_SAME_PAST = frozenset((
    "put", "read", "cut", "set", "let", "hit", "hurt", "cost", "shut", "spread", "quit", "bet",
    "beat", "had", "did", "was", "were",
))  # fmt: skip
"""Past forms that equal the verb's base form, and those of auxiliaries."""

_PRONOUNS = {"my": "their", "me": "them", "myself": "themselves", "mine": "theirs", "i": "they"}
FEWEST, MOST = 5, 26
"""Words of a claim made from a turn."""


def _reported(dialogue: _Dialogue, random: Random) -> Iterator[str]:
    spoken = [(name, text) for name, text in dialogue.spoken if name in dialogue.names]
    random.shuffle(spoken)
    claims = (
        in_third_person(text, speaker, [name for name in dialogue.names if name != speaker], random)
        for speaker, text in spoken
    )
    for claim, _ in zip(filter(None, claims), range(TURNS), strict=False):
        yield claim


def in_third_person(text: str, speaker: str, others: Sequence[str], random: Random) -> str:
    """A speaker's sentence about themself, in the third person; "" for what the rules do not cover:
    questions, and sentences with "we", or with "you" where that may be several people."""
    match = _FIRST_PERSON.fullmatch(reading.read(text).text)
    if match is None or _PLURAL.search(text):
        return ""
    rest = match["rest"] or ""
    if len(others) == 1:
        rest = _OBJECT.sub(rf"\1 {others[0]}", rest)
        rest = re.sub(r"\byour\b", f"{others[0]}'s", rest)
    if _YOU.search(rest):
        return ""
    rest = re.sub(r"\bI (am|was)\b", lambda be: "they are" if be[1] == "am" else "they were", rest)
    rest = re.sub(
        r"\b(?:my|me|myself|mine|I)\b", lambda pronoun: _PRONOUNS[pronoun[0].lower()], rest
    )
    adverb, verb = match["adverb"] or "", match["verb"].lower()
    if random.randrange(3):
        made = f"{speaker} {adverb}{_third_person(verb)}{rest}."
    else:
        plural = {"am": "are", "was": "were"}.get(verb, verb)
        made = f"{speaker} says that they {adverb}{plural}{rest}."
    return made if FEWEST <= len(made.split()) <= MOST else ""


def _third_person(verb: str) -> str:
    if verb in _THIRD:
        return _THIRD[verb]
    is_past = verb in _SAME_PAST or verb.endswith("ed") or verb_of(verb) != verb
    if verb in MODAL_VERBS or is_past:
        return verb
    return inflect(verb, "VBZ")

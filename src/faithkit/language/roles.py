"""Predicates of a parsed text and the roles of their phrases [MFAS §3]: who did what to whom, when,
where, why and how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from faithkit.language import lexicon
from faithkit.language.clauses import OBJECTS, Clauses, Pieces
from faithkit.language.parse import Token

Role = Literal[
    "who", "what", "whom", "when", "where", "why", "how",
    "verb", "negation", "attribute", "direction",
]  # fmt: skip
"""The seven roles of [MFAS §3]; the last four for `phrases="all"` only."""

Phrases = Literal["arguments", "all"]
"""Which phrases of a predicate are read: those of the seven roles, or also the verb itself, its
negation, and adverbials that none of the roles takes, as the code released with [MFAS]."""


class Argument(NamedTuple):
    """A phrase and its role in what a predicate says."""

    role: Role
    pieces: Pieces


class Frame(NamedTuple):
    """A predicate with its auxiliaries, its verb alone, and the phrases that belong to it."""

    predicate: Pieces
    verb: tuple[int, int]
    arguments: tuple[Argument, ...]


def roles(tokens: Sequence[Token], phrases: Phrases = "arguments") -> list[Frame]:
    """A frame for each verb that has a phrase of any role [MFAS §3].

    who    the doer: the subject, in a passive the `by` phrase
    what   what is done, said or is so: objects, complements, a passive's subject, and what
           follows a preposition that none of the other roles takes ("comment on the report")
    whom   who receives or hears something: the indirect object ("gave him", "gave to him"), and the
           object beside a clause ("told him to leave")
    when, where, why, how   phrases with prepositions, adverbs and clauses, classified by the
           preposition or conjunction and by words for times and places

    The cues are simple: "in anger" is a place. Phrases of the last four keep their preposition.

    With phrases="all" also `verb`, the verb alone, `negation`, and as `how` the adverbs and clauses
    that none of the cues fits ("however", "although it rained"); so each verb has a frame.
    """
    tree = Clauses(tokens)
    frames = []
    for verb in tree.verbs():
        arguments = tuple(dict.fromkeys(_find_arguments(tree, verb, phrases)))
        if arguments:
            place = (tokens[verb].start, tokens[verb].end)
            frames.append(Frame(tree.pieces(tree.group(verb)), place, arguments))
    return frames


PROPBANK: dict[str, Role] = {
    "0": "who", "1": "what", "2": "whom", "3": "what", "4": "where",
    "TMP": "when", "LOC": "where", "DIR": "where", "GOL": "where",
    "CAU": "why", "PRP": "why", "PNC": "why", "MNR": "how", "EXT": "how", "COM": "how",
}  # fmt: skip
"""PropBank's arguments and modifiers as the seven roles."""

PROPBANK_ALL: dict[str, Role] = PROPBANK | {
    "A": "who", "COM": "who", "2": "attribute", "3": "attribute", "4": "attribute",
    "PRD": "attribute", "NEG": "negation", "DIR": "direction", "GOL": "why", "ADV": "how",
    "ADJ": "how",
}  # fmt: skip
"""The ten groups of the code released with [MFAS] (SRL.py), under our names where they have one."""


def merged_role(label: str, phrases: Phrases = "arguments") -> Role | None:
    """A PropBank label (ARG0, A0, ARGM-TMP, AM-TMP, C-ARG1) as one of the seven roles; None for the
    verb, references (R-ARG0) and those that are none of them (negation, discourse, ...). With
    phrases="all": as one of the authors' ten groups, verb and negation among them."""
    if phrases == "all" and label.upper() == "V":
        return "verb"
    match = re.fullmatch(r"(?:C-)?A(?:RG)?(?:(\d|A)|M-(\w+))", label.upper())
    table = PROPBANK_ALL if phrases == "all" else PROPBANK
    return table.get(match[1] or match[2]) if match else None


_CLOCK = re.compile(r"1\d{3}|20\d{2}|\d{1,2}[:.]\d{2}|\d{1,2}(?:am|pm)|(?:1[89]|20)\d0s", re.I)


def _find_arguments(tree: Clauses, verb: int, phrases: Phrases) -> list[Argument]:
    is_all = phrases == "all"
    passive = tree.is_passive(verb)
    arguments = [Argument("verb", tree.pieces([verb]))] if is_all else []
    arguments += [
        Argument("what" if passive else "who", tree.constituent(item))
        for item in tree.subjects(verb)
        if tree.tokens[item].dep != "expl"
    ]
    for child in tree.children[verb]:
        dep, pos = tree.tokens[child].dep, tree.tokens[child].pos
        if dep == "dative" and pos != "ADP":
            arguments += [
                Argument("whom", tree.constituent(item)) for item in tree.conjuncts(child)
            ]
        elif dep in ("dative", "agent"):
            role: Role = "who" if dep == "agent" else "whom"
            arguments += [
                Argument(role, tree.constituent(item)) for _, item in tree.after_preposition(child)
            ]
        elif dep in OBJECTS or dep == "xcomp":
            controls = dep == "dobj" and child in tree.controllers(verb)
            arguments += [
                Argument(
                    "whom" if controls else "what", tree.constituent(tree.referent(item, verb))
                )
                for item in tree.conjuncts(child)
            ]
        elif (circumstance := _role_of_circumstance(tree, child)) is not None:
            arguments.append(Argument(circumstance, tree.constituent(child)))
        elif is_all and dep in ("neg", "advmod", "advcl"):
            arguments.append(
                Argument("negation" if dep == "neg" else "how", tree.constituent(child))
            )
    return arguments


def _role_of_circumstance(tree: Clauses, child: int) -> Role | None:
    """The role of a preposition's phrase, an adverb or a clause beside the verb; None where it
    takes no role ("also", "however")."""
    token = tree.tokens[child]
    word = token.text.lower()
    if token.dep == "prep":
        return _role_of_preposition(tree, child)
    if token.dep == "npadvmod":
        return "when" if _is_time(tree, child) else "how"
    if token.dep == "advcl":
        return _role_of_clause(tree, child)
    if token.dep == "advmod" and word not in lexicon.HEDGES:
        if word in lexicon.TIME_ADVERBS:
            return "when"
        if word in lexicon.PLACE_ADVERBS:
            return "where"
        return "how" if word.endswith("ly") or word in lexicon.MANNER_ADVERBS else None
    return None


def _role_of_preposition(tree: Clauses, preposition: int) -> Role | None:
    word = tree.tokens[preposition].text.lower()
    objects = [item for _, item in tree.after_preposition(preposition)]
    if not objects:
        return None
    if word in lexicon.REASON_PREPOSITIONS:
        return "why"
    if word in lexicon.TIME_PREPOSITIONS or any(_is_time(tree, item) for item in objects):
        return "when"
    if word == "for":
        return "how" if any(_is_money(tree, item) for item in objects) else "why"
    if word in lexicon.MANNER_PREPOSITIONS:
        return "how"
    if any(tree.tokens[item].pos in ("VERB", "AUX") for item in objects):
        return "what"
    if word in lexicon.PLACE_PREPOSITIONS or (
        word in lexicon.AMBIGUOUS_PLACE_PREPOSITIONS
        and any(_is_place(tree, item) for item in objects)
    ):
        return "where"
    return "what"


def _role_of_clause(tree: Clauses, verb: int) -> Role | None:
    openings = {tree.tokens[item].text.lower() for item in tree.children_by(verb, "mark", "advmod")}
    if openings & lexicon.TIME_CONJUNCTIONS:
        return "when"
    auxiliary_tags = {tree.tokens[item].tag for item in tree.children_by(verb, "aux")}
    if openings & lexicon.REASON_CONJUNCTIONS or "TO" in auxiliary_tags:
        return "why"
    return "how" if not openings and tree.tokens[verb].tag in ("VBG", "VBN") else None


def _token_and_children(tree: Clauses, index: int) -> list[Token]:
    return [tree.tokens[item] for item in [index, *tree.children[index]]]


def _is_time(tree: Clauses, index: int) -> bool:
    return any(
        token.lemma.lower() in lexicon.TIME_NOUNS
        or (token.text in ("May", "March") and token.pos == "PROPN")
        or (_CLOCK.fullmatch(token.text) is not None and token.dep != "nummod")
        for token in _token_and_children(tree, index)
    )


def _is_money(tree: Clauses, index: int) -> bool:
    return any(
        token.lemma.lower() in lexicon.MONEY_NOUNS or token.text[:1] in "$£€"
        for token in _token_and_children(tree, index)
    )


def _is_place(tree: Clauses, index: int) -> bool:
    return (
        tree.tokens[index].pos == "PROPN" or tree.tokens[index].lemma.lower() in lexicon.PLACE_NOUNS
    )

"""(subject, relation, object) triples of a parsed text [MFAS §3]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from faithkit.language.clauses import Clauses, Names, Pieces, phrase_text
from faithkit.language.parse import Token


class Triple(NamedTuple):
    """Who does what to whom. `relation` is empty for an apposition ("Merkel, the chancellor"),
    `object` for a verb that has nothing but a subject ("The minister resigned")."""

    subject: Pieces
    relation: Pieces
    object: Pieces

    def text(self, source: str, names: Names | None = None) -> str:
        """The triple as a line, with the words of the text it comes from."""
        parts = (phrase_text(source, part, names) for part in self)
        return " ".join(part for part in parts if part)


def triples(tokens: Sequence[Token]) -> list[Triple]:
    """The triples of a parsed text, in the order of their verbs; each once.

    One for each verb, subject and object. An object is a direct or indirect object, a complement
    ("is", "became"), what is said or thought, a time ("last week"), or what follows a preposition,
    which then ends the relation: (Police, arrested in, Leeds). The relation holds auxiliaries,
    negation, particles and a chain of infinitives ("refused to comment on"). Conjoined verbs share
    a subject, and their auxiliaries if they have the same form; conjoined subjects and objects give
    a triple each. A relative pronoun is replaced by what it refers to.

    Passive: its `by` phrase gives a triple in the active voice, without the passive's "be" and
    "by": "Acme was bought by Globex in 2019" is (Globex, bought, Acme), (Acme, was bought in,
    2019). Verbs without a subject (commands) give none.
    """
    tree = Clauses(tokens)
    placed_triples: list[tuple[int, Triple]] = []
    chained_verbs: set[int] = set()
    for verb in tree.verbs():
        if verb not in chained_verbs:
            chain = tree.chain(verb)
            chained_verbs.update(chain)
            placed_triples += [(verb, triple) for triple in _triples_of_clause(tree, verb, chain)]
    for index, token in enumerate(tokens):
        if token.dep == "appos" and _is_noun(token) and _is_noun(tokens[token.head]):
            apposition = Triple(tree.constituent(token.head), (), tree.constituent(index))
            placed_triples.append((index, apposition))
    return list(
        dict.fromkeys(triple for _, triple in sorted(placed_triples, key=lambda item: item[0]))
    )


def relation_key(tokens: Mapping[int, Token], pieces: Pieces) -> str:
    """The lemmas of a relation without forms of be, have and do beside another word, so that
    "has bought" and "buys" are the same; a passive keeps a "be", as its subject is who it is done
    to. tokens: by their start."""
    relation = [
        tokens[place] for start, end in pieces for place in range(start, end) if place in tokens
    ]
    lemmas = [token.lemma.lower() for token in relation if token.dep != "auxpass"]
    lemmas = [word for word in lemmas if word not in ("be", "have", "do")] or lemmas
    return " ".join(["be", *lemmas] if _is_passive(relation) else lemmas)


def _is_passive(relation: Sequence[Token]) -> bool:
    """True for a relation in the passive, with an auxiliary ("was attacked in") or without ("the
    man attacked in Paris"); where `by` made it active it has neither it nor a preposition."""
    if any(token.dep == "auxpass" for token in relation):
        return True
    reduced = any(token.dep == "acl" and token.tag == "VBN" for token in relation)
    return reduced and any(token.dep == "prep" for token in relation)


def _is_noun(token: Token) -> bool:
    return token.pos in ("NOUN", "PROPN")


def _triples_of_clause(tree: Clauses, verb: int, chain: Sequence[int]) -> list[Triple]:
    """The triples of a verb and the infinitives it is chained with."""
    subjects = [tree.constituent(item) for item in tree.subjects(verb)]
    group = tree.group(verb)
    clause_triples: list[Triple] = []
    for member in [verb, *chain]:
        if member != verb:
            group = [*group, *tree.group(member)]
        if tree.is_passive(member):
            clause_triples += _active_triples(tree, member, group, subjects)
        for prepositions, item in tree.objects(member):
            relation, target = tree.pieces([*group, *prepositions]), tree.constituent(item)
            clause_triples += [Triple(subject, relation, target) for subject in subjects]
    if clause_triples:
        return clause_triples
    if chain:
        # Nothing follows the chain: its last verb is the object ("He wants" "to leave early").
        verbs_before = [item for member in [verb, *chain[:-1]] for item in tree.group(member)]
        relation, target = tree.pieces(verbs_before), tree.constituent(chain[-1])
        return [Triple(subject, relation, target) for subject in subjects]
    if tree.tokens[verb].pos == "AUX":
        return []
    closing_adverbs = [
        child
        for child in tree.children_by(verb, "advmod")
        if child > verb and child not in group and tree.tokens[child].tag.startswith("RB")
    ]
    adverb = tree.constituent(closing_adverbs[0]) if closing_adverbs else ()
    return [Triple(subject, tree.pieces(group), adverb) for subject in subjects]


def _active_triples(
    tree: Clauses, verb: int, group: Sequence[int], subjects: Sequence[Pieces]
) -> list[Triple]:
    """(doer, verb, what is done to), for each `by` phrase of a passive."""
    active_group = [item for item in group if tree.tokens[item].dep != "auxpass"]
    doers = [
        item
        for agent in tree.children_by(verb, "agent")
        for _, item in tree.after_preposition(agent)
    ]
    return [
        Triple(tree.constituent(doer), tree.pieces(active_group), subject)
        for doer in doers
        for subject in subjects
    ]

"""Clauses of a parsed text: verbs with their auxiliaries, subjects and objects, and phrases.

Pure functions over the tokens of `parse.parse`; no model is in here. `relations.py` makes triples
of clauses and `roles.py` predicates with their phrases. A phrase is a tuple of character offsets,
since it may have gaps: in "may, he said, resign" the relation is "may" and "resign".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from faithkit.language.lexicon import CONTROL_VERBS, HEDGES
from faithkit.language.parse import Tree

Pieces = tuple[tuple[int, int], ...]
"""Character offsets of a phrase, in the order of the text."""

Names = Mapping[int, tuple[int, str]]
"""What to read instead of a pronoun: start to end and name (`coreference.antecedents`)."""

PHRASE = 80
"""Tokens of a phrase; of a longer one those nearest to its head in the parse are kept."""
CONJUNCTS = 16
"""Of a longer list ("a, b, c, ...") the rest is left out, so that a list of lists stays small."""
STEPS = 20
"""How far up the parse a subject is looked for."""

_PREDICATES = frozenset(
    ("ROOT", "conj", "ccomp", "xcomp", "advcl", "relcl", "acl", "pcomp", "csubj", "parataxis")
) | {"dep"}
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
OBJECTS = ("dobj", "attr", "acomp", "oprd", "ccomp", "dative")
_HELPERS = ("aux", "auxpass", "neg", "prt")
_RELATIVE = ("WP", "WDT")
# Not part of a phrase: parentheses, and what becomes another triple.
_ASIDE = frozenset(("relcl", "appos", "punct", "parataxis", "mark", "meta", "intj"))


def phrase_text(text: str, pieces: Pieces, names: Names | None = None) -> str:
    """The words of a phrase, pronouns replaced by their names."""
    return " ".join(_replace_pronouns(text, start, end, names or {}) for start, end in pieces)


def _replace_pronouns(text: str, start: int, end: int, names: Names) -> str:
    pronoun_starts = sorted(
        pronoun for pronoun in names if start <= pronoun and names[pronoun][0] <= end
    )
    renamed, copied_to = "", start
    for pronoun in pronoun_starts:
        renamed += text[copied_to:pronoun] + names[pronoun][1]
        copied_to = names[pronoun][0]
    return renamed + text[copied_to:end]


class Clauses(Tree):
    """A parse with what is read off it: clauses and phrases, by the index of their heads."""

    # A parser takes a full stop for a name now and then.
    marks = ".,;:!?…\"'“”‘’`()[]{}-–— \t\n"

    def verbs(self) -> list[int]:
        """The verbs and auxiliaries that are the head of a clause."""
        return [
            index
            for index, token in enumerate(self.tokens)
            if token.pos in ("VERB", "AUX") and token.dep in _PREDICATES
        ]

    def conjuncts(self, index: int) -> list[int]:
        """The token and those it is joined with by "and" or commas."""
        conjuncts = [index]
        for item in conjuncts:
            if len(conjuncts) < CONJUNCTS:
                conjuncts += self.children_by(item, "conj")
        return conjuncts[:CONJUNCTS]

    def constituent(self, head: int) -> Pieces:
        """The words that belong to a head, without conjuncts and asides, at most PHRASE tokens."""
        members = [head]
        for item in members:
            if len(members) >= PHRASE:
                break
            members += [child for child in self.children[item] if self._belongs(child, head)]
        return self.pieces(members[:PHRASE])

    def _belongs(self, child: int, head: int) -> bool:
        token = self.tokens[child]
        if token.dep in _ASIDE or token.pos == "SPACE":
            return False
        if token.head == head:
            # A reduced clause ("founded in 1990") is another triple.
            reduced = token.dep == "acl" and token.tag in ("VBN", "VBG")
            return not reduced and token.dep not in ("conj", "cc", "preconj")
        return True

    def pieces(self, indices: Iterable[int]) -> Pieces:
        """Offsets of tokens; neighbours become one piece, with a mark or space between two."""
        chosen = set(indices)
        chosen |= {
            index + 1
            for index in chosen
            if index + 2 in chosen
            and (self.tokens[index + 1].dep == "punct" or self.tokens[index + 1].pos == "SPACE")
        }
        runs: list[list[int]] = []
        for index in sorted(chosen):
            if runs and runs[-1][-1] + 1 == index:
                runs[-1].append(index)
            else:
                runs.append([index])
        return tuple((self.tokens[run[0]].start, self.tokens[run[-1]].end) for run in runs)

    def group(self, verb: int) -> list[int]:
        """A verb with its auxiliaries, negation, particles and hedges."""
        group = self.children_by(verb, *_HELPERS)
        group += [
            child
            for child in self.children_by(verb, "advmod")
            if self.tokens[child].text.lower() in HEDGES
        ]
        if (owner := self._auxiliary_owner(verb)) != verb:
            group += self.children_by(owner, "aux", "auxpass", "neg")
        return [*group, verb]

    def _auxiliary_owner(self, verb: int) -> int:
        """The verb whose auxiliaries a verb has: the first of "was arrested, tried and hanged"."""
        for _ in range(STEPS):
            if not self._shares_auxiliaries(verb):
                break
            verb = self.tokens[verb].head
        return verb

    def _shares_auxiliaries(self, verb: int) -> bool:
        """Whether a conjoined verb has the auxiliaries of the one before it."""
        token = self.tokens[verb]
        return (
            token.dep == "conj"
            and token.tag == self.tokens[token.head].tag
            and token.tag in ("VB", "VBN", "VBG")
            and not self.children_by(verb, "aux", "auxpass", *SUBJECTS)
        )

    def is_passive(self, verb: int) -> bool:
        """Whether a verb is in the passive, reduced relative clauses included."""
        owner = self._auxiliary_owner(verb)
        reduced = self.tokens[owner].dep == "acl" and self.tokens[owner].tag == "VBN"
        marks = ("auxpass", "nsubjpass", "csubjpass")
        return reduced or bool(self.children_by(verb, "agent") or self.children_by(owner, *marks))

    def controllers(self, verb: int) -> list[int]:
        """Heads of the objects that do what the clause beside them says ("told him to leave")."""
        controls = self.tokens[verb].lemma.lower() in CONTROL_VERBS
        if not controls or not self.children_by(verb, "xcomp", "ccomp"):
            return []
        controller = self.child(verb, "dobj", "dative")
        return [] if controller is None else self.conjuncts(controller)

    def chain(self, verb: int) -> list[int]:
        """The verbs of "wants to try to leave" after the first. A verb with an object
        ("told him to leave", "used a key to leave") begins none."""
        chain: list[int] = []
        while len(chain) < STEPS and not self.children_by(verb, "dobj", "dative"):
            following = [
                child
                for child in self.children_by(verb, "xcomp")
                if self.tokens[child].pos in ("VERB", "AUX") and child > verb
            ]
            if not following:
                break
            verb = following[0]
            chain.append(verb)
        return chain

    def subjects(self, verb: int) -> list[int]:
        """Heads of a verb's subjects: those beside it, else those of the clause it belongs to."""
        for _ in range(STEPS):
            subjects = self.children_by(verb, *SUBJECTS) or self.children_by(verb, "expl")
            if subjects:
                return [self.referent(item, verb) for item in self.conjuncts(subjects[0])]
            token = self.tokens[verb]
            if token.dep == "acl":
                return [token.head] if token.tag in ("VBN", "VBG") else []
            if token.dep == "relcl":
                return [token.head]
            if token.dep == "xcomp" and (objects := self.controllers(token.head)):
                return objects
            if token.dep not in ("xcomp", "conj", "advcl", "pcomp", "prep") or token.head == verb:
                return []
            verb = token.head
        return []

    def referent(self, index: int, verb: int) -> int:
        """The token itself, or what it refers to where it is the relative pronoun of a clause."""
        if self.tokens[index].tag in _RELATIVE and (noun := self.antecedent(verb)) is not None:
            return noun
        return index

    def antecedent(self, verb: int) -> int | None:
        """The noun that a relative clause is about."""
        for _ in range(STEPS):
            token = self.tokens[verb]
            if token.dep == "relcl":
                return token.head
            if token.dep not in ("conj", "xcomp", "ccomp") or token.head == verb:
                break
            verb = token.head
        return None

    def objects(self, verb: int) -> list[tuple[list[int], int]]:
        """For each object of a verb the prepositions that end the relation, and its head."""
        objects: list[tuple[list[int], int]] = []
        stranded: list[int] = []
        for child in self.children[verb]:
            token = self.tokens[child]
            if token.dep == "prep" or (token.dep == "dative" and token.pos == "ADP"):
                after = self.after_preposition(child)
                objects += after
                stranded += [] if after or self.children[child] else [child]
            elif token.dep in OBJECTS or token.dep == "npadvmod":
                objects += [([], item) for item in self.conjuncts(child)]
            elif token.dep == "xcomp" and token.pos not in ("VERB", "AUX"):
                objects.append(([], child))
        objects = [(before, self.referent(item, verb)) for before, item in objects]
        return objects + self._objects_of_gap(verb, objects, stranded)

    def after_preposition(self, preposition: int, depth: int = 3) -> list[tuple[list[int], int]]:
        """For each object of a preposition all prepositions before it ("out of"), and its head."""
        objects: list[tuple[list[int], int]] = []
        for child in self.children[preposition]:
            token = self.tokens[child]
            if token.dep == "pobj":
                prepositions = [preposition, *self._second_words(preposition)]
                objects += [(prepositions, item) for item in self.conjuncts(child)]
            elif token.dep in ("prep", "pcomp") and token.pos in ("ADP", "SCONJ") and depth:
                inner_objects = self.after_preposition(child, depth - 1)
                objects += [([preposition, *before], item) for before, item in inner_objects]
            elif token.dep == "pcomp":
                objects.append(([preposition], child))
        return objects

    def _second_words(self, preposition: int) -> list[int]:
        """The "of" of "because of"."""
        return [
            child
            for child in self.children_by(preposition, "pcomp", "prep", "fixed")
            if self.tokens[child].pos == "ADP" and not self.children[child]
        ]

    def _objects_of_gap(
        self, verb: int, objects: list[tuple[list[int], int]], stranded: list[int]
    ) -> list[tuple[list[int], int]]:
        """ "The house he lived in", "the car he bought": the noun that the clause is about."""
        token = self.tokens[verb]
        direct = any(self.tokens[item].dep in OBJECTS for before, item in objects if not before)
        if token.dep != "relcl" or not self.children_by(verb, *SUBJECTS):
            return []
        if any(self.tokens[child].tag.startswith("W") for child in self.children[verb]):
            return [([stranded[0]], token.head)] if stranded else []
        if stranded:
            return [([stranded[0]], token.head)]
        return [] if direct else [([], token.head)]

"""What a parsed text says: (subject, relation, object) triples and predicates with their phrases.

Pure functions over the tokens of `parse.parse`; no model is in here. What is made of triples and
phrases is in `metrics/relations.py` [MFAS §3]. A phrase is a tuple of character offsets,
since it may have gaps: in "may, he said, resign" the relation is "may" and "resign".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from faithkit.language.parse import Token

Pieces = tuple[tuple[int, int], ...]
"""Character offsets of a phrase, in the order of the text."""

Names = Mapping[int, tuple[int, str]]
"""What to read instead of a pronoun: start to end and name (`coreference.antecedents`)."""

Role = Literal[
    "who", "what", "whom", "when", "where", "why", "how",
    "verb", "negation", "attribute", "direction",
]  # fmt: skip
"""The seven roles of [MFAS §3]; the last four for `phrases="all"` only."""

Phrases = Literal["arguments", "all"]
"""Which phrases of a predicate are read: those of the seven roles, or also the verb itself, its
negation, and adverbials that none of the roles takes, as the code released with [MFAS]."""

PHRASE = 80
"""Tokens of a phrase; of a longer one those nearest to its head in the parse are kept."""
CONJUNCTS = 16
"""Of a longer list ("a, b, c, ...") the rest is left out, so that a list of lists stays small."""
STEPS = 20
"""How far up the parse a subject is looked for."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_MARKS = ".,;:!?…\"'“”‘’`()[]{}-–— \t\n"
_PREDICATES = _set("ROOT conj ccomp xcomp advcl relcl acl pcomp csubj parataxis dep")
_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
_OBJECTS = ("dobj", "attr", "acomp", "oprd", "ccomp", "dative")
_HELPERS = ("aux", "auxpass", "neg", "prt")
_RELATIVE = ("WP", "WDT")
# Adverbs that change whether a thing happened; they belong to the relation, as negation does.
_HEDGES = _set(
    "almost nearly hardly barely scarcely rarely seldom allegedly reportedly apparently possibly "
    "probably perhaps maybe supposedly"
)
# "told him to leave": he leaves. With other verbs ("used a key to leave") the subject does.
_TELLING = _set(
    "tell ask order urge force allow persuade advise encourage invite warn beg instruct enable "
    "help want expect let make cause lead request require teach remind convince permit command"
)
# Not part of a phrase: what is said on the side, and what becomes a triple of its own.
_ASIDE = _set("relcl appos punct parataxis mark meta intj")


class Triple(NamedTuple):
    """Who does what to whom. `relation` is empty for an apposition ("Merkel, the chancellor"),
    `object` for a verb that has nothing but a subject ("The minister resigned")."""

    subject: Pieces
    relation: Pieces
    object: Pieces

    def text(self, source: str, names: Names | None = None) -> str:
        """The triple as a line, pieces of the text it was found in."""
        parts = (said(source, part, names) for part in self)
        return " ".join(part for part in parts if part)


class Argument(NamedTuple):
    """A phrase and its role in what a predicate says."""

    role: Role
    pieces: Pieces


class Frame(NamedTuple):
    """A predicate with its auxiliaries, its verb alone, and the phrases that belong to it."""

    predicate: Pieces
    verb: tuple[int, int]
    arguments: tuple[Argument, ...]


def said(text: str, pieces: Pieces, names: Names | None = None) -> str:
    """The words of a phrase, pronouns replaced by their names."""
    return " ".join(_renamed(text, start, end, names or {}) for start, end in pieces)


def _renamed(text: str, start: int, end: int, names: Names) -> str:
    inside = sorted(place for place in names if start <= place and names[place][0] <= end)
    shown, at = "", start
    for place in inside:
        shown += text[at:place] + names[place][1]
        at = names[place][0]
    return shown + text[at:end]


def triples(tokens: Sequence[Token]) -> list[Triple]:
    """The triples of a parsed text, in the order of their verbs; each once.

    One for each verb, subject and object. An object is a direct or indirect object, a complement
    ("is", "became"), what is said or thought, a time ("last week"), or what follows a preposition,
    which then ends the relation: (Police, arrested in, Leeds). The relation holds auxiliaries,
    negation, particles and a chain of infinitives ("refused to comment on"). Conjoined verbs share
    a subject, and their auxiliaries if they have the same form; conjoined subjects and objects give
    a triple each. A relative pronoun is replaced by what it stands for.

    Passive: its `by` phrase gives a triple that is turned round, without the passive's "be" and
    "by": "Acme was bought by Globex in 2019" is (Globex, bought, Acme), (Acme, was bought in,
    2019). Verbs without a subject (commands) give none.
    """
    tree = _Tree(tokens)
    found: list[tuple[int, Triple]] = []
    chained: set[int] = set()
    for verb in tree.verbs():
        if verb not in chained:
            chain = tree.chain(verb)
            chained.update(chain)
            found += [(verb, triple) for triple in _of_clause(tree, verb, chain)]
    for index, token in enumerate(tokens):
        if token.dep == "appos" and _is_noun(token) and _is_noun(tokens[token.head]):
            here = Triple(tree.phrase(token.head), (), tree.phrase(index))
            found.append((index, here))
    return list(dict.fromkeys(triple for _, triple in sorted(found, key=lambda item: item[0])))


def roles(tokens: Sequence[Token], phrases: Phrases = "arguments") -> list[Frame]:
    """A frame for each verb that has a phrase of any role [MFAS §3].

    who    the doer: the subject, in a passive the `by` phrase
    what   what is done, said or is so: objects, complements, a passive's subject, and what
           follows a preposition that none of the other roles takes ("comment on the report")
    whom   who is given or told something: the indirect object ("gave him", "gave to him"), and the
           object beside a clause ("told him to leave")
    when, where, why, how   phrases with prepositions, adverbs and clauses, told apart by the
           preposition or conjunction and by words for times and places

    The cues are simple: "in anger" is a place. Phrases of the last four keep their preposition.

    With phrases="all" also `verb`, the verb alone, `negation`, and as `how` the adverbs and clauses
    that none of the cues fits ("however", "although it rained"); so each verb has a frame.
    """
    tree = _Tree(tokens)
    found = []
    for verb in tree.verbs():
        arguments = tuple(dict.fromkeys(_arguments(tree, verb, phrases)))
        if arguments:
            place = (tokens[verb].start, tokens[verb].end)
            found.append(Frame(tree.pieces(tree.group(verb)), place, arguments))
    return found


PROPBANK: dict[str, Role] = {
    "0": "who",
    "1": "what",
    "2": "whom",
    "3": "what",
    "4": "where",
    "TMP": "when",
    "LOC": "where",
    "DIR": "where",
    "GOL": "where",
    "CAU": "why",
    "PRP": "why",
    "PNC": "why",
    "MNR": "how",
    "EXT": "how",
    "COM": "how",
}


PROPBANK_ALL: dict[str, Role] = PROPBANK | {
    "A": "who",
    "COM": "who",
    "2": "attribute",
    "3": "attribute",
    "4": "attribute",
    "PRD": "attribute",
    "NEG": "negation",
    "DIR": "direction",
    "GOL": "why",
    "ADV": "how",
    "ADJ": "how",
}
"""The ten groups of the code released with [MFAS] (SRL.py), under our names where they have one."""


def merged_role(label: str, phrases: Phrases = "arguments") -> Role | None:
    """A PropBank label (ARG0, A0, ARGM-TMP, AM-TMP, C-ARG1) as one of the seven roles; None for the
    verb, references (R-ARG0) and those that are none of them (negation, discourse, ...). With
    phrases="all": as one of the authors' ten groups, verb and negation among them."""
    if phrases == "all" and label.upper() == "V":
        return "verb"
    match = re.fullmatch(r"(?:C-)?A(?:RG)?(?:(\d|A)|M-(\w+))", label.upper())
    known = PROPBANK_ALL if phrases == "all" else PROPBANK
    return known.get(match[1] or match[2]) if match else None


def relation_key(tokens: Mapping[int, Token], pieces: Pieces) -> str:
    """The lemmas of a relation without forms of be, have and do beside another word, so that
    "has bought" and "buys" are the same. tokens: by their start."""
    inside = [
        tokens[place].lemma.lower()
        for start, end in pieces
        for place in range(start, end)
        if place in tokens
    ]
    return " ".join([word for word in inside if word not in ("be", "have", "do")] or inside)


class _Tree:
    """A parse with its children, and what is read off it by index."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.children: list[list[int]] = [[] for _ in tokens]
        for index, token in enumerate(tokens):
            # A parser takes a full stop for a name now and then.
            if token.head != index and token.text.strip(_MARKS):
                self.children[token.head].append(index)

    def of(self, index: int, *deps: str) -> list[int]:
        """Children with one of these relations."""
        return [child for child in self.children[index] if self.tokens[child].dep in deps]

    def verbs(self) -> list[int]:
        return [
            index
            for index, token in enumerate(self.tokens)
            if token.pos in ("VERB", "AUX") and token.dep in _PREDICATES
        ]

    def conjuncts(self, index: int) -> list[int]:
        """The token and those it is joined with by "and" or commas."""
        found = [index]
        for item in found:
            if len(found) < CONJUNCTS:
                found += self.of(item, "conj")
        return found[:CONJUNCTS]

    def phrase(self, head: int) -> Pieces:
        """The words that belong to a head, without conjuncts and asides, at most PHRASE tokens."""
        found = [head]
        for item in found:
            if len(found) >= PHRASE:
                break
            found += [child for child in self.children[item] if self._belongs(child, head)]
        return self.pieces(found[:PHRASE])

    def _belongs(self, child: int, head: int) -> bool:
        token = self.tokens[child]
        if token.dep in _ASIDE or token.pos == "SPACE":
            return False
        if token.head == head:
            # A reduced clause ("founded in 1990") is a triple of its own.
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
        own = self.of(verb, *_HELPERS)
        own += [
            child for child in self.of(verb, "advmod") if self.tokens[child].text.lower() in _HEDGES
        ]
        if (lender := self._lender(verb)) != verb:
            own += self.of(lender, "aux", "auxpass", "neg")
        return [*own, verb]

    def _lender(self, verb: int) -> int:
        """The verb whose auxiliaries a verb has: the first of "was arrested, tried and hanged"."""
        for _ in range(STEPS):
            if not self._shares(verb):
                break
            verb = self.tokens[verb].head
        return verb

    def _shares(self, verb: int) -> bool:
        """Whether a conjoined verb has the auxiliaries of the one before it."""
        token = self.tokens[verb]
        return (
            token.dep == "conj"
            and token.tag == self.tokens[token.head].tag
            and token.tag in ("VB", "VBN", "VBG")
            and not self.of(verb, "aux", "auxpass", *_SUBJECTS)
        )

    def is_passive(self, verb: int) -> bool:
        lender = self._lender(verb)
        reduced = self.tokens[lender].dep == "acl" and self.tokens[lender].tag == "VBN"
        marks = ("auxpass", "nsubjpass", "csubjpass")
        return reduced or bool(self.of(verb, "agent") or self.of(lender, *marks))

    def told(self, verb: int) -> list[int]:
        """Heads of the objects that do what the clause beside them says ("told him to leave")."""
        if self.tokens[verb].lemma.lower() not in _TELLING or not self.of(verb, "xcomp", "ccomp"):
            return []
        return [item for one in self.of(verb, "dobj", "dative")[:1] for item in self.conjuncts(one)]

    def chain(self, verb: int) -> list[int]:
        """The verbs of "wants to try to leave" after the first. A verb with an object of its own
        ("told him to leave", "used a key to leave") begins none."""
        found: list[int] = []
        while len(found) < STEPS and not self.of(verb, "dobj", "dative"):
            following = [
                child
                for child in self.of(verb, "xcomp")
                if self.tokens[child].pos in ("VERB", "AUX") and child > verb
            ]
            if not following:
                break
            verb = following[0]
            found.append(verb)
        return found

    def subjects(self, verb: int) -> list[int]:
        """Heads of a verb's subjects: its own, else those of the clause it belongs to."""
        for _ in range(STEPS):
            own = self.of(verb, *_SUBJECTS) or self.of(verb, "expl")
            if own:
                return [
                    item for found in self.conjuncts(own[0]) for item in self.standing(found, verb)
                ]
            token = self.tokens[verb]
            if token.dep == "acl":
                return [token.head] if token.tag in ("VBN", "VBG") else []
            if token.dep == "relcl":
                return [token.head]
            if token.dep == "xcomp" and (told := self.told(token.head)):
                return told
            if token.dep not in ("xcomp", "conj", "advcl", "pcomp", "prep") or token.head == verb:
                return []
            verb = token.head
        return []

    def standing(self, index: int, verb: int) -> list[int]:
        """The token itself, or what it stands for where it is the relative pronoun of a clause."""
        if self.tokens[index].tag in _RELATIVE and (noun := self.antecedent(verb)) is not None:
            return [noun]
        return [index]

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
        found: list[tuple[list[int], int]] = []
        stranded: list[int] = []
        for child in self.children[verb]:
            token = self.tokens[child]
            if token.dep == "prep" or (token.dep == "dative" and token.pos == "ADP"):
                after = self.after_preposition(child)
                found += after
                stranded += [] if after or self.children[child] else [child]
            elif token.dep in _OBJECTS or token.dep == "npadvmod":
                found += [([], item) for item in self.conjuncts(child)]
            elif token.dep == "xcomp" and token.pos not in ("VERB", "AUX"):
                found.append(([], child))
        found = [(before, real) for before, item in found for real in self.standing(item, verb)]
        return found + self._left_out(verb, found, stranded)

    def after_preposition(self, preposition: int, depth: int = 3) -> list[tuple[list[int], int]]:
        found: list[tuple[list[int], int]] = []
        for child in self.children[preposition]:
            token = self.tokens[child]
            if token.dep == "pobj":
                whole = [preposition, *self._second_words(preposition)]
                found += [(whole, item) for item in self.conjuncts(child)]
            elif token.dep in ("prep", "pcomp") and token.pos in ("ADP", "SCONJ") and depth:
                inner = self.after_preposition(child, depth - 1)
                found += [([preposition, *before], item) for before, item in inner]
            elif token.dep == "pcomp":
                found.append(([preposition], child))
        return found

    def _second_words(self, preposition: int) -> list[int]:
        """The "of" of "because of"."""
        return [
            child
            for child in self.of(preposition, "pcomp", "prep", "fixed")
            if self.tokens[child].pos == "ADP" and not self.children[child]
        ]

    def _left_out(
        self, verb: int, found: list[tuple[list[int], int]], stranded: list[int]
    ) -> list[tuple[list[int], int]]:
        """ "The house he lived in", "the car he bought": the noun that the clause is about."""
        token = self.tokens[verb]
        direct = any(self.tokens[item].dep in _OBJECTS for before, item in found if not before)
        if token.dep != "relcl" or not self.of(verb, *_SUBJECTS):
            return []
        if any(self.tokens[child].tag.startswith("W") for child in self.children[verb]):
            return [([stranded[0]], token.head)] if stranded else []
        if stranded:
            return [([stranded[0]], token.head)]
        return [] if direct else [([], token.head)]


def _is_noun(token: Token) -> bool:
    return token.pos in ("NOUN", "PROPN")


def _of_clause(tree: _Tree, verb: int, chain: Sequence[int]) -> list[Triple]:
    """The triples of a verb and the infinitives it is chained with."""
    subjects = [tree.phrase(item) for item in tree.subjects(verb)]
    group = tree.group(verb)
    found: list[Triple] = []
    for place, one in enumerate([verb, *chain]):
        if place:
            group = [*group, *tree.group(one)]
        passive = tree.is_passive(one)
        found += _turned(tree, one, group, subjects) if passive else []
        for before, item in tree.objects(one):
            found += [Triple(who, tree.pieces([*group, *before]), tree.phrase(item))
                      for who in subjects]  # fmt: skip
    if found:
        return found
    if chain:
        # Nothing follows the chain: its last verb is the object ("He wants" "to leave early").
        before = [item for one in [verb, *chain[:-1]] for item in tree.group(one)]
        return [Triple(who, tree.pieces(before), tree.phrase(chain[-1])) for who in subjects]
    if tree.tokens[verb].pos == "AUX":
        return []
    closing = [
        child
        for child in tree.of(verb, "advmod")
        if child > verb and child not in group and tree.tokens[child].tag.startswith("RB")
    ]
    rest = tree.phrase(closing[0]) if closing else ()
    return [Triple(who, tree.pieces(group), rest) for who in subjects]


def _turned(
    tree: _Tree, verb: int, group: Sequence[int], subjects: Sequence[Pieces]
) -> list[Triple]:
    """(doer, verb, what is done to), for each `by` phrase of a passive."""
    active = [item for item in group if tree.tokens[item].dep != "auxpass"]
    doers = [item for agent in tree.of(verb, "agent") for _, item in tree.after_preposition(agent)]
    return [
        Triple(tree.phrase(doer), tree.pieces(active), subject)
        for doer in doers
        for subject in subjects
    ]


_TIMES = _set(
    "second minute hour day night morning afternoon evening midnight noon week weekend "
    "fortnight month year decade century season spring summer autumn winter monday tuesday "
    "wednesday thursday friday saturday sunday january february april june july august "
    "september october november december christmas easter today tomorrow yesterday tonight time "
    "moment age era period date quarter past future start end"
)
_TIME_ADVERBS = _set(
    "today tomorrow yesterday tonight now then soon later recently already ago once earlier "
    "afterwards before early late currently previously lately still yet again always never "
    "often sometimes when eventually finally immediately"
)
_PLACE_ADVERBS = _set(
    "here there home abroad away back outside inside nearby upstairs downstairs overseas elsewhere "
    "everywhere nowhere north south east west where online"
)
_CLOCK = re.compile(r"1\d{3}|20\d{2}|\d{1,2}[:.]\d{2}|\d{1,2}(?:am|pm)|(?:1[89]|20)\d0s", re.I)
_WHEN = _set("after before during since until till")
_WHERE = _set(
    "in at near inside outside behind beside across along around between above below under through "
    "towards toward into onto among beyond"
)
# These lead to a place only where a name or a word for a place follows.
_MAYBE_WHERE = _set("on from to over off within")
_PLACES = _set(
    "street road city town village country county state district area region border coast sea "
    "ocean island river lake bridge mountain park garden field house home hospital school "
    "university college prison court church station airport shop store office building room "
    "hotel site scene beach farm factory centre center market stadium club bank floor ground"
)
_WHY = _set("because due owing thanks")
_HOW = _set("by with without via using like as despite")
_MONEY = _set("$ £ € pound dollar euro cent penny")
_REASONS = _set("because since as so")
_MOMENTS = _set("when while whilst after before until till once whenever")
_MANNERS = _set("well fast hard together alone badly thus")


def _arguments(tree: _Tree, verb: int, phrases: Phrases) -> list[Argument]:
    every = phrases == "all"
    passive = tree.is_passive(verb)
    found = [Argument("verb", tree.pieces([verb]))] if every else []
    found += [
        Argument("what" if passive else "who", tree.phrase(item))
        for item in tree.subjects(verb)
        if tree.tokens[item].dep != "expl"
    ]
    for child in tree.children[verb]:
        dep, pos = tree.tokens[child].dep, tree.tokens[child].pos
        if dep == "dative" and pos != "ADP":
            found += [Argument("whom", tree.phrase(item)) for item in tree.conjuncts(child)]
        elif dep in ("dative", "agent"):
            role: Role = "who" if dep == "agent" else "whom"
            found += [
                Argument(role, tree.phrase(item)) for _, item in tree.after_preposition(child)
            ]
        elif dep in _OBJECTS or dep == "xcomp":
            told = dep == "dobj" and child in tree.told(verb)
            found += [
                Argument("whom" if told else "what", tree.phrase(real))
                for item in tree.conjuncts(child)
                for real in tree.standing(item, verb)
            ]
        elif (other := _circumstance(tree, child)) is not None:
            found.append(Argument(other, tree.phrase(child)))
        elif every and dep in ("neg", "advmod", "advcl"):
            found.append(Argument("negation" if dep == "neg" else "how", tree.phrase(child)))
    return found


def _circumstance(tree: _Tree, child: int) -> Role | None:
    """The role of a preposition's phrase, an adverb or a clause beside the verb; None where it
    says nothing of its own ("also", "however")."""
    token = tree.tokens[child]
    word = token.text.lower()
    if token.dep == "prep":
        return _prepositional(tree, child)
    if token.dep == "npadvmod":
        return "when" if _is_time(tree, child) else "how"
    if token.dep == "advcl":
        return _clausal(tree, child)
    if token.dep == "advmod" and word not in _HEDGES:
        if word in _TIME_ADVERBS:
            return "when"
        if word in _PLACE_ADVERBS:
            return "where"
        return "how" if word.endswith("ly") or word in _MANNERS else None
    return None


def _prepositional(tree: _Tree, preposition: int) -> Role | None:
    word = tree.tokens[preposition].text.lower()
    after = [item for _, item in tree.after_preposition(preposition)]
    if not after:
        return None
    if word in _WHY:
        return "why"
    if word in _WHEN or any(_is_time(tree, item) for item in after):
        return "when"
    if word == "for":
        return "how" if any(_is_money(tree, item) for item in after) else "why"
    if word in _HOW:
        return "how"
    if any(tree.tokens[item].pos in ("VERB", "AUX") for item in after):
        return "what"
    if word in _WHERE or (word in _MAYBE_WHERE and any(_is_place(tree, item) for item in after)):
        return "where"
    return "what"


def _clausal(tree: _Tree, verb: int) -> Role | None:
    opening = {tree.tokens[item].text.lower() for item in tree.of(verb, "mark", "advmod")}
    if opening & _MOMENTS:
        return "when"
    aux = {tree.tokens[item].tag for item in tree.of(verb, "aux")}
    if opening & _REASONS or "TO" in aux:
        return "why"
    return "how" if not opening and tree.tokens[verb].tag in ("VBG", "VBN") else None


def _with_children(tree: _Tree, index: int) -> list[Token]:
    return [tree.tokens[item] for item in [index, *tree.children[index]]]


def _is_time(tree: _Tree, index: int) -> bool:
    return any(
        token.lemma.lower() in _TIMES
        or (token.text in ("May", "March") and token.pos == "PROPN")
        or (_CLOCK.fullmatch(token.text) is not None and token.dep != "nummod")
        for token in _with_children(tree, index)
    )


def _is_money(tree: _Tree, index: int) -> bool:
    return any(
        token.lemma.lower() in _MONEY or token.text[:1] in "$£€"
        for token in _with_children(tree, index)
    )


def _is_place(tree: _Tree, index: int) -> bool:
    return tree.tokens[index].pos == "PROPN" or tree.tokens[index].lemma.lower() in _PLACES

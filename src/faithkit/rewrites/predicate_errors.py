"""Planted errors of the predicate and its arguments, the relation errors (RelE) of FRANK (Pagnoni
et al. 2021, section 3): negation, antonyms, exchanged roles, and strength of claim.

Each maker gives the ways in which it can make one sentence untrue, often none, with the words that
it changed marked. It refuses a change that may leave the sentence true, such as two sides of "met"
exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from faithkit.language import inflection
from faithkit.language.lexicon import word_set
from faithkit.rewrites import lexicon, paraphrases
from faithkit.rewrites.entity_errors import NAMES, is_same, proper_names
from faithkit.rewrites.parsed import (
    Edit,
    Edits,
    Maker,
    Page,
    Parsed,
    article,
    capitalised,
    decapitalised,
    finite,
)

# Negation

_NO_NEGATION = word_set(
    "already also still too only just even both either some always never no not n't nothing nobody "
    "none neither nor hardly barely yet any anyone anything ever until but without such"
)
_NEGATABLE = word_set("be have will would do can could should must")


def negation(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Adds or removes a negation."""
    tokens = sentence.tokens
    verbs = [sentence.root]
    clause = sentence.child(sentence.root, "ccomp")
    if clause is not None and clause > sentence.root:
        verbs.append(clause)
    present = {token.text.lower() for token in tokens}
    options: list[Edits] = []
    for verb in verbs:
        subject = sentence.child(verb, "nsubj", "nsubjpass", "expl")
        if (
            subject is None
            or subject > verb
            or not finite(sentence, verb)
            or sentence.in_quotes(verb)
        ):
            continue
        negative = sentence.child(verb, "neg")
        if negative is not None:
            options += _affirmed(sentence, verb, negative)
        elif not present & _NO_NEGATION:
            options += with_not(sentence, verb, subject)
    return options


def with_not(sentence: Parsed, verb: int, subject: int) -> list[Edits]:
    """Negates the verb by "not" after its auxiliary, or by "did not"; no edit if the form is
    uncertain."""
    tokens = sentence.tokens
    helpers = [
        i for i in sentence.children[verb] if tokens[i].dep in ("aux", "auxpass") and i < verb
    ]
    first = helpers[0] if helpers else verb
    if first < subject or any(tokens[i].tag in ("VBD", "VBZ", "VBP") and tokens[i].dep == "conj"
                              for i in sentence.children[verb]):  # fmt: skip
        return []
    if tokens[first].text in ("'s", "'d", "'ll", "'ve", "'re", "’s"):
        return []
    if helpers or tokens[verb].lemma == "be":
        if tokens[first].lemma not in _NEGATABLE or tokens[first].tag == "VB":
            return []
        if tokens[first].text == "can":
            return [(Edit(tokens[first].start, tokens[first].end, "cannot"),)]
        return [(Edit(tokens[first].end, tokens[first].end, " not"),)]
    helper = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(tokens[verb].tag)
    if helper is None or tokens[verb].pos != "VERB" or not tokens[verb].lemma.isalpha():
        return []
    if tokens[verb - 1].tag == "RB" or tokens[verb].lemma in ("say", "add", "tell"):
        return []
    return [(Edit(tokens[verb].start, tokens[verb].end, f"{helper} not {tokens[verb].lemma}"),)]


def _affirmed(sentence: Parsed, verb: int, negative: int) -> list[Edits]:
    """Removes a negation. The verb and its auxiliary are marked as wrong."""
    tokens = sentence.tokens
    words = {token.text.lower() for token in tokens}
    if words & {
        "any",
        "anyone",
        "anything",
        "yet",
        "ever",
        "either",
        "until",
        "nor",
        "but",
        "only",
    }:
        return []
    if tokens[negative].text.lower() not in ("not", "n't", "n’t") or negative == 0:
        return []
    helper = negative - 1
    if tokens[helper].dep not in ("aux", "auxpass") and helper != verb:
        return []
    last = max(verb, negative)
    if last - helper > 4:
        return []
    remainder = sentence.text[tokens[negative].end : tokens[last].end].strip()
    if tokens[helper].lemma == "do" and helper != verb:
        if verb != negative + 1:
            return []
        tag = {"did": "VBD", "does": "VBZ", "do": "VB"}.get(tokens[helper].text.lower())
        if tag is None or tokens[verb].lemma in ("have", "be"):
            return []
        new = inflection.inflect(tokens[verb].text.lower(), tag)
    else:
        full_forms = {"ca": "can", "wo": "will", "sha": "shall"}
        new = f"{full_forms.get(tokens[helper].text, tokens[helper].text)} {remainder}".strip()
    return [(Edit(tokens[helper].start, tokens[last].end, new),)]


# Words


def cased(new: str, old: str) -> str:
    return capitalised(new) if old[0].isupper() else new


def antonym(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Replaces a verb, noun, adjective, adverb or preposition by its opposite."""
    options: list[Edits] = []
    for index, token in enumerate(sentence.tokens):
        entity = sentence.entity_at(index)
        if (entity is not None and entity.label in NAMES) or (index and token.text[0].isupper()):
            continue
        if "-" in sentence.text[max(token.start - 1, 0) : token.end + 1]:
            continue
        for new in _opposites(sentence, index):
            shown = cased(new, token.text)
            options.append((Edit(token.start, token.end, shown), *article(sentence, index, new)))
    return options


_SAYING = ("confirm", "admit", "deny", "acknowledge", "forget", "remember", "agree", "reveal")


def _opposites(sentence: Parsed, index: int) -> list[str]:
    token = sentence.tokens[index]
    lower = token.text.lower()
    before = sentence.tokens[index - 1].text.lower() if index else ""
    head = sentence.tokens[token.head]
    if sentence.child(index, "neg") is not None or token.dep == "compound":
        return []
    if token.pos == "VERB":
        odd = (
            {"prt", "xcomp", "ccomp", "dative"} if token.lemma not in _SAYING else {"prt", "xcomp"}
        )
        if sentence.deps(index) & odd or token.dep in ("amod", "xcomp"):
            return []
        if token.lemma in ("lose", "win") and "dobj" not in sentence.deps(index):
            return []
        return [inflection.inflect(new, token.tag) for new in lexicon.VERBS.get(token.lemma, [])]
    if token.pos == "NOUN":
        nouns = lexicon.NOUNS.get(token.lemma, [])
        return [lexicon.plural(new) if token.tag == "NNS" else new for new in nouns]
    if token.pos == "ADJ" and token.dep not in ("amod", "acomp", "conj", "oprd", "ccomp", "advcl"):
        return []
    if token.pos in ("ADJ", "ADV") and before not in ("as", "so", "years", "year", "how"):
        table = lexicon.ADJECTIVES if token.pos == "ADJ" else lexicon.ADVERBS
        return [] if token.dep == "prt" else table.get(lower, [])
    if token.dep in ("prep", "mark") and not (
        head.lemma in ("name", "look", "ask", "take", "deal", "meet", "work", "agree", "do")
        or before in ("ever", "shortly", "looked", "long")
        or lower in ("with", "without", "above", "inside", "outside", "below")
    ):
        return lexicon.PREPOSITIONS.get(lower, [])
    return []


_WITH = ("with", "alongside", "between", "against", "like", "as", "of", "than")


def role_swap(sentence: Parsed, page: Page, _random: Random) -> list[Edits]:
    """Exchanges two participants, such as subject and object, or the subjects of two clauses; both
    are marked. Participants of the same kind are preferred; else a subject and its object."""
    alike: list[Edits] = []
    different: list[Edits] = []
    for verb, token in enumerate(sentence.tokens):
        subject = sentence.child(verb, "nsubj", "nsubjpass")
        actor = _actor(sentence, subject) if subject is not None else None
        if actor is None or token.pos != "VERB" or "neg" in sentence.deps(verb):
            continue
        for index in _partners(sentence, verb):
            partner = _actor(sentence, index)
            if partner is None or partner.first <= actor.last:
                continue
            if actor.label == partner.label:
                alike += _exchanged(sentence, page, verb, actor, partner)
            elif sentence.tokens[index].dep == "dobj":
                different += _exchanged(sentence, page, verb, actor, partner)
    return alike or different


def voice_swap(sentence: Parsed, page: Page, random: Random) -> list[Edits]:
    """Changes only the voice of the verb: "The council was rejected by the plan" for "The council
    rejected the plan". Applies where `paraphrases.voice` could exchange the two."""
    verb, tokens = sentence.root, sentence.tokens
    text, lemma = tokens[verb].text, tokens[verb].lemma
    if lemma in lexicon.SYMMETRIC_VERBS or not paraphrases.voice(sentence, page, random):
        return []
    subject, helper = sentence.child(verb, "nsubj"), sentence.child(verb, "auxpass")
    agent = sentence.child(verb, "agent")
    if subject is not None and (participle := inflection.participle(text, lemma)):
        were = "were" if tokens[subject].tag in ("NNS", "NNPS") else "was"
        return [(Edit(tokens[verb].start, tokens[verb].end, f"{were} {participle} by"),)]
    if helper is not None and agent is not None and (past := inflection.past(text, lemma)):
        return [(Edit(tokens[helper].start, tokens[agent].end, past),)]
    return []


class _Actor(NamedTuple):
    """First and last token of a name or a noun phrase, its class ("person", "body" or a name's
    label), and whether it is plural."""

    first: int
    last: int
    label: str
    plural: bool


def _partners(sentence: Parsed, verb: int) -> Iterator[int]:
    """The tokens that the verb's subject may be exchanged with: the object, a name in a
    prepositional phrase, or the subject of a dependent clause."""
    passive = "auxpass" in sentence.deps(verb)
    symmetric = sentence.tokens[verb].lemma in lexicon.SYMMETRIC_VERBS
    for index in sentence.children[verb]:
        dep = sentence.tokens[index].dep
        if dep in ("ccomp", "advcl", "conj") and index > verb:
            inner = sentence.child(index, "nsubj", "nsubjpass")
            if inner is not None and not _shows_number(sentence, index):
                yield inner
        if symmetric:
            continue
        if dep == "dobj" and not passive:
            yield index
        if dep in ("prep", "agent") and sentence.tokens[index].text not in _WITH:
            inside = sentence.child(index, "pobj")
            if inside is not None and (dep == "agent" or sentence.entity_at(inside) is not None):
                yield inside


def _actor(sentence: Parsed, head: int) -> _Actor | None:
    tokens = sentence.tokens
    plural = tokens[head].tag in ("NNS", "NNPS")
    if sentence.deps(head) & {"conj", "appos", "cc", "poss"}:
        return None
    for name in proper_names(sentence):
        if name.start <= tokens[head].start and tokens[head].end == name.end:
            first = next(i for i, token in enumerate(tokens) if token.start == name.start)
            label = "person" if name.label in ("PERSON", "NORP") else name.label
            if first and tokens[first - 1].tag == "DT":
                return None
            return _Actor(first, head, label, plural)
    phrase = sentence.phrase(head)
    noun = tokens[head].pos in ("NOUN", "PROPN") and sentence.entity_at(head) is None
    if phrase is None or not noun:
        return None
    inside = tokens[phrase[0] : phrase[1] + 1]
    odd = any(t.pos in ("PRON", "PUNCT", "VERB") or t.tag == "PRP$" for t in inside)
    lemma = tokens[head].lemma
    label = "person" if lemma in lexicon.PERSON_NOUNS else "body"
    acts = lemma in lexicon.PERSON_NOUNS | lexicon.BODY_NOUNS or tokens[head].pos == "PROPN"
    return None if odd or not acts or len(inside) > 6 else _Actor(*phrase, label, plural)


def _exchanged(
    sentence: Parsed, page: Page, verb: int, actor: _Actor, partner: _Actor
) -> list[Edits]:
    if _shows_number(sentence, verb) and actor.plural != partner.plural:
        return []
    first, second = (
        sentence.span(actor.first, actor.last),
        sentence.span(partner.first, partner.last),
    )
    if is_same(first, second, page.document):
        return []
    tokens = sentence.tokens
    return [
        (
            Edit(
                tokens[actor.first].start,
                tokens[actor.last].end,
                capitalised(second) if actor.first == 0 else second,
            ),
            Edit(
                tokens[partner.first].start,
                tokens[partner.last].end,
                decapitalised(sentence, actor.first, actor.last),
            ),
        )
    ]


def _shows_number(sentence: Parsed, verb: int) -> bool:
    """Whether the verb's form shows the number of its subject."""
    helpers = [i for i in sentence.children[verb] if sentence.tokens[i].dep in ("aux", "auxpass")]
    return any(
        sentence.tokens[i].tag in ("VBZ", "VBP") or sentence.tokens[i].text in ("was", "were")
        for i in [verb, *helpers]
    )


def hedge(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Strengthens the claim: "may" becomes "will", "suggested" "proved", "some" "all"."""
    return _strength(sentence, lexicon.STRONGER, lexicon.STRONGER_VERBS)


def hedge_weaker(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Weakens the claim: "will" becomes "might", "confirmed" "suggested"."""
    return _strength(sentence, lexicon.WEAKER, lexicon.WEAKER_VERBS)


def _strength(
    sentence: Parsed, words: dict[str, list[str]], verbs: dict[str, list[str]]
) -> list[Edits]:
    options: list[Edits] = []
    for index, token in enumerate(sentence.tokens):
        if sentence.in_quotes(index):
            continue
        if token.pos == "VERB" and token.lemma in verbs:
            clause = sentence.child(index, "ccomp")
            certain = clause is not None and clause > index and finite(sentence, clause)
            if certain and token.tag in ("VBD", "VBZ", "VBP"):
                for new in verbs[token.lemma]:
                    options.append(
                        (Edit(token.start, token.end, inflection.inflect(new, token.tag)),)
                    )
        for new in words.get(token.text.lower(), []):
            if _strength_fits(sentence, index):
                new = cased(new.replace("_", " "), token.text)
                options.append((Edit(token.start, token.end, new), *article(sentence, index, new)))
    return options


def _strength_fits(sentence: Parsed, index: int) -> bool:
    token, tokens = sentence.tokens[index], sentence.tokens
    negated = any(t.dep == "neg" for t in tokens)
    if token.text.lower() == "could" and any(
        t.tag == "VBD" and t.lemma not in _SAID for t in tokens
    ):
        return False  # what they were able to do, rather than what may happen
    if index and tokens[index - 1].text.lower() == "as":
        return False
    if token.tag == "MD":
        return not negated and tokens[token.head].tag == "VB" and token.dep == "aux"
    if token.text.lower() in ("some", "many", "most", "several", "all"):
        head, before = tokens[token.head], tokens[index - 1].text.lower() if index else ""
        quantifies = token.dep in ("amod", "det") and head.tag == "NNS" and token.head == index + 1
        # "some years" is no part of all years, and "how many", "the most" is another word.
        return (
            quantifies
            and head.lemma not in _TIMES
            and before not in ("how", "as", "so", "too", "the")
        )
    if token.text.lower() in ("nearly", "almost"):
        return index + 1 < len(tokens) and tokens[index + 1].tag == "CD"
    return token.pos in ("ADJ", "ADV") and not negated


_SAID = ("say", "tell", "warn", "add", "announce", "report", "suggest", "believe", "think")
_TIMES = (
    "dozen",
    "hundred",
    "thousand",
    "year",
    "month",
    "week",
    "day",
    "hour",
    "minute",
    "time",
    "way",
    "occasion",
    "thing",
)


MAKERS: dict[str, Maker] = {
    "negation": negation,
    "antonym": antonym,
    "role_swap": role_swap,
    "hedge": hedge,
    "hedge_weaker": hedge_weaker,
}

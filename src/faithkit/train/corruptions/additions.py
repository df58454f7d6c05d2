"""Errors that add words from elsewhere: a cause, a detail, another verb.

Each maker returns the edits, often none, that each make a sentence untrue; the added words are
marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random

from faithkit.language import inflection
from faithkit.language.parse import Token
from faithkit.rewrites import lexicon
from faithkit.rewrites.entity_errors import NAMES
from faithkit.rewrites.parsed import (
    Edit,
    Edits,
    Maker,
    Page,
    Parsed,
    article,
    decapitalised,
    has_quotes,
    is_clause,
)
from faithkit.rewrites.predicate_errors import cased


def cause(sentence: Parsed, page: Page, _random: Random) -> list[Edits]:
    """A wrong connective, or another statement of the document as the reason."""
    options: list[Edits] = []
    tokens = sentence.tokens
    for index, token in enumerate(tokens):
        after = tokens[index + 1] if index + 1 < len(tokens) else token
        for new in lexicon.CONNECTIVES.get(token.text.lower(), []):
            if token.dep == "mark" or (token.text.lower() == "despite" and after.tag != "VBG"):
                if after.text == "of":
                    continue
                options.append(
                    (Edit(token.start, token.end, cased(new.replace("_", " "), token.text)),)
                )
    if len(tokens) > 24 or not is_clause(sentence) or {"because", "so"} & {t.text for t in tokens}:
        return options
    content = _content(sentence)
    for other in page.sentences:
        # Neighbours and sentences about the same thing may really be the reason.
        apart = other.end + 100 < sentence.start or sentence.end + 100 < other.start
        if apart and not content & _content(other) and _is_reason(other):
            reason = decapitalised(other, 0, len(other.tokens) - 2)
            options.append((Edit(sentence.stop, sentence.stop, f" because {reason}"),))
    return options


def _content(sentence: Parsed) -> set[str]:
    return {t.lemma.lower() for t in sentence.tokens if t.pos in ("NOUN", "PROPN", "VERB", "ADJ")}


def _is_reason(other: Parsed) -> bool:
    """Whether a sentence is a short plain clause that can follow "because"."""
    first = other.tokens[0]
    subject = other.child(other.root, "nsubj", "nsubjpass")
    return (
        is_clause(other)
        and len(other.tokens) <= 18
        and subject is not None
        and min(other.subtree(subject)) == 0
        and other.tokens[subject].pos != "PRON"
        and first.pos in ("PROPN", "DET", "NOUN", "ADJ")
        and not has_quotes(other.text)
        and "said" not in other.text
    )


def added_detail(sentence: Parsed, page: Page, _random: Random) -> list[Edits]:
    """A time, a place, an apposition or a consequence from another document is added."""
    tokens = sentence.tokens
    labels = {entity.label for entity in sentence.entities}
    root = sentence.root
    # "They did not go in May" is true where they did not go.
    if sentence.in_quotes(len(tokens) - 1) or any(token.dep == "neg" for token in tokens):
        return []
    event = tokens[root].tag == "VBD" and tokens[root].lemma not in _NO_EVENTS
    passive = "auxpass" in sentence.deps(root)
    plain_end = tokens[-2].pos in ("NOUN", "PROPN") and not has_quotes(sentence.text[-4:])
    at = sentence.stop
    taken = {"time": {"DATE", "TIME"}, "place": {"GPE", "LOC", "FAC"}, "consequence": set[str]()}
    options: list[Edits] = []
    for phrase, kind in (detail for other in page.others for detail in _details(other)):
        if phrase.strip(" ,") in page.document:
            continue
        if kind == "apposition":
            options += _with_apposition(sentence, phrase)
        elif not plain_end or not (event or passive) or len(tokens) > 24:
            continue
        elif not labels & taken[kind] and (kind != "consequence" or tokens[root].tag == "VBD"):
            options.append((Edit(at, at, phrase if phrase.startswith(",") else f" {phrase}"),))
    return options


_NO_EVENTS = ("be", "say", "have", "add", "tell")


@lru_cache(maxsize=64)
def _details(page: Page) -> tuple[tuple[str, str], ...]:
    """(phrase, kind): phrases of a page that can be added to sentences of another page; the kind is
    time, place, apposition or consequence."""
    return tuple(detail for sentence in page.sentences for detail in _details_of(sentence))


def _details_of(sentence: Parsed) -> Iterator[tuple[str, str]]:
    for index, token in enumerate(sentence.tokens):
        phrase = sentence.phrase(index) if token.dep in ("prep", "appos", "advcl") else None
        if phrase is None or phrase[1] - phrase[0] > 9:
            continue
        words = sentence.span(*phrase)
        inside = sentence.tokens[phrase[0] : phrase[1] + 1]
        if has_quotes(words) or any(t.pos in ("PRON", "PUNCT", "SPACE") for t in inside):
            continue
        before = sentence.tokens[phrase[0] - 1].text if phrase[0] else ""
        named = sentence.child(index, "pobj")
        entity = sentence.entity_at(named) if named is not None else None
        if token.dep == "prep" and entity is not None and len(inside) <= 4:
            if entity.label == "GPE" and token.text == "in":
                yield words, "place"
            if entity.label == "DATE" and _TIME.fullmatch(words):
                yield words, "time"
        if token.dep == "appos" and before == "," and inside[0].text in ("a", "an"):
            whose = sentence.entity_at(token.head)
            if whose is not None and whose.label == "PERSON":
                yield words, "apposition"
        if token.dep == "advcl" and token.tag == "VBG" and phrase[0] == index and before == ",":
            yield f", {words}", "consequence"


_TIME = re.compile(r"on [A-Z]\w+day|in (?:[A-Z]\w+ )?(?:(?:19|20)\d\d|[A-Z]\w+)")


def _with_apposition(sentence: Parsed, phrase: str) -> list[Edits]:
    subject = sentence.child(sentence.root, "nsubj", "nsubjpass")
    entity = sentence.entity_at(subject) if subject is not None else None
    if subject is None or entity is None or entity.label != "PERSON":
        return []
    tree = sentence.phrase(subject)
    after = subject + 1
    if tree is None or tree[1] != subject or sentence.tokens[after].pos not in ("VERB", "AUX"):
        return []
    at = sentence.tokens[subject].end
    return [(Edit(at, at, f", {phrase},"),)]


def predicate(sentence: Parsed, page: Page, _random: Random) -> list[Edits]:
    """The verb is replaced by another transitive verb in the same form, from another document or
    the common verbs of `lexicon`; both have a person as object, or both a thing."""
    options: list[Edits] = []
    lemmas = {token.lemma for token in sentence.tokens}
    borrowed = [
        verb
        for other in page.others
        for sentence_there in other.sentences
        for verb in _verbs(sentence_there)
    ]
    for index, _, person in _verbs(sentence):
        old = sentence.tokens[index]
        common = lexicon.VERBS_FOR_PEOPLE if person else lexicon.VERBS_FOR_THINGS
        forms = {lemma: inflection.inflect(lemma, old.tag) for lemma in sorted(common)}
        for _, token, for_person in borrowed:
            if token.tag == old.tag and for_person == person:
                forms[token.lemma] = token.text
        for lemma, form in forms.items():
            close = any(lemma in group and old.lemma in group for group in lexicon.SYNONYMOUS)
            if lemma not in lemmas and not close and form not in page.document:
                options.append((Edit(old.start, old.end, form), *article(sentence, index, form)))
    return options


def _verbs(sentence: Parsed) -> Iterator[tuple[int, Token, bool]]:
    """(index, token, whether the object is a person) of main verbs with an object and without
    dependents that other verbs do not take."""
    for index, token in enumerate(sentence.tokens):
        if token.tag not in ("VBD", "VBN", "VB") or not token.text.islower():
            continue
        if token.pos != "VERB" or token.dep not in ("ROOT", "ccomp", "conj", "relcl"):
            continue
        object_ = sentence.child(index, "dobj")
        if token.lemma in lexicon.LIGHT_VERBS or object_ is None or object_ < index:
            continue
        if sentence.deps(index) & _ONE_VERB_ONLY:
            continue
        entity = sentence.entity_at(object_)
        noun = sentence.tokens[object_]
        if noun.pos == "PRON" or (entity is not None and entity.label not in NAMES):
            continue
        person = noun.lemma in lexicon.PERSON_NOUNS or (
            entity is not None and entity.label == "PERSON"
        )
        yield index, token, person


_ONE_VERB_ONLY = frozenset(
    ("prt", "xcomp", "ccomp", "dative", "acomp", "oprd", "neg", "auxpass", "advcl")
)


MAKERS: dict[str, Maker] = {"cause": cause}
BORROWING: dict[str, Maker] = {"added_detail": added_detail, "predicate": predicate}
"""Makers that take words from other documents."""

"""Paraphrases that change how a sentence is built: double negation, and splitting into sentences.

Like those of `paraphrases.py`, each maker gives the ways in which it can edit one sentence, often
none, and leaves alone whatever it is unsure of.
"""

from __future__ import annotations

import re
from random import Random

from faithkit.language.lexicon import SPELLED, TENS, word_set
from faithkit.rewrites.paraphrases import between_commas, ends_where_it_seems
from faithkit.rewrites.parsed import (
    Edit,
    Edits,
    Maker,
    Page,
    Parsed,
    capitalised,
    decapitalised,
    finite,
    has_quotes,
)
from faithkit.rewrites.predicate_errors import with_not

# Negation

_COMPLEMENTS = dict(
    pair.split(">")
    for pair in word_set(
        "dead>alive alive>dead illegal>legal legal>illegal impossible>possible unable>able "
        "unaware>aware aware>unaware unlikely>likely unclear>clear uncertain>certain "
        "unknown>known unhappy>happy unsuccessful>successful false>true true>false absent>present "
        "present>absent unsafe>safe safe>unsafe unfair>fair necessary>unnecessary "
        "unnecessary>necessary incorrect>correct unwilling>willing unfamiliar>familiar "
        "open>closed closed>open"
    )
)
_COUNT = r"(?:[\d.,]*\d|" + "|".join([*SPELLED[2:], *TENS]) + r")\b"
_BOUNDS = (
    (r"\b([Mm])ore than", "no {} than", "fewer"),
    (r"\b([Aa])t least", "no {} than", "fewer"),
    (r"\b([Ff])ewer than", "no {} than", "more"),
    (r"\b([Ll])ess than", "no {} than", "more"),
    (r"\b([Uu])p to", "no {} than", "more"),
    (r"\b([Aa])t most", "no {} than", "more"),
)
_AMOUNTS = r"%|per ?cent|[a-z]*metres|miles|inches|feet|foot|pounds|tonn?e?s"
_SCOPED = word_set(
    "all every each both either neither many most some several few little any only even just also "
    "too still already always never often sometimes not n't no or because if unless until while "
    "whether but without almost nearly must should may might need ought"
)


def negated(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """ "not alive" for "dead", "no fewer than" for "at least", "did not" for "failed to"."""
    options: list[Edits] = [
        (Edit(match.start(), match.end(), new, wrong=False),)
        for match, new in _bounds(sentence.text)
    ]
    for index, token in enumerate(sentence.tokens):
        if sentence.in_quotes(index):
            continue
        options += _complement(sentence, index)
        if token.tag == "VBD" and token.lemma == "fail" and "neg" not in sentence.deps(index):
            after = sentence.tokens[index + 1 : index + 3]
            if [follower.tag for follower in after] == ["TO", "VB"] and token.dep == "ROOT":
                options.append((Edit(token.start, after[0].end, "did not", wrong=False),))
    return options


def _bounds(text: str) -> list[tuple[re.Match[str], str]]:
    bounds = []
    for pattern, new, word in _BOUNDS:
        for match in re.finditer(rf"(?<!not )(?<!no ){pattern}(?= (?:[$£€] ?)?{_COUNT})", text):
            after = text[match.end() :]
            amount = re.match(rf" (?:[$£€]|{_COUNT} ?(?:{_AMOUNTS}))", after)
            chosen = "less" if word == "fewer" and amount else word
            shown = new.format(chosen)
            bounds.append((match, capitalised(shown) if match[1].isupper() else shown))
    return bounds


def _complement(sentence: Parsed, index: int) -> list[Edits]:
    """Replaces an adjective by its negated opposite, if it directly follows a form of "be" and has
    no word of degree."""
    tokens, token = sentence.tokens, sentence.tokens[index]
    new = _COMPLEMENTS.get(token.text)
    if new is None or token.dep != "acomp" or token.head != index - 1:
        return []
    if not sentence.deps(index) <= {"xcomp", "prep"}:
        return []
    if tokens[index - 1].lemma != "be" or "neg" in sentence.deps(token.head):
        return []
    return [(Edit(token.start, token.end, f"not {new}", wrong=False),)]


def negated_twice(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """ "It is not true that he did not go" for "he went": a short statement about one thing,
    without words on whose scope a negation would depend."""
    tokens, verb = sentence.tokens, sentence.root
    if len(tokens) > 24 or has_quotes(sentence.text) or not finite(sentence, verb):
        return []
    if {token.text.lower() for token in tokens} & _SCOPED:
        return []
    if {token.dep for token in tokens} & {"advcl", "conj", "mark", "neg", "parataxis", "ccomp"}:
        return []
    subject = sentence.child(verb, "nsubj", "nsubjpass")
    phrase = sentence.phrase(subject) if subject is not None else None
    if subject is None or phrase is None or not _definite(sentence, phrase):
        return []
    opening = Edit(
        0, tokens[0].end, f"It is not true that {decapitalised(sentence, 0, 0)}", wrong=False
    )
    return [
        (opening, *(edit._replace(wrong=False) for edit in edits))
        for edits in with_not(sentence, verb, subject)
        if all(edit.start > tokens[0].end for edit in edits)
    ]


def _definite(sentence: Parsed, phrase: tuple[int, int]) -> bool:
    """At the sentence's start: a name, a pronoun, or "the" and a noun that is not counted."""
    first = sentence.tokens[phrase[0]]
    inside = sentence.tokens[phrase[0] : phrase[1] + 1]
    definite = first.pos in ("PROPN", "PRON") or first.text in ("The", "His", "Her", "Their", "Its")
    return phrase[0] == 0 and definite and not any(token.pos == "NUM" for token in inside)


# Splitting


def split(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Two sentences for two clauses: joined by "and" or "but", with one subject or two, or by
    "who" or "which" after a comma."""
    if has_quotes(sentence.text) or sentence.tokens[sentence.root].lemma in _SPEECH:
        return []
    options: list[Edits] = []
    for index, token in enumerate(sentence.tokens):
        if token.dep == "relcl":
            options += _relative(sentence, index)
    conjunct = sentence.child(sentence.root, "conj")
    return options + (_coordinated(sentence, conjunct) if conjunct is not None else [])


_SPEECH = word_set(
    "say claim believe think tell add warn report insist allege argue suggest fear hope admit"
)
_MOST_SUBJECT = 5


def _coordinated(sentence: Parsed, conjunct: int) -> list[Edits]:
    """The second clause, up to the end, becomes a sentence; without a subject it takes the first
    clause's, where that is a name, a pronoun or "the" and a noun."""
    tokens, verb = sentence.tokens, sentence.root
    phrase, subject = sentence.phrase(conjunct), sentence.child(verb, "nsubj", "nsubjpass")
    subject_phrase = sentence.phrase(subject) if subject is not None else None
    if (
        phrase is None
        or subject_phrase is None
        or subject_phrase[0] != 0
        or not finite(sentence, conjunct)
    ):
        return []
    joint = phrase[0] - 1
    if tokens[joint].text not in ("and", "but") or phrase[1] < len(tokens) - 2:
        return []
    if not finite(sentence, verb) or tokens[conjunct].pos not in ("VERB", "AUX"):
        return []
    if sentence.deps(verb) & {"ccomp", "parataxis"} or tokens[verb].tag in ("MD", "VBN", "VB"):
        return []
    before = joint - 1 if tokens[joint - 1].text == "," else joint
    full = sentence.text[sentence.stop :]
    subject_there = sentence.child(conjunct, "nsubj", "nsubjpass", "expl")
    if subject_there is not None:
        if subject_there > conjunct or "mark" in sentence.deps(conjunct):
            return []
        again = capitalised(sentence.span(phrase[0], phrase[0]))
    else:
        name = _repeatable(sentence, subject_phrase)
        complete = sentence.deps(verb) & {"dobj", "prep", "acomp", "attr", "agent"}
        if name is None or not complete or tokens[verb].tag != tokens[conjunct].tag:
            return []
        again = f"{name} {sentence.span(phrase[0], phrase[0])}"
    if any(token.text in ("both", "neither", "either") for token in tokens):
        return []
    end = tokens[before - 1].end
    return [(Edit(end, tokens[phrase[0]].end, f"{full} {again}", wrong=False),)]


def _repeatable(sentence: Parsed, phrase: tuple[int, int]) -> str | None:
    """A subject as it can be said again in the next sentence; None where it is long or unsure."""
    inside = sentence.tokens[phrase[0] : phrase[1] + 1]
    first, text = inside[0], sentence.span(*phrase)
    if len(inside) > _MOST_SUBJECT or any(t.pos in ("PUNCT", "NUM") for t in inside):
        return None
    if first.text.lower() in ("he", "she", "they", "it") and len(inside) == 1:
        return capitalised(text)
    if all(token.pos == "PROPN" for token in inside):
        return text
    if first.text.lower() in ("the", "his", "her", "their") and inside[-1].pos in ("NOUN", "PROPN"):
        return capitalised(text)
    if first.text.lower() in ("a", "an") and inside[-1].tag == "NN":
        return f"The {text.split(maxsplit=1)[1]}"
    return None


def _relative(sentence: Parsed, verb: int) -> list[Edits]:
    """ "X, who did this, did that" becomes "X did that. X did this."."""
    tokens, phrase, head = sentence.tokens, sentence.phrase(verb), sentence.tokens[verb].head
    start = min(sentence.subtree(head))
    if phrase is None or tokens[phrase[0]].text not in ("who", "which"):
        return []
    relative = sentence.child(verb, "nsubj", "nsubjpass")
    if relative != phrase[0] or not finite(sentence, verb) or start > head:
        return []
    # A longer phrase may have a nearer noun that the clause is about.
    noun = (start, head)
    if tokens[head + 1].text != "," or head + 2 != phrase[0]:
        return []
    name = _repeatable(sentence, noun)
    if name is None or not ends_where_it_seems(sentence, verb, phrase[1]):
        return []
    if "conj" in {tokens[i].dep for i in range(phrase[0], phrase[1] + 1)}:
        return []
    full = sentence.text[sentence.stop :]
    rest = sentence.span(phrase[0] + 1, phrase[1])
    return [
        (*edits, Edit(len(sentence.text), len(sentence.text), f" {name} {rest}{full}", wrong=False))
        for edits in between_commas(sentence, phrase)
    ]


MAKERS: dict[str, Maker] = {
    "negated": negated,
    "negated_twice": negated_twice,
    "split": split,
}

"""Paraphrases: edits after which a sentence is still supported by its document. The parse says what
may be dropped or moved.

Each maker gives the ways in which it can edit one sentence, often none: it leaves alone whatever
it is unsure of. No edit marks a word as wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from faithkit.language import inflection
from faithkit.language.calendar_words import MONTH, WEEKDAY
from faithkit.language.lexicon import SPELLED, word_set
from faithkit.rewrites import lexicon
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
    has_quotes,
)

# Words after which a shorter sentence may say more than the longer one.
_NOT_PLAIN = word_set(
    "no not n't never nor neither nobody none nothing only few little if unless whether without "
    "hardly barely rarely seldom would could should may might must can all every each any most "
    "least first last best worst until always almost nearly as than more less fewer other same "
    "except but just merely"
)
_MARKS = word_set("after before while although though because when since")
_NEVER_PASSIVE = word_set(
    "have be become cost weigh last leave tell take get lack resemble suit fit mean want like say "
    "let make give enter join marry become remain see come go reach do face enjoy feel love lose "
    "need keep send show ask wish spend share score miss escape receive gain earn follow suffer "
    "include contain involve comprise represent concern consist exclude"
)
_VOICE_CHILDREN = word_set("nsubj dobj prep npadvmod punct")
_KIN = (
    r"father|mother|son|daughter|brother|sister|husband|wife|man|woman|boy|girl|partner|friend|"
    "uncle|aunt|who|judge|suspect|victim|"
)
_NO_WOMAN = re.compile(rf"\b({_KIN}she|her)\b", re.IGNORECASE)
_NO_MAN = re.compile(rf"\b({_KIN}he|his|him)\b", re.IGNORECASE)
_OTHERS = {"He": _NO_WOMAN, "His": _NO_WOMAN, "She": _NO_MAN, "Her": _NO_MAN}
"""Words that speak of somebody else than the person whom the pronoun stands for."""


def _removal(first: int, last: int) -> Edits:
    return (Edit(first, last, "", wrong=False),)


def verbatim(_sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    return [()]


def clause_dropped(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Drops an apposition, a non-restrictive relative clause, an adverbial clause, a parenthesis,
    or a phrase of time or place."""
    options = [
        _removal(m.start(), m.end())
        for m in re.finditer(r" ?\([^()]*[^()\d\W][^()]*\)", sentence.text)
    ]
    options += [
        _removal(m.start(), m.end()) for m in re.finditer(r" ?, \d{2} ?,(?= [a-z])", sentence.text)
    ]
    plain = not any(t.text.lower() in _NOT_PLAIN and t.pos != "PROPN" for t in sentence.tokens)
    superlative = any(token.tag in ("JJS", "RBS") for token in sentence.tokens)
    for index, token in enumerate(sentence.tokens):
        phrase = sentence.phrase(index)
        if phrase is None or sentence.in_quotes(phrase[0]):
            continue
        if has_quotes(sentence.span(*phrase)):
            continue
        stands_apart = (token.dep == "appos" and _is_apposition(sentence, phrase)) or (
            token.dep == "relcl" and sentence.tokens[phrase[0]].tag in ("WP", "WDT", "WP$", "WRB")
        )
        if stands_apart and ends_where_it_seems(sentence, index, phrase[1]):
            options += between_commas(sentence, phrase)
        if not plain or superlative:
            continue
        if token.dep == "advcl" and token.head == sentence.root:
            options += _adverbial(sentence, index, phrase)
        if token.dep == "prep":
            options += _time_or_place(sentence, index, phrase)
    return options


def _is_apposition(sentence: Parsed, phrase: tuple[int, int]) -> bool:
    """Starts with an article or a possessive, as lists of names do not."""
    first = sentence.tokens[phrase[0]]
    listed = any(sentence.tokens[i].dep in ("cc", "conj") for i in range(phrase[0], phrase[1] + 1))
    return first.tag in ("DT", "PRP$") and not listed


def ends_where_it_seems(sentence: Parsed, index: int, last: int) -> bool:
    """Whether the words after the phrase's comma continue the main clause. In "..., which did this,
    did that" the parse may have cut the relative clause short."""
    tokens = sentence.tokens
    if last + 2 >= len(tokens):
        return True
    about_subject = tokens[tokens[index].head].dep in ("nsubj", "nsubjpass")
    fitting = ("VERB", "AUX", "ADV", "PART") if about_subject else ("ADP", "SCONJ")
    return tokens[last + 2].pos in fitting


def between_commas(sentence: Parsed, phrase: tuple[int, int]) -> list[Edits]:
    """Removes a phrase between two commas, or between a comma and the full stop."""
    tokens, (first, last) = sentence.tokens, phrase
    if first < 2 or tokens[first - 1].text != ",":
        return []
    start = tokens[first - 2].end
    if last + 1 < len(tokens) and tokens[last + 1].text == ",":
        return [_removal(start, tokens[last + 1].end)]
    return [_removal(start, sentence.stop)] if tokens[last].end == sentence.stop else []


def _adverbial(sentence: Parsed, verb: int, phrase: tuple[int, int]) -> list[Edits]:
    """Removes an adverbial clause of time, reason or contrast, or a participle clause after a
    comma, if the main clause is in the past tense."""
    tokens = sentence.tokens
    if tokens[sentence.root].tag != "VBD":
        return []
    mark = sentence.child(verb, "mark", "advmod")
    marked = (
        mark == phrase[0] and tokens[mark].text.lower() in _MARKS and finite(sentence, verb)
    ) or (phrase[0] == verb and tokens[verb].tag == "VBG")
    if not marked:
        return []
    if phrase[0] == 0:
        return _leading(sentence, phrase)
    if tokens[phrase[1]].end != sentence.stop:
        return between_commas(sentence, phrase)
    comma = tokens[phrase[0] - 1].text == ","
    if tokens[verb].tag == "VBG" and not comma:
        return []
    return [_removal(tokens[phrase[0] - (2 if comma else 1)].end, sentence.stop)]


def _leading(sentence: Parsed, phrase: tuple[int, int]) -> list[Edits]:
    """Removes the first phrase of the sentence and its comma."""
    after = phrase[1] + 1
    if after + 1 >= len(sentence.tokens) or sentence.tokens[after].text != ",":
        return []
    return [_removal(0, sentence.tokens[after + 1].start)]


def _time_or_place(sentence: Parsed, index: int, phrase: tuple[int, int]) -> list[Edits]:
    """ "in March", "at the airport on Monday": where the verb, in the past, has an object or is
    passive and so does not need the phrase."""
    tokens, verb = sentence.tokens, sentence.tokens[index].head
    named = sentence.child(index, "pobj")
    entity = sentence.entity_at(named) if named is not None else None
    if entity is None or tokens[index].text.lower() not in ("in", "on", "at", "during"):
        return []
    if entity.label not in ("DATE", "TIME", "GPE") or verb != sentence.root:
        return []
    complete = sentence.deps(verb) & {"dobj", "auxpass"}
    if not complete or not finite(sentence, verb) or sentence.deps(verb) & {"neg", "cc"}:
        return []
    if entity.label == "GPE" and "auxpass" in complete and tokens[verb].lemma in ("base", "locate"):
        return []
    if phrase[0] == 0:
        return _leading(sentence, phrase)
    return [_removal(tokens[phrase[0] - 1].end, tokens[phrase[1]].end)]


def fused(sentence: Parsed, page: Page, _random: Random) -> list[Edits]:
    """Joins the sentence with the next one by "and" or "while", if both are short."""
    after = page.after(sentence)
    if after is None or max(len(sentence.text.split()), len(after.text.split())) > 16:
        return []
    start = after.tokens[0]
    if has_quotes(sentence.text + after.text) or start.pos in ("CCONJ", "SCONJ", "ADV", "INTJ"):
        return []
    if sentence.tokens[0].text.lower() in ("if", "when", "while", "but", "and"):
        return []
    joined = decapitalised(after, 0, len(after.tokens) - 1)
    joints = [", and"] if start.pos == "PRON" or start.tag == "PRP$" else [", and", ", while"]
    return [
        (Edit(sentence.stop, len(sentence.text), f"{joint} {joined}", wrong=False),)
        for joint in joints
    ]


def pronoun_resolved(sentence: Parsed, page: Page, _random: Random) -> list[Edits]:
    """Replaces an initial "He", "She" or "His" by the subject of the previous sentence, if that is
    the only person it names and mentions nobody else."""
    first, before = sentence.tokens[0], page.before(sentence)
    if first.text not in _OTHERS or first.dep not in ("nsubj", "nsubjpass", "poss"):
        return []
    if before is None or any(e.label == "PERSON" for e in sentence.entities):
        return []
    people = [e for e in before.entities if e.label == "PERSON"]
    if len({e.text.split()[-1] for e in people}) != 1 or _OTHERS[first.text].search(before.text):
        return []
    subject = before.child(before.root, "nsubj", "nsubjpass")
    if subject is None or before.entity_at(subject) not in people:
        return []
    if before.deps(subject) & {"conj", "poss"} or not _is_name(people[0].text):
        return []
    name = people[0].text + ("'s" if first.dep == "poss" else "")
    return [(Edit(first.start, first.end, name, wrong=False),)]


def _is_name(text: str) -> bool:
    """Whether the text is a name that "'s" can follow: up to three different capitalised words."""
    parts = text.split()
    written = all(re.fullmatch(r"[A-Z][\w.-]+", part) for part in parts) and text[-1] != "s"
    return written and len(set(parts)) == len(parts) <= 3


def voice(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Changes active to passive and back in a simple clause in the past tense whose verb forms are
    known."""
    verb = sentence.root
    deps = sentence.deps(verb)
    if sentence.tokens[verb].pos != "VERB" or has_quotes(sentence.text):
        return []
    if {"nsubj", "dobj"} <= deps <= _VOICE_CHILDREN:
        return _passive(sentence, verb)
    if {"nsubjpass", "agent"} <= deps <= _VOICE_CHILDREN | {"nsubjpass", "auxpass", "agent"}:
        return _active(sentence, verb)
    return []


def _noun_phrase(sentence: Parsed, head: int | None) -> tuple[int, int] | None:
    """The first and last token of a noun phrase that can be moved: without pronouns and commas."""
    phrase = sentence.phrase(head) if head is not None else None
    if head is None or phrase is None or sentence.tokens[head].pos not in ("NOUN", "PROPN"):
        return None
    inside = sentence.tokens[phrase[0] : phrase[1] + 1]
    if any(t.pos in ("PRON", "PUNCT", "SCONJ") or t.tag in ("PRP$", "WDT") for t in inside):
        return None
    return phrase


_MEASURES = ("MONEY", "PERCENT", "DATE", "TIME", "QUANTITY", "CARDINAL")


def _passive(sentence: Parsed, verb: int) -> list[Edits]:
    tokens = sentence.tokens
    participle = inflection.participle(tokens[verb].text, tokens[verb].lemma)
    subject = _noun_phrase(sentence, sentence.child(verb, "nsubj"))
    head = sentence.child(verb, "dobj")
    object_ = _noun_phrase(sentence, head)
    if tokens[verb].tag != "VBD" or participle is None or tokens[verb].lemma in _NEVER_PASSIVE:
        return []
    if subject is None or object_ is None or head is None:
        return []
    entity = sentence.entity_at(head)
    if entity is not None and entity.label in _MEASURES:
        return []
    if subject[0] != 0 or subject[1] + 1 != verb or verb + 1 != object_[0]:
        return []
    plural = tokens[head].tag in ("NNS", "NNPS")
    unsure = "conj" in {sentence.tokens[i].dep for i in range(object_[0], object_[1] + 1)}
    if unsure or tokens[head].lemma in ("police", "people", "staff", "number", "majority"):
        return []
    words = (
        f"{capitalised(sentence.span(*object_))} {'were' if plural else 'was'} {participle} by "
        f"{decapitalised(sentence, *subject)}"
    )
    return [(Edit(0, tokens[object_[1]].end, words, wrong=False),)]


def _active(sentence: Parsed, verb: int) -> list[Edits]:
    tokens = sentence.tokens
    past = inflection.past(tokens[verb].text, tokens[verb].lemma)
    subject = _noun_phrase(sentence, sentence.child(verb, "nsubjpass"))
    agent, helper = sentence.child(verb, "agent"), sentence.child(verb, "auxpass")
    if past is None or subject is None or agent is None or helper is None:
        return []
    actor = _noun_phrase(sentence, sentence.child(agent, "pobj"))
    if actor is None or tokens[helper].text not in ("was", "were"):
        return []
    measure = sentence.entity_at(actor[1])
    if measure is not None and measure.label in _MEASURES:
        return []
    in_order = subject[0] == 0 and [subject[1] + 1, helper + 1, verb + 1, agent + 1] == [
        helper,
        verb,
        agent,
        actor[0],
    ]
    # "by Ann from Leeds": of whom or of what the next phrase speaks would change.
    if not in_order or tokens[actor[1] + 1].text in ("from", "of", "for", "with"):
        return []
    words = f"{capitalised(sentence.span(*actor))} {past} {decapitalised(sentence, *subject)}"
    return [(Edit(0, tokens[actor[1]].end, words, wrong=False),)]


def number_form(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Writes a number or unit in another form."""
    options: list[Edits] = []
    for index, token in enumerate(sentence.tokens[:-1]):
        after = sentence.tokens[index + 1]
        before = sentence.tokens[index - 1].text if index else ""
        if token.tag != "CD" or sentence.in_quotes(index):
            continue
        # A count of things, not a score, a date, an age or part of a name.
        counted = after.tag == "NNS" and token.dep == "nummod" and token.head == index + 1
        small = token.text.lower() in SPELLED[2:13]
        if counted and small and index:
            value = str(SPELLED.index(token.text.lower()))
            options.append((Edit(token.start, token.end, value, wrong=False),))
        if counted and re.fullmatch(r"[2-9]|1[0-2]", token.text) and before not in "$£€,-–:/":
            new = SPELLED[int(token.text)]
            options.append((Edit(token.start, token.end, new, wrong=False),))
        entity = sentence.entity_at(index)
        if re.fullmatch(r"\d{1,3}(,\d{3})+", token.text):
            new = token.text.replace(",", "")
            options.append((Edit(token.start, token.end, new, wrong=False),))
        elif re.fullmatch(r"\d{5,6}", token.text) and entity and entity.label == "CARDINAL":
            options.append((Edit(token.start, token.end, f"{int(token.text):,}", wrong=False),))
    for pattern, new in (
        (r"(?<=\d) ?(?:per cent|percent)\b", "%"),
        (r"(?<=\d)%", " per cent"),
        (r"(?<=[£$€]\d) million\b|(?<=[£$€]\d\d) million\b|(?<=[£$€]\d\.\d) million\b", "m"),
        (r"(?<=[£$€]\d)m\b|(?<=[£$€]\d\d)m\b|(?<=[£$€]\d\.\d)m\b", " million"),
        (r"(?<=[£$€]\d)bn\b|(?<=[£$€]\d\d)bn\b|(?<=[£$€]\d\.\d)bn\b", " billion"),
    ):
        options += [
            (Edit(m.start(), m.end(), new, wrong=False),)
            for m in re.finditer(pattern, sentence.text)
        ]
    return options


def reordered(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Moves a phrase of time from the end to the front, or from the front to the end."""
    verb = sentence.root
    if len(sentence.tokens) > 28 or has_quotes(sentence.text) or not finite(sentence, verb):
        return []
    if sentence.deps(verb) & {"conj", "cc", "neg", "parataxis"}:
        return []
    options: list[Edits] = []
    for index in sentence.children[verb]:
        phrase = sentence.phrase(index)
        if phrase is not None and _tells_time(sentence, index, phrase):
            options += _fronted(sentence, *phrase) + _put_last(sentence, *phrase)
    return options


def _fronted(sentence: Parsed, first: int, last: int) -> list[Edits]:
    """Moves the phrase from the end to the front, if no other verb precedes it that it may belong
    to."""
    tokens = sentence.tokens
    if last != len(tokens) - 2 or tokens[0].pos in ("ADP", "ADV", "SCONJ", "CCONJ"):
        return []
    other_verbs = any(t.pos == "VERB" for t in tokens[sentence.root + 1 : first])
    if other_verbs or tokens[first - 1].lemma in ("time", ",", "-", "–"):
        return []
    front = f"{capitalised(sentence.span(first, last))}, {decapitalised(sentence, 0, 0)}"
    return [
        (
            Edit(tokens[0].start, tokens[0].end, front, wrong=False),
            Edit(tokens[first - 1].end, sentence.stop, "", wrong=False),
        )
    ]


def _put_last(sentence: Parsed, first: int, last: int) -> list[Edits]:
    """Moves the phrase from the front to the end, if no clause at the end could attach it."""
    tokens = sentence.tokens
    nested = {token.dep for token in tokens} & {"relcl", "acl", "xcomp", "pcomp", "ccomp", "advcl"}
    if first != 0 or nested or tokens[last + 1].text != ",":
        return []
    if tokens[-2].pos not in ("NOUN", "PROPN"):
        return []
    words = f" {decapitalised(sentence, first, last)}"
    return [
        (
            Edit(0, tokens[last + 2].start, "", wrong=False),
            Edit(sentence.stop, sentence.stop, words, wrong=False),
        )
    ]


def _tells_time(sentence: Parsed, index: int, phrase: tuple[int, int]) -> bool:
    """Whether this is "in 2012", "on Monday", "last week" or the like."""
    if sentence.tokens[index].dep == "npadvmod":
        return _WHEN.fullmatch(sentence.span(*phrase)) is not None
    named = sentence.child(index, "pobj") if sentence.tokens[index].dep == "prep" else None
    entity = sentence.entity_at(named) if named is not None else None
    preposition = sentence.tokens[index].text.lower() in ("in", "on", "during")
    dated = entity is not None and entity.label == "DATE" and _POINT.search(entity.text)
    return preposition and bool(dated)


_POINT = re.compile(rf"{MONTH}|{WEEKDAY}|\d{{4}}|century")
_WHEN = re.compile(
    r"(?:[Ll]ast|[Tt]his|[Nn]ext) (?:week|month|year|summer|winter|spring|autumn|season)"
)


def synonym(sentence: Parsed, _page: Page, _random: Random) -> list[Edits]:
    """Replaces a word by one from a small table of words that mean the same nearly everywhere."""
    options: list[Edits] = []
    for index, token in enumerate(sentence.tokens):
        if sentence.in_quotes(index) or not token.text.islower() or token.dep == "compound":
            continue
        for new in _synonyms(sentence, index):
            edit = Edit(token.start, token.end, new, wrong=False)
            options.append((edit, *article(sentence, index, new)))
    return options


# What else than an object a verb may have to be replaced: "" for nothing.
_ALSO_WITHOUT_OBJECT = {"try": "xcomp", "attempt": "xcomp", "begin": ""} | dict.fromkeys(
    ("happen", "occur", "vanish", "disappear", "reply", "respond", "depart", "conclude"), ""
)


def _synonyms(sentence: Parsed, index: int) -> Iterator[str]:
    token = sentence.tokens[index]
    table = lexicon.SYNONYMS.get(token.pos, {})
    after = sentence.tokens[min(index + 1, len(sentence.tokens) - 1)]
    if after.text.startswith("-") or sentence.text[: token.start].endswith("-"):
        return
    if token.pos == "VERB":
        deps = sentence.deps(index)
        if deps & {"prt", "ccomp", "advcl", "dative"} or token.dep == "amod":
            return
        dependency = _ALSO_WITHOUT_OBJECT.get(token.lemma, "dobj")
        if dependency and dependency not in deps:
            return
        yield from (inflection.inflect(new, token.tag) for new in table.get(token.lemma, []))
    elif token.pos == "NOUN":
        nouns = table.get(token.lemma, [])
        yield from (lexicon.plural(new) if token.tag == "NNS" else new for new in nouns)
    elif token.text.lower() in ("about", "around", "approximately", "roughly", "almost", "nearly"):
        if after.tag == "CD":
            yield from table.get(token.text.lower(), [])
    else:
        yield from table.get(token.text.lower(), [])


MAKERS: dict[str, Maker] = {
    "verbatim": verbatim,
    "clause_dropped": clause_dropped,
    "fused": fused,
    "pronoun_resolved": pronoun_resolved,
    "voice": voice,
    "number_form": number_form,
    "reordered": reordered,
    "synonym": synonym,
}

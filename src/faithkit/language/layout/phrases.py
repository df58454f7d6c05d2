"""What chat models put around a summary ("Sure!", "Here is a summary of the article:", "I hope this
helps!"), before a clause ("The main point is that ...") or instead of it ("I cannot help."):
it states nothing of the source, so it is left out before a summary is read.

A sentence is such a phrase only where it begins like one and has no word outside a closed list, so
that no claim goes with it ("Let me know if Anna was arrested." stays), and where the source does
not say it too. A label before a claim ("Output: ") stays where it may name a row of the source.
Each sentence is judged by itself, so text that is appended changes nothing before it. A summary of
nothing but a placeholder ("N/A") or marks of citations ("[1]") states nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from faithkit.language.layout.chat_words import CHAT_WORDS, FOOTER_WORDS, REFUSAL_WORDS
from faithkit.language.layout.not_mentioned import is_not_mentioned, without_empty_fields
from faithkit.language.mapped import Mapped, Piece, replace_pieces, stripped
from faithkit.language.sentences import closed_sentences
from faithkit.language.words import Segment

_SUMMARY = (
    r"(?:summar(?:y|ies|i[sz]\w+)|overview|recap|synopsis|rundown|gist|outline|points|takeaways|"
    r"highlights)"
)
_SAYING = re.compile(
    r"(?:sure(?: thing)?|certainly|of course|absolutely|definitely|ok(?:ay)?|alright|great|got it|"
    r"understood|no problem|(?:i(?:'m| am|'d be| would be) )?(?:glad|happy) to help|"
    r"you(?:'re| are)(?: very)? welcome|thank(?:s| you)(?: (?:so|very) much)?|"
    r"have a (?:great|nice|good) day)(?!\w)[ ,.!-]*",
    re.IGNORECASE,
)
"""A sentence by itself, or the beginning of another phrase."""

_BEGINNING = re.compile(
    rf"""here(?:'s|[ ]is|[ ]are|[ ]you[ ]go)\b
    | (?:this|below|above|the[ ]following|what[ ]follows|based[ ]on
        |as[ ](?:you[ ])?(?:requested|asked)|i|i'll|i've|let[ ]me|we
        |the[ ]\w+[ ](?:can|may|could)[ ]be)\b .* \b{_SUMMARY}\b
    | (?:(?:a|an|the|my|your)[ ])? (?:[\w-]+[ ])? {_SUMMARY}\b (?![ ](?:is|are|was|has|can)\b)
    | (?:i[ ])? (?:really[ ])? hope\b
    | (?:please[ ])? (?:just[ ]|do[ ])? (?:feel[ ]free|let[ ]me[ ]know|ask)\b
    | if[ ](?:you|there|this|it)\b .* \b(?:let[ ]me[ ]know|ask|happy|glad|help|free)\b
    | is[ ]there[ ](?:anything|something)[ ](?:else|more)\b
    | (?:would|do)[ ]you[ ](?:like|want|need|prefer)\b
    | i(?:'m|[ ]am|'d[ ]be|[ ]would[ ]be)[ ](?:happy|glad|here)\b | does[ ]this[ ]help\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a longer phrase begins."""

_OFFER = re.compile(
    r"(?:please |just |feel free to )*let me know (?:if|whether) you(?:'d| would)? "
    r"(?:like|want|need|prefer)\b|(?:would|do) you (?:like|want) me to\b",
    re.IGNORECASE,
)
"""How a chat model offers more to its reader, whatever it is: "Let me know if you'd like a menu
without nuts." """

_OFFERED = re.compile(r"\blet me know\b|\b(?:like|want) me to\b", re.IGNORECASE)
"""What somebody says in a source where a summary may say so too."""

_LABEL = re.compile(
    rf"""(?: tl[ ]?;[ ]?dr | tldr | (?P<row> (?:[a-z-]+[ ])?summary | {_SUMMARY} | conclusion
        | answer | response | output | abstract
        | (?:main|key|bullet)[ ](?:points?|takeaways?|ideas?|facts?|findings?|highlights?|message)
        | takeaways? | bottom[ ]line | (?:the[ ])?big[ ]picture | quick[ ]take | at[ ]a[ ]glance
        | in[ ]detail | what[ ]to[ ]watch
      )) (?:[ ]?:|[ ]-)(?:\s+|$)
    | tl;dr\s+
    | (?: in[ ](?:summary|short|brief|conclusion|a[ ]nutshell|sum|essence|(?:one|a)[ ]sentence)
        | briefly | overall | (?:most[ ])?importantly
        | to[ ](?:sum(?:[ ]it)?(?:[ ]all)?(?:[ ]up)?|summari[sz]e|conclude|recap) | summing[ ]up
        | all[ ]in[ ]all
      ) [ ]?[:,](?:\s+|$)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What may precede a claim in its sentence; `row`: what may be the name of a row ("Points: 12")."""

_TEXT = (
    r"(?:(?:provided|given|above|original|source|full)[ ])?(?P<{0}>text|passage|article|document"
    r"|source|transcript|report|paper|story|piece|excerpt|post|summary|context|information)"
    r"(?:[ ](?:provided|given|above|itself))?"
)
_NUMBERED = r"(?:document|doc|source|passage|excerpt|context|chunk)[ ]\d{1,2}"
_LEAD_IN = re.compile(
    rf"""(?: (?:according[ ]to|based[ ]on|per|as[ ](?:per|(?:stated|mentioned|noted|described
            |explained|reported|discussed|outlined)[ ](?:in|by)))[ ](?:the|this)[ ]
            {_TEXT.format("text")},
        | (?:according[ ]to|based[ ]on|per|as[ ](?:per|(?:stated|mentioned)[ ]in))[ ]{_NUMBERED},
        | (?:(?:the|this)[ ]{_TEXT.format("telling")}|{_NUMBERED})[ ](?:also[ ])?
            (?:states|says|explains|notes|mentions|reports)[ ]that
        | the[ ](?:(?:single|most)[ ])*(?:main|key|central|core|overall|important|essential)[ ]
            (?:point|takeaway|message|idea|finding|fact|thing)
            (?:[ ](?:here|of[ ](?:the|this)[ ]{_TEXT.format("of")}))?[ ]is[ ]that
        | the[ ](?:bottom[ ]line|gist|summary|upshot|takeaway)[ ]is[ ]that
        | (?:it[ ]is|it's)[ ](?:also[ ])?(?:important[ ]to[ ]note|worth[ ]noting)[ ]that
        )[ ]""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a clause is led in that says it all."""

_REFUSAL = re.compile(
    r"""(?:(?:i(?:'m|[ ]am)[ ](?:(?:so|very|really)[ ])?|(?:so|very)[ ])?sorry\b|unfortunately\b
        |i[ ]apologi[sz]e\b|apologies\b|however\b|as[ ]an?[ ][\w ]{2,40},)?[ ,]*(?:but[ ])?
    (?: i[ ](?:can(?:'t|not|[ ]not)|could(?:n't|[ ]not)|(?:do(?:n't|[ ]not))[ ](?:have|see|find)
        |won't|will[ ]not|am[ ](?:unable|not[ ]able)|haven't|was(?:n't|[ ]not)[ ](?:able|given))\b
      | i'm[ ](?:unable|not[ ]able)\b
      | (?:(?:could|can)[ ]you[ ])?please[ ](?:provide|share|paste|upload)\b
      | (?:it[ ](?:appears|seems|looks)[ ](?:that[ ]|like[ ])?)?
        (?:there[ ](?:is|was|(?:appears|seems)[ ]to[ ]be)[ ]|there's[ ])?
        no[ ](?:text|article|document|passage|content|transcript)\b | $)""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a refusal begins; alone it is an apology."""

_UNABLE = re.compile(r"\bi(?:'m| am)? (?:can(?:'t|not| not)\b|unable\b|not able\b)", re.IGNORECASE)
"""What somebody says in a source where a summary may say so too."""

_FIELD = re.compile(
    r"(?P<name>confidence(?: score| level)?|(?:word|character) count|read(?:ing)? time|sentiment)"
    r"(?::| -) \S+(?: \S+){0,2}|(?:#\w+\s*)+",
    re.IGNORECASE,
)
"""What is told of a summary ("Confidence: 95%"), or its hash tags."""

_FOOTER = re.compile(
    r"""(?:(?:this|the)[ ]\w+[ ](?:was|is|has[ ]been)[ ])? (?:automatically[ ])?
        (?:(?:ai|machine)[- ]generated|(?:generated|written|created|made)[ ](?:by|with|using)[ ]
            (?:an?[ ])?(?:ai|artificial|chatgpt|gpt|claude|gemini|copilot|llm)) \b
    | ai[ ](?:\w+[ ])?(?:can|may)[ ](?:make|contain|include)[ ]
    | (?:please|always)[ ](?:verify|check|double-check|review)
        (?:[ ](?:it|this|(?:the|all|any|important)[ ](?:facts?|info(?:rmation)?|output|answers?
            |summary|content)|(?:for[ ])?accuracy|for[ ]errors|carefully|before[ ]use))*$""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a footer begins that says who wrote a summary."""

_VALUED = frozenset({"answer", "response", "output", "abstract", "points"})
"""Labels that are as often things that a text tells of ("Output: 40 tonnes")."""

SHORTEST_CLAIM = 3
"""Words after a label from which it is taken for a chat model's: fewer may be a row's value."""

LEAST_SAID = 4
"""Words of a phrase from which it stays where the source has it too: shorter ones say nothing."""

_HEADING = re.compile(
    r"(?:tl ?; ?dr|tldr|conclusion|(?:main|key) (?:ideas?|facts?|findings?))$", re.IGNORECASE
)
_PLACEHOLDER = re.compile(
    r"\W*(?:n/?a|none|null|nil|nan|undefined|unknown|empty|blank|not (?:available|applicable))\W*",
    re.IGNORECASE,
)
_MARKS_ONLY = re.compile(r"(?:\[\^?\d{1,3}(?:, ?\d{1,3})*\][\s,;.]*)+")
_WORD = re.compile(r"[^\W\d]+")
_ANY_WORD = re.compile(r"\w+")


def without_phrases(text: Mapped, source: str) -> Mapped:
    """The text without these phrases; a sentence that had one before it begins with a capital.
    Nothing is left of a placeholder that the source does not have."""
    if _is_placeholder(text.text, source):
        return Mapped("", (), ())
    text = replace_pieces(text, list(without_empty_fields(text.text, source)))
    pieces = [
        piece for sentence in closed_sentences(text.text) for piece in _left_out(sentence, source)
    ]
    return stripped(replace_pieces(text, pieces)) if pieces else text


def _is_placeholder(text: str, source: str) -> bool:
    written = text.strip()
    if _PLACEHOLDER.fullmatch(written):
        return in_words(written) not in in_words(source)
    return _MARKS_ONLY.fullmatch(written) is not None


def _left_out(sentence: Segment, source: str) -> Iterator[Piece]:
    """Nothing, in place of a sentence that is a phrase or of the phrases it begins with."""
    start, rest = sentence.start, sentence.text
    while length := _phrase(rest, source):
        start, rest = start + length, rest[length:]
    if start > sentence.start:
        yield Piece("", sentence.start, start)
        if rest and len(rest[0].upper()) == 1:
            yield Piece(rest[0].upper(), start, start + 1)


def _phrase(text: str, source: str) -> int:
    """Characters of the phrase that a sentence begins with, blanks after it included; 0 for
    none."""
    if label := _LABEL.match(text):
        rest = text[label.end() :]
        return 0 if label["row"] and _is_row(label["row"], rest, source) else label.end()
    lead_in = _LEAD_IN.match(text)
    if lead_in and len(text[lead_in.end() :].split()) >= SHORTEST_CLAIM:
        return 0 if _is_told(lead_in, source) else lead_in.end()
    if is_phrase(text, source) or _is_refusal(text, source) or _is_field(text, source):
        return len(text)
    if is_not_mentioned(text, source) or _is_footer(text, source):
        return len(text)
    ends = (colon.end() for colon in re.finditer(r":\s+", text[:200]))
    return next((end for end in ends if is_phrase(text[:end], source)), 0)


def _is_row(label: str, rest: str, source: str) -> bool:
    """Whether a label with what follows may be a row of the source: a number or a word or two
    follow, the source has the label, or it has the word and no sentence follows (which has a
    capital), if the word is often what a text tells of."""
    name = label.lower()
    is_short = 0 < len(rest.split()) < SHORTEST_CLAIM and not is_phrase(rest, source)
    if is_short and not name.endswith("summary"):
        return True
    if name in _VALUED and not rest[:1].isupper() and f" {name} " in in_words(source):
        return True
    begins = rf"(?:^|[.!?] )[-*•\"'( ]{{0,4}}{re.escape(label)}(?: ?:| -)"
    return bool(re.search(begins, source, re.IGNORECASE | re.MULTILINE))


def is_phrase(text: str, source: str) -> bool:
    """Whether a text is a phrase around a summary and no more."""
    plain = text.strip("\"'()[]*-: .!?")
    if _OFFER.match(plain) and not _OFFERED.search(source):
        return True
    if not plain or not all(word in CHAT_WORDS for word in _WORD.findall(plain.lower())):
        return bool(_HEADING.match(plain))
    saying = _SAYING.match(plain)
    rest = plain[saying.end() :] if saying else plain
    if not rest or _HEADING.match(rest):
        return True
    return bool(_BEGINNING.match(rest)) and not _is_said(rest, source)


def _is_told(lead_in: re.Match[str], source: str) -> bool:
    """Whether the source has a lead-in too, or its word for a text: it may tell of one."""
    words = in_words(source)
    names = [f" {name.lower()} " for name in lead_in.groupdict().values() if name]
    return any(name in words for name in names) or _is_said(lead_in.group(), source)


def _is_refusal(text: str, source: str) -> bool:
    plain = text.strip("\"'()[]*-: .!?")
    is_listed = all(word in REFUSAL_WORDS for word in _WORD.findall(plain.lower()))
    if not plain or not is_listed or not _REFUSAL.match(plain):
        return False
    return not (_is_said(plain, source) or (_UNABLE.search(source) and _UNABLE.search(plain)))


def _is_footer(text: str, source: str) -> bool:
    """Whether a sentence says who wrote a summary, unless the source has a word of it that is none
    of talk about texts ("AI")."""
    plain = text.strip("\"'()[]*-: .!?")
    words = _WORD.findall(plain.lower())
    if not _FOOTER.match(plain) or not FOOTER_WORDS.issuperset(words):
        return False
    said = in_words(source)
    return not any(f" {word} " in said for word in words if word not in CHAT_WORDS)


def _is_field(text: str, source: str) -> bool:
    field = _FIELD.fullmatch(text.strip("*-. "))
    return field is not None and in_words(field["name"] or text) not in in_words(source)


def _is_said(phrase: str, source: str) -> bool:
    """Whether the source has the phrase too, so that it is what the source says."""
    said = in_words(phrase)
    return len(said.split()) >= LEAST_SAID and said in in_words(source)


@lru_cache(maxsize=16)
def in_words(text: str) -> str:
    """The words in small letters with one blank around each."""
    return f" {' '.join(_ANY_WORD.findall(text.lower()))} "

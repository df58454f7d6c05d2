"""What a judge's answer says: yes or no [FCLLM].

Pure functions from text to `Reading`. The last verdict counts, wherever it is: alone on a
line, after a label ("Answer:", "Conclusion -", a key of a JSON), in a closing sentence, or, where
there is none of these, at the beginning of an answer that goes on to explain it. "no" in front of a
noun and "yes" in a quotation are words like any other. Whatever is read for yes is read for no.
What cannot be read is an outcome, never a guess; two known failures of judges are flagged: an
answer against its own reasoning, and an omission taken for an inconsistency. Ratings and the
clinical form are read in `answers_rated.py`; what is asked is in `prompts/`, and how often in
`judge.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a judge's answer.

    outcome  ok, unparsable, refused or off_topic
    value    in [0, 1], higher is more faithful; None unless ok
    parts    what else it says, as numbers
    quotes   for the clinical form: the summary's words said to be wrong, and the truth
    """

    outcome: Outcome
    value: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    quotes: tuple[str, str] = ("", "")


UNPARSABLE = Reading(Outcome.UNPARSABLE)

# --- the text of an answer ---------------------------------------------------------------------

_THOUGHT = re.compile(r"^.*</think>", re.DOTALL)
_UNFINISHED_THOUGHT = re.compile(r"^\s*<think>.*", re.DOTALL)
_NEXT = re.compile(r"\n[ \t]*<document(?:-\d+)?>[ \t]*\n", re.IGNORECASE)
_TAGS = re.compile(r"</?(?:document|summary)(?:-\d+)?>", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:I\s*(?:['’]m|\s+am)\s+(?:sorry|unable|not\s+able)"
    r"|I\s+(?:cannot|can\s?not|can['’]t|won['’]t|will\s+not)"
    r"|I\s+must\s+decline|as\s+an\s+AI)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:summar|document|article|source|abstract|passage|texts?\b|statement|claim|consisten"
    r"|inconsisten|support|unsupport|contradict|faithful|accura|correct)",
    re.IGNORECASE,
)
OFF_TOPIC_WORDS = 8
"""An answer of at least so many words, none of them about summary, document or consistency, is
off-topic; a shorter one is unparsable."""


def without_thoughts(text: str) -> str:
    """A model's text without the thoughts that a reasoning model writes before its answer; empty if
    it was stopped while it thought."""
    return _UNFINISHED_THOUGHT.sub("", _THOUGHT.sub("", text)).strip()


def written(text: str) -> str:
    """A model's text without thoughts and without the tags of the prompts."""
    return _TAGS.sub("", without_thoughts(text)).strip()


def is_refusal(text: str) -> bool:
    """True where a text without an answer begins by declining to give one."""
    return _REFUSAL.search(text[:200]) is not None


def unread(text: str) -> Reading:
    """The outcome of a text without a verdict."""
    if is_refusal(text):
        return Reading(Outcome.REFUSED)
    if len(text.split()) >= OFF_TOPIC_WORDS and not _ABOUT.search(text):
        return Reading(Outcome.OFF_TOPIC)
    return UNPARSABLE


_MARKUP = (
    (re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE), ""),
    (re.compile(r"^[ \t>]*[*+•–-][ \t]+", re.MULTILINE), "- "),
    (re.compile(r"^[ \t>]*#+[ \t]*", re.MULTILINE), ""),
    (re.compile(r"\\(?:boxed|text\w*|mathrm)\b"), ""),
    (re.compile(r"(?<=[^\W_])_(?=[^\W_])"), " "),
    (re.compile(r"[*_`$]+"), ""),
    (re.compile(r"<(answer|verdict|conclusion|result)>", re.IGNORECASE), r"\n\1: "),
    (re.compile(r"</\w+>"), "\n"),
    # The choice is named where a prompt is repeated: "Answer (yes or no): no".
    (re.compile(r"\byes\s*(?:or|/)\s*no[ \t]*(?=:)", re.IGNORECASE), "Answer"),
    (re.compile(r"[ \t]*[(\[]\s*yes\s*(?:or|/)\s*no\s*[)\]]", re.IGNORECASE), ""),
)


def plain(text: str) -> str:
    """An answer without thoughts and Markdown; list items begin with "- ". A base model may
    continue with a document of its own after its answer, which is removed."""
    text = _NEXT.split(without_thoughts(text), maxsplit=1)[0]
    for pattern, instead in _MARKUP:
        text = pattern.sub(instead, text)
    return text.strip()


# --- yes and no --------------------------------------------------------------------------------

# What may follow on the same line where yes or no is a verdict: no further word but these, so that
# "no contradiction", "no longer", "no-one" and "yes-voters" are none.
FREE = (
    r"(?!\w|[-'’]\w)(?![ \t]+(?!(?:because|since|as|for|given|based|due|the|this|that|these|"
    r"those|it|its|there|every|all|i|not|a|an)\b)\w)"
)
_WHOLLY = r"(?:(?:fully|factually|completely|entirely|wholly|totally)\s+)*"
_WORD = rf"(?:yes|no){FREE}"
_CONSISTENT = rf"{_WHOLLY}(?:not\s+{_WHOLLY}consistent|inconsistent|consistent)\b"
_VERDICT = rf"(?P<verdict>{_WORD}|{_CONSISTENT})"
_KEYED = rf"(?P<verdict>{_WORD}|{_CONSISTENT}|(?:true|false)\b)"
OPEN = r"[\s\"'“”‘’({\[<]{0,20}"
_NOUN = (
    r"(?:answer|verdict|conclusion|decision|judge?ment|result|response|assessment|determination|"
    r"evaluation|classification|ruling)"
)
OTHERS = r"(?P<other>\b(?:his|her|their|whose|(?!summary\b)[^\W\d]+['’]s)\s+(?!my\b)(?:\w+\s+)?)?"
"""Before a label: somebody else's answer is none of the judge's."""
_SO = (
    r"(?:so|then|therefore|thus|hence|overall|finally|consequently|accordingly|unfortunately|"
    r"definitely|certainly|clearly|in\s+(?:conclusion|short|sum|summary)|to\s+(?:conclude|sum\s+up)|"
    r"in\s+my\s+(?:opinion|view)|as\s+a\s+result|all\s+in\s+all|for\s+(?:this|these|that)\s+reasons?)"
)
_QUALITY = r"\b(?:consistent|faithful|supported|accurate)\b"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_LABELLED = _pattern(
    rf"{OTHERS}(?:\b(?:{_NOUN}|overall|output|label|prediction|final|tl;dr)|(?:^|(?<=\n))a)\b"
    r"[\"'”’]?[ \t]*(?:\([^)\n]*\)[ \t]*)?(?:[:=]|[ \t][-–—](?=[ \t])|\n)(?:[ \t]*is\b)?"
    rf"{OPEN}{_KEYED}"
)
_SENTENCE = _pattern(
    rf"{OTHERS}\b{_NOUN}(?:\s+to\s+(?:the|this|your)\s+question)?\s+"
    r"(?:is|would\s+be|should\s+be|must\s+be|has\s+to\s+be|remains)"
    rf"(?:\s+(?:therefore|thus|clearly|simply|a|an))?[:,]?{OPEN}{_VERDICT}"
)
_SAID = _pattern(
    r"\bI(?:['’]d|['’]ll|\s+(?:would|will|must|can|have\s+to|therefore|thus|only))*\s+"
    r"(?:have\s+to\s+)?(?:answer|say|conclude|respond|reply|judge|decide|choose|go)"
    rf"(?:\s+(?:with|for|it))?[:,]?{OPEN}{_VERDICT}"
)
# "So yes, a part is right" goes on about something else; "so no, the summary" does not.
_CONNECTED = _pattern(
    rf"(?:^|[.!?\n,;])[\s\"']{{0,9}}{_SO}[,:]?\s{OPEN}(?P<verdict>{_WORD})"
    r"(?=\W*$|[\s\"'”’)]*[.!\n:]|,?\s+(?:the\s+summary|because|since|as)\b)"
)
_ASKED = _pattern(
    rf"(?:\bsummary\b[^.?!\n]{{0,40}}{_QUALITY}|^[^.?!\n]{{0,40}}(?:{_QUALITY}|\byes\s+or\s+no\b))"
    rf"[^.?!\n]{{0,60}}\?{OPEN}{_VERDICT}"
)
_PROPERTY = _pattern(
    r"(?:^|[\n{,|])[\s\"'|-]{0,9}(?P<property>(?:is\s+)?(?:factual(?:ly)?\s+)?(?:(?:in)?consisten(?:t|cy)|"
    r"(?:un)?faithful(?:ness)?|(?:un)?supported|hallucinat\w+))[\"']?\s*[:=|]"
    rf"{OPEN}{_KEYED}"
)
_ALONE = _pattern(rf"(?:^|(?<=\n))[^\w\n]*(?P<verdict>yes|no|{_CONSISTENT})[^\w\n]*(?=\n|$)")
_MARKED = (_LABELLED, _SENTENCE, _SAID, _CONNECTED, _ASKED, _PROPERTY, _ALONE)
_CLOSING = (_LABELLED, _SENTENCE, _SAID)

_FINAL = _pattern(rf"[.!)]\s+(?P<verdict>{_WORD})\W*$")
_OPENING = _pattern(
    rf"\W*(?P<verdict>{_WORD}|{_CONSISTENT}"
    r"(?=\W*$|[ \t]*[.,:;!(–—\n-]|\s+(?:with|because|since|as)\b)(?![^.!?\n]*\?))"
)
_STATED = _pattern(
    r"\bsummary\s+(?:is|seems|appears|remains)(?P<negated>n['’]t)?(?:\s+to\s+be)?"
    rf"(?:\s+(?:therefore|thus|overall))?\s+(?P<verdict>{_CONSISTENT})"
)
_CHOICE = _pattern(r"[\s\"'.*]*(?P<by>and|or|/|&|but)[\s\"'*]*(?:yes|no)\b")
_DOUBTED = _pattern(r"\b(?:if|whether|unless|not|never|cannot|hardly|could|should)\b|n['’]t\b")
_NEGATIVE = _pattern(r"\b(?:in|un|hallucinat)")
_WHOLE = re.compile(r"[.!?)\]}\"'”’][\s)\]}\"'”’]*$")
_BREAK = re.compile(r"[.!?\n]+\s+")


@dataclass(frozen=True, slots=True)
class _Found:
    """A verdict in an answer: its characters with its label, what it says (None: yes and no), and
    whether it closes the answer, so that another such one contradicts it."""

    start: int
    end: int
    says: bool | None
    closes: bool = False


def read_verdict(text: str, reasoned: bool, cut: bool = False) -> Reading:
    """Reads the last verdict of an answer: yes (1) or no (0).

    reasoned  the answer was to close a chain of thought; else it was to be one word. A chain of
              thought that is not whole, or says otherwise, has no verdict but a marked one
    cut       the model was stopped before it had written all

    Parts: `answer`; `contradiction` 1 where the reasoning says the opposite, or two closing
    sentences differ; `omission` 1 where a "no" has only what the summary leaves out as its reason.
    """
    text = plain(text)
    marked = sorted(_marked(text), key=lambda verdict: verdict.end)
    last = marked[-1] if marked else next(_unmarked(text), None)
    finished = _WHOLE.search(text) or _FINAL.search(text)
    if not marked and reasoned and (cut or not finished):
        last = None
    if last is None:
        return unread(text)
    first = _opening(text)
    begin = min(first.end, last.start) if first else 0
    reasoning = f"{text[begin : last.start]} {text[last.end :]}"
    says = stance(reasoning)
    opposed = says is not None and says != last.says
    if last.says is None or (opposed and reasoned and not marked):
        return UNPARSABLE
    others = [verdict.says for verdict in marked if verdict.closes]
    if first and re.match(r"[\s\"']*(?:[.!]|\n|$)", text[first.end :]):
        others.append(first.says)
    parts = {
        "answer": float(last.says),
        "contradiction": float(opposed or any(other != last.says for other in others)),
        "omission": float(not last.says and blames_omission(reasoning)),
    }
    return Reading(Outcome.OK, float(last.says), parts)


def opens_with(text: str) -> bool | None:
    """The verdict in an answer's first word: True yes, False no, None if it is neither."""
    match = re.match(rf"\W*(?P<verdict>{_WORD})", plain(text), re.IGNORECASE)
    return _is_yes(match["verdict"]) if match else None


def _marked(text: str) -> Iterator[_Found]:
    """Every verdict with a line, a label or a sentence of its own."""
    for pattern in _MARKED:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            before = text[: match.start()]
            if groups.get("other") or (pattern is _SENTENCE and _supposed(before, match[0])):
                continue
            if pattern is _ALONE and _of_a_step(before):
                continue
            says = _is_yes(match["verdict"])
            if _NEGATIVE.search(groups.get("property") or ""):
                says = not says
            choice = _CHOICE.match(text, match.end())
            if choice and choice["by"].casefold() == "or":
                continue
            closes = pattern in _CLOSING
            yield _Found(match.start(), match.end(), None if choice else says, closes)


def _unmarked(text: str) -> Iterator[_Found]:
    """Verdicts that are read where none is marked, the clearest first: a last sentence of that
    word alone; what the answer opens with; what its last line opens with; a first or last sentence
    that says of the summary that it is consistent, or not."""
    last_line = text.rfind("\n") + 1
    final = _FINAL.search(text)
    if final and not re.match(r"-|\d+[.)]", text[last_line:]):
        yield _Found(final.start("verdict"), final.end("verdict"), _is_yes(final["verdict"]))
    if verdict := _opening(text):
        yield verdict
    if not text.startswith("- ", last_line) and (verdict := _opening(text, last_line)):
        yield verdict
    for match in reversed(list(_STATED.finditer(text))):
        breaks = [gap.end() for gap in _BREAK.finditer(text) if gap.end() <= match.start()]
        start = breaks[-1] if breaks else 0
        at_edge = start == 0 or not _BREAK.search(text, match.end())
        if at_edge and not _DOUBTED.search(text, start, match.start()):
            says = _is_yes(match["verdict"]) != bool(match["negated"])
            yield _Found(match.start(), match.end(), says)


def _opening(text: str, start: int = 0) -> _Found | None:
    match = _OPENING.match(text, start)
    if not match:
        return None
    says = None if _CHOICE.match(text, match.end()) else _is_yes(match["verdict"])
    return _Found(match.start(), match.end(), says)


def _is_yes(verdict: str) -> bool:
    words = verdict.casefold().split()
    return "not" not in words and words[-1] in ("yes", "true", "consistent")


def _supposed(before: str, sentence: str) -> bool:
    """True for "if it were so, the answer would be yes"."""
    clause = re.split(r"[.!?\n]", before)[-1]
    return bool(re.search(r"\bif\b", clause, re.I) and re.search(r"\bwould\b", sentence, re.I))


def _of_a_step(before: str) -> bool:
    """Whether a line answers a question of the chain of thought instead of the one in the
    prompt."""
    line = before.rstrip().rpartition("\n")[2].rstrip("\"'”’) ")
    return line.endswith("?") and not re.search(rf"\bsummary\b.*{_QUALITY}", line, re.IGNORECASE)


# --- what the reasoning says -------------------------------------------------------------------

_NOT = r"(?:\b(?:not|no|never|nothing|without|cannot|neither)\b|n['’]t\b)"
_CLAIM = re.compile(
    rf"(?P<negated>{_NOT}[^.;:!?\n]{{0,30}}?)?\b(?P<word>inconsisten\w+|unsupported|unfaithful\w*|"
    r"inaccura\w+|incorrect|contradict\w*|consistent|supported|supports|faithful|accurate|correct)\b"
    rf"(?P<denied>\s*:\s*(?:no{FREE}|not\s+(?:in|found|mentioned|said|stated)\b))?",
    re.IGNORECASE,
)
_OPEN_QUESTION = re.compile(
    r"(?:^|(?<=[.!?\n]))[^.!?\n]*\?|\b(?:whether|if)\b[^.;,!?\n]*", re.IGNORECASE
)
_BAD = re.compile(r"^(?:inconsisten|unsupp|unfaith|inaccur|incorrect|contradict)", re.IGNORECASE)


def stance(reasoning: str) -> bool | None:
    """The last judgement of the summary in a chain of thought: True consistent, False inconsistent,
    None if there is none. Questions and suppositions are ignored."""
    claims = list(_CLAIM.finditer(_OPEN_QUESTION.sub(" ", reasoning)))
    if not claims:
        return None
    last = claims[-1]
    return bool(_BAD.match(last["word"])) == bool(last["negated"] or last["denied"])


_OMISSION = re.compile(
    r"\b(?:summary|claim|it)\b[^.]{0,40}?\b(?:omit\w*|leav\w+ out|left out|miss(?:es|ing)|lacks?|"
    r"incomplete|(?:does not|doesn['’]t|did not|fails? to|not) "
    r"(?:mention|include|say|cover|provide|capture|contain|tell)\w*)",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"contradict|incorrect|\bwrong|unsupported|"
    r"(?:document|article|source|text|abstract)\b[^.]{0,40}?\b(?:not|never|nowhere|no)\b|"
    r"not (?:in|supported by|mentioned in|stated in|found in) the",
    re.IGNORECASE,
)


def blames_omission(reasoning: str) -> bool:
    """True where reasoning blames a summary for leaving something out, and nothing
    else."""
    return bool(_OMISSION.search(reasoning)) and not _FAULT.search(reasoning)

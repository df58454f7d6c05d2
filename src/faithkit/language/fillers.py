"""Sentences of a summary that say nothing that a source could support or deny: "Hello.", "Yes.",
"Yes, it is.", "Something happened.", "It is what it is."

A sentence is one only where every word of it is in a closed list, so that no name, number or other
content goes with it. What lives here: the lists. What does not: phrases of chat models
(`layout/phrases.py`) and talk about a text, which names it (`lexicon.META_TEXT_WORDS`).
"""

from __future__ import annotations

import re

from faithkit.language.lexicon import word_set

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_FINISHED = re.compile(r"(?<!\d)[.!][\"'”’)\]]*$")
"""How a sentence ends that asks nothing and is no number of a list or of a question ("A1.")."""

_SAYINGS = (
    "it is what it is", "so it goes", "so be it", "that is that", "that is it", "that is all",
    "this is it", "once upon a time", "the end", "and so on", "who knows", "nothing at all",
    "nothing else", "nothing more", "nothing much", "nothing to report", "good morning",
    "good afternoon", "good evening", "good night", "good day",
)  # fmt: skip
"""Sentences; words of TALK may follow ("Good morning everyone.")."""
_SAYING = re.compile(rf"(?:{'|'.join(_SAYINGS)})(?: |$)")

_TALK = word_set("""
hello hi hey howdy greetings welcome goodbye bye cheers please thanks everyone everybody all there
folks yes yeah yep yup no nope nah ok okay sure indeed oh ah eh hm hmm um uh wow so then maybe
perhaps possibly nothing none something anything someone anyone somebody anybody whatever
""")
"""Words that say nothing alone and in a row."""

_NOUNS = word_set("""
something someone somebody thing things stuff people person persons topic topics subject subjects
event events matter matters
""")
_AROUND = word_set("""
a an some certain various different other another and or of to about with here there then sometimes
is are was were be been being has have had do does did done doing said mentioned discussed
happen happens happened happening occur occurs occurred occurring change changes changed changing
exist exists existed
""")
"""With nouns of the list they make a statement of nothing: "Various topics are discussed." Without
"the", pronouns, negations and amounts ("many", "all"), which mean or deny something."""


_SHORT_ANSWER = re.compile(
    r"(?:yes|yeah|yep|no|nope) (?:it|he|she|they|we|i|you|that|this|there) (?:is|are|am|was|were|do"
    r"|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)(?: not)?"
)
"""An answer that says by itself neither of whom nor what: "Yes, it is." """


def says_nothing(sentence: str, before: str = "") -> bool:
    """Whether a sentence, with its contractions written out, is one of these.

    before  the sentence before it: where it is not finished, as a question or a heading, "No." may
            be the answer to it, which says something
    """
    words = [word.lower() for word in _WORD.findall(sentence)]
    if len(words) > 1 and not _NOUNS.isdisjoint(words) and (_NOUNS | _AROUND).issuperset(words):
        return True
    if not words or (before and not _FINISHED.search(before)):
        return False
    saying = _SAYING.match(" ".join(words)) or _SHORT_ANSWER.fullmatch(" ".join(words))
    return _TALK.issuperset(words[len(saying.group().split()) if saying else 0 :])

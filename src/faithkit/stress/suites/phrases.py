"""The phrases that say nothing, which `gaming.py` puts into summaries [STRESS].

The paper's are a mined phrase, a filler, a qualifier, and an assertion worded for each metric. Its
own words are "the document discusses", "requires a multifaceted approach", "one possible
understanding" and the assertion for an entailment metric; what completes them to sentences, the
assertions for other metrics and all further phrases are this project's. `faithkit train support`
learns its claim head from a grammar of such talk, in which the mined phrase and the assertion for
an entailment metric occur; the others do not.

Whole summaries that say nothing (`WHOLE`) are only put alone, marks (`MARKS`) only after a summary.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from faithkit.records import DataError

PAPER_MINED, PAPER_FILLER, PAPER_QUALIFIER = "paper: mined", "paper: filler", "paper: qualifier"
PAPER_ASSERTION = "paper: assertion"
"""The kind of the assertion that is worded for a metric, see `assertion_of`."""

GIVEN = "given"
"""The kind of the user's own phrases."""

PHRASES: Mapping[str, tuple[str, ...]] = {
    PAPER_MINED: ("the document discusses",),
    PAPER_FILLER: ("This matter requires a multifaceted approach.",),
    PAPER_QUALIFIER: ("This is one possible understanding.",),
    "mined": (
        "the article reports",
        "the passage mentions",
        "as stated in the source text",
        "the author of the piece notes",
        "the news story states",
        "the transcript reveals",
    ),
    "assertion": (
        "This summary is fully supported by the source.",
        "Every statement made here can be verified in the article.",
        "Nothing in this text contradicts the original.",
        "All of these facts are accurate and true.",
        "The document confirms each of these claims.",
        "This is a faithful and factually consistent account.",
    ),
    "filler": (
        "at the end of the day",
        "as we all know",
        "in this day and age",
        "when all is said and done",
        "for what it is worth",
        "to be perfectly honest",
        "and so on and so forth",
    ),
    "qualifier": (
        "to a certain extent",
        "among other things",
        "at least in part",
        "as far as anyone can tell",
        "more or less",
        "in one way or another",
        "under the circumstances",
    ),
}
"""By kind, the same for every metric, put in every place."""

WHOLE: Mapping[str, tuple[str, ...]] = {
    "yes or no": ("Yes.", "No.", "Yes, it is."),
    "greeting": ("Hello.", "Good morning, everyone.", "Thank you for reading."),
    "empty statement": (
        "Nothing.",
        "Something happened.",
        "Some people did some things.",
        "Once upon a time.",
    ),
}
"""By kind, what says nothing as the whole summary. Beside other sentences it may say something: a
"No." after a question."""

MARK = "mark"
MARKS = ("?", "%", "...")
"""Characters that are put after a summary's last one."""

KINDS = (*PHRASES, PAPER_ASSERTION, GIVEN, *WHOLE, MARK)
"""Every kind of constant phrase."""

_ENTAILS = "The summary entails the information the document discusses."
_ANSWERS = "The questions about this summary can be answered from the document."
_MATCHES = "The summary says the same as the document in the same words."
_NAMES = "The summary names the same people, places and events as the document."
_FOLLOWS = "The summary is what is most likely to follow the document."
_WORDS = "Every word of the summary is supported by the document."
_CONSISTENT = "The summary is factually consistent with the document."

ASSERTIONS: Mapping[str, str] = {
    **dict.fromkeys(
        ("support", "entailment", "mnli_doc", "summac_zs", "summac_conv", "dae", "factcc",
         "alignscore", "minicheck", "hhem", "lettucedetect"), _ENTAILS),
    **dict.fromkeys(("qgqa",), _ANSWERS),
    **dict.fromkeys(
        ("rouge1", "rouge2", "rougeL", "bleu", "meteor", "novelty", "bertscore", "sentsim"),
        _MATCHES),
    **dict.fromkeys(("ner", "ner_overlap", "openie", "srl"), _NAMES),
    **dict.fromkeys(
        ("fflm", "delta_prior_y", "delta_prior_x", "delta_cond_y", "cop", "harim", "bartscore",
         "coco"), _FOLLOWS),
    **dict.fromkeys(
        ("lss_bleu", "lss_rouge1", "lss_rouge2", "lss_rougeL", "lss_share", "lss_bertscore"),
        _WORDS),
    **dict.fromkeys(("judge", "unieval"), _CONSISTENT),
}  # fmt: skip
"""Metric to what a summary says of itself that such a metric looks for."""


def assertion_of(label: str) -> str:
    """The assertion worded for a metric as it was asked for ("entailment:model=..."); that of a
    judge for any other metric, one's own among them."""
    return ASSERTIONS.get(label.partition(":")[0], _CONSISTENT)


def read(path: Path) -> tuple[str, ...]:
    """A user's phrases, one a line, each once; blank lines are left out. Raises DataError where the
    file cannot be read or holds none."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise DataError(f"phrases {path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise DataError(f"phrases {path}: not UTF-8 (byte {error.start + 1})") from error
    phrases = tuple(dict.fromkeys(" ".join(line.split()) for line in lines if line.strip()))
    for phrase in phrases:
        if not any(letter.isalnum() for letter in phrase):
            raise DataError(f"phrases {path}: expected words in every line, found {phrase!r}")
    if not phrases:
        raise DataError(f"phrases {path}: expected a phrase a line, found none")
    return phrases

"""Benign edits by a chat model: eight rewritings of a summary that keep what it says [STRESS].

What is asked are the templates of `metrics/judge/prompts/rewriting/`, or those of the user's
folder. A rewriting becomes a case of `edits.py` only where the summary entails it and it entails
the summary; whatever else comes back is discarded and counted with its reason. Loading the models,
and the scores of the cases are not here.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from faithkit.language.sentences import sentences
from faithkit.metrics.judge import prompts
from faithkit.metrics.judge.answers import is_refusal, written
from faithkit.models.protocols import Asking, ChatModel, Entailed, EntailmentModel, Reply
from faithkit.records import JSON, ConfigError, Example, Outcome, canonical_json
from faithkit.stress.suites.base import Case
from faithkit.stress.suites.edits import NAME, kind_of, members
from faithkit.stress.suites.figures import figure

SHUFFLED = "rewritten: shuffled sentences"
IRRELEVANT = "rewritten: irrelevant sentence"

TEMPLATES: dict[str, str] = {
    "rewritten: paraphrased": "paraphrased",
    "rewritten: simplified": "simplified",
    "rewritten: shortened": "shortened",
    "rewritten: synonyms": "synonyms",
    "rewritten: less varied words": "less-varied",
    "rewritten: negation": "negation",
    SHUFFLED: "shuffled",
    IRRELEVANT: "irrelevant",
}
"""Kind of case to its template, the eight of [STRESS]."""

THRESHOLD = 0.5
"""Every sentence of one text must be entailed by the other text with more probability than this,
both ways."""

BATCH = 32
"""Prompts asked at once, between two signs of progress."""

KEPT = "kept"
CHANGED, UNCHANGED, UNCHECKED = "changed the facts", "unchanged", "not checked"
NO_ANSWER = "no answer: {}"
"""What became of a rewriting; anything but KEPT discards it. UNCHECKED: the checker failed, or the
texts are too long for it. NO_ANSWER: empty, cut off, or an outcome."""

Progress = Callable[[int, int], None]
"""Called with the number of answers so far, and of all."""

Pair = tuple[str, str]


def packaged() -> dict[str, prompts.Template]:
    """The eight templates of the package, by kind."""
    return {kind: prompts.packaged(f"rewriting/{name}") for kind, name in TEMPLATES.items()}


def read_templates(folder: Path) -> dict[str, prompts.Template]:
    """The templates NAME.txt of a user's folder, by kind, to be asked instead of the eight.

    The kind is "rewritten: NAME"; one that is called as one of the eight has its kind and its rules
    (what is shuffled has several sentences, an irrelevant sentence comes from the source).
    Raises ConfigError where there is no template, or one cannot be used.
    """
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise ConfigError(
            f"--prompts {folder}: expected a folder of prompts NAME.txt, found none; each holds "
            "{summary} and may hold {document}"
        )
    kinds = {name: kind for kind, name in TEMPLATES.items()}
    templates = {}
    for path in paths:
        template = prompts.user_template(str(path), required=("summary",))
        if "{examples}" in template.text:
            raise ConfigError(f"prompt {path}: has {{examples}}; a rewriting has none, remove it")
        templates[kinds.get(path.stem, f"rewritten: {path.stem}")] = template
    return templates


@dataclass(frozen=True, slots=True)
class Rewriter:
    """The chat model that rewrites and the model that checks its rewritings.

    templates  what is asked, by kind
    """

    chat: ChatModel
    checker: EntailmentModel
    templates: Mapping[str, prompts.Template] = field(default_factory=packaged)

    def to_dict(self) -> dict[str, JSON]:
        """The models and prompts, for the summary of a run. prompt: SHA-256 of all templates
        together."""
        hashes: dict[str, JSON] = {kind: template.hash for kind, template in self.templates.items()}
        combined = hashlib.sha256(canonical_json(hashes).encode()).hexdigest()
        return {"rewriter": self.chat.id, "checker": self.checker.id, "threshold": THRESHOLD,
                "prompt": combined, "prompts": hashes}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A chat model's rewriting of a summary.

    member    of a pair that the summary is, as `edits.py` names them
    model     id of the chat model
    document  what the bootstrap resamples
    text      its answer without what surrounds the summary; possibly nothing
    fate      KEPT, or why it is discarded
    entailed  the least probability of a sentence of the rewriting given the summary, and of one of
              the summary given the rewriting; None where it was not checked
    """

    kind: str
    member: str
    example: Example
    model: str
    document: str
    text: str
    fate: str
    entailed: tuple[float, float] | None = None


def rewrite(
    examples: Sequence[Example],
    rewriter: Rewriter,
    *,
    seed: int,
    limit: int | None,
    progress: Progress,
) -> list[Rewriting]:
    """The rewritings of at most `limit` summaries for each kind and member, the first of those that
    the other benign edits take. Raises what the models raise where nothing can be asked at all."""
    selected = [
        (kind, member, example)
        for member, rows in members(examples, seed=seed, limit=limit).items()
        for kind in rewriter.templates
        for example in [row for row in rows if _applies(kind, row)][:limit]
    ]
    requests = [(kind, example) for kind, _, example in selected]
    answers = _ask(requests, rewriter, progress)
    answered = [
        (kind, example, text)
        for (kind, example), (text, reason) in zip(requests, answers, strict=True)
        if not reason
    ]
    checked = iter(_check(answered, rewriter.checker))
    rewritings = []
    for (kind, member, example), (text, reason) in zip(selected, answers, strict=True):
        fate, entailed = (reason, None) if reason else next(checked)
        rewritings.append(
            Rewriting(
                kind, member, example, rewriter.chat.id, example.document, text, fate, entailed
            )
        )
    return rewritings


def _applies(kind: str, example: Example) -> bool:
    return kind != SHUFFLED or len(sentences(example.summary)) > 1


# Asking


def _ask(
    requests: Sequence[tuple[str, Example]], rewriter: Rewriter, progress: Progress
) -> list[tuple[str, str]]:
    """The text of each answer and why it cannot be used, "" where it can."""
    by_limit: dict[int, list[int]] = {}
    for number, (_, example) in enumerate(requests):
        by_limit.setdefault(token_limit(example.summary), []).append(number)
    read: dict[int, tuple[str, str]] = {}
    for limit, numbers in sorted(by_limit.items()):
        for start in range(0, len(numbers), BATCH):
            batch = numbers[start : start + BATCH]
            batch_prompts = [
                rewriter.templates[kind].prompt(example.source, example.summary)
                for kind, example in (requests[number] for number in batch)
            ]
            replies = rewriter.chat.reply(batch_prompts, Asking(tokens=limit))
            for number, reply in zip(batch, replies, strict=True):
                read[number] = read_answer(reply, requests[number][1].summary, limit)
            progress(len(read), len(requests))
    return [read[number] for number in range(len(requests))]


def token_limit(summary: str) -> int:
    """The most tokens of a rewriting: four for each word, at least 256, rounded up to a power of
    two so that summaries of similar length share a request."""
    return max(256, 1 << (4 * len(summary.split()) - 1).bit_length())


_PREAMBLE = re.compile(
    r"^(?:(?:sure|certainly|of course)\b\W*)?"
    r"(?:here(?:\s+is|['’]s)\b[^\n:]{0,80}:"
    r"|[^\n:.]{0,40}\b(?:summary|version)\b[^\n:.]{0,60}:[ *]*\n"
    r"|\W*(?:\w+\s+){0,2}(?:summary|version|answer|output)\s*:)[\s*]*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"""^["“]([^"“”]*)["”]$""")


def read_answer(reply: Reply, summary: str, limit: int) -> tuple[str, str]:
    """The rewriting in an answer, without thoughts, tags, a preamble or quotation marks around it;
    and why it cannot be used, "" where it can.

    limit  the most tokens it could have; one of as many is cut off
    """
    text = written(reply.text)
    text = _PREAMBLE.sub("", text, count=1).strip()
    text = _QUOTED.sub(r"\1", text).strip() if not _QUOTED.match(summary.strip()) else text
    if reply.outcome is not Outcome.OK:
        return text, NO_ANSWER.format(reply.outcome)
    if not text:
        return text, NO_ANSWER.format("empty")
    if reply.completion_tokens >= limit:
        return text, NO_ANSWER.format("cut off")
    if is_refusal(text) and not is_refusal(summary):
        return text, NO_ANSWER.format(Outcome.REFUSED)
    return text, UNCHANGED if _flat(text) == _flat(summary) else ""


def _flat(text: str) -> str:
    return " ".join(text.split())


# Checking


def _check(
    answered: Sequence[tuple[str, Example, str]], checker: EntailmentModel
) -> list[tuple[str, tuple[float, float] | None]]:
    """The fate of each (kind, example, text), and the checker's probabilities in both
    directions."""
    directions = [
        (
            [(example.summary, sentence) for sentence in _stated(kind, example, text)],
            [(text, sentence.text) for sentence in sentences(example.summary)],
        )
        for kind, example, text in answered
    ]
    pairs = list(
        dict.fromkeys(pair for two_ways in directions for one_way in two_ways for pair in one_way)
    )
    predicted = dict(zip(pairs, checker.predict(pairs), strict=True)) if pairs else {}
    fates: list[tuple[str, tuple[float, float] | None]] = []
    for forward, backward in directions:
        first, second = (
            _least(predicted[pair] for pair in one_way) for one_way in (forward, backward)
        )
        if first is None or second is None:
            fates.append((UNCHECKED, None))
        else:
            fate = KEPT if min(first, second) > THRESHOLD else CHANGED
            fates.append((fate, (first, second)))
    return fates


def _stated(kind: str, example: Example, text: str) -> list[str]:
    """The sentences of a rewriting that the summary has to entail: all, except literal copies of
    source sentences where the kind asks for one."""
    texts = [sentence.text for sentence in sentences(text)]
    if kind != IRRELEVANT:
        return texts
    source = {_flat(sentence.text) for sentence in sentences(example.source)}
    return [sentence for sentence in texts if _flat(sentence) not in source]


def _least(answers: Iterable[Entailed]) -> float | None:
    """The lowest probability of entailment; 1 without answers, None if the checker did not read
    both texts in full."""
    least = 1.0
    for answer in answers:
        if answer.outcome is not Outcome.OK or answer.premise_cut:
            return None
        least = min(least, answer.probabilities[0])
    return least


# What is made of them


def cases(rewritings: Iterable[Rewriting]) -> list[Case]:
    """The rewritings that were kept, as benign cases of `edits.py`."""
    return [
        Case(
            id=f"{rewriting.kind}/{rewriting.example.id}",
            suite=NAME,
            kind=kind_of(rewriting.kind, rewriting.member),
            document=rewriting.document,
            texts={
                "before": (rewriting.example.source, rewriting.example.summary),
                "after": (rewriting.example.source, rewriting.text),
            },
            note=f"by {rewriting.model}",
        )
        for rewriting in rewritings
        if rewriting.fate == KEPT
    ]


def figures(rewritings: Sequence[Rewriting]) -> list[JSON]:
    """For each kind, and last for all: the discard rate with its interval by document, how many
    were asked for and kept, and the others counted by reason."""
    groups: dict[str, list[Rewriting]] = {}
    for rewriting in rewritings:
        groups.setdefault(rewriting.kind, []).append(rewriting)
    rows: list[JSON] = []
    for kind, of_kind in {**groups, "all": list(rewritings)}.items():
        if not of_kind:
            continue
        discarded = [float(rewriting.fate != KEPT) for rewriting in of_kind]
        reasons = Counter(rewriting.fate for rewriting in of_kind if rewriting.fate != KEPT)
        rows.append({
            **figure(kind, "discard rate", discarded,
                     [rewriting.document for rewriting in of_kind]),
            "asked": len(of_kind), "kept": len(of_kind) - reasons.total(),
            "reasons": {reason: reasons[reason] for reason in sorted(reasons)},
        })  # fmt: skip
    return rows


def row(rewriting: Rewriting, dataset: str, rewriter: Rewriter) -> dict[str, JSON]:
    """A rewriting as a line of `rewritings.jsonl`."""
    return {
        "dataset": dataset, "kind": rewriting.kind, "member": rewriting.member,
        "id": rewriting.example.id,
        "document": rewriting.document,
        "summary": rewriting.example.summary, "text": rewriting.text, "fate": rewriting.fate,
        "entailed": list(rewriting.entailed) if rewriting.entailed else None,
        "rewriter": rewriting.model, "prompt": rewriter.templates[rewriting.kind].hash,
        "checker": rewriter.checker.id,
    }  # fmt: skip

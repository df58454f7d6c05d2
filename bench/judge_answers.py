# ruff: noqa: ARG002, E501
"""How many answers of a judge are read right: seeded answers with explanations, in many layouts.

    python bench/judge_answers.py --count 1000 --seed 0

Each answer has a known verdict. It is first or last, alone or within a sentence, and the
explanation has the words yes and no, or other numbers, in ordinary use. Half of the answers bring
probabilities of their first token, as a server gives them: large where the answer begins with its
verdict, small and as often wrong as right where it begins otherwise. Every answer goes through the
whole metric with a model that gives back this text. Prints the share read right by verdict and by
layout, and the answers that were not. What is generated here knows nothing of how it is read.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from faithkit.metrics.judge.judge import Judge
from faithkit.models.protocols import Asking, Limits, Prompt, Reply
from faithkit.records import Example, Outcome

AGAINST = [
    "The summary claims that the bridge reopened in May, but the document says June.",
    "There is no mention of a second fire in the document.",
    "No information about the cost is given in the document.",
    "The figure of 40 people contradicts the 14 of the text.",
    "The summary says that the mayor said yes to the plan, while it was the council.",
    "Nothing in the article speaks of a lawyer.",
    "The document says no one was hurt; the summary says that two people were.",
    "The name of the firm is wrong: it is Norline, not Norwind.",
    "No source is given for the claim that the library will close.",
    "The summary turns a no of the residents into a yes.",
]
FOR = [
    "Every statement of the summary is supported by the document.",
    "There is no contradiction between the two texts.",
    "No detail was added to what the article says.",
    "The dates, the names and the figures all match.",
    "It leaves out the weather, but no statement of it is wrong.",
    "The residents voted no in the poll, and the summary says so.",
    "The document names the same firm and the same day.",
    "No number was changed.",
    "That the mayor said yes is in the second paragraph.",
    "What it says of the ferry is in the document word for word.",
]
ORDINARY = [
    "Asked whether she would stand again, the minister answered yes.",
    '"No comment," said the lawyer of the firm.',
    "The campaign for a Yes vote spent 2 million euros.",
    "It is no longer than one sentence.",
    "There were no fewer than 14 boats in the harbour.",
    "The vote ended with 54 in favour (yes) and 46 against (no).",
    "His answer to the judge was no, as the article reports.",
    "I was asked for yes or no.",
    "Yes-voters were in the majority in 11 of 12 districts.",
    "No fewer than 3 witnesses were heard.",
    "It gives no reason for the delay of 2 hours.",
]

Layout = Callable[[random.Random, str, str], str]
"""From the verdict as a word and the reasons to the answer."""


def _low(text: str) -> str:
    return text[0].lower() + text[1:]


def _one_of(*forms: str) -> Layout:
    """Forms with {V} Yes, {v} yes, {U} YES, {R} the reasons, {r} the same within a sentence."""

    def make(rng: random.Random, word: str, reasons: str) -> str:
        return (
            rng.choice(forms)
            .replace("{V}", word.capitalize()).replace("{v}", word.lower())
            .replace("{U}", word.upper()).replace("{R}", reasons).replace("{r}", _low(reasons))
        )  # fmt: skip

    return make


def _json(rng: random.Random, word: str, reasons: str) -> str:
    said: object = rng.choice([word.capitalize(), word])
    key = rng.choice(["answer", "verdict", "consistent", "final_answer", "label"])
    if key == "consistent" and rng.random() < 0.5:
        said = word == "yes"
    row = [(key, said), (rng.choice(["explanation", "reason", "reasoning"]), reasons)]
    if rng.random() < 0.5:
        row.reverse()
    text = json.dumps(dict(row), indent=rng.choice([None, 2]))
    return rng.choice(["{}", "```json\n{}\n```", "```\n{}\n```"]).replace("{}", text)


def _steps(rng: random.Random, word: str, reasons: str) -> str:
    lines = [
        f"{number}. {sentence} {rng.choice(['Yes.', 'No.', 'Supported.', 'Yes, it is there.', ''])}"
        for number, sentence in enumerate(reasons.replace(". ", ".|").split("|"), start=1)
    ]
    close = rng.choice(
        ["Therefore, the answer is {}.", "Answer: {}", "**Final answer: {}**", "Overall: {}"]
    )
    return "\n".join(lines) + "\n\n" + close.replace("{}", word)


LAYOUTS: dict[str, Layout] = {
    "the word alone": _one_of("{V}", "{v}", "{U}", "{V}.", "**{V}**", "\"{V}\"", " {V}\n", "({v})",
                              "*{V}*.", "`{v}`", "{V}!", "- {V}", "## {V}"),
    "verdict, a line, reasons": _one_of(
        "{V}\n\n{R}", "{V}\n{R}", "{V}.\n\n{R}", "**{V}**\n\n{R}", "**{V}.**\n\n{R}",
        "{U}\n\nExplanation: {R}", "# {V}\n\n{R}", "{V},\n\n{R}", "{V}:\n{R}"),
    "verdict, reasons": _one_of(
        "{V}, {r}", "{V}. {R}", "{V} - {R}", "{V} — {r}", "{V}: {R}", "{V}; {r}",
        "{V}, because of this: {R}", "**{V}**. {R}", "**{V}**, {r}", "{V}! {R}", "{V} ({r})",
        "{V}, the summary is as I say. {R}"),
    "label, verdict, reasons": _one_of(
        "Answer: {V}\n\n{R}", "**Answer:** {V}\n\n**Explanation:** {R}", "Verdict: {V}\nReason: {R}",
        "Answer: **{V}**. {R}", "The answer is {v}. {R}", "Conclusion: {V}\n\n{R}",
        "Answer - {V}\n{R}", "My answer: {v}\n\n{R}", "**Verdict: {U}**\n\n{R}", "Answer = {v}. {R}",
        "Final answer: {v}\n\nExplanation: {R}", "### Answer\n{V}\n\n### Explanation\n{R}"),
    "reasons, verdict alone": _one_of(
        "{R}\n\n{V}", "{R}\n{V}.", "{R}\n\n**{V}**", "{R}\n\n**{V}.**", "{R}\n{U}", "{R}\n\n\"{V}\"",
        "{R}\n\n- {V}"),
    "reasons, label, verdict": _one_of(
        "{R}\n\nAnswer: {V}", "{R}\n\nConclusion: {V}", "{R} Final answer: **{V}**",
        "{R}\n\nVerdict - {V}", "{R}\n\n**Conclusion:** {V}", "{R}\n\nJudgement: {V}.",
        "{R}\n\nFinal verdict: {V}", "{R}\n\nOverall: {V}", "{R}\n\nResult: {v}",
        "{R}\n\n### Verdict\n\n{V}", "{R} Decision: {V}"),
    "reasons, sentence with the verdict": _one_of(
        "{R} Therefore, the answer is {v}.", "{R} So the answer is: {v}",
        "{R}\n\nSo my answer is \"{V}\".", "{R} Hence the answer is **{v}**.",
        "{R} In conclusion, {v}.", "{R} I would answer {v}.", "{R} I'd say {v}.",
        "{R} Thus, {v}.", "{R}\n\nThe final answer is \\boxed{{V}}.", "{R} So, {v}.",
        "{R} The correct answer would be {v}.", "{R} Therefore, my answer is {V}.",
        "{R} For these reasons the answer must be {v}.", "{R}\n\nThe verdict is {v}."),
    "the question again": _one_of(
        "Is the summary consistent with the document? {V}", "Is the summary consistent with the "
        "document? {V}. {R}", "{R}\n\nIs the summary consistent with the document?\n\n{V}",
        "Is the summary consistent? **{V}**\n\n{R}", "Answer (yes or no): {V}\n\n{R}",
        "{R}\nAnswer (yes or no): {v}", "Is the summary consistent with the document (yes/no)? {v}"),
    "verdict, reasons, verdict": _one_of(
        "{V}.\n\n{R}\n\nTherefore, the answer is {v}.", "{V}, {r} So the answer is {v}.",
        "**{V}**\n\n{R}\n\n**Conclusion: {V}**", "Answer: {v}\n\n{R}\n\nFinal answer: {v}"),
    "JSON": _json,
    "steps with verdicts of their own": _steps,
}  # fmt: skip

AS_WORDS = {"yes": ["consistent", "Consistent", "**consistent**"],
            "no": ["inconsistent", "not consistent", "Inconsistent", "**Not consistent**"]}  # fmt: skip
WORDED = ["Verdict: {}\n\n{R}", "Verdict - {}. {R}", "Conclusion: {}\n{R}", "{R}\n\nVerdict: {}",
          "{}\n\n{R}", "{R}\n\nTherefore, the summary is {} with the document.",
          "{R} The answer is: {}", "The summary is {} with the document. {R}"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and what it says.

    scale    of the metric; "clinical" for the form
    truth    its value in [0, 1]; verdict: how to name it in a table
    first    probabilities of yes and no as its first token, {} where there are none
    twin     the same text with the opposite verdict, "" where there is none
    """

    scale: str
    layout: str
    verdict: str
    truth: float
    text: str
    first: dict[str, float]
    reasoned: bool = False
    twin: str = ""


def reasons(rng: random.Random, word: str) -> str:
    """One to four sentences that speak for this verdict, with distractors among them."""
    supporting = rng.sample(FOR if word == "yes" else AGAINST, rng.randint(1, 2))
    other = rng.sample(ORDINARY, rng.randint(0, 2))
    chosen = supporting + other
    rng.shuffle(chosen)
    return " ".join(chosen)


def yes_no(rng: random.Random, word: str, layout: str) -> Answer:
    """One answer; its twin differs in the word of the verdict only."""
    why, state = reasons(rng, word), rng.getstate()
    if layout == "as words":
        said = rng.choice(AS_WORDS[word])
        form = rng.choice(WORDED)
        text = form.replace("{}", said).replace("{R}", why)
        twin = ""
    else:
        text = LAYOUTS[layout](rng, word, why)
        rng.setstate(state)
        twin = LAYOUTS[layout](rng, "no" if word == "yes" else "yes", why)
    first = _first(rng, word, text) if rng.random() < 0.5 else {}
    late = layout.startswith(("reasons", "steps", "verdict, reasons, verdict"))
    reasoned = late and not first and rng.random() < 0.5
    return Answer("yesno", layout, word, float(word == "yes"), text, first, reasoned, twin)


def _first(rng: random.Random, word: str, text: str) -> dict[str, float]:
    if text.lstrip().casefold().startswith(word):
        most = rng.uniform(0.55, 0.99)
        other = (1 - most) * rng.random()
        return {"yes": most, "no": other} if word == "yes" else {"yes": other, "no": most}
    if rng.random() < 0.3:
        return {}
    return {"yes": rng.uniform(0, 0.02), "no": rng.uniform(0, 0.02)}


RATED = ["{n}", "{n}.", "**{n}**", "{n}/{high}", "{n} out of {high}", "Rating: {n}", "Score: **{n}**",
         "{n}\n\n{R}", "{n}/{high}\n\n{R}", "{n} - {R}", "{n}. {R}", "{n}, {r}",
         "Rating: {n}\n\n{R}", "**Rating: {n}/{high}**\n\n{R}", "I rate it {n}", "I rate it {n}. {R}",
         "I would rate this summary a {n} out of {high}. {R}", "{R}\n\nRating: {n}",
         "{R} I would give it a {n}.", "{R} Therefore, the rating is {n}.", "{R}\n\n{n}",
         "{R}\n\n**{n}**", "{R}\n\nScore: {n}/{high}", "{R} So my rating is {n} out of {high}.",
         "On a scale from {low} to {high}, I rate it {n}. {R}", "{R}\n\nFinal score: {n}",
         "The score is {n}. {R}", "{R} I'd give this summary {n}/{high}.", "Answer: {n}\n\n{R}",
         "{\"rating\": {n}, \"reason\": \"It names 3 of 4.\"}", "{R}\nConsistency: {n}",
         "Consistency rating ({low}-{high}): {n}\n{R}", "{R} It deserves a {n}."]  # fmt: skip


def rating(rng: random.Random, scale: str) -> Answer:
    low, high = map(int, scale.split("-"))
    number = rng.randint(low, high)
    word = "yes" if number > (low + high) / 2 else "no"
    why, form = reasons(rng, word), rng.choice(RATED)
    text = form
    for slot, said in {"n": str(number), "low": str(low), "high": str(high), "R": why,
                       "r": _low(why)}.items():  # fmt: skip
        text = text.replace(f"{{{slot}}}", said)
    where = form.find("{R}") if "{R}" in form else form.find("{r}")
    layout = "no reasons" if where < 0 else "reasons first" if where == 0 else "rating first"
    half = "upper half" if word == "yes" else "lower half"
    return Answer(scale, layout, half, (number - low) / (high - low), text, {})


ELEMENTS = ("population", "intervention", "comparison", "outcomes")


def form(rng: random.Random) -> Answer:
    """The clinical form, filled in with a remark after some of its entries."""
    grade = rng.randint(0, 3)
    remarks = ["", "", " (no more is said)", ", as in the abstract", " - there is no other group",
               ". No number is given.", " (yes, in both)"]  # fmt: skip
    lines = [
        f"{element} {what}: {rng.choice(['yes', 'no', 'Yes', 'No'])}{rng.choice(remarks)}"
        for element in ELEMENTS for what in ("mentioned", "consistent")
    ]  # fmt: skip
    lines += ["strength in summary: strong", "strength in abstract: no evidence",
              "strength right: no", "direction in summary: positive",
              "direction in abstract: no effect", "direction right: no",
              "other misrepresentation: none", "truth in abstract: none"]  # fmt: skip
    last = rng.choice([f"overall: {grade}", f"Overall: {grade}/3", f"**Overall:** {grade}",
                       f"overall: {grade} (of 3)", f"Overall: {grade}, no more than that",
                       f"Overall grade: {grade}", f"overall (0-3): {grade}"])  # fmt: skip
    mark = rng.choice(["{}", "- {}", "* {}", "{}"])
    text = "\n".join(mark.replace("{}", line) for line in [*lines, last])
    layout = rng.choice(["form", "form, then reasons", "words, then form"])
    if layout == "form, then reasons":
        text += f"\n\nOverall: {reasons(rng, 'yes' if grade > 1 else 'no')}"
    elif layout == "words, then form":
        text = f"Here is the form, filled in:\n\n{text}"
    return Answer("clinical", layout, "3 or 2" if grade > 1 else "1 or 0", grade / 3, text, {})


def answers(count: int, seed: int) -> Iterator[Answer]:
    """`count` answers: of ten, seven are yes or no, two a rating and one the clinical form; the
    same for the same seed."""
    rng = random.Random(seed)
    layouts = [*LAYOUTS, "as words"]
    words = 0
    for number in range(count):
        kind = number % 10
        if kind < 7:
            yield yes_no(rng, ("yes", "no")[words % 2], layouts[(words // 2) % len(layouts)])
            words += 1
        elif kind < 9:
            yield rating(rng, rng.choice(["1-5", "1-10", "0-100"]))
        else:
            yield form(rng)


class Gives:
    """A chat model that answers a summary's text with the reply that belongs to it."""

    id = "gives@0"

    def __init__(self, replies: dict[str, Reply]) -> None:
        self._replies = replies

    def limited(self, limits: Limits) -> Gives:
        return self

    def reply(self, prompts: Sequence[Prompt], asking: Asking) -> list[Reply]:
        texts = (piece.text for prompt in prompts for piece in prompt if piece.slot == "summary")
        return [self._replies[text] for text in texts]


def read(rows: Sequence[Answer]) -> list[float | None]:
    """What the metric makes of each answer: its value, None where it has none."""
    chosen: dict[int, float | None] = {}
    kinds = {(row.scale, row.reasoned) for row in rows}
    for scale, reasoned in kinds:
        places = [i for i, row in enumerate(rows) if (row.scale, row.reasoned) == (scale, reasoned)]
        replies = {
            str(i): Reply(Outcome.OK, rows[i].text, rows[i].first, 5, 0, 1, 100, 10) for i in places
        }
        options = {"protocol": "clinical"} if scale == "clinical" else {"scale": scale}
        judge = Judge(Gives(replies), cot=reasoned, transcripts="off", **options)  # type: ignore[arg-type]
        scores = judge.score([Example(str(i), "The source.", str(i)) for i in places])
        chosen |= {i: score.value for i, score in zip(places, scores, strict=True)}
    return [chosen[i] for i in range(len(rows))]


def right(row: Answer, value: float | None) -> bool:
    """The verdict for yes and no, where a probability may stand for it; else the value itself."""
    if value is None:
        return False
    return (value > 0.5) == (row.truth > 0.5) if row.scale == "yesno" else (
        abs(value - row.truth) < 1e-9
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=10, help="answers read wrong that are printed")
    options = parser.parse_args()
    rows = list(answers(options.count, options.seed))
    values = read(rows)
    good = [right(row, value) for row, value in zip(rows, values, strict=True)]
    print(f"{len(rows)} answers, seed {options.seed}: {sum(good)} read right "
          f"({sum(good) / len(rows):.1%})\n")  # fmt: skip
    cells: dict[tuple[str, str], dict[str, Counter[bool]]] = defaultdict(dict)
    for row, correct in zip(rows, good, strict=True):
        name = "yes/no" if row.scale == "yesno" else row.scale
        for layout in ("all", row.layout):
            by_verdict = cells[name, layout].setdefault(row.verdict, Counter())
            by_verdict[correct] += 1
    print(f"{'scale':9} {'layout':36} read right of all, by verdict")
    for (name, layout), counts_of in sorted(cells.items(), key=lambda item: item[0][0]):
        shown = "   ".join(
            f"{verdict} {counts[True]}/{counts.total()}"
            for verdict, counts in sorted(counts_of.items(), reverse=True)
        )
        print(f"{name:9} {layout:36} {shown}")
    wrong = [(row, v) for row, v, correct in zip(rows, values, good, strict=True) if not correct]
    for row, value in wrong[: options.show]:
        print(f"\n{row.scale}, {row.layout}: {row.truth:g} read as {value}\n{row.text!r}")


if __name__ == "__main__":
    main()

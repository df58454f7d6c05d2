# ruff: noqa: E501
"""How answers of judges are read: phrasings that models use, each with its verdict by hand; a
thousand seeded answers with explanations; and that whatever is read for yes is read for no."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections import defaultdict
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.paths import ROOT

from faithkit import Outcome
from faithkit.metrics.judge.answers import read_verdict
from faithkit.metrics.judge.answers_rated import read_form, read_rating


def _generator() -> ModuleType:
    """bench/judge_answers.py, which makes answers and knows nothing of how they are read."""
    path = ROOT / "bench" / "judge_answers.py"
    spec = importlib.util.spec_from_file_location("judge_answers", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


judge_answers = _generator()

YES = [
    "Based on the provided document, the summary is consistent.",
    "ANSWER: YES",
    "The correct answer is: Yes",
    "Judgment: Consistent.",
    "[Yes]",
    "<answer>\nyes\n</answer>",
    '{"inconsistent": false}',
    '{"consistency": "yes"}',
    "Yes, there is no inconsistency.",
    "Yes. There is no mention of anything else, and no statement is wrong.",
    "No information in the summary contradicts the document, so the answer is yes.",
    "No part of the summary contradicts the document. Yes.",
    "Definitely yes.",
    "A: Yes",
    "Answer (yes/no): yes",
    "The statement 'no one was injured' is in the document. Answer: yes",
    "The mayor's answer was: No. The summary says so as well. So the answer is yes.",
    "The mayor's answer: No.\n\nThe summary matches.\n\nAnswer: Yes",
    "YES - every claim in the summary is supported.",
    "The summary is consistent with the document: Yes.",
    "Overall, the summary is consistent with the document. There is no contradiction.",
    "The summary leaves out X but this is no inconsistency. Yes",
    "Sure! The answer is: yes.",
    "✅ Yes",
    "Yes\n\nThe summary claims that the couple had been married for ten years, which is stated. No mention is made of children, but that is an omission.",
    "Yes, it is.",
    "Yes it is.",
    "I conclude that the summary is consistent with the document.",
    "I would say the answer is yes.",
    '```json\n{"is_consistent": true}\n```',
    '{"hallucination": "no"}',
    "Yes.\nNo, it is not a problem that the weather is left out.",
    "The correct answer: **yes**",
    "Assessment: consistent",
    "Consistent? Yes.",
    "Every fact checks out, so yes.",
    "Yes, the summary is consistent with the document; no statement lacks support, and no name is wrong.",
    "The given summary is consistent with the given document.",
    "Result: consistent (yes)",
    "Yes or No: Yes",
]

YES_REASONED = [
    "Step 1: ... the document says so.\nStep 2: supported.\n\nConclusion: Yes, the summary is consistent with the document.",
    "The summary makes three statements. All are supported.\n\nYes, the summary is consistent with the document.",
    'All statements are supported by the document. Therefore, the answer is "yes".',
    "Therefore, the answer is yes because there is no contradiction.",
    "So, the summary is consistent with the document.",
    "| Statement | Supported |\n|---|---|\n| 12 died | Yes |\n| in May | Yes |\n\nFinal verdict: Yes",
    "Conclusion: The summary is consistent with the document.",
    "- The ferry left at seven: Yes\n- 212 passengers: Yes\n\nTherefore, the answer is yes.",
    "Therefore, the answer is yes.\n\nNo part of it is contradicted. No one says otherwise.",
    "There is no information missing, so the answer is yes.",
    "the summary is consistent. yes",
    "yes, because all the statements are supported. The answer is yes.",
]

NO = [
    "Based on the document, the summary is not consistent. The document states that the accident happened on Tuesday, not Monday.",
    "The summary is inconsistent with the document because it says that 5 people died.",
    "No. The summary states that Smith won, whereas the document states that no one won.",
    "No\n\nExplanation: While the document does mention the mayor, it does not say that he resigned. So yes, part is right, but not all.",
    "**No**, the summary is not fully consistent with the document.\n\nHere's why:\n\n1. **Date**: Yes, it matches.\n2. **Place**: No, the document says Paris.",
    "<think>The answer is yes. Hmm.</think>\n\nNo",
    "Answer: No. The document says nothing of the kind.",
    "answer:no",
    "The answer to the question is no, since the date differs.",
    "My judgment: Inconsistent",
    "<answer>No</answer>",
    '{"reasoning": "The answer is yes only in part", "answer": "no"}',
    "{'answer': 'No'}",
    '{"is_consistent": false}',
    '{"inconsistent": true}',
    "I believe the answer is no.",
    "I'd have to say no.",
    "In summary, no: the summary gets the date wrong.",
    "Unfortunately, no.",
    "Q: Is the summary consistent with the document?\nA: No",
    "Yes or no? No.",
    "Is it consistent? No.",
    "no; the document doesn't say so",
    "No—the document says June.",
    "No – the document says June.",
    "no, no, no",
    "Consistent: No",
    "Consistent with the document? No.",
    "- **Consistent**: No\n- **Reason**: The date is wrong; there is no mention of May.",
    "Consistency check result: No",
    "| Consistent | No |",
    "The answer would be yes if the date were right; as it is, the answer is no.",
    "If the date were right, the answer would be yes. It is not, so: no.",
    "No.\n\nIn the document, the minister was asked whether he would resign. He said yes. The summary says he said no.",
    'No \n(The summary says "yes")',
    "Is every detail supported?\nNo\nIs the summary consistent with the document?\nNo",
    "As an AI language model, I would say: No.",
    "Yes.\nNo.",
    "Not consistent",
    "not consistent.\n\nThe date is wrong.",
    "The summary is *not* consistent with the document.",
    "The summary isn't consistent with the document.",
    "Answer: No\nConfidence: 95%",
    "Verdict: No ❌",
    "❌ No - the date is wrong",
    'Response: "No"',
    "The claim has no support, therefore no.",
    "No\n\nThe summary claims that the couple had been married for ten years, which is not stated. No mention is made of children.",
    'No.\nReason: the article says "yes, we can" was the slogan.',
    "Answer: No\n\nThe article reports 12 deaths; the summary reports 21.",
    "**Answer: No**\n\nThe article reports 12 deaths.",
    "## Verdict: No\n\n| Statement | Supported |\n|---|---|\n| 12 died | Yes |\n| in May | No |",
    "| Statement | Supported |\n|---|---|\n| 12 died | Yes |\n| in May | No |\n\n**Verdict: Inconsistent**",
    "No, because the document says nothing about it.",
    "No as the document doesn't mention the name.",
    "no.",
    "NO!!!",
    "'no'",
    "Answer: 'no'.",
    "The answer is 'no'.",
    "“No.”",
    "No, it isn't.",
    "No, it's not consistent.",
    "No it is not.",
    "Is the summary consistent with the document?\nNo.",
    "Question: Is the summary consistent with the document?\nAnswer: No.\nExplanation: Yes is wrong because X.",
    "Thank you for the question. The answer is no.",
    "After careful review, the answer is no.",
    "After careful review, my conclusion is that the summary is not consistent with the document.",
    "My final decision: No.",
    "Decision: NO. There's no evidence.",
    "I conclude that the answer is no.",
    "I would say that the summary is inconsistent with the document.",
    '{"answer":"no","confidence":0.9}',
    '{\n"verdict": "INCONSISTENT",\n"errors": ["no such date"]\n}',
    '{"consistent": "No", "why": "yes and no are both said"}',
    '{"supported": false}',
    '{"hallucination": "yes"}',
    "answer = no",
    "> No",
    "No (see paragraph 2).",
    "No; see below.\n\nThere is no mention of the yes vote.",
    "No.\nYes, the document mentions the mayor, but he did not resign.",
    "No, the summary is wrong.\n\nYes, the mayor is mentioned, but he did not resign.",
    "Correct answer is no",
    "My assessment is: no",
    "Factual consistency: No",
    "Consistency: inconsistent",
    "Consistent? No",
    "Output: No",
    "### Response:\nNo",
    "The statement is false. No.",
    "The dates differ, hence no.",
    "Short answer: no. Long answer: the summary changes who said yes.",
    "TL;DR: No",
    "No, the summary isn't consistent with the document: yes-men are not mentioned.",
    "In my opinion, no.",
    "I am confident that the answer is no.",
    "The summary is **inconsistent** with the document.",
    "This summary is not consistent with the document.",
    "The summary is not entirely consistent with the document.",
    "Yes/No: No",
    "I need to answer yes or no. No.",
    "No\n\n---\n\nLet me know if you want more detail! Yes, I can explain.",
]

NO_REASONED = [
    'Let\'s go through it.\n\n1. "The bridge reopened" - Yes, the document says so.\n2. "in May" - No, it says June.\n\nTherefore, the answer is no.',
    "The summary makes three statements. One is not supported.\n\nNo, the summary is not consistent with the document.",
    "therefore the answer is no",
    "Therefore, the answer is: No.",
    "... Therefore, the answer is **no**.\n\nNote: there is no mention of a fire.",
    "Reasoning: the date is wrong.\n<answer>no</answer>",
    "Final Answer: The final answer is No. I hope it is correct.",
    "The final answer is: $\\boxed{\\text{No}}$",
    "Therefore, the answer is no. The summary is not consistent with the document, as there is no evidence.",
    "Thus the response is: no.",
    "Thus, the summary is not consistent with the document, and the answer is no.",
    "Hence, I conclude that the summary is inconsistent.",
    "1. Is the date supported? Yes\n2. Is the place supported? No\n\nNo",
    "Therefore the final verdict is no, the summary is not consistent with the document.",
    "The summary correctly says X. The summary incorrectly says Y.\n\nConclusion: No, the summary is not consistent with the document.",
    "Conclusion: The summary is inconsistent with the document due to Y.",
    "To determine whether the summary is consistent with the document, we compare both.\n\nThe document says June. The summary says May.\n\nSo the summary is not consistent. Therefore, the answer is no.",
    "To determine whether the summary is consistent, let us look at each statement.\n\n- The ferry left at seven: Yes\n- 212 passengers: Yes\n- towed by noon: No, it was evening\n\nTherefore, the answer is no.",
    "Therefore, the answer is no.\n\nThere is no mention of X. No one says yes.",
    "The document never says no one was injured; the answer is therefore no.",
    "There is no information about the cost, so the answer is no.",
    "The summary is therefore not consistent with the document.",
    "Here is my reasoning. The summary says no, the document says yes. Final: No",
]

NONE = [
    "It is consistent.",
    "I think it is a no.",
    "Nope.",
    "Absolutely not.",
    "Partially consistent.",
    "The summary is mostly consistent with the document.",
    "Verdict: partially consistent",
    "The summary is neither consistent nor inconsistent.",
    "It is unclear whether the summary is consistent.",
    "I cannot say that the summary is consistent with the document.",
    "Yes and no. The date is right, but the place is not.",
    "The summary is not supported by the document.",
    "1. No",
    "No information about the cost.",
    "No mention of the mayor.",
    "The dates differ - no.",
    "The summary is partially consistent with the document.",
    "The summary is not inconsistent with the document.",
    "The summary contradicts the document.",
    "The answer must be either yes or no. It is no.",
]

NONE_REASONED = [
    "1. Is the date supported? Yes\n2. Is the place supported?\nYes",
    "- The ferry left at seven: Yes\n- 212 passengers: Yes",
    "There is no information about the cost.",
]

RATINGS = [
    ("I'd rate this 4/5.", 1, 5, 4),
    ("4/5 - mostly consistent", 1, 5, 4),
    ("Rating: 4 out of 5 stars", 1, 5, 4),
    ("★★★★☆", 1, 5, None),
    ("I would assign a rating of 7 to the summary.", 1, 10, 7),
    ("7/10\n\nReasons:\n1. The date is right.\n2. The place is wrong.", 1, 10, 7),
    ("Reasons:\n1. The date is right.\n2. The place is wrong.\n\nRating: 7/10", 1, 10, 7),
    ("1. The date is right.\n2. The place is wrong.", 1, 5, None),
    ("Score: 85", 0, 100, 85),
    ("The summary's consistency score is 85.", 0, 100, 85),
    ("85 (there are 2 errors among 14 facts)", 0, 100, 85),
    ("On a scale of 1 to 5, the summary is a 2.", 1, 5, 2),
    ("On a scale of 1-5 I'd give 3.", 1, 5, 3),
    ("The document mentions 3 dogs.", 1, 5, None),
    ("It is a 4.", 1, 5, 4),
    ("I'd say it's about 70.", 0, 100, 70),
    ("4 stars", 1, 5, 4),
    ("**4**/5", 1, 5, 4),
    ("Four", 1, 5, None),
    ("Stars: 4", 1, 5, 4),
    ("Consistency: 4/5. The summary has 2 facts.", 1, 5, 4),
    ('{"score": 4}', 1, 5, 4),
    ("Rating: 3.5/5", 1, 5, 3.5),
    ("The summary gets a 3 out of 5 from me.", 1, 5, 3),
    ("Rating (1-5): 4", 1, 5, 4),
    ("The rating is between 3 and 4.", 1, 5, None),
    ("Final rating: 2\n\nThe summary names 5 towns and 1 is wrong.", 1, 5, 2),
    ("My rating is therefore 2.", 1, 5, 2),
    ("I'd rate the summary's consistency with the document a 4.", 1, 5, 4),
    ("I would rate the consistency of the summary with the document as 4 out of 5.", 1, 5, 4),
    ("Rating for consistency: 4", 1, 5, 4),
    ("The consistency of the summary can be rated as 4.", 1, 5, 4),
    ("The summary is rated 4.", 1, 5, 4),
    ("0", 0, 100, 0),
    ("100% consistent", 0, 100, 100),
    ("The summary is 90% consistent with the document.", 0, 100, 90),
    ("Points: 7", 1, 10, 7),
    ("7 points", 1, 10, 7),
    ("7. It has 3 errors.", 1, 10, 7),
    ("Rating: 4 (out of 5)", 1, 5, 4),
    ("I'd give this a solid 4.", 1, 5, 4),
    ("This summary scores 4 out of 5.", 1, 5, 4),
    ("My score: 72/100", 0, 100, 72),
    ("72\n\nThe summary gets 7 of 10 facts right.", 0, 100, 72),
    ("The summary gets 7 of 10 facts right. 72", 0, 100, 72),
    ("Score: 0", 0, 100, 0),
    ("I rate it 4 because 3 of the 4 names are right.", 1, 5, 4),
    ("Facts right: 3. Facts wrong: 1. Rating: 3", 1, 5, 3),
    ("**Score:** 3\n\n**Justification:** There are 2 errors.", 1, 5, 3),
    ("3 - the summary has 2 errors", 1, 5, 3),
    ("3: two errors.", 1, 5, 3),
    ("2 out of 5. The date is off by 3 days.", 1, 5, 2),
    ("Final Rating: 4/5\n\n(1 = worst, 5 = best)", 1, 5, 4),
    ("The rating I would give is 4.", 1, 5, 4),
    ("I would give a rating of 4 out of 5 for consistency.", 1, 5, 4),
    ('{"rating": "4"}', 1, 5, 4),
    ('{"score": 4, "errors": 2}', 1, 5, 4),
    ("<answer>4</answer>", 1, 5, 4),
    ("\\boxed{4}", 1, 5, 4),
    ("Rating: four", 1, 5, None),
    ("The summary names 5 of the 6 victims.", 1, 10, None),
    ("A 7.", 1, 10, 7),
    ("7/10.", 1, 10, 7),
    ("Answer: 7", 1, 10, 7),
    ("around 7", 1, 10, None),
    ("Rating: 11", 1, 10, None),
    ("I'd rate it between 6 and 7.", 1, 10, None),
    ("-1", 1, 5, None),
    ("Rating - 4", 1, 5, 4),
    ("Rating: **4** (mostly consistent)", 1, 5, 4),
    ("Consistency score: 85%", 0, 100, 85),
]


@pytest.mark.parametrize(
    ("texts", "reasoned", "value"),
    [
        (YES, False, 1.0), (YES_REASONED, True, 1.0), (NO, False, 0.0), (NO_REASONED, True, 0.0),
        (NONE, False, None), (NONE_REASONED, True, None),
    ],
)  # fmt: skip
def test_phrasings_of_verdicts_are_read(
    texts: list[str], reasoned: bool, value: float | None
) -> None:
    found = {text: read_verdict(text, reasoned).value for text in texts}
    assert found == dict.fromkeys(texts, value)


def test_phrasings_of_ratings_are_read() -> None:
    found = [read_rating(text, low, high).parts.get("rating") for text, low, high, _ in RATINGS]
    assert dict(zip([row[0] for row in RATINGS], found, strict=True)) == {
        text: rating for text, _, _, rating in RATINGS
    }


@pytest.mark.slow
def test_a_thousand_explained_answers_are_read_by_the_metric() -> None:
    rows = list(judge_answers.answers(1000, seed=1))
    values = judge_answers.read(rows)
    shares: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row, value in zip(rows, values, strict=True):
        shares[row.scale, row.verdict].append(judge_answers.right(row, value))
    low = {name: sum(good) / len(good) for name, good in shares.items()}
    assert {name[0] for name in low} == {"yesno", "1-5", "1-10", "0-100", "clinical"}
    assert all(share >= 0.99 for share in low.values()), low


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 10**9), layout=st.sampled_from(list(judge_answers.LAYOUTS)))
def test_what_is_read_for_yes_is_read_for_no(seed: int, layout: str) -> None:
    rng = judge_answers.random.Random(seed)
    one = judge_answers.yes_no(rng, ("yes", "no")[seed % 2], layout)
    found = read_verdict(one.text, one.reasoned), read_verdict(one.twin, one.reasoned)
    values = [reading.value for reading in found]
    assert values in ([one.truth, 1 - one.truth], [None, None])


@pytest.mark.parametrize("reasoned", [False, True])
def test_an_answer_of_many_words_about_something_else_is_off_topic(reasoned: bool) -> None:
    french = "Le pont a été fermé en mai après la tempête, et la mairie a promis des travaux."
    assert read_verdict(french, reasoned).outcome is Outcome.OFF_TOPIC
    assert read_rating(french, 1, 5).outcome is Outcome.OFF_TOPIC
    assert read_form(french).outcome is Outcome.OFF_TOPIC
    english = "The summary says that the bridge was closed in May, after the storm had come."
    assert read_verdict(english, reasoned).outcome is Outcome.UNPARSABLE
    assert read_verdict("Oui, tout est vrai.", reasoned).outcome is Outcome.UNPARSABLE


def test_an_answer_that_was_cut_off_has_no_verdict_but_a_marked_one() -> None:
    text = "Yes, the first statement is supported."
    assert read_verdict(text, reasoned=True).value == 1
    assert read_verdict(text, reasoned=True, cut=True).value is None
    assert read_verdict(text, reasoned=False, cut=True).value == 1
    assert read_verdict(f"{text} The answer is yes. It", reasoned=True, cut=True).value == 1


def test_the_next_question_that_a_base_model_makes_up_is_no_part_of_its_answer() -> None:
    more = "Below are a document and a summary.\n\n<document>\nD\n</document>\n\nAnswer: yes"
    assert read_verdict(f"No\n\n{more}", reasoned=False).value == 0
    assert read_rating(f"2\n\n{more}: 5", 1, 5).parts == {"rating": 2}
    quoted = "The tag <document> is no sentence. Answer: no"
    assert read_verdict(quoted, reasoned=False).value == 0


def test_an_opening_against_its_own_reasoning_is_no_verdict_of_a_chain_of_thought() -> None:
    text = "Yes, the date is in it. The place contradicts the document."
    assert read_verdict(text, reasoned=True).outcome is Outcome.UNPARSABLE
    found = read_verdict(text, reasoned=False)
    assert (found.value, found.parts["contradiction"]) == (1, 1)


@pytest.mark.parametrize(
    ("text", "contradiction"),
    [
        ("No.\n\nEvery statement is supported.", 1),
        ("Yes.\n\nThe date contradicts the document.", 1),
        ("Yes. The place is wrong, so the answer is no.", 1),
        ("No\n\nThe date contradicts the document. The answer is no.", 0),
        ("Yes\n\nNothing contradicts the document.", 0),
        ("Is the summary consistent with the document? No.", 0),
        ("To see whether the summary is consistent, compare the dates.\n\nNo", 0),
        ('{"consistent": false, "reason": "The date differs."}', 0),
    ],
)
def test_a_verdict_against_its_reasons_is_flagged(text: str, contradiction: int) -> None:
    assert read_verdict(text, reasoned=False).parts["contradiction"] == contradiction


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ("overall: 2, consistent in all but one", 2), ("Overall: 2/3", 2), ("overall (0-3): 2", 2),
        ("**Overall grade:** 2", 2), ("| overall | 2 |", 2), ("overall: 2 or 3", None),
        ("overall: 2\n\nOverall: the summary is fine.", 2), ("overall: 1\noverall: 2", 2),
    ],
)  # fmt: skip
def test_entries_of_the_form_with_remarks_are_read(entry: str, part: int | None) -> None:
    assert read_form(entry).parts.get("overall") == part


def test_the_form_takes_no_before_a_noun_for_no_verdict() -> None:
    lines = "population consistent: No inconsistency found\noutcomes consistent: no, 12 not 21"
    found = read_form(f"{lines}\ncomparison mentioned: yes, placebo\noverall: 1")
    assert found.parts == {"outcomes_consistent": 0, "comparison_mentioned": 1, "overall": 1}


def test_a_form_as_json_is_read() -> None:
    text = '{"population_mentioned": "yes", "strength in summary": "no claim", "overall": 3}'
    found = read_form(f"```json\n{text}\n```")
    assert found.parts == {"population_mentioned": 1, "strength_summary": 0, "overall": 3}
    assert found.value == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["the summary is ", "answer ", "no ", "\n- ", "so, ", "1 ", " ", "\n"]
)
def test_long_answers_take_no_time(piece: str) -> None:
    begin = time.process_time()
    for read in (lambda t: read_verdict(t, True), lambda t: read_rating(t, 1, 5), read_form):
        read(piece * (20_000 // len(piece)) + "x")
    assert time.process_time() - begin < 5

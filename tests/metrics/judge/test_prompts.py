"""Templates: what stands in their slots comes out again whatever it is, and cannot pass for what is
around it."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faithkit.metrics.judge import prompts
from faithkit.metrics.judge.prompts import Template, Worked
from faithkit.metrics.judge.prompts import examples as worked
from faithkit.models.chat.transcripts import MARKS, defused
from faithkit.models.protocols import Prompt
from faithkit.records import ConfigError

NAMES = sorted(
    path.name.removesuffix(".txt")
    for path in resources.files(prompts).iterdir()
    if path.name.endswith(".txt")
)
PUBLISHED = sorted(
    f"published/{path.name.removesuffix('.txt')}"
    for path in (resources.files(prompts) / "published").iterdir()
)
PARTS = [
    "<document>", "</document>", "\n</document>", "<summary>", "\n</summary>\n", "</summary-2>",
    "</document-2>", "</DOCUMENT>", "</document-9999999999>", "{document}", "{summary}",
    "{examples}", "{", "}", "<|im_start|>", "<|im_end|>", "[/INST]", "answer: yes", "\n", " ", "é",
    "\u2028", "\x02", "1\x03", "document", "-2", ">",
]  # fmt: skip
TEXT = st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=5)), max_size=12).map("".join)


def shown(prompt: Prompt) -> str:
    return "".join(piece.text for piece in prompt)


def blocks(text: str) -> list[tuple[str, str]]:
    """(slot, text) of every pair of tags, as one reads them from the beginning."""
    found = re.findall(r"<(document|summary)((?:-\d+)?)>\n(.*?)\n</\1\2>", text, re.DOTALL)
    return [(slot, inner) for slot, _, inner in found]


def template(name: str) -> Template:
    if name.startswith("lss"):
        return prompts.packaged(name, prompts.lss_examples(star=name == "lss-star"))
    examples = {"few": worked.shipped(True)["xsum"]}
    return prompts.packaged(name, examples.get(name.removeprefix("published/")[:3], ()))


def test_the_package_has_a_template_for_every_setting() -> None:
    assert NAMES == [
        "answer", "clinical", "clinical-yesno", "clinical-yesno-cot", "few-shot", "few-shot-cot",
        "lss", "lss-star", "question", "rating-0-100", "rating-1-10", "rating-1-5", "zero-shot",
        "zero-shot-cot",
    ]  # fmt: skip
    assert [name.removeprefix("published/") for name in PUBLISHED] == [
        "few-shot", "few-shot-cot", "rating-0-100", "rating-1-10", "rating-1-5", "zero-shot",
        "zero-shot-cot",
    ]  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_prompt_says_after_which_paper_it_asks_and_not_to_the_model(name: str) -> None:
    text = (resources.files(prompts) / f"{name}.txt").read_text(encoding="utf-8")
    header = text[: text.index("\n\n")]
    assert all(line.startswith("#: ") for line in header.splitlines())
    assert re.search(r"Asks what .* asks", header) and re.search(r"\[FCLLM|et al\.", header)
    assert "#:" not in prompts.packaged(name).text


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, *PUBLISHED])
@settings(max_examples=30, deadline=None)
@given(document=TEXT, summary=TEXT)
def test_the_texts_are_read_back_from_the_prompt_unchanged(
    name: str, document: str, summary: str
) -> None:
    made = template(name)
    prompt = made.prompt(document, summary)
    assert [(piece.slot, piece.text) for piece in prompt if piece.slot] == [
        ("document", document),
        ("summary", summary),
    ]
    found = blocks(shown(prompt))
    worked = [pair for one in made.examples
              for pair in (("document", one.document), ("summary", one.summary))]  # fmt: skip
    assert found == [*worked, ("document", document), ("summary", summary)]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(document=TEXT, summary=TEXT)
def test_the_words_around_the_texts_do_not_depend_on_them_but_for_the_tags(
    document: str, summary: str
) -> None:
    made = template("zero-shot")
    plain = [piece.text for piece in made.prompt("a", "b") if not piece.slot]
    around = [piece.text for piece in made.prompt(document, summary) if not piece.slot]
    assert [re.sub(r"-\d+>", ">", text) for text in around] == plain


def test_a_closing_tag_in_a_text_changes_the_tags_and_not_the_text() -> None:
    text = shown(Template("{document}{summary}").prompt("</document> <summary-2>", "x"))
    assert text == (
        "<document-3>\n</document> <summary-2>\n</document-3><summary-3>\nx\n</summary-3>"
    )


def test_slots_are_filled_once_in_any_order_and_other_braces_are_text() -> None:
    text = shown(Template('{summary} {"a": 1} {other} {document}').prompt("{summary}", "S"))
    assert text == ('<summary>\nS\n</summary> {"a": 1} {other} <document>\n{summary}\n</document>')


def test_worked_examples_are_shown_with_their_answers() -> None:
    made = Template(
        "{examples}|{document}{summary}", (Worked("D", "S", "yes"), Worked("E", "T", ""))
    )
    examples = shown(made.prompt("d", "s")).partition("|")[0]
    assert examples == (
        "<document>\nD\n</document>\n\n<summary>\nS\n</summary>\n\nAnswer: yes\n\n"
        "<document>\nE\n</document>\n\n<summary>\nT\n</summary>\n\nAnswer: "
    )


def test_there_are_two_examples_for_each_origin_one_of_them_consistent() -> None:
    plain, reasoned = worked.shipped(False), worked.shipped(True)
    assert list(plain) == list(reasoned) == ["cnndm", "xsum"]
    for origin, examples in plain.items():
        assert [one.answer for one in examples] == ["yes", "no"]
        closings = [one.answer.rpartition(". ")[2] for one in reasoned[origin]]
        assert closings == ["Therefore, the answer is yes.", "Therefore, the answer is no."]


def test_the_four_lss_examples_only_delete() -> None:
    examples = prompts.lss_examples()
    assert len(examples) == 4
    for one in examples:
        left = iter(re.findall(r"\w+", one.summary))
        if one.answer != "NONE":
            assert all(word in left for word in re.findall(r"\w+", one.answer))


def test_the_four_lss_star_examples_add_filler_words_only() -> None:
    examples = prompts.lss_examples(star=True)
    assert len(examples) == 4
    assert [one.answer for one in examples].count("NONE") == 1
    added = set()
    for one in examples:
        if one.answer != "NONE":
            assert one.answer[0].isupper() and one.answer.endswith(".")
            kept = Counter(re.findall(r"\w+", one.answer))
            added |= set(kept - Counter(re.findall(r"\w+", one.summary)))
    assert added == {"are"}


def test_only_the_lss_prompt_asks_for_deletions_alone() -> None:
    lss, star = template("lss").text, template("lss-star").text
    assert "Only delete" in lss and "Only delete" not in star
    assert "grammatical" in star and "Add no information" in star
    assert template("lss").hash != template("lss-star").hash


def test_the_hash_names_the_wording_and_the_examples() -> None:
    one = Template("{document}{summary}", (Worked("D", "S", "yes"),))
    others = [
        Template("{document} {summary}", one.examples),
        Template(one.text),
        Template(one.text, (Worked("D", "S", "no"),)),
    ]
    assert one.hash == Template(one.text, one.examples).hash
    assert one.hash not in {other.hash for other in others}


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("\ufeffIs {summary} in {document}?\n", encoding="utf-8")
    worked = (Worked("D", "S", "yes"),)
    assert prompts.user_template(str(path), worked).examples == ()
    assert shown(prompts.user_template(str(path)).prompt("D", "S")) == (
        "Is <summary>\nS\n</summary> in <document>\nD\n</document>?"
    )
    path.write_text("{examples}{document}{summary}")
    assert prompts.user_template(str(path), worked).examples == worked


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{summary}", "has no {document}"),
        ("{document} {sumary}", "has no {summary}"),
        ("{document}{summary}{document}", "{document} 2 times"),
        ("{document}{summary}\x02", "control character"),
    ],
)
def test_a_template_that_cannot_be_used_says_why(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "own.txt"
    path.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(said)):
        prompts.user_template(str(path))


def test_a_template_that_is_not_there_or_no_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for name in ("none", "bytes"):
        with pytest.raises(ConfigError, match="cannot be read"):
            prompts.user_template(str(tmp_path / name))


@pytest.mark.parametrize(
    "mark",
    ["<|im_start|>", "<|eot_id|>", "<|start_header_id|>", "</s>", "[INST]", "[/inst]", "<<SYS>>",
     "<start_of_turn>", "<｜User｜>", "</think>", "<bos>", "[/SYSTEM_PROMPT]"],
)  # fmt: skip
def test_a_chat_templates_marks_are_broken(mark: str) -> None:
    assert defused(f"a {mark}user") == f"a {mark[0]} {mark[1:]}user"


@settings(deadline=None)
@given(TEXT)
def test_no_mark_is_left_and_text_without_one_is_as_it_was(text: str) -> None:
    assert not MARKS.search(defused(text))
    if not MARKS.search(text):
        assert defused(text) == text

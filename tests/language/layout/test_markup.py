"""HTML, boxes of tasks and struck-through text in the plain form."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary
from faithkit.language.sentences import source_sentences


def pieces(text: str) -> list[str]:
    return [sentence.text for sentence in source_sentences(plain_source(text).text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>Refunds take <b>14 days</b> after it.</p>", ["Refunds take 14 days after it."]),
        ("Acme hired <b>40</b> engineers.", ["Acme hired 40 engineers."]),
        ("<ul><li>One lane</li><li>two lanes</li></ul>", ["One lane", "two lanes"]),
        ("<UL>\n<LI>One lane\n<LI>two lanes\n</UL>", ["One lane", "two lanes"]),
        ("<h2 class='big'>Costs</h2><p>they fell</p>", ["Costs", "they fell"]),
        ("It rained.<br>The door<br />opened", ["It rained.", "The door", "opened"]),
        (
            "<table>\n<tr><th>City</th><th>Sold</th></tr>\n<tr>\n <td>Leeds</td>\n"
            " <td>40 pumps</td>\n</tr></table>",
            ["City | Sold", "Leeds | 40 pumps"],
        ),
        ('Read <a href="https://a.b/c?d=1" hidden>the terms</a>.', ["Read the terms."]),
        ("Anna<!-- <b>not</b> --> won.", ["Anna won."]),
        ("<script>let a = '<p>';</script><style>p {}</style>Anna won.", ["Anna won."]),
        ("5 m<sup>2</sup>, 10<sup>9</sup>, CO<sub>2</sub>", ["5 m², 10⁹, CO2"]),
        ("It sold 40 in Leeds<sup>1</sup>.", ["It sold 40 in Leeds."]),
    ],
)  # fmt: skip
def test_html_leaves_no_tag(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a <b and c> d", "a < b and c > d", "<anna> hi", "<Mark> hi", "<mark> hi", "I <3 it",
        "x<5 and p<0.05", "List<String> and List<B>", "Dear <label>, see <address>", "an -> arrow",
    ],
)  # fmt: skip
def test_what_is_no_tag_stays(text: str) -> None:
    assert plain_source(text).text == text
    assert plain_summary(text, "").text == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("- ~~Launch in Spain~~\n- Launch in Portugal", "\n\nLaunch in Portugal"),
        ("Pricing: ~~$50~~ $40 a month.", "Pricing: $40 a month."),
        ("It starts on Monday ~~at noon~~.", "It starts on Monday."),
        ("It <del>fell</del> <ins>rose</ins>.", "It rose."),
        ("It <s class='x'>fell</s> rose.", "It rose."),
        ("About ~~5 to ~~6", "About 5 to 6"),
        ("It was sooo~~ good~~", "It was sooo good"),
        ("<s>The cat sat.</s>", "The cat sat."),  # marks of language models
    ],
)
def test_withdrawn_text_is_left_out(text: str, plain: str) -> None:
    assert plain_source(text).text == plain
    assert plain_summary(text, "").text == plain


def test_sentences_are_withdrawn_from_a_source_alone() -> None:
    text = "Old: ~~It is 5. It is late.~~ It is 6."
    assert plain_source(text).text == "Old: It is 6."
    assert plain_summary(text, "").text == "Old: It is 5. It is late. It is 6."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- [x] Deploy\n- [ ] Test", ["☑ Deploy", "☐ Test"]),
        ("1. [X] Deploy\n2. [ ] Test", ["☑ Deploy", "☐ Test"]),
        ("[x] Deploy\n[ ] Test", ["☑ Deploy", "☐ Test"]),
        ("Smoker: [ ] yes [X] no", ["Smoker: ☐ yes ☑ no"]),
        ("| [x] | Deploy |\n| [ ] | Test |", ["☑ | Deploy", "☐ | Test"]),
        ("✅ Deploy it to the staging server\n❌ test it on the other one", [
            "✅ Deploy it to the staging server", "❌ test it on the other one"]),
        ("He [X] said [ ] so; x[ ] a", ["He [X] said [ ] so; x[ ] a"]),
    ],
)  # fmt: skip
def test_boxes_say_whether_a_task_is_done(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize(
    ("text", "word", "given"),
    [
        ("<p>It <b>rose</b> by &lt;5 &amp; fell.</p>", "& fell", "&amp; fell"),
        ("It ~~fell~~ rose [1]. It <s>is</s> was so.", "was so", "was so"),
        ("- [x] Deploy ~~now~~ then", "☑ Deploy", "[x] Deploy"),
        ("5 m<sup>2</sup> big", "²", "<sup>2</sup>"),
        ("<td>Leeds</td> <td>40</td>", "40", "40"),
    ],
)
def test_places_are_those_of_the_given_text(text: str, word: str, given: str) -> None:
    for plain in (plain_source(text), plain_summary(text, "")):
        start = plain.text.index(word)
        assert text[slice(*plain.span(start, start + len(word)))] == given


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    ["<b", "<p>", "<!--", "<script>", "~~a ", "<s>a", "[1] ", "【1", "(1) ", "[ ] a ", "<td> "],
)
def test_many_marks_take_no_time(part: str) -> None:
    assert plain_source("x" + part * 8_000).text  # it was quadratic: minutes for 20,000

"""The annotation pages in a real browser: by keyboard, two people at once, reloads and kills."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.annotation_person import Person
from tests.helpers.annotation_server import AnnotationServer, write_pairs
from tests.helpers.annotation_stores import SUMMARIES
from tests.helpers.browser import chromium
from tests.helpers.web_server import listening

from faithkit.annotation.items import items_of
from faithkit.annotation.store import ADJUDICATOR, Plan, create
from faithkit.annotation.task_files import load
from faithkit.records import Example
from faithkit.web.annotation import annotation_app

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path)


def task_without_pilots(folder: Path, name: str) -> str:
    from faithkit.annotation.task_files import shipped_text

    path = folder / f"{name}.toml"
    path.write_text(shipped_text(name).partition("[[pilots]]")[0], encoding="utf-8")
    return str(path)


def test_words_are_marked_by_keyboard_alone(browser: Any, pairs: Path) -> None:
    task = task_without_pilots(pairs.parent, "spans")
    with AnnotationServer(task, pairs) as server:
        anna = Person(browser, server.address, "anna")
        anna.choose("eleven", 2)
        anna.press("1")
        anna.choose("months")
        anna.press("Shift+ArrowRight", "2", "s")
        anna.choose("council")
        anna.press("4", "u")
        anna.page.locator(".marks li").nth(1).wait_for()
        anna.ready()
        assert anna.marks() == ["eleven months", "months."]
        anna.press("Enter")
        anna.at(2)
        anna.press("k")
        anna.at(3)
        answer = server.store.answer("anna", 1)
        marks = [(m.text, m.type, m.severity) for m in answer.spans("errors")]
        assert marks == [
            ("eleven months", "intrinsic-NP", "major"),
            ("months.", "extrinsic-NP", "minor"),
        ]
        assert answer.state == "done" and server.store.answer("anna", 2).state == "skipped"
        assert anna.errors == []


def test_mouse_selection_marks_whole_words_across_lines(browser: Any, pairs: Path) -> None:
    task = task_without_pilots(pairs.parent, "spans")
    with AnnotationServer(task, pairs) as server:
        anna = Person(browser, server.address, "anna")
        anna.page.set_viewport_size({"width": 700, "height": 800})
        anna.page.locator("#summary").evaluate("box => { box.style.width = '12rem'; }")
        first = anna.page.locator('#summary [data-word="2"]').bounding_box()
        last = anna.page.locator('#summary [data-word="5"]').bounding_box()
        assert first and last and last["y"] > first["y"]
        anna.page.mouse.move(first["x"] + first["width"] / 2, first["y"] + 5)
        anna.page.mouse.down()
        anna.page.mouse.move(last["x"] + last["width"] / 2, last["y"] + 5, steps=5)
        anna.page.mouse.up()
        anna.page.locator('[data-type="extrinsic-NP"]').click()
        anna.page.locator(".marks li").wait_for()
        assert anna.marks() == ["will close the library"]
        anna.ready()
        (mark,) = server.store.answer("anna", 1).spans("errors")
        assert SUMMARIES[0][mark.start : mark.end] == "will close the library"
        assert anna.errors == []


def test_two_annotators_at_once_and_the_adjudicator(browser: Any, pairs: Path) -> None:
    with AnnotationServer("verdict", pairs) as server:
        anna, ben = (Person(browser, server.address, name) for name in ("anna", "ben"))
        for item, (ours, theirs) in enumerate(("11", "12", "22", "11"), start=1):
            for person, key in ((anna, ours), (ben, theirs)):
                person.at(item)
                person.press(key)
                person.ready()
            for person in (anna, ben):
                person.page.locator("#done").click()
        for person in (anna, ben):
            person.page.locator("#notice", has_text="Everything is finished").wait_for()
            assert person.errors == []
        anna.page.goto(f"{server.address}/adjudicate")
        anna.at(1)
        said = anna.page.locator('[data-name="verdict"] .others p').all_inner_texts()
        assert said == ["anna: consistent", "ben: not consistent"]
        anna.press("2")
        anna.page.locator("#done").click()
        anna.page.locator("#notice", has_text="Everything is finished").wait_for()
        anna.ready()
        decided = server.store.answer(ADJUDICATOR, 2)
        assert decided.values["verdict"] == "not consistent" and decided.state == "done"


def test_adjudicator_without_disagreements_is_told_so(browser: Any, pairs: Path) -> None:
    with AnnotationServer("verdict", pairs) as server:
        anna = Person(browser, server.address, "anna")
        anna.page.goto(f"{server.address}/adjudicate")
        anna.page.locator("#notice", has_text="No item that two people have finished").wait_for()
        anna.press("n", "u", "Enter", "k")
        assert not anna.page.locator("#done").is_visible()
        assert not anna.page.locator("#questions").is_visible()
        assert anna.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_violation_and_nothing_is_wider_than_the_screen(
    browser: Any, pairs: Path, scheme: str, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is absent")
    task = task_without_pilots(pairs.parent, "spans")
    with AnnotationServer(task, pairs) as server:
        anna = Person(browser, server.address, "anna")
        anna.page.set_viewport_size({"width": width, "height": 844})
        anna.page.emulate_media(color_scheme=scheme)
        anna.choose("eleven", 2)
        anna.press("1")
        anna.page.locator(".marks li").wait_for()
        check(axe, anna.page, width)
        anna.press("g")
        check(axe, anna.page, width)
        for path in ("/", "/adjudicate"):
            anna.page.goto(server.address + path)
            check(axe, anna.page, width)
        assert anna.errors == []


def check(axe: Any, page: Any, width: int) -> None:
    result = axe.Axe().run(page)
    assert result.violations_count == 0, f"{page.url}: {result.generate_report()}"
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_reload_in_mid_task_goes_on_where_it_was(browser: Any, pairs: Path) -> None:
    with AnnotationServer(task_without_pilots(pairs.parent, "lss"), pairs) as server:
        anna = Person(browser, server.address, "anna")
        anna.choose("eleven", 2)
        anna.press("x")
        anna.page.locator("output", has_text="library for .").wait_for()
        anna.page.locator("#comment").fill("weeks")
        anna.ready()
        anna.page.reload()
        anna.at(1)
        assert anna.page.locator("#summary s").all_inner_texts() == ["eleven", " ", "months"]
        left = anna.page.locator("output").inner_text()
        assert left == "The council will close the library for ."
        assert anna.page.locator("#comment").input_value() == "weeks"
        assert anna.page.locator("textarea[name=lss_star]").input_value().endswith("for .")


def test_marks_made_while_the_server_is_away_are_stored_when_it_is_back(
    browser: Any, pairs: Path
) -> None:
    task = task_without_pilots(pairs.parent, "spans")
    with AnnotationServer(task, pairs) as server:
        anna = Person(browser, server.address, "anna")
        anna.choose("months")
        anna.press("1")
        anna.ready()
        server.kill()
        anna.choose("council")
        anna.press("2")
        anna.page.locator("#status", has_text="1 not stored yet").wait_for()
        assert anna.marks() == ["council", "months"]
        server.start()
        anna.ready()
        marks = server.store.answer("anna", 1).spans("errors")
        assert [mark.text for mark in marks] == ["council", "months"]
        assert anna.errors == []


def test_conditional_questions_come_and_go(browser: Any, pairs: Path) -> None:
    with AnnotationServer("treatfact", pairs) as server:
        anna = Person(browser, server.address, "anna")
        consistent = anna.page.locator('[data-name="population_consistent"]')
        assert consistent.is_hidden()
        anna.press("1")
        assert consistent.is_visible()
        anna.page.locator("#done").click()
        anna.page.locator("#notice", has_text="No answer yet: Population: consistent").wait_for()
        anna.press("1", "2", "2", "2", "3", "3")
        anna.page.locator('[data-name="overall"] input[value="3"]').check()
        anna.page.locator("#done").click()
        anna.at(2)
        answer = server.store.answer("anna", 1)
        assert answer.values["strength_right"] == "NA" and answer.state == "done"
        assert anna.errors == []


def test_fields_that_the_task_shows_are_above_the_summary(
    browser: Any, pairs: Path, tmp_path: Path
) -> None:
    task = Path(task_without_pilots(tmp_path, "rating"))
    task.write_text(f'shows = ["system"]\n{task.read_text("utf-8")}', encoding="utf-8")
    with AnnotationServer(str(task), pairs) as server:
        anna = Person(browser, server.address, "anna")
        assert anna.page.locator("#summaries .shown div").all_inner_texts() == ["system\nwriter-1"]
        anna.press("n")
        anna.at(2)
        assert anna.page.locator("#summaries .shown dd").inner_text() == "writer-0"
        assert anna.errors == []


HOSTILE = (
    '<script>document.title = "wrong"</script><b>bold</b>',
    "קו ראשון \u200b\u202eltr\u202c 😀 end",
    "line one\nline two\n\nline\tthree",
)


def test_hostile_texts_are_shown_as_they_are(browser: Any, tmp_path: Path) -> None:
    import json

    pairs = tmp_path / "pairs.jsonl"
    rows = [{"id": str(n), "source": text * 400, "summary": text} for n, text in enumerate(HOSTILE)]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with AnnotationServer(task_without_pilots(tmp_path, "spans"), pairs) as server:
        anna = Person(browser, server.address, "anna")
        for number, text in enumerate(HOSTILE, start=1):
            anna.at(number)
            shown = anna.page.locator("#summary").evaluate("box => box.textContent")
            assert shown == text
            anna.page.locator("#summary").focus()
            anna.press("End", "2", "Enter")
            if number < len(HOSTILE):
                anna.at(number + 1)
        anna.page.locator("#notice", has_text="Everything is finished").wait_for()
        anna.ready()
        for number, text in enumerate(HOSTILE, start=1):
            (mark,) = server.store.answer("anna", number).spans("errors")
            assert text[mark.start : mark.end] == mark.text
        assert "wrong" not in anna.page.title() and anna.errors == []


REVERSED = "The \u202enever\u202c closed \u2067library\u00ad."

LEFTS = """box => {
  const range = document.createRange();
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const lefts = [];
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (node.parentNode.matches(".hidden-character")) continue;
    for (let place = 0; place < node.length; place += 1) {
      range.setStart(node, place);
      range.setEnd(node, place + 1);
      lefts.push(range.getBoundingClientRect().left);
    }
  }
  return lefts;
}"""
"""Where each character that can be seen begins, from the left."""

NAMES = """box => [...box.querySelectorAll(".hidden-character")].map(
  (character) => getComputedStyle(character, "::after").content.slice(1, -1))"""


def test_hidden_characters_are_named_and_turn_no_text_round(browser: Any, tmp_path: Path) -> None:
    task = load(task_without_pilots(tmp_path, "spans"))
    items = items_of(task, [Example("s1", REVERSED, REVERSED)])
    store = create(tmp_path / "a.sqlite", task, items, Plan(), "pairs.jsonl")
    with listening(annotation_app(store)) as address:
        anna = Person(browser, address, "anna")
        anna.page.locator("#summary").focus()
        anna.press("Home", "Shift+End", "1")
        anna.ready()
        for shown, text in [("#summary", REVERSED), ("#source", REVERSED),
                            (".marks .quote", f"“{REVERSED}”")]:  # fmt: skip
            box = anna.page.locator(shown)
            assert box.evaluate("box => box.textContent") == text
            assert box.evaluate(NAMES) == ["U+202E", "U+202C", "U+2067", "U+00AD"]
            lefts = box.evaluate(LEFTS)
            assert len(lefts) == len(text) - 4 and lefts == sorted(lefts)
        (mark,) = store.answer("anna", 1).spans("errors")
        assert (mark.start, mark.end, mark.text) == (0, len(REVERSED), REVERSED)
        assert anna.errors == []


def test_hidden_character_can_be_selected_by_mouse(browser: Any, tmp_path: Path) -> None:
    task = load(task_without_pilots(tmp_path, "spans"))
    items = items_of(task, [Example("s1", REVERSED, REVERSED)])
    store = create(tmp_path / "a.sqlite", task, items, Plan(), "pairs.jsonl")
    with listening(annotation_app(store)) as address:
        anna = Person(browser, address, "anna")
        box = anna.page.locator("#summary .hidden-character").first.bounding_box()
        middle = box["y"] + box["height"] / 2
        anna.page.keyboard.down("Alt")
        anna.page.mouse.move(box["x"] - 1, middle)
        anna.page.mouse.down()
        anna.page.mouse.move(box["x"] + box["width"] + 1, middle, steps=4)
        anna.page.mouse.up()
        anna.page.keyboard.up("Alt")
        anna.page.locator('[data-type="intrinsic-NP"]').click()
        anna.page.locator(".marks li").wait_for()
        anna.ready()
        (mark,) = store.answer("anna", 1).spans("errors")
        assert (mark.start, mark.end, mark.text) == (4, 5, "\u202e")

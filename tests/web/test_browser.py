"""The app in a real browser: writing, dropping a file, looking at results, hostile texts, and a
server that goes away."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.browser import chromium, eventually, page_of
from tests.helpers.marking_metric import Marking
from tests.helpers.web_server import app, listening

from faithkit.records import Example, Score, Span

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SOURCE = "The bridge opened in May. It cost three million pounds. " + "Nothing else is said. " * 200
HOSTILE = [
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "</textarea><script>alert(3)</script>",
    "\u202eright to left \u2066and\u2069 back",
    "zero\u200bwidth \ufeff and \U0001f408 wide",
    "&lt;b&gt; &amp; \"quoted\" 'text'",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with listening(app()) as found:
        yield found


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    with page_of(browser) as made:
        yield made


def marked(page: Any) -> list[str]:
    """The words that are marked behind the summary."""
    return list(page.locator("#summary").locator("xpath=..").locator(".mark").all_inner_texts())


def written(page: Any, address: str, source: str, summary: str) -> None:
    page.goto(address)
    page.fill("#source", source)
    page.fill("#summary", summary)


def test_marks_follow_what_is_written(page: Any, address: str) -> None:
    written(page, address, SOURCE, "The bridge opened in June.")
    page.wait_for_selector("#marks li")
    assert marked(page) == ["June"]
    assert "not consistent" in page.inner_text("#verdict")
    # Before the server answers, the mark is where its word is now.
    moved = page.evaluate(
        """() => {
            const area = document.getElementById('summary');
            area.setRangeText('Sadly, the tunnel and ', 0, 0);
            area.dispatchEvent(new Event('input', {bubbles: true}));
            return [...area.parentNode.querySelectorAll('.mark')].map((one) => one.innerText);
        }"""
    )
    assert moved == ["June"]
    eventually(lambda: marked(page) == ["Sadly", "tunnel and", "June"])
    page.fill("#summary", "The bridge opened in May.")
    page.wait_for_selector("#marks li", state="detached")
    assert "no words are marked" in page.inner_text("#verdict")
    assert marked(page) == []


def test_the_least_supported_sentence_is_shown_where_no_word_is_marked(page: Any) -> None:
    source = "Ann told Ben that she would sell the house. It rained."
    with listening(app(["support"])) as address:
        written(page, address, source, "Ann told Ben that he would sell the house.")
        page.wait_for_selector("#least q")
        assert "no words are marked" in page.inner_text("#verdict")
        shown = page.inner_text("#least")
        assert "that he would sell" in shown and "that she would sell" in shown
        page.fill("#summary", "It rained.")
        page.wait_for_selector("#least q", state="detached")
        assert "undecided" not in page.inner_text("#verdict")


def test_a_mark_leads_to_its_evidence_and_keys_go_from_mark_to_mark(
    page: Any, address: str
) -> None:
    source = "Filler is here. " * 300 + "Last of all."
    written(page, address, source, "June " + "x " * 20)
    page.wait_for_selector("#marks li")
    page.keyboard.press("Alt+ArrowDown")
    assert page.evaluate("document.activeElement.selectionStart") == 0
    assert page.locator("#marks [aria-pressed=true]").count() == 1
    evidence = page.locator(".backdrop .evidence")
    assert evidence.inner_text() in source
    inside = page.evaluate(
        """() => {
            const words = document.querySelector('.backdrop .evidence').getBoundingClientRect();
            const area = document.getElementById('source').getBoundingClientRect();
            return words.top >= area.top - 5 && words.bottom <= area.bottom + 5;
        }"""
    )
    assert inside


class Rising(Marking):
    """Doubts each marked word more than those before it."""

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [replace(score, spans=self._risen(score)) for score in super().score(examples)]

    @staticmethod
    def _risen(score: Score) -> tuple[Span, ...]:
        return tuple(
            replace(span, score=0.4 - place / 10) for place, span in enumerate(score.spans)
        )


def test_marks_are_numbered_by_doubt_and_keys_follow_the_numbers(page: Any) -> None:
    summary = "June opened the bridge, tunnel opened."
    with listening(app([Rising()])) as address:
        written(page, address, SOURCE, summary)
        page.wait_for_selector("#marks li")
        assert marked(page) == ["June", "tunnel"]
        behind = page.locator("#summary").locator("xpath=..").locator(".mark")
        numbers = [behind.nth(at).get_attribute("data-number") for at in range(2)]
        assert numbers == ["2", "1"]
        assert page.locator("#marks li .mark").all_inner_texts() == ["tunnel", "June"]
        for number, words in enumerate(("tunnel", "June", "tunnel")):
            page.keyboard.press("Alt+ArrowDown")
            assert page.locator("#marks [aria-pressed=true] .mark").all_inner_texts() == [words]
            assert behind.and_(page.locator(".chosen")).all_inner_texts() == [words]
            evidence = page.locator(".backdrop .evidence").get_attribute("data-number")
            assert evidence == str(number % 2 + 1)
            place = page.evaluate("document.activeElement.selectionStart")
            assert place == summary.index(words)


def test_a_mark_that_is_chosen_after_an_edit_is_on_its_word(page: Any) -> None:
    with listening(app([Rising()])) as address:
        written(page, address, SOURCE, "June opened the bridge, tunnel opened.")
        page.wait_for_selector("#marks li")
        page.route("**/app/check", lambda route: None)  # no answer comes
        page.fill("#summary", "Sadly, June opened the bridge, tunnel opened.")
        behind = page.locator("#summary").locator("xpath=..").locator(".mark")
        for words in ("tunnel", "June"):
            page.keyboard.press("Alt+ArrowDown")
            assert behind.all_inner_texts() == ["June", "tunnel"]
            assert behind.and_(page.locator(".chosen")).all_inner_texts() == [words]
            assert page.locator(".backdrop .evidence").count() == 1
        page.fill("#source", f"Reported. {SOURCE}")
        assert page.locator(".backdrop .evidence").inner_text() in SOURCE
        page.locator("#marks button").first.click()
        assert behind.and_(page.locator(".chosen")).all_inner_texts() == ["tunnel"]
        assert page.locator(".backdrop .evidence").count() == 0
        page.fill("#summary", "Sadly, June opened the bridge.")
        page.locator("#marks button").nth(1).click()
        assert behind.all_inner_texts() == ["June"]
        page.click("#clear")
        page.wait_for_timeout(200)
        assert behind.count() == 0


def test_what_lies_behind_a_text_area_is_where_its_text_is(page: Any, address: str) -> None:
    long = "A line that is wrapped somewhere, with a tab\there and aVeryLongWord" + "y" * 200
    written(page, address, SOURCE, f"{long}\n\n{long}\n" * 12)
    page.wait_for_selector("#marks li")
    heights = page.evaluate(
        """() => {
            const area = document.getElementById('summary');
            return [area.scrollHeight, area.previousElementSibling.scrollHeight];
        }"""
    )
    assert heights[0] == heights[1]
    page.evaluate("document.getElementById('summary').scrollTop = 200")
    eventually(lambda: page.evaluate("document.querySelectorAll('.backdrop')[1].scrollTop") == 200)


def test_a_reload_keeps_the_texts_and_clearing_forgets_them(page: Any, address: str) -> None:
    written(page, address, "A source.", "A summary.")
    page.wait_for_selector("#marks li")
    page.reload()
    assert page.input_value("#summary") == "A summary."
    page.wait_for_selector("#marks li")
    page.click("#clear")
    page.reload()
    assert page.input_value("#source") == ""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_shown_as_they_are(page: Any, address: str, text: str) -> None:
    written(page, address, f"{text} The end.", f"{text} Unheard of.")
    page.wait_for_selector("#marks li")
    assert marked(page)[-1] == "Unheard of"
    assert page.input_value("#summary") == f"{text} Unheard of."


def test_a_text_of_50_000_words_is_checked_and_a_longer_one_is_refused(
    page: Any, address: str
) -> None:
    written(page, address, "word " * 50_000, "word and another")
    page.wait_for_selector("#marks li")
    assert marked(page) == ["and another"]
    page.fill("#source", "word " * 60_000)
    page.wait_for_selector("#problem:not([hidden])")
    assert "300,016 characters; the app checks 300,000 at most" in page.inner_text("#problem")
    assert marked(page) == []


def test_the_example_is_there_until_something_is_written(page: Any, address: str) -> None:
    page.goto(address)
    page.click("#example")
    page.wait_for_selector("#marks li")
    assert "library" in page.input_value("#source")
    assert page.locator("#start").is_hidden()
    page.click("#clear")
    page.wait_for_selector("#start", state="visible")


def test_a_file_is_dropped_watched_and_looked_at(page: Any, address: str, tmp_path: Path) -> None:
    rows = [
        {"id": f"<b>{number}</b>", "source": text, "summary": f"{text} Unheard of."}
        for number, text in enumerate(HOSTILE)
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    page.goto(f"{address}/files")
    dropped = page.evaluate_handle(
        """(text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], '<i>pairs.jsonl'));
            return data;
        }""",
        content,
    )
    page.dispatch_event("#drop", "drop", {"dataTransfer": dropped})
    page.wait_for_selector("text=Look at the rows")
    assert "5 not consistent" in page.inner_text("#files")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "scores.csv")
    assert (tmp_path / "scores.csv").read_text(encoding="utf-8").count("\n") == 6
    page.click("text=Look at the rows")
    page.wait_for_selector("table.rows tbody tr")
    assert page.locator("table.rows tbody tr").count() == 5
    page.click("table.rows a >> nth=0")
    page.wait_for_selector(".panes mark")
    page.keyboard.press("j")
    assert page.locator("mark.chosen").count() == 1
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.wait_for_selector("table.rows tbody tr")
    page.fill("input[type=search]", "ZERO")
    page.wait_for_selector("table.rows tbody tr:nth-child(2)", state="detached")
    assert page.locator("table.rows tbody tr").count() == 1


def test_a_list_that_is_older_than_a_sent_file_does_not_end_the_watch(
    page: Any, address: str, tmp_path: Path
) -> None:
    (tmp_path / "late.jsonl").write_text(json.dumps({"source": "A.", "summary": "A b."}))
    held: list[tuple[Any, Any]] = []

    def first_is_late(route: Any) -> None:
        if held or route.request.method != "GET":
            route.continue_()
        else:
            held.append((route, route.fetch()))

    page.route("**/v1/files*", first_is_late)
    page.goto(f"{address}/files")
    eventually(lambda: bool(page.evaluate("1") and held))
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.set_input_files("#file", tmp_path / "late.jsonl")
    page.locator("article", has_text="late.jsonl").wait_for()
    route, answer = held[0]
    route.fulfill(response=answer)
    page.locator("article", has_text="late.jsonl").get_by_text("Look at the rows").wait_for()


def test_a_file_that_cannot_be_read_says_why(page: Any, address: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("article,tldr\nA.,B.\n")
    page.goto(f"{address}/files")
    page.set_input_files("#file", tmp_path / "pairs.csv")
    page.wait_for_selector(".file .note")
    assert "no column 'source'" in page.inner_text("#files")
    page.click("text=The columns have other names")
    page.fill("#column-source", "article")
    page.fill("#column-summary", "tldr")
    page.set_input_files("#file", tmp_path / "pairs.csv")
    page.wait_for_selector("text=Look at the rows")


def test_texts_survive_a_server_that_is_killed_and_marks_come_back(browser: Any) -> None:
    with page_of(browser) as page:
        with listening(app()) as found:
            written(page, found, "A source.", "A summary.")
            page.wait_for_selector("#marks li")
        page.fill("#summary", "A longer summary.")
        page.wait_for_selector("#problem:not([hidden])")
        assert "The server does not answer" in page.inner_text("#problem")
        assert page.input_value("#summary") == "A longer summary."
        with listening(app(), int(found.rpartition(":")[2])):
            page.wait_for_selector("#problem", state="hidden")
            assert marked(page) == ["longer summary"]


def test_writing_goes_on_while_a_check_takes_long(browser: Any) -> None:
    with listening(app([Marking(slow=0.5)])) as found, page_of(browser) as page:
        written(page, found, "A source.", "A")
        page.wait_for_timeout(300)
        page.locator("#summary").press("End")
        page.keyboard.type(" summary of something", delay=30)
        page.wait_for_selector("#marks li")
        assert marked(page) == ["summary of something"]
        assert page.input_value("#summary") == "A summary of something"


@pytest.mark.parametrize("path", ["/", "/files", "/results", "/api"])
def test_no_page_is_wider_than_a_phone(browser: Any, address: str, path: str) -> None:
    with page_of(browser, 390, 844) as page:
        page.goto(address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_long_names_of_files_wrap_on_a_phone(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / f"{'pairs' * 18}.jsonl"
    path.write_text(json.dumps({"source": "A.", "summary": "A b."}))
    with listening(app()) as address, page_of(browser, 390, 844) as page:
        page.goto(f"{address}/files")
        page.set_input_files("#file", path)
        page.wait_for_selector("text=Look at the rows")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.goto(f"{address}/results")
        page.get_by_role("link", name=path.name).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_role("link", name=path.name).click()
        page.locator("#pair .text").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(browser: Any, scheme: str, tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is absent")
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"source": "A.", "summary": "A b."}))
    with listening(app()) as address, page_of(browser) as page:
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{address}/files")
        page.set_input_files("#file", tmp_path / "pairs.jsonl")
        page.wait_for_selector("text=Look at the rows")
        check(axe, page)
        for path in ("/results", "/api", "/nothing"):
            page.goto(address + path)
            check(axe, page)
        written(page, address, SOURCE, "The bridge opened in June.")
        page.wait_for_selector("#marks li")
        page.keyboard.press("Alt+ArrowDown")
        page.click("#numbers summary")
        check(axe, page)


def check(axe: Any, page: Any) -> None:
    result = axe.Axe().run(page)
    assert result.violations_count == 0, f"{page.url}: {result.generate_report()}"

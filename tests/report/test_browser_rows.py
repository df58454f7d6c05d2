"""The page in a real browser: empty groups, the least supported sentence, numbers of marks, rows
without a value, counts and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.browser import eventually, page_of
from tests.helpers.shown_rows import (
    SOURCE,
    SUMMARY,
    SUPPORT,
    evidence,
    example,
    marked,
    other,
    place,
    support,
    write_page,
)

from faithkit.records import LEAST_SUPPORTED, Evidence, Example, Outcome, Score
from faithkit.report.views import ShownMetric

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def of_errors(folder: Path, errors: Sequence[str | None]) -> str:
    """A page of rows with a field `error`, None where a row has none."""
    rows = []
    for number, error in enumerate(errors):
        name = f"row {number}"
        meta = {"kind": "support ticket"} | ({} if error is None else {"error": error})
        rows.append((example(name, meta=meta), [support(name, number / 10)]))
    return write_page(folder / "page.html", rows, [SUPPORT]).as_uri()


def of_scores(folder: Path, *scores: Score) -> str:
    """A page of one row."""
    metrics = [ShownMetric(score.metric) for score in scores]
    return write_page(folder / "page.html", [(example(), scores)], metrics).as_uri()


def least_supported(verdict: float, *spans: str) -> Score:
    """The only sentence is the least supported one; `spans` are marked."""
    best = evidence("Bob left in May.", SUMMARY, "best match")
    least = replace(best, label=LEAST_SUPPORTED, score=0.2)
    return Score(
        "a", "support", 0.3, parts={"verdict": verdict},
        spans=tuple(marked(words, 0.3) for words in spans), evidence=(best, least),
    )  # fmt: skip


def ids(page: Any) -> list[str]:
    return list(page.locator("table.rows tbody th a").all_inner_texts())


def test_an_empty_value_and_none_are_groups_with_names_that_filter(
    page: Any, tmp_path: Path
) -> None:
    page.goto(of_errors(tmp_path, ["", "number", "", "(empty)", None]))
    chosen = page.get_by_label("error", exact=True)
    chosen.wait_for()
    options = chosen.locator("option").all_inner_texts()
    assert options == ["any", "((empty))", "(empty)", "number", "(none)"]
    assert chosen.locator("option:checked").inner_text() == "any"
    for name, rows in (("((empty))", ["row 0", "row 2"]), ("(none)", ["row 4"])):
        page.get_by_role("table").get_by_role("button", name=name, exact=True).click()
        eventually(lambda rows=rows: ids(page) == rows)
        assert chosen.locator("option:checked").inner_text() == name
    page.reload()
    eventually(lambda: ids(page) == ["row 4"])
    chosen.select_option("(empty)")
    eventually(lambda: ids(page) == ["row 3"])


def test_an_empty_value_is_named_above_its_row(page: Any, tmp_path: Path) -> None:
    page.goto(of_errors(tmp_path, ["", "number", ""]) + "#row=0")
    page.get_by_text("kind: support ticket · error: (empty)", exact=True).wait_for()


def test_what_metrics_left_out_of_a_row_is_said_once(page: Any, tmp_path: Path) -> None:
    said = {"left_out": "15 characters of the summary (“<b>95%</b>”)"}
    page.goto(of_scores(tmp_path, replace(support(), texts=said), replace(other(), texts=said)))
    page.wait_for_selector(".all-scores")
    lines = page.locator(".all-scores > p:not(.caption)").all_inner_texts()
    assert lines == [f"left out by support, other: {said['left_out']}"]


def test_the_list_says_of_which_metric_marks_are(page: Any, tmp_path: Path) -> None:
    both = [support(), replace(other(), spans=(marked("68", 0.2), marked("Ann", 0.3)))]
    rows = [(example(), both), (example("b"), [support("b", 0.2), other("b")])]
    rows.append((example("c"), [replace(support("c", 0.3), spans=()), other("c")]))
    page.goto(write_page(tmp_path / "page.html", rows).as_uri())
    page.wait_for_selector("table.rows")
    cells = page.locator("td[data-name=marks]").all_inner_texts()
    assert cells == ["2 by support, 2 by other", "2 by support", "0"]


def test_marks_have_the_numbers_of_their_doubt(page: Any, tmp_path: Path) -> None:
    spans = (marked("Ann", 0.6), marked("68", 0.4), marked("June", 0.1))
    told = evidence("Bob left in May.", "June")
    page.goto(of_scores(tmp_path, Score("a", "support", 0.1, spans=spans, evidence=(told,))))
    page.locator("#pair mark").first.wait_for()
    assert page.locator("#pair mark > sup").all_inner_texts() == ["3", "2", "1"]
    assert page.locator(".evidence.of-mark sup").inner_text() == "1"
    notes = page.locator("[data-note]").all_inner_texts()
    assert [note.split()[0] for note in notes] == ["June", "68", "Ann"]
    for words, number in (("June", "1"), ("68", "2"), ("Ann", "3"), ("June", "1")):
        page.keyboard.press("j")
        assert page.locator("mark:focus").inner_text().startswith(words)
        assert page.locator("mark:focus > sup").inner_text() == number
        assert page.get_by_role("tooltip").inner_text().startswith(f"{number}. ")


def test_the_least_supported_sentence_leads_to_the_source_and_back(
    page: Any, tmp_path: Path
) -> None:
    page.goto(of_scores(tmp_path, least_supported(0.0)))
    page.get_by_text("The underlined sentence is doubted as a whole.").wait_for()
    sentence = page.get_by_role("button", name="least supported sentence, 20% likely")
    line = "node => getComputedStyle(node).textDecorationLine"
    assert sentence.evaluate(line) == "underline"
    nearest = page.locator(".evidence.of-mark")
    assert nearest.inner_text() == "Bob left in May."
    assert nearest.evaluate(line) == "underline"
    page.locator(".notes .to-source").click()
    assert page.locator(".evidence.best:focus").inner_text() == "Bob left in May."
    assert page.locator(".notes .chosen").count() == 1
    page.locator(".evidence.best").click()
    assert "least" in page.evaluate("document.activeElement.className")
    page.keyboard.press("Enter")
    assert page.locator(".evidence.best:focus").count() == 1
    page.keyboard.press("Enter")
    assert "least" in page.evaluate("document.activeElement.className")


def test_a_sentence_with_a_mark_in_it_is_not_said_to_have_no_word_that_stands_out(
    page: Any, tmp_path: Path
) -> None:
    page.goto(of_scores(tmp_path, least_supported(0.0, "June")))
    page.locator("#pair mark").wait_for()
    assert "stands out" not in page.locator("#pair").inner_text()
    assert page.locator("#pair [role=button] [role=button]").count() == 0
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator(".text .least.chosen").count() > 0
    assert page.locator(".evidence.best").inner_text().startswith("Bob left in May.")


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (least_supported(0.0), "no single word stands out"),
        (least_supported(0.5), "No word is marked. The underlined sentence is the least supported"),
        (
            Score("a", "support", 0.1, parts={"verdict": 0.0}),
            "No word is marked: the verdict of support is about the summary as a whole.",
        ),
        (
            Score("a", "support", 0.4, parts={"verdict": 0.5}),
            "No word is marked: the verdict of support is about the summary as a whole.",
        ),
        (Score("a", "support", 0.9, parts={"verdict": 1.0}), "No words are marked."),
        (Score("a", "support", None, Outcome.NO_CLAIMS), "Nothing was scored"),
    ],
)
def test_a_summary_without_marks_says_what_is_doubted(
    page: Any, tmp_path: Path, score: Score, said: str
) -> None:
    page.goto(of_scores(tmp_path, score))
    page.locator(".pane").first.get_by_text(said).wait_for()


def test_a_row_without_a_value_says_why_once_for_all_metrics(page: Any, tmp_path: Path) -> None:
    scores = [Score("a", name, None, Outcome.NO_CONTENT) for name in ("support", "other")]
    rows = [(Example("a", "", SUMMARY), scores), (Example("b", SOURCE, SUMMARY), [other("b")])]
    address = write_page(tmp_path / "page.html", rows).as_uri()
    page.goto(f"{address}#row=0")
    notes = page.locator(".pair-head .note")
    notes.wait_for()
    assert notes.all_inner_texts() == [
        "support, other: The source is empty, so there is nothing to compare the summary with."
    ]
    assert page.locator(".pane.source .text").inner_text() == "(empty)"


def test_the_distribution_has_its_counts_in_words_and_above_the_bars(
    page: Any, tmp_path: Path
) -> None:
    page.goto(of_errors(tmp_path, ["a", "b", "a"]))
    bars = page.get_by_role("img", name="Distribution of support")
    bars.wait_for()
    assert bars.get_attribute("aria-label").endswith(
        "0.000 to 0.050: 1 row; 0.100 to 0.150: 1 row; 0.200 to 0.250: 1 row."
    )
    assert page.locator(".many:visible").all_inner_texts() == ["1", "1", "1"]
    assert page.locator(".part").nth(1).get_attribute("title") == "0.050 to 0.100: 0 rows"


def test_a_bar_lists_the_rows_that_it_counts(page: Any, tmp_path: Path) -> None:
    values = [0.0, 0.05, 0.05, 0.1, 0.12, 0.15, 0.95, 1.0]
    rows = [(example(f"row {n}"), [support(f"row {n}", value)]) for n, value in enumerate(values)]
    page.goto(write_page(tmp_path / "page.html", rows, [SUPPORT]).as_uri())
    bars = page.locator(".part")
    high = page.locator("#filter-high")
    for bar, listed in {0: [0], 1: [1, 2], 2: [3, 4], 3: [5], 4: [], 18: [], 19: [6, 7]}.items():
        bars.nth(bar).click()
        eventually(lambda listed=listed: ids(page) == [f"row {n}" for n in listed])
        assert f": {len(listed)} row" in bars.nth(bar).get_attribute("title")
        label = "Score to" if bar == 19 else "Score below"
        assert page.locator("label[for=filter-high]").inner_text() == label
    bars.nth(1).click()
    eventually(lambda: ids(page) == ["row 1", "row 2"])
    high.fill("0.15")
    high.press("Enter")
    eventually(lambda: ids(page) == [f"row {n}" for n in (1, 2, 3, 4, 5)])


def test_the_only_bar_of_equal_values_lists_them(page: Any, tmp_path: Path) -> None:
    rows = [(example(f"row {n}"), [other(f"row {n}", 2.5)]) for n in range(2)]
    page.goto(write_page(tmp_path / "page.html", rows, [ShownMetric("other")]).as_uri())
    page.locator(".part").first.click()
    eventually(lambda: ids(page) == ["row 0", "row 1"] and "high=2.5" in page.url)


def test_brackets_are_explained_only_where_a_table_has_some(page: Any, tmp_path: Path) -> None:
    rows = []
    for number in range(24):
        name = str(number)
        meta = {"half": name if number < 2 else "rest", "few": str(number % 12)}
        row = Example(name, f"{number}. {SOURCE}", SUMMARY, meta=meta)
        rows.append((row, [support(name, number / 24)]))
    page.goto(write_page(tmp_path / "page.html", rows, [SUPPORT]).as_uri())
    groups = page.locator("details.group")
    groups.first.wait_for()
    said = [groups.nth(place).text_content() for place in range(2)]
    assert "In brackets: 95% intervals" in said[0] and "[" in said[0]
    assert "No intervals: each of these groups" in said[1] and "[" not in said[1]


def test_a_wide_table_is_a_labelled_region_that_scrolls_and_its_caption_does_not(
    browser: Any, tmp_path: Path
) -> None:
    rows = [
        (example(str(n), label=n % 2), [support(str(n), n / 10, float(n % 3) / 2)])
        for n in range(9)
    ]
    address = write_page(tmp_path / "page.html", rows, [SUPPORT]).as_uri()
    with page_of(browser, 300) as page:
        page.goto(address)
        region = page.get_by_role("region", name="Rows by the label of people")
        region.wait_for()
        assert region.evaluate("node => node.scrollWidth > node.clientWidth")
        assert region.get_attribute("tabindex") == "0"
        assert "gradient" in region.evaluate("node => getComputedStyle(node).backgroundImage")
        caption = page.locator("p.caption")
        assert caption.evaluate("node => node.scrollWidth <= node.clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth") <= 300


def test_a_mark_has_one_outline_where_writing_goes_both_ways(page: Any, tmp_path: Path) -> None:
    bridge = "\u05d4\u05d2\u05e9\u05e8"
    summary, source = f"{bridge} opened in June. {bridge}.", f"{bridge} opened in May. {bridge}."
    told = Evidence(*place(source, "May"), *place(summary, "June"), "marked words", 0.5)
    score = Score("a", "support", 0.1, spans=(marked("June", 0.1, summary),), evidence=(told,))
    row = Example("a", source, summary, meta={"spans": [[*place(summary, "June"), "date"]]})
    page.goto(write_page(tmp_path / "page.html", [(row, [score])], [SUPPORT]).as_uri())
    page.locator("#pair mark").wait_for()
    boxes = page.locator(".text :is(.mark, .evidence, .human)")
    assert boxes.count() == 3
    assert boxes.evaluate_all("all => all.map((one) => one.getClientRects().length)") == [1, 1, 1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_a_row_of_many_marks(
    browser: Any, tmp_path: Path, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is absent")
    words = [f"word{number:02}\u200b" for number in range(30)]
    summary, source = " then ".join(words), "Nothing\u200b is said. Nobody knows."
    spans = [marked(word, number / 12, summary) for number, word in enumerate(words[:12])]
    # Every sentence of the source is evidence for all marks.
    told = [
        Evidence(*place(source, sentence), span.start, span.end, "marked words", 0.5)
        for sentence in ("Nothing\u200b is said.", "Nobody knows.")
        for span in spans
    ]
    score = Score("a", "support", 0.1, spans=tuple(spans), evidence=tuple(told))
    human = [[*place(summary, word), "error", "ann"] for word in words]
    row = Example("a", source, summary, meta={"spans": human})
    address = write_page(tmp_path / "page.html", [(row, [score])], [SUPPORT]).as_uri()
    with page_of(browser) as page:
        page.emulate_media(color_scheme=scheme)
        page.goto(address)
        page.locator("#pair mark").first.wait_for()
        page.keyboard.press("j")
        assert page.locator("#pair mark").count() == 12
        assert page.locator("#pair mark .hidden-character").count() == 12
        assert page.locator(".evidence.best .hidden-character").count() == 1
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("spans", [(), ("June",)])
def test_axe_finds_no_violation_beside_a_least_supported_sentence(
    browser: Any, tmp_path: Path, width: int, spans: tuple[str, ...]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is absent")
    with page_of(browser, width) as page:
        page.goto(of_scores(tmp_path, least_supported(0.0, *spans), other("a", None)))
        page.locator("#pair .least").first.wait_for()
        page.keyboard.press("j")
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()

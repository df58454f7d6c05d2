"""The page in a real browser: keys, filters, many rows, hostile texts, accessibility."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.browser import eventually, page_of
from tests.helpers.shown_rows import (
    SOURCE,
    SUMMARY,
    example,
    marked,
    other,
    place,
    support,
    write_page,
)

from faithkit.records import Evidence, Example, Score
from faithkit.report.pages import Section, Table, tables_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)

HOSTILE = [
    "<script>document.title='ran'</script><img src=x onerror=alert(1)>",
    "</script><script>document.title='ran'</script><!--",
    "right to left \u202etxet\u202c, zero\u200bwidth, a tag \U000e0041, a cat \U0001f408",
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page of six rows of two systems; the worst is row 5, and row 0 is what people marked."""
    june = [*place(SUMMARY, "in June"), "date", "ann"]
    rows = []
    for number in range(6):
        name = f"row {number}"
        meta = {"spans": [june] if number == 0 else []}
        row = example(name, system=f"s{number % 2}", label=number % 2, rating=number / 2, meta=meta)
        value = 0.9 - number / 10
        first = support(name, value, verdict=float(value > 0.65))
        rows.append((row, [first, other(name, None if number == 3 else number / 10)]))
    folder = tmp_path_factory.mktemp("page")
    return write_page(folder / "page.html", rows).as_uri()


def ids(page: Any) -> list[str]:
    """The rows of the list, from the top."""
    return list(page.locator("table.rows tbody th a").all_inner_texts())


def lists(page: Any, *rows: int) -> None:
    """Waits until the list has these rows, in this order: it is drawn after the address changed."""
    eventually(lambda: ids(page) == [f"row {number}" for number in rows])


def focused(page: Any) -> str:
    return str(page.evaluate("document.activeElement.className"))


def test_the_list_has_the_worst_first_and_is_narrowed_by_filters(page: Any, address: str) -> None:
    page.goto(address)
    lists(page, 5, 4, 3, 2, 1, 0)
    page.get_by_label("Verdict", exact=True).select_option("consistent")
    lists(page, 2, 1, 0)
    page.get_by_label("system", exact=True).select_option("s1")
    lists(page, 1)
    page.get_by_role("button", name="Clear").click()
    lists(page, 5, 4, 3, 2, 1, 0)
    page.get_by_label("Order").select_option("file")
    lists(page, 0, 1, 2, 3, 4, 5)


def test_two_filters_in_the_same_moment_both_hold(page: Any, address: str) -> None:
    page.goto(address)
    lists(page, 5, 4, 3, 2, 1, 0)
    page.evaluate(
        """() => {
            for (const [label, value] of [["Verdict", "consistent"], ["system", "s1"]]) {
                const named = [...document.querySelectorAll("label")].find(
                    (one) => one.textContent === label);
                named.control.value = value;
                named.control.dispatchEvent(new Event("change"));
            }
        }"""
    )
    lists(page, 1)


def test_score_range_outcome_people_and_disagreement_filter(page: Any, address: str) -> None:
    page.goto(address)
    page.get_by_label("Score from").fill("0.75")
    page.get_by_label("Score from").press("Enter")
    lists(page, 1, 0)
    page.goto(f"{address}#metric=other&outcome=no_claims")
    lists(page, 3)
    page.goto(f"{address}#human=differs")
    lists(page, 5, 3, 2, 0)
    page.goto(f"{address}#spread=differ&sort=spread")
    page.get_by_text("Rows 1–2 of 2").wait_for()
    assert set(ids(page)) == {"row 0", "row 5"}


def test_search_looks_into_the_texts(page: Any, address: str) -> None:
    page.goto(address)
    page.keyboard.press("/")
    page.keyboard.type("ROW 4")
    lists(page, 4)
    page.get_by_label("Search").fill("nobody was hurt")
    page.get_by_text("Rows 1–6 of 6").wait_for()
    page.get_by_label("Search").fill("not in any text")
    page.get_by_text("No row passes").wait_for()


def test_keys_lead_through_marks_evidence_and_rows(page: Any, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="row 5").click()
    page.locator("#pair mark").first.wait_for()
    page.keyboard.press("j")
    assert page.locator("mark:focus").inner_text().startswith("68")
    assert "96%" in page.get_by_role("tooltip").inner_text()
    page.keyboard.press("j")
    assert page.locator("mark:focus").inner_text().startswith("June")
    assert page.locator(".evidence.best").inner_text().startswith("Bob left in May.")
    page.keyboard.press("Enter")
    assert "evidence" in focused(page)
    page.keyboard.press("Enter")
    assert page.locator("mark:focus").inner_text().startswith("June")
    page.keyboard.press("k")
    assert page.locator("mark:focus").inner_text().startswith("68")
    page.keyboard.press("n")
    page.get_by_role("heading", name="row 4").wait_for()
    page.keyboard.press("p")
    page.get_by_role("heading", name="row 5").wait_for()
    page.keyboard.press("s")
    page.get_by_text("Sentence 1 of 1; 2 places").wait_for(state="attached")
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.keyboard.press("Escape")
    eventually(lambda: page.evaluate("document.activeElement.textContent") == "row 5")


def test_a_click_in_the_source_leads_back_to_its_mark(page: Any, address: str) -> None:
    page.goto(f"{address}#row=0")
    page.locator(".evidence.of-mark").nth(1).click()
    assert page.locator("mark:focus").inner_text().startswith("June")


def test_a_screen_reader_hears_what_is_unsupported_and_how_sure(page: Any, address: str) -> None:
    page.goto(f"{address}#row=0")
    names = [mark.text_content() for mark in page.locator("#pair mark").all()]
    assert names[0].strip() == "68 (mark 1: unsupported, 96 per cent) 1"
    assert "marked by people, a: date, by ann" in page.locator("#pair .text").first.text_content()


def test_the_back_button_and_a_reload_keep_the_place(page: Any, address: str) -> None:
    page.goto(f"{address}#sort=best")
    page.get_by_role("link", name="row 0").click()
    page.get_by_role("heading", name="row 0").wait_for()  # keys act on what is shown
    page.keyboard.press("n")
    page.get_by_role("heading", name="row 1").wait_for()
    page.reload()
    page.get_by_role("heading", name="row 1").wait_for()
    page.go_back()
    lists(page, 0, 1, 2, 3, 4, 5)


def test_a_page_of_one_row_opens_with_its_marks(page: Any, tmp_path: Path) -> None:
    page.goto(write_page(tmp_path / "one.html", [(example(), [support()])]).as_uri())
    page.locator("#pair mark").first.wait_for()
    assert not page.locator("#list").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#pair mark").count() == 2


def test_hostile_texts_are_shown_as_text(page: Any, tmp_path: Path) -> None:
    rows = []
    for number, text in enumerate(HOSTILE):
        row = Example(f"{number} {text}", text, text, system=text)
        score = Score(
            row.id, "support", 0.1, texts={"lss": text},
            spans=(marked(text[-6:], 0.1, text),),
            evidence=(Evidence(0, len(text), 0, len(text), "best match"),),
        )  # fmt: skip
        rows.append((row, [score]))
    page.goto(write_page(tmp_path / "p.html", rows, title=HOSTILE[0]).as_uri())
    eventually(lambda: len(ids(page)) == 3)
    for number in range(3):
        page.goto(f"{page.url.partition('#')[0]}#row={number}")
        page.get_by_role("heading", level=2, name=f"{number} ").wait_for()
        assert page.locator("img, main script").count() == 0
    assert page.title() == HOSTILE[0]
    text = page.locator("#pair .text").first.text_content()
    assert "U+202Etxet" in text
    assert "zeroU+200Bwidth" in text
    assert "U+E0041" in text
    mark = page.locator("#pair mark").text_content()
    assert mark.startswith(" cat \U0001f408")


def test_a_text_of_a_megabyte_opens_and_its_evidence_is_scrolled_to(
    page: Any, tmp_path: Path
) -> None:
    filler = "Nothing else was said about it. " * 32_000
    source = filler + SOURCE + filler[:1000]
    at = source.index("Bob left")
    best = Evidence(at, at + 16, *place(SUMMARY, "June"), "marked words", 1.0)
    score = Score("a", "support", 0.1, spans=(marked("June", 0.1),), evidence=(best,))
    row = Example("a", source, SUMMARY)
    page.goto(write_page(tmp_path / "p.html", [(row, [score])]).as_uri())
    page.locator("#pair mark").first.wait_for()
    page.keyboard.press("j")
    assert page.locator(".evidence.best").inner_text().startswith("Bob left in May.")
    box, pane = (page.locator(name).bounding_box() for name in (".evidence.best", ".scroll"))
    assert pane["y"] <= box["y"] <= pane["y"] + pane["height"]
    assert page.locator(".map .tick.chosen").count() == 1


def test_ten_thousand_rows_are_paged_searched_and_opened(page: Any, tmp_path: Path) -> None:
    rows = (
        (
            Example(f"row {n}", f"Source {n // 4}. {SOURCE}", SUMMARY),
            [other(f"row {n}", n / 10_000)],
        )
        for n in range(10_000)
    )
    page.goto(write_page(tmp_path / "p.html", rows).as_uri())
    page.get_by_text("Rows 1–50 of 10,000").first.wait_for()
    assert page.locator("table.rows tbody tr").count() == 50
    page.get_by_role("button", name="Last").first.click()
    page.get_by_text("Rows 9,951–10,000 of 10,000").first.wait_for()
    page.get_by_label("Search").fill("source 2345.")
    page.get_by_text("Rows 1–4 of 4").wait_for()
    page.keyboard.press("Tab")
    page.get_by_role("link", name="row 9382").click()
    page.get_by_text("Source 2345.").first.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("view", ["", "#row=0"])
def test_axe_finds_no_violation(
    browser: Any, address: str, view: str, width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is absent")
    with page_of(browser, width) as page:
        page.emulate_media(color_scheme=scheme)
        page.goto(address + view)
        page.locator("#pair mark" if view else "table.rows").first.wait_for()
        if view:
            page.keyboard.press("j")
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_nothing_is_wider_than_a_phone(browser: Any, address: str) -> None:
    with page_of(browser, 390) as page:
        for view in ("", "#row=0"):
            page.goto(address + view)
            page.locator("#pair mark" if view else "table.rows").first.wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_print_has_the_whole_source_and_numbered_notes(page: Any, address: str) -> None:
    page.goto(f"{address}#row=0")
    page.locator("#pair mark").first.wait_for()
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Keys").is_visible()
    notes = page.locator(".notes li[data-note]").all_inner_texts()
    assert notes[0].startswith("68 Very likely unsupported (doubt by support 96%).")
    assert "Ann paid 74 pounds." in notes[0]
    assert page.evaluate("getComputedStyle(document.querySelector('.scroll')).maxHeight") == "none"


def test_marks_do_not_hang_on_colour(page: Any, address: str) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(f"{address}#row=0")
    mark = page.locator("#pair mark").first
    mark.wait_for()
    style = mark.evaluate(
        "node => { const style = getComputedStyle(node); return "
        "[style.textDecorationLine, style.textDecorationStyle, style.borderTopStyle]; }"
    )
    assert style == ["underline", "wavy", "solid"]


def test_a_mark_on_a_phone_quotes_its_evidence_and_its_note_leads_there(
    browser: Any, tmp_path: Path
) -> None:
    long = SOURCE + " Nothing else was said." * 200
    row = Example("a", long, SUMMARY, meta={"spans": [[*place(SUMMARY, "in June"), "date"]]})
    address = write_page(tmp_path / "p.html", [(row, [support("a")])]).as_uri()
    with page_of(browser, 390, 700) as page:
        page.goto(address)
        page.locator("#pair mark").first.click()
        assert "Nearest in the source: Ann paid 74 pounds." in page.locator(".tip").inner_text()
        notes = page.locator("[data-note]")
        assert "People marked no word of it." in notes.nth(0).inner_text()
        assert "People marked words of it too: a." in notes.nth(1).inner_text()
        notes.nth(1).get_by_text("Bob left in May.").click()
        evidence = page.locator(".evidence.best")
        assert evidence.inner_text().startswith("Bob left in May.")
        box = evidence.bounding_box()
        assert box is not None and 0 <= box["y"] < 700
        evidence.click()
        assert "June" in page.evaluate("document.activeElement.textContent")


def test_a_plot_that_is_cut_off_has_a_shadow_and_a_table_the_width_of_the_window(
    browser: Any, tmp_path: Path
) -> None:
    from PIL import Image

    plot = tmp_path / "weights.png"
    Image.new("L", (900, 300), 255).save(plot)
    section = Section("Weights", tables=[Table("", ["a"], [["b"]])], plots=[plot])
    tables_page(tmp_path / "tables.html", "Title", [section])
    for width, shaded in ((390, True), (1280, False)):
        with page_of(browser, width) as page:
            page.goto((tmp_path / "tables.html").as_uri())
            shot = Image.open(BytesIO(page.locator(".plot").screenshot())).convert("L")
            middle = shot.height // 2
            assert shot.getpixel((2, middle)) == 255
            assert (shot.getpixel((shot.width - 3, middle)) < 240) == shaded
            assert page.locator(".wide").first.bounding_box()["width"] > width - 60


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_violation_in_pages_of_tables_and_in_long_lists(
    browser: Any, tmp_path: Path, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is absent")
    plot = tmp_path / "weights.png"
    plot.write_bytes(base64.b64decode(PIXEL))
    tables = [Table("", ["", "a long name of a column"], [["row", "0.5"]] * 2)] * 2
    section = Section("Weights", ["A line."], [*tables, Table("More", ["a"], [["b"]])], [plot])
    tables_page(tmp_path / "tables.html", "Title", [section], ["A line."], ["A warning."])
    rows = [(example(str(number)), [other(str(number))]) for number in range(60)]
    write_page(tmp_path / "list.html", rows)
    with page_of(browser, width) as page:
        for name, selector in (("tables", "main img"), ("list", "nav.pager >> nth=1")):
            page.goto((tmp_path / f"{name}.html").as_uri())
            page.locator(selector).wait_for()
            found = axe.Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            assert page.evaluate("document.documentElement.scrollWidth") <= width

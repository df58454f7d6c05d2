"""Results in the app in a real browser: searches and rows that come late or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.helpers.browser import chromium, eventually, page_of
from tests.helpers.web_server import app, listening

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SEARCHES = "**/search?*"
ROWS = "**/rows/*"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The results of six rows. Row n has n words that its source does not have, so row 5 is the
    worst; the sources of rows 1 to 3 have the word "ferry"."""
    lines = []
    for number in range(6):
        source = "The ferry sank." if number in (1, 2, 3) else "The boat sank."
        summary = "It sank" + " oddly" * number
        row = {"id": f"row {number}", "source": f"It {source}", "summary": summary}
        lines.append(json.dumps(row))
    with listening(app()) as found, httpx.Client(base_url=found) as client:
        sent = client.post("/v1/files?name=pairs.jsonl", content="\n".join(lines))
        place = sent.headers["location"]
        eventually(lambda: client.get(place).json()["status"] == "done")
        yield f"{found}/results/{client.get(place).json()['id']}"


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    with page_of(browser) as made:
        made.goto(address)
        lists(made, 5, 4, 3, 2, 1, 0)
        yield made


def lists(page: Any, *rows: int) -> None:
    """Waits until the list has these rows, in this order."""
    wanted = [f"row {number}" for number in rows]
    shown = page.locator("table.rows tbody th a")
    eventually(lambda: shown.all_inner_texts() == wanted)


def held_searches(page: Any) -> list[Any]:
    """Searches that wait until they are continued."""
    held: list[Any] = []
    page.route(SEARCHES, lambda route: held.append(route))
    return held


def begun(page: Any, held: list[Any], count: int) -> None:
    """Waits until so many searches have begun. Playwright sees them only while it is asked."""
    eventually(lambda: bool(page.title()) and len(held) == count)


def test_a_filter_and_an_order_that_are_chosen_while_a_search_runs_hold(page: Any) -> None:
    held = held_searches(page)
    page.get_by_label("Search").fill("ferry")
    begun(page, held, 1)
    page.get_by_label("Order").select_option("best")
    page.get_by_label("Score to").fill("0.5")
    page.get_by_label("Score to").press("Enter")
    eventually(lambda: "high=0.5" in page.url)
    held[0].continue_()
    lists(page, 2, 3)
    assert len(held) == 1
    page.reload()
    begun(page, held, 2)
    held[1].continue_()
    lists(page, 2, 3)


def test_the_later_of_two_searches_counts(page: Any) -> None:
    held = held_searches(page)
    for count, text in enumerate(("ferry", "boat"), 1):
        page.get_by_label("Search").fill(text)
        begun(page, held, count)
    held[1].continue_()
    lists(page, 5, 4, 0)
    held[0].continue_()
    page.wait_for_timeout(200)
    lists(page, 5, 4, 0)


def test_a_search_that_failed_is_said_and_is_searched_again(page: Any) -> None:
    page.route(SEARCHES, lambda route: route.abort())
    page.get_by_label("Search").fill("ferry")
    page.get_by_text("The search failed: The server does not answer.").wait_for()
    assert page.locator("table.rows").count() == 0
    page.get_by_label("Order").select_option("best")
    page.get_by_text("The search failed: The server does not answer.").wait_for()
    page.unroute(SEARCHES)
    page.get_by_label("Order").select_option("worst")
    lists(page, 3, 2, 1)
    page.route(SEARCHES, lambda route: route.abort())
    page.get_by_label("Search").fill("boat")
    page.get_by_role("button", name="Search again").wait_for()
    page.unroute(SEARCHES)
    page.get_by_role("button", name="Search again").click()
    lists(page, 5, 4, 0)
    assert page.locator("#list .note").count() == 0


def test_after_back_the_filters_are_those_of_the_list(page: Any) -> None:
    search, order, high = (page.get_by_label(name) for name in ("Search", "Order", "Score to"))
    search.fill("ferry")
    lists(page, 3, 2, 1)
    order.select_option("best")
    lists(page, 1, 2, 3)
    high.fill("0.5")
    high.press("Enter")
    lists(page, 2, 3)
    page.go_back()
    lists(page, 1, 2, 3)
    assert high.input_value() == ""
    page.go_back()
    lists(page, 3, 2, 1)
    assert order.input_value() == "worst"
    search.focus()
    page.go_back()
    lists(page, 5, 4, 3, 2, 1, 0)
    assert search.input_value() == ""
    page.go_forward()
    lists(page, 3, 2, 1)
    assert search.input_value() == "ferry"


def test_what_is_being_typed_stays_while_the_list_changes(page: Any) -> None:
    held = held_searches(page)
    search = page.get_by_label("Search")
    search.fill("ferry")
    begun(page, held, 1)
    page.get_by_label("Score to").fill("0.5")
    held[0].continue_()
    lists(page, 3, 2, 1)
    assert page.get_by_label("Score to").input_value() == "0.5"
    page.get_by_label("Score to").press("Enter")
    lists(page, 3, 2)
    assert search.input_value() == "ferry"


def test_clearing_forgets_what_is_typed_and_leads_to_the_search(page: Any) -> None:
    page.get_by_label("Verdict").select_option("not consistent")
    lists(page, 5, 4, 3, 2, 1)
    page.evaluate(
        """() => {
            const search = document.getElementById("filter-q");
            search.value = "ferry";
            search.dispatchEvent(new Event("input"));
            document.querySelector("[type=reset]").click();
        }"""
    )
    lists(page, 5, 4, 3, 2, 1, 0)
    page.wait_for_timeout(400)  # longer than a search waits for another key
    assert page.get_by_label("Search").input_value() == ""
    assert page.get_by_label("Verdict").input_value() == ""
    assert page.evaluate("document.activeElement.id") == "filter-q"
    lists(page, 5, 4, 3, 2, 1, 0)


def test_a_row_that_does_not_come_says_so_and_leads_back(page: Any) -> None:
    page.route(ROWS, lambda route: route.abort())
    page.get_by_role("link", name="row 3").click()
    page.get_by_text("This row could not be read: The server does not answer.").wait_for()
    page.keyboard.press("Escape")
    lists(page, 5, 4, 3, 2, 1, 0)
    assert page.locator("#pair").is_hidden()
    assert page.evaluate("document.activeElement.textContent") == "row 3"
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Back to the rows").click()
    lists(page, 5, 4, 3, 2, 1, 0)
    page.get_by_role("link", name="row 3").click()
    page.get_by_role("button", name="Try again").wait_for()
    page.unroute(ROWS)
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("heading", name="row 3").wait_for()
    assert page.locator("#pair .note").count() == 0


def test_a_row_that_comes_after_it_was_left_is_not_shown(page: Any) -> None:
    held: list[Any] = []
    page.route(ROWS, lambda route: held.append(route))
    page.get_by_role("link", name="row 3").click()
    begun(page, held, 1)
    page.keyboard.press("Escape")
    eventually(lambda: page.locator("#pair").is_hidden())
    held[0].continue_()
    page.wait_for_timeout(200)
    assert page.locator("#pair").inner_text() == ""
    lists(page, 5, 4, 3, 2, 1, 0)


@pytest.mark.parametrize("asked", ["abc", "1.5", "-1", "6", ""])
def test_an_address_that_names_no_row_says_so(page: Any, address: str, asked: str) -> None:
    page.goto(f"{address}#row={asked}&sort=best")
    wanted = f"There is no row “{asked}”: the address takes whole numbers from 0 to 5."
    page.get_by_text(wanted).wait_for()
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    lists(page, 0, 1, 2, 3, 4, 5)

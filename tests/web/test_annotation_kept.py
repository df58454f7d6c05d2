"""The annotation page in a real browser: no answer is lost, stored twice or in the wrong place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.helpers.annotation_person import Person
from tests.helpers.annotation_stores import store_of
from tests.helpers.browser import chromium, eventually
from tests.helpers.web_server import listening

from faithkit.annotation.store import Store
from faithkit.web.annotation import annotation_app
from faithkit.web.security import Access

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


class Server:
    """An app on a port, where another app can be put as if the server had been started anew.

    held  the end of an address that is answered once this is something else
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.held = ""
        self.address = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while self.held and scope.get("path", "").endswith(self.held):
            await asyncio.sleep(0.01)
        await self.app(scope, receive, send)


def new_store(folder: Path, task: str) -> Store:
    folder.mkdir()
    return store_of(folder, task)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path / "first", "rating")


@pytest.fixture
def server(store: Store) -> Iterator[Server]:
    made = Server(annotation_app(store))
    with listening(made) as made.address:
        yield made


def rate_while_away(person: Person, rating: str) -> None:
    person.page.context.set_offline(True)
    person.press(rating)
    person.page.locator("#status", has_text="1 not stored yet").wait_for()


def test_answer_that_waits_for_its_store_is_not_stored_in_another(
    browser: Any, store: Store, server: Server, tmp_path: Path
) -> None:
    anna = Person(browser, server.address, "anna")
    rate_while_away(anna, "5")
    other = new_store(tmp_path / "second", "rating")
    other.join("anna")
    server.app = annotation_app(other)
    anna.page.context.set_offline(False)
    anna.page.locator("#status", has_text="Other annotations are served here now").wait_for()
    anna.press("n")
    anna.page.locator("#notice", has_text="Other annotations are served here now").wait_for()
    anna.page.reload()
    anna.at(1)
    assert anna.page.locator("input:checked").count() == 0
    assert other.answer("anna", 1).values == {} == store.answer("anna", 1).values
    server.app = annotation_app(store)
    anna.page.reload()
    anna.at(1)
    assert store.answer("anna", 1).values == {"rating": 5}
    assert anna.errors == []


def test_answer_outlives_a_new_token(browser: Any, store: Store, server: Server) -> None:
    anna = Person(browser, server.address, "anna")
    anna.press("n")
    anna.at(2)
    rate_while_away(anna, "5")
    server.app = annotation_app(store, Access(token="b" * 32))
    anna.page.context.set_offline(False)
    anna.page.get_by_label("Token of this server").fill("b" * 32)
    anna.press("Enter")
    anna.at(2)
    assert store.answer("anna", 2).values == {"rating": 5}
    assert anna.errors == []


async def missing(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that has nothing at any address."""
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b'{"error": {"message": "Nothing here."}}'})


def test_answer_outlives_a_server_that_does_not_know_it(
    browser: Any, store: Store, server: Server
) -> None:
    anna = Person(browser, server.address, "anna")
    app, server.app = server.app, missing
    anna.press("5")
    anna.page.locator("#status", has_text="Nothing here. 1 not stored yet").wait_for()
    server.app = app
    anna.ready()
    assert store.answer("anna", 1).values == {"rating": 5}
    assert anna.errors == []


def test_answer_that_will_never_be_stored_is_dropped_and_said(
    browser: Any, store: Store, server: Server
) -> None:
    anna = Person(browser, server.address, "anna")
    refused = {"status": 422, "json": {"error": {"message": "This does not fit."}}}
    anna.page.route("**/v1/annotation/**", lambda route: route.fulfill(**refused))
    anna.press("5")
    anna.page.locator("#notice", has_text="This does not fit.").wait_for()
    anna.ready()
    assert anna.page.evaluate("localStorage.length") == 0
    assert anna.errors == []


def test_pages_of_one_annotator_keep_their_answers_apart(
    browser: Any, store: Store, server: Server
) -> None:
    anna = Person(browser, server.address, "anna")
    context = anna.page.context
    again = context.new_page()
    again.goto(f"{server.address}/a/anna#2")
    again.locator("#place", has_text="Item 2 of").wait_for()
    again.locator("#status", has_text="All stored").wait_for()
    rate_while_away(anna, "5")
    again.keyboard.press("1")
    again.locator("#status", has_text="1 not stored yet").wait_for()
    for page in (anna.page, again):
        page.close()
    context.set_offline(False)
    anna.page = context.new_page()
    anna.page.goto(f"{server.address}/a/anna")
    anna.ready()
    given = [store.answer("anna", position).values for position in (1, 2)]
    assert given == [{"rating": 5}, {"rating": 1}]
    eventually(lambda: anna.page.evaluate("localStorage.length") == 0)


def test_nothing_is_answered_while_the_next_item_loads(
    browser: Any, store: Store, server: Server
) -> None:
    anna = Person(browser, server.address, "anna")
    anna.press("5")
    anna.ready()
    box = anna.page.locator('input[value="3"]').bounding_box()
    server.held = "/anna/2"
    anna.press("Enter")
    eventually(lambda: store.answer("anna", 1).state == "done")
    anna.press("2", "u", "k")
    anna.page.mouse.click(box["x"] + 5, box["y"] + 5)
    server.held = ""
    anna.at(2)
    assert anna.page.locator("input:checked").count() == 0
    answer = store.answer("anna", 1)
    assert (answer.values, answer.state) == ({"rating": 5}, "done")
    assert store.answer("anna", 2).values == {}
    anna.press("4", "Enter")
    anna.at(3)
    assert store.answer("anna", 2).values == {"rating": 4}
    assert anna.errors == []


def test_item_that_cannot_be_loaded_leaves_the_page_usable(
    browser: Any, store: Store, server: Server
) -> None:
    anna = Person(browser, server.address, "anna")
    anna.page.context.set_offline(True)
    anna.press("n")
    anna.page.locator("#notice", has_text="The server does not answer.").wait_for()
    anna.page.context.set_offline(False)
    anna.press("3", "n")
    anna.at(2)
    assert store.answer("anna", 1).values == {"rating": 3}
    assert anna.errors == []


@pytest.mark.parametrize(
    ("key", "verdict", "focused"),
    [("1", "consistent", "source"), ("2", "not consistent", "summary")],
)
def test_after_a_verdict_enter_is_done_and_marks_nothing(
    browser: Any, server: Server, tmp_path: Path, key: str, verdict: str, focused: str
) -> None:
    store = new_store(tmp_path / "second", "verdict")
    server.app = annotation_app(store)
    anna = Person(browser, server.address, "anna")
    anna.press(key)
    assert anna.page.evaluate("document.activeElement.id") == focused
    anna.press("Enter")
    anna.at(2)
    answer = store.answer("anna", 1)
    assert (answer.values, answer.marks, answer.state) == ({"verdict": verdict}, {}, "done")
    assert anna.errors == []

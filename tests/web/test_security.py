"""Whom the app answers, what its answers allow a browser, and what it writes into the log."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from tests.helpers.web_server import HERE

from faithkit.records import ConfigError
from faithkit.web import security
from faithkit.web.answers import body_of
from faithkit.web.security import Access
from faithkit.web.server import create_app

TOKEN = "a-token-of-more-than-sixteen"


async def greet(_: Request) -> Response:
    return PlainTextResponse("hello")


async def size(request: Request) -> Response:
    return PlainTextResponse(str(len(b"".join([piece async for piece in body_of(request, 10)]))))


async def fail(_: Request) -> Response:
    raise KeyError("a patient's name")


ROUTES = [
    Route("/", greet, methods=["GET", "POST"]),
    Route("/size", size, methods=["POST"]),
    Route("/fail", fail),
]


def client(access: Access | None = None, address: str = HERE) -> TestClient:
    return TestClient(create_app(ROUTES, access), address, follow_redirects=False)


@pytest.fixture
def guarded() -> Iterator[TestClient]:
    with client(Access("0.0.0.0", TOKEN)) as made:
        yield made


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8420", 200),
        ("localhost:8420", 200),
        ("[::1]:8420", 200),
        ("LOCALHOST", 200),
        ("evil.example:8420", 403),
        ("localhost.evil.example", 403),
        ("192.168.0.7:8420", 403),
        ("evil.example@127.0.0.1", 403),
        ("127.0.0.1/evil", 403),
        ("", 403),
    ],
)
def test_only_names_of_this_computer_are_answered(host: str, status: int) -> None:
    assert client().get("/", headers={"host": host}).status_code == status


def test_a_name_that_is_allowed_is_answered() -> None:
    access = Access(names=frozenset({"faithkit.example"}))
    assert client(access).get("/", headers={"host": "faithkit.example"}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": HERE}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://[evil.example"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 403),
    ],
)
def test_no_other_site_can_send_a_request(headers: dict[str, str], status: int) -> None:
    assert client().post("/", headers=headers).status_code == status


def test_a_link_from_another_site_opens_a_page_but_no_script_reads_it() -> None:
    asked = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client().get("/", headers=asked).status_code == 200
    read = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert client().get("/", headers=read).status_code == 403


@pytest.mark.parametrize("path", ["/", "/fail", "/nothing", "/static/app.css"])
def test_every_answer_forbids_inline_scripts_sniffing_and_frames(path: str) -> None:
    headers = client().get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


def test_texts_are_not_kept_by_the_browser() -> None:
    assert client().get("/").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "faithkit.example"])
def test_listening_beyond_this_computer_needs_a_token(host: str) -> None:
    with pytest.raises(ConfigError, match="a token is needed"):
        Access(host)
    Access(host, TOKEN)


@pytest.mark.parametrize("token", ["short", "with spaces in between it", "mit-ümlauten-0123456789"])
def test_a_weak_or_unsendable_token_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match="16 or more"):
        Access("0.0.0.0", token)


def test_without_the_token_a_program_is_refused_and_a_person_is_asked(guarded: TestClient) -> None:
    refused = guarded.get("/")
    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "token_needed"
    asked = guarded.get("/?row=3", headers={"accept": "text/html"})
    assert asked.headers["location"] == "/login?next=%2F%3Frow%3D3"


def test_the_header_with_the_token_is_accepted(guarded: TestClient) -> None:
    assert guarded.get("/", headers={"authorization": f"Bearer {TOKEN}"}).text == "hello"
    assert guarded.get("/", headers={"authorization": f"Bearer {TOKEN}x"}).status_code == 401
    assert guarded.get("/", headers={"authorization": f"Basic {TOKEN}"}).status_code == 401


def test_a_person_who_gives_the_token_stays_known(
    guarded: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "WRONG_TOKEN_SECONDS", 0)
    wrong = guarded.post("/login", data={"token": "no"})
    assert wrong.status_code == 401
    assert "That is not the token" in wrong.text
    given = guarded.post("/login?next=/", data={"token": TOKEN})
    assert given.headers["location"] == "/"
    cookie = given.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert guarded.get("/").text == "hello"


@pytest.mark.parametrize("target", ["//evil.example", "/\\evil.example", "http://evil.example", ""])
def test_a_login_leads_to_this_server_only(guarded: TestClient, target: str) -> None:
    given = guarded.post("/login", params={"next": target}, data={"token": TOKEN})
    assert given.headers["location"] == "/"


def test_the_login_page_escapes_where_it_leads_to(guarded: TestClient) -> None:
    page = guarded.get("/login", params={"next": '/"><script>alert(1)</script>'}).text
    assert "<script>alert" not in page


def test_a_body_beyond_the_bound_is_refused_by_its_header_and_as_it_comes() -> None:
    assert client().post("/size", content=b"x" * 10).text == "10"
    declared = client().post("/size", content=b"x" * 11)
    assert declared.status_code == 413
    assert declared.json()["error"] == {
        "code": "too_large",
        "message": "The request is larger than 10 bytes.",
    }
    streamed = client().post("/size", content=iter([b"x" * 6, b"x" * 6]))
    assert streamed.status_code == 413


def test_an_error_is_a_page_to_a_person_with_its_text_escaped() -> None:
    found = client().get("/<script>", headers={"accept": "text/html"})
    assert found.status_code == 404
    assert "<script>" not in found.text
    assert "&lt;script&gt;" in found.text


def test_a_failure_is_logged_with_its_place_and_without_its_text(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("faithkit"), "disabled", False)
    with caplog.at_level(logging.DEBUG):
        answer = client().get("/fail")
    assert answer.status_code == 500
    assert "patient" not in answer.text + caplog.text
    assert "KeyError at test_security.py" in caplog.text


def test_a_websocket_is_refused() -> None:
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), client().websocket_connect("/"):
        pass

"""The routes of the annotation pages, without a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.helpers.annotation_stores import EXAMPLES, SUMMARIES, Annotator, store_of

from faithkit.annotation.answers import hash_of
from faithkit.annotation.export import export
from faithkit.annotation.items import items_of
from faithkit.annotation.store import ADJUDICATOR, Plan, Store, create
from faithkit.annotation.task_files import load
from faithkit.records import DataError, Score, Span
from faithkit.web.annotation import annotation_app

API = "/v1/annotation"


def client_of(store: Store) -> TestClient:
    return TestClient(annotation_app(store), base_url="http://127.0.0.1")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_of(tmp_path, "spans")


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    store.join("anna")
    yield client_of(store)


def sent(client: TestClient, position: int, **event: Any) -> dict[str, Any]:
    body = {"key": f"key-{position}", **event}
    response = client.post(f"{API}/anna/{position}", json=body)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()["answer"]
    return answer


MARK = {"id": "m", "start": 46, "end": 52, "text": "months", "type": "intrinsic-NP",
        "severity": "major"}  # fmt: skip


def test_new_annotator_joins_and_finds_all_items(store: Store) -> None:
    client = client_of(store)
    response = client.post("/join", data={"name": " Zoë "})
    assert str(response.url).endswith("/a/Zo%C3%AB") and response.status_code == 200
    overview = client.get(f"{API}/Zoë").json()
    assert [item["state"] for item in overview["items"]] == ["open"] * 4
    assert overview["task"]["questions"][0]["name"] == "errors"


def test_only_named_annotators_come_in(tmp_path: Path) -> None:
    client = client_of(store_of(tmp_path, "rating", Plan(("anna", "ben"))))
    assert "ben" in client.get("/").text
    assert client.post("/join", data={"name": "eve"}).status_code == 422
    assert client.post("/join", data={"name": ADJUDICATOR}).status_code == 422
    assert client.get(f"{API}/eve").status_code == 404


def test_mark_is_stored_and_comes_back_after_a_reload(client: TestClient) -> None:
    answer = sent(client, 1, action="mark", question="errors", value=MARK,
                  text_hash=hash_of(SUMMARIES[0]), seconds=2)  # fmt: skip
    assert answer["marks"]["errors"][0]["text"] == "months"
    item = client.get(f"{API}/anna/1").json()
    assert item["answer"] == answer and item["hashes"]["summary"] == hash_of(SUMMARIES[0])
    assert [46, 52] in item["words"]["summary"]


@pytest.mark.parametrize(
    "body",
    [
        {"key": "k", "action": "mark", "question": "errors", "value": MARK, "text_hash": "other"},
        {"key": "k", "action": "set", "question": "errors", "value": 1},
        {"key": "k", "action": "state", "value": "done", "seconds": "3"},
        {"key": "k", "action": "drop"},
        {"key": ["k"], "action": "undo"},
        {"key": "\ud800", "action": "seen"},
        {"key": "k", "action": "seen", "text_hash": "\ud800"},
        {"key": "k", "action": "comment", "value": "x", "question": "\ud800"},
        {
            "key": "k",
            "action": "mark",
            "question": "errors",
            "value": {**MARK, "id": "\ud800"},
            "text_hash": hash_of(SUMMARIES[0]),
        },
        {"key": "k", "action": "seen", "seconds": 10**400},
        {"key": "k", "action": "undo", "annotator": "ben"},
    ],
)
def test_event_that_does_not_fit_is_refused_and_nothing_is_stored(
    client: TestClient, store: Store, body: dict[str, Any]
) -> None:
    headers = {"content-type": "application/json"}
    response = client.post(f"{API}/anna/1", content=json.dumps(body), headers=headers)
    assert response.status_code == 422 and response.json()["error"]["message"]
    assert store.answers() == {}
    assert client.get(f"{API}/anna/1").status_code == 200


def test_item_that_no_store_can_have_is_refused(client: TestClient) -> None:
    place = f"{API}/anna/{10**22}"
    for response in (client.get(place), client.post(place, json={"key": "k", "action": "seen"})):
        assert response.status_code == 422
        assert f"there is no item {10**22}" in response.json()["error"]["message"]


def test_key_of_an_event_at_another_item_is_refused(client: TestClient, store: Store) -> None:
    body = {"key": "k", "action": "comment", "value": "x"}
    assert client.post(f"{API}/anna/1", json=body).status_code == 200
    response = client.post(f"{API}/anna/2", json=body)
    assert response.status_code == 422
    assert "this key was used at item 1" in response.json()["error"]["message"]
    store.join("ben")
    assert client.post(f"{API}/ben/2", json=body).status_code == 200
    assert [*store.answers()] == [1, 2]


def test_request_that_is_meant_for_another_store_is_refused(
    client: TestClient, store: Store
) -> None:
    assert f'data-store="{store.identity()}"' in client.get("/a/anna").text
    body = {"key": "k", "action": "comment", "value": "x"}
    responses = [
        client.post(f"{API}/anna/1?store=other", json=body),
        client.get(f"{API}/anna/1?store=other"),
        client.get(f"{API}/anna?store=other"),
        client.get(f"{API}/stranger?store=other"),
    ]
    assert [response.status_code for response in responses] == [409] * 4
    assert store.answers() == {}
    own = f"{API}/anna/1?store={store.identity()}"
    assert client.post(own, json=body).status_code == 200
    assert client.get(own).json()["answer"]["comment"] == "x"


def test_event_that_could_not_be_written_may_be_sent_again(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faithkit.annotation.store.BUSY_SECONDS", 0.01)
    body = {"key": "k", "action": "comment", "value": "x"}
    with store._writing():
        response = client.post(f"{API}/anna/1", json=body)
    assert response.status_code == 503 and "locked" in response.json()["error"]["message"]
    assert client.post(f"{API}/anna/1", json=body).status_code == 200


def test_request_from_another_site_stores_nothing(client: TestClient, store: Store) -> None:
    body = {"key": "k", "action": "comment", "value": "x"}
    response = client.post(f"{API}/anna/1", json=body, headers={"Origin": "http://evil.example"})
    assert response.status_code == 403 and store.answers() == {}


def test_blind_annotator_is_sent_no_marks_of_a_metric(tmp_path: Path) -> None:
    task = load("verdict")
    items = items_of(task, EXAMPLES, {"s1": [Score("s1", "m", 0.1, spans=(Span(46, 52),))]})
    plan = Plan(("anna", "ben"), blind=("ben",))
    client = client_of(create(tmp_path / "a.sqlite", task, items, plan, "p"))
    marks = [client.get(f"{API}/{name}/1").json()["premarks"] for name in ("anna", "ben")]
    assert [len(one) for one in marks] == [1, 0]


def test_human_labels_of_the_file_are_never_sent(tmp_path: Path) -> None:
    task = load("verdict")
    labelled = [replace(example, label=0, rating=0.25) for example in EXAMPLES]
    store = create(tmp_path / "a.sqlite", task, items_of(task, labelled), Plan(("anna",)), "p")
    item = client_of(store).get(f"{API}/anna/1").json()
    assert "0.25" not in str(item) and not {"label", "rating", "system"} & item.keys()
    assert item["shown"] == {}


def test_fields_that_a_task_shows_are_sent_and_exported(tmp_path: Path) -> None:
    task = replace(load("rating"), pilots=(), shows=("system", "score"))
    rows = [replace(example, meta={"score": 0.5, "other": 1}) for example in EXAMPLES]
    store = create(tmp_path / "a.sqlite", task, items_of(task, rows), Plan(("anna",)), "p")
    shown = {"system": "writer-1", "score": 0.5}
    assert client_of(store).get(f"{API}/anna/1").json()["shown"] == shown
    Annotator(store, "anna").answer(1, rating=5)
    (row,) = export(store).rows
    assert row["shown"] == shown and row["score"] == 5
    with pytest.raises(DataError, match="row 's1', field 'score': the task shows it"):
        items_of(task, EXAMPLES)


def test_reference_of_a_pilot_is_sent_only_once_it_is_done(tmp_path: Path) -> None:
    store = store_of(tmp_path, load("spans"))
    store.join("anna")
    client = client_of(store)
    before = client.get(f"{API}/anna/1").json()
    assert before["is_pilot"] and before["pilot"] is None
    sent(client, 1, action="state", value="done")
    after = client.get(f"{API}/anna/1").json()
    assert after["pilot"]["answers"]["errors"][0]["text"] == "months"


def test_adjudicator_sees_the_disagreements_with_both_answers(tmp_path: Path) -> None:
    store = store_of(tmp_path, "verdict")
    anna, ben = Annotator(store, "anna"), Annotator(store, "ben")
    for position, other in ((1, "consistent"), (2, "not consistent")):
        anna.answer(position, verdict="not consistent")
        ben.answer(position, verdict=other)
    client = client_of(store)
    assert client.get("/adjudicate").status_code == 200
    items = client.get(f"{API}/{ADJUDICATOR}").json()["items"]
    assert [(item["id"], item["questions"]) for item in items] == [("s1", ["verdict"])]
    others = client.get(f"{API}/{ADJUDICATOR}/1").json()["others"]
    assert {o["annotator"]: o["values"]["verdict"] for o in others} == {
        "anna": "not consistent", "ben": "consistent"
    }  # fmt: skip
    assert client.get(f"{API}/anna/1").json()["others"] == []


def test_two_summaries_are_shown_in_an_order_that_stays_and_varies(tmp_path: Path) -> None:
    store = store_of(tmp_path, "pairwise")
    names = [f"a{number}" for number in range(8)]
    for name in names:
        store.join(name)
    client = client_of(store)
    first = [client.get(f"{API}/{name}/1").json()["swapped"] for name in names]
    assert set(first) == {True, False}
    assert first == [client.get(f"{API}/{name}/1").json()["swapped"] for name in names]

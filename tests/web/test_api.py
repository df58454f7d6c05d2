"""The API for programs: what it answers, its bounds, and that its description is true."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.helpers.marking_metric import Marking
from tests.helpers.tiny_metrics import Known
from tests.helpers.web_server import client

from faithkit.records import ROW_KEYS
from faithkit.web.limits import Limits

PAIR = {"source": "The bridge opened in May.", "summary": "The bridge opened in June."}


def refused(made: TestClient, status: int, path: str = "/v1/check", **request: Any) -> str:
    """The message of the one JSON error."""
    answer = made.post(path, **request)
    assert answer.status_code == status
    (error,) = answer.json().values()
    assert set(error) == {"code", "message"}
    return str(error["message"])


def test_check_gives_value_verdict_probability_spans_and_evidence() -> None:
    with client() as made:
        found = made.post("/v1/check", json=PAIR).json()
    assert found["value"] == found["probability"] == 0.6
    assert (found["verdict"], found["limits"]) == ("not consistent", None)
    assert found["spans"] == [
        {"start": 21, "end": 25, "label": "unsupported", "score": 0.1, "text": "June"}
    ]
    assert found["evidence"][0]["text"] == PAIR["source"]
    assert found["signature"].startswith("marking|")


def test_check_says_why_a_text_has_no_value() -> None:
    with client() as made:
        found = made.post("/v1/check", json={"source": " ", "summary": "Words."}).json()
    assert (found["value"], found["outcome"], found["verdict"]) == (None, "no_content", None)


def test_offsets_of_the_api_are_characters() -> None:
    with client() as made:
        found = made.post("/v1/check", json={"source": "A cat.", "summary": "🐈🐈 a dog"}).json()
    assert (found["spans"][0]["start"], found["spans"][0]["text"]) == (5, "dog")


def test_check_takes_another_metric_of_the_server() -> None:
    with client(Marking(), Known()) as made:
        names = [metric["name"] for metric in made.get("/v1/metrics").json()["metrics"]]
        other = made.post("/v1/check", json={**PAIR, "metric": names[1]}).json()
        assert other["metric"] == names[1]
        assert "has no metric 'nothing'" in refused(made, 422, json={**PAIR, "metric": "nothing"})


def test_score_gives_the_rows_of_every_metric_in_order() -> None:
    rows = [{"id": "b", **PAIR}, {**PAIR, "summary": "The bridge opened."}]
    with client(Marking(), Known()) as made:
        found = made.post("/v1/score", json={"rows": rows}).json()["scores"]
    assert [row["id"] for row in found] == ["b", "b", "2", "2"]
    assert [row["value"] for row in found[::2]] == [0.6, 1.0]
    assert all(tuple(row) == ROW_KEYS for row in found)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"source": "A."}, 422, "There is no 'summary'"),
        ({"source": 3, "summary": "A."}, 422, "'source' should be text, found int"),
        ({**PAIR, "sumary": "x"}, 422, "no field 'sumary' here. Did you mean 'summary'?"),
        ({**PAIR, "summary": "half \ud800"}, 422, "half a surrogate pair"),
        ([], 422, "Expected a JSON object, found list"),
    ],
)
def test_a_check_that_is_malformed_is_one_error(body: Any, status: int, message: str) -> None:
    import json

    headers = {"content-type": "application/json"}
    with client() as made:
        assert message in refused(made, status, content=json.dumps(body), headers=headers)


@pytest.mark.parametrize("body", ["", "{", "nul", "[" * 100_000])
def test_a_body_that_is_no_json_is_refused(body: str) -> None:
    with client() as made:
        headers = {"content-type": "application/json"}
        assert refused(made, 400, content=body, headers=headers) == "The body is not JSON."


def test_a_form_of_another_site_is_refused_by_its_type() -> None:
    with client() as made:
        assert "Content-Type: application/json" in refused(made, 415, data={"source": "x"})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "'rows' should be a list"),
        ([1], "Each of 'rows' should be an object"),
        ([{"source": "A."}], "example 1: no key 'summary'"),
        ([{**PAIR, "meta": [1]}], "Each of 'rows'"),
        ([{**PAIR, "label": "maybe"}], "field 'label'"),
        ([{"source": "A.", "id": "1"}], "no key 'summary'. Choices: id, source"),
        ([{**PAIR, "id": "1"}] * 2, "example 2: id '1' was already used by example 1"),
    ],
)
def test_rows_that_are_malformed_are_one_error(rows: Any, message: str) -> None:
    with client() as made:
        assert message in refused(made, 422, "/v1/score", json={"rows": rows})


def test_rows_of_several_systems_have_ids_of_their_own() -> None:
    rows = [{**PAIR, "id": "1", "system": system} for system in "ab"]
    with client() as made:
        scores = made.post("/v1/score", json={"rows": rows}).json()["scores"]
    assert [score["id"] for score in scores] == ["1/a", "1/b"]


@pytest.mark.parametrize("metrics", [[None], [1], [], "novelty", {}])
def test_metrics_are_a_list_of_names(metrics: object) -> None:
    with client() as made:
        message = refused(made, 422, "/v1/score", json={"rows": [PAIR], "metrics": metrics})
    assert message == "'metrics' should be a list of names."


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/files", "GET, HEAD, POST"),
        ("/v1/files/x", "DELETE, GET, HEAD"),
        ("/v1/check", "POST"),
        ("/v1/metrics", "GET, HEAD"),
    ],
)
def test_another_method_is_answered_with_all_that_there_are(path: str, allowed: str) -> None:
    with client() as made:
        answer = made.put(path, json={})
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def test_size_and_rows_are_bounded() -> None:
    with client(limits=Limits(body=1000, rows=2)) as made:
        long = {**PAIR, "summary": "x" * 1000}
        assert "larger than 1,000 bytes" in refused(made, 413, json=long)
        assert "2 are the most" in refused(made, 413, "/v1/score", json={"rows": [PAIR] * 3})


def test_time_is_bounded_and_the_error_says_when_to_come_back() -> None:
    with client(Marking(slow=0.3), limits=Limits(seconds=0.05)) as made:
        answer = made.post("/v1/check", json=PAIR)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert "longer than 0.05 seconds" in answer.json()["error"]["message"]


class Gate(Marking):
    """Waits until it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = threading.Event()
        self.reached = threading.Event()

    def _score(self, example: Any) -> Any:
        self.reached.set()
        self.opened.wait(30)
        return super()._score(example)


def test_waiting_requests_are_bounded_and_others_are_answered_meanwhile() -> None:
    gate = Gate()
    with client(gate, limits=Limits(waiting=1)) as made, ThreadPoolExecutor(1) as pool:
        first = pool.submit(made.post, "/v1/check", json=PAIR)
        assert gate.reached.wait(30)
        refused = made.post("/v1/check", json=PAIR)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert made.get("/").status_code == 200
        gate.opened.set()
        assert first.result().status_code == 200
        assert made.post("/v1/check", json=PAIR).status_code == 200


def test_the_length_of_texts_is_bounded_and_the_error_says_by_what() -> None:
    row = {"source": "word " * 20, "summary": "word"}
    with client(limits=Limits(text=103)) as made:
        answers = [
            made.post("/v1/check", json=row),
            made.post("/app/check", json=row),
            made.post("/v1/score", json={"rows": [PAIR, row]}),
        ]
        assert made.post("/v1/check", json={**row, "summary": "two"}).status_code == 200
    for answer in answers:
        assert answer.status_code == 413
        assert "have 104 characters; the app checks 103 at most" in answer.text


def test_the_description_names_every_route_and_what_it_answers() -> None:
    with client() as made:
        document = made.get("/v1/openapi.json").json()
        answers = {
            "Checked": made.post("/v1/check", json=PAIR).json(),
            "Scored": made.post("/v1/score", json={"rows": [PAIR]}).json(),
            "Metrics": made.get("/v1/metrics").json(),
            "Files": made.get("/v1/files").json(),
            "Error": made.post("/v1/check", json={}).json(),
        }
        page = made.get("/api").text
    for name, answer in answers.items():
        assert_fits(answer, {"$ref": f"#/components/schemas/{name}"}, document)
    for path in document["paths"]:
        assert path in page


def assert_fits(value: Any, schema: Any, document: Any) -> None:
    """That a value is what a schema of the document says, as far as these schemas go."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return assert_fits(value, document["components"]["schemas"][name], document)
    if "enum" in schema:
        assert value in schema["enum"]
    if types := schema.get("type"):
        names = {type(None): "null", bool: "boolean", int: "integer", float: "number",
                 str: "string", list: "array", dict: "object"}  # fmt: skip
        kind = names[type(value)]
        allowed = [types] if isinstance(types, str) else types
        assert kind in allowed or (kind == "integer" and "number" in allowed)
    if isinstance(value, dict) and "properties" in schema:
        assert set(schema.get("required", ())) <= set(value)
        assert set(value) <= set(schema["properties"])
        for key, inner in value.items():
            assert_fits(inner, schema["properties"][key], document)
    if isinstance(value, list):
        for item in value:
            assert_fits(item, schema["items"], document)
    return None

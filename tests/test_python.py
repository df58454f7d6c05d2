"""From Python: what `faithkit.score` takes for examples and metrics, what it refuses."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from faithkit import ConfigError, DataError, Example, Score, score
from faithkit.metrics.novelty import Novelty
from faithkit.metrics.overlap import Rouge2
from faithkit.metrics.spec import MetricSpec
from tests.helpers.paths import HELPERS
from tests.helpers.tiny_metrics import Bare, Known, Other

SOURCE, SUMMARY = "the cat sat on the mat", "the cat flew"
TINY = HELPERS / "tiny_metrics.py"


def values(examples: Any, metrics: Any, **options: Any) -> list[tuple[str, str, float | None]]:
    return [(one.id, one.metric, one.value) for one in score(examples, metrics, **options)]


EXPECTED = [("1", "novelty", 0.5)]


@pytest.mark.parametrize(
    "examples",
    [
        [Example("1", SOURCE, SUMMARY)],
        [{"source": SOURCE, "summary": SUMMARY}],
        [{"id": 1, "source": SOURCE, "summary": SUMMARY, "label": 1, "mine": "x"}],
        [(SOURCE, SUMMARY)],
        [[SOURCE, SUMMARY]],
        iter([(SOURCE, SUMMARY)]),
        Example("1", SOURCE, SUMMARY),
        {"source": SOURCE, "summary": SUMMARY},
        (SOURCE, SUMMARY),
    ],
)
def test_examples_may_be_given_in_any_clear_form(examples: Any) -> None:
    assert values(examples, "novelty") == EXPECTED


def test_ids_that_are_not_given_are_numbers_from_1() -> None:
    given = [(SOURCE, SUMMARY), {"source": SOURCE, "summary": SUMMARY, "id": "mine"},
             {"source": SOURCE, "summary": SUMMARY, "id": None}]  # fmt: skip
    assert [one.id for one in score(given, "novelty")] == ["1", "mine", "3"]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([None, "1"], ["row 1", "1"]),
        (["3", None, None], ["3", "2", "row 3"]),
        (["row 2", "2", None, "x"], ["row 2", "2", "3", "x"]),
        ([None, "1", "row 1"], ["row row 1", "1", "row 1"]),
    ],
)
def test_the_number_of_an_example_is_not_the_id_of_another(
    ids: list[str | None], expected: list[str]
) -> None:
    given = [{"source": SOURCE, "summary": SUMMARY, "id": identity} for identity in ids]
    assert [one.id for one in score(given, "novelty")] == expected


def test_an_id_may_be_given_once_for_each_system() -> None:
    row = {"source": SOURCE, "summary": SUMMARY, "id": "a"}
    with pytest.raises(DataError) as refused:
        score([row, {**row, "id": "b"}, row], "novelty")
    assert str(refused.value) == (
        "example 3: id 'a' was already used by example 1; ids must be unique, or unique for each "
        "system"
    )
    systems = [{**row, "system": "x"}, {**row, "system": "y"}, row]
    assert [one.id for one in score(systems, "novelty")] == ["a/x", "a/y", "a"]
    with pytest.raises(DataError, match="id 'a' was already used"):
        score([*systems, systems[1]], "novelty")


def test_ids_that_no_other_row_has_stay_as_they_are() -> None:
    row = {"source": SOURCE, "summary": SUMMARY, "system": "x"}
    rows = [{**row, "id": "a"}, {**row, "id": "b"}, row]
    assert [one.id for one in score(rows, "novelty")] == ["a", "b", "3"]
    rows = [{**row, "id": "a"}, {**row, "id": "a", "system": "y"}, {**row, "id": "a/y"}, row]
    assert [one.id for one in score(rows, "novelty")] == ["a/x", "a/y", "a/y/x", "4"]


def test_other_keys_of_a_dict_are_what_a_metric_may_read() -> None:
    given = {"source": SOURCE, "summary": SUMMARY, "topic": "four", "meta": {"other": 1}}
    assert values([given], f"{TINY}:Topical") == [("1", f"{TINY}:Topical", 4.0)]


WANTED = r"an Example, a dict with 'source' and 'summary', or a \(source, summary\) tuple"


@pytest.mark.parametrize(
    ("examples", "what"),
    [
        ("text", rf"examples should be a list, each {WANTED}, or a table, found text"),
        (Path("pairs.jsonl"), "found PosixPath"),
        (None, "found None"),
        (3, "found int"),
        ([SOURCE, SUMMARY], rf"example 1 should be {WANTED}, found text"),
        ([(SOURCE, SUMMARY), 3], "example 2 should be .*, found int"),
        ([(SOURCE,)], "example 1 should be .*, found a tuple of 1"),
        ([(SOURCE, None)], r"example 1 should be .*, found a tuple of text and None"),
        ([("a", SOURCE, SUMMARY)], "found a tuple of 3"),
        ([{"source": SOURCE}], "example 1: no key 'summary'"),
        ([{"source": SOURCE, "sumary": SUMMARY}], "no key 'summary'. Did you mean 'sumary'"),
        ([{"source": SOURCE, "summary": None}], "example 1: field 'summary' should be text"),
        ([{"source": SOURCE, "summary": SUMMARY, "label": "yes"}], "example 1: field 'label'"),
        ({"pairs": [(SOURCE, SUMMARY)]}, "no key 'source'"),
    ],
)
def test_wrong_examples_say_what_is_expected(examples: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        list(score(examples, "novelty"))


# Metrics


@pytest.mark.parametrize("metrics", ["novelty", ["novelty"], ("novelty",), {"novelty"}, Novelty(),
                                     [Novelty()], MetricSpec.parse("novelty"),
                                     [MetricSpec.parse("novelty")]])  # fmt: skip
def test_a_metric_may_be_a_name_a_spec_or_an_object_or_several(metrics: Any) -> None:
    assert values((SOURCE, SUMMARY), metrics) == EXPECTED


@pytest.mark.slow
def test_names_and_objects_may_be_mixed() -> None:
    found = values((SOURCE, SUMMARY), ["novelty", Known(power=2.0), Other(), Rouge2("recall")])
    assert [label for _, label, _ in found] == [
        "novelty", "known:power=2.0", "other", "rouge2:measure=recall",
    ]  # fmt: skip
    assert found[1][2] == pytest.approx(4 / 9)


def test_what_is_wrong_is_said_at_the_call_and_not_at_the_first_row() -> None:
    for examples, metrics in (("text", "novelty"), ((SOURCE, SUMMARY), "noveltie")):
        with pytest.raises((DataError, ConfigError)):
            score(examples, metrics)


@pytest.mark.parametrize(
    ("metrics", "what"),
    [
        ("suport", "Unknown metric 'suport'. Did you mean 'support'"),
        ([], "No metric is given"),
        (None, "should be a name or an object with .*, found NoneType"),
        ([3], "should be a name or an object with .*, found int"),
        (Known, r"class Known is given; give an object of it, Known\(\)"),
        (Bare(), "Bare is not a metric: it lacks bounds, unit, score"),
        ([Known(), Known()], "'known' is given twice"),
        (["novelty", Novelty()], "'novelty' is given twice"),
    ],
)
def test_a_wrong_metric_says_what_is_expected(metrics: Any, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        score((SOURCE, SUMMARY), metrics)


# What names an object's numbers


def signature(metric: Any) -> Any:
    (found,) = score((SOURCE, SUMMARY), metric)
    return found.signature


@pytest.mark.slow
def test_the_signature_of_an_object_has_its_class_options_and_code() -> None:
    found = signature(Known(power=2.0))
    assert found.metric == "known"
    assert found.options["class"] == "Known"
    assert (found.options["power"], found.options["letters"]) == (2.0, False)
    assert len(found.options["code"]) == 12
    assert signature(Known(power=2.0)) == found
    assert signature(Known()).digest != found.digest
    assert signature(Rouge2("recall")).digest != signature(Rouge2("f1")).digest
    assert "code" not in signature(Rouge2()).options


def test_objects_that_differ_do_not_share_a_cached_value(tmp_path: Path) -> None:
    cache = tmp_path / "s.sqlite"
    first = values((SOURCE, SUMMARY), Known(power=2.0), cache=cache)
    assert values((SOURCE, SUMMARY), Known(power=3.0), cache=cache) != first
    assert values((SOURCE, SUMMARY), Known(power=2.0), cache=cache) == first


def test_an_object_without_state_that_can_be_read_is_scored_anew_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, cache = tmp_path / "log", tmp_path / "s.sqlite"
    monkeypatch.setenv("TINY_LOG", str(log))
    plain, odd = Known(), Known()
    odd.weigh = lambda value: value  # type: ignore[attr-defined]
    for metric, calls in ((plain, 1), (odd, 2)):
        log.write_text("")
        for _ in range(2):
            values((SOURCE, SUMMARY), metric, cache=cache)
        assert log.read_text() == "1\n" * calls


@dataclass
class Settings:
    power: float


class Nested(Known):
    def __init__(self, settings: Settings) -> None:
        super().__init__(settings.power)
        self.settings = settings
        self.names = {"b", "a"}


def test_the_state_of_an_object_is_read_into_its_parts() -> None:
    assert signature(Nested(Settings(1.0))) == signature(Nested(Settings(1.0)))
    assert signature(Nested(Settings(2.0))).digest != signature(Nested(Settings(1.0))).digest


def test_a_model_of_an_object_is_named_by_its_id() -> None:
    class Model:
        def __init__(self, id: str) -> None:
            self.id = id

    class Modelled(Known):
        def __init__(self, model: Model) -> None:
            super().__init__()
            self._model = model

    found = signature(Modelled(Model("tiny@0123456789ab")))
    assert found.models == {"model": "tiny@0123456789ab"}
    assert signature(Modelled(Model("other@0"))).digest != found.digest


def test_score_says_what_it_takes() -> None:
    said = inspect.getdoc(score) or ""
    assert all(word in said for word in ("dict", "(source, summary)", "name", "object"))


def test_rows_are_scores(tmp_path: Path) -> None:
    assert all(isinstance(one, Score) for one in score([(SOURCE, SUMMARY)], "novelty"))


def test_a_score_is_the_rating_as_in_a_file() -> None:
    row = {"source": "Ann left.", "summary": "Ann left.", "score": 3}
    (check,) = score([row], "novelty").checks
    assert (check.example.rating, check.example.meta) == (3, {})
    (check,) = score([{**row, "rating": 4}], "novelty").checks
    assert (check.example.rating, check.example.meta) == (4, {"score": 3})


@pytest.mark.parametrize("wrong", [{"device": "gpu"}, {"dtype": "floaty"}])
def test_a_wrong_device_is_refused_by_every_metric(wrong: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="There is no d"):
        score([("Ann left.", "Ann left.")], "novelty", **wrong)

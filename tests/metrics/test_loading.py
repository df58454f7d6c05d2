"""How a spec becomes a metric with its signature, and every way a spec can be wrong."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from tests.helpers.load_metric import load_metric
from tests.helpers.paths import HELPERS

from faithkit.metrics import options, registry
from faithkit.metrics.base import Metric
from faithkit.metrics.loading import class_of
from faithkit.metrics.registry import METRICS
from faithkit.metrics.spec import MetricSpec
from faithkit.records import ConfigError, Example, Score, scored

TINY = HELPERS / "tiny_metrics.py"


class Fake:
    """Stands for a model that was loaded by name."""

    def __init__(self, spec: str) -> None:
        self.id = f"{spec}@0123456789ab"


class Everything(Metric):
    """Has an option of each kind."""

    name = "everything"
    bounds = (0.0, 1.0)
    unit = "nothing"
    models: ClassVar = {"model": "tokens:mini"}
    presets: ClassVar = {"paper": {"layer": "8", "model": "large", "mode": "slow"}}

    def __init__(
        self,
        model: Any = None,
        layer: int | None = None,
        share: float = 0.5,
        idf: bool = False,
        weights: str = "equal",
        mode: Literal["fast", "slow"] = "fast",
        side: Literal["left", "right"] | None = None,
        **_: object,
    ) -> None:
        self.given = (model, layer, share, idf, weights, mode, side)

    @property
    def resolved(self) -> dict[str, Any]:
        return {"layer": self.given[1] or 4}

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [scored(example, self.name, 0.5) for example in examples]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "everything", f"{__name__}:Everything")


def made(text: str) -> tuple[Any, dict[str, Any], dict[str, str]]:
    metric, signature, _ = load_metric(text, Fake)
    return metric, dict(signature.options), dict(signature.models)


# What is asked for


@pytest.mark.parametrize(
    ("text", "label", "options"),
    [
        ("rouge2", "rouge2", {}),
        ("rouge2:", "rouge2", {}),
        ("rouge2:measure=recall", "rouge2:measure=recall", {"measure": "recall"}),
        ("rouge2:b=2,a=1", "rouge2:a=1,b=2", {"a": "1", "b": "2"}),
        ("rouge2: a = 1 , b=2", "rouge2:a=1,b=2", {"a": "1", "b": "2"}),
        ("rouge2:w=.25,.25,.5,a=1", "rouge2:a=1,w=.25,.25,.5", {"w": ".25,.25,.5", "a": "1"}),
        ("rouge2:url=http://h/v1?a=b", "rouge2:url=http://h/v1?a=b", {"url": "http://h/v1?a=b"}),
    ],
)
def test_a_label_does_not_depend_on_the_order_of_the_options(
    text: str, label: str, options: dict[str, str]
) -> None:
    spec = MetricSpec.parse(text)
    assert spec == MetricSpec("rouge2", METRICS["rouge2"], options)
    assert spec.label == label


def test_a_metric_of_a_file_is_a_path_and_a_class() -> None:
    spec = MetricSpec.parse("some/where.py:Own:layer=3")
    assert spec == MetricSpec("some/where.py:Own", "some/where.py:Own", {"layer": "3"})
    assert spec.label == "some/where.py:Own:layer=3"


def test_options_get_their_declared_types() -> None:
    metric, options, ids = made(
        "everything:layer=7,share=.25,idf=on,weights=.5,.5,mode=slow,side=left,model=big"
    )
    assert metric.given[1:] == (7, 0.25, True, ".5,.5", "slow", "left")
    assert ids == {"model": "tokens:big@0123456789ab"}
    assert options.pop("class") == "Everything"
    assert len(options.pop("code")) == 12
    assert options == {
        "layer": 7, "share": 0.25, "idf": True, "weights": ".5,.5", "mode": "slow", "side": "left",
    }  # fmt: skip


def test_defaults_and_what_the_metric_settles_itself_are_in_the_options() -> None:
    metric, options, ids = made("everything")
    assert metric.given[1:] == (None, 0.5, False, "equal", "fast", None)
    assert options["layer"] == 4
    assert options["mode"] == "fast"
    assert ids == {"model": "tokens:mini@0123456789ab"}
    assert made("everything:layer=none,side=null")[1] == options


def test_a_preset_lies_under_what_is_given() -> None:
    metric, _, ids = made("everything:preset=paper,mode=fast")
    assert (metric.given[1], metric.given[5]) == (8, "fast")
    assert ids == {"model": "tokens:large@0123456789ab"}
    for text, label in (
        ("everything", "everything:preset=paper"),
        ("everything:layer=2", "everything:layer=2,preset=paper"),
        ("everything:preset=x", "everything:preset=x"),
    ):
        assert MetricSpec.parse(text).with_preset("paper").label == label


def test_the_description_of_options_says_what_each_takes() -> None:
    assert options.describe(Everything) == [
        ("model", "a model of the role tokens", "mini"),
        ("layer", "whole number", "none"),
        ("share", "number", "0.5"),
        ("idf", "on | off", "off"),
        ("weights", "text", "equal"),
        ("mode", "fast | slow", "fast"),
        ("side", "left | right", "none"),
    ]


@pytest.mark.parametrize("name", [name for name in METRICS if name != "everything"])
def test_every_metric_of_the_table_declares_itself_and_describes_its_options(name: str) -> None:
    found = class_of(MetricSpec.parse(name))
    assert found.name == name
    assert found.bounds[0] < found.bounds[1]
    assert found.unit
    assert found.__doc__ or found.__mro__[1].__doc__
    assert {"source", "summary"} <= found.needs
    for row in options.describe(found):
        assert all(row[:2])


def test_the_code_of_a_metric_of_ones_own_is_an_option(tmp_path: Path) -> None:
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    shutil.copy(TINY, one)
    other.write_text(TINY.read_text() + "\n")
    codes = [made(f"{path}:Known")[1]["code"] for path in (TINY, one, other)]
    assert codes[0] == codes[1] != codes[2]
    assert "code" not in made("rouge2")[1]


def test_two_files_of_one_name_do_not_take_each_others_place(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        text = TINY.read_text().replace('name = "known"', f'name = "known{number}"')
        (folder / "own.py").write_text(text)
    found = [made(f"{tmp_path}/{number}/own.py:Known") for number in (1, 2, 1)]
    assert [metric.name for metric, _, _ in found] == ["known1", "known2", "known1"]
    assert found[0][1]["code"] == found[2][1]["code"] != found[1][1]["code"]


def test_an_entry_point_adds_a_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name, value = "theirs", f"{__name__}:Everything"

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Point()])
    assert registry.names() == [*METRICS, *registry.FRAMEWORKS, "theirs"]
    assert made("theirs:layer=3")[0].given[1] == 3
    with pytest.raises(ConfigError, match=r"'theirz'. Did you mean 'theirs'\?"):
        MetricSpec.parse("theirz")


def test_an_entry_point_whose_package_is_broken_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name, value = "theirs", "no_such_package_here:Metric"

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Point()])
    with pytest.raises(ConfigError, match="no_such_package_here, wanted for a metric, cannot be"):
        made("theirs")


class Plain:
    """Declares what has no default, and derives from nothing."""

    name, bounds, unit = "plain", (0.0, 1.0), "nothing"

    def __init__(self, value: float = 0.5) -> None:
        self.value = value

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [scored(example, self.name, self.value) for example in examples]


def test_a_class_without_the_base_has_the_defaults_of_the_contract(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(METRICS, "plain", f"{__name__}:Plain")
    metric, signature, _ = load_metric("plain:value=.25", Fake)
    assert isinstance(metric, Metric)
    assert metric.needs == {"source", "summary"}
    assert (metric.resolved, metric.trained_on, metric.title) == ({}, frozenset(), "")
    assert metric.verdict_from({}) is None and metric.models_for({}) == {}
    assert signature.options["value"] == 0.25
    (score,) = metric.score([Example("1", "a", "b")])
    assert score.value == 0.25


# What is refused


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "rogue2",
            r"Unknown metric 'rogue2'. Did you mean 'rouge2'\? `faithkit metrics list` shows all.",
        ),
        ("", "Unknown metric ''"),
        ("rouge2:recall", "expected key=value after ':', found 'recall'"),
        ("rouge2:stem=on,stem=off", "option 'stem' is given twice"),
        ("rouge2:stemm=on", r"no option 'stemm'. Did you mean 'stem'\? Choices: measure, stem"),
        ("rouge2:=on", "no option ''"),
        ("meteor:n=4", r"no option 'n'. Choices: \(none\)"),
        ("rouge2:measure=f2", r"'measure' cannot be 'f2'. Did you mean 'f1'\? Choices: f1, prec"),
        ("rouge2:stem=maybe", r"'stem' \(on \| off\) cannot be 'maybe'"),
        ("everything:layer=eight", r"\'layer\' \(whole number\) cannot be 'eight'"),
        ("everything:layer=8.5", r"\'layer\' \(whole number\) cannot be '8.5'"),
        ("everything:layer=", r"\'layer\' \(whole number\) cannot be ''"),
        ("everything:share=half", r"'share' \(number\) cannot be 'half'"),
        ("everything:share=nan", r"'share' \(number\) cannot be 'nan'"),
        ("everything:share=-inf", r"'share' \(number\) cannot be '-inf'"),
        ("everything:side=up", r"'side' \(left \| right\) cannot be 'up'"),
        ("everything:preset=papr", r"no preset 'papr'. Did you mean 'paper'\?"),
        ("novelty:preset=paper", "no preset 'paper'. It has no presets"),
        ("no/such.py:Own", "No such file: no/such.py"),
        (f"{TINY}", r"tiny_metrics.py: name its class too, as \S+:[A-Z]\w+. Choices: .*Known,"),
        (f"{TINY}:stem=on", "name its class too"),
        (f"{TINY}:Nothing", r"No class 'Nothing' in .* Choices: (?!.*(Bare|Metric|Score),)"),
        (f"{TINY}:Knwn", r"No class 'Knwn' in .* Did you mean 'Known'\?"),
        (f"{TINY}:Bare", "is not a metric: it lacks bounds, unit, score"),
        (f"{TINY}:os", "No class 'os'"),
        (f"{TINY}:Erring", "higher_is_better should be True"),
        (f"{TINY}:Renamed", "the text `limits` is called `limitations` now"),
        (f"{TINY}:Backwards", r"bounds should be two numbers, the least first, found \(1.0, 0.0\)"),
        (f"{TINY}:Demanding", "needs the option 'threshold'"),
        (f"{TINY}:Picky:size=10", "does not take its options: size is at most 9"),
    ],
)
def test_a_wrong_request_is_one_error_that_names_the_choices(text: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        made(text)


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("def (", "SyntaxError: invalid syntax"),
        ("import no_such_library", "ModuleNotFoundError: No module named 'no_such_library'"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_file_that_cannot_be_imported_is_one_error(tmp_path: Path, code: str, what: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(code)
    with pytest.raises(ConfigError, match=rf"own\.py, wanted for a metric, cannot be .*{what}"):
        made(f"{path}:Own")


def test_options_are_checked_without_a_model() -> None:
    given, typed, signed = options.options_of(
        MetricSpec.parse("everything:model=any,layer=2"), Everything
    )
    assert given == {"model": "any", "layer": "2"}
    assert typed == {"layer": 2}
    assert signed == {
        "layer": 2, "share": 0.5, "idf": False, "weights": "equal", "mode": "fast", "side": None,
    }  # fmt: skip


def test_a_users_file_is_run_once_until_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    log = tmp_path / "log"
    code = f"from tests.helpers.tiny_metrics import Known\nopen({str(log)!r}, 'a').write('x')\n"
    file.write_text(code)
    for _ in range(3):
        class_of(MetricSpec.parse(f"{file}:Known"))
    assert log.read_text() == "x"
    file.write_text(code + "# changed\n")
    class_of(MetricSpec.parse(f"{file}:Known"))
    assert log.read_text() == "xx"

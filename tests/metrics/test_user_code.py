"""Metrics of a user's file: modules beside it, and the hash of their code."""

from __future__ import annotations

import builtins
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.load_metric import load_metric
from tests.helpers.scoring import score

from faithkit import Example
from faithkit.metrics.loading import class_of
from faithkit.metrics.spec import MetricSpec
from faithkit.records import ConfigError

PAIR = [Example("1", "a b", "a c")]

METRIC = """
from faithkit.records import scored
{head}

class A:
    name = "mine"
    bounds = (0.0, 1.0)
    unit = "nothing"
    needs = frozenset({{"source", "summary"}})

    def score(self, examples):
        {inside}
        return [scored(one, self.name, {value}) for one in examples]


class B(A):
    def score(self, examples):
        return [scored(one, self.name, 0.75) for one in examples]
"""


def write(folder: Path, head: str = "", inside: str = "pass", value: str = "0.25") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "own.py"
    path.write_text(METRIC.format(head=head, inside=inside, value=value))
    return path


def code_of(path: Path, name: str = "A") -> str:
    return str(load_metric(f"{path}:{name}", lambda spec: None).signature.options["code"])


def value_of(path: Path, name: str = "A", cache: Path | None = None) -> float | None:
    (found,) = score(PAIR, [f"{path}:{name}"], cache=cache)
    return found.value


def test_two_classes_of_one_name_in_one_file_have_their_own_values(tmp_path: Path) -> None:
    path, cache = write(tmp_path), tmp_path / "s.sqlite"
    found = list(score(PAIR, [f"{path}:A", f"{path}:B"], cache=cache))
    assert [one.value for one in found] == [0.25, 0.75]
    assert found[0].signature is not None and found[1].signature is not None
    assert found[0].signature.digest != found[1].signature.digest
    assert [found[n].signature.options["class"] for n in (0, 1)] == ["A", "B"]  # type: ignore[union-attr]


FORMS = [
    ("import helper", "helper.VALUE"),
    ("import helper as h", "h.VALUE"),
    ("from helper import VALUE", "VALUE"),
    ("from helper import *", "VALUE"),
    ("import package.part", "package.part.VALUE"),
    ("import package.part as p", "p.VALUE"),
    ("from package import part", "part.VALUE"),
    ("from package.part import VALUE", "VALUE"),
    ("from package import through", "through.VALUE"),
    ("import deeper", "deeper.VALUE"),
]


def write_modules(folder: Path, value: float) -> None:
    (folder / "package").mkdir(parents=True, exist_ok=True)
    (folder / "helper.py").write_text(f"VALUE = {value}\n")
    (folder / "deeper.py").write_text("from helper import VALUE\n")
    (folder / "package" / "__init__.py").write_text("")
    (folder / "package" / "part.py").write_text(f"VALUE = {value}\n")
    (folder / "package" / "through.py").write_text("from .part import VALUE\n")


@pytest.mark.slow
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(("statement", "value"), FORMS)
def test_a_metric_imports_modules_beside_its_file(
    statement: str, value: str, lazy: bool, tmp_path: Path
) -> None:
    if lazy and "*" in statement:
        pytest.skip("Python allows it at the top of a module only")
    place, modules = list(sys.path), set(sys.modules)
    hook = builtins.__import__
    for number in (0.125, 0.5):
        folder = tmp_path / str(number)
        write_modules(folder, number)
        placed = {"inside": statement} if lazy else {"head": statement}
        path = write(folder, value=value, **placed)
        # Two files' helpers of one name are two modules.
        assert value_of(path) == number
    assert value_of(tmp_path / "0.125" / "own.py") == 0.125
    assert sys.path == place
    assert builtins.__import__ is hook
    assert not {"helper", "package", "deeper"} & (set(sys.modules) - modules)


@pytest.mark.slow
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(("statement", "value"), FORMS)
def test_an_edited_module_beside_a_metric_changes_its_code_and_value(
    statement: str, value: str, lazy: bool, tmp_path: Path
) -> None:
    if lazy and "*" in statement:
        pytest.skip("Python allows it at the top of a module only")
    cache = tmp_path / "s.sqlite"
    write_modules(tmp_path, 0.125)
    path = write(tmp_path, value=value, **{"inside" if lazy else "head": statement})
    before = code_of(path)
    assert value_of(path, cache=cache) == 0.125
    (tmp_path / "unrelated.py").write_text("VALUE = 1\n")
    assert code_of(path) == before
    write_modules(tmp_path, 0.5)
    assert code_of(path) != before
    assert value_of(path, cache=cache) == 0.5


def test_a_base_class_beside_a_metric_is_part_of_its_code(tmp_path: Path) -> None:
    base = write(tmp_path)
    base.rename(tmp_path / "base.py")
    path = tmp_path / "own.py"
    path.write_text("import base\n\nclass Own(base.A):\n    pass\n")
    before = code_of(path, "Own")
    assert value_of(path, "Own") == 0.25
    (tmp_path / "base.py").write_text(METRIC.format(head="", inside="pass", value="0.5"))
    assert code_of(path, "Own") != before
    assert value_of(path, "Own") == 0.5


def test_modules_that_import_each_other_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("VALUE = 0.5\n\ndef later():\n    import own, other\n")
    (tmp_path / "other.py").write_text("import helper\n")
    path = write(tmp_path, head="import helper", value="helper.VALUE")
    assert value_of(path) == 0.5
    assert len(code_of(path)) == 12


def test_the_standard_library_and_faithkit_are_not_shadowed(tmp_path: Path) -> None:
    for name in ("json", "faithkit"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('was run')\n")
    assert value_of(write(tmp_path, head="import json", value="float(json.loads('0.5'))")) == 0.5


def test_an_installed_package_is_imported_as_ever(tmp_path: Path) -> None:
    import numpy

    path = write(tmp_path, head="import numpy", value="0.5")
    found = class_of(MetricSpec.parse(f"{path}:A"))
    assert sys.modules[found.__module__].numpy is numpy


def test_a_module_beside_that_fails_is_one_error_that_names_both(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("1 / 0\n")
    path = write(tmp_path, head="import helper")
    with pytest.raises(ConfigError, match=r"own\.py, wanted for a metric.*ZeroDivisionError"):
        value_of(path)
    (tmp_path / "helper.py").write_text("VALUE = 1\n")
    assert value_of(path) == 0.25


def test_a_metric_of_a_file_can_be_pickled(tmp_path: Path) -> None:
    write_modules(tmp_path, 0.5)
    path = write(tmp_path, head="import helper", value="helper.VALUE")
    metric, _, _ = load_metric(f"{path}:A", lambda spec: None)
    copied: Any = pickle.loads(pickle.dumps(metric))
    assert [one.value for one in copied.score(PAIR)] == [0.5]


def test_a_metric_of_a_package_is_named_by_every_module_of_it_that_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "theirs"
    write(package, head="from theirs.inner import values", value="values.VALUE")
    (package / "__init__.py").write_text("")
    write_modules(package / "inner", 0.5)
    (package / "inner" / "__init__.py").write_text("")
    (package / "inner" / "values.py").write_text("from .helper import VALUE\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    class Point:
        name, value = "theirs", "theirs.own:A"

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Point()])

    def code() -> str:
        return str(load_metric("theirs", lambda spec: None).signature.options["code"])

    before = code()
    (package / "inner" / "helper.py").write_text("VALUE = 0.25\n")
    assert code() != before

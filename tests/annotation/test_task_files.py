"""Task files: those of the package, a team's own, and one clear error for each mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from faithkit import FaithkitError
from faithkit.annotation import task_files
from faithkit.annotation.tasks import Task, applies
from faithkit.datasets.frank import TYPES
from faithkit.datasets.treatfact import CHOICES

OWN = """
name = "own"
title = "Own"
[[questions]]
name = "ok"
kind = "choice"
ask = "Right?"
gives = "label"
choices = [{ value = "yes", means = 1 }, { value = "no", means = 0 }]
[[questions]]
name = "where"
kind = "spans"
ask = "Where?"
when = { ok = "no" }
choices = ["wrong"]
"""


@pytest.mark.parametrize("name", task_files.SHIPPED)
def test_shipped_task_survives_json(name: str) -> None:
    task = task_files.load(name)
    assert task.name == name and task.title and task.guidelines
    assert Task.from_dict(json.loads(json.dumps(task.to_dict()))) == task


def test_treatfact_asks_what_the_dataset_has_and_strength_only_where_it_applies() -> None:
    task = task_files.load("treatfact")
    for name, allowed in CHOICES.items():
        question = task.question(name)
        assert question is not None and question.values == allowed
    strength = task.question("strength_summary")
    assert strength is not None
    assert applies(strength, {"strength_right": "no"})
    assert not applies(strength, {"strength_right": "NA"})


def test_span_tasks_have_the_types_of_frank_and_aggrefact() -> None:
    frank, aggrefact = (task_files.load(name).questions[0] for name in ("spans-frank", "spans"))
    assert set(frank.values) == set(TYPES)
    assert set(aggrefact.values) == {
        f"{side}-{what}" for side in ("intrinsic", "extrinsic")
        for what in ("NP", "predicate", "sentence")
    }  # fmt: skip


def test_own_task_is_read_from_toml_and_json(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    task = task_files.load(str(path))
    assert [choice.key for choice in task.questions[0].choices] == ["1", "2"]
    as_json = tmp_path / "own.json"
    as_json.write_text(
        json.dumps({"name": "own", "title": "Own", "questions": [
            {"name": "ok", "kind": "choice", "ask": "Right?", "gives": "label",
             "choices": [{"value": "yes", "means": 1}, {"value": "no", "means": 0}]},
            {"name": "where", "kind": "spans", "ask": "Where?", "when": {"ok": "no"},
             "choices": ["wrong"]}]}), encoding="utf-8")  # fmt: skip
    assert task_files.load(str(as_json)) == task


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ('kind = "choice"', 'kind = "chioce"', "questions 1 ('ok'), field 'kind': expected"),
        ('title = "Own"', 'titel = "Own"', "no field 'titel'. Did you mean 'title'?"),
        ("when = { ok", "when = { okay", "'okay' is no question before it. Did you mean 'ok'?"),
        ('ok = "no" }', 'ok = "never" }', "'never' is no answer to 'ok'; choices: yes, no"),
        ('name = "where"', 'name = "ok"', "'ok': the name is there twice"),
        (", means = 0", "", "needs a choice with means = 1 and one with means = 0"),
        ('["wrong"]', '[{ value = "wrong", key = "n" }]', "the key 'n' of 'wrong' is one of the"),
        ('["wrong"]', "[]", "needs 'choices'"),
        ('kind = "spans"', 'kind = "tick"', "of the kind 'tick' has no 'choices'"),
        ('ask = "Right?"', "", "no field 'ask'"),
        ("[[questions]]", "[questions", "not TOML"),
        ('name = "ok"', 'name = "seconds"', "none of the words annotator, comment"),
        ('title = "Own"', 'title = "Own"\nshows = "system"', "field 'shows': expected a list"),
        ('title = "Own"', 'title = "Own"\nitems = "pairs"\nshows = ["a"]', "a pair is of two rows"),
    ],
)
def test_mistake_in_a_task_file_is_one_error_with_its_place(
    tmp_path: Path, before: str, after: str, error: str
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(FaithkitError) as raised:
        task_files.load(str(path))
    assert str(raised.value).startswith(str(path)) and error in str(raised.value)


@pytest.mark.parametrize(
    ("choices", "keys"),
    [
        ('choices = ["0", "3"]', ["0", "1", "2", "3"]),
        ('choices = ["0", "1", "2", "3"]', ["0", "1", "2", "3"]),
        ('choices = [{ value = "3", key = "a" }]', ["0", "1", "2", "a"]),
        ("", ["0", "1", "2", "3"]),
    ],
)
def test_the_key_of_a_grade_is_the_grade_unless_the_file_says_another(
    choices: str, keys: list[str]
) -> None:
    scale = f'[[questions]]\nname = "r"\nkind = "scale"\nask = "?"\nlow = 0\nhigh = 3\n{choices}\n'
    task = task_files.parse(OWN + scale, "own.toml", ".toml")
    assert [choice.key for choice in task.questions[-1].choices] == keys


def test_condition_on_a_tick_is_true_or_false_and_on_a_grade_a_number() -> None:
    tick = '[[questions]]\nname = "t"\nkind = "tick"\nask = "?"\n'
    scale = '[[questions]]\nname = "g"\nkind = "scale"\nask = "?"\nlow = 0\nhigh = 3\n'
    then = '[[questions]]\nname = "x"\nkind = "text"\nask = "?"\nwhen = {{ {} = {} }}\n'
    for name, answer, is_answer in (
        ("t", "true", True), ("t", "1", False), ("g", "1", True), ("g", "true", False),
    ):  # fmt: skip
        text = OWN + tick + scale + then.format(name, answer)
        if is_answer:
            task_files.parse(text, "own.toml", ".toml")
        else:
            with pytest.raises(FaithkitError, match=f"is no answer to '{name}'"):
                task_files.parse(text, "own.toml", ".toml")


@pytest.mark.parametrize("mark", ['"d"', "3", '{ type = "wrong" }'])
def test_pilot_whose_mark_does_not_occur_is_an_error(mark: str) -> None:
    pilot = f'[[pilots]]\nsource = "a"\nsummary = "b c"\n[pilots.answers]\nwhere = [{mark}]\n'
    with pytest.raises(FaithkitError, match="pilots 1, answers, 'where', mark 1: its text does"):
        task_files.parse(OWN + pilot, "own.toml", ".toml")


def test_unknown_task_names_the_nearest() -> None:
    with pytest.raises(FaithkitError, match="Did you mean 'spans'"):
        task_files.load("span")

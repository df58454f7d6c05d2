"""What CONTRIBUTING.md says of a metric, a dataset and a model role is enough to add one."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from typer.testing import CliRunner

from faithkit import datasets, models, score
from faithkit.cli import app
from faithkit.datasets.table import DATASETS, Entry
from faithkit.records import ConfigError
from tests.helpers.paths import ROOT

PAGE = ROOT / "CONTRIBUTING.md"


@pytest.fixture
def pasted(tmp_path: Path) -> Path:
    (block,) = re.findall(r"^ *```python\n(.*?)^ *```", PAGE.read_text("utf-8"), re.M | re.S)
    path = tmp_path / "shouting.py"
    path.write_text(textwrap.dedent(block), encoding="utf-8")
    return path


def test_the_example_metric_runs_as_pasted(pasted: Path) -> None:
    pairs = [("a source", "two WORDS here"), ("a source", ""), ("a source", "a b")]
    found = list(score(pairs, f"{pasted}:Shouting"))
    assert [(one.value, str(one.outcome)) for one in found] == [
        (pytest.approx(2 / 3), "ok"), (None, "no_content"), (None, "no_claims"),
    ]  # fmt: skip
    assert found[0].coverage.summary_tokens == 3
    (one,) = score(pairs[:1], f"{pasted}:Shouting:minimum=5")
    assert one.value == 0.0


READER = '''
"""Shouts: one row a line, loud or not."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import YES_NO, read_rows
from faithkit.records import Example


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """Label 1 where `faithful` is yes."""
    for number, row in enumerate(read_rows(paths[0], ("text", "shout", "faithful"))):
        label = row.choice("faithful", YES_NO)
        yield row.example(f"shouts/{number}", row.text("text"), row.text("shout"), label=label)
'''


def test_a_dataset_is_a_reader_a_line_of_the_table_and_its_origin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shouts.py").write_text(READER, encoding="utf-8")
    monkeypatch.setattr(datasets, "__path__", [*datasets.__path__, str(tmp_path)])
    entry = Entry("shouts:read", "Shouts", ("detection",), files=("shouts.jsonl",), source="shouts")
    monkeypatch.setitem(DATASETS, "shouts", entry)
    origin = {"title": "Shouts", "get": "example.org", "licence": "CC0", "files": []}
    monkeypatch.setitem(datasets.sources(), "shouts", origin)
    (tmp_path / "shouts.jsonl").write_text('{"text": "a", "shout": "A", "faithful": "no"}\n')
    (example,) = datasets.load("shouts", data_dir=tmp_path)
    assert (example.id, example.label) == ("shouts/0", 0)
    assert datasets.info("shouts", data_dir=tmp_path)["title"] == "Shouts"
    result = CliRunner().invoke(app, ["datasets", "info", "shouts", "--data-dir", str(tmp_path)])
    assert result.exit_code == 0 and "Shouts" in result.output


LOADER = '''
"""Volumes: how loud a text is, at most the volume in the weights."""

from pathlib import Path

from safetensors.numpy import load_file


class Volume:
    def __init__(self, most: int, id: str) -> None:
        self.most, self.id = most, id

    def of(self, text: str) -> int:
        return min(self.most, sum(letter.isupper() for letter in text))


def load_volume(path: Path, name: str, *, device: str | None, dtype: str | None) -> Volume:
    return Volume(int(load_file(path / "model.safetensors")["most"][0]), name)
'''


def test_a_model_role_is_a_loader_and_a_line_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "volumes.py").write_text(LOADER, encoding="utf-8")
    (tmp_path / "quiet").mkdir()
    save_file({"most": np.array([2])}, tmp_path / "quiet" / "model.safetensors")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(models.LOADERS, "volume", "volumes:load_volume")
    model = models.load(f"volume:{tmp_path / 'quiet'}")
    assert (model.id, model.of("LOUD")) == ("quiet", 2)
    with pytest.raises(ConfigError, match="Did you mean 'volume'"):
        models.load("volumes:x")

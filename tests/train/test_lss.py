"""Training of LSS generators: a tiny T5 learns five rows by heart; figures by hand."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.helpers import tiny_models
from typer.testing import CliRunner

from faithkit import Example
from faithkit.cli import app
from faithkit.datasets.lss import DIFFICULT, LSS, LSS_STAR, RATING, UNRELATED
from faithkit.models import load
from faithkit.models.generation import Seq2SeqGenerator
from faithkit.models.protocols import Decision, SentenceVerdict, Verdict
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError, Coverage, DataError, ModelError
from faithkit.run import prepare
from faithkit.train.lss import (
    GeneratorOptions,
    balanced,
    evaluate,
    figures,
    fit,
    read,
    train,
    word_agreement,
)

ROWS = [
    (
        "the mayor of paris said on monday that two schools open",
        "two schools open in june",
        "two schools open",
    ),
    (
        "critics in lyon called the plan too costly",
        "critics called the plan costly by autumn",
        "critics called the plan costly",
    ),
    (
        "the mayor asked for 300 million euros",
        "the mayor of lyon asked for euros",
        "the mayor asked for euros",
    ),
    ("a long delay while schools open", "the plan open after a delay", "a delay"),
    ("two schools in paris", "300 euros", ""),
]
OVERFIT = GeneratorOptions(epochs=150, batch_size=5, learning_rate=5e-3, held_out=0, seed=3)


def examples(rows: Sequence[tuple[str, str, str]] = ROWS) -> list[Example]:
    return [
        Example(
            str(i),
            source,
            claim,
            document=f"g{i}",
            meta={"lss": lss, "lss_star": f"so {lss}".strip()},
        )
        for i, (source, claim, lss) in enumerate(rows)
    ]


def generator() -> Seq2SeqGenerator:
    """Without dropout, so that the rows can be learned by heart."""
    model = tiny_models.t5()
    # transformers keeps the rate as a module here and as a number there.
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        elif isinstance(getattr(module, "dropout", None), float):
            module.dropout = 0.0
    return Seq2SeqGenerator(model, tiny_models.tokenizer(), id="t5@0")


def written(path: Path, rows: Sequence[tuple[str, str, str]] = ROWS) -> Path:
    lines = [
        {"id": f"r{number}", "source": source, "summary": claim,
         "annotations": [{"lss": lss, "lss_star": lss, "rating": 3}]}
        for number, (source, claim, lss) in enumerate(rows)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def saved(folder: Path) -> Path:
    own = generator()
    own.model.save_pretrained(folder)
    own.tokenizer.save_pretrained(folder)
    return folder


def weights(model: Any) -> np.ndarray:
    return np.concatenate([one.detach().numpy().ravel() for one in model.parameters()])


@pytest.mark.verify
def test_a_tiny_model_learns_five_rows_by_heart() -> None:
    own = generator()
    before = [one.text for one in own.generate([(row[0], row[1]) for row in ROWS])]
    assert before != [row[2] for row in ROWS]
    fitted = fit(own, examples(), OVERFIT)
    assert fitted.rows == 5 and fitted.left_out == {}
    assert fitted.loss[0] > 3 and fitted.loss[-1] < 0.05
    found = own.generate([(row[0], row[1]) for row in ROWS])
    assert [one.text for one in found] == [row[2] for row in ROWS]
    agreement = evaluate(own, examples())
    assert [agreement[name] for name in ("rouge2", "bleu", "f1", "violations")] == [1, 1, 1, 0]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights_and_another_does_not() -> None:
    options = GeneratorOptions(epochs=2, batch_size=2, learning_rate=1e-3, held_out=0)
    found = []
    for seed in (0, 0, 1):
        # Dropout is on here: it must be seeded too.
        own = Seq2SeqGenerator(tiny_models.t5(), tiny_models.tokenizer(), id="t5@0")
        torch.manual_seed(len(found))
        state = torch.get_rng_state()
        fit(own, examples(), replace(options, seed=seed))
        assert torch.equal(torch.get_rng_state(), state), "the caller's own seed is not touched"
        assert not own.model.training
        found.append(weights(own.model))
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_star_learns_the_other_text() -> None:
    own = generator()
    learned = [
        fit(
            own, examples(ROWS[:1]), GeneratorOptions(epochs=1, star=star, learning_rate=1e-12)
        ).loss[0]
        for star in (False, True)
    ]
    assert learned[0] != learned[1]
    with torch.no_grad():
        (prompt,) = own.prompts([ROWS[0][:2]])
        by_hand = own.model(
            input_ids=torch.tensor([prompt.ids.tolist()]),
            labels=torch.tensor([own.target("so two schools open").tolist()]),
        ).loss.item()
    assert learned[1] == pytest.approx(by_hand, abs=1e-4)


@pytest.mark.slow
def test_a_share_of_the_fully_supported_rows_is_kept() -> None:
    """Six rows whose LSS is the claim, in any case and punctuation, besides the five others."""
    whole = [(f"two schools {n}", f"Two schools {n}.", f"two schools {n}") for n in range(6)]
    rows = examples([*whole[:3], *ROWS, *whole[3:]])

    def fitted(share: float) -> tuple[int, tuple[int, int], dict[str, int]]:
        found = fit(generator(), rows, GeneratorOptions(epochs=1, keep_supported=share))
        return found.rows, (found.supported, found.supported_kept), found.left_out

    reason = "fully supported"
    assert fitted(1) == (11, (6, 6), {})
    assert fitted(0.5) == (8, (6, 3), {reason: 3})
    assert fitted(0.1) == (6, (6, 1), {reason: 5})
    assert fitted(0) == (5, (6, 0), {reason: 6})
    assert GeneratorOptions().keep_supported == 0.5


def test_which_fully_supported_rows_are_kept_goes_by_the_seed_and_not_by_the_order() -> None:
    rows = examples([(f"s {n}", f"Two {n}.", f"two {n}") for n in range(20)])
    options = [GeneratorOptions(keep_supported=0.5, seed=seed) for seed in (0, 0, 1)]
    first, again, other = (
        {row.id for row in balanced(some, one)}
        for some, one in zip((rows, rows[::-1], rows), options, strict=True)
    )
    assert len(first) == 10
    assert first == again
    assert first != other


def test_rows_that_are_too_long_are_left_out() -> None:
    rows = [*ROWS, ("two", tiny_models.text(0, 200), "two")]
    fitted = fit(generator(), examples(rows), GeneratorOptions(epochs=1))
    assert (fitted.rows, fitted.left_out) == (5, {"too long": 1})
    with pytest.raises(DataError, match="no row is left to learn from \\(1 fully supported"):
        fit(generator(), examples([("two", "two", "two")]), GeneratorOptions(keep_supported=0))


def test_a_loss_that_overflows_is_an_error() -> None:
    with pytest.raises(ModelError, match="lower the learning rate"):
        fit(generator(), examples(), GeneratorOptions(epochs=3, batch_size=1, learning_rate=1e30))


def test_word_agreement_by_hand() -> None:
    precision, recall, f1 = word_agreement("The council, the plan met", "the council met twice")
    assert (precision, recall) == (3 / 5, 3 / 4)
    assert f1 == pytest.approx(2 * 0.6 * 0.75 / 1.35)
    assert word_agreement("", "?") == (1, 1, 1)
    assert word_agreement("a", "") == word_agreement("", "a") == (0, 0, 0)


@pytest.mark.slow
def test_figures_by_hand() -> None:
    """First row: 3 of 4 words, in a row, of the gold 4; the second is right, the third empty."""
    found = figures(["a council met", "a b", ""], ["a council met twice", "a b", "c"])
    assert found == pytest.approx(
        {
            "rouge1": (6 / 7 + 1 + 0) / 3,
            "rouge2": (2 * 2 / (2 + 3) + 1 + 0) / 3,
            "rougeL": (6 / 7 + 1 + 0) / 3,
            # All 1-, 2- and 3-grams match; there is no 4-gram: ln 3 / (2 * 5) by method 4.
            "bleu": (np.exp(1 - 4 / 3) * (np.log(3) / 10) ** (1 / 4) + 1 + 0) / 3,
            "precision": (1 + 1 + 0) / 3,
            "recall": (3 / 4 + 1 + 0) / 3,
            "f1": (6 / 7 + 1 + 0) / 3,
        }
    )
    assert set(figures([], []).values()) == {None}


class Doubter:
    """Doubts the words that the source does not have."""

    id = "doubter@0"
    decision = Decision(0.4, 0.7)
    marked = 0.5
    doubtful = 0.5
    doubts = (0.0, 1.0)
    """Of a word that the source has, and of one that it has not."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        return [Verdict((self._sentence(*pair),), Coverage()) for pair in pairs]

    def _sentence(self, source: str, summary: str) -> SentenceVerdict:
        own, place = summary.split(), 0
        offsets = []
        for word in own:
            start = summary.index(word, place)
            place = start + len(word)
            offsets.append((start, place))
        doubts = [self.doubts[word not in source.split()] for word in own]
        return SentenceVerdict(
            0, len(summary), True, (1.0, 0.0, 0.0), 1.0,
            np.array(offsets, dtype=np.int64), np.array(doubts, dtype=np.float32), (),
        )  # fmt: skip


def test_the_words_of_a_support_model_are_evaluated_alike() -> None:
    """What the sources lack is what the gold LSS lack, but for 'open' in the fourth row: 'open a
    delay' against 'a delay'."""
    found = evaluate(Doubter(), examples())
    rouge1 = (1 + 1 + 1 + 2 * 2 / (3 + 2) + 1) / 5
    assert found["rouge1"] == pytest.approx(rouge1)
    assert found["recall"] == 1 and found["violations"] == 0
    assert found["outcomes"] == {"ok": 5} and found["rows"] == 5
    doubting = evaluate(Doubter(), [*examples(), Example("x", "s", " ", meta={"lss": ""})])
    assert doubting["outcomes"] == {"no_content": 1, "ok": 5}
    assert doubting["rouge1"] == found["rouge1"]


@pytest.mark.parametrize(("threshold", "kept"), [(None, 1), (0.5, 1), (0.2, 0)])
def test_words_are_kept_below_the_threshold_of_the_model(
    threshold: float | None, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every word has a doubt of .3: below the model's own limit, and kept by default."""
    monkeypatch.setattr(Doubter, "marked", 0.35)
    monkeypatch.setattr(Doubter, "doubts", (0.3, 0.3))
    row = Example("x", "a b", "a b", meta={"lss": "a b"})
    assert evaluate(Doubter(), [row], threshold=threshold)["recall"] == kept


def test_each_annotation_is_a_row_of_its_own(tmp_path: Path) -> None:
    """Of the release's CSV and of a unified file alike."""
    one = {"lss": "a", "lss_star": "A."}, {"lss": "", "lss_star": ""}
    row = {"id": "x", "source": "s", "summary": "a b", "group": "g", "annotations": one}
    (tmp_path / "unified.jsonl").write_text(json.dumps(row), encoding="utf-8")
    rows = read(str(tmp_path / "unified.jsonl"))
    assert [(e.id, e.summary, e.document) for e in rows] == [
        ("x#1", "a b", "g"),
        ("x#2", "a b", "g"),
    ]
    assert [(e.meta["lss"], e.meta["lss_star"]) for e in rows] == [("a", "A."), ("", "")]
    header = ["worker_id", "Statement", "Reference", UNRELATED, LSS, LSS_STAR, DIFFICULT, RATING]
    cells = [["W", "a b", "s", "", "a", "A.", "", "2 - Slightly Supported"],
             ["V", "a b", "s", "Yes", "", "", "", "1 - Not Supported"]]  # fmt: skip
    with (tmp_path / "LSS_test.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *cells])
    released = read(str(tmp_path / "LSS_test.csv"))
    assert [(e.id, e.meta["lss"]) for e in released] == [("lss/0#1", "a"), ("lss/0#2", "")]
    assert len({e.document for e in released}) == 1


def test_a_file_without_lss_is_refused(tmp_path: Path) -> None:
    assert [e.meta["lss"] for e in read(str(written(tmp_path / "a.jsonl")))] == [r[2] for r in ROWS]
    row = {"id": "x", "source": "s", "summary": "a b"}
    for wrong in (None, [], "a", [{"lss": "a"}], [{"lss": "a", "lss_star": 3}]):
        path = tmp_path / "b.jsonl"
        path.write_text(json.dumps({**row, "annotations": wrong}), encoding="utf-8")
        with pytest.raises(DataError, match=r"row 'x'.*annotations.*lss and lss_star"):
            read(str(path))
    path.write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="no row"):
        read(str(path))
    with pytest.raises(ConfigError, match="Unknown dataset"):
        read("no such file")


@pytest.mark.verify
def test_the_command_writes_a_model_that_the_metrics_use(tmp_path: Path) -> None:
    data, base, out = written(tmp_path / "lss.jsonl"), saved(tmp_path / "base"), tmp_path / "out"
    arguments = [
        "train", "lss", str(data), "-m", str(base), "-o", str(out), "--epochs", "3", "--lr", "1e-3",
        "--batch-size", "2", "--seed", "5", "--held-out", "0.2", "--device", "cpu", "--offline",
    ]  # fmt: skip
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "5 rows of 5 documents; learned from 4" in result.output
    assert "fully supported: 0 of 0 kept" in result.output
    assert "rouge1 on 1 held-out rows: " in result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base", "lss.jsonl", "out"]
    card = json.loads((out / "card.json").read_text(encoding="utf-8"))
    assert card["options"]["seed"] == 5 and card["options"]["epochs"] == 3
    assert len(card["loss"]) == 3 and card["rows"] == 4
    assert card["fully_supported"] == {"rows": 0, "kept": 0}
    assert card["held_out"]["rows"] == 1 and 0 <= card["held_out"]["f1"] <= 1
    assert (out / "model.safetensors").is_file()

    loaded = load(f"generate:{out}", Runtime("cpu", offline=True))
    assert loaded.id == card["weights"] and loaded.id != card["base"]
    (one,) = prepare([f"lss_bleu:generator=seq2seq,model={out}"], Runtime("cpu", offline=True))
    (score,) = one.metric.score([Example("x", ROWS[0][0], ROWS[0][1])])
    assert score.value is not None and score.parts["words"] == 5
    assert one.signature.models["model"] == card["weights"]
    assert one.trained_on == {card["data"]["name"]}

    assert score.texts["lss"] is not None
    with pytest.raises(ConfigError, match=r"lss_bleu: .*trained to write LSS.*star=off"):
        prepare([f"lss_bleu:generator=seq2seq,star=on,model={out}"], Runtime("cpu", offline=True))

    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 2 and "is there already" in again.output


def test_what_cannot_be_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for folder, options, message in (
        (tmp_path / "there", GeneratorOptions(), "is there already"),
        (tmp_path / "new", GeneratorOptions(learning_rate=0), "above 0"),
        (tmp_path / "new", GeneratorOptions(held_out=1.0), "held-out share"),
        (tmp_path / "new", GeneratorOptions(keep_supported=1.5), "fully supported rows"),
    ):
        with pytest.raises(ConfigError, match=message):
            train("no data", "no model", folder, options)
    assert not (tmp_path / "new").exists()

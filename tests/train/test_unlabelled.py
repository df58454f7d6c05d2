"""Sentences without a label: what is taken away, what is left, and that teachers are needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.tiny_support import save_support, tokenizer
from tests.helpers.tiny_training import ARTICLES, ROWS, data_folder, labelled
from tests.train.test_support import FAMILIES, QUICK, quiet

from faithkit.records import ConfigError
from faithkit.train import unlabelled as made
from faithkit.train.support import train
from faithkit.train.support_rows import pieces
from faithkit.train.unlabelled import OWN, WITHOUT_EVIDENCE, unlabelled
from faithkit.train.words import ENTAILED

LONG = "\n".join(ARTICLES)


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "CLAIMS", 1.0)
    monkeypatch.setattr(made, "DOCUMENTS", 1.0)


@pytest.mark.usefixtures("everything")
def test_a_claim_has_lost_its_best_evidence_and_nothing_is_known_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(made, "REMOVED", (1,))
    row = labelled("A ferry ran aground off Harwich.", [], ENTAILED, source=ARTICLES[1])
    (unit,) = unlabelled(list(pieces([row])), tokenizer(), 200, seed=0)
    assert unit.family == WITHOUT_EVIDENCE and not unit.non_claim
    read = " ".join(one.form.text for one in unit.reading.evidence)
    assert "aground" not in read and "Harwich" not in read and "ferry" in read
    assert np.isnan(unit.labels).all() and np.isnan(unit.target).all()
    assert len(unit.labels) == len(unit.reading.claim.keys)


@pytest.mark.usefixtures("everything")
def test_a_documents_own_sentences_stand_beside_the_rest_of_it() -> None:
    row = labelled("A ferry ran aground.", [], ENTAILED, "nli_snli", LONG)
    assert not unlabelled(list(pieces([row])), tokenizer(), 200, seed=0)
    row = replace(row, file="begin")
    found = [
        unit for unit in unlabelled(list(pieces([row])), tokenizer(), 200, seed=0)
        if unit.family == OWN
    ]  # fmt: skip
    assert len(found) == made.EACH
    for unit in found:
        claim = unit.reading.claim.form.text
        assert claim[:8] in LONG and not unit.reading.copied
        assert claim not in [one.form.text for one in unit.reading.evidence]


def test_order_makes_no_difference_and_a_seed_does() -> None:
    rows = [*ROWS, *(replace(row, source=LONG, document=f"d{n}") for n, row in enumerate(ROWS))]
    data = list(pieces(rows * 4))
    first, again, other = (
        [(unit.family, unit.reading.claim.form.text) for unit in unlabelled(*given)]
        for given in (
            (data, tokenizer(), 60, 1),
            (data[::-1], tokenizer(), 60, 1),
            (data, tokenizer(), 60, 2),
        )
    )
    assert first == again != other


def test_without_a_teacher_there_is_nothing_to_learn_of_them(
    tiny_encoder: Path, tmp_path: Path
) -> None:
    folder = data_folder(tmp_path / "data")
    options = replace(QUICK, leave_out=FAMILIES, unlabelled=True, draws=2)
    with pytest.raises(ConfigError, match="name one"):
        train(tmp_path / "m", folder, options, quiet, files=["bump1"], encoder=str(tiny_encoder))
    teacher = save_support(tmp_path / "teacher", tiny_encoder, card={"rows": {"bump1": 3}})
    alone = replace(options, unlabelled=False, draws=1)
    cards = [
        train(tmp_path / str(n), folder, given, quiet, files=["bump1"], encoder=str(tiny_encoder),
              teachers=[teacher])
        for n, given in enumerate((alone, options))
    ]  # fmt: skip
    assert cards[0]["rows"] == cards[1]["rows"]
    one, two = (card["sentences"] for card in cards)
    assert isinstance(one, int) and isinstance(two, int) and two >= 2 * one

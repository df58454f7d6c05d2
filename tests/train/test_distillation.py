"""A teacher's judgements as labels: how they are mixed with what is known, and kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.helpers.tiny_support import network, read

from faithkit.support.evidence import Source
from faithkit.support.inputs import attach_evidence, encode
from faithkit.train import distillation
from faithkit.train.distillation import judgements, mean_judgement, with_teacher_labels
from faithkit.train.loop import Checkpoint
from faithkit.train.support_rows import Unit

NAN = float("nan")
SOURCE = ("The council met on Tuesday.", "Mayor Anna Reyes opened the new library in Lyon.")
CLAIMS = ("Anna opened it.", "The council met on Monday, said 5 of 7 members.", "No.")


def unit(target: tuple[float, ...], labels: list[float], *, non_claim: bool = False) -> Unit:
    reading = attach_evidence(read("Anna opened it.")[0], Source(read(*SOURCE)))
    numbers = np.array(labels, dtype=np.float32), np.array(target, dtype=np.float32)
    return Unit("xsum", "d", reading, *numbers, non_claim)


def learned(one: Unit, words: list[float], classes: list[float]) -> Unit:
    given = np.array(words, dtype=np.float32), np.array(classes, dtype=np.float32)
    return next(with_teacher_labels([one], [given]))


def test_unknown_words_and_sentences_have_the_teachers_labels() -> None:
    got = learned(unit((NAN, NAN, NAN), [NAN, 1.0, 0.0]), [0.2, 0.4, 0.6], [0.7, 0.2, 0.1])
    assert got.labels == pytest.approx([0.2, 0.7, 0.3])
    assert got.target == pytest.approx([0.7, 0.2, 0.1])


def test_known_classes_are_mixed_by_half() -> None:
    got = learned(unit((0.0, 1.0, 0.0), [NAN] * 3), [0.1] * 3, [0.6, 0.3, 0.1])
    assert got.target == pytest.approx([0.3, 0.65, 0.05])


def test_what_is_known_as_unsupported_is_divided_as_the_teacher_finds() -> None:
    got = learned(unit((0.0, 1.0, NAN), [NAN] * 3), [0.1] * 3, [0.2, 0.2, 0.6])
    assert got.target == pytest.approx([0.1, 0.1 + 0.125, 0.3 + 0.375])
    assert got.target.sum() == pytest.approx(1)


def test_several_teachers_judge_in_the_mean() -> None:
    first = np.array([0.2, 0.9]), np.array([0.6, 0.3, 0.1])
    words, classes = mean_judgement([first, (np.array([0.4, 0.1]), np.array([0.2, 0.3, 0.5]))])
    assert words == pytest.approx([0.3, 0.5]) and classes == pytest.approx([0.4, 0.3, 0.3])


def test_a_sentence_that_claims_nothing_stays_as_it_is() -> None:
    one = unit((NAN, NAN, NAN), [NAN] * 3, non_claim=True)
    assert learned(one, [0.5] * 3, [1, 0, 0]) is one


def test_judgements_go_on_after_a_kill_and_are_the_same(
    tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distillation, "DTYPE", "float32")
    source, teacher = Source(read(*SOURCE)), network(tiny_encoder)
    inputs = [encode(attach_evidence(claim, source)) for claim in read(*CLAIMS)]
    checkpoint = Checkpoint(tmp_path / "t.safetensors", "a teacher on these sentences")
    whole = judgements(inputs, teacher, checkpoint, lambda _: None)
    assert [len(words) for words, _ in whole] == [one.words for one in inputs]
    assert all(classes.sum() == pytest.approx(1, abs=1e-5) for _, classes in whole)

    monkeypatch.setattr(distillation, "CHUNK", 2)
    killed = Checkpoint(tmp_path / "k.safetensors", "a teacher on these sentences")
    judgements(inputs[:2], teacher, killed, lambda _: None)
    said: list[str] = []
    again = judgements(inputs, teacher, killed, said.append)
    assert said == ["the teacher judged 3 of 3 sentences"]
    for (words, classes), (first, second) in zip(again, whole, strict=True):
        assert words == pytest.approx(first, abs=1e-5)
        assert classes == pytest.approx(second, abs=1e-5)

    other = Checkpoint(killed.path, "another teacher")
    judgements(inputs, teacher, other, said.append)
    assert said[1:] == [f"the teacher judged {n} of 3 sentences" for n in (2, 3)]

"""Units of training: what rows say of words and sentences, and which rows are left out."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.tiny_support import tokenizer
from tests.helpers.tiny_training import ARTICLES, ROWS, STORY, data_folder, labelled, put

from faithkit.language.sentences import closed_sentences
from faithkit.language.words import Segment
from faithkit.records import ConfigError, DataError, document_id
from faithkit.support.inputs import count_within_budget
from faithkit.support.sentences import LONGEST
from faithkit.train import support_rows
from faithkit.train.edited import EDITED
from faithkit.train.labels import FAMILIES, FILES
from faithkit.train.relations import RELATIONS
from faithkit.train.support_rows import (
    CHOOSING,
    HELD_OUT,
    MADE,
    NON_CLAIMS,
    Options,
    Piece,
    Unit,
    files_of,
    labels_of,
    made_rows,
    pieces,
    sampled,
    targets_of,
    training_rows,
    units,
    without,
)
from faithkit.train.words import CONTRADICTED, ENTAILED, UNSUPPORTED, Labelled


def quiet(_: str) -> None:
    return


def read(*rows: Labelled, budget: int = 60) -> list[Unit]:
    return units(list(pieces(rows)), tokenizer(), budget)


# --- units ---------------------------------------------------------------------------------------


def test_unit_is_a_sentence_beside_its_evidence() -> None:
    row = labelled("The council voted on a stadium.", ["stadium"], UNSUPPORTED)
    (unit,) = read(row)
    assert (unit.family, unit.document, unit.non_claim) == ("bump", document_id(ARTICLES[0]), False)
    assert unit.reading.claim.keys[:2] == ("the", "council")
    assert unit.labels.tolist() == [0, 0, 0, 0, 0, 1]
    assert unit.target[:2].tolist() == [0, 1] and math.isnan(unit.target[2])
    assert unit.reading.evidence[0].form.text.startswith("The council of Brookfield voted")


def test_evidence_fits_the_budget() -> None:
    row = labelled("The council and Lee spoke of the library in March.", [], ENTAILED)
    for budget in (20, 60, 200):
        (unit,) = read(row, budget=budget)
        sizes = [len(one.ids) + 1 for one in unit.reading.evidence]
        assert len(sizes) == 1 or sum(sizes) <= budget
        assert count_within_budget(unit.reading, budget) == len(sizes)


def test_every_sentence_of_a_summary_is_a_unit() -> None:
    first, second = read(labelled("Lee voted. Paris won it.", ["Paris", "won"], UNSUPPORTED))
    assert first.labels.tolist() == [0, 0] and second.labels.tolist() == [1, 1, 0]
    assert first.target[:2].tolist() == [1, 0] and second.target[:2].tolist() == [0, 1]


def test_summary_of_which_nothing_is_known_is_left_out() -> None:
    assert read(labelled("Lee voted.", None, None)) == []
    assert read(labelled("Lee voted. Nobody came.", None, UNSUPPORTED)) == []  # which of the two?
    assert len(read(labelled("Lee voted.", None, UNSUPPORTED))) == 1
    assert len(read(labelled("Lee voted.", [], None))) == 1


def test_words_without_a_label_are_nan() -> None:
    row = labelled("Lee voted.", [], None)
    (unit,) = read(replace(row, labels=row.labels[:1]))
    assert unit.labels[0] == 0 and math.isnan(unit.labels[1])
    assert np.isnan(unit.target).all()


def test_source_or_summary_without_a_word_has_no_unit() -> None:
    assert read(labelled("Lee voted.", [], ENTAILED, source="... ?!")) == []
    assert read(labelled("...", [], ENTAILED)) == []


def test_source_is_read_in_plain_form() -> None:
    source = "# News\n\n- **The council** voted on Tuesday.\n- Nobody came."
    (unit,) = read(labelled("The council voted on Tuesday.", [], ENTAILED, source=source))
    assert unit.reading.evidence[0].form.text == "The council voted on Tuesday."


def test_long_sentence_is_several_units_with_its_target() -> None:
    summary = " ".join(["library"] * (2 * LONGEST)) + "."
    found = read(labelled(summary, [], ENTAILED))
    assert len(found) >= 2
    assert sum(len(one.labels) for one in found) == 2 * LONGEST
    assert all(one.target.tolist() == [1, 0, 0] for one in found)


def test_units_have_the_order_of_their_sentences_and_a_repeated_one_is_read_once() -> None:
    rows = [ROWS[0], ROWS[3], ROWS[1], ROWS[4]]
    data = list(pieces(rows))
    shown = units([*data, *data[::-1]], tokenizer(), 60)
    assert [unit.document for unit in shown[: len(data)]] == [one.row.document for one in data]
    assert list(map(id, shown[len(data) :])) == list(map(id, shown[: len(data)][::-1]))


# --- order ---------------------------------------------------------------------------------------


def corpus(**families: int) -> list[Piece]:
    target = np.array(ENTAILED, dtype=np.float32)
    return [
        Piece(name, Labelled("bump1", "d", "Rain.", f"It rained {i}.", (), ENTAILED),
              Segment(0, 12, f"It rained {i}."), target)
        for name, count in families.items()
        for i in range(count)
    ]  # fmt: skip


def test_families_are_limited_and_repeated() -> None:
    data = corpus(a=20, b=10, c=5)
    shown = sampled(data, Options(most={"a": 7, "c": 50}, repeat={"b": 2, "a": 3}))
    assert Counter(one.family for one in shown) == {"a": 21, "b": 20, "c": 5}
    assert set(Counter(id(one) for one in shown if one.family != "c").values()) == {2, 3}
    assert len({id(one) for one in shown if one.family == "a"}) == 7


def test_one_seed_is_one_order_and_a_trial_is_its_beginning() -> None:
    data = corpus(a=50, nli=30)
    first = list(map(id, sampled(data, Options())))
    assert first == list(map(id, sampled(data, Options())))
    assert first != list(map(id, sampled(data, Options(seed=1))))
    assert first[:9] == list(map(id, sampled(data, Options(units=9))))


# --- labels and targets --------------------------------------------------------------------------


def test_word_has_the_greatest_label_that_touches_it() -> None:
    row = Labelled("f", "d", "s", "5m-high", ((0, 2, 0.25), (2, 3, 0.0), (3, 7, 0.75)), None)
    found = labels_of(np.array([[0, 1], [0, 4], [3, 7], [7, 9]]), row)
    assert found[:3].tolist() == [0.25, 0.75, 0.75] and math.isnan(found[3])


def test_one_sentence_has_the_target_of_its_summary() -> None:
    for target in (ENTAILED, CONTRADICTED, (0.25, 0.5, 0.25)):
        assert targets_of(labelled("Lee voted.", None, target))[0].tolist() == list(target)


def test_every_sentence_of_an_entailed_summary_is_entailed() -> None:
    targets = targets_of(labelled("Lee voted. Nobody came.", None, ENTAILED))
    assert [target[:2].tolist() for target in targets] == [[1, 0], [1, 0]]


def test_of_several_sentences_each_is_as_unsupported_as_its_worst_word() -> None:
    text = "Lee voted. Nobody came. It rained."
    row = labelled(text, None, UNSUPPORTED)
    shares = {"Nobody": 0.5, "rained": 1.0}
    labels = tuple((a, b, shares.get(text[a:b], 0.0)) for a, b, _ in labelled(text).labels)
    first, second, third = targets_of(replace(row, labels=labels))
    assert [one[1] for one in (first, second, third)] == [0, 0.5, 1]
    assert [one[0] for one in (first, second, third)] == [1, 0.5, 0]
    assert all(math.isnan(one[2]) for one in (first, second, third))


def test_of_several_sentences_with_some_labels_nothing_is_known() -> None:
    row = labelled("Lee voted. Nobody came.", ["came"], UNSUPPORTED)
    for labels in ((), row.labels[:-2]):
        targets = targets_of(replace(row, labels=labels))
        assert len(targets) == 2 and np.isnan(np.concatenate(targets)).all()


def test_targets_are_one_for_each_sentence() -> None:
    for text in ("", "...", "Lee voted", "A. B c. D!"):
        for target in (None, ENTAILED, UNSUPPORTED):
            row = labelled(text, None, target)
            assert len(targets_of(row)) == len(closed_sentences(text))


# --- which rows ----------------------------------------------------------------------------------


def test_default_families_are_left_out_and_the_choosing_files_not_read() -> None:
    assert set(HELD_OUT) <= set(FAMILIES.values())
    assert set(CHOOSING) < set(FILES)
    assert Options().leave_out == HELD_OUT


@pytest.mark.parametrize(
    ("families", "files"),
    [
        (("stories",), ["storysumm_dev"]),
        (("dialogue", "meetings"), ["faceval_dev", "diasumfact_dev"]),
        (("nli",), ["nli_pairs"]),
        (("conjnli",), ["nli_pairs"]),
        (("claims",), ["claims_train", "claims_dev"]),
        (("science",), ["covidfact", "climate_fever", "nli_pairs"]),
        ((), []),
    ],
)
def test_files_of_families(families: tuple[str, ...], files: list[str]) -> None:
    assert files_of(families) == files


def test_files_of_every_family_can_be_read() -> None:
    assert set(files_of(tuple(set(FAMILIES.values())))) == set(FILES)
    with pytest.raises(ConfigError, match=r"Unknown family 'meeting'.*meetings"):
        files_of(["meeting"])


def test_documents_that_share_text_with_a_left_out_family_are_not_trained_on() -> None:
    copied = f"An opening line that is new. {ARTICLES[0]}"
    rows = [
        labelled("Lee voted.", [], ENTAILED, "storysumm_dev"),
        labelled("Lee came.", [], ENTAILED, "bump1", copied),
        labelled("Lee left.", [], ENTAILED, "bump1", ARTICLES[1]),
        labelled("Lee won.", [], ENTAILED, "begin"),
    ]
    assert without(rows, ()) == rows
    assert without(rows, ["stories"]) == [rows[2]]
    assert without(rows, ["bump"]) == []
    assert without(rows, ["meetings"]) == rows  # none of it is there


def rows_of(folder: Path, *files: str, **options: Any) -> list[Labelled]:
    chosen = Options(**{"made": 0, "leave_out": (), **options})
    return training_rows(folder, chosen, quiet, files)


def test_chosen_files_are_read_without_left_out_families(tmp_path: Path) -> None:
    folder = data_folder(tmp_path)
    files = ("bump1", "diasumfact_dev", "claims_train")
    assert {row.file for row in rows_of(folder, *files)} == {
        "bump1", "diasumfact_dev[part=SAMSum]", "diasumfact_dev[part=QMSum]", "claims[split=train]",
    }  # fmt: skip
    kept = rows_of(folder, *files, leave_out=("dialogue",))
    assert {row.file for row in kept} == {"bump1", "claims[split=train]"}


def test_documents_of_left_out_families_stay_out_of_chosen_files(tmp_path: Path) -> None:
    folder = data_folder(tmp_path)
    put(folder / "bench" / "begin.jsonl", [
        {"source": source, "summary": "Mara found a kite.", "label": 1}
        for source in (f"{STORY} The end of the story.", ARTICLES[1])
    ])  # fmt: skip
    assert len(rows_of(folder, "begin")) == 2
    (kept,) = rows_of(folder, "begin", leave_out=("stories",))
    assert kept.source == ARTICLES[1]


def test_file_of_a_left_out_family_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="faithbench_dev"):
        rows_of(data_folder(tmp_path), "bump1", leave_out=("chat_models",))


def test_rows_are_made_from_documents_of_the_families_that_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents: list[list[str]] = []

    def made(texts: list[str], *, seed: int, per_document: int) -> list[Labelled]:
        documents.append(texts)
        assert (seed, per_document) == (3, 2)
        return [labelled("Made.", [], ENTAILED, MADE)]

    monkeypatch.setattr(support_rows, "made_rows", made)
    monkeypatch.setattr(support_rows, "paraphrased_documents", lambda texts, seed: [])
    folder = data_folder(tmp_path)
    rows = rows_of(folder, "bump1", "wice_tokens_dev", "storysumm_dev", made=2, seed=3,
                   leave_out=("stories",))  # fmt: skip
    assert sorted(documents[0]) == sorted(ARTICLES[:2])
    assert rows[-1].file == MADE and len(rows) == 9
    rows_of(folder, "bump1", "wice_tokens_dev", made=2, seed=3, documents=0)
    assert documents[1] == []


def test_errors_are_planted_in_supported_claims_but_for_short_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Labelled] = []

    def edited(rows: list[Labelled], seed: int, most: int) -> list[Labelled]:
        given.extend(rows)
        assert (seed, most) == (3, 5)
        return [labelled("Edited.", [], UNSUPPORTED, EDITED)]

    read = [labelled("A claim.", [], ENTAILED, file) for file in ("nli_snli", "bump1")]
    monkeypatch.setattr(support_rows, "labelled", lambda names, data: read)
    monkeypatch.setattr(support_rows, "edited_claims", edited)
    rows = rows_of(tmp_path, "bump1", "nli_pairs", edited=5, seed=3)
    assert [row.file for row in rows] == ["nli_snli", "bump1", EDITED]
    assert [row.file for row in given] == ["bump1"]


def test_of_a_family_of_which_there_are_to_be_none_nothing_is_made(tmp_path: Path) -> None:
    folder = data_folder(tmp_path)
    files = ("bump1", "wice_tokens_dev")
    rows = rows_of(folder, *files, made=1, edited=3, most={"bump": 0, RELATIONS: 0})
    wanted = rows_of(folder, "wice_tokens_dev", made=1, edited=3, most={RELATIONS: 0})
    assert rows == wanted != rows_of(folder, *files, made=1, edited=3, most={RELATIONS: 0})


@pytest.mark.slow
def test_made_rows_have_labels_and_those_that_claim_nothing_have_none() -> None:
    rows = made_rows(ARTICLES, seed=0, per_document=12)
    assert {row.file for row in rows} <= {MADE, NON_CLAIMS} and len(rows) > 12
    assert rows == made_rows(ARTICLES, seed=0, per_document=12)
    targets = {row.target for row in rows if row.file == MADE}
    assert targets == {ENTAILED, UNSUPPORTED}
    for row in rows:
        assert row.document == document_id(row.source) and row.source in ARTICLES
        if row.file == NON_CLAIMS:
            assert row.labels == () and row.target is None
        elif row.target == ENTAILED:
            assert not any(share for *_, share in row.labels)
        else:
            assert any(share for *_, share in row.labels)


def test_non_claims_are_units_of_which_nothing_else_is_known() -> None:
    row = Labelled(NON_CLAIMS, "d", ARTICLES[0], "This text is about a topic.", (), None)
    (unit,) = read(row)
    assert unit.non_claim and unit.family == NON_CLAIMS
    assert np.isnan(unit.labels).all() and np.isnan(unit.target).all()
    (made,) = read(labelled("Lee voted.", [], ENTAILED, MADE))
    assert not made.non_claim and made.family == MADE

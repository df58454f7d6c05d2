"""Training of the support network: the loss by hand, the order of batches, resuming, and the whole
way from a data folder to a model that judges, on a tiny encoder."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.helpers.tiny_support import save_encoder, save_support, settings_of
from tests.helpers.tiny_training import ARTICLES, ROWS, data_folder
from typer.testing import CliRunner

from faithkit import models
from faithkit.cli import app
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError, DataError, ModelError
from faithkit.support import low_rank
from faithkit.support.encoders import rank_of
from faithkit.support.files import FROZEN, WEIGHTS, read_settings
from faithkit.support.inputs import batch_of, encode
from faithkit.support.network import (
    SupportNetwork,
    from_encoder,
    logits,
    read_network,
    write,
)
from faithkit.train import loop, support_calibration
from faithkit.train import support as training
from faithkit.train.support import (
    ModelFolders,
    fit,
    loss_of,
    recalibrate,
    train,
)
from faithkit.train.support_calibration import UNREACHABLE
from faithkit.train.support_rows import Options, Unit, pieces, units


def quiet(_: str) -> None:
    return


# --- fitting -------------------------------------------------------------------------------------

QUICK = Options(batch=4, made=0, rate=1e-3, budget=(20, 40), leave_out=(), threads=1)


@pytest.fixture(scope="module")
def data() -> list[Unit]:
    from tests.helpers.tiny_support import tokenizer

    return units(list(pieces(ROWS)), tokenizer(), 60)


def weights_of(network: SupportNetwork) -> dict[str, torch.Tensor]:
    return network.state_dict()


def same(first: SupportNetwork, second: SupportNetwork) -> bool:
    return all(torch.equal(a, b) for a, b in zip(
        weights_of(first).values(), weights_of(second).values(), strict=True))  # fmt: skip


def network_of(*given: Any, **options: Any) -> SupportNetwork:
    return fit(*given, **options)[0]


def test_network_learns_a_few_sentences_by_heart(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "REPORTED_STEPS", 10)
    options = replace(QUICK, rate=QUICK.rate / 4)
    said: list[str] = []
    network, trained = fit(
        data * 90, ModelFolders(tiny_encoder), options, tmp_path / "m", said.append
    )
    losses = [float(line.split("loss ")[1]) for line in said]
    assert len(losses) == trained.steps // 10 >= 2 and sum(losses[-5:]) < 0.75 * sum(losses[:5])
    assert not network.training and not list(tmp_path.iterdir())
    start = from_encoder(tiny_encoder).state_dict()
    changed = {name for name, value in weights_of(network).items()
               if not torch.equal(value, start[name])}  # fmt: skip
    assert FROZEN not in changed and {"codes.weight", "layers.0.inner.weight"} <= changed


def test_one_seed_gives_one_network_and_leaves_the_global_generator_alone(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path
) -> None:
    state = torch.random.get_rng_state()
    first = network_of(data, ModelFolders(tiny_encoder), QUICK, tmp_path / "m", quiet)
    assert torch.equal(torch.random.get_rng_state(), state)
    torch.manual_seed(7)
    again = network_of(data, ModelFolders(tiny_encoder), QUICK, tmp_path / "m", quiet)
    assert same(first, again)
    other = network_of(
        data, ModelFolders(tiny_encoder), replace(QUICK, seed=1), tmp_path / "m", quiet
    )
    assert not same(first, other)


def test_training_goes_on_from_the_weights_of_another_model(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path
) -> None:
    start = save_support(tmp_path / "start", tiny_encoder, seed=4)
    options = replace(QUICK, rate=1e-12)
    on = network_of(data, ModelFolders(tiny_encoder, start=start), options, tmp_path / "m", quiet)
    first = read_network(start, tiny_encoder)
    for name, value in weights_of(first).items():
        assert torch.allclose(value, weights_of(on)[name], atol=1e-6), name


def test_low_rank_training_goes_on_from_its_own_file(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path
) -> None:
    options = replace(QUICK, rank=2)
    first, _ = fit(data, ModelFolders(tiny_encoder), options, tmp_path / "m", quiet)
    assert rank_of({n: v.shape for n, v in first.named_parameters()}) == 2
    assert any(value.any() for name, value in weights_of(first).items() if name.endswith(".up"))
    write(tmp_path / "first", settings_of(tiny_encoder), first)
    still = replace(options, rate=1e-12)
    on = network_of(
        data, ModelFolders(tiny_encoder, start=tmp_path / "first"), still, tmp_path / "m", quiet
    )
    for name, value in weights_of(first).items():
        assert torch.allclose(value, weights_of(on)[name], atol=1e-3), name
    with pytest.raises(ConfigError, match="changes of rank 2; go on with this rank, not 3"):
        other = replace(QUICK, rank=3)
        fit(
            data, ModelFolders(tiny_encoder, start=tmp_path / "first"), other, tmp_path / "m", quiet
        )


def test_low_rank_changes_become_a_part_of_layers_that_are_learned(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path
) -> None:
    first = network_of(
        data, ModelFolders(tiny_encoder), replace(QUICK, rank=2), tmp_path / "m", quiet
    )
    write(tmp_path / "first", settings_of(tiny_encoder), first)
    whole = weights_of(read_network(tmp_path / "first", tiny_encoder))
    still = replace(QUICK, rate=1e-12)
    on = network_of(
        data, ModelFolders(tiny_encoder, start=tmp_path / "first"), still, tmp_path / "m", quiet
    )
    learned = weights_of(on)
    assert learned.keys() == whole.keys()
    for name, value in whole.items():
        assert torch.allclose(value, learned[name], atol=1e-5), name


def test_dropout_and_a_second_epoch_change_what_is_learned(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path
) -> None:
    once = network_of(data, ModelFolders(tiny_encoder), QUICK, tmp_path / "m", quiet)
    options = replace(QUICK, dropout=0.5)
    dropped = network_of(data, ModelFolders(tiny_encoder), options, tmp_path / "m", quiet)
    assert not same(once, dropped)
    assert same(
        dropped, network_of(data, ModelFolders(tiny_encoder), options, tmp_path / "m", quiet)
    )
    batch = batch_of([encode(data[0].reading)])
    assert np.array_equal(logits(dropped, batch)[0], logits(dropped, batch)[0])
    _, trained = fit(
        data, ModelFolders(tiny_encoder), replace(QUICK, epochs=2), tmp_path / "m", quiet
    )
    assert (
        trained.steps
        == 2 * fit(data, ModelFolders(tiny_encoder), QUICK, tmp_path / "m", quiet)[1].steps
    )


def test_changes_learned_beside_whole_layers_become_a_part_of_them(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path
) -> None:
    start = save_support(tmp_path / "start", tiny_encoder, seed=4)
    first = weights_of(read_network(start, tiny_encoder))
    on = network_of(
        data, ModelFolders(tiny_encoder, start=start), replace(QUICK, rank=2), tmp_path / "m", quiet
    )
    write(tmp_path / "on", settings_of(tiny_encoder), on)
    learned = weights_of(read_network(tmp_path / "on", tiny_encoder))
    assert learned.keys() == first.keys()
    change = learned["layers.0.inner.weight"] - first["layers.0.inner.weight"]
    assert 0 < torch.linalg.matrix_rank(change, atol=1e-3) <= 2
    assert torch.equal(learned[FROZEN], first[FROZEN])


def test_frozen_layers_and_what_is_before_them_stay_and_are_written(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path
) -> None:
    start = from_encoder(tiny_encoder).state_dict()
    options = replace(QUICK, frozen=1)
    network = network_of(data, ModelFolders(tiny_encoder), options, tmp_path / "m", quiet)
    changed = {name for name, value in weights_of(network).items()
               if name in start and not torch.equal(value, start[name])}  # fmt: skip
    assert {"layers.1.inner.weight", "word.0.weight"} <= changed
    assert not [name for name in changed if name.startswith(("layers.0.", "codes.", "norm."))]
    write(tmp_path / "m", settings_of(tiny_encoder), network)
    again = weights_of(read_network(tmp_path / "m", tiny_encoder))
    assert all(torch.allclose(again[n], v, atol=1e-2) for n, v in weights_of(network).items())
    with pytest.raises(ConfigError, match="9 layers are to be frozen; the encoder has 2"):
        fit(data, ModelFolders(tiny_encoder), replace(QUICK, frozen=9), tmp_path / "m", quiet)


def test_a_teacher_changes_what_is_learned_and_its_judgements_are_kept(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path
) -> None:
    teacher = save_support(tmp_path / "teacher", tiny_encoder, seed=9)
    options, twice = QUICK, data * 2
    said: list[str] = []
    taught, _ = fit(
        twice, ModelFolders(tiny_encoder, teachers=[teacher]), options, tmp_path / "m", said.append
    )
    assert said[0] == f"the teacher judged {len(data)} of {len(data)} sentences"
    assert not same(
        taught, network_of(twice, ModelFolders(tiny_encoder), options, tmp_path / "m", quiet)
    )
    said.clear()
    again, _ = fit(
        twice, ModelFolders(tiny_encoder, teachers=[teacher]), options, tmp_path / "m", said.append
    )
    assert same(taught, again) and not [line for line in said if "teacher" in line]
    other = save_support(tmp_path / "other", tiny_encoder, seed=10)
    both = [teacher, other]
    of_both, _ = fit(
        twice, ModelFolders(tiny_encoder, teachers=both), options, tmp_path / "m", said.append
    )
    assert len([line for line in said if "teacher" in line]) == 1  # the first had judged before
    assert not same(taught, of_both)


class Killed(BaseException):
    pass


def killed_at(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends the training in the step, after a checkpoint of each second one."""
    calls: list[int] = []

    def loss_until(*given: Any) -> torch.Tensor:
        calls.append(1)
        if len(calls) > step:
            raise Killed
        return loss_of(*given)

    beside = loop.Checkpoint.beside
    monkeypatch.setattr(loop.Checkpoint, "beside", lambda *given: replace(beside(*given), every=2))
    monkeypatch.setattr(training, "loss_of", loss_until)


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_killed_and_started_again_it_gives_the_same_weights(
    data: list[Unit],
    tiny_encoder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: int,
) -> None:
    options = replace(QUICK, batch=2)
    whole = network_of(data, ModelFolders(tiny_encoder), options, tmp_path / "whole", quiet)
    folder = tmp_path / "killed"
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_at(step, patch)
        fit(data, ModelFolders(tiny_encoder), options, folder, quiet)
    checkpoint = tmp_path / "killed.checkpoint.safetensors"
    assert checkpoint.exists() == (step >= 2)
    assert same(whole, network_of(data, ModelFolders(tiny_encoder), options, folder, quiet))
    assert not checkpoint.exists()


def test_checkpoint_of_other_options_data_or_encoder_is_not_resumed(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, folder = replace(QUICK, batch=2), tmp_path / "m"
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_at(2, patch)
        fit(data, ModelFolders(tiny_encoder), options, folder, quiet)
    other = save_encoder(tmp_path / "other", seed=5)
    for rows, encoder, changed in (
        (data, tiny_encoder, replace(options, seed=3)),
        (data[1:], tiny_encoder, options),
        (data, other, options),
    ):
        with pytest.raises(ConfigError, match="other data, model or options"):
            fit(rows, ModelFolders(encoder), changed, folder, quiet)


def test_without_a_sentence_nothing_is_learned(tiny_encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No labelled sentence"):
        fit([], ModelFolders(tiny_encoder), QUICK, tmp_path, quiet)


def test_encoder_that_is_no_bert_is_refused(data: list[Unit], tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "encoder")
    (folder / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(ModelError, match="BERT"):
        fit(data, ModelFolders(folder), QUICK, tmp_path, quiet)


# --- the whole way -------------------------------------------------------------------------------

FAMILIES = ("stories", "dialogue")


@pytest.fixture(autouse=True)
def few_non_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support_calibration, "MADE_NON_CLAIMS", 20)


def test_from_a_data_folder_to_a_model_that_judges(tiny_encoder: Path, tmp_path: Path) -> None:
    folder = data_folder(tmp_path / "data")
    options = replace(QUICK, leave_out=FAMILIES)
    files = ("bump1", "wice_tokens_dev", "storysumm_dev")
    out = tmp_path / "model"
    card = train(out, folder, options, quiet, files=files, encoder=str(tiny_encoder))
    assert [path.name for path in out.iterdir()] == [WEIGHTS]
    settings = read_settings(out)
    assert settings.card == card and settings.encoder == str(tiny_encoder)
    rows: Any = card["rows"]
    assert rows == {"bump1": 4, "wice_tokens_dev": 4}
    assert card["calibrated_on"] == ["claims", "dialogue", "stories"]
    assert set(card["left_out"]) == {"claims", "dialogue", "stories"}  # type: ignore[arg-type]
    assert card["options"]["seed"] == 0  # type: ignore[index,call-overload]
    lower, upper = settings.decision
    assert 0 <= lower <= upper <= UNREACHABLE and 0 < settings.marked < 1
    model = models.load(f"support:{out}", Runtime("cpu", offline=True))
    assert model.trained_on == set(rows)
    (verdict,) = model.judge([(ARTICLES[0], "The council voted. Paris won the cup.")])
    assert len(verdict.sentences) == 2


def test_what_teachers_were_trained_on_counts_as_trained_on(
    tiny_encoder: Path, tmp_path: Path
) -> None:
    folder, options = data_folder(tmp_path / "data"), replace(QUICK, leave_out=FAMILIES)
    teachers = [
        save_support(tmp_path / name, tiny_encoder, seed=seed, card={"rows": {name: 3}})
        for seed, name in enumerate(("begin", "lss_dev", "storysumm_dev"))
    ]
    learn = partial(
        train, data=folder, options=options, progress=quiet, files=["bump1"],
        encoder=str(tiny_encoder),
    )  # fmt: skip
    named: Any = learn(tmp_path / "model", teachers=teachers[:2])["teachers"]
    assert len(named) == 2
    model = models.load(f"support:{tmp_path / 'model'}", Runtime("cpu", offline=True))
    assert model.trained_on == {"bump1", "begin", "lss_dev"}
    with pytest.raises(ConfigError, match="trained on storysumm_dev"):
        learn(tmp_path / "other", teachers=teachers[1:])


def test_calibrating_anew_changes_no_weight(tiny_encoder: Path, tmp_path: Path) -> None:
    folder, out = data_folder(tmp_path / "data"), tmp_path / "model"
    options = replace(QUICK, leave_out=FAMILIES)
    train(out, folder, options, quiet, files=["bump1"], encoder=str(tiny_encoder))
    before = (out / WEIGHTS).read_bytes()
    card = recalibrate(out, folder, options, quiet)
    assert (out / WEIGHTS).read_bytes() == before
    fewer = recalibrate(out, folder, replace(options, leave_out=("stories",)), quiet)
    assert card["rows"] == fewer["rows"]
    assert fewer["calibrated_on"] == ["claims", "stories"]
    with pytest.raises(ConfigError, match="trained on bump1"):
        recalibrate(out, folder, replace(options, leave_out=("bump",)), quiet)


def test_unknown_files_and_families_are_refused_before_training(
    tiny_encoder: Path, tmp_path: Path
) -> None:
    folder = data_folder(tmp_path / "data")
    options = replace(QUICK, leave_out=("stores",))
    with pytest.raises(ConfigError, match=r"Unknown family 'stores'.*stories"):
        train(tmp_path / "m", folder, options, quiet, encoder=str(tiny_encoder))
    options = replace(QUICK, leave_out=FAMILIES)
    with pytest.raises(ConfigError, match=r"'bump'.*bump1"):
        train(tmp_path / "m", folder, options, quiet, files=["bump"], encoder=str(tiny_encoder))
    with pytest.raises(DataError, match="qags_xsum"):
        train(tmp_path / "m", folder, options, quiet, files=["qags_xsum"])
    (folder / "claims" / "claims.jsonl").unlink()
    with pytest.raises(DataError, match="claims"):
        train(tmp_path / "m", folder, options, quiet, files=["bump1"], encoder=str(tiny_encoder))
    assert not (tmp_path / "m").exists()


def test_start_of_another_rank_or_encoder_is_refused_before_data_is_read(
    tiny_encoder: Path, tmp_path: Path
) -> None:
    save_support(tmp_path / "start", tiny_encoder)
    low_rank.add(network := from_encoder(tiny_encoder), 3)
    write(tmp_path / "changes", settings_of(tiny_encoder), network)
    with pytest.raises(ConfigError, match="changes of rank 3; go on with this rank, not 2"):
        train(tmp_path / "m", tmp_path, replace(QUICK, rank=2), quiet,
              encoder=str(tiny_encoder), start=tmp_path / "changes")  # fmt: skip
    with pytest.raises(ConfigError, match=r"trained on the encoder tiny@.*mini@\w+ is named"):
        train(tmp_path / "m", tmp_path, QUICK, quiet, start=tmp_path / "start")


def test_folders_given_as_relative_paths_are_found_from_anywhere(
    tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = data_folder(tmp_path / "data")
    save_support(tmp_path / "start", tiny_encoder, card={"rows": {"bump1": 4}})
    options = replace(QUICK, leave_out=FAMILIES)
    monkeypatch.chdir(tmp_path)
    encoder = os.path.relpath(tiny_encoder, tmp_path)
    card = train(Path("m"), folder, options, quiet, files=["bump1"], encoder=encoder,
                 start=Path("start/../start"))  # fmt: skip
    assert card["start"]["id"].startswith("start@")  # type: ignore[index,call-overload]
    monkeypatch.chdir(folder)
    model = models.load(f"support:{tmp_path / 'm'}", Runtime("cpu", offline=True))
    assert model.settings.encoder == str(tiny_encoder.resolve())
    assert len(model.judge([(ARTICLES[0], "The council voted.")])[0].sentences) == 1


def test_the_command_trains_and_calibrates(tiny_encoder: Path, tmp_path: Path) -> None:
    folder, out = data_folder(tmp_path / "data"), tmp_path / "model"
    command = [
        "train", "support", "-o", str(out), "--encoder", str(tiny_encoder), "--file", "bump1",
        "--file", "wice_tokens_dev", "--leave-out", "stories", "--leave-out", "dialogue",
        "--made", "0", "--repeat", "bump=2", "--units", "8", "--data-dir", str(folder),
        "--evidence", "60", "--device", "cpu", "--offline",
    ]  # fmt: skip
    result = CliRunner().invoke(app, [*command, "--json"])
    assert result.exit_code == 0, result.output
    card = json.loads(result.stdout)
    assert card["rows"] == {"bump1": 4, "wice_tokens_dev": 4}
    assert card["options"]["units"] == 8 and card["sentences"] == 8 and card["steps"] == 1
    assert card["options"]["repeat"] == {"claims": 3, "bump": 2}
    assert card["options"]["budget"] == [40, 60]
    again = CliRunner().invoke(app, [*command, "--only-calibrate"])
    assert again.exit_code == 0 and "learned from 8 sentences; steps: 1\n" in again.stdout
    assert "claims: 2 rows, AUC x 100 " in again.stdout
    assert f"-m support:model={out}\n" in again.stdout
    unknown = CliRunner().invoke(app, [*command, "--leave-out", "stores"])
    assert unknown.exit_code == 2 and "stories" in unknown.output
    for option in ("--most", "--repeat"):
        odd = CliRunner().invoke(app, [*command, option, "bump=two"])
        assert odd.exit_code == 2 and f"{option}: expected FAMILY=N, found 'bump=two'" in odd.output


def test_the_command_needs_a_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FAITHKIT_DATA", raising=False)
    result = CliRunner().invoke(app, ["train", "support", "-o", str(tmp_path / "m")])
    assert result.exit_code == 2 and "--data-dir" in result.output

"""A model's id: it changes with every file of the folder that changes a number, for every role."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tests.helpers import tiny_models
from tests.helpers.fake_artefacts import weights_bytes
from tests.helpers.scoring import score

from faithkit import Example, models
from faithkit.models import pulling, store
from faithkit.models.identity import model_id, safetensors_files
from faithkit.models.runtime import Runtime
from faithkit.records import ModelError, Score

SOURCE = "the mayor of paris said on monday that two new schools open in june"
PAIR = [Example("1", SOURCE, "two new schools open in lyon")]


def save_generator(folder: Path) -> Path:
    tiny_models.t5().save_pretrained(folder)
    tiny_models.tokenizer(frame=True).save_pretrained(folder)
    return folder


def save_seq2seq(folder: Path) -> Path:
    tiny_models.bart().save_pretrained(folder)
    tiny_models.tokenizer(frame=True).save_pretrained(folder)
    return folder


def save_reader(folder: Path) -> Path:
    tiny_models.reader("bert").save_pretrained(folder)
    tiny_models.pair_tokenizer(types=True).save_pretrained(folder)
    return folder


def save_labeller(folder: Path) -> Path:
    tiny_models.token_classifier("modernbert", "O", "B-ARG0", "I-ARG0").save_pretrained(folder)
    tiny_models.pair_tokenizer().save_pretrained(folder)
    return folder


SAVERS: dict[str, Callable[[Path], Path]] = {
    "lm": tiny_models.save_llama,
    "seq2seq": save_seq2seq,
    "generate": save_generator,
    "qg": save_generator,
    "qa": save_reader,
    "chat": tiny_models.save_chat,
    "nli": tiny_models.save_classifier,
    "embed": tiny_models.save_classifier,
    "tokens": tiny_models.save_classifier,
    "check": tiny_models.save_classifier,
    "spans": lambda folder: tiny_models.save_checkpoint(folder, "lettucedetect"),
    "srl": save_labeller,
}
"""A tiny model of each role that is read from a folder of weights, config and tokenizer."""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path], Path]:
    """Copies the folder of a role's tiny model, which is made once."""
    place = tmp_path_factory.mktemp("saved")

    def copied(role: str, folder: Path) -> Path:
        if not (place / role).exists():
            SAVERS[role](place / role)
        return Path(shutil.copytree(place / role, folder))

    return copied


@pytest.fixture(autouse=True)
def _no_model_is_kept() -> None:
    models.forget()


def edit(path: Path, change: Callable[[Any], Any]) -> None:
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


def loaded_id(role: str, folder: Path) -> str:
    return str(models.load(f"{role}:{folder}", Runtime("cpu")).id)


def test_every_role_with_a_loader_is_covered_here() -> None:
    assert set(SAVERS) == set(models.LOADERS) - {"support"}


@pytest.mark.slow
@pytest.mark.parametrize("role", SAVERS)
@pytest.mark.parametrize(
    "name",
    ["config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json",
     "special_tokens_map.json", "added_tokens.json", "vocab.txt", "merges.txt", "spiece.model",
     "chat_template.jinja", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"],
)  # fmt: skip
def test_each_file_that_a_loader_may_read_changes_the_id(
    role: str, name: str, saved: Callable[[str, Path], Path], tmp_path: Path
) -> None:
    folder = saved(role, tmp_path / "tiny")
    before = model_id(folder)
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    # A blank more leaves JSON what it is, so that each role still loads.
    path.write_text((path.read_text() if path.exists() else "{}") + "\n")
    after = model_id(folder)
    assert before != after
    assert before.startswith("tiny@") and len(after) == len("tiny@") + 12


@pytest.mark.slow
@pytest.mark.parametrize("role", SAVERS)
def test_every_role_has_the_id_of_the_whole_folder(
    role: str, saved: Callable[[str, Path], Path], tmp_path: Path
) -> None:
    folder = saved(role, tmp_path / "tiny")
    assert loaded_id(role, folder) == model_id(folder)
    edit(folder / "config.json", lambda config: config | {"note": "edited"})
    assert loaded_id(role, folder) == model_id(folder)


@pytest.mark.slow
@pytest.mark.parametrize("role", SAVERS)
@pytest.mark.parametrize("left", [(), ("tokenizer_config.json",)])
def test_a_folder_without_a_vocabulary_is_refused_for_every_role(
    role: str, left: tuple[str, ...], saved: Callable[[str, Path], Path], tmp_path: Path
) -> None:
    folder = saved(role, tmp_path / "tiny")
    for path in folder.glob("*token*"):
        if path.name not in left:
            path.unlink()
    with pytest.raises(ModelError, match=r"tiny holds no tokenizer: expected tokenizer\.json"):
        models.load(f"{role}:{folder}", Runtime("cpu"))


def test_an_empty_vocabulary_is_none(tmp_path: Path) -> None:
    folder = tiny_models.save_classifier(tmp_path / "tiny")
    (folder / "tokenizer.json").write_text("")
    with pytest.raises(ModelError, match="holds no tokenizer"):
        model_id(folder)


def test_what_no_loader_reads_leaves_the_id(tmp_path: Path) -> None:
    folder = tiny_models.save_classifier(tmp_path / "tiny")
    before = model_id(folder)
    for name in ("README.md", "card.json", "manifest.json", "trainer_state.json", "run.py"):
        (folder / name).write_text("{}")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "config.json").write_text("{}")
    assert model_id(folder) == before


def test_a_file_under_another_name_is_another_model(tmp_path: Path) -> None:
    folder = tiny_models.save_classifier(tmp_path / "tiny")
    (folder / "a.txt").write_text("one")
    before = model_id(folder)
    (folder / "a.txt").rename(folder / "b.txt")
    assert model_id(folder) != before


def test_the_weights_that_transformers_takes_are_the_ones_that_are_hashed(tmp_path: Path) -> None:
    folder = tiny_models.save_classifier(tmp_path / "tiny")
    shutil.copy(folder / "model.safetensors", folder / "part.safetensors")
    index = {
        "weight_map": dict.fromkeys(load_file(folder / "part.safetensors"), "part.safetensors")
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    before = model_id(folder)
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"] = weights["classifier.bias"] + np.float32(1)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert model_id(folder) != before


def test_a_peft_adapter_whose_base_lies_elsewhere_is_refused(tmp_path: Path) -> None:
    folder = tiny_models.save_llama(tmp_path / "tiny")
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "some/base"}')
    with pytest.raises(ModelError, match=r"adapter_config\.json.*merge_and_unload"):
        models.load(f"lm:{folder}", Runtime("cpu"))


def test_a_half_precision_is_named(tmp_path: Path) -> None:
    folder = tiny_models.save_classifier(tmp_path / "tiny")
    assert model_id(folder, "name") == model_id(folder, "name", "float32")
    assert model_id(folder, "name", "bfloat16") == f"{model_id(folder, 'name')}/bfloat16"


# What a user sees


def scored(metric: str, cache: Path) -> Score:
    (found,) = score(PAIR, [metric], cache=cache, device="cpu")
    assert found.value is not None
    return found


@pytest.mark.slow
@pytest.mark.parametrize("restarted", [True, False])
def test_swapped_labels_change_the_signature_and_the_cached_value(
    restarted: bool, tmp_path: Path
) -> None:
    folder = tiny_models.save_classifier(tmp_path / "flip")
    metric, cache = f"entailment:model={folder}", tmp_path / "s.sqlite"
    before = scored(metric, cache)
    labels = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    edit(folder / "config.json", lambda config: config | {
        "id2label": labels, "label2id": {label: int(key) for key, label in labels.items()},
    })  # fmt: skip
    if restarted:
        models.forget()
    after = scored(metric, cache)
    assert before.signature is not None and after.signature is not None
    assert before.signature.digest != after.signature.digest
    assert before.value != pytest.approx(after.value)


@pytest.mark.slow
def test_another_tokenizer_changes_the_signature_and_the_cached_value(tmp_path: Path) -> None:
    folder = tiny_models.save_classifier(tmp_path / "split")
    metric, cache = f"entailment:model={folder}", tmp_path / "s.sqlite"
    before = scored(metric, cache)

    def without_merges(split: dict[str, Any]) -> dict[str, Any]:
        split["model"]["merges"] = []
        return split

    edit(folder / "tokenizer.json", without_merges)
    after = scored(metric, cache)
    assert before.signature is not None and after.signature is not None
    assert before.signature.digest != after.signature.digest
    assert before.value != pytest.approx(after.value)


# Embedded models


def test_an_embedded_model_has_its_published_id_until_a_file_of_it_is_changed(
    tmp_path: Path,
) -> None:
    path = pulling.ensure(store.get("mini"))
    assert model_id(path, "mini") == "mini@53aa51172d14"
    copy = tmp_path / "mini"
    shutil.copytree(path, copy)
    assert model_id(copy) == "mini@53aa51172d14"
    edit(copy / "tokenizer_config.json", lambda settings: settings | {"do_lower_case": False})
    assert model_id(copy) != "mini@53aa51172d14"


@pytest.mark.parametrize(
    "index", ["{", "[]", "{}", '{"weight_map": 3}', '{"weight_map": {"x": ["a"]}}',
              '{"weight_map": {"x": 3}}'],
)  # fmt: skip
def test_an_index_of_another_shape_is_one_error(tmp_path: Path, index: str) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(index, encoding="utf-8")
    with pytest.raises(ModelError, match="is not an index of safetensors"):
        safetensors_files(tmp_path)


def test_model_id_hashes_the_shards_that_the_index_names(tmp_path: Path) -> None:
    first, second = weights_bytes(tmp_path, 1.0), weights_bytes(tmp_path, 2.0)
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "b.safetensors").write_bytes(second)
    (folder / "a.safetensors").write_bytes(first)
    (folder / "unused.safetensors").write_bytes(first)
    index = {"weight_map": {"y": "b.safetensors", "x": "a.safetensors", "z": "b.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "tokenizer.json").write_text("{}")
    before = model_id(folder)
    (folder / "unused.safetensors").write_bytes(second)
    assert model_id(folder) == before
    (folder / "a.safetensors").write_bytes(second)
    assert model_id(folder) != before
    (folder / "b.safetensors").unlink()
    with pytest.raises(ModelError, match=r"lacks b\.safetensors"):
        model_id(folder)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt"])
def test_pickle_weights_are_refused_with_the_way_to_convert_them(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"pickle")
    with pytest.raises(
        ModelError, match=f"only pickle weights \\({name}\\).*faithkit models convert"
    ):
        model_id(tmp_path)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no model"):
        model_id(tmp_path)


# load

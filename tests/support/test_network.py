"""The support network: transformers' BERT with codes added, and its heads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.helpers.tiny_support import CONFIG, network, read, save_encoder, save_mpnet

from faithkit import models
from faithkit.models.shape import Shape
from faithkit.records import ModelError
from faithkit.support.encoders import FARTHEST, read_tokenizer, renamed
from faithkit.support.evidence import Source
from faithkit.support.files import FROZEN
from faithkit.support.inputs import CLS, SEP, Input, attach_evidence, batch_of, encode
from faithkit.support.network import from_encoder, logits, tensors

SOURCE = ("The council met on Tuesday.", "Mayor Anna Reyes opened the new library in Lyon.")


CLAIMS = ("Anna opened it.", "On Tuesday the motorcyclists met, said 5 of 7 members.", "No.")


def inputs(*claims: str) -> list[Input]:
    source = Source(read(*SOURCE))
    return [encode(attach_evidence(claim, source)) for claim in read(*claims)]


def states_of(folder: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """Token states of the encoder in a folder by transformers and by the support network, whose
    codes are zeros, of the real tokens."""
    from transformers import BertModel

    encoder = BertModel.from_pretrained(
        folder, add_pooling_layer=False, attn_implementation="eager"
    ).eval()
    made = from_encoder(folder).eval()
    ids, codes, segments, mask, pool = tensors(batch_of(inputs(*CLAIMS)))
    caught: list[torch.Tensor] = []
    made.layers[-1].register_forward_hook(lambda *given: caught.append(given[2]))
    with torch.inference_mode():
        theirs = encoder(input_ids=ids, token_type_ids=segments, attention_mask=mask)
        made(ids, codes, segments, mask, pool)
    real = mask.bool()
    return theirs.last_hidden_state[real], caught[0][real]


def test_without_codes_it_is_transformers_bert(tiny_encoder: Path) -> None:
    theirs, ours = states_of(tiny_encoder)
    assert float(theirs.std()) > 0.1
    assert ours.numpy() == pytest.approx(theirs.numpy(), abs=1e-5)


def test_embedded_encoder_is_transformers_bert() -> None:
    theirs, ours = states_of(models.resolve("tokens", "mini", offline=True)[0])
    assert ours.numpy() == pytest.approx(theirs.numpy(), abs=1e-5)


@pytest.fixture
def mpnet(tmp_path: Path) -> Path:
    return save_mpnet(tmp_path)


def test_on_mpnet_without_codes_it_is_transformers_mpnet(mpnet: Path) -> None:
    from transformers import MPNetModel

    theirs = MPNetModel.from_pretrained(
        mpnet, add_pooling_layer=False, attn_implementation="eager"
    ).eval()
    ours = from_encoder(mpnet).eval()
    long = Source(
        read(
            *SOURCE,
            *(f"Anna met the {place}th member{' and her friend' * 8}." for place in range(12)),
        )
    )
    batch = batch_of([encode(attach_evidence(claim, long, 400)) for claim in read(*CLAIMS)])
    assert batch.ids.shape[1] > 2 * FARTHEST  # beyond the farthest distance that is told apart
    caught: list[torch.Tensor] = []
    ours.layers[-1].register_forward_hook(lambda *given: caught.append(given[2]))
    ids = np.where(batch.mask == 1, batch.ids + 4, 1)
    ids[batch.ids == CLS], ids[batch.ids == SEP] = 0, 2
    with torch.inference_mode():
        mask = torch.from_numpy(batch.mask)
        states = theirs(input_ids=torch.from_numpy(ids), attention_mask=mask).last_hidden_state
        ours(*tensors(batch))
    assert float(states.std()) > 0.1
    real = mask.bool()
    assert caught[0][real].numpy() == pytest.approx(states[real].numpy(), abs=1e-4)


def test_mpnets_tokenizer_has_berts_numbers(mpnet: Path) -> None:
    mini, _ = models.resolve("tokens", "mini", offline=True)
    text = "Mayor Anna Reyes opened the new library in Lyon, for £1.9m 😀"
    assert read_tokenizer(mpnet).encode(text) == read_tokenizer(mini).encode(text)


def test_codes_of_a_new_network_are_zeros_and_word_embeddings_are_frozen(
    tiny_encoder: Path,
) -> None:
    made = from_encoder(tiny_encoder)
    assert not made.codes.weight.any()
    frozen = [name for name, value in made.named_parameters() if not value.requires_grad]
    assert frozen == [FROZEN]


def test_codes_and_segments_show(tiny_encoder: Path) -> None:
    made = network(tiny_encoder)
    batch = batch_of(inputs(CLAIMS[0]))
    words, sentence, non_claim = logits(made, batch)
    batch.codes[0, 1] += 1
    for before, after in zip((words, sentence, non_claim), logits(made, batch), strict=True):
        assert np.abs(before - after).max() > 1e-3


def test_padding_does_not_show(tiny_encoder: Path) -> None:
    made = network(tiny_encoder)
    words, sentence, non_claim = logits(made, batch_of(inputs(*CLAIMS)))
    assert words.shape == (3, 10) and sentence.shape == (3, 3) and non_claim.shape == (3,)
    for row, one in enumerate(inputs(*CLAIMS)):
        alone = logits(made, batch_of([one]))
        assert alone[0][0] == pytest.approx(words[row, : one.words], abs=1e-5)
        assert alone[1][0] == pytest.approx(sentence[row], abs=1e-5)
        assert alone[2][0] == pytest.approx(non_claim[row], abs=1e-5)
    assert np.ptp(words[1]) > 0.1 and np.ptp(sentence) > 0.1


@pytest.mark.parametrize("encoder", ["tiny_encoder", "mpnet"])
def test_in_training_the_network_computes_the_same(
    encoder: str, request: pytest.FixtureRequest
) -> None:
    torch.manual_seed(0)
    made = from_encoder(request.getfixturevalue(encoder))
    given = tensors(batch_of(inputs(*CLAIMS)))
    with torch.inference_mode():
        learning, reading = made.train()(*given), made.eval()(*given)
    for first, second in zip(learning, reading, strict=True):
        assert first.numpy() == pytest.approx(second.numpy(), abs=1e-5)
    assert float(reading[0].std()) > 0.01


def test_other_padding_tokens_do_not_show(tiny_encoder: Path) -> None:
    made = network(tiny_encoder)
    batch = batch_of(inputs(*CLAIMS))
    before = logits(made, batch)
    batch.ids[batch.mask == 0] = 777
    for first, second in zip(before, logits(made, batch), strict=True):
        assert first == pytest.approx(second, abs=1e-6)


def test_names_of_the_encoders_tensors(tiny_encoder: Path) -> None:
    weights = load_file(tiny_encoder / "model.safetensors")
    found = renamed(weights | {"pooler.dense.weight": torch.zeros(2)})
    assert len(found) == len(weights)
    own = from_encoder(tiny_encoder).state_dict()
    assert all(torch.equal(own[name], value) for name, value in found.items())
    heads = ("codes.", "word.", "sentence.", "non_claim.")
    assert {name for name in own if not name.startswith(heads)} == set(found)


def test_shape_is_that_of_the_config(tiny_encoder: Path) -> None:
    assert Shape.of(tiny_encoder) == Shape(32, 2, 4, 48, 30_522, 512)


@pytest.mark.parametrize("changed", [{"model_type": "roberta"}, {"hidden_act": "relu"}])
def test_encoder_that_is_no_bert_is_refused(tmp_path: Path, changed: dict[str, str]) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | changed))
    with pytest.raises(ModelError, match="starts from a BERT encoder"):
        from_encoder(tmp_path)


def test_encoder_that_lacks_a_tensor_is_refused(tmp_path: Path) -> None:
    save_encoder(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match=r"no layers\.1\.outer\.weight"):
        from_encoder(tmp_path)

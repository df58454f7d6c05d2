"""Adapters: tiny models learn a dozen sentences by heart; windows, balance, figures by hand."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.helpers import tiny_models
from typer.testing import CliRunner

from faithkit import ConfigError, DataError, ModelError, Outcome, models
from faithkit.cli import app
from faithkit.language.words import words
from faithkit.models.batching import TokenBudget
from faithkit.models.identity import model_id
from faithkit.models.protocols import Entailed, EntailmentModel
from faithkit.models.runtime import Runtime
from faithkit.support import adapter
from faithkit.support.adapter import AdaptedEntailment, Judged, PairReader, Settings, Window
from faithkit.support.entailment import load_entailment
from faithkit.train import nli, nli_pairs
from faithkit.train.adapters import SCALE, AdapterOptions, Fitted
from faithkit.train.copy_test import Copy, change_number, copies, copy_test, require
from faithkit.train.nli import fit
from faithkit.train.nli_pairs import Pair
from faithkit.train.words import CONTRADICTED, ENTAILED, NEUTRAL, UNSUPPORTED, Labelled

NAN = float("nan")
KINDS = ("bert", "llama")


def pair(
    sentence: str,
    target: tuple[float, float, float],
    marked: str = "",
    *,
    source: str = "the mayor of paris said on monday that two new schools open in june",
    origin: str = "o",
    document: str = "d",
) -> Pair:
    """A pair whose words of `marked` are unsupported; all others hold."""
    own = sentence.split()
    labels = np.array([float(word in marked.split()) for word in own], dtype=np.float32)
    return Pair(origin, document, source, sentence, labels, np.array(target, dtype=np.float32))


PAIRS = [
    pair("two schools open", ENTAILED),
    pair("two schools open in lyon", CONTRADICTED, "lyon"),
    pair("the mayor said that two schools open", ENTAILED),
    pair("critics said that two schools open", CONTRADICTED, "critics"),
    pair("schools open in june", ENTAILED),
    pair("schools open in autumn", CONTRADICTED, "autumn"),
    pair("the plan costly", NEUTRAL, "plan costly"),
    pair("the mayor of paris", ENTAILED),
    pair("the mayor asked for more euros", NEUTRAL, "asked for more euros"),
    pair("300 new schools", CONTRADICTED, "300"),
    pair("a long delay while schools open", NEUTRAL, "a long delay while"),
    pair("new schools on monday", ENTAILED),
]
OVERFIT = AdapterOptions(epochs=60, batch_size=12, learning_rate=2e-2, rank=4, seed=3)
QUICK = AdapterOptions(epochs=1, batch_size=4, learning_rate=1e-2, rank=2)


def base(kind: str, folder: Path, gain: float = 2) -> Path:
    """A tiny base with its tokenizer in a folder, which is returned."""
    if kind == "bert":
        return tiny_models.save_classifier(folder, gain=gain)
    tiny_models.llama().save_pretrained(folder)
    tiny_models.tokenizer().save_pretrained(folder)
    return folder


def reader(folder: Path, kind: str) -> PairReader:
    network, tokenizer = adapter.open_base(folder, "tiny", causal=kind == "llama")
    return PairReader(network, tokenizer, id="tiny")


def learn(own: PairReader, options: AdapterOptions, pairs: Sequence[Pair] = PAIRS) -> Fitted:
    return fit(own, pairs, [one.source for one in pairs], options)


def judged(own: PairReader, pairs: Sequence[Pair] = PAIRS) -> list[Judged]:
    with torch.random.fork_rng():
        return own.judge(own.jobs([(one.source, one.sentence) for one in pairs]))


def described(folder: Path, kind: str) -> Settings:
    return Settings(
        base=f"{'lm' if kind == 'llama' else 'tokens'}:{folder}",
        base_id=model_id(folder),
        labels=adapter.LABELS,
        rank=4,
        scale=SCALE,
        budget=60,
        whole=128,
        card={},
    )


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("bases")
    return {kind: base(kind, place / kind) for kind in KINDS}


# --- the network and its file ------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_tiny_base_learns_a_dozen_sentences_and_their_words_by_heart(
    bases: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    own = reader(bases[kind], kind)
    frozen = {name: value.clone() for name, value in own.network.base.named_parameters()}
    fitted = learn(own, OVERFIT)
    training = fitted.training
    assert training.loss[0] > 0.8 and training.loss[-1] < 0.02
    assert (training.steps, training.examples, fitted.too_long) == (60, 720, 0)
    found = judged(own)
    for one, wanted in zip(found, PAIRS, strict=True):
        assert one.outcome is Outcome.OK
        assert np.argmax(one.probabilities) == wanted.target.argmax()
        assert sum(one.probabilities) == pytest.approx(1)
        assert ((one.unsupported > 0.5) == (wanted.labels > 0.5)).all(), wanted.sentence
    after = dict(own.network.base.named_parameters())
    for name, before in frozen.items():
        moved = after.get(name)
        at, _, last = name.rpartition(".")
        moved = after[f"{at}.base_layer.{last}"] if moved is None else moved
        assert torch.equal(moved, before), f"{name} of the base itself was changed"

    # Written, loaded through the front door, and asked again: the same numbers.
    folder = tmp_path / "adapted"
    adapter.write(folder, described(bases[kind], kind), adapter.learned(own.network))
    assert sorted(path.name for path in folder.iterdir()) == [
        "adapter.json",
        "adapter_model.safetensors",
    ]
    loaded = models.load(f"nli:{folder}", Runtime("cpu", offline=True))
    assert isinstance(loaded, EntailmentModel) and loaded.id.startswith("adapted@")
    asked = [(one.source, one.sentence) for one in PAIRS]
    again = loaded.judge_sentences(asked)
    for one, other in zip(again, found, strict=True):
        assert one.probabilities == pytest.approx(other.probabilities, abs=1e-5)
        assert one.unsupported == pytest.approx(other.unsupported, abs=1e-5)
        assert (one.words == other.words).all()
    whole = loaded.predict(asked)
    assert [one.probabilities for one in whole] == [one.probabilities for one in again]
    half = models.load(f"nli:{folder}", Runtime("cpu", "bfloat16", True))
    assert half.id == f"{loaded.id}/bfloat16"
    for rough, one in zip(half.predict(asked), whole, strict=True):
        assert rough.probabilities == pytest.approx(one.probabilities, abs=0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_judgements_do_not_depend_on_the_batch(
    bases: dict[str, Path], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = reader(bases[kind], kind)
    pairs = [*PAIRS, pair(tiny_models.text(3, 20), ENTAILED, source=tiny_models.text(4, 30))]
    together = judged(own, pairs)
    monkeypatch.setattr(adapter, "BUDGET", TokenBudget(1, 1))
    for one, other in zip(judged(own, pairs[::-1])[::-1], together, strict=True):
        assert one.probabilities == pytest.approx(other.probabilities, abs=1e-6)
        assert one.unsupported == pytest.approx(other.unsupported, abs=1e-6)
    values = np.array([one.probabilities[0] for one in together])
    assert values.std() > 1e-3  # a model that says the same of all would show nothing


def test_the_heads_see_the_words_they_should(bases: dict[str, Path]) -> None:
    """Against the base called directly: a word's logit is over the mean of its tokens' states."""
    own = reader(bases["bert"], "bert")
    source, sentence = PAIRS[0].source, "two, schools open."
    (one,) = own.judge(own.jobs([(source, sentence)]))
    assert one.words.tolist() == [[0, 3], [5, 12], [13, 17]]
    tokenizer = tiny_models.pair_tokenizer(True)
    inputs = tokenizer(source, sentence, return_tensors="pt", return_offsets_mapping=True)
    offsets = inputs.pop("offset_mapping")[0].tolist()
    network = own.network
    with torch.no_grad():
        states = network.base(**inputs).last_hidden_state[0]
        places = [i for i, which in enumerate(inputs.sequence_ids()) if which == 1]
        means = torch.stack(
            [
                states[[i for i in places if offsets[i][0] < end and offsets[i][1] > start]].mean(0)
                for start, end in one.words.tolist()
            ]
        )
        shares = network.words(means).sigmoid()[:, 0]
        seen = torch.cat([states[0], means.mean(0), means.amax(0)])
        classes = network.classes(seen).softmax(-1)
    assert one.unsupported == pytest.approx(shares.numpy(), abs=1e-6)
    assert one.probabilities == pytest.approx(classes.tolist(), abs=1e-6)


def test_a_causal_base_reads_the_window_first_and_answers_at_the_end(
    bases: dict[str, Path],
) -> None:
    own = reader(bases["llama"], "llama")
    (one,) = own.judge(own.jobs([("two schools", "open in june")]))
    tokenizer = tiny_models.tokenizer()
    ids = tokenizer("<s>two schools\n\nopen in june</s>", add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        state = own.network.base(torch.tensor([ids])).last_hidden_state[0, -1]
        classes = own.network.classes(state).softmax(-1)
    assert one.probabilities == pytest.approx(classes.tolist(), abs=1e-6)


def test_other_weights_than_those_it_was_trained_on_are_refused(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    own = reader(bases["bert"], "bert")
    learn(own, QUICK)
    tensors = adapter.learned(own.network)
    settings = described(bases["bert"], "bert")
    moved = base("bert", tmp_path / "moved")  # the same weights at another place
    adapter.write(tmp_path / "a", replace(settings, base=f"tokens:{moved}"), tensors)
    first = load_entailment(tmp_path / "a", "a", device="cpu", dtype=None)
    other = base("bert", tmp_path / "other", gain=3)
    adapter.write(tmp_path / "b", replace(settings, base=f"tokens:{other}"), tensors)
    with pytest.raises(ModelError, match=r"b was trained on bert@\w+, and other@\w+ is here"):
        load_entailment(tmp_path / "b", "b", device="cpu", dtype=None)
    # The same adapter read with other windows is another model.
    adapter.write(tmp_path / "c", replace(settings, budget=20), tensors)
    second = load_entailment(tmp_path / "c", "a", device="cpu", dtype=None)
    assert first.id != second.id


def test_a_broken_adapter_is_an_error_that_says_so(bases: dict[str, Path], tmp_path: Path) -> None:
    own = reader(bases["bert"], "bert")
    learn(own, QUICK)
    tensors = adapter.learned(own.network)
    settings = described(bases["bert"], "bert")

    def load(folder: Path) -> AdaptedEntailment:
        return adapter.load_adapter(folder, folder.name, device="cpu", dtype=None)

    swapped = ("contradiction", "neutral", "entailment")
    adapter.write(tmp_path / "labels", replace(settings, labels=swapped), tensors)
    with pytest.raises(ModelError, match="expected the labels"):
        load(tmp_path / "labels")
    adapter.write(tmp_path / "json", settings, tensors)
    (tmp_path / "json" / "adapter.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="holds no adapter"):
        load(tmp_path / "json")
    short = {name: value for name, value in tensors.items() if not name.startswith("words")}
    adapter.write(tmp_path / "heads", settings, short)
    broken = load(tmp_path / "heads")
    with pytest.raises(ModelError, match="do not fit their base"):
        broken.predict([("two schools", "open")])


# --- an entailment model -----------------------------------------------------------------------


def adapted(folder: Path) -> AdaptedEntailment:
    own = reader(folder, "bert")
    return AdaptedEntailment(lambda: own, Window(), id="tiny@0")


def test_a_hypothesis_is_judged_sentence_by_sentence(bases: dict[str, Path]) -> None:
    model = adapted(bases["bert"])
    source = PAIRS[0].source
    one, other = "two schools open.", "the plan too costly."
    both, first, second, nothing, empty = model.predict(
        [(source, f"{one} {other}"), (source, one), (source, other), (source, "..."), (source, "")]
    )
    middle = (np.array(first.probabilities) + second.probabilities) / 2
    assert both.probabilities == pytest.approx(middle, abs=1e-6)
    assert first.probabilities != pytest.approx(second.probabilities, abs=1e-3)
    assert both.hypothesis_tokens == first.hypothesis_tokens + second.hypothesis_tokens
    assert (nothing.outcome, empty.outcome) == (Outcome.NO_CLAIMS, Outcome.NO_CLAIMS)
    assert both.premise_cut == 0 and both.premise_tokens == nothing.premise_tokens > 0
    assert model.predict([]) == []


def test_what_does_not_fit_or_is_no_number_is_an_outcome(bases: dict[str, Path]) -> None:
    model = adapted(bases["bert"])
    source, long = PAIRS[0].source, tiny_models.text(3, 150)
    found = model.predict([(source, long), (tiny_models.text(1, 100), "two schools")])
    assert found[0].outcome is Outcome.TRUNCATED_SUMMARY
    assert found[0].probabilities == (0, 0, 0)
    assert found[1].outcome is Outcome.OK and found[1].premise_cut > 0
    total = len(tiny_models.pair_tokenizer(True).tokenize(tiny_models.text(1, 100)))
    assert found[1].premise_tokens + found[1].premise_cut == total
    with torch.no_grad():
        model._reader.network.words.bias.fill_(torch.nan)
    (broken,) = model.predict([(source, "two schools")])
    assert broken.outcome is Outcome.MODEL_ERROR


# --- windows -----------------------------------------------------------------------------------


LONG = (
    "The council met at noon. Two schools open in June. Nobody came by boat. "
    "The mayor asked for euros. A storm broke the old bridge."
)


def test_of_a_long_premise_the_evidence_is_read_in_the_order_of_the_source() -> None:
    window = Window(budget=16, whole=8)
    asked = [
        (LONG, "The mayor asked for euros while two schools open."),
        ("Two schools open.", "A storm came."),
        (LONG, "A storm broke the bridge when the council met."),
        (LONG, "The mayor asked for euros while two schools open."),
    ]
    found = window.premises(asked)
    assert found == [
        "Two schools open in June. The mayor asked for euros.",
        "Two schools open.",
        "The council met at noon. A storm broke the old bridge.",
        "Two schools open in June. The mayor asked for euros.",
    ]
    assert window.premises(asked[::-1]) == found[::-1]
    assert Window(budget=7, whole=8).premises(asked[:1]) == ["The mayor asked for euros."]
    assert Window(budget=16, whole=200).premises(asked[:1]) == [LONG]
    blank = "... " * 20
    assert window.premises([(blank, "Two schools open.")]) == [blank]


# --- data --------------------------------------------------------------------------------------


def test_of_a_summary_every_sentence_with_a_known_label_is_a_pair() -> None:
    summary = "Two schools open. Critics in lyon met! ..."
    marks = tuple(
        (word.start, word.end, float(word.text in ("Critics", "lyon"))) for word in words(summary)
    )
    rows = [
        Labelled("f", "d", "source", summary, marks, UNSUPPORTED),
        # Which sentence is not known:
        Labelled("f", "d", "source", summary, (), UNSUPPORTED),
        Labelled("f", "d", "source", summary, marks[:4], UNSUPPORTED),
        Labelled("g", "e", "source", "The plan.", (), (0.25, 0.75, NAN)),
        Labelled("g", "e", "source", "The plan.", (), None),
        Labelled("n", "e", "source", "The plan", (), CONTRADICTED),
    ]
    found = nli_pairs.sentence_pairs(rows)
    assert [(one.origin, one.sentence, one.kind) for one in found] == [
        ("f", "Two schools open.", "entailment"),
        ("f", "Critics in lyon met!", "unsupported"),
        ("g", "The plan.", "unsupported"),
        ("n", "The plan", "contradiction"),
    ]
    assert found[1].labels.tolist() == [1, 0, 1, 0]
    assert found[2].target[:2].tolist() == [0.25, 0.75] and np.isnan(found[2].labels).all()


def kinds(origin: str, **sizes: int) -> list[Pair]:
    targets = {"e": ENTAILED, "n": NEUTRAL, "c": CONTRADICTED, "u": UNSUPPORTED}
    return [
        pair(f"{origin} {name} {i}", targets[name], origin=origin, document=f"{origin}{i}")
        for name, size in sizes.items()
        for i in range(size)
    ]


def counted(pairs: Sequence[Pair]) -> dict[str, dict[str, int]]:
    return {
        origin: dict(Counter(one.kind for one in pairs if one.origin == origin))
        for origin in {one.origin for one in pairs}
    }


def test_no_origin_says_anything_about_the_label() -> None:
    """By hand: in `three` 9 contradictions allow 9 neutral and 18 entailed of 20; in `few` 7
    entailed allow 3 of each kind and so 6 of them; `all` and `none` lack a half."""
    pairs = [
        *kinds("three", e=20, n=15, c=9),
        *kinds("few", e=7, n=5, u=8),
        *kinds("two", e=4, u=30),
        *kinds("all", e=5),
        *kinds("none", u=5),
    ]
    found = nli_pairs.balanced(pairs, seed=1)
    assert counted(found) == {
        "three": {"entailment": 18, "neutral": 9, "contradiction": 9},
        "few": {"entailment": 6, "neutral": 3, "unsupported": 3},
        "two": {"entailment": 4, "unsupported": 4},
    }
    assert len({id(one) for one in found}) == len(found)
    assert nli_pairs.balanced(pairs, seed=1) == found != nli_pairs.balanced(pairs, seed=2)
    assert counted(nli_pairs.balanced(pairs, seed=1, most=9)) == {
        "three": {"entailment": 4, "neutral": 2, "contradiction": 2},
        "few": {"entailment": 4, "neutral": 2, "unsupported": 2},
        "two": {"entailment": 4, "unsupported": 4},
    }


def test_a_limit_cuts_the_largest_origins() -> None:
    assert nli_pairs.equal_share([2, 10, 30], 22) == 10
    assert nli_pairs.equal_share([2, 10, 30], 21) == 9
    assert nli_pairs.equal_share([2, 10, 30], 100) == 30
    assert nli_pairs.equal_share([5, 5, 5], 8) == 2
    assert nli_pairs.equal_share([], 8) == 0
    pairs = [*kinds("large", e=50, u=50), *kinds("small", e=3, u=9)]
    assert counted(nli_pairs.sampled(pairs, 0, None)) == counted(nli_pairs.balanced(pairs, 0))
    assert counted(nli_pairs.sampled(pairs, 0, 20)) == {
        "large": {"entailment": 7, "unsupported": 7},
        "small": {"entailment": 3, "unsupported": 3},
    }


# --- training ----------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_weights_and_another_does_not(
    bases: dict[str, Path],
) -> None:
    found = []
    for seed in (0, 0, 1):
        own = reader(bases["bert"], "bert")
        torch.manual_seed(len(found))
        state = torch.get_rng_state()
        learn(own, replace(QUICK, seed=seed))
        assert torch.equal(torch.get_rng_state(), state), "the caller's own seed is not touched"
        found.append(torch.cat([one.ravel() for one in adapter.learned(own.network).values()]))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_where_only_not_entailed_is_known_neutral_and_contradiction_are_summed(
    bases: dict[str, Path],
) -> None:
    """The loss of one pair before any step, by hand, from what the heads say; a word of three is
    unsupported, so it counts sqrt(2) times."""
    for target in (UNSUPPORTED, CONTRADICTED, (0.25, 0.75, NAN)):
        own = reader(bases["bert"], "bert")
        one = pair("two schools lyon", target, "lyon")
        fitted = learn(own, replace(QUICK, learning_rate=1e-12), [one])
        (said,) = judged(own, [one])
        entailed, neutral, contradicted = said.probabilities
        wanted = {
            UNSUPPORTED: -math.log(neutral + contradicted),
            CONTRADICTED: -math.log(contradicted),
        }.get(target, -0.25 * math.log(entailed) - 0.75 * math.log(neutral + contradicted))
        first, second, third = said.unsupported
        words = -math.log(1 - first) - math.log(1 - second) - math.sqrt(2) * math.log(third)
        assert fitted.training.loss == (pytest.approx(words / 3 + wanted / 2, abs=1e-5),)


def test_words_of_an_origin_without_an_unsupported_one_are_not_learned() -> None:
    weights = nli._word_weights([
        pair("a b c d", UNSUPPORTED, "d", origin="both"),
        pair("a b", ENTAILED, origin="style"),
        replace(pair("a", UNSUPPORTED, origin="unknown"), labels=np.array([NAN])),
    ])  # fmt: skip
    assert (weights["both"].unsupported, weights["both"].supported) == (math.sqrt(3), 1)
    for name in ("style", "unknown"):
        assert (weights[name].unsupported, weights[name].supported) == (0, 0)


def test_what_cannot_be_learned_is_refused(bases: dict[str, Path], tmp_path: Path) -> None:
    own = reader(bases["bert"], "bert")
    too_long = pair(tiny_models.text(2, 150), ENTAILED)
    with pytest.raises(DataError, match="no pair is left"):
        learn(own, QUICK, [too_long])
    assert learn(own, QUICK, [*PAIRS, too_long]).too_long == 1
    with pytest.raises(ModelError, match="lower the learning rate"):
        learn(reader(bases["bert"], "bert"), replace(QUICK, epochs=20, learning_rate=1e30))
    (tmp_path / "there").mkdir()
    for folder, options, message in (
        ("there", AdapterOptions(), "is there already"),
        ("new", AdapterOptions(learning_rate=0), "above 0"),
        ("new", AdapterOptions(held_out=1), "held-out share"),
        ("new", AdapterOptions(minutes=0), "minutes"),
        ("new", AdapterOptions(require_copy=2), "expected 0 to 1"),
    ):
        with pytest.raises(ConfigError, match=message):
            nli.train([], "no base", tmp_path / folder, options)
    with pytest.raises(DataError, match="nothing to learn"):
        nli.train(
            [], str(bases["bert"]), tmp_path / "new", AdapterOptions(), runtime=Runtime("cpu")
        )
    assert not (tmp_path / "new").exists()


def test_an_encoder_without_a_pooler_is_a_base_and_a_classifier_of_images_is_not(
    tmp_path: Path,
) -> None:
    from transformers import BertModel

    whole = tiny_models.classifier("bert", *tiny_models.NLI_LABELS)
    bare = BertModel(whole.config, add_pooling_layer=False)
    bare.save_pretrained(tmp_path)
    tiny_models.pair_tokenizer(True).save_pretrained(tmp_path)
    own = reader(tmp_path, "bert")
    nli.adapt(own.network, 2)
    assert not any("pooler" in name for name in adapter.learned(own.network))
    (tmp_path / "model.safetensors").unlink()
    from safetensors.torch import save_file

    save_file({"embeddings.word_embeddings.weight": torch.zeros(300, 32)},
              tmp_path / "model.safetensors", metadata={"format": "pt"})  # fmt: skip
    with pytest.raises(ModelError, match="have no embeddings"):
        adapter.open_base(tmp_path, "bare", causal=False)


def test_a_name_of_a_base() -> None:
    assert nli.base_of("mini") == ("tokens", "mini")
    assert nli.base_of("tokens:base") == ("tokens", "base")
    assert nli.base_of("lm:mini") == ("lm", "mini")
    assert nli.base_of("some/folder") == ("tokens", "some/folder")


# --- the copy test -----------------------------------------------------------------------------


class Said:
    """Answers a pair by a rule."""

    id = "said@0"

    def __init__(self, rule: Callable[[str, str], bool]) -> None:
        self._rule = rule

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        def one(entailed: bool) -> Entailed:
            shares = (0.9, 0.05, 0.05) if entailed else (0.1, 0.6, 0.3)
            return Entailed(Outcome.OK, shares, 1, 0, 1)

        return [one(self._rule(*asked)) for asked in pairs]


def long_source(number: int) -> str:
    return f"The council counted {number} boats on Monday. " + "Nobody came by boat. " * 60


def test_a_model_that_reads_passes_the_copy_test_and_one_that_does_not_fails_half() -> None:
    some = copies([long_source(i) for i in range(20, 30)], 8, seed=0)
    assert len(some) == 8 and len({one.source for one in some}) == 8
    for one in some:
        assert one.verbatim in one.source and one.changed not in one.source
    reads = copy_test(Said(lambda premise, sentence: sentence in premise), some)
    assert reads == {"sentences": 8, "accuracy": 1.0, "verbatim": 1.0, "number_changed": 1.0}
    agrees = copy_test(Said(lambda premise, sentence: True), some)
    assert agrees == {"sentences": 8, "accuracy": 0.5, "verbatim": 1.0, "number_changed": 0.0}
    none = copy_test(Said(lambda premise, sentence: True), [])
    assert none["accuracy"] is None and none["sentences"] == 0
    require(reads, 0.9, 10)
    require(agrees, None, 10)
    require(none, 0.9, 10)
    with pytest.raises(ConfigError, match=r"after 10 steps the copy test is at 0\.50"):
        require(agrees, 0.9, 10)


def test_sentences_to_copy_are_of_long_sources_with_a_number() -> None:
    short = "The council counted 20 boats."
    wordy = "Nobody came by boat. " * 60
    assert copies([short, wordy], 8, seed=0) == []
    (one,) = copies([short, wordy, long_source(21), long_source(21)], 8, seed=0)
    assert one == Copy(long_source(21), "The council counted 21 boats on Monday.", one.changed)
    assert copies([long_source(21)], 8, seed=0) == [one]


def test_a_changed_number_is_one_that_the_source_does_not_have() -> None:
    source = "It cost 5 euros. " + " ".join(str(i) for i in range(10) if i not in (0, 7))
    for seed in range(20):
        changed = change_number("It cost 5 euros.", source, random.Random(seed))
        assert changed in ("It cost 0 euros.", "It cost 7 euros.")
    every = " ".join(map(str, range(10)))
    assert change_number("It cost 5 euros.", every, random.Random(0)) is None
    assert change_number("It cost nothing.", every, random.Random(0)) is None
    changed = change_number("In 2019 it was 1,200.", "2019 1200", random.Random(1))
    assert changed and changed.startswith("In ") and changed.endswith(" it was 1,200.")


# --- figures -----------------------------------------------------------------------------------


def test_figures_by_hand() -> None:
    """Entailed against not: 3 of 4 right, and 3 of the 2 x 2 pairs of an entailed and another one
    in order. Three pairs tell all classes apart, the first is right. Words: the marked 0.9 is over
    the others 0.1, 0.6 and 0.2; the marked 0.4 over two of them."""

    def said(shares: tuple[float, float, float], *words: float) -> Judged:
        return Judged(Outcome.OK, shares, np.zeros((len(words), 2), dtype=np.int64),
                      np.array(words, dtype=np.float32), 0, 1)  # fmt: skip

    pairs = [
        pair("a b", ENTAILED, origin="x"),
        pair("a b", UNSUPPORTED, "b", origin="x"),
        pair("a", NEUTRAL, "a", origin="y"),
        replace(pair("a", ENTAILED, origin="y"), labels=np.array([NAN], dtype=np.float32)),
        pair("a", NEUTRAL, origin="y"),
    ]
    judgements = [
        said((0.8, 0.1, 0.1), 0.1, 0.6),
        said((0.3, 0.5, 0.2), 0.2, 0.9),
        said((0.2, 0.3, 0.5), 0.4),
        said((0.25, 0.5, 0.25), 0.0),
        replace(said((0, 0, 0), 0.0), outcome=Outcome.TRUNCATED_SUMMARY),
    ]
    found = nli.figures(judgements, pairs)
    assert found == {
        "pairs": 4,
        "left_out": 1,
        "accuracy": 0.75,
        "auc": pytest.approx(0.75),
        "by_origin": {"x": {"pairs": 2, "accuracy": 1.0}, "y": {"pairs": 2, "accuracy": 0.5}},
        "three_way": {"pairs": 3, "accuracy": pytest.approx(1 / 3)},
        "word_auc": pytest.approx(5 / 6),
    }
    nothing = nli.figures([], [])
    assert nothing["accuracy"] is None and nothing["auc"] is None and nothing["word_auc"] is None


# --- the command -------------------------------------------------------------------------------


def labelled_rows(count: int) -> list[Labelled]:
    """One sentence that holds and one with another number of each of `count` long documents."""
    rows = []
    for i in range(count):
        source, document = long_source(20 + i), f"d{i}"
        for number, target in ((20 + i, ENTAILED), (70 + i, UNSUPPORTED)):
            text = f"The council counted {number} boats."
            marks = tuple(
                (text.index(word), text.index(word) + len(word), float(word == str(number)))
                if target is UNSUPPORTED
                else (text.index(word), text.index(word) + len(word), 0.0)
                for word in text.rstrip(".").split()
            )
            rows.append(Labelled("f", document, source, text, marks, target))
    return rows


@pytest.mark.slow
def test_a_training_that_fails_the_copy_test_stops_and_leaves_nothing(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    rows = labelled_rows(6)
    for after, message in ((1, "after 1 steps"), (99, "after 3 steps")):
        options = replace(
            QUICK, made=0, copy_after=after, require_copy=0.99, learning_rate=1e-9, held_out=0
        )
        lines: list[str] = []
        with pytest.raises(ConfigError, match=message):
            nli.train(
                rows, str(bases["bert"]), tmp_path / "out", options, runtime=Runtime("cpu"),
                report=lines.append,
            )  # fmt: skip
        assert any("copy test" in text for text in lines)
        assert list(tmp_path.iterdir()) == []
    short = [replace(row, source="Two boats.") for row in rows]
    with pytest.raises(ConfigError, match="no long source"):
        nli.train(short, str(bases["bert"]), tmp_path / "out", options, runtime=Runtime("cpu"))


def test_the_command_writes_an_adapter_that_loads_as_nli(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    labels = ("entailment", "neutral", "contradiction", "entailment")
    lines = [
        {"origin": "snli", "premise": f"{tiny_models.text(i, 9)}", "label": label,
         "hypothesis": tiny_models.text(i + j, 4)}
        for i in range(8)
        for j, label in enumerate(labels)
    ]  # fmt: skip
    (tmp_path / "nli_pairs.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    out = tmp_path / "out"
    arguments = [
        "train", "nli", "-o", str(out), "--base", str(bases["bert"]), "--file", "nli_pairs",
        "--epochs", "2", "--batch-size", "8", "--lora-rank", "2", "--held-out", "0.25", "--seed",
        "5", "--data-dir", str(tmp_path), "--device", "cpu", "--offline",
    ]  # fmt: skip
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert f"Use it: -m entailment:model={out}" in result.output
    settings = adapter.read_settings(out)
    card = settings.card
    assert settings.base == f"tokens:{bases['bert']}" and settings.base_id.startswith("bert@")
    assert settings.rank == 2 and card["options"]["seed"] == 5
    assert card["learned"] == {"nli_snli": {"entailment": 12, "neutral": 6, "contradiction": 6}}
    assert card["steps"] == 6 and len(card["loss"]) == 2
    assert card["copy"]["sentences"] == 0 and card["copy_early"] is None
    assert card["held_out"]["pairs"] == 8 and 0 <= card["held_out"]["accuracy"] <= 1
    model = models.load(f"nli:{out}", Runtime("cpu", offline=True))
    assert model.trained_on == {"nli_snli"}
    (found,) = model.predict([("two schools open", "two schools")])
    assert found.outcome is Outcome.OK and sum(found.probabilities) == pytest.approx(1)
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 2 and "is there already" in again.output

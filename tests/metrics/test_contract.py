"""What every metric promises, checked for every row of METRICS: a new line is picked up by itself.

Metrics run on the embedded models that come with the package; roles whose embedded model must be
pulled get a tiny random model of the same architecture, made here. Some entailment metrics run on
a tiny random classifier as well, which stands for the published ones.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.helpers import tiny_calibration, tiny_combination, tiny_models

from faithkit import Example, Outcome, Score, models
from faithkit.metrics.loading import class_of
from faithkit.metrics.registry import METRICS
from faithkit.metrics.spec import MetricSpec
from faithkit.metrics.summac import Convolution
from faithkit.models.runtime import Runtime
from faithkit.report.marks import count_of_marks
from faithkit.run import Prepared, prepare
from faithkit.support.engine import open_engine

pytestmark = pytest.mark.slow

SOURCE = (
    "The council of Brookfield voted on Tuesday to spend £1.9m on a new library. Mayor Anna Reyes "
    "said building work would begin in March."
)
PAIRS = [
    Example("copy", SOURCE, SOURCE),
    Example("faithful", SOURCE, "Brookfield's council voted to spend £1.9m on a library."),
    Example("wrong", SOURCE, "On Friday Paris approved a £3m stadium, said Mr Smith."),
    Example("one word", SOURCE, "Brookfield"),
    Example("one word each", "Library", "Library"),
    Example("no capital", SOURCE, "the mayor said work would begin soon"),
    Example("numbers", "Sales rose 4.5% to 1,200 units.", "Sales rose 5.4% to 1,200 units."),
    Example("other language", "Der Rat stimmte am Dienstag ab.", "理事会は火曜日に投票した。"),
    Example("signs", "Party 🎉 at Zoë’s!\u200b Café\u0301 — ‮abc‬.", "🎉 Zoë’s café"),
    Example("marks only", SOURCE, "... ?!"),
    Example("one line", "A:\tyes\r\nB:\tno\n\n- item", "A said yes."),
]
EMPTY = [
    Example("no source", "", "A summary."),
    Example("no summary", SOURCE, ""),
    Example("blank", " \n\t ", " \u00a0 "),
]
RANDOM = "random"
ON_A_CLASSIFIER = ("entailment", "mnli_doc", "summac_zs")


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Role to a tiny random model, for the roles whose models are not part of the package."""
    found: dict[str, Path] = {}
    for role, make, frame in (
        ("lm", tiny_models.llama, False),
        ("seq2seq", tiny_models.bart, True),
    ):
        found[role] = tmp_path_factory.mktemp(role) / RANDOM
        make().save_pretrained(found[role])
        tiny_models.tokenizer(frame=frame).save_pretrained(found[role])
    found["chat"] = tiny_models.save_chat(tmp_path_factory.mktemp("chat") / RANDOM)
    return found


@pytest.fixture(scope="session")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.save_classifier(tmp_path_factory.mktemp("nli") / RANDOM)


@pytest.fixture(scope="session")
def needed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Metric to the options it cannot do without."""
    folder = tmp_path_factory.mktemp("needed")
    file = folder / "combination.json"
    tiny_combination.write(file, {"rouge2": 0.5, "novelty": 0.5})
    learned = folder / "convolution.json"
    weights = tuple(float(bin) for bin in np.linspace(-1, 1, 50))
    nli = models.load("nli:mini", Runtime("cpu", offline=True))
    convolution = Convolution(weights, 0.0, nli.id, {})
    learned.write_text(json.dumps(convolution.to_dict()))
    published = {
        name: f"model={tiny_models.save_checkpoint(tmp_path_factory.mktemp(name) / RANDOM, name)}"
        for name in ("alignscore", "minicheck", "unieval", "factcc", "hhem", "lettucedetect")
    }
    # A judge that reads its answers from a store would be asked once only, and to a random model
    # yes and no are as improbable as any word.
    own = {
        "combine": f"file={file}",
        "calibrated": f"file={tiny_calibration.write(folder / 'calibration.json')}",
        "summac_conv": f"file={learned}",
        "judge": "transcripts=off,min_probability=0",
    }
    return own | published


@cache
def prepared(name: str, small: tuple[tuple[str, Path], ...], needed: str) -> Prepared:
    models = class_of(MetricSpec.parse(name)).models
    wanted = {key: spec.partition(":")[0] for key, spec in models.items()}
    tiny = dict(small)
    given = [f"{key}={tiny[role]}" for key, role in wanted.items() if role in tiny]
    options = ",".join([needed, *given] if needed else given)
    (one,) = prepare([f"{name}:{options}" if options else name], Runtime("cpu", offline=True))
    return one


# Of the module, so that the tests of one metric follow one another and share its scores.
@pytest.fixture(
    scope="module", params=[*METRICS, *(f"{name}/classifier" for name in ON_A_CLASSIFIER)]
)
def one(
    request: pytest.FixtureRequest,
    small: dict[str, Path],
    classifier: Path,
    needed: dict[str, str],
) -> Prepared:
    name, _, other = request.param.partition("/")
    tiny = small | {"nli": classifier} if other else small
    return prepared(name, tuple(tiny.items()), needed.get(name, ""))


def fresh(one: Prepared, examples: list[Example]) -> list[Score]:
    """The scores of models that remember no text."""
    for kept in models._loaded.values():
        if hasattr(kept.model, "forget"):
            kept.model.forget()
    return one.metric.score(examples)


@pytest.fixture(scope="module")
def together(one: Prepared) -> list[Score]:
    """The scores of all pairs in one batch, those without content at its end."""
    return fresh(one, [*PAIRS, *EMPTY])


def values(scores: list[Score]) -> dict[str, float | None]:
    return {score.id: score.value for score in scores}


def test_declares_itself(one: Prepared) -> None:
    metric = one.metric
    assert metric.name in METRICS
    assert metric.bounds[0] < metric.bounds[1]
    assert metric.unit and not metric.unit.endswith(".")
    assert metric.limitations.endswith(".")
    assert {"source", "summary"} & metric.needs
    assert one.signature.short.startswith(metric.name)


def test_a_score_is_in_bounds_and_points_inside_the_texts(
    one: Prepared, together: list[Score]
) -> None:
    low, high = one.metric.bounds
    examples = [*PAIRS, *EMPTY]
    assert [score.id for score in together] == [example.id for example in examples]
    for example, score in zip(examples, together, strict=True):
        assert score.metric == one.metric.name
        assert (score.value is not None) == (score.outcome is Outcome.OK), example.id
        assert score.value is None or low - 1e-6 <= score.value <= high + 1e-6, example.id
        assert all(span.end <= len(example.summary) for span in score.spans)
        assert one.metric.marks_words or not count_of_marks(score)
        for item in score.evidence:
            assert item.end <= len(example.source) and item.summary_end <= len(example.summary)


def test_a_score_says_what_it_saw(one: Prepared) -> None:
    (score,) = one.metric.score([PAIRS[1]])
    assert score.coverage.summary_tokens or score.coverage.summary_sentences
    assert score.coverage.source_tokens or score.coverage.source_sentences
    assert score.coverage.summary_tokens_cut == 0


def test_empty_texts_are_an_outcome(one: Prepared) -> None:
    for score in one.metric.score(EMPTY):
        assert (score.value, score.outcome) == (None, Outcome.NO_CONTENT), score.id


def test_nothing_to_score_is_no_score(one: Prepared) -> None:
    assert one.metric.score([]) == []


def test_a_value_does_not_depend_on_the_batch(one: Prepared, together: list[Score]) -> None:
    expected = values(together)
    alone = values([fresh(one, [example])[0] for example in [*PAIRS, *EMPTY]])
    repeats = [replace(PAIRS[1], id=str(i)) for i in range(64)]
    # Another batch in another order, without the pair that takes longest.
    others = values(fresh(one, [*EMPTY, *PAIRS[:0:-1], *repeats]))
    assert len(others) == len(EMPTY) + len(PAIRS) - 1 + len(repeats)
    expected |= {example.id: expected["faithful"] for example in repeats}
    for identity, value in [*alone.items(), *others.items()]:
        if expected[identity] is None:
            assert value is None, identity
        else:
            assert value == pytest.approx(expected[identity], abs=1e-6), identity


def test_a_copy_is_no_worse_than_an_unrelated_summary(one: Prepared, together: list[Score]) -> None:
    if any(model.startswith(f"{RANDOM}@") for model in one.signature.models.values()):
        pytest.skip("a random model knows nothing of copies")
    found = values(together)
    assert found["copy"] is not None and found["wrong"] is not None
    assert found["copy"] > found["wrong"]


@pytest.fixture(scope="module")
def opened_once() -> Iterator[None]:
    """Copies of one support model open its network once, which takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("faithkit.support.model.open_engine", cache(open_engine))
        yield


@pytest.mark.usefixtures("opened_once")
def test_scores_and_the_metric_can_be_pickled(one: Prepared, together: list[Score]) -> None:
    assert pickle.loads(pickle.dumps(together)) == together
    again = pickle.loads(pickle.dumps(one.metric))
    expected = {identity: values(together)[identity] for identity in ("faithful", "numbers")}
    chosen = [example for example in PAIRS if example.id in expected]
    assert values(again.score(chosen)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.verify
def test_a_document_of_50000_words_is_scored_whole_or_says_what_was_cut(one: Prepared) -> None:
    sentences = [
        f"In year {1000 + i} the town number {i} counted {i * 7} houses and {i * 3} wells."
        for i in range(3900)
    ]
    source = " ".join(sentences)
    assert len(source.split()) > 50_000
    example = Example("long", source, "In year 1005 the town number 5 counted 35 houses.")
    (score,) = one.metric.score([example])
    assert score.outcome in (Outcome.OK, Outcome.NO_CLAIMS)
    coverage = score.coverage
    assert coverage.source_tokens_cut > 0 or (
        coverage.source_tokens > 50_000 or coverage.source_sentences >= 3000
    )

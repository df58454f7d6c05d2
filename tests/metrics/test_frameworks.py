"""Metrics of other packages, by those packages' own code, with a judge on this machine that answers
by a rule. A package that is not installed is skipped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import tiny_models
from tests.helpers.command_line import faithkit
from tests.helpers.fake_chat import Fake, Response, fails, says, server
from tests.helpers.framework_judge import behave

from faithkit import ConfigError, ModelError, Outcome, Score, Scorer
from faithkit.metrics.frameworks import deepeval, llama_index, ragas
from faithkit.metrics.registry import FRAMEWORKS, names
from faithkit.metrics.spec import MetricSpec

SOURCE = "Ann paid 74 pounds, and Bob left."
GOOD, HALF, BAD = "Ann paid 74 pounds", "Ann paid 74 pounds; Bob stayed", "Bob stayed"
CLASSES = (
    deepeval.Faithfulness, deepeval.Hallucination, ragas.Faithfulness, ragas.ResponseGroundedness,
    llama_index.Faithfulness,
)  # fmt: skip


@pytest.fixture(params=FRAMEWORKS)
def name(request: pytest.FixtureRequest) -> str:
    package = request.param.partition(":")[0]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    return str(request.param)


@pytest.fixture
def judge() -> Iterator[Fake]:
    with server(behave) as fake:
        yield fake


def scorer(name: str, model: str, **options: Any) -> Scorer:
    shown = "".join(f",{key}={value}" for key, value in options.items())
    return Scorer(f"{name}:model={model},transcripts=off{shown}", no_cache=True, offline=True)


def scores(scorer: Scorer, *summaries: str) -> list[Score]:
    return list(scorer.score([(SOURCE, summary) for summary in summaries], progress=False))


def test_the_table_names_the_classes() -> None:
    assert [cls.name for cls in CLASSES] == list(FRAMEWORKS)
    assert set(FRAMEWORKS) <= set(names())


def test_a_name_has_a_colon_and_options_follow_it() -> None:
    spec = MetricSpec.parse("deepeval:Faithfulness:model=http://a:1/v1#m,tokens=9")
    assert (spec.name, spec.options) == (
        "deepeval:Faithfulness", {"model": "http://a:1/v1#m", "tokens": "9"},
    )  # fmt: skip
    with pytest.raises(ConfigError, match="Did you mean 'ragas:Faithfulness'"):
        MetricSpec.parse("ragas:Faithfullness:model=x")
    with pytest.raises(ConfigError, match="Unknown metric 'ragas'"):
        MetricSpec.parse("ragas")


@pytest.mark.parametrize("cls", CLASSES)
def test_a_judge_has_to_be_named(cls: type) -> None:
    with pytest.raises(ConfigError, match=f"{cls.name} needs a judge: model=http"):
        cls()


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_missing_package_is_one_line_that_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = name.partition(":")[0]
    monkeypatch.setattr("faithkit.extras.importlib.util.find_spec", lambda _: None)
    extra = package.replace("_", "-")
    with pytest.raises(ConfigError, match=rf"needs {package}: pip install 'faithkit\[{extra}\]'$"):
        scorer(name, "http://127.0.0.1:9/v1#m")


@pytest.mark.slow
def test_a_metric_scores_by_its_packages_own_code(name: str, judge: Fake) -> None:
    of_claims = name in ("deepeval:Faithfulness", "ragas:Faithfulness")
    loaded = scorer(name, judge.model)
    found = scores(loaded, GOOD, HALF, BAD, " ")
    assert [score.value for score in found] == [1.0, 0.5 if of_claims else 0.0, 0.0, None]
    assert found[-1].outcome is Outcome.NO_CONTENT
    requests = sum(score.parts.get("requests", 0) for score in found)
    assert len(judge.requests) <= requests <= len(judge.requests) + 2  # the source's truths once
    assert found[0].coverage.source_tokens > 0
    signature = loaded.metrics[0].signature
    assert signature.models == {"model": judge.model}
    assert any(
        key.startswith(name.partition(":")[0].replace("_", "-")) for key in signature.options
    )


@pytest.mark.slow
def test_an_answer_that_cannot_be_read_is_unparsable(name: str) -> None:
    for text in ("I would rather not say.", '{"other": 1}', ""):
        with server(lambda request, before, text=text: says(text)) as fake:
            (score,) = scores(scorer(name, fake.model), GOOD)
        assert score.outcome is Outcome.UNPARSABLE, text


@pytest.mark.slow
def test_what_the_judge_does_not_answer_has_the_judges_outcome(name: str) -> None:
    refusal = says(None, refusal="No.")
    for response, outcome in (
        (refusal, Outcome.REFUSED), (fails(400, "x"), Outcome.MODEL_ERROR),
        (fails(400, "maximum context length"), Outcome.TOO_LONG),
    ):  # fmt: skip
        with server(lambda request, before, response=response: response) as fake:
            (score,) = scores(scorer(name, fake.model, retries=0), GOOD)
        assert score.outcome is outcome
    with (
        server(lambda request, before: fails(401)) as fake,
        pytest.raises(ModelError, match="the server refuses every request"),
    ):
        scores(scorer(name, fake.model, retries=0), GOOD)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["deepeval:Faithfulness", "ragas:Faithfulness"], indirect=True)
def test_a_summary_without_claims_has_no_score(name: str) -> None:
    empty = '{"claims": [], "truths": [], "statements": []}'

    def nothing(request: dict[str, Any], before: int) -> Response:
        return says(empty)

    with server(nothing) as fake:
        (score,) = scores(scorer(name, fake.model), GOOD)
    assert (score.value, score.outcome) == (None, Outcome.NO_CLAIMS)


@pytest.mark.slow
def test_a_chat_model_here_can_be_the_judge(name: str, tmp_path: Path) -> None:
    folder = tiny_models.save_chat(tmp_path / "random")
    (score,) = scores(scorer(name, str(folder), tokens=4), "Bob left")
    assert score.outcome in (Outcome.UNPARSABLE, Outcome.TOO_LONG)


@pytest.mark.slow
def test_bench_and_stress_take_them(
    name: str, judge: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    rows = [
        {"id": f"{number}-{label}", "source": f"{SOURCE} So it was in {1900 + number}.",
         "summary": text, "label": label}
        for number in range(6)
        for text, label in ((GOOD, 1), (BAD, 0))
    ]  # fmt: skip
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    common = ("-m", f"{name}:model={judge.model}", "-d", str(pairs), "--offline", "--no-cache")
    benched = faithkit("bench", *common, "-o", str(tmp_path / "bench"), "--draws", "20")
    assert benched.exit_code == 0, benched.stderr
    assert name in benched.stdout and "100.0" in benched.stdout
    stressed = faithkit("stress", *common, "-o", str(tmp_path / "stress"), "--suite", "gaming")
    assert stressed.exit_code == 0, stressed.stderr
    assert (tmp_path / "stress" / "stress.html").exists(), list((tmp_path / "stress").iterdir())

"""The LSS and LSS* that a chat model writes."""

from __future__ import annotations

from typing import Any

import pytest
from tests.helpers.load_metric import load_metric
from tests.helpers.scripted_judge import Says

from faithkit import Example
from faithkit.metrics.lss import LssBleu, LssShare
from faithkit.records import ConfigError


def rows(*summaries: str) -> list[Example]:
    return [Example(one, "The source.", one) for one in summaries]


def made(request: str) -> tuple[Any, Any]:
    metric, signature, _ = load_metric(request, lambda spec: Says(a="Yes"))
    return metric, signature


@pytest.mark.slow
def test_lss_by_a_chat_model_is_repaired_and_violations_counted() -> None:
    claims = {
        "The mayor opened two schools.": "The mayor opened schools.",
        "Rain fell in Paris.": '"In Paris rain fell on Monday."',
        "Nobody came.": "NONE",
        "It was cold.": "I cannot do that.",
        "It was warm.": "",
        "All of it stays.": "<summary>\nAll of it stays.\n</summary>",
        "Two of three.": "<think>Three is not in the document.</think>Two of",
        "One of two.": "<think>\nOne of two is said, but",
    }
    chat = Says(**claims)
    found = LssShare(chat, generator="chat").score(rows(*claims))
    assert [score.value for score in found] == [
        *(pytest.approx(4 / 5), pytest.approx(2 / 4), 0.0, None, None, 1.0),
        pytest.approx(2 / 3), None,
    ]  # fmt: skip
    assert [str(score.outcome) for score in found[3:5]] == ["refused", "unparsable"]
    assert [found[i].parts["violations"] for i in (0, 1, 2, 5)] == [0, 4, 0, 0]
    assert found[0].coverage.source_tokens == 7
    text = "".join(piece.text for piece in chat.asked[0][0])
    assert text.count("Answer: ") == 4


def test_lss_star_by_a_chat_model_has_a_prompt_of_its_own() -> None:
    claim = "The brothers, both former miners, run a bakery."
    chat = Says(**{claim: "The brothers are both former miners."})
    (score,) = LssShare(chat, generator="chat", star=True).score(rows(claim))
    asked = "".join(piece.text for piece in chat.asked[0][0])
    assert "grammatical" in asked and "Only delete" not in asked
    assert asked.count("Answer: ") == 4
    assert score.texts == {
        "lss": "The brothers, both former miners,",
        "lss_star": "The brothers are both former miners.",
    }
    assert (score.value, score.parts["violations"]) == (5 / 8, 1)
    prompts = {made(f"lss_bleu:generator=chat,star={star}")[1].prompt for star in ("on", "off")}
    assert len(prompts) == 2


def test_lss_by_a_chat_model_has_its_prompt_in_the_signature() -> None:
    metric, signature = made("lss_bleu:generator=chat")
    assert isinstance(metric, LssBleu) and len(str(signature.prompt)) == 64
    with pytest.raises(ConfigError, match="does not do generator=seq2seq"):
        made("lss_bleu:generator=seq2seq,model=x")
    with pytest.raises(ConfigError, match="threshold is for generator=words"):
        made("lss_bleu:generator=chat,threshold=0.5")

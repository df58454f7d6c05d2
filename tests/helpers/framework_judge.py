"""A judge that knows the prompts of deepeval, ragas and LlamaIndex, and answers by a rule: what is
a part of the source, word for word, is supported. No test is in here."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from tests.helpers.fake_chat import Response, says


def answer(prompt: str) -> str:
    if "AI Output:\n" in prompt:
        return json.dumps({"claims": _after(prompt, "AI Output:").split("; ")})
    if '"truths" key' in prompt:
        return json.dumps({"truths": [_after(prompt, "Text:")]})
    if "Retrieval Contexts:" in prompt:
        claims = ast.literal_eval(_after(prompt, "Claims:"))
        return _verdicts(claims, _after(prompt, "Retrieval Contexts:"))
    if "Actual Output:" in prompt:
        (source,) = ast.literal_eval(_after(prompt, "Contexts:"))
        return _verdicts([_after(prompt, "Actual Output:")], source)
    if "input: {" in prompt:
        return f"```json\n{json.dumps(_of_ragas(json.loads(_input(prompt))))}\n```"
    information = re.findall(r"^Information: (.*)\nContext: (.*)\nAnswer:", prompt, re.MULTILINE)
    summary, source = information[-1]
    return "YES" if summary in source else "NO"


def behave(request: dict[str, Any], before: int) -> Response:
    return says(answer(request["messages"][0]["content"]))


def _after(prompt: str, heading: str) -> str:
    """What is between the last such heading and the next blank line."""
    return prompt.rpartition(f"\n{heading}\n")[2].partition("\n\n")[0]


def _input(prompt: str) -> str:
    return prompt.rpartition("\ninput: ")[2].rpartition("\nOutput:")[0]


def _verdicts(claims: list[str], source: str) -> str:
    verdicts = [{"verdict": "yes" if claim in source else "no", "reason": ""} for claim in claims]
    return json.dumps({"verdicts": verdicts})


def _of_ragas(asked: dict[str, Any]) -> dict[str, Any]:
    if "answer" in asked:
        return {"statements": asked["answer"].split("; ")}
    if "response" in asked:
        return {"rating": 2 if asked["response"] in asked["context"] else 0}
    return {
        "statements": [
            {"statement": text, "reason": "", "verdict": int(text in asked["context"])}
            for text in asked["statements"]
        ]
    }

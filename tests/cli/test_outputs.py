"""No command writes over a file that it reads, or twice to one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.helpers.command_line import KNOWN, refused
from tests.helpers.judged_pairs import judged_rows

pytestmark = pytest.mark.usefixtures("here")

SCORE = ("score", "pairs.json", "-m", KNOWN)
GATE = ("--fail-if", "value < 0")
SAVED = ("--from", "scores.json")


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ((*SCORE, *GATE, "--junit", "pairs.json"), "pairs.json"),
        ((*SCORE, *GATE, "--sarif", "./pairs.json"), "pairs.json"),
        ((*SCORE, *GATE, "--junit", "link.json"), "link.json"),
        ((*SCORE, *GATE, "-o", "new.jsonl", "--junit", "new.jsonl"), "new.jsonl"),
        ((*SCORE, *GATE, "--sarif", "new.xml", "--junit", "./new.xml"), "new.xml"),
        ((*SCORE, "-o", "pairs.jsonl", "--baseline", "pairs.jsonl", "--no-resume"), "pairs.jsonl"),
        (("calibrate", "pairs.json", "-m", KNOWN, "-o", "pairs.json"), "pairs.json"),
        (("calibrate", "pairs.json", *SAVED, "-o", "scores.json"), "scores.json"),
        (("combine", "pairs.json", *SAVED, "-o", "pairs.json"), "pairs.json"),
        (("leaderboard", "pairs.json", "-m", KNOWN, "-o", "pairs.json"), "pairs.json"),
        (("leaderboard", "a.pairs.csv", "-m", KNOWN, "-o", "a.csv"), "a.pairs.csv"),
        (("agree", "a.csv", "--disagreements", "a.csv"), "a.csv"),
        (("export", "store.jsonl", "-o", "store.jsonl"), "store.jsonl"),
        (("train", "difficulty", "pairs.json", "-o", "pairs.json"), "pairs.json"),
        (("check", "--source", "a.html", "--summary", "b", "--html", "a.html"), "a.html"),
    ],
)
def test_an_output_that_is_an_input_or_another_output_is_refused(
    command: tuple[str, ...], written: str
) -> None:
    Path("pairs.json").write_text(json.dumps(judged_rows(2)))
    Path("link.json").symlink_to("pairs.json")
    for name in ("a.pairs.csv", "a.csv", "store.jsonl", "a.html", "scores.json"):
        Path(name).write_text("item,annotator,value\na,x,1\n")
    what = "is named for two outputs" if written.startswith("new") else "is the input itself"
    assert refused(*command) == f"{written} {what}. Name another file to write."

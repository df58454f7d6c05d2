"""Answers `faithkit annotate verdict examples/pairs.jsonl` as two annotators would, over HTTP, so
that docs/annotation.md can show the commands that follow. No person judged anything here: `anna`
gives the file's labels and spans, `ben` another verdict on every sixth row and every other span.

    faithkit annotate verdict examples/pairs.jsonl -o annotations.sqlite --annotators anna,ben &
    python tools/play_annotators.py http://127.0.0.1:8420 examples/pairs.jsonl
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

VERDICTS = ("not consistent", "consistent")


def ask(address: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(address, data, {"Content-Type": "application/json"})) as response:
        return json.load(response)


def answer(address: str, row: dict[str, Any], position: int, differs: bool, every: int) -> None:
    """One annotator's verdict about an item, and the marks of a row that they call inconsistent."""
    place = f"{address}/{position}"
    label = 1 - row["label"] if differs else row["label"]
    item = ask(place)
    events: list[dict[str, Any]] = [
        {"action": "set", "question": "verdict", "value": VERDICTS[label], "seconds": 20}
    ]
    spans = [] if label else row["spans"][::every]
    for number, (start, end, *_) in enumerate(spans):
        mark = {"id": f"m{number}", "start": start, "end": end, "type": "unsupported",
                "text": row["summary"][start:end]}  # fmt: skip
        events.append({"action": "mark", "question": "errors", "value": mark, "seconds": 15,
                       "text_hash": item["hashes"]["summary"]})  # fmt: skip
    for number, event in enumerate([*events, {"action": "state", "value": "done"}]):
        ask(place, {"key": f"{position}-{number}", **event})


def main(address: str, pairs: Path) -> None:
    rows = [json.loads(line) for line in pairs.read_text(encoding="utf-8").splitlines()]
    for name, every in (("anna", 1), ("ben", 2)):
        own = f"{address}/v1/annotation/{name}"
        places = {item["id"]: item["position"] for item in ask(own)["items"]}
        for number, row in enumerate(rows):
            differs = name == "ben" and number % 6 == 5
            answer(own, row, places[row["id"]], differs, every)


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), Path(sys.argv[2]))

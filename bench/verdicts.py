"""`faithkit bench` on files shaped as SummaC's with a yes/no judge that answers from a script: does
every way of deciding give the balanced accuracy that can be counted by hand?

    python bench/verdicts.py

The judge is a server of this process, so the whole way is walked: reader, prompt, endpoint, reader
of answers, statistics. Some answers are empty, one part of the test rows has one label only, and
the validation rows would tempt a tuned threshold to call everything consistent. Ends with 1 where a
figure is not the one that was counted, or a validation row was paid for without need.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from typer.testing import CliRunner

from faithkit.cli import app

# (answer, label, origin): on the validation rows a yes says nothing, as the labels show.
ROWS = {
    "val": [(answer, label, "xsum") for answer in ["Yes"] * 10 + ["No"] for label in (1, 0)],
    "test": [("Yes", 1, "xsum")] * 6 + [("No", 1, "xsum")] * 3 + [("", 1, "xsum")] * 1
    + [("No", 0, "xsum")] * 5 + [("Yes", 0, "xsum")] * 4 + [("", 0, "xsum")] * 1
    + [("Yes", 1, "cnndm")] * 4,
}  # fmt: skip
COUNTED = (10 / 14 + 5 / 10) / 2
"""Of 14 consistent test rows 10 are called so, of 10 inconsistent ones 5; no answer is wrong."""


class Server(BaseHTTPRequestHandler):
    """Answers what the summary says the answer is."""

    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = request["messages"][0]["content"]
        self.asked.append(prompt)
        answer = prompt.rpartition("answer=")[2].partition(";")[0]
        choice = {"index": 0, "finish_reason": "stop",
                  "message": {"role": "assistant", "content": answer}}  # fmt: skip
        body = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "script",
                           "choices": [choice]}).encode()  # fmt: skip
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def write(folder: Path) -> None:
    (folder / "summac").mkdir()
    for split, rows in ROWS.items():
        lines = [
            json.dumps({"document": f"The {split} document {i}.", "label": label, "cut": split,
                        "claim": f"answer={answer}; claim {i}", "origin": origin})
            for i, (answer, label, origin) in enumerate(rows)
        ]  # fmt: skip
        path = folder / "summac" / f"factcc_{split}.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(folder: Path, url: str, thresholds: str) -> float:
    """Runs the command, shows what it prints, and returns the balanced accuracy."""
    out = folder / f"out-{thresholds}"
    judge = f"judge:model={url}/v1#script,transcripts=off"
    arguments = ["bench", "-d", "summac_factcc", "-m", judge, "--data-dir", str(folder),
                 "-o", str(out), "--thresholds", thresholds, "--no-cache"]  # fmt: skip
    Server.asked.clear()
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    paid = sum("The val document" in prompt for prompt in Server.asked)
    print(f"--thresholds {thresholds}: {len(Server.asked)} requests, {paid} of validation rows\n")
    print(result.output)
    figures = json.loads((out / "results.json").read_text())["figures"]
    (value,) = [f["value"] for f in figures
                if f["statistic"] == "balanced_accuracy" and not f["part"]]  # fmt: skip
    if thresholds != "dataset" and paid:
        sys.exit(f"{paid} validation rows were scored without need")
    return float(value)


def main() -> None:
    http = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{http.server_port}"
    with tempfile.TemporaryDirectory() as name:
        write(Path(name))
        result = {text: run(Path(name), url, text) for text in ("none", "0.5", "dataset")}
    http.shutdown()
    for text, value in result.items():
        print(f"{text:8} balanced accuracy {100 * value:.1f}, counted by hand {100 * COUNTED:.1f}")
    if any(abs(result[text] - COUNTED) > 1e-9 for text in ("none", "0.5")):
        sys.exit("not the balanced accuracy that was counted")


if __name__ == "__main__":
    main()

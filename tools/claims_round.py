"""A data folder whose claims set has, of the train part, one round or more whole, a share of the
sources of those before and nothing of those after; all else is a link to DATA.

    python tools/claims_round.py DATA OUT --round 7 8 --older .12
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--round", type=int, nargs="+", required=True)
    parser.add_argument("--older", type=float, default=1.0, help="share of the older sources")
    arguments = parser.parse_args()
    data, out = arguments.data.resolve(), arguments.out
    text = (data / "claims" / "claims.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    learned = [row for row in rows if row["split"] == "train"]
    older = {row["document"] for row in learned if row["round"] < min(arguments.round)}
    count = int(arguments.older * len(older))
    kept = set(random.Random(min(arguments.round)).sample(sorted(older), count))
    (out / "claims").mkdir(parents=True, exist_ok=True)
    for part in ("bench", "train", "raw"):
        link = out / part
        if not link.exists():
            link.symlink_to(data / part)
    with (out / "claims" / "claims.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            is_kept = row["round"] in arguments.round or row["document"] in kept
            if is_kept or row["split"] != "train":
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

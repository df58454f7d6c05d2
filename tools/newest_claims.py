"""A data folder whose claims set is the newest round, an eighth of the older sources of the train
part, and the other parts; all else is a link to DATA.

    python tools/newest_claims.py DATA OUT
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

OLDER = 0.12
"""Share of the older sources that are kept."""


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(str(__doc__))
    data, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    text = (data / "claims" / "claims.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    newest = max(row["round"] for row in rows)
    older = {row["document"] for row in rows if row["split"] == "train" and row["round"] < newest}
    kept = set(random.Random(newest).sample(sorted(older), int(OLDER * len(older))))
    (out / "claims").mkdir(parents=True, exist_ok=True)
    for part in ("bench", "train", "raw"):
        link = out / part
        if not link.exists():
            link.symlink_to(data / part)
    with (out / "claims" / "claims.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            if row["round"] == newest or row["document"] in kept or row["split"] != "train":
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

"""A first look from Python: check one summary, score a few, look at the worst, write the page.

    python examples/tutorial.py [PAGE.html]
"""

import json
import sys
from pathlib import Path

import faithkit

here = Path(__file__).parent
scorer = faithkit.Scorer(offline=True)  # loaded once

# One summary: its unsupported words, each with the evidence.
result = scorer.check((here / "source.txt").read_text(), (here / "summary.txt").read_text())
print(result)
print("\nverdict:", result.verdict)
print("marked:", result.marked)

# Many: dicts, tuples, a DataFrame, ...
rows = [json.loads(line) for line in (here / "pairs.jsonl").read_text().splitlines()[:6]]
scores = scorer.score([{key: row[key] for key in ("id", "source", "summary")} for row in rows])
print(f"\n{scores}")
for check in scores.worst(3):
    print(f"{check.example.id}: {check.value:.3f}, {', '.join(check.marked) or 'no marks'}")

# As a table, and as a page to read.
table = scores.to_arrow(keep_columns=True)
print(f"\n{table.num_rows} rows of {table.num_columns} columns:", *table.column_names[:7], "...")
if len(sys.argv) > 1:
    scores.report(sys.argv[1])
    print("page:", sys.argv[1])

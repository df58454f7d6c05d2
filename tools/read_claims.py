"""The second reading of the claims set, by somebody who does not see the labels.

    python tools/read_claims.py sheet KIND > SHEET           # sources and claims, no labels
    python tools/read_claims.py record KIND SHEET ANSWERS    # data/claims/read/KIND.jsonl
    python tools/read_claims.py sheet KIND --unread > SHEET  # claims of pairs that nobody has read
    python tools/read_claims.py record KIND SHEET ANSWERS --add    # keeps what is recorded
    python tools/read_claims.py compare                      # agreement of data/claims/read/*.jsonl

A sheet shows, of each supported claim and its edits, one drawn at random, so that no claim is
beside its contrast. (Edits of sources are not shown: each would need the whole source again.) The
reader writes a line for each source into ANSWERS, `ID: 1+ 2-[the wrong words] 3+`: + supported,
- not.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

import build_claims

ANSWER = re.compile(r"(\d+)\s*([+-])(?:\[([^\]]*)\])?")


def recorded(kind: str) -> list[dict[str, object]]:
    """What data/claims/read/KIND.jsonl has."""
    path = build_claims.FOLDER / "read" / f"{kind}.jsonl"
    return (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    )


def drawn(kind: str, unread: bool = False) -> dict[str, list[dict[str, object]]]:
    """The rows of a sheet by source, in a fixed random order.

    unread  only of pairs of which no row has been read"""
    known = {(row["document"], row["claim"]) for row in recorded(kind)} if unread else set()
    rows = build_claims.of_file(build_claims.FOLDER / "written" / f"{kind}.txt")
    pairs: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        if row.get("edited") != "source":
            pairs.setdefault(str(row["pair"]), []).append(row)
    sheets: dict[str, list[dict[str, object]]] = {}
    for pair, some in pairs.items():
        if any((row["document"], row["summary"]) in known for row in some):
            continue
        # Either label is as likely, whatever the number of edits.
        chance = random.Random(f"reading/{pair}")
        edits = [row for row in some if row["label"] == 0]
        row = chance.choice(edits) if edits and chance.random() < 0.5 else some[0]
        sheets.setdefault(str(row["document"]), []).append(row)
    for document, some in sheets.items():
        random.Random(f"order/{document}").shuffle(some)
    return sheets


def sheet(kind: str, unread: bool = False) -> str:
    parts = []
    for document, some in drawn(kind, unread).items():
        claims = "\n".join(f"{n}. {row['summary']}" for n, row in enumerate(some, start=1))
        parts.append(f"=== {document}\n{some[0]['source']}\n--- claims\n{claims}\n")
    return "\n".join(parts)


def record(kind: str, shown: Path, answers: Path, add: bool = False) -> None:
    """Writes what a reader said of each claim of a sheet. Exits where a line does not fit.

    add  keeps what is recorded already"""
    entries = re.split(r"^=== ", shown.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    claims = {
        entry.partition("\n")[0].strip(): dict(
            re.findall(r"^(\d+)\. (.*)$", entry.rpartition("--- claims\n")[2], flags=re.MULTILINE)
        )
        for entry in entries
    }
    rows = recorded(kind) if add else []
    for line in filter(str.strip, answers.read_text(encoding="utf-8").splitlines()):
        document, _, rest = line.partition(":")
        said = {number: (sign, words) for number, sign, words in ANSWER.findall(rest)}
        if set(said) != set(claims.get(document.strip(), ())):
            sys.exit(f"{answers}, {document}: {len(said)} answers do not fit the sheet's claims")
        rows += [
            {"document": document.strip(), "claim": claims[document.strip()][number],
             "supported": int(sign == "+"), "wrong": words}
            for number, (sign, words) in said.items()
        ]  # fmt: skip
    target = build_claims.FOLDER / "read" / f"{kind}.jsonl"
    target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def compare() -> None:
    counts: Counter[tuple[int, int]] = Counter()
    named = changed = 0
    for path in sorted((build_claims.FOLDER / "read").glob("*.jsonl")):
        rows = {
            (row["document"], row["summary"]): row
            for row in build_claims.of_file(build_claims.FOLDER / "written" / f"{path.stem}.txt")
            if row.get("edited") != "source"
        }
        for said in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            row = rows.get((said["document"], said["claim"]))
            if row is None:
                changed += 1
                continue
            label = int(str(row["label"]))
            counts[label, said["supported"]] += 1
            if label != said["supported"]:
                print(f"{row['id']}: written {label}, read {said['supported']} [{said['wrong']}]: "
                      f"{row['summary']}")  # fmt: skip
            elif not label:
                summary = str(row["summary"])
                spans: list[tuple[int, int, str]] = row["spans"]  # type: ignore[assignment]
                marked = {text for a, b, _ in spans for text in summary[a:b].split()}
                named += bool(marked & set(said["wrong"].split()))
    total = counts.total()
    agreed = (counts[0, 0] + counts[1, 1]) / total
    written, read = (counts[1, 0] + counts[1, 1]) / total, (counts[0, 1] + counts[1, 1]) / total
    chance = written * read + (1 - written) * (1 - read)
    kappa = (agreed - chance) / (1 - chance)
    print(f"\n{total} claims read: {agreed:.1%} agree, kappa {kappa:.3f}")
    print(f"supported: {counts[1, 1]} of {counts[1, 0] + counts[1, 1]} read as supported")
    print(f"unsupported: {counts[0, 0]} of {counts[0, 0] + counts[0, 1]} read as unsupported; of "
          f"{named} the reader named a changed word")  # fmt: skip
    print(f"{changed} more were changed since")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    showing = commands.add_parser("sheet")
    written = sorted(path.stem for path in (build_claims.FOLDER / "written").glob("*.txt"))
    showing.add_argument("kind", choices=written, help="a file of data/claims/written")
    showing.add_argument("--unread", action="store_true", help="only pairs that nobody has read")
    recording = commands.add_parser("record")
    recording.add_argument("kind", choices=written)
    recording.add_argument("sheet", type=Path)
    recording.add_argument("answers", type=Path)
    recording.add_argument("--add", action="store_true", help="keep what is recorded already")
    commands.add_parser("compare")
    arguments = parser.parse_args()
    if arguments.command == "sheet":
        print(sheet(arguments.kind, arguments.unread))
    elif arguments.command == "record":
        record(arguments.kind, arguments.sheet, arguments.answers, arguments.add)
    else:
        compare()


if __name__ == "__main__":
    main()

"""Builds the claims set: `data/claims/written/*.txt` and `data/claims/generated/*.jsonl` ->
`data/claims/claims.jsonl`.

Writers give sources, supported claims and edits; this applies the edits, so that offsets are
exact, and refuses whatever does not fit. Readers have judged sentences of generated summaries of
the same sources. Both formats are described in data/claims/README.md.

    python tools/build_claims.py                 # checks, writes claims.jsonl, prints the counts
    python tools/build_claims.py --check FILE    # checks one written file, writes nothing
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "claims"

KINDS = (
    "news", "brief", "chat", "meeting", "call", "abstract", "discharge", "science", "earnings",
    "contract", "howto", "encyclopaedia", "story", "email",
)  # fmt: skip
MANNERS = ("verbatim", "light", "heavy", "joined", "abstracted", "inferred")
"""How a supported claim says what its source says."""

ERRORS = (
    "number", "unit", "date", "entity", "role", "negation", "antonym", "quantity", "modality",
    "plan", "cause", "order", "attribution", "comparison", "coreference", "invention",
    "overgeneralisation",
)  # fmt: skip
ROUNDS = {
    4: (
        "chat_roles", "chat_plans", "chat_talks", "chat_assistant", "meeting_long",
        "meeting_minutes", "call_support", "story_long", "story_posts", "news_feature",
        "news_digest", "news_live", "news_onesentence", "news_assistant", "brief_events",
        "abstract_trials", "discharge_notes", "science_papers", "encyclopaedia_claims",
        "encyclopaedia_answers", "howto_guides", "email_work", "email_assistant", "contract_terms",
        "earnings_results",
    ),
    5: (
        "abstract_studies", "brief_statements", "call_service", "chat_messenger", "chat_summarised",
        "contract_policies", "discharge_letters", "earnings_updates", "email_threads",
        "encyclopaedia_entries", "howto_questions", "meeting_interviews", "news_extracts",
        "news_reports", "brief_passages", "story_narratives", "story_plots",
    ),
    6: (
        "brief_contrasts", "chat_families", "contract_rulings", "encyclopaedia_topics",
        "meeting_reports", "news_bulletins", "science_findings", "story_tellers",
    ),
    7: (
        "brief_reviews", "chat_recaps", "contract_judgments", "discharge_visits",
        "encyclopaedia_summaries", "meeting_recaps", "news_summaries", "science_statements",
        "story_retold",
    ),
    8: (
        "call_podcasts", "chat_services", "contract_bills", "email_posts", "encyclopaedia_dense",
        "news_lines", "science_abstracts", "story_scenes",
    ),
    9: (
        "brief_leaflets", "call_transcripts", "chat_texts", "chat_threads", "email_inboxes",
        "meeting_transcripts", "news_current", "story_shorts",
    ),
    10: ("brief_snippets", "chat_exchanges", "meeting_queries", "news_explained", "story_outlines"),
}  # fmt: skip
"""The files of the rounds after the third."""

GENERATED = {"small_model": 11, "chat_assistant": 12}
"""The files of judged sentences, by who generated them, and their rounds."""

JUDGED = ("document", "summary", "label", "spans", "error_types", "corrected")
"""The fields of a judged sentence."""

SPLITS = (("train", 70), ("dev", 85), ("test", 100))
"""Name, and the share of sources up to which it goes."""

WORD = re.compile(r"\S+")
GAP = re.compile(r"  | [.,;:!?]")


class FormatError(Exception):
    """A written file is not as data/claims/README.md says; names file and line."""


@dataclass(slots=True)
class Edit:
    """Replacements that make a claim unsupported: of its own words, or of the source's.

    marked  of a source edit, the claim's words that are unsupported then
    """

    error: str
    replacements: list[tuple[str, str]]
    of_source: bool
    marked: list[str]
    place: str


@dataclass(slots=True)
class Claim:
    manner: str
    text: str
    place: str
    edits: list[Edit] = field(default_factory=list)


@dataclass(slots=True)
class Entry:
    id: str
    source: str
    claims: list[Claim]


def read(path: Path) -> list[Entry]:
    """The entries of a written file. Raises FormatError."""
    entries: list[Entry] = []
    lines: list[str] = []
    in_source = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        place = f"{path.name}, line {number}"
        if line.startswith("=== "):
            _closed(entries, in_source, place)
            entries.append(Entry(line[4:].strip(), "", []))
            lines, in_source = [], True
        elif not entries:
            if line.strip():
                raise FormatError(f"{place}: expected '=== ID' first, found {line[:40]!r}")
        elif in_source and line.strip() == "---":
            entries[-1].source, in_source = "\n".join(lines).strip(), False
        elif in_source:
            lines.append(line.rstrip())
        elif line.strip():
            _claim_line(entries[-1], line.strip(), place)
    _closed(entries, in_source, path.name)
    return entries


def _closed(entries: list[Entry], in_source: bool, place: str) -> None:
    if in_source:
        raise FormatError(f"{place}: the source of '{entries[-1].id}' is not ended by a line '---'")


def _claim_line(entry: Entry, line: str, place: str) -> None:
    sign, _, rest = line.partition(" ")
    head, colon, text = rest.partition(":")
    head, text = head.strip(), text.strip()
    if sign not in ("+", "-", "*") or not colon or not text:
        raise FormatError(f"{place}: expected '+ MANNER: claim', '- ERROR: a => b' or "
                          f"'* ERROR: a => b @ words', found {line[:60]!r}")  # fmt: skip
    if sign == "+":
        _known(head, MANNERS, place)
        entry.claims.append(Claim(head, text, place))
        return
    _known(head, ERRORS, place)
    if not entry.claims:
        raise FormatError(f"{place}: an edit before any claim")
    text, _, words = text.partition(" @ ") if sign == "*" else (text, "", "")
    replacements = []
    for piece in text.split(" && "):
        before, arrow, after = piece.partition(" => ")
        if not arrow or not before.strip() or before.strip() == after.strip():
            raise FormatError(f"{place}: expected 'original => changed', found {piece[:60]!r}")
        replacements.append((before.strip(), after.strip()))
    marked = [word.strip() for word in words.split(" && ") if word.strip()]
    entry.claims[-1].edits.append(Edit(head, replacements, sign == "*", marked, place))


def _known(name: str, names: tuple[str, ...], place: str) -> None:
    if name not in names:
        raise FormatError(f"{place}: '{name}' is none of {', '.join(names)}")


def _find(words: str, text: str, what: str, place: str) -> int:
    """Where the words stand in a text, at word borders, once. Raises FormatError."""
    starts = []
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        within = start and text[start - 1].isalnum() and words[0].isalnum()
        if not (within or (text[end : end + 1].isalnum() and words[-1].isalnum())):
            starts.append(start)
        start = text.find(words, end)
    if len(starts) != 1:
        raise FormatError(f"{place}: {words!r} occurs {len(starts)} times in the {what}, not once")
    return starts[0]


def applied(text: str, edit: Edit, what: str) -> tuple[str, list[list[int]]]:
    """The text after all replacements at once, and the characters of it that are new.

    Words that a replacement keeps at its beginning and end are not new. Where words were only taken
    out, the words beside the gap are marked. Raises FormatError."""
    placed = sorted(
        (_find(old, text, what, edit.place), old, new) for old, new in edit.replacements
    )
    pieces: list[str] = []
    spans: list[list[int]] = []
    gaps: list[int] = []
    done = size = 0
    for start, old, new in placed:
        if start < done:
            raise FormatError(f"{edit.place}: replacements overlap")
        pieces.append(text[done:start])
        size += start - done
        first, last = _changed(old, new)
        if first < last:
            spans.append([size + first, size + last])
        else:
            gaps.append(size + first)
        pieces.append(new)
        size += len(new)
        done = start + len(old)
    changed = "".join([*pieces, text[done:]])
    if len(GAP.findall(changed)) > len(GAP.findall(text)):
        raise FormatError(
            f"{edit.place}: the edit leaves a blank too many; take a neighbouring word into both "
            "sides"
        )
    return changed, spans or _beside(changed, gaps[0])


def _changed(old: str, new: str) -> tuple[int, int]:
    """Where the words of `new` begin and end that are not at the same place of `old`; without any,
    twice where the words end that both begin with."""
    before, after = old.split(), [(m.start(), m.end(), m.group()) for m in WORD.finditer(new)]
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first][2]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last][2]:
        last += 1
    kept = after[first : len(after) - last]
    gap = after[first - 1][1] if first else 0
    return (kept[0][0], kept[-1][1]) if kept else (gap, gap)


def _beside(text: str, start: int) -> list[list[int]]:
    """The words on either side of a gap."""
    words = [match.span() for match in WORD.finditer(text)]
    return [[a, b] for a, b in words if a <= start + 1 and b >= start - 1] or [[0, len(text)]]


def rows(entry: Entry, kind: str, split: str) -> Iterator[dict[str, object]]:
    """The labelled rows of an entry in the shape of the bench files. Raises FormatError."""
    for number, claim in enumerate(entry.claims, start=1):
        pair = f"{entry.id}/{number}"
        shared = {"dataset": "claims", "document": entry.id, "pair": pair, "kind": kind,
                  "split": split, "manner": claim.manner}  # fmt: skip
        yield {"id": pair, "source": entry.source, "summary": claim.text, "label": 1, "spans": [],
               "error_types": [], **shared}  # fmt: skip
        for place, edit in enumerate(claim.edits, start=1):
            source, summary = entry.source, claim.text
            if edit.of_source:
                source, _ = applied(entry.source, edit, "source")
                if not edit.marked:
                    raise FormatError(f"{edit.place}: '@ words' of the claim are missing")
                starts = [(_find(w, summary, "claim", edit.place), w) for w in edit.marked]
                spans = [[start, start + len(words)] for start, words in sorted(starts)]
            else:
                summary, spans = applied(claim.text, edit, "claim")
            yield {"id": f"{pair}/{place}", "source": source, "summary": summary, "label": 0,
                   "spans": [[*span, edit.error] for span in spans], "error_types": [edit.error],
                   "edited": "source" if edit.of_source else "claim", **shared}  # fmt: skip


def splits(ids: list[str]) -> dict[str, str]:
    """The split of each source of one kind: the same share of every kind, in an order by hash."""
    order = sorted(ids, key=lambda id: hashlib.sha256(f"claims/{id}".encode()).hexdigest())
    return {
        id: next(name for name, end in SPLITS if 100 * place < end * len(order))
        for place, id in enumerate(order)
    }


def of_file(path: Path) -> list[dict[str, object]]:
    """All rows of a written file. It is named by its kind (`chat.txt`); where the name goes on
    after that (`chat_short.txt`), all are of the train part. Raises FormatError."""
    kind, more, _ = path.stem.partition("_")
    if kind not in KINDS:
        raise FormatError(f"{path.name}: the file's name begins with none of {', '.join(KINDS)}")
    entries = read(path)
    twice = [id for id, count in Counter(entry.id for entry in entries).items() if count > 1]
    if twice:
        raise FormatError(f"{path.name}: two entries '{twice[0]}'")
    for entry in entries:
        words = len(entry.source.split())
        if not 40 <= words <= 2600 or len(entry.claims) < 3:
            raise FormatError(
                f"{path.name}, '{entry.id}': {words} words and {len(entry.claims)} claims; 40 to "
                "2,600 words and 3 claims or more are wanted"
            )
    ids = [entry.id for entry in entries]
    split = dict.fromkeys(ids, "train") if more else splits(ids)
    later = {name: number for number, names in ROUNDS.items() for name in names}
    round = later.get(path.stem, 3 if more else 1)  # in the second, files of the first went on
    return [
        {**row, "round": round} for entry in entries for row in rows(entry, kind, split[entry.id])
    ]


def all_generated(written: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """`of_generated` each file of GENERATED."""
    written = list(written)
    paths = [FOLDER / "generated" / f"{name}.jsonl" for name in GENERATED]
    return [row for path in paths for row in of_generated(path, written)]


def of_generated(path: Path, written: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """The rows of the sentences of generated summaries, with the sources of the written rows: each
    sentence, and its correction where there is one. Raises FormatError."""
    shared = {
        str(row["document"]): {name: row[name] for name in ("source", "document", "kind", "split")}
        for row in written
        if row.get("edited") != "source"
    }
    placed: list[dict[str, object]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        sentence = json.loads(line)
        place = f"{path.name}, line {number}"
        if missing := [name for name in JUDGED if name not in sentence]:
            raise FormatError(f"{place}: the field '{missing[0]}' is missing")
        if sentence["document"] not in shared:
            raise FormatError(f"{place}: no written source '{sentence['document']}'")
        if bool(sentence["label"]) == bool(sentence["spans"]):
            raise FormatError(f"{place}: spans are wanted where the label is 0, and only there")
        pair = f"{sentence['document']}/{path.stem}-{number}"
        common = {"dataset": "claims", **shared[sentence["document"]], "pair": pair,
                  "manner": "generated", "round": GENERATED[path.stem]}  # fmt: skip
        for error in sentence["error_types"]:
            _known(error, ERRORS, place)
        placed.append({"id": pair, **common, "summary": sentence["summary"],
                       "label": sentence["label"], "spans": sentence["spans"],
                       "error_types": sentence["error_types"]})  # fmt: skip
        if sentence["corrected"]:
            placed.append({"id": f"{pair}/corrected", **common, "summary": sentence["corrected"],
                           "label": 1, "spans": [], "error_types": []})  # fmt: skip
    return placed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", type=Path, help="one written file; nothing is written")
    arguments = parser.parse_args()
    files = [arguments.check] if arguments.check else sorted((FOLDER / "written").glob("*.txt"))
    try:
        placed = [row for path in files for row in of_file(path)]
        if not arguments.check:
            placed += all_generated(placed)
    except FormatError as error:
        sys.exit(str(error))
    if not arguments.check:
        with (FOLDER / "claims.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in placed)
    for name in ("label", "kind", "split", "manner", "edited"):
        print(name, dict(Counter(row[name] for row in placed if name in row)))
    print("errors", dict(Counter(error for row in placed for error in row["error_types"])))  # type: ignore[attr-defined]
    print(f"{len({row['document'] for row in placed})} sources, {len(placed)} rows")


if __name__ == "__main__":
    main()

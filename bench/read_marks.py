"""How right `support` is by careful readers, who see neither labels nor marks, on kinds of text
that its model was not trained on: verdicts and marked words.

    python bench/read_marks.py sheets FOLDER [--each 6] [--files NAME ...]   # to read
    python bench/read_marks.py record READER FOLDER ANSWERS [ANSWERS ...]
    python bench/read_marks.py table [--model mini] [-o results/marks-read.md]

`sheets` draws summaries that nobody has read, as many that their release calls faithful as
unfaithful where it has so many, and writes FOLDER/1.txt, 2.txt, ... A reader writes a line for each
summary, `NUMBER: [wrong words] [wrong words]`, or `NUMBER: -` where the source supports all of it.
`record` adds where these words are to results/marks-read.jsonl, with no text of the releases.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from data import DATA
from faithkit import Example, Score, meta, models
from faithkit.evaluation import examples
from faithkit.evaluation.markdown import table_lines
from faithkit.metrics.support import Support
from faithkit.models.protocols import SupportModel
from faithkit.models.runtime import Runtime
from faithkit.run import prepare
from left_out import with_interval
from read_summaries import FILES, drawn

KEPT = Path(__file__).parents[1] / "results" / "marks-read.jsonl"
EVERYDAY = Path(__file__).parents[1] / "examples" / "everyday.jsonl"
"""Summaries that were written with their errors; a reader who did not see these agreed on all."""

ALL_BUT = f"all but {EVERYDAY.name}"

METRICS = ("support", "bertscore", "novelty")
THRESHOLDS = (None, 0.2, 0.32, 0.4, 0.5, 0.6)
"""Probabilities from which words are marked; None: the model's own."""

PER_SHEET = 42
DRAWS = 2000

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Reading:
    """What a reader found wrong in a summary: characters `start, end` of it."""

    id: str
    reader: str
    errors: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Read:
    """A summary of a file with what its readers found."""

    file: str
    row: Example
    readings: Sequence[Reading]

    @property
    def is_faithful(self) -> bool | None:
        """None where the readers do not agree."""
        said = {not reading.errors for reading in self.readings}
        return said.pop() if len(said) == 1 else None

    @property
    def errors(self) -> list[tuple[int, int]]:
        """Of all readers; of those that touch one another the first."""
        found: list[tuple[int, int]] = []
        for reading in self.readings:
            found += [error for error in reading.errors if not touches(error, found)]
        return found


def touches(one: tuple[int, int], others: Spans) -> bool:
    return any(start < one[1] and one[0] < end for start, end in others)


# --- sheets and answers --------------------------------------------------------------------------


def readings() -> dict[str, list[Reading]]:
    """What is recorded, by the id of the summary."""
    kept: dict[str, list[Reading]] = {}
    for line in KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else ():
        record = json.loads(line)
        errors = tuple((start, end) for start, end in record["errors"])
        kept.setdefault(record["id"], []).append(Reading(record["id"], record["reader"], errors))
    return kept


def write_sheets(folder: Path, arguments: argparse.Namespace) -> None:
    """Draws rows, of a file no two of one document; FOLDER/rows.jsonl says which they are."""
    known, rows = readings(), []
    for name in arguments.files:
        documents: set[str | None] = set()
        for label in (1, 0):
            new = [row for row in drawn(name, label, arguments.data_dir, arguments.seed)
                   if row.id not in known and row.document not in documents]  # fmt: skip
            rows += new[: arguments.each]
            documents |= {row.document for row in new[: arguments.each]}
    order = np.random.default_rng(arguments.seed).permutation(len(rows)).tolist()
    folder.mkdir(parents=True, exist_ok=True)
    numbered = [(number, rows[place]) for number, place in enumerate(order, start=1)]
    lines = [json.dumps({"id": row.id, "summary": row.summary}) + "\n" for _, row in numbered]
    (folder / "rows.jsonl").write_text("".join(lines), encoding="utf-8")
    for sheet in range(0, len(numbered), PER_SHEET):
        parts = [
            f"=== {number}\n{row.source.strip()}\n--- summary {number}\n{row.summary.strip()}\n"
            for number, row in numbered[sheet : sheet + PER_SHEET]
        ]
        path = folder / f"{sheet // PER_SHEET + 1}.txt"
        path.write_text("\n".join(parts), encoding="utf-8")


def answered(path: Path, reader: str, folder: Path) -> Iterator[Reading]:
    """The readings of an answer file. Exits where a line does not fit its summary."""
    text = (folder / "rows.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    for line in path.read_text(encoding="utf-8").splitlines():
        number, _, said = line.partition(":")
        if not number.strip().isdigit() or not 1 <= int(number) <= len(rows):
            sys.exit(f"{path}: {line!r} should begin with the number of a summary")
        row = rows[int(number) - 1]
        errors: list[tuple[int, int]] = []
        for words in re.findall(r"\[([^]]+)]", said):
            after = errors[-1][1] if errors else 0  # the same words twice are two places
            start = max(row["summary"].find(words, after), row["summary"].find(words))
            if start < 0:
                sys.exit(f"{path}: summary {number} has no {words!r}")
            errors.append((start, start + len(words)))
        yield Reading(row["id"], reader, tuple(errors))


# --- tables --------------------------------------------------------------------------------------


def read_rows(data: Path) -> list[Read]:
    """The rows that have been read, in the order of the files, and those of EVERYDAY."""
    kept = readings()
    rows = [
        Read(name, row, kept[row.id])
        for name in FILES
        for row in examples.read(name, str(data), None)[1]
        if row.id in kept
    ]
    for row in examples.read(str(EVERYDAY), None, None)[1]:
        errors = tuple((start, end) for start, end, *_ in row.meta["spans"])
        rows.append(Read(EVERYDAY.name, row, [Reading(row.id, "author", errors)]))
    return rows


def auc(rows: Sequence[Read], scores: Sequence[Score], labels: Sequence[float | None]) -> str:
    groups = [row.row.document for row in rows]
    data = meta.sample([score.value for score in scores], labels, groups=groups)
    return with_interval(meta.estimate(meta.AUC, data, draws=DRAWS))


def ranking(rows: Sequence[Read], scores: Mapping[str, Sequence[Score]]) -> list[str]:
    """AUC by the readers' labels and by the releases', verdicts by the readers'."""
    lines = []
    names = list(dict.fromkeys(row.file for row in rows))
    groups = {name: {name} for name in names} | {ALL_BUT: set(names) - {EVERYDAY.name}}
    for group, files in groups.items():
        places = [place for place, row in enumerate(rows)
                  if row.file in files and row.is_faithful is not None]  # fmt: skip
        given = {name: [of[place] for place in places] for name, of in scores.items()}
        lines.append([group, *ranked([rows[place] for place in places], given)])
    columns = [f"`{metric}`" for metric in METRICS]
    header = ["file", "summaries", "faithful", "its labels agree", "`support`, by its labels"]
    return table_lines(
        [*header, *columns, "consistent: right", "not: right", "marks: right"], lines
    )


def ranked(rows: Sequence[Read], scores: Mapping[str, Sequence[Score]]) -> list[str]:
    """The cells of a line of `ranking`."""
    good = [float(bool(row.is_faithful)) for row in rows]
    released = [row.row.label for row in rows]
    agreed = np.mean([a == b for a, b in zip(good, released, strict=True)])
    cells = [str(len(rows)), f"{100 * np.mean(good):.0f}%", f"{100 * agreed:.0f}%"]
    cells.append(auc(rows, scores["support"], released))
    cells += [auc(rows, scores[metric], good) for metric in METRICS]
    verdicts = [score.parts.get("verdict") for score in scores["support"]]
    for wanted in (1.0, 0.0):
        right = [label == wanted for label, verdict in zip(good, verdicts, strict=True)
                 if verdict == wanted]  # fmt: skip
        cells.append(f"{sum(right)} of {len(right)}")
    shown = [right for pair in zip(rows, scores["support"], strict=True)
             for right in marked(*pair).marks]  # fmt: skip
    return [*cells, f"{sum(shown)} of {len(shown)}"]


@dataclass(frozen=True)
class Marked:
    """Of each mark of a summary whether a reader found an error there, and of each error whether it
    is marked."""

    marks: tuple[bool, ...]
    errors: tuple[bool, ...]


def marked(row: Read, score: Score) -> Marked:
    spans = [(span.start, span.end) for span in score.spans]
    return Marked(
        tuple(any(touches(span, reading.errors) for reading in row.readings) for span in spans),
        tuple(touches(error, spans) for error in row.errors),
    )


def shares(rows: Sequence[Marked]) -> tuple[float, float]:
    """Precision of the marks and recall of the errors; nan where there are none."""
    marks = [right for row in rows for right in row.marks]
    errors = [found for row in rows for found in row.errors]
    return (
        float(np.mean(marks)) if marks else np.nan,
        float(np.mean(errors)) if errors else np.nan,
    )


def share_cells(rows: Sequence[Marked]) -> list[str]:
    """With 95% intervals by bootstrap over summaries."""
    generator = np.random.default_rng(0)
    draws = [shares([rows[place] for place in generator.integers(0, len(rows), len(rows))])
             for _ in range(DRAWS)]  # fmt: skip
    low, high = np.nanquantile(draws, (0.025, 0.975), axis=0)
    return [f"{100 * value:.0f}% ({100 * a:.0f}–{100 * b:.0f})" if np.isfinite(value) else "–"
            for value, a, b in zip(shares(rows), low, high, strict=True)]  # fmt: skip


def marks(rows: Sequence[Read], model: SupportModel) -> list[str]:
    lines = []
    texts = [row.row for row in rows]
    for threshold in THRESHOLDS:
        scores = Support(model, threshold).score(texts)  # the model remembers its verdicts
        for is_everyday in (False, True):
            compared = [marked(row, score) for row, score in zip(rows, scores, strict=True)
                        if (row.file == EVERYDAY.name) == is_everyday]  # fmt: skip
            name = "the model's" if threshold is None else f"{threshold:g}"
            count = str(sum(len(row.marks) for row in compared))
            file = EVERYDAY.name if is_everyday else ALL_BUT
            lines.append([file, name, count, *share_cells(compared)])
    header = ["file", "threshold", "marks", "precision", "recall of errors"]
    return table_lines(header, sorted(lines, key=lambda line: line[0]))


def page(arguments: argparse.Namespace) -> list[str]:
    rows = read_rows(arguments.data_dir)
    model = models.load(f"support:{arguments.model}", Runtime(offline=True))
    prepared = prepare(METRICS[1:], Runtime(offline=True))
    metrics = [Support(model), *(one.metric for one in prepared)]
    texts = [row.row for row in rows]
    scores = {name: metric.score(texts) for name, metric in zip(METRICS, metrics, strict=True)}
    twice = [row for row in rows if len(row.readings) > 1]
    agreed = sum(row.is_faithful is not None for row in twice)
    everyday = sum(row.file == EVERYDAY.name for row in rows)
    return [
        "# `support` by careful readers",
        "",
        "Read [docs/support.md](../docs/support.md) for what the model is.",
        "",
        "```",
        "python bench/read_marks.py table -o results/marks-read.md",
        "```",
        "",
        f"{len(rows) - everyday} summaries of releases that the model was not trained on, and the "
        f"{everyday} of examples/everyday.jsonl. Readers, language models in sessions that knew "
        "nothing of this project, marked the words that the source does not support; they saw no "
        f"label, no mark and not each other. {len(twice)} summaries were read twice: on {agreed} "
        f"of them both agree whether there is an error. The other {len(twice) - agreed} are left "
        f"out of the first table, whose last row has {len(rows) - everyday - len(twice) + agreed} "
        f"of the {len(rows) - everyday} for this reason. The everyday ones were written with "
        "their errors by such a session; another, which read them without labels, agreed on all. "
        "AUC × 100 with 95% intervals by bootstrap over source documents; a verdict is right where "
        "the readers say the same.",
        "",
        *ranking(rows, scores),
        "A mark is right where it touches words that a reader marked. 95% intervals by bootstrap "
        "over summaries.",
        "",
        *marks(rows, model),
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=DATA)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("sheets")
    verb.add_argument("folder", type=Path)
    verb.add_argument("--each", type=int, default=6, help="Rows of a label of each file.")
    verb.add_argument("--files", nargs="+", default=list(FILES))
    verb.add_argument("--seed", type=int, default=0)
    verb = verbs.add_parser("record")
    verb.add_argument("reader", help="Who read, such as A.")
    verb.add_argument("folder", type=Path, help="That of the sheets.")
    verb.add_argument("answers", type=Path, nargs="+")
    verb = verbs.add_parser("table")
    verb.add_argument("--model", default="mini", help="A support model or its folder.")
    verb.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    if arguments.verb == "sheets":
        write_sheets(arguments.folder, arguments)
    elif arguments.verb == "record":
        with KEPT.open("a", encoding="utf-8") as output:
            for path in arguments.answers:
                for reading in answered(path, arguments.reader, arguments.folder):
                    output.write(json.dumps(asdict(reading), ensure_ascii=False) + "\n")
    else:
        text = "\n".join(page(arguments))
        if arguments.output:
            arguments.output.write_text(text, encoding="utf-8")
        print(text, end="")


if __name__ == "__main__":
    main()

"""Pairs in and scores out, in the format that the file's ending names.

Every error names file, line and field. Writing appends lines, so that a run that is killed has lost
nothing. How rows are got out of a file is in `rows.py`, which column holds which field in
`columns.py`; what a run does is in `run/`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import shutil
import sys
import tempfile
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from faithkit import flat, manifests, rows, writing
from faithkit.columns import DEFAULTS, LABELS, OPTIONAL_FIELDS, REQUIRED, Columns
from faithkit.fields import MissingField, Row, id_of_system
from faithkit.records import (
    JSON,
    ConfigError,
    DataError,
    Example,
    Score,
    did_you_mean,
    document_id,
)

log = logging.getLogger("faithkit")

OUTPUTS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
"""Ending to format of what is written; `rows.FORMATS` are those that are read."""

GROUP = "group"
"""The column that holds the document or the pair in files of one shape for several releases."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A checked file of pairs: how many there are, and the hash of what was read.

    group_is   what the column `group` of a file without `document` and `pair` holds: "document" or
               "pair", None if absent or not wanted (see `_Groups`)
    by_system  whether ids repeat across systems; an example's id is then `ID/SYSTEM`
    note       what the reader found out about the file that the user may want to know; "" if
               nothing
    part       the rows of the file that these are; None: all
    prefix     what is before the number of a row that has no id
    """

    path: Path
    format: str
    columns: Columns
    count: int
    sha256: str
    group_is: Literal["document", "pair"] | None = None
    by_system: bool = False
    note: str = ""
    part: rows.Part | None = None
    prefix: str = ""

    def __iter__(self) -> Iterator[Example]:
        for _, example in self.placed():
            group = example.meta.get(GROUP)
            named = str(group) if isinstance(group, str | int) else ""
            if self.group_is == "document":
                example = replace(example, document=named)
            elif self.group_is == "pair":
                example = replace(example, pair=named or None)
            yield replace(example, id=id_of_system(example)) if self.by_system else example

    def placed(self) -> Iterator[tuple[str, Example]]:
        """Each row as the file has it, with the place to name in an error: `file, line N`."""
        return _examples(self.path, self.format, self.columns, self.part, self.prefix)

    def lines(self) -> dict[str, int]:
        """The line of the file where each row begins, by its id; empty where the format has no
        lines, and for standard input, of which nothing is left to look at."""
        if _display_name(self.path) != str(self.path):
            return {}
        places = (place.rpartition(", line ")[2].partition(" ")[0]
                  for place, _ in _examples(self.path, self.format, self.columns))  # fmt: skip
        return {
            example.id: int(line)
            for example, line in zip(self, places, strict=True)
            if line.isdecimal()
        }

    def without_id(self) -> int:
        """How many rows have no id, so that their number is their id."""
        column = self.columns.by_field.get("id")
        table = _table(self.path, self.format)
        return sum(column is None or not row.optional_name(column) for row in table.read())

    def hash_of_fields(self, needs: Collection[str], every_column: bool) -> str:
        """The hash of what a run reads beside ids and texts: the fields that its metrics need, and
        every column where it writes them too. "" where it reads nothing else."""
        if not ({*needs} - {"source", "summary"} or every_column):
            return ""
        hashed = hashlib.sha256()
        for example in self:
            hash_example(hashed, example, needs)
        if every_column:
            hash_texts(hashed, [repr(self.columns.to_dict())])
            for row in _table(self.path, self.format).read():
                hash_texts(hashed, (repr((name, row.values[name])) for name in sorted(row.values)))
        return hashed.hexdigest()

    def with_fields(self, wanted: Collection[str], columns: Columns) -> Rows:
        """These rows with the `wanted` fields of `columns` too; checks the file again where they
        were not read."""
        read = {*wanted, *self.columns.by_field}
        more = columns.without(*(field for field in OPTIONAL_FIELDS if field not in read))
        return self if more == self.columns else check(self.path, self.format, more)


def format_of(path: Path) -> str:
    """The format of an output, by its ending. Raises DataError on any other ending."""
    format = OUTPUTS.get(path.suffix.lower())
    if format is None:
        raise DataError(
            f"{path}: cannot tell the format from the ending '{path.suffix}'; use one of "
            f"{', '.join(OUTPUTS)}"
        )
    return format


@contextmanager
def open_pairs(
    path: str, columns: Columns | None = None, stdin_format: str = "jsonl"
) -> Iterator[Rows]:
    """Checks every row of a file (or of standard input, for `-`) before anything is scored.

    Raises DataError, naming file, line and field, on: no such file, no rows, malformed JSON,
    a missing or non-text field, a wrong column name, a label without a meaning, a duplicate id,
    text that is not UTF-8, a source or summary that is null (but a missing cell of Parquet, XLSX
    or JSON columns is an empty text). An id may be used once by each system, where a column names
    it; the ids are then `ID/SYSTEM`.
    Raises ConfigError on an unknown `stdin_format`. Memory does not grow with the rows but for 16
    bytes each, except for JSON and XLSX, which are read whole.
    """
    columns = columns or Columns()
    if path != "-":
        file = Path(path)
        if not file.is_file():
            problem = "is a directory" if file.is_dir() else "no such file"
            if file.exists() and not file.is_dir():
                problem = "not a plain file; the rows are read twice. Pipe it in and name it '-'"
            raise DataError(f"{file}: {problem}")
        yield check(file, rows.format_of(file), columns)
        return
    if stdin_format not in rows.FORMATS.values():
        hint = did_you_mean(stdin_format, set(rows.FORMATS.values()))
        raise ConfigError(f"Unknown input format '{stdin_format}'.{hint}")
    # Standard input can be read once only, and the rows are read twice: checked, then scored.
    with tempfile.TemporaryDirectory(prefix="faithkit-") as folder:
        spooled = Path(folder) / f"standard-input.{stdin_format}"
        with spooled.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        yield check(spooled, stdin_format, columns)


def check(path: Path, format: str, columns: Columns) -> Rows:
    """Reads a whole file once, validating each row. Raises DataError as `open_pairs` says."""
    digests, of_systems = array("Q"), array("Q")
    groups = _Groups(columns)
    hashed = hashlib.sha256()
    unread = ""
    numbers = {*REQUIRED}  # the texts that are a number in every row
    for place, example in _examples(path, format, columns):
        unread = unread or _unread_label(place, example, columns)
        digests.append(short_hash(example.id))
        of_systems.append(short_hash(id_of_system(example)))
        groups.add(example)
        hash_example(hashed, example)
        numbers = {field for field in numbers if _is_number(getattr(example, field))}
    if not digests:
        raise DataError(f"{_display_name(path)}: no rows")
    import numpy as np  # here, so that importing faithkit stays quick

    by_system = len(np.unique(np.frombuffer(digests, dtype=np.uint64))) < len(digests)
    if by_system:
        values, counts = np.unique(np.frombuffer(of_systems, dtype=np.uint64), return_counts=True)
        if (counts > 1).any():
            _report_duplicate(path, format, columns, set(values[counts > 1].tolist()))
    digest, group_is = hashed.hexdigest(), groups.meaning(path)
    taken = [f"every {field} is a number (column '{columns.by_field[field]}')"
             for field in sorted(numbers)]  # fmt: skip
    note = "; ".join(filter(None, (_note(path, format, columns), unread, *taken)))
    return Rows(path, format, columns, len(digests), digest, group_is, by_system, note)


def _note(path: Path, format: str, columns: Columns) -> str:
    delimiter = _table(path, format).delimiter(columns.needed)
    if delimiter in (None, {"csv": ",", "tsv": "\t"}.get(format)):
        return ""
    return f"{_display_name(path)}: cells are separated by {delimiter!r}"


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _unread_label(place: str, example: Example, columns: Columns) -> str:
    """A note about a label column that is not read but could not be interpreted either; "" if there
    is nothing to note."""
    field = DEFAULTS["label"]
    if columns.label is not None or field not in example.meta:
        return ""
    try:
        _label(Row(place, example.meta), field, columns.labels)
    except DataError as error:
        return f"labels are not read here. {error}"
    return ""


class _Groups:
    """Decides what the column `group` holds in a file that names neither documents nor pairs. If a
    source text occurs in several groups, groups are smaller than documents, so they are pairs;
    otherwise they are documents."""

    def __init__(self, columns: Columns) -> None:
        default = Columns()
        self._named = (columns.document, columns.pair) != (default.document, default.pair)
        self._hashes = array("Q")

    def add(self, example: Example) -> None:
        self._named = self._named or example.pair is not None or names_document(example)
        group = example.meta.get(GROUP)
        if not self._named and isinstance(group, str | int) and group != "":
            self._hashes.extend((short_hash(str(group)), short_hash(example.source)))

    def meaning(self, path: Path) -> Literal["document", "pair"] | None:
        """Whether `group` holds documents or pairs; None if there is no such column, or other
        columns name documents or pairs. Raises DataError if it can be neither."""
        if self._named or not self._hashes:
            return None
        import numpy as np

        table = np.frombuffer(self._hashes, dtype=np.uint64).reshape(-1, 2)
        combined = len(np.unique(table, axis=0))
        groups, sources = (len(np.unique(column)) for column in table.T)
        if combined == sources:
            return "document"
        if combined == groups:
            return "pair"
        raise DataError(
            f"{_display_name(path)}, field '{GROUP}': some groups have several source texts and "
            "some source texts several groups, so a group is neither the source document nor a "
            "pair; say which it is with --column document=group or --column pair=group, or rename "
            "it"
        )


def names_document(example: Example) -> bool:
    """Whether the document was named, or is the identity of the source's text."""
    return example.document != document_id(example.source)


def check_named(name: str, ids: Sequence[str], named: Sequence[int]) -> None:
    """Raises DataError where some rows of a file name their source document (1) and others do not
    (0): rows of one source could then belong to two documents."""
    lacking = len(ids) - sum(named)
    if 0 < lacking < len(ids):
        first = next(i for i, is_named in zip(ids, named, strict=True) if not is_named)
        raise DataError(
            f"{name}: {lacking} of {len(ids)} rows have no document, the first '{first}'; name "
            "the source document of every row, or of none (then equal source texts are one "
            "document)"
        )


def hash_texts(hashed: hashlib._Hash, texts: Iterable[str]) -> None:
    """Adds texts, each with its length, to a hash of what was read."""
    for text in texts:
        hashed.update(f"{len(text)}:".encode())
        hashed.update(text.encode("utf-8", "surrogatepass"))


def hash_example(hashed: hashlib._Hash, example: Example, needs: Collection[str] = ()) -> None:
    """Adds what a run reads of an example: its id, its texts and what else the metrics need."""
    hash_texts(hashed, (example.id, example.source, example.summary))
    for name in sorted({*needs} - {"source", "summary"}):
        value = getattr(example, name, None)
        hash_texts(hashed, (name, repr(example.meta.get(name) if value is None else value)))


def short_hash(text: str) -> int:
    """The first 8 bytes of a hash of the text, for finding equal texts in little memory."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _report_duplicate(path: Path, format: str, columns: Columns, suspects: set[int]) -> None:
    first: dict[str, str] = {}
    for place, example in _examples(path, format, columns):
        identity = id_of_system(example)
        if short_hash(identity) in suspects:
            if identity in first:
                raise DataError(
                    f"{place}, field '{columns.id}': id '{example.id}' was already used on "
                    f"{first[identity].rpartition(', ')[2]}; ids must be unique, or unique for "
                    "each system where a column names it (--column system=NAME); --column id=none "
                    "numbers the rows"
                )
            first[identity] = place


def _display_name(path: Path) -> str:
    return rows.STANDARD_INPUT if path.stem == "standard-input" else str(path)


def _table(path: Path, format: str) -> rows.Table:
    return rows.Table(path, format, _display_name(path))


def _examples(
    path: Path, format: str, columns: Columns, part: rows.Part | None = None, prefix: str = ""
) -> Iterator[tuple[str, Example]]:
    table = replace(_table(path, format), part=part)
    _check_encoding(table)
    first = 1 if part is None else part.rows + 1
    try:
        for number, row in enumerate(table.read(columns.needed), start=first):
            yield row.place, _example(row, f"{prefix}{number}", columns)
    except MissingField as error:
        raise DataError(f"{error}{columns.proposed(error.names)}") from error


def _check_encoding(table: rows.Table) -> None:
    if table.format not in ("parquet", "xlsx"):
        with table.open() as file:
            start = file.read(4)
        if is_utf16(start):
            raise DataError(f"{table.name}: {utf16_problem(table.name)}")
        if ending := PACKED_TABLES.get(start):
            raise DataError(f"{table.name}: this looks like a file of {ending}; name it so")


PACKED_TABLES = {b"PK\x03\x04": "Excel (.xlsx)", b"PAR1": "Parquet (.parquet)"}
"""How the formats begin that are not text."""


def utf16_problem(name: str) -> str:
    """What is said of a file of this name that is UTF-16."""
    command = rows.iconv(name, "UTF-16")
    saved = "this looks like UTF-16, as Excel writes 'Unicode Text'"
    return f"{saved}; {rows.SAVE_AS_UTF8}: {command}"


def is_utf16(start: bytes) -> bool:
    """Whether a text that begins with these bytes is UTF-16: by its mark, or by a zero byte beside
    its first character."""
    return start[:2] in (b"\xff\xfe", b"\xfe\xff") or (
        len(start) > 1 and 0 in start[:2] and start[:2] != b"\0\0"
    )


def _example(row: Row, number: str, columns: Columns) -> Example:
    names = columns.by_field
    identity = row.optional_name(names["id"]) if "id" in names else None
    return row.example(
        identity or number,
        _text(row, columns.source),
        _text(row, columns.summary),
        document=(row.optional_name(names["document"]) or "") if "document" in names else "",
        pair=row.optional_name(names["pair"]) if "pair" in names else None,
        system=row.optional_name(names["system"]) if "system" in names else None,
        label=_label(row, names["label"], columns.labels) if "label" in names else None,
        rating=_rating(row, names["rating"]) if "rating" in names else None,
        meta=row.rest(*names.values()),
    )


def _text(row: Row, field: str) -> str:
    """A text; a missing cell of a table is empty, which is the outcome `no_content`."""
    if row.get(field) is None:
        if row.of_table:
            return ""
        raise DataError(f'{row.wrong(field, "text")}; an empty text is ""')
    return row.text(field)


def _label(row: Row, field: str, labels: Mapping[str, int | None] | None) -> int | None:
    value = row.values.get(field)
    if value is None or value == "":
        return None
    key = str(value).strip().lower()
    for name in (key, key.removesuffix(".0")):
        if name in (labels or LABELS):
            return (labels or LABELS)[name]
    wanted = "1 (consistent) or 0" if labels is None else " or ".join(map(repr, labels))
    raise DataError(
        f"{row.wrong(field, wanted)}; say what your labels mean, such as --labels ok=1,wrong=0, or "
        "--column label=none"
    )


def _rating(row: Row, field: str) -> float | None:
    if row.values.get(field) in (None, ""):
        return None
    try:
        return row.number(field)
    except DataError as error:
        raise DataError(f"{error}; if this is no rating, --column rating=none") from error


WRITTEN = "name what `faithkit score -o` wrote"


def score_lines(path: Path) -> Iterator[Score]:
    """The scores of a file that a run wrote, in any of the formats, or of a folder of shards;
    without spans and evidence from a table, which has the number of marks alone (see
    `flat.py`). A warning says if the run has not ended."""
    if path.is_dir():
        for shard in manifests.shards_of(path):
            yield from score_lines(shard)
        return
    if said := manifests.unfinished(path):
        log.warning("%s: %s", path, said)
    format = rows.format_of(path)
    for row in _table(path, format).read():
        try:
            nested = format in ("jsonl", "json")
            yield Score.from_row(row.values) if nested else flat.score_of(row.values)
        except DataError as error:
            raise DataError(f"{row.place}: {error}; {WRITTEN}") from error
        except (KeyError, ValueError, TypeError) as error:
            problem = f"no field {error}" if isinstance(error, KeyError) else error
            raise DataError(
                f"{row.place}: this is not a row of scores ({problem}); {WRITTEN}"
            ) from error


def to_line(score: Score) -> str:
    """One row of the output JSONL, with its line end."""
    return line_of(score.to_row())


def line_of(row: Mapping[str, JSON]) -> str:
    """One row of JSONL, with its line end."""
    return json.dumps(row, ensure_ascii=False, separators=(", ", ": ")) + "\n"


def export(
    journal: Path,
    target: Path,
    examples: Iterable[Example],
    metrics: Mapping[str, flat.Described],
    keep_columns: bool = False,
) -> None:
    """Turns the journal of a finished run (JSONL) into the CSV, TSV or Parquet at `target`, with
    the columns of `flat.py`. Streams; the target appears only when whole. Raises OSError.

    examples      those that were scored, in order; walked twice
    metrics       by label; each example has a row for each
    keep_columns  whether the columns of the input are written too
    """
    header = flat.header_of(_joined(journal, examples, len(metrics)), keep_columns)
    rows = (
        flat.cells(score, example, header, metrics[score.metric])
        for example, scores in _joined(journal, examples, len(metrics))
        for score in scores
    )
    format = format_of(target)
    with writing.replacing(target) as partial:
        if format == "parquet":
            flat.write_parquet(partial, rows, header)
        else:
            writing.write_table(partial, rows, header.columns, "\t" if format == "tsv" else ",")


def _joined(
    journal: Path, examples: Iterable[Example], metrics: int
) -> Iterator[tuple[Example, list[Score]]]:
    scores = score_lines(journal)
    for example in examples:
        yield example, list(islice(scores, metrics))

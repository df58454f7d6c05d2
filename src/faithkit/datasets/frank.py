"""FRANK (Pagnoni et al., NAACL 2021): `benchmark_data.json` joined with `human_annotations.json`.

The first holds articles and summaries, the second the judgements; they are joined by `hash` and
`model_name`. In the release, 1 means that a summary does not have an error; here, `errors` are the
shares of errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Row, read_rows
from faithkit.records import DataError, Example

GROUPS = ("Semantic_Frame_Errors", "Discourse_Errors", "Content_Verifiability_Errors")
TYPES = ("RelE", "EntE", "CircE", "OutE", "GramE", "CorefE", "LinkE", "Other")
ORIGINS = {"cnndm": "cnndm", "bbc": "xsum"}
SPLITS = {"valid": "val", "validation": "val", "val": "val", "test": "test"}


def read(paths: Sequence[Path], *, origin: str | None = None) -> Iterator[Example]:
    """Rating: `Factuality`, 0 to 1. origin: take only this part, cnndm or xsum.

    `meta`: origin, split, reference; `errors`, the share of sentences with an error by group and
    by type; `error_groups` and `error_types`, the names of those above 0; `flipped`, the release's
    rating with one kind of error reversed (for its ablation). A summary without
    annotation has no rating.
    """
    judged: dict[tuple[str, str], Row] = {}
    required = ("hash", "model_name", "dataset", "split", "Factuality", *GROUPS, *TYPES)
    for row in read_rows(paths[1], required):
        if judged.setdefault(_key(row), row) is not row:
            raise DataError(f"{row.place}: a second judgement of '{'/'.join(_key(row))}'")
    for row in read_rows(paths[0], ("hash", "model_name", "article", "summary", "split")):
        judgement = judged.pop(_key(row), None)
        document_origin = "xsum" if row.name("hash").isdigit() else "cnndm"
        if judgement and ORIGINS[judgement.one_of("dataset", tuple(ORIGINS))] != document_origin:
            raise judgement.wrong("dataset", f"the set of the document ({document_origin})")
        if origin in (None, document_origin):
            yield _example(row, judgement, document_origin)
    if judged:
        row = next(iter(judged.values()))
        raise DataError(
            f"{row.place}: {paths[0]} holds no summary '{'/'.join(_key(row))}' "
            f"({len(judged)} judgements have none)"
        )


def _key(row: Row) -> tuple[str, str]:
    return row.name("hash"), row.name("model_name")


def _example(row: Row, judgement: Row | None, origin: str) -> Example:
    split = SPLITS[row.one_of("split", tuple(SPLITS))]
    meta = {"origin": origin, "split": split, "reference": row.values.get("reference")}
    if judgement:
        if SPLITS[judgement.one_of("split", tuple(SPLITS))] != split:
            raise judgement.wrong("split", f"the split of the summary ({split})")
        errors = {name: 1.0 - judgement.number(name, 0, 1) for name in (*GROUPS, *TYPES)}
        flips = [name for name in judgement.values if name.startswith("Flip_")]
        meta |= {
            "errors": errors,
            "error_groups": [name for name in GROUPS if errors[name] > 0],
            "error_types": [name for name in TYPES if errors[name] > 0],
            "flipped": {name.removeprefix("Flip_"): judgement.number(name) for name in flips},
        }
    return row.example(
        "/".join(("frank", *_key(row))),
        row.text("article"),
        row.text("summary"),
        document=row.name("hash"),
        system=row.name("model_name"),
        rating=judgement.number("Factuality", 0, 1) if judgement else None,
        meta=meta,
    )

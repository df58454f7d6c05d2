"""AggreFact (Tang et al., ACL 2023): nine annotated sets under binary labels, and its error types.

Three files of the release: `aggre_fact_final.csv` (all summaries, labels and cuts),
`AggreFact-Unified-*.xlsx` (summaries with errors, one sheet for each origin and error type) and
`CLIFF_error_types.csv` (in `cliff.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from faithkit.datasets.rows import ONE_ZERO, Names, Row, read_rows
from faithkit.datasets.spans import annotated, texts
from faithkit.records import DataError, Example

ORIGINS = ("cnndm", "xsum")
ORIGIN_OF_SHEET: Mapping[str, str] = {"cnn": "cnndm", "xsum": "xsum"}

_MODELS = {
    "FTSOTA": "BART Pegasus PegasusDynamic T5",
    "EXFORMER": "BertSum BertExtAbs BertExt GPT2 BERTS2S TranS2S",
    "OLD": "FastAbsRl TConvS2S PtGen PtGenCoverage Summa BottomUp Seq2Seq TextRank missing "
    "ImproveAbs NEUSUM ClosedBookDecoder RNES BanditSum ROUGESal MultiTask UnifiedExtAbs",
}
ERAS: Mapping[str, str] = {
    model.lower(): era for era, models in _MODELS.items() for model in models.split()
}
"""The era of each model, by its name in lower case, as in the release's own evaluation code.

`missing` (FactCC's summaries do not name the model) is OLD there. Lead-3 and human references are
not models and have no era.
"""

ERA_OF_CATEGORY: Mapping[str, str] = {"SOTA": "FTSOTA", "Early Trans": "EXFORMER", "OLD": "OLD"}
"""The paper's names of the eras, by their names in the spreadsheet; `Gold` is kept."""


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """`aggre_fact_final.csv`. `meta`: dataset, origin, era (None for a summary that is not by a
    model), cut, split, and each metric's published score and label under `published`.
    """
    named = Names()
    required = ("dataset", "origin", "id", "doc", "summary", "model_name", "label", "cut")
    for row in read_rows(paths[0], required):
        origin, dataset = row.one_of("origin", ORIGINS), row.name("dataset")
        model, cut = row.name("model_name"), row.one_of("cut", ("val", "test"))
        yield row.example(
            named(f"aggrefact/{dataset}/{row.name('id')}/{model}"),
            row.text("doc"),
            row.text("summary"),
            document=row.name("id"),
            system=model,
            label=row.choice("label", ONE_ZERO),
            meta={
                "dataset": dataset,
                "origin": origin,
                "era": ERAS.get(model.lower()),
                "cut": cut,
                "split": cut,
                "published": row.rest(*required),
            },
        )


def read_unified(paths: Sequence[Path], *, dataset: str | None = None) -> Iterator[Example]:
    """`AggreFact-Unified-*.xlsx`. dataset: take only the rows of this set.

    A summary with errors of several types is in several sheets and becomes one Example with all its
    types. The label is that of the release: a few summaries with an error type are labelled 1. Only
    the rows of XSumFaith hold their document and spans; the other documents are read by their id
    from `paths[1]`, `aggre_fact_final.csv`.
    """
    documents = _documents(paths[1]) if len(paths) > 1 else {}
    required = ("dataset", "id", "summ", "model_name", "label", "cut", "error_type", "category")
    merged: dict[tuple[str, ...], tuple[Row, list[str]]] = {}
    for row in read_rows(paths[0], required):
        if dataset in (None, row.name("dataset")):
            key = tuple(map(row.name, ("dataset", "id", "model_name", "summ")))
            types = merged.setdefault(key, (row, []))[1]
            types += [kind for kind in error_types(row, "error_type") if kind not in types]
    named = Names()
    for key, (row, types) in merged.items():
        yield _unified(row, named("/".join(("aggrefact", *key[:3]))), types, documents)


def error_types(row: Row, field: str) -> list[str]:
    """The cell `['intrinsic-NP', ...]` or `correct` as a list; empty for a consistent summary."""
    value = row.text(field)
    types = [] if value == "correct" else texts(value)
    if types is None:
        raise row.wrong(field, "'correct' or a list of error types")
    return types


def _unified(row: Row, identity: str, types: list[str], documents: Mapping[str, str]) -> Example:
    model, category = row.name("model_name"), row.name("category")
    source = row.text("doc") if row.values.get("doc") else documents.get(row.name("id"))
    if source is None:
        raise DataError(f"{row.place}: aggre_fact_final.csv holds no document {row.name('id')}")
    summary = row.text("summ")
    # Only the rows of XSumFaith have their spans; elsewhere the cell is empty.
    spans, texts_of_spans = annotated(row, "annotated_span", summary, types)
    return row.example(
        identity,
        source,
        summary,
        document=row.name("id"),
        system=model,
        label=row.choice("label", ONE_ZERO),
        spans=spans,
        meta={
            "dataset": row.name("dataset"),
            "origin": _origin(row),
            "era": ERA_OF_CATEGORY.get(category, category),
            "cut": row.name("cut"),
            "split": row.name("cut"),
            "error_types": types,
            **texts_of_spans,
        },
    )


def _origin(row: Row) -> str:
    prefix = row.text("sheet").split("_")[0]
    if prefix not in ORIGIN_OF_SHEET:
        raise row.wrong("sheet", "a sheet named cnn_... or xsum_...")
    return ORIGIN_OF_SHEET[prefix]


def _documents(path: Path) -> dict[str, str]:
    # The two files name some of the sets differently (Goyal21, GoyalDurrett2021), hence by id.
    return {row.name("id"): row.text("doc") for row in read_rows(path, ("id", "doc"))}

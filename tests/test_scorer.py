"""From Python: what a check and a run give, tables of examples, and one scorer in many threads."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import faithkit
from faithkit import ConfigError, DataError, Example, Scorer, inputs
from faithkit.records import Span
from tests.helpers.tiny_metrics import Known
from tests.helpers.tiny_verdict_metric import Judged, Vague

SOURCE, SUMMARY = "Ann paid 74 pounds. Bob left.", "Ann paid 68 pounds."
ROWS = [(SOURCE, SUMMARY), (SOURCE, "Bob left."), ("", "words")]


@pytest.fixture
def scorer() -> Scorer:
    return Scorer(Judged(), no_cache=True)


def test_a_check_has_the_verdict_its_probability_the_marks_and_the_evidence(scorer: Scorer) -> None:
    result = scorer.check(SOURCE, SUMMARY)
    assert (result.value, result.verdict, result.probability) == (0.8, "not consistent", 0.8)
    assert [SUMMARY[span.start : span.end] for span in result.spans] == result.marked == ["68"]
    assert [SOURCE[item.start : item.end] for item in result.evidence] == ["Ann paid 74 pounds."]
    assert result.outcome == "ok"


def test_a_printed_check_has_its_marks_and_their_evidence(scorer: Scorer) -> None:
    result = scorer.check(SOURCE, SUMMARY)
    assert str(result).splitlines() == [
        "Ann paid [1: 68] pounds.",
        "",
        "  1: 68 — 80% doubt",
        "     best evidence: “Ann paid 74 pounds.”",
        "",
        "judged: not consistent (80% likely to be consistent)",
        "judged: 0.8000 (probability of something)",
    ]
    assert repr(result) == (
        "Check(id='summary', value=0.8000, verdict='not consistent', marked=['68'])"
    )


def test_a_check_without_a_score_says_why(scorer: Scorer) -> None:
    result = scorer.check("", "words")
    assert (result.value, result.verdict, result.probability) == (None, None, None)
    why = "judged: no score. The source is empty, so there is nothing to compare the summary with."
    assert str(result).splitlines() == ["words", "", why]
    assert f"<p>{why}</p>" in result._repr_html_()
    assert "outcome='no_content'" in repr(result)


def test_an_empty_summary_is_shown_as_empty(scorer: Scorer) -> None:
    result = scorer.check(SOURCE, " \n")
    assert str(result).splitlines()[:2] == ["(empty)", ""]
    assert '<p class="faithkit-text">(empty)</p>' in result._repr_html_()


def test_a_doubted_summary_without_marks_is_not_said_to_have_no_unsupported_words() -> None:
    result = Scorer(Vague(), no_cache=True).check("Ann left. Bob", "He left.")
    assert str(result).splitlines() == [
        "He left.",
        "",
        "No single word stands out; the least supported sentence is shown below, "
        "which need not be wrong.",
        "Least supported sentence (40% likely): “He left.”",
        "  best evidence: “Ann left.”",
        "",
        "vague: undecided (40% likely to be consistent)",
        "vague: 0.4000 (probability of something)",
    ]
    html = result._repr_html_()
    assert "<p>No single word stands out; the least" in html and "No unsupported" not in html


def test_a_metric_that_marks_no_words_is_not_said_to_have_found_none() -> None:
    result = faithkit.check(SOURCE, "Zed flew.", "novelty", no_cache=True)
    assert result.id == "summary"
    assert "novelty does not mark unsupported words." in str(result)
    assert "novelty does not mark unsupported words." in result._repr_html_()


def test_the_thresholds_of_a_verdict_are_printed_with_it() -> None:
    """The shipped model."""
    result = faithkit.check(SOURCE, "Bob left.", no_cache=True)
    assert result.verdict_thresholds is not None
    low, high = (f"{100 * threshold:.3g}%" for threshold in result.verdict_thresholds)
    said = f"likely to be consistent; undecided is from {low} to {high})"
    assert said in str(result) and f"{said}</strong>" in result._repr_html_()
    assert "No unsupported words found by support." in str(result)


def test_a_check_of_several_metrics_names_each_doubt_and_has_the_first_ones_value() -> None:
    result = faithkit.check(SOURCE, SUMMARY, [Known(), Judged()], no_cache=True)
    assert result.value == result.scores[0].value == 0.8
    assert "1: 68 — 50% doubt by known, 80% doubt by judged" in str(result)
    assert result.verdict is None


def test_control_characters_of_the_texts_are_visible_in_print(scorer: Scorer) -> None:
    shown = str(scorer.check("a", "red \x1b[31m and \u202eright"))
    assert "\x1b" not in shown
    assert "\\u001b" in shown
    assert "\u202e" not in shown


def test_a_notebook_shows_marks_with_every_text_escaped(scorer: Scorer) -> None:
    html = scorer.check("a script: alert(1)", 'Ann & <script>alert(1)</script> "68"')._repr_html_()
    assert "<script" not in html
    assert "&lt;" in html and "&gt;" in html
    assert '<mark class="faithkit-mark faithkit-grade-3"' in html
    assert "judged: not consistent" in html


def test_the_least_supported_sentence_is_shown_in_print_and_in_a_notebook() -> None:
    """The shipped model, of a wrong 'he', which a function word is."""
    source = "Ann told Ben that she would sell the <b>house</b>. It rained."
    result = faithkit.check(source, "Ann told Ben that he would sell the <b>house</b>.",
                            no_cache=True)  # fmt: skip
    assert not result.spans and result.verdict != "consistent"
    assert re.search(r"Least supported sentence \(\d+% likely\): “Ann told Ben", str(result))
    assert "\n  best evidence: “Ann told Ben that she would sell the <b>house</b>" in str(result)
    html = result._repr_html_()
    assert (
        "<b>" not in html and "<p>Least supported sentence" in html and "<br>best evidence" in html
    )


def test_a_run_is_sized_and_holds_its_checks(scorer: Scorer) -> None:
    scores = scorer.score(ROWS)
    assert len(scores) == 3
    assert [score.id for score in scores] == ["1", "2", "3"]
    assert scores[-1].outcome == "no_content"
    assert [check.value for check in scores.checks] == [0.8, 1.0, None]
    assert repr(scores) == (
        "Scores of 3 examples\n"
        "  judged: mean 0.9000, 2 of 3 scored, 1 consistent, 1 not consistent, 1 no_content"
    )
    assert repr(scorer.score(ROWS[0])).startswith("Scores of 1 example\n")
    assert pickle.loads(pickle.dumps(scores)) == scores


def test_the_worst_come_first_and_unscored_rows_apart(scorer: Scorer) -> None:
    scores = scorer.score(ROWS)
    assert [check.example.id for check in scores.worst(5)] == ["1", "2"]
    assert [check.example.id for check in scores.worst(1)] == ["1"]
    assert [check.example.id for check in scores.unscored()] == ["3"]
    with pytest.raises(ConfigError, match="'known' was not run"):
        scores.worst(1, "known")


def test_a_run_writes_the_page(scorer: Scorer, tmp_path: Path) -> None:
    scorer.score(ROWS).report(tmp_path / "page.html")
    with pytest.raises(ConfigError, match=r"page\.txt: this is written as \.html"):
        scorer.score(ROWS).report(tmp_path / "page.txt")
    assert not (tmp_path / "page.txt").exists()
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>") or page.startswith("<!doctype html>")
    assert SUMMARY in page


def test_a_run_as_a_table_has_flat_columns(scorer: Scorer) -> None:
    scores = scorer.score([{"source": SOURCE, "summary": SUMMARY, "topic": "money"}])
    (row,) = scores.to_arrow(keep_columns=True).to_pylist()
    assert {name: row[name] for name in ("value", "verdict", "marked", "summary", "topic")} == {
        "value": 0.8, "verdict": "not consistent", "marked": "68", "summary": SUMMARY,
        "topic": "money",
    }  # fmt: skip
    assert "summary" not in scores.to_arrow().column_names
    pandas = pytest.importorskip("pandas")
    frame = scores.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == scores.to_arrow().column_names


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2024, 5, 1, 9), "2024-05-01 09:00:00"),
        (Decimal("1.50"), "1.50"),
        (b"caf\xc3\xa9", "café"),
        ("as it is", "as it is"),
        (3, "3"),
        (True, "true"),
        (["a", "b"], '["a","b"]'),
        ([date(2024, 5, 1)], '["2024-05-01"]'),
    ],
)
def test_a_kept_column_has_each_value_as_it_is_written(
    scorer: Scorer, value: object, text: str
) -> None:
    scores = scorer.score([{"source": SOURCE, "summary": SUMMARY, "own": value}])
    (row,) = scores.to_arrow(keep_columns=True).to_pylist()
    assert row["own"] == text


SPAN = Span(4, 8, "unsupported")


@pytest.mark.parametrize(
    ("spans", "read"),
    [
        ((SPAN,), (SPAN,)),
        ([SPAN], (SPAN,)),
        ([[4, 8]], (SPAN,)),
        ([(4, 8, "number", "anna")], (Span(4, 8, "number"),)),
        ([{"start": 4, "end": 8, "kind": "number"}], (Span(4, 8, "number"),)),
        ([], ()),
        (None, ()),
    ],
)
def test_spans_of_people_are_read_in_the_forms_of_a_file(spans: Any, read: tuple[Span]) -> None:
    (example,) = inputs.examples_of([{"source": SOURCE, "summary": SUMMARY, "spans": spans}])
    assert example.spans == read


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("spans", 5, "field 'spans': expected a list of spans, found int"),
        ("spans", [(4,)], r"item 1: expected \[start, end, kind\] within the 19 characters"),
        ("spans", [(4, 99)], "within the 19 characters of the summary"),
        ("spans", ["68"], "field 'spans', item 1"),
        ("meta", 5, "field 'meta' should be a dict, found int"),
        ("meta", ["x"], "field 'meta' should be a dict"),
        ("rating", "3", "field 'rating' should be a number that is finite, found str"),
        ("rating", 10**400, "field 'rating' should be a number that is finite, found int"),
        ("document", "\ud800", "field 'document' holds half a surrogate pair"),
    ],
)
def test_a_field_that_cannot_be_read_is_named(
    scorer: Scorer, field: str, value: object, message: str
) -> None:
    with pytest.raises(DataError, match=f"example 1: .*{message}"):
        scorer.score([{"source": SOURCE, "summary": SUMMARY, field: value}])


def test_an_example_has_no_spans_but_spans() -> None:
    with pytest.raises(DataError, match="'spans' should be a tuple of Spans"):
        Example("1", SOURCE, SUMMARY, spans=((4, 8),))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", ["a", 1.5, 0])
def test_a_batch_size_is_a_whole_number(scorer: Scorer, size: Any) -> None:
    with pytest.raises(ConfigError, match="batch_size should be a whole number, 1 or more"):
        scorer.score(ROWS, batch_size=size)


def test_kept_columns_have_names_that_no_other_column_has(scorer: Scorer) -> None:
    own = {"value": "a", "input.value": "b", "input.marks": "c"}
    scores = scorer.score([{"source": SOURCE, "summary": SUMMARY, **own}])
    table = scores.to_arrow(keep_columns=True)
    assert len({*table.column_names}) == len(table.column_names)
    (row,) = table.to_pylist()
    names = ("input.input.value", "input.value", "input.marks")
    assert [row[name] for name in names] == ["a", "b", "c"]
    assert row["value"] == 0.8


COLUMNS: dict[str, list[Any]] = {
    "article": [SOURCE, SOURCE, None], "summary": [SUMMARY, "Bob left.", "words"],
    "label": [1, None, 0],
}  # fmt: skip
NAMED = {"source": "article"}


def frame() -> Any:
    return pytest.importorskip("pandas").DataFrame(COLUMNS)


def dataset() -> Any:
    return pytest.importorskip("datasets").Dataset.from_dict(COLUMNS)


def polars() -> Any:
    return pytest.importorskip("polars").DataFrame(COLUMNS)


@pytest.mark.parametrize("table", [lambda: COLUMNS, lambda: pa.table(COLUMNS), frame, polars,
                                   dataset])  # fmt: skip
def test_a_table_gives_its_rows_and_a_missing_text_is_empty(scorer: Scorer, table: Any) -> None:
    scores = scorer.score(table(), column=NAMED)
    assert [check.value for check in scores.checks] == [0.8, 1.0, None]
    assert [check.example.label for check in scores.checks] == [1, None, 0]
    assert scores[2].outcome == "no_content"


def test_a_wrong_column_names_the_nearest(scorer: Scorer) -> None:
    with pytest.raises(DataError, match=r"no key 'articel'. Did you mean 'article'"):
        scorer.score(COLUMNS, column={"source": "articel"})
    with pytest.raises(ConfigError, match=r"no field 'sorce'. Did you mean 'source'"):
        scorer.score(COLUMNS, column={"sorce": "article"})
    with pytest.raises(DataError, match="one length, found source 1, summary 2"):
        scorer.score({"source": ["a"], "summary": ["a", "b"]})


def test_threads_and_coroutines_share_a_scorer(scorer: Scorer) -> None:
    expected = scorer.check(SOURCE, SUMMARY)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(scorer.check, [SOURCE] * 24, [SUMMARY] * 24))
    assert results == [expected] * 24

    async def many() -> list[faithkit.Check]:
        return await asyncio.gather(*(scorer.acheck(SOURCE, SUMMARY) for _ in range(8)))

    assert asyncio.run(many()) == [expected] * 8


def test_a_stream_scores_as_it_is_asked(scorer: Scorer) -> None:
    taken = []

    def rows() -> Any:
        for number in range(100):
            taken.append(number)
            yield {"source": SOURCE, "summary": SUMMARY}

    stream = scorer.stream(rows(), batch_size=10)
    assert taken == []
    assert next(stream).value == 0.8
    assert len(taken) == 10
    stream.close()


def test_a_stream_goes_on_in_another_thread(tmp_path: Path) -> None:
    scorer = Scorer(Judged(), cache=tmp_path / "scores.sqlite")
    stream = scorer.stream([(SOURCE, f"Bob left {n}.") for n in range(4)], batch_size=2)
    found = [next(stream)]
    with ThreadPoolExecutor(1) as pool:
        found += pool.submit(list, stream).result()
    assert [check.example.id for check in found] == ["1", "2", "3", "4"]


def test_a_bar_is_shown_on_standard_error_only_if_asked_for(
    scorer: Scorer, capsys: pytest.CaptureFixture[str]
) -> None:
    scorer.score(ROWS)
    assert capsys.readouterr() == ("", "")
    scorer.score(ROWS, progress=True)
    shown = capsys.readouterr()
    assert (shown.out, "3/3" in shown.err) == ("", True)


def test_scores_are_kept_where_the_command_line_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path))
    faithkit.check(SOURCE, SUMMARY, "novelty", no_cache=True)
    assert list(tmp_path.iterdir()) == []
    faithkit.check(SOURCE, SUMMARY, "novelty")
    assert (tmp_path / "scores.sqlite").exists()
    faithkit.check(SOURCE, SUMMARY, "novelty", cache=tmp_path / "mine.sqlite")
    assert (tmp_path / "mine.sqlite").exists()


def test_the_thresholds_of_the_verdict_are_those_of_the_model(scorer: Scorer) -> None:
    assert scorer.check(SOURCE, SUMMARY).verdict_thresholds is None
    thresholds = faithkit.Scorer().metrics[0].verdict_thresholds
    assert thresholds is not None
    assert 0 < thresholds[0] < thresholds[1] < 1


def test_a_score_has_its_verdict_and_its_check_the_marked_words(scorer: Scorer) -> None:
    scores = scorer.score(ROWS)
    assert [score.verdict for score in scores] == ["not consistent", "consistent", None]
    assert scores.checks[0].marked == scores.worst(1)[0].marked == ["68"]


@pytest.mark.parametrize("given", [[SUMMARY], {"source": SOURCE, "summary": SUMMARY}])
def test_a_column_or_a_row_of_a_data_frame_is_refused(scorer: Scorer, given: Any) -> None:
    series = pytest.importorskip("pandas").Series(given)
    with pytest.raises(DataError, match="found a pandas Series, which is one column or one row"):
        scorer.score(series)


@pytest.mark.parametrize("function", [faithkit.check, faithkit.score])
def test_the_functions_name_the_options_of_a_scorer(function: Any) -> None:
    options = set(inspect.signature(Scorer).parameters) - {"metrics"}
    assert options <= set(inspect.signature(function).parameters)
    with pytest.raises(TypeError, match="unexpected keyword argument 'devise'"):
        function(SOURCE, SUMMARY, devise="cpu")


def test_the_package_has_its_version() -> None:
    assert faithkit.__version__ == version("faithkit")
    assert "__version__" in dir(faithkit)


def test_the_names_of_the_package_are_those_it_says_it_has() -> None:
    assert all(getattr(faithkit, name).__name__ == name for name in faithkit.__all__)
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        _ = faithkit.chekc

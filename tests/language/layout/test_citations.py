"""Marks of citations in the plain form."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary

SOURCE = "It sold 40 pumps in Leeds. Churn fell."


@pytest.mark.parametrize(
    "mark",
    [
        "[1]", " [1]", " [12]", "[1][3]", " [1][3]", " [1] [3]", " [1], [3]", " [^1]", " [1, 3]",
        " [1–3]", "[1](https://a.b/c)", " [1](https://a.b/c)", " ([1](https://a.b/c))", " ([1])",
        " (see [1])", "【1】", " 【4:0†report.pdf】", "¹", "¹,²", " [Doc 1]", " [doc_1]",
        "[Source 2]"," [source: report.pdf]", " (Doc 2)", " (Source 1, 2)", "[citation needed]",
        " [A1]", "[S3]", " [L1-L2]", " [S1, S2]", "[[1]](https://a.b/c)", " [Doc 2, p. 4]",
        " [turn0search1]", " [citation:1]", " (Ref. 1)", " \ue200cite\ue202turn0search0\ue201",
        " :contentReference[oaicite:0]{index=0}", " (Source: Document 1)", " (ID: DOC-17)",
        " [1†L12-L18]", " (cf. [1])", " citeturn0search3", " ^1^",
    ],
)  # fmt: skip
def test_marks_at_the_end_of_a_sentence_are_left_out(mark: str) -> None:
    text = f"It sold 40 pumps in Leeds{mark}. Churn fell{mark}."
    assert plain_source(text).text == SOURCE
    assert plain_summary(text, SOURCE).text == SOURCE


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It sold 40 pumps in Leeds. [1] Churn fell. [2]", SOURCE),
        ("It sold 40 pumps in Leeds.¹ Churn fell.²", SOURCE),
        ("Churn fell [1] and sales rose [2], but", "Churn fell and sales rose, but"),
        ("Churn fell in 2023 [1]: so", "Churn fell in 2023: so"),
    ],
)
def test_marks_between_and_within_sentences_are_left_out(text: str, plain: str) -> None:
    assert plain_source(text).text == plain


@pytest.mark.parametrize(
    "mark",
    [" (§2)", " [§2]", " [Paragraph 2]", " (para. 2)", " (see section 2)", " (pp. 4-5)",
     " [lines 3, 7]"],
)  # fmt: skip
def test_parts_of_a_text_are_left_out_of_a_summary_unless_its_source_numbers_them(
    mark: str,
) -> None:
    text = f"Churn fell{mark}."
    assert plain_summary(text, SOURCE).text == "Churn fell."
    assert plain_summary(text, "Section 2: churn. §2 line 3, p. 4").text == text
    assert plain_source(text).text == text


@pytest.mark.parametrize(
    "mark",
    [" (plan.pdf)", " [gold_plan.pdf]", " (Source: Gold Plan v2.pdf, page 3)", " (#1)",
     " (see a.docx; b.pdf, p. 2)"],
)  # fmt: skip
def test_files_are_left_out_of_a_summary_unless_its_source_tells_of_some(mark: str) -> None:
    text = f"Churn fell{mark}."
    assert plain_summary(text, f"{SOURCE}\n\nSource: plan.pdf").text == "Churn fell."
    assert plain_summary(text, "Print a.pdf or #2 (b.pdf).").text == text
    assert plain_source(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "[5] people left; it hired [5] people.", "She [sic] left.", "According to [1], it fell.",
        "See [1]. In [2].", "It is in the range [1, 5].", "It returns [1, 2, 3].",
        "Lee (2019) and Kim [2019].", "5 m², 3 km², 10⁹, x², mc³ and 40 metres².", "R² rose.",
        "Article 12 (1) and (2) of it.", "x[1], items[0], row[2].name", "[1] Lee, Title",
        "the Paris [5] of it", "He paid (1).",
        "It stood near [A1] there.", "Take the [A4].", "Take [B12].", "x[S1].y", "[P2] (P2)",
        "He rose (from 3).", "It costs 10^3^ there.", "See plan.pdf.", "Ann (a friend) left.",
        "Article 12 (§2) applies.", "It is shut (line 2 of the tram).",
    ],
)  # fmt: skip
def test_what_is_no_citation_stays(text: str) -> None:
    assert plain_source(text).text == text
    assert plain_summary(text, SOURCE).text == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("(1) It rained. (2) It snowed. (3) It froze.", "It rained.\n\nIt snowed.\n\nIt froze."),
        ("1) It rained. 2) It snowed.", "It rained.\n\nIt snowed."),
        ("Two things: (1) rain and (2) snow", "Two things: rain and snow"),
        ("It rained (2) It snowed, (3) it froze", "It rained (2) It snowed, (3) it froze"),
    ],
)
def test_numbers_of_a_list_in_one_line_are_left_out(text: str, plain: str) -> None:
    assert plain_source(text).text == plain

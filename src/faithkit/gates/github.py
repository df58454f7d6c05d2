"""GitHub Actions: annotations of the failing rows, and a summary of the step.

Texts of rows are escaped, so that they cannot be workflow commands, Markdown or HTML. GitHub shows
ten annotations of a kind for each step, so no more are written; the summary lists more rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faithkit.evaluation.markdown import escaped, plain
from faithkit.gates.gate import Finding, GateResult, failed_rows

ANNOTATIONS = 10
"""The most annotations of a kind that GitHub shows for a step."""

SUMMARY_ROWS = 100
TEXT = 300
"""The most characters of a text in the summary, which may have 1 MiB in total."""


def commands(verdicts: Sequence[GateResult], file: str, lines: Mapping[str, int]) -> Iterator[str]:
    """Workflow commands: an error for each failed condition, then for failing rows, at most
    ANNOTATIONS in total.

    file   the file of pairs
    lines  the line of each failing row, by its id
    """
    failed = [verdict for verdict in verdicts if verdict.failed]
    errors = [
        _command({"title": f"faithkit: {verdict.condition}"}, verdict.message) for verdict in failed
    ]
    for finding in _findings(verdicts):
        location = {"file": file} | (
            {"line": str(lines[finding.id])} if finding.id in lines else {}
        )
        message = "\n".join([finding.message, *finding.details])
        errors.append(_command({**location, "title": f"{finding.id}: {finding.rule}"}, message))
    yield from errors[:ANNOTATIONS]


def _command(properties: Mapping[str, str], message: str) -> str:
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::error {shown}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary(verdicts: Sequence[GateResult], file: str) -> str:
    """The summary of the step in Markdown: the result of every condition, then the failing rows."""
    lines = [f"### faithkit: {_markdown(file)}", "", "| gate | metric | result | |", "|-|-|-|-|"]
    for verdict in verdicts:
        mark = "❌ failed" if verdict.failed else "✅ passed"
        if not verdict.tested:
            mark = "⚠️ not tested"
        cells = (verdict.condition, verdict.metric, verdict.message)
        shown = [_markdown(cell) for cell in cells]
        lines.append(f"| {shown[0]} | {shown[1]} | {mark} | {shown[2]} |")
    findings = list(_findings(verdicts))
    if findings:
        lines += ["", "| row | fails by | |", "|-|-|-|"]
    for finding in findings[:SUMMARY_ROWS]:
        shown = [_markdown(cell) for cell in (finding.id, finding.rule, finding.message)]
        lines.append(f"| {' | '.join(shown)} |")
    if len(findings) > SUMMARY_ROWS:
        lines += ["", f"{len(findings) - SUMMARY_ROWS} more rows fail."]
    return "\n".join(lines) + "\n"


def _markdown(text: str) -> str:
    """The text cut to TEXT characters, with Markdown, HTML and ends of table cells escaped."""
    return escaped(plain(text if len(text) <= TEXT else f"{text[: TEXT - 1]}…"))


def _findings(verdicts: Sequence[GateResult]) -> list[Finding]:
    return [finding for row in failed_rows(verdicts).values() for finding in row]

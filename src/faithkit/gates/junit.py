"""JUnit XML, which most CI systems can show: a suite of the conditions, and a suite of rows for
each metric. A row that a failed condition names is a failure, or an error if it has no score."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from faithkit import writing
from faithkit.control import neutral
from faithkit.gates.conditions import UNSCORED
from faithkit.gates.gate import Finding, GateResult, failed_rows

_ILLEGAL = re.compile("[\ufffe\uffff]")
"""Characters that `neutral` does not replace, but XML 1.0 does not allow."""


def write(
    path: Path,
    verdicts: Sequence[GateResult],
    rows: Sequence[tuple[str, str]],
    file: str,
    lines: Mapping[str, int],
) -> None:
    """Writes the report. Raises DataError if it cannot be written.

    rows   (metric, id) of every row, in order
    file   the file of pairs
    lines  the line of each failing row, by its id
    """
    failed = failed_rows(verdicts)
    suites = ElementTree.Element("testsuites", name="faithkit")
    _conditions(suites, verdicts)
    by_metric: dict[str, list[str]] = {}
    for metric, identity in rows:
        by_metric.setdefault(metric, []).append(identity)
    for metric, ids in by_metric.items():
        suite = ElementTree.SubElement(suites, "testsuite", name=_text(metric))
        for identity in ids:
            attributes = {"classname": _text(metric), "name": _text(identity), "file": _text(file)}
            if identity in lines:
                attributes["line"] = str(lines[identity])
            case = ElementTree.SubElement(suite, "testcase", attributes)
            _add_findings(case, failed.get((metric, identity), ()))
        _count(suite)
    _count(suites)
    writing.write_text(path, ElementTree.tostring(suites, "unicode", xml_declaration=True) + "\n")


def _conditions(suites: ElementTree.Element, verdicts: Sequence[GateResult]) -> None:
    suite = ElementTree.SubElement(suites, "testsuite", name="gates")
    for verdict in verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_text(f"gates.{verdict.metric}".rstrip(".")),
            name=_text(verdict.condition),
        )  # fmt: skip
        if verdict.failed:
            ElementTree.SubElement(case, "failure", message=_text(verdict.message), type="gate")
        elif not verdict.tested:
            ElementTree.SubElement(case, "skipped", message=_text(verdict.message))
    _count(suite)


def _add_findings(case: ElementTree.Element, findings: Sequence[Finding]) -> None:
    for finding in findings:
        tag = "error" if finding.rule == UNSCORED else "failure"
        message = _text(finding.message)
        element = ElementTree.SubElement(case, tag, message=message, type=_text(finding.rule))
        element.text = _text("\n".join(finding.details))


def _count(suite: ElementTree.Element) -> None:
    """Sets the numbers of tests, failures, errors and skipped tests in a suite."""
    cases = list(suite.iter("testcase"))
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("errors", str(sum(case.find("error") is not None for case in cases)))
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))


def _text(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _ILLEGAL.sub("\ufffd", neutral(text))

"""SARIF 2.1.0 (OASIS, 2020), for GitHub code scanning and editors: a result for each failing row,
at its line in the file of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from faithkit import writing
from faithkit.gates.gate import LISTED, Finding, GateResult, failed_rows

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "faithkitRow/v1"
"""The name of the fingerprint; its number changes with the way in which fingerprints are
computed."""


def write(path: Path, verdicts: Sequence[GateResult], file: str, lines: Mapping[str, int]) -> None:
    """Writes the log with at most `LISTED` results; the properties of the run have the number of
    all failing rows. Raises DataError if it cannot be written.

    file   the path of the file of pairs, relative to the repository
    lines  the line of each failing row, by its id
    """
    findings = [finding for row in failed_rows(verdicts).values() for finding in row]
    rules = sorted({finding.rule for finding in findings})
    total = sum(verdict.count for verdict in verdicts if verdict.failed)
    run = {
        "tool": {
            "driver": {
                "name": "faithkit",
                "version": version("faithkit"),
                "rules": [
                    {"id": rule, "shortDescription": {"text": f"A row fails by {rule}"}}
                    for rule in rules
                ],
            }
        },
        "results": [_result(finding, rules, file, lines) for finding in findings[:LISTED]],
        "properties": {"failing": total, "listed": min(len(findings), LISTED)},
    }
    writing.write_json(path, {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(
    finding: Finding, rules: Sequence[str], file: str, lines: Mapping[str, int]
) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": quote(file)}}
    if finding.id in lines:
        location["region"] = {"startLine": lines[finding.id]}
    return {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": "error",
        "message": {"text": "\n".join([f"{finding.id}: {finding.message}", *finding.details])},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
    }

"""The pytest plugin: a fixture, and a marker that makes a test of each row of a file.

    def test_digest(assert_faithful):
        assert_faithful(summarise(article), article, at_least=0.5)

    @pytest.mark.faithful_cases("cases.jsonl")
    def test_case(faithful_case, assert_faithful):
        assert_faithful(summarise(faithful_case.source), faithful_case.source)

Installing faithkit activates the plugin. pytest imports this file only; the rest of faithkit is
loaded when a test uses it. Under xdist, each worker loads its own model, and all workers collect
the same cases in the order of the file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from faithkit.results import Check

MARKER, CASE = "faithful_cases", "faithful_case"


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(file): a test for each row of a file of source and summary (JSONL, CSV, ...); "
        f"the argument {CASE} is the row",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes a test of each row of the marker's file, whose path is absolute or relative to the
    folder of the test. Raises CollectError, of which pytest shows the message only, if the
    file is not named or cannot be read."""
    marker = metafunc.definition.get_closest_marker(MARKER)
    if marker is None or CASE not in metafunc.fixturenames:
        return
    from faithkit import files
    from faithkit.columns import OPTIONAL_FIELDS, Columns
    from faithkit.records import FaithkitError

    if len(marker.args) != 1:
        name = metafunc.definition.name
        raise pytest.Collector.CollectError(f"{name}: @pytest.mark.{MARKER} wants a file")
    path = metafunc.definition.path.parent / Path(marker.args[0])
    try:
        with files.open_pairs(str(path), Columns().without(*OPTIONAL_FIELDS)) as rows:
            cases = list(rows)
    except FaithkitError as error:
        raise pytest.Collector.CollectError(str(error)) from error
    metafunc.parametrize(CASE, cases, ids=[case.id for case in cases])


@pytest.fixture(scope="session")
def assert_faithful() -> Callable[..., Check]:
    """`faithkit.testing.assert_faithful`; the model is loaded once, at the first use."""

    def checked(summary: str, source: str, **options: Any) -> Check:
        __tracebackhide__ = True
        from faithkit import testing

        return testing.assert_faithful(summary, source, **options)

    return checked

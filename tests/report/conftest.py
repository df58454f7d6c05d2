"""Chromium for the tests of pages; those that ask for it are marked `browser`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.helpers.browser import chromium, page_of


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    with page_of(browser) as made:
        yield made

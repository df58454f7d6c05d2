"""A real browser for the tests marked `browser`: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser. Skips the test where it, or Playwright, is absent."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if not os.access(CHROMIUM, os.X_OK):
        pytest.skip(f"there is no {CHROMIUM}: apt-get install chromium")
    with playwright.sync_playwright() as started:
        # A container has no user namespaces for chromium's own sandbox.
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page_of(browser: Any, width: int = 1280, height: int = 850) -> Iterator[Any]:
    """A page in a fresh context. At its end nothing may have failed or been forbidden in it."""
    context = browser.new_context(viewport={"width": width, "height": height})
    context.set_default_timeout(15_000)
    page = context.new_page()
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on(
        "console",
        lambda said: failed.append(said.text) if "Content Security" in said.text else None,
    )
    page.on("dialog", lambda dialog: failed.append(f"dialog: {dialog.message}"))
    try:
        yield page
        assert failed == []
    finally:
        context.close()


def eventually(holds: Callable[[], bool], seconds: float = 10) -> None:
    """Waits until something holds. Playwright waits for an expression by `eval`, which the app's
    content-security policy forbids."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)

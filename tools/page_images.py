"""The pictures of docs/page.md and docs/app.md: the pages of the example pairs and of a
calibration on them, and the app, in Debian's chromium.

python tools/page_images.py    # writes page-overview.png, page-pair.png, page-calibration.png and
                               # app.png to docs/img
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "img"
PAIRS = ROOT / "examples" / "pairs.jsonl"
PAIR = "sport-rovers/unfaithful-1"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        command = [sys.executable, "-m", "faithkit.cli", "score", str(PAIRS), "-m", "support",
                   "-m", "bertscore", "--html", str(page_file)]  # fmt: skip
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 1100})
        page.goto(page_file.as_uri())
        page.locator("table.rows").wait_for()
        shoot(page, "page-overview.png")
        page.set_viewport_size({"width": 1280, "height": 820})
        page.get_by_role("link", name=PAIR).click()
        page.locator("#pair mark").first.wait_for()
        page.keyboard.press("j")
        shoot(page, "page-pair.png")
        figures_file = Path(folder) / "calibration.html"
        command = [sys.executable, "-m", "faithkit.cli", "calibrate", str(PAIRS), "-m", "support",
                   "--max-error", "0.2", "--html", str(figures_file)]  # fmt: skip
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        page.set_viewport_size({"width": 1020, "height": 1000})
        page.goto(figures_file.as_uri())
        shoot(page, "page-calibration.png")
        with serving() as address:
            page.set_viewport_size({"width": 1280, "height": 740})
            page.goto(address)
            page.get_by_role("button", name="Try an example").click()
            page.locator("#marks li").first.wait_for()
            page.keyboard.press("Alt+ArrowDown")
            shoot(page, "app.png")
        browser.close()


@contextmanager
def serving() -> Iterator[str]:
    """The address of the app while it runs."""
    command = [sys.executable, "-m", "faithkit.cli", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            (address,) = re.findall(r"http://\S+", server.stderr.readline())
            yield address
        finally:
            server.terminate()


def shoot(page: Any, name: str) -> None:
    page.screenshot(path=FOLDER / name)
    with Image.open(FOLDER / name) as image:
        image.convert("RGB").quantize(200).save(FOLDER / name, optimize=True)
    print(f"{FOLDER / name}: {(FOLDER / name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

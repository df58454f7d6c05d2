"""The pictures of docs/page.md: the page of the example pairs, in Debian's chromium.

python tools/page_images.py            # writes docs/images/page-overview.png and page-pair.png
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "images"
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
        browser.close()


def shoot(page: Any, name: str) -> None:
    page.screenshot(path=FOLDER / name)
    with Image.open(FOLDER / name) as image:
        image.convert("RGB").quantize(200).save(FOLDER / name, optimize=True)
    print(f"{FOLDER / name}: {(FOLDER / name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

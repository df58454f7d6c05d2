"""How fast a page of many rows is written and opened.

python bench/page.py --rows 50000    # needs Playwright and Debian's chromium
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from faithkit.records import Evidence, Example, Score, Span
from faithkit.report.results_page import ResultsPage
from faithkit.report.views import ShownMetric

TEXT = (
    "the council said on Monday that repairs to a swing bridge would cost three million pounds and "
    "traders had asked for relief while buses go on diverting through lanes"
)
WORDS = TEXT.split()
METRICS = [ShownMetric("support", bounds=(0.0, 1.0)), ShownMetric("other", bounds=(0.0, 1.0))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        started = time.perf_counter()
        write(path, rows)
        print(f"written in {time.perf_counter() - started:.1f} s (the texts made too)")
        print(f"{path.stat().st_size / 1e6:.0f} MB")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")
        look(path)


def write(path: Path, rows: int) -> None:
    draw = random.Random(0)
    source = ""
    with ResultsPage(METRICS) as page:
        for number in range(rows):
            if number % 4 == 0:
                source = " ".join(draw.choices(WORDS, k=450))
            summary = " ".join(draw.choices(WORDS, k=45))
            name, value = f"row-{number}", draw.random()
            row = Example(name, source, summary, system=f"s{number % 4}", label=int(value > 0.4))
            marks = (Span(10, 25, "unsupported", 0.2), Span(60, 75, "unsupported", 0.4))
            evidence = (
                Evidence(0, 100, 0, 150, "best match", 0.5),
                Evidence(200, 300, 0, 150, "evidence", 0.5),
                Evidence(200, 300, 10, 25, "marked words", 0.5),
            )
            verdict = {"verdict": float(value > 0.5)}
            first = Score(name, "support", value, parts=verdict, spans=marks, evidence=evidence)
            page.add(row, [first, Score(name, "other", draw.random())])
        page.write(path)


def look(path: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page()
        started = time.perf_counter()

        def passed(what: str) -> None:
            nonlocal started
            print(f"{what}: {time.perf_counter() - started:.2f} s")
            started = time.perf_counter()

        page.goto(path.as_uri(), wait_until="commit")
        page.locator("table.rows tbody tr").first.wait_for()
        passed("list shown after")
        page.wait_for_load_state("load")
        passed("whole file loaded after that")
        page.locator("table.rows tbody a").first.click()
        page.locator("#pair mark").first.wait_for()
        passed("row opened in")
        page.goto(f"{path.as_uri()}#q=row-4777")
        page.get_by_text("of 11").or_(page.get_by_text("of 1", exact=False)).first.wait_for()
        passed("searched in")
        browser.close()


if __name__ == "__main__":
    main()

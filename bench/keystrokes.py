"""How long the app takes from the last key to the marks of what was typed.

python bench/keystrokes.py                      # needs the extra web, Playwright, Debian's chromium
python bench/keystrokes.py --quiet 0 100 150    # with other pauses before a text is sent

A summary of `examples/source.txt` (711 words) is typed letter by letter, after a beginning that is
there already; after each word its marks are awaited. What is timed lies between the last key
event and the frame that shows the verdict and the marks of the whole text.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import Page, sync_playwright

EXAMPLES = Path(__file__).parent.parent / "examples"
WATCH = """() => {
  const verdict = document.getElementById("verdict");
  window.asked = 0;
  const send = faithkit.send;
  faithkit.send = (...given) => { window.asked += 1; return send(...given); };
  const pressed = () => { window.key = performance.now(); window.shown = 0; };
  document.addEventListener("input", pressed, true);
  new MutationObserver(() => {
    if (!verdict.classList.contains("old") && !window.shown)
      requestAnimationFrame(() => { window.shown = performance.now(); });
  }).observe(verdict, { attributes: true, attributeFilter: ["class"] });
}"""

AWAIT = """() => new Promise((done) => {
  const look = () => (window.shown ? done() : setTimeout(look, 5));
  look();
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=40, help="Words that are typed and timed.")
    parser.add_argument("--pace", type=float, default=80, help="Milliseconds between two keys.")
    parser.add_argument("--quiet", type=int, nargs="*", help="Pauses; default: the app's own.")
    given = parser.parse_args()
    source = (EXAMPLES / "source.txt").read_text(encoding="utf-8")
    words = (EXAMPLES / "summary.txt").read_text(encoding="utf-8").split()
    kept = max(0, len(words) - given.words)
    print(f"source {len(source.split())} words; summary {kept} words, then {len(words) - kept} "
          f"typed, a key every {given.pace:g} ms")  # fmt: skip
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        for quiet in given.quiet or [None]:
            page = browser.new_page()
            page.goto(address)
            page.evaluate(WATCH)
            if quiet is not None:
                page.evaluate("quiet => { faithkit.QUIET_MILLISECONDS = quiet; }", quiet)
            pause = page.evaluate("faithkit.QUIET_MILLISECONDS")
            page.fill("#source", source)
            page.fill("#summary", " ".join(words[:kept]))
            page.evaluate(AWAIT)
            times, asked = typed(page, words[kept:], given.pace)
            print(
                f"pause {pause} ms: from the last key to the marks median {median(times):.0f} ms, "
                f"95% under {quantiles(times, n=20)[-1]:.0f} ms, longest {max(times):.0f} ms; "
                f"{asked / len(times):.1f} requests a word"
            )
            page.close()
        browser.close()


def typed(page: Page, words: list[str], pace: float) -> tuple[list[float], int]:
    """Milliseconds from the last key of each word to its marks, and the requests of all."""
    times = []
    page.evaluate("window.asked = 0")
    page.locator("#summary").press("Control+End")
    for word in words:
        page.keyboard.type(f" {word}", delay=pace)
        page.evaluate(AWAIT)
        times.append(float(page.evaluate("window.shown - window.key")))
    return times, int(page.evaluate("window.asked"))


@contextmanager
def serving() -> Iterator[str]:
    """The address of the app with its default metric, in a process of its own."""
    command = [sys.executable, "-m", "faithkit.cli", "serve", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(r"http://\S+", line):
                yield found[0]
                break
        else:
            raise SystemExit("the app did not start")
    finally:
        process.terminate()
        process.wait(10)


if __name__ == "__main__":
    main()

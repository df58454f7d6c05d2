"""How long `faithkit --help` and `import faithkit` take, and what the import does not load.

python bench/startup.py
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

TRIES = 7


def best_seconds(command: list[str]) -> float:
    """The fastest of some tries: what is slower was something else on the machine."""
    times = []
    for _ in range(TRIES):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    program = str(Path(sys.executable).with_name("faithkit"))
    bare = best_seconds([sys.executable, "-c", "pass"])
    print(f"python -c pass          {bare:.3f} s")
    print(f"faithkit --help         {best_seconds([program, '--help']):.3f} s (aim: under 0.15)")
    print(
        f"import faithkit         {best_seconds([sys.executable, '-c', 'import faithkit']):.3f} s"
    )
    code = (
        "import sys, faithkit; print([m for m in ('torch', 'spacy', 'transformers') "
        "if m in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    print(f"heavy modules loaded    {loaded.stdout.strip()}")


if __name__ == "__main__":
    main()

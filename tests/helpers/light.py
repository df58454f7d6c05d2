"""A program of the light set: what is not in it cannot be imported. No test is in here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from faithkit.extras import EXTRAS

ABSENT = tuple(sorted({package for packages in EXTRAS.values() for package in packages}))

PROGRAM = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)
sys.meta_path.insert(0, Absent())
import importlib.util
whole = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: (
    None if name.partition(".")[0] in {absent!r} else whole(name, package)
)
{code}
"""


def run_light(
    code: str, folder: Path, absent: Sequence[str] = ABSENT
) -> subprocess.CompletedProcess[str]:
    """The Python code in a new process, in which importing one of these packages fails: by default
    those of all extras."""
    program = PROGRAM.format(absent=tuple(absent), code=code)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=folder, timeout=120,
        check=False,
    )  # fmt: skip


def faithkit_light(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command `faithkit` with these arguments in such a process."""
    return run_light(
        f"sys.argv = ['faithkit', *{arguments!r}]\nfrom faithkit.cli import main\nmain()", folder
    )

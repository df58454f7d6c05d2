"""Fills the disk under a sharded run, at several stages of it, gives it room, starts the same
command again, and compares the rows with those of a run that had room from the start.

    python bench/full_disk.py [--sizes 64k 512k 2m 4m 8m] [--rows 20000] [--seed 0]

The output folder is on a tmpfs of each size in turn, which is 64 MB for the last start. Mounting it
needs root; without, this says so and exits with 2.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kills import digest, write_inputs

ROOM = "64m"


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[None]:
    """A tmpfs of this size at the folder. Exits with 2 where it may not be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", None) or error
        print(f"full_disk.py mounts a tmpfs, which needs root: {str(why).strip()}", file=sys.stderr)
        sys.exit(2)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def score(inputs: Path, output: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable, "-m", "faithkit.cli", "score", str(inputs), "-m", "rouge2",
        "-o", f"{output}/", "--workers", "2", "--no-cache", "--quiet",
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False)


def done(output: Path) -> set[str]:
    """The shards that are whole."""
    return {path.name for path in output.glob("[0-9]*.jsonl.manifest.json")}


def tried(
    inputs: Path, folder: Path, size: str, expected: tuple[str, Counter[tuple[str, str]]]
) -> bool:
    """One size: whether each full start is one line, and the last one has the rows expected."""
    with mounted(folder, size):
        output, said, kept = folder / "out", [], []
        for _ in range(2):
            full = score(inputs, output)
            said.append(full.stderr.strip().splitlines())
            kept.append(done(output))
            if full.returncode != 2:
                print(f"{size}: ended with {full.returncode}: {full.stderr[-2000:]}")
                return False
        subprocess.run(["mount", "-o", f"remount,size={ROOM}", str(folder)], check=True)
        last = score(inputs, output)
        if last.returncode:
            print(f"{size}: with room it ended with {last.returncode}: {last.stderr[-2000:]}")
            return False
        hashed, rows, outcomes = digest(output)
    lost = len(expected[1].keys() - rows.keys())
    doubled = sum(count > 1 for count in rows.values())
    one_line = all(len(lines) == 1 for lines in said)
    print(
        f"{size}: {len(kept[0])} then {len(kept[1])} shards done when full; lines of error "
        f"{[len(lines) for lines in said]}; with room: {len(rows)} rows, lost {lost}, doubled "
        f"{doubled}, outcomes {dict(outcomes)}, bytes the same {hashed == expected[0]}\n"
        f"  {said[0][-1].replace(str(folder), 'DIR')}",
        flush=True,
    )
    return one_line and kept[0] <= kept[1] and hashed == expected[0] and not lost and not doubled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=["64k", "512k", "2m", "4m", "8m"])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with mounted(folder / "try", given.sizes[0]):
            pass  # before anything is scored: may it be mounted at all?
        write_inputs(folder / "in", given.rows, given.seed)
        if score(folder / "in", folder / "alone").returncode:
            raise SystemExit("the run that had room failed")
        expected, rows, _ = digest(folder / "alone")
        size = sum(path.stat().st_size for path in (folder / "alone").iterdir())
        print(f"{len(rows)} rows, {size / 1e6:.1f} MB of output", flush=True)
        whole = [
            tried(folder / "in", folder / f"full-{size}", size, (expected, rows))
            for size in given.sizes
        ]
    sys.exit(not all(whole))


if __name__ == "__main__":
    main()

"""A disk that is full while shards are written."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.command_line import KNOWN, faithkit
from tests.helpers.sharded import rows_of, score, scores, tree, write_jsonl

from faithkit.records import DataError

FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
from faithkit.cli import main
sys.argv = ["faithkit", *sys.argv[1:]]
if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
@pytest.mark.usefixtures("inline")  # but for the run whose disk is full
def test_a_run_that_may_write_no_more_says_so_and_goes_on_later(tmp_path: Path) -> None:
    inputs = write_jsonl(tmp_path / "in" / "a.jsonl", rows_of("a", 300))
    score(inputs, tmp_path / "whole", shard_bytes=10**6)
    script, out = tmp_path / "full.py", tmp_path / "out"
    script.write_text(FULL.format(limit=30_000))
    command = [str(inputs), "-m", KNOWN, "-o", f"{out}/", "--no-cache"]
    full = subprocess.run(
        [sys.executable, str(script), "score", *command], capture_output=True, check=False
    )
    assert full.returncode == 2, full.stderr
    assert b"cannot write" in full.stderr
    assert b"run the same command again" in full.stderr
    assert tree(out) == {}
    assert (out / "unfinished" / "000000.jsonl").stat().st_size > 0
    assert faithkit("score", *command).exit_code == 0
    assert tree(out) == tree(tmp_path / "whole")
    assert len(scores(out)) == 300


@pytest.mark.usefixtures("inline")
def test_a_disk_that_is_full_for_the_manifest_of_a_shard_is_one_error(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as filled:
        filled.setattr("faithkit.run.output._Saved.finish", full)
        with pytest.raises(DataError, match=r"disk is full\. \d+ rows are safe"):
            score(inputs, tmp_path / "out")
    score(inputs, tmp_path / "out")
    score(inputs, tmp_path / "whole")
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")

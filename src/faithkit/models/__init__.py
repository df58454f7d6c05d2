"""`load("role:name")`: loads a model that satisfies a protocol of `protocols`.

This module resolves a name (embedded model, local folder, Hugging Face hub) and imports the loader
of the role from a literal table. The embedded models are listed in `store.py`; each role has a file
of its own. Importing this loads no model library.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from faithkit.extras import explained
from faithkit.models import store
from faithkit.models.cards import trained_on as trained_on
from faithkit.models.identity import SETTINGS_SUFFIXES, stamp
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.network import is_offline
from faithkit.records import ConfigError, ModelError, did_you_mean

LOADERS: dict[str, str] = {
    "support": "faithkit.support.model:load_support",
    "embed": "faithkit.models.embeddings:load_encoder",
    "tokens": "faithkit.models.embeddings:load_encoder",
    "lm": "faithkit.models.causal:load_causal",
    "seq2seq": "faithkit.models.seq2seq:load_seq2seq",
    "generate": "faithkit.models.generation:load_generator",
    "chat": "faithkit.models.chat.local:load_chat",
    "nli": "faithkit.support.entailment:load_entailment",
    "srl": "faithkit.models.labelling:load_labeller",
    "check": "faithkit.models.checkpoints:load_claim_model",
    "spans": "faithkit.models.checkpoints:load_token_classifier",
    "qg": "faithkit.questions.seq2seq:load_question_generator",
    "qa": "faithkit.questions.spans:load_span_model",
}
"""The `module:loader` of each role, called as loader(path, name, device=..., dtype=...)."""

OTHER_ROLES = ("ner", "openie")
"""Roles whose models `load` does not read from a folder of weights."""

RULES: dict[str, str] = {
    "qg:rules": "faithkit.questions.rules:load_rules",
    "qa:cloze": "faithkit.questions.answering:load_cloze",
}
"""The `module:loader` of embedded models without weights of their own, called as
loader(rest, runtime, pull=...). rest: the part of the name after its second colon, such as the
support model in `qa:cloze:out/support`."""

BUILT_IN: dict[str, str] = {
    "qg:rules": "questions by rules over the parse",
    "qa:cloze": "the piece of the text that best completes a statement, as the support model "
    "finds; qa:cloze:FOLDER for another than support:mini",
    "qg:chat": "questions by a chat model; qg:chat:NAME for another than chat:mini",
    "qa:chat": "answers by a chat model; qa:chat:NAME for another than chat:mini",
}
"""Descriptions, shown to users, of the models without weights of their own, by `role:name`."""

CHATS = frozenset({"qg", "qa"})
"""Roles that a chat model can fill, as `qg:chat:NAME`. It is loaded as `chat:NAME`; the metric
writes its prompts."""

SERVERS: dict[str, str] = {"openie": "faithkit.models.corenlp:load_server"}
"""The `module:loader` of roles whose models are HTTP servers named by a URL, called as
loader(url, offline=...)."""

ADDRESSES = ("http://", "https://", "openai/")
"""The beginnings of names of chat models behind an API."""

LIGHT: dict[str, str] = {
    "support": "faithkit.support.engine:runs_light",
    "nli": "faithkit.support.entailment:runs_light",
    "embed": "faithkit.models.embeddings:runs_light",
    "tokens": "faithkit.models.embeddings:runs_light",
}
"""For roles with models that run on the processor without torch, the `module:function` that says
whether the model in a folder does, called as function(path, dtype). Such a model runs on the
processor unless another device is named."""

HUB_FILES = ("*.safetensors", *(f"*{suffix}" for suffix in SETTINGS_SUFFIXES))
HUB_FILES_LEFT = ("onnx/*", "openvino/*", "coreml/*", "*.fp16.safetensors", "*.bf16.safetensors")
HUB_ID = re.compile(r"^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?$")

log = logging.getLogger("faithkit")


class _LoadedModel(NamedTuple):
    """A loaded model. path: its folder, None if it has none; stamp: `identity.stamp` of the folder
    when the model was loaded."""

    model: Any
    path: Path | None = None
    stamp: tuple[tuple[str, int, int], ...] = ()

    def is_current(self) -> bool:
        """Whether the files have not changed since the model was loaded."""
        return self.path is None or stamp(self.path) == self.stamp


_network: ContextVar[tuple[bool, bool]] = ContextVar("_network", default=(False, True))
"""`offline` and `pull` of the model that is being loaded. They also apply to the models that its
loader loads, such as an encoder."""

_loaded: dict[tuple[str, ...], _LoadedModel] = {}
_lock = threading.RLock()


def load(spec: str, runtime: Runtime = DEFAULT_RUNTIME, *, pull: bool = True) -> Any:
    """The model that `role:name` names. It is loaded once and shared by all callers; it is loaded
    again if a file in its folder has changed.

    name  an embedded model of the role (`faithkit models list`), else a local folder, else a
          Hugging Face hub id. For the role chat also an address (`http://host:port/v1#model`) or
          `openai/NAME`; for the roles qg and qa also `chat:` and the name of a chat model. The name
          may repeat the role (`nli:nli:mini`), so that an option for a model of one role accepts
          both `mini` and `nli:mini`
    pull  whether an embedded model that is not on disk may be downloaded

    The type of the result depends on the role, see `protocols`.
    Raises ConfigError if the role, device or dtype is unknown, or models of the role cannot be
    loaded; ModelError if the model does not exist, is not on disk while offline, has pickle
    weights, or cannot be loaded.
    """
    role, name = _split(spec)
    offline = is_offline(runtime.offline)
    base, _, rest = name.partition(":")
    if role in CHATS and base == "chat":
        role, name = "chat", rest or "mini"
    if role in SERVERS:
        return _imported(SERVERS[role])(name, offline=offline)
    with explained(f"The model '{spec}'"):
        return _load(spec, role, name, runtime, offline=offline, pull=pull)


def _load(spec: str, role: str, name: str, runtime: Runtime, *, offline: bool, pull: bool) -> Any:
    target = _loader(role)
    base, _, rest = name.partition(":")
    if role == "chat" and name.startswith(ADDRESSES):
        return _connected(name, offline=offline)
    _check_device(runtime.device)
    dtype = runtime.dtype
    with _lock:
        request = ("asked", spec, runtime.device or "", dtype or "")
        if (loaded := _loaded.get(request)) and loaded.is_current():
            return loaded.model
        if rules := RULES.get(f"{role}:{base}"):
            runtime = Runtime(runtime.device or _best_device(), dtype, offline)
            # Not kept: what it is built on is, and is loaded again when its files change.
            return _imported(rules)(rest, runtime, pull=pull)
        path, shown = resolve(role, name, offline=offline, pull=pull)
        device = runtime.device or _device_of(role, path, dtype)
        with _with_network(offline, pull):
            loaded = _from_folder(target, path, shown, device, dtype)
        _loaded[request] = loaded
        return loaded.model


def load_folder(role: str, path: Path, name: str, *, device: str, dtype: str | None) -> Any:
    """The model of a role in a folder, for a loader that builds its model on it. It is shared with
    callers that load it by name."""
    with _lock:
        return _from_folder(_loader(role), path, name, device, dtype).model


def _from_folder(
    target: str, path: Path, name: str, device: str, dtype: str | None
) -> _LoadedModel:
    """The model in a folder, loaded by the loader `target` unless it is loaded and current."""
    # Two roles of the same model (embed:mini, tokens:mini) share one object.
    key = (target, str(path), name, device, dtype or "")
    loaded = _loaded.get(key)
    if loaded is None or not loaded.is_current():
        file_stamp = stamp(path)
        _warn_if_emulated(device, dtype)
        model = _imported(target)(path, name, device=device, dtype=dtype)
        loaded = _loaded[key] = _LoadedModel(model, path, file_stamp)
    return loaded


@contextmanager
def _with_network(offline: bool, pull: bool) -> Iterator[None]:
    before = _network.set((offline, pull))
    try:
        yield
    finally:
        _network.reset(before)


def _imported(target: str) -> Any:
    module, _, function = target.partition(":")
    return getattr(importlib.import_module(module), function)


def _connected(name: str, *, offline: bool) -> Any:
    """The chat model at an address. Whether it may be used is checked at every call, but the object
    is shared, since it counts its requests."""
    model = _imported("faithkit.models.chat.endpoint:connect")(name, offline=offline)
    with _lock:
        return _loaded.setdefault(("endpoint", model.id), _LoadedModel(model)).model


def forget() -> None:
    """Drops the loaded models, so that their memory can be freed."""
    with _lock:
        _loaded.clear()


def _split(spec: str) -> tuple[str, str]:
    """The role and the name in `role:name`. Raises ConfigError on another form or unknown role."""
    role, colon, name = spec.partition(":")
    if not colon or not name:
        raise ConfigError(
            f"A model is named as role:name, for example tokens:mini; found '{spec}'."
        )
    roles = (*LOADERS, *OTHER_ROLES)
    if role not in roles:
        raise ConfigError(f"There is no model role '{role}'.{did_you_mean(role, roles)}")
    return role, name.removeprefix(f"{role}:")


def _loader(role: str) -> str:
    if role not in LOADERS:
        raise ConfigError(
            f"Models of the role '{role}' cannot be loaded in this version. "
            f"Roles that can: {', '.join(sorted(LOADERS))}."
        )
    return LOADERS[role]


def _device_of(role: str, path: Path, dtype: str | None) -> str:
    """The device for the model in a folder if none is named."""
    light = role in LIGHT and _imported(LIGHT[role])(path, dtype)
    return "cpu" if light else _best_device()


def _check_device(device: str | None) -> None:
    """Raises ConfigError if the device is not available."""
    kind = (device or "cpu").partition(":")[0]
    if kind != "cpu" and not _accelerators()[kind]:
        raise ConfigError(
            f"Device '{device}' was asked for, but torch finds no {kind} here. Use cpu."
        )


def _best_device() -> str:
    """The accelerator that torch finds, else `cpu`."""
    if importlib.util.find_spec("torch") is None:
        return "cpu"
    return next((name for name, present in _accelerators().items() if present), "cpu")


def _accelerators() -> dict[str, bool]:
    import torch

    return {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}


def _warn_if_emulated(device: str, dtype: str | None) -> None:
    """Warns if the processor has no instructions for the number format and so is several times
    slower than in float32. Scores differ a little between formats, so the choice is left to the
    user."""
    if device != "cpu" or dtype not in ("bfloat16", "float16"):
        return
    import torch

    half = "bf16" if dtype == "bfloat16" else "fp16"
    if not getattr(torch.ops.mkldnn, f"_is_mkldnn_{half}_supported")():
        log.warning("This processor computes %s several times slower than float32.", dtype)


def resolve(role: str, name: str, *, offline: bool = False, pull: bool = True) -> tuple[Path, str]:
    """The model's folder, and the name to show for it.

    The name is looked up as an embedded model of the role, then as a local folder, then as a hub
    id. Raises ModelError if it is none of them, or the model cannot be downloaded.
    """
    outer_offline, outer_pull = _network.get()
    offline, pull = offline or outer_offline, pull and outer_pull
    artefact = store.find(role, name)
    if artefact is not None:
        return _embedded(artefact, offline=offline, pull=pull), artefact.name
    path = Path(name).expanduser()
    if path.is_dir():
        return path.resolve(), path.resolve().name
    if path.exists():
        raise ModelError(
            f"'{name}' is a file; a model is a folder with model.safetensors, config.json and a "
            "tokenizer. Name the folder."
        )
    if not HUB_ID.match(name) or name.startswith((".", "~", "/")):
        raise ModelError(f"There is no folder '{name}'.{_embedded_names(role, name)}")
    return _hub(role, name, offline=is_offline(offline)), name


def _embedded(artefact: store.Artefact, *, offline: bool, pull: bool) -> Path:
    may_pull = pull and not is_offline(offline)
    wheels = isinstance(artefact.source, store.Wheels)
    if wheels and may_pull and not store.status(artefact).ready:
        log.warning(
            "Pulling '%s' (%s), once, into %s; `faithkit models pull %s` does it beforehand and "
            "--offline forbids it.",
            artefact.name,
            artefact.description,
            store.folder_of(artefact),
            artefact.name,
        )
    from faithkit.models.pulling import ensure

    return ensure(artefact, offline=offline, pull_missing=pull)


def _hub(role: str, name: str, *, offline: bool) -> Path:
    """The model's folder in the cache of the Hugging Face hub, downloaded unless offline. Raises
    ModelError."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    tail = _embedded_names(role, name)
    try:
        folder = snapshot_download(
            name,
            allow_patterns=list(HUB_FILES),
            ignore_patterns=list(HUB_FILES_LEFT),
            local_files_only=offline,
        )
    except LocalEntryNotFoundError as error:
        if offline or os.environ.get("HF_HUB_OFFLINE"):
            why = "is not in the Hugging Face cache, and this run is offline"
        else:
            why = "is not in the Hugging Face cache, and the hub cannot be reached"
        raise ModelError(
            f"'{name}' is no embedded model of the role '{role}' and no folder; as a hub id it "
            f"{why}. Load it once with a network, or name a folder.{tail}"
        ) from error
    except GatedRepoError as error:
        raise ModelError(
            f"The hub model '{name}' asks for consent: accept its terms on its page and log in "
            "with `hf auth login`."
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise ModelError(
            f"'{name}' is no embedded model of the role '{role}', no folder, and the hub has no "
            f"such model (or it is private).{tail}"
        ) from error
    except (HfHubHTTPError, OSError) as error:
        raise ModelError(f"The hub model '{name}' could not be downloaded: {error}") from error
    return Path(folder)


def _embedded_names(role: str, name: str) -> str:
    """The end of an error about an unknown name: the roles that have it, the most similar name, and
    all embedded names."""
    others = [item for item in store.ARTEFACTS if name in (item.name, *item.aliases)]
    hint = "".join(
        f" '{item.name}' is embedded for {' and '.join(item.roles)} only." for item in others
    )
    rules = [spec.partition(":")[2] for spec in BUILT_IN if spec.startswith(f"{role}:")]
    embedded = [*store.names(role), *rules]
    if not embedded:
        return f"{hint} No model is embedded for the role '{role}'."
    return f"{hint}{did_you_mean(name, embedded).replace(' Choices:', f' Embedded for {role}:')}"

"""The training loop of every network that this package trains with torch.

AdamW over batches of examples of similar length, a learning rate that warms up and decays linearly,
gradient clipping, mixed precision, and checkpoints from which a killed training is resumed with the
same batches in the same order. Models, losses and figures are in the modules of the trainers.
"""

from __future__ import annotations

import hashlib
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import Literal, TypeVar

import torch

from faithkit.models.batching import batches as token_batches
from faithkit.records import JSON, ConfigError, ModelError, canonical_json
from faithkit.writing import naming, replacing

SORTED_BATCHES = 20
"""Number of consecutive batches of `batch_size` whose examples are sorted by length together."""

SORTED_EXAMPLES = 1000
"""Number of consecutive examples that are sorted together for batches of `batch_tokens`."""

FIRST_FACTOR = 0.01
"""Share of the highest learning rate at the first step of the warm-up."""

Report = Callable[[str], None]
"""Takes a line of text about the progress."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """How a network is optimised.

    epochs         passes over the examples
    batch_size     examples in a step
    batch_tokens   tokens in a step, with padding, instead of `batch_size`; None: `batch_size`
    learning_rate  highest learning rate of AdamW
    schedule       linear: warm-up, then decay to 0; or constant
    warm_up        share of the training over which the learning rate rises, in [0, 1)
    weight_decay   of AdamW
    clip           maximum norm of the gradient; None: not clipped
    bfloat16       mixed precision: forward pass in bfloat16, weights and optimiser in float32
    seed           of order and initialisation; without `minutes` it decides the weights
    minutes        time limit, to which the decay of the learning rate is adapted; None: no limit
    threads        shares of a batch that are computed at the same time, each on one core
    """

    epochs: int = 2
    batch_size: int = 16
    batch_tokens: int | None = None
    learning_rate: float = 5e-4
    schedule: Literal["linear", "constant"] = "linear"
    warm_up: float = 0.06
    weight_decay: float = 0.01
    clip: float | None = 1.0
    bfloat16: bool = False
    seed: int = 0
    minutes: float | None = None
    threads: int = 1

    def check(self) -> None:
        """Raises ConfigError on a number outside its range."""
        if min(self.epochs, self.batch_size, self.threads) < 1 or not self.learning_rate > 0:
            raise ConfigError("training needs epochs, batch size, threads and rate above 0")
        if self.batch_tokens is not None and self.batch_tokens < 1:
            raise ConfigError(f"tokens in a batch: expected 1 or more, found {self.batch_tokens}")
        if not 0 <= self.warm_up < 1:
            raise ConfigError(f"warm-up: expected 0 to under 1, found {self.warm_up}")
        if self.minutes is not None and not self.minutes > 0:
            raise ConfigError(f"minutes: expected more than 0, found {self.minutes}")


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """Parameters by name, with the settings that differ from the options.

    learning_rate  factor on the options' learning rate, for example 10 for new heads
    weight_decay   replaces that of the options; None: that of the options
    """

    parameters: Mapping[str, torch.nn.Parameter]
    learning_rate: float = 1.0
    weight_decay: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A completed step.

    number  from 1
    total   number of all steps
    epoch   from 1
    losses  of all steps so far
    """

    number: int
    total: int
    epoch: int
    losses: Sequence[float]

    def mean_loss(self, steps: int) -> float:
        """Mean loss of this number of last steps."""
        recent = self.losses[-steps:]
        return sum(recent) / len(recent)


@dataclass(frozen=True, slots=True)
class Training:
    """The statistics of a training.

    loss      mean over the steps of each epoch
    examples  number of examples in all steps
    seconds   without the time spent in `after_step`
    """

    loss: tuple[float, ...]
    steps: int
    examples: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The file with the state of an unfinished training: safetensors, replaced atomically.

    identity  of the base model and the data; a training is resumed only from a checkpoint of the
              same identity, options and number of examples
    every     steps between two checkpoints
    """

    path: Path
    identity: str
    every: int = 500

    @classmethod
    def beside(cls, folder: Path, *trained: JSON) -> Checkpoint:
        """The checkpoint of a model that will be written to a folder; it lies beside it. `trained`
        identifies the base model and the data."""
        identity = hashlib.sha256(canonical_json([*trained]).encode()).hexdigest()
        return cls(folder.with_name(f"{folder.name}.checkpoint.safetensors"), identity)

    def delete(self) -> None:
        """Removes the file, if it exists."""
        self.path.unlink(missing_ok=True)

    def write(self, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str]) -> None:
        """Replaces the file, whole or not at all. Raises DataError."""
        from safetensors.torch import save_file

        whole = {name: value.contiguous() for name, value in tensors.items()}
        with naming(self.path):
            self.path.absolute().parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.path) as partial:
                save_file(whole, partial, metadata=dict(metadata))

    def read(self) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
        """Tensors and metadata. Raises ModelError where the file is damaged."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path, framework="pt") as file:
                names = file.keys()
                return {name: file.get_tensor(name) for name in names}, file.metadata() or {}
        except (SafetensorError, OSError) as error:
            raise ModelError(f"{self.path}: {error}; delete it to start over") from error


def trainable(network: torch.nn.Module) -> list[ParameterGroup]:
    """The parameters of a network that are not frozen, as one group."""
    named = network.named_parameters()
    return [ParameterGroup({name: value for name, value in named if value.requires_grad})]


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Seeds torch's random generators, and restores their states at the end."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


def train(
    examples: Sequence[T],
    losses: Callable[[list[T]], Iterator[torch.Tensor]],
    groups: Sequence[ParameterGroup],
    options: TrainingOptions,
    *,
    length: Callable[[T], int] = lambda _: 1,
    after_step: Callable[[Step], None] = lambda _: None,
    checkpoint: Checkpoint | None = None,
) -> Training:
    """Optimises the parameters in place. Call it within `seeded` to make dropout reproducible; with
    several threads it is not, as they share one random generator.

    losses      yields parts whose sum is the mean loss of a batch; the graph of each is freed
                before the next is computed
    groups      the parameters
    length      tokens of an example; batches have examples of similar length
    after_step  called after each step; an error that it raises ends the training
    checkpoint  to save to, and to resume a killed training from: data order, optimiser and random
                numbers are then as if it had not been killed

    Raises ModelError where the loss is not finite or the checkpoint cannot be read, ConfigError
    where the time is up before the first step or the checkpoint is of another training.
    """
    options.check()
    plan = batch_plan([length(example) for example in examples], options)
    batches = [batch for epoch in plan for batch in epoch]
    state = _State(groups, options, len(examples))
    if checkpoint:
        state.restore(checkpoint)
    step, total = len(state.losses), len(batches)
    start, paused = time.monotonic() - state.seconds, 0.0
    epoch_of = [number for number, epoch in enumerate(plan, start=1) for _ in epoch]
    while step < total:
        elapsed = time.monotonic() - start
        done = max(step / total, elapsed / (60 * options.minutes) if options.minutes else 0.0)
        if done >= 1:
            break
        batch = [examples[index] for index in batches[step]]
        shares = [batch[thread :: options.threads] for thread in range(options.threads)]
        state.optimise([(len(s) / len(batch), losses(s)) for s in shares if s], done)
        step += 1
        before_hook = time.monotonic()
        after_step(Step(step, total, epoch_of[step - 1], state.losses))
        paused += time.monotonic() - before_hook
        state.seconds = time.monotonic() - start - paused
        if checkpoint and step % checkpoint.every == 0 and step < total:
            state.save(checkpoint)
    if not step:
        raise ConfigError(f"not one step was made in {options.minutes} minutes")
    by_epoch: dict[int, list[float]] = {}
    for number, loss in zip(epoch_of, state.losses, strict=False):
        by_epoch.setdefault(number, []).append(loss)
    return Training(
        tuple(sum(of_epoch) / len(of_epoch) for of_epoch in by_epoch.values()),
        step,
        sum(map(len, batches[:step])),
        state.seconds,
    )


def batch_plan(lengths: Sequence[int], options: TrainingOptions) -> list[list[list[int]]]:
    """[epochs][batches][examples], indices in random order; the examples of a batch have similar
    lengths. Lengths and options alone decide the plan."""
    shuffled = random.Random(options.seed)
    return [_batches(lengths, options, shuffled) for _ in range(options.epochs)]


def _batches(
    lengths: Sequence[int], options: TrainingOptions, shuffled: random.Random
) -> list[list[int]]:
    order = list(range(len(lengths)))
    shuffled.shuffle(order)
    size, budget = options.batch_size, options.batch_tokens
    sorted_together = SORTED_BATCHES * size if budget is None else SORTED_EXAMPLES
    batches: list[list[int]] = []
    for start in range(0, len(order), sorted_together):
        block = sorted(order[start : start + sorted_together], key=lengths.__getitem__)
        if budget is None:
            batches += [block[i : i + size] for i in range(0, len(block), size)]
        else:
            packed = token_batches([lengths[index] for index in block], budget)
            batches += [[block[i] for i in batch] for batch in packed]
    shuffled.shuffle(batches)
    return batches


def learning_rate_factor(done: float, options: TrainingOptions) -> float:
    """The learning rate as a share of the highest, when a share `done` in [0, 1] of the training is
    done."""
    if options.schedule == "constant":
        return 1.0
    if done < options.warm_up:
        return min(done / options.warm_up + FIRST_FACTOR, 1.0)
    return (1 - done) / (1 - options.warm_up)


def _added(first: torch.Tensor | None, second: torch.Tensor | None) -> torch.Tensor | None:
    if first is None or second is None:
        return second if first is None else first
    return first + second


class _State:
    """Parameters, optimiser and losses of a training; saved to and restored from a checkpoint."""

    def __init__(
        self,
        groups: Sequence[ParameterGroup],
        options: TrainingOptions,
        examples: int,
    ) -> None:
        self._options, self._examples = options, examples
        self._parameters = {n: p for group in groups for n, p in group.parameters.items()}
        self._device = next(iter(self._parameters.values())).device
        self._factors = [group.learning_rate for group in groups]
        self._optimizer = torch.optim.AdamW(
            [
                {
                    "params": list(group.parameters.values()),
                    "weight_decay": options.weight_decay
                    if group.weight_decay is None
                    else group.weight_decay,
                }
                for group in groups
            ],
            lr=options.learning_rate,
        )
        self.losses: list[float] = []
        self.seconds = 0.0

    def optimise(self, shares: Sequence[tuple[float, Iterator[torch.Tensor]]], done: float) -> None:
        """One step, from the weight and the losses of each share of a batch; `done` is the share of
        the training before it. Raises ModelError where the loss is not finite."""
        rate = self._options.learning_rate * learning_rate_factor(done, self._options)
        for group, factor in zip(self._optimizer.param_groups, self._factors, strict=True):
            group["lr"] = rate * factor
        self._optimizer.zero_grad()
        if len(shares) == 1:
            computed = [self._gradients(*shares[0])]
        else:
            with ThreadPoolExecutor(
                len(shares), initializer=torch.set_num_threads, initargs=(1,)
            ) as pool:
                computed = list(pool.map(self._gradients, *zip(*shares, strict=True)))
        total = sum(loss for loss, _ in computed)
        if not math.isfinite(total):
            raise ModelError(
                f"the loss is not finite after {len(self.losses)} steps; lower the learning rate"
            )
        for parameter, *parts in zip(
            self._parameters.values(), *(gradients for _, gradients in computed), strict=True
        ):
            parameter.grad = reduce(_added, parts)
        if self._options.clip is not None:
            torch.nn.utils.clip_grad_norm_(self._parameters.values(), self._options.clip)
        self._optimizer.step()
        self.losses.append(total)

    def _gradients(
        self, weight: float, losses: Iterator[torch.Tensor]
    ) -> tuple[float, list[torch.Tensor | None]]:
        """The weighted sum of the losses and its gradient with respect to each parameter; None
        where it does not depend on the parameter."""
        parameters = list(self._parameters.values())
        total = 0.0
        gradients: list[torch.Tensor | None] = [None] * len(parameters)
        while True:
            with torch.autocast(
                self._device.type, dtype=torch.bfloat16, enabled=self._options.bfloat16
            ):
                loss = next(losses, None)
            if loss is None:
                return total, gradients
            total += weight * loss.item()
            parts = torch.autograd.grad(weight * loss, parameters, allow_unused=True)
            gradients = [_added(*pair) for pair in zip(gradients, parts, strict=True)]

    def save(self, checkpoint: Checkpoint) -> None:
        """Writes parameters, optimiser, losses and the state of torch's random numbers."""
        tensors = {f"parameter.{name}": value.data for name, value in self._parameters.items()}
        for index, moments in self._optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{index}.{name}": value for name, value in moments.items()}
        tensors["losses"] = torch.tensor(self.losses, dtype=torch.float64)
        tensors["random"] = torch.get_rng_state()
        if self._device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state(self._device)
        seconds = str(self.seconds)
        checkpoint.write(tensors, {"training": self._described(checkpoint), "seconds": seconds})

    def restore(self, checkpoint: Checkpoint) -> None:
        """Reads the checkpoint, if there is one. Raises ModelError where it cannot be read,
        ConfigError where it is of another training."""
        if not checkpoint.path.exists():
            return
        tensors, metadata = checkpoint.read()
        if metadata.get("training") != self._described(checkpoint):
            raise ConfigError(
                f"{checkpoint.path} is of a training with other data, model or options; repeat "
                "that command, or delete the file to start over"
            )
        moments: dict[int, dict[str, torch.Tensor]] = {}
        with torch.no_grad():
            for name, value in tensors.items():
                kind, _, rest = name.partition(".")
                if kind == "parameter":
                    self._parameters[rest].copy_(value)
                elif kind == "optimizer":
                    index, _, moment = rest.partition(".")
                    moments.setdefault(int(index), {})[moment] = value
        self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": moments})
        self.losses = tensors["losses"].tolist()
        self.seconds = float(metadata["seconds"])
        torch.set_rng_state(tensors["random"])
        if self._device.type == "cuda":
            torch.cuda.set_rng_state(tensors["random.cuda"], self._device)

    def _described(self, checkpoint: Checkpoint) -> str:
        """What a checkpoint must agree on with the training that is resumed from it."""
        return canonical_json(
            {
                "identity": checkpoint.identity,
                "options": asdict(self._options),
                "examples": self._examples,
            }
        )

"""The training loop on a tiny regression: order, schedule, precision, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import pytest
import torch

from faithkit import ConfigError, ModelError
from faithkit.train import loop
from faithkit.train.loop import (
    Checkpoint,
    ParameterGroup,
    Step,
    Training,
    TrainingOptions,
    batch_plan,
    learning_rate_factor,
    seeded,
    train,
    trainable,
)

OPTIONS = TrainingOptions(epochs=3, batch_size=4, learning_rate=0.1, seed=5)
EXAMPLES = list(range(30))
LENGTHS = [1 + (7 * place) % 23 for place in EXAMPLES]


class Line:
    """y = 2x - 1 under dropout, and the batches that it was trained on."""

    def __init__(self) -> None:
        with seeded(0, torch.device("cpu")):
            self.network = torch.nn.Sequential(torch.nn.Dropout(0.2), torch.nn.Linear(1, 1))
        self.batches: list[list[int]] = []

    def losses(self, batch: list[int]) -> Iterator[torch.Tensor]:
        self.batches.append(batch)
        inputs = torch.tensor(batch)[:, None] / len(EXAMPLES)
        yield ((self.network(inputs) - (2 * inputs - 1)) ** 2).mean()

    def train(
        self,
        options: TrainingOptions = OPTIONS,
        checkpoint: Checkpoint | None = None,
        after_step: Callable[[Step], None] = lambda _: None,
    ) -> Training:
        with seeded(options.seed, torch.device("cpu")):
            return train(
                EXAMPLES, self.losses, trainable(self.network), options,
                length=LENGTHS.__getitem__, after_step=after_step, checkpoint=checkpoint,
            )  # fmt: skip

    @property
    def weights(self) -> list[float]:
        return [one.item() for one in self.network.parameters()]


def test_every_epoch_has_every_example_once_in_batches_of_like_length() -> None:
    plan = batch_plan(LENGTHS, OPTIONS)
    assert [len(epoch) for epoch in plan] == [8, 8, 8]
    for epoch in plan:
        assert sorted(place for batch in epoch for place in batch) == EXAMPLES
        ranges = sorted((min(LENGTHS[p] for p in batch), max(LENGTHS[p] for p in batch))
                        for batch in epoch)  # fmt: skip
        assert all(one[1] <= two[0] for one, two in pairwise(ranges))
    assert plan[0] != plan[1]
    assert plan == batch_plan(LENGTHS, OPTIONS) != batch_plan(LENGTHS, replace(OPTIONS, seed=6))


def test_batches_of_a_token_budget_are_padded_to_no_more() -> None:
    (epoch,) = batch_plan(LENGTHS, replace(OPTIONS, epochs=1, batch_tokens=40))
    assert sorted(place for batch in epoch for place in batch) == EXAMPLES
    padded = [len(batch) * max(LENGTHS[place] for place in batch) for batch in epoch]
    assert max(padded) <= 40 and len(epoch) < len(EXAMPLES)


def test_the_learning_rate_warms_up_and_decays_linearly_or_is_constant() -> None:
    factors = [learning_rate_factor(done, OPTIONS) for done in (0, 0.03, 0.06, 0.53, 1)]
    assert factors == pytest.approx([0.01, 0.51, 1, 0.5, 0])
    constant = replace(OPTIONS, schedule="constant")
    assert {learning_rate_factor(done, constant) for done in (0, 0.5, 1)} == {1.0}


def test_a_group_has_its_own_learning_rate_and_weight_decay() -> None:
    """The first step of AdamW by hand: the sign of the gradient, and the decay."""
    slow, fast = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    options = replace(OPTIONS, epochs=1, schedule="constant", clip=None, learning_rate=0.01)
    groups = [ParameterGroup({"slow": slow}, weight_decay=0.5),
              ParameterGroup({"fast": fast}, learning_rate=10, weight_decay=0)]  # fmt: skip
    train([0], lambda _: iter([slow.sum() + fast.sum()]), groups, options)
    assert slow.item() == pytest.approx(1 - 0.01 * 0.5 - 0.01, abs=1e-6)
    assert fast.item() == pytest.approx(1 - 0.1, abs=1e-6)


def test_the_parts_of_a_loss_are_summed_and_the_gradient_is_clipped() -> None:
    parameter = torch.nn.Parameter(torch.zeros(1))
    gradients = []

    def losses(batch: list[int]) -> Iterator[torch.Tensor]:
        for place in batch:
            yield (parameter * place).sum() + place

    def after_step(step: Step) -> None:
        assert parameter.grad is not None
        gradients.append(parameter.grad.item())

    options = replace(OPTIONS, epochs=1)
    fitted = train([1, 2, 3], losses, [ParameterGroup({"one": parameter})], options,
                   after_step=after_step)  # fmt: skip
    assert fitted.loss == (6.0,) and gradients == pytest.approx([1.0])


def test_a_step_in_shares_is_the_step_of_the_whole_batch() -> None:
    def weight_after(threads: int) -> float:
        parameter = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))

        def losses(batch: list[int]) -> Iterator[torch.Tensor]:
            yield sum((parameter * place - 1) ** 2 for place in batch).mean() / len(batch)

        options = replace(OPTIONS, batch_size=5, threads=threads)
        train([1, 2, 3, 4, 5, 6, 7], losses, [ParameterGroup({"one": parameter})], options)
        return parameter.item()

    assert weight_after(2) == pytest.approx(weight_after(1), rel=1e-9)
    assert weight_after(3) == pytest.approx(weight_after(1), rel=1e-9)


def test_a_training_learns_and_counts_what_it_did() -> None:
    line, steps = Line(), []
    fitted = line.train(after_step=steps.append)
    assert (fitted.steps, fitted.examples, len(fitted.loss)) == (24, 90, 3)
    assert fitted.loss[-1] < fitted.loss[0] / 2
    assert [step.number for step in steps] == list(range(1, 25))
    assert [steps[place].epoch for place in (0, 7, 8, 23)] == [1, 1, 2, 3]
    assert steps[-1].mean_loss(8) == pytest.approx(fitted.loss[-1])


def test_weights_stay_float32_where_the_forward_pass_is_bfloat16() -> None:
    line, types = Line(), set()
    line.network.register_forward_hook(lambda _module, _inputs, output: types.add(output.dtype))
    line.train(replace(OPTIONS, bfloat16=True))
    assert types == {torch.bfloat16}
    assert {one.dtype for one in line.network.parameters()} == {torch.float32}


class Killed(Exception):
    pass


def test_a_killed_training_goes_on_as_if_it_had_not_been_killed(tmp_path: Path) -> None:
    whole = Line()
    fitted = whole.train()
    checkpoint = Checkpoint(tmp_path / "new" / "checkpoint", "line", every=5)

    def kill(step: Step) -> None:
        if step.number == 13:
            raise Killed

    first, second = Line(), Line()
    with pytest.raises(Killed):
        first.train(checkpoint=checkpoint, after_step=kill)
    assert [path.name for path in checkpoint.path.parent.iterdir()] == ["checkpoint"]
    again = second.train(checkpoint=checkpoint)
    assert [*first.batches[:10], *second.batches] == whole.batches
    assert second.weights == whole.weights
    assert again.loss == fitted.loss
    checkpoint.delete()
    assert not checkpoint.path.exists()
    assert (again.steps, again.examples) == (fitted.steps, fitted.examples)


def test_a_training_of_something_else_does_not_go_on_from_a_checkpoint(tmp_path: Path) -> None:
    checkpoint = Checkpoint.beside(tmp_path / "model", "base", ["rows"])
    assert checkpoint.path == tmp_path / "model.checkpoint.safetensors"
    Line().train(checkpoint=replace(checkpoint, every=5))
    others = (Checkpoint.beside(tmp_path / "model", "base", ["other rows"]), OPTIONS), \
        (checkpoint, replace(OPTIONS, learning_rate=0.2))  # fmt: skip
    for other, options in others:
        with pytest.raises(ConfigError, match="other data, model or options"):
            Line().train(options, other)
    checkpoint.path.write_bytes(b"torn")
    with pytest.raises(ModelError, match=r"model\.checkpoint\.safetensors.*delete it"):
        Line().train(checkpoint=checkpoint)


def test_time_ends_a_training(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count()
    monkeypatch.setattr(loop.time, "monotonic", lambda: float(next(clock)))
    # Four looks at the clock a step.
    fitted = Line().train(replace(OPTIONS, epochs=100, minutes=20 / 60))
    assert fitted.steps == 5
    with pytest.raises(ConfigError, match="not one step"):
        Line().train(replace(OPTIONS, minutes=1e-3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "above 0"),
        ({"learning_rate": 0}, "above 0"),
        ({"batch_tokens": 0}, "1 or more"),
        ({"warm_up": 1}, "warm-up"),
        ({"minutes": 0}, "minutes"),
    ],
)
def test_options_outside_their_range_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Line().train(replace(OPTIONS, **change))


def test_a_loss_that_overflows_is_an_error() -> None:
    with pytest.raises(ModelError, match="lower the learning rate"):
        Line().train(replace(OPTIONS, epochs=50, learning_rate=1e30, schedule="constant"))

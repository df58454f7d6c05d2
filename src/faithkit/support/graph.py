"""The support network as an ONNX graph without weights, operation by operation as in `network.py`.
`export.py` compares the two. Needs the package onnx.
"""

from __future__ import annotations

from onnx import ModelProto, TensorProto, ValueInfoProto, helper

from faithkit.models.graph import LAYER_PARTS, Builder
from faithkit.models.shape import Shape
from faithkit.support.inputs import CODES


def graph_of(shape: Shape) -> ModelProto:
    """Inputs, float32 where not said otherwise:

    embedded         [rows, tokens, width], the embeddings of the tokens' words
    codes, segments  [rows, tokens], int64, as in `inputs.Batch`
    hidden           [rows, 1, 1, tokens], added to the attention's logits: -1e30 of padding, else 0
    share            [rows, 1, tokens], each token's share in the mean over the claim
    pool             as in `inputs.Batch`
    Outputs: those of `SupportNetwork`. The initializers have the names of its tensors; their values
    are external.
    """
    builder = Builder(shape)
    states, sizes = _embed(builder, shape)

    def to_rows(states: str) -> str:
        return builder.op("Reshape", states, sizes)

    def from_rows(mixed: str) -> str:
        return builder.op("Reshape", mixed, builder.flat)

    for number in range(shape.layers):
        at = {part: f"layers.{number}.{part}" for part in LAYER_PARTS}
        states = builder.layer(shape, states, at, to_rows, from_rows)
    _heads(builder, shape, builder.op("Reshape", states, sizes))
    return builder.model("support", _inputs(shape.width), _outputs())


def _embed(builder: Builder, shape: Shape) -> tuple[str, str]:
    """The first states, [rows × tokens, width], and the sizes [rows, tokens, width]."""
    width = shape.width
    sizes = builder.op("Shape", "embedded")
    tokens = builder.op("Slice", sizes, builder.one, builder.two)
    table = builder.weight("positions.weight", shape.positions, width)
    states = "embedded"
    for name, rows in (("codes", CODES), ("segments", 2)):
        added = builder.op("Gather", builder.weight(f"{name}.weight", rows, width), name)
        states = builder.op("Add", states, added)
    places = builder.op("Slice", table, builder.zero, tokens, builder.zero)
    states = builder.norm(builder.op("Add", states, places), "norm", width)
    return builder.op("Reshape", states, builder.flat), sizes


def _heads(builder: Builder, shape: Shape, states: str) -> None:
    """The three outputs from states [rows, tokens, width]."""
    width, op, linear = shape.width, builder.op, builder.linear
    zero, one, two = builder.zero, builder.one, builder.two
    sizes = op("Shape", "pool")
    claim = op("Slice", sizes, two, builder.three)
    pooled = op("MatMul", "pool", op("Slice", states, zero, claim, one))
    words = op("Gelu", linear(op("Reshape", pooled, builder.flat), "word.0", width, width // 2))
    words = linear(words, "word.2", width // 2, 1)
    op("Reshape", words, op("Slice", sizes, zero, two), output="words")
    mean = op("Squeeze", op("MatMul", "share", states), one)
    cls = op("Squeeze", op("Slice", states, zero, one, one), one)
    both = op("Concat", cls, mean, axis=1)
    sentence = op("Gelu", linear(both, "sentence.0", 2 * width, width))
    linear(sentence, "sentence.2", width, 3, output="sentence")
    op("Squeeze", linear(mean, "non_claim", width, 1), one, output="non_claim")


def _inputs(width: int) -> list[ValueInfoProto]:
    integers, floats = TensorProto.INT64, TensorProto.FLOAT
    sizes: dict[str, tuple[int, list[str | int]]] = {
        "embedded": (floats, ["rows", "tokens", width]),
        "codes": (integers, ["rows", "tokens"]),
        "segments": (integers, ["rows", "tokens"]),
        "hidden": (floats, ["rows", 1, 1, "tokens"]),
        "share": (floats, ["rows", 1, "tokens"]),
        "pool": (floats, ["rows", "words", "claim"]),
    }
    return [helper.make_tensor_value_info(name, *kind) for name, kind in sizes.items()]


def _outputs() -> list[ValueInfoProto]:
    sizes = {"words": ["rows", "words"], "sentence": ["rows", 3], "non_claim": ["rows"]}
    return [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, size) for name, size in sizes.items()
    ]

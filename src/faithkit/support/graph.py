"""The support network as an ONNX graph without weights, operation by operation as in `network.py`.
`export.py` compares the two. Needs the package onnx.
"""

from __future__ import annotations

from onnx import ModelProto, TensorProto, ValueInfoProto

from faithkit.models.graph import LAYER_PARTS, Builder, QuantisedBuilder, Rows, value_info
from faithkit.models.shape import Shape
from faithkit.support.inputs import CODES


def graph_of(shape: Shape, *, quantised: bool = False) -> ModelProto:
    """Inputs, int64 where not said otherwise. All tokens of a batch are given one after the other;
    padding is in the attention only, and nothing else is computed for it. The last layer computes
    the states of [CLS] and of the claims alone, since no output needs the evidence's.

    embedded      [all, width], float32, the embeddings of the tokens' words
    codes         [all], as in `inputs.Batch`; so segments
    places        [all], positions in their rows
    spread, kept  the tokens in rows, `graph.Rows`
    hidden        [rows, 1, 1, tokens], float32, added to the attention's logits: -1e30 of padding,
                  else 0
    distances     [tokens, tokens], `encoders.distance_classes`, of an encoder that tells them apart
    claims        [all of claims], which of all tokens are [CLS], of a claim, or the [SEP] after it
    claim_spread, claim_kept  these in rows of their own
    share         [rows, 1, claim], float32, each token's share in the mean over the claim
    pool          as in `inputs.Batch`
    Outputs: those of `SupportNetwork`. The initializers have the names of its tensors; their values
    are external.

    quantised  whether the layers' weights are (`quantised.py`)
    """
    builder = QuantisedBuilder(shape) if quantised else Builder(shape)
    states = _embed(builder, shape)
    claims = Rows("claim_spread", "claim_kept")
    hidden = _apart(builder, shape) if shape.relative else "hidden"
    for number in range(shape.layers):
        at = {part: f"layers.{number}.{part}" for part in LAYER_PARTS}
        if number < shape.layers - 1:
            states = builder.layer(shape, states, at, hidden=hidden)
            continue
        if shape.relative:
            claim = builder.op(
                "Slice", builder.op("Shape", claims.spread), builder.one, builder.two
            )
            hidden = builder.op("Slice", hidden, builder.zero, claim, builder.two)
        states = builder.layer(shape, states, at, asked=("claims", claims), hidden=hidden)
    _heads(builder, shape, builder.op("Gather", states, claims.spread))
    return builder.model("support", _inputs(shape), _outputs())


def _apart(builder: Builder, shape: Shape) -> str:
    """[rows, heads, tokens, tokens], `hidden` and what each head adds by the distance of tokens."""
    table = builder.weight("relative.weight", shape.relative, shape.heads)
    by_head = builder.op("Transpose", builder.op("Gather", table, "distances"), perm=[2, 0, 1])
    return builder.op("Add", "hidden", builder.op("Unsqueeze", by_head, builder.zero))


def _embed(builder: Builder, shape: Shape) -> str:
    """The first states, [all, width]."""
    states = "embedded"
    for table, name, rows in (
        ("codes", "codes", CODES),
        ("segments", "segments", 2),
        ("positions", "places", shape.positions),
    ):
        weight = builder.weight(f"{table}.weight", rows, shape.width)
        states = builder.op("Add", states, builder.op("Gather", weight, name))
    return builder.norm(states, "norm", shape.width)


def _heads(builder: Builder, shape: Shape, states: str) -> None:
    """The three outputs from the claims' states, [rows, claim, width]."""
    width, op, linear = shape.width, builder.op, builder.linear
    zero, one, two = builder.zero, builder.one, builder.two
    pooled = op("MatMul", "pool", states)
    words = op("Gelu", linear(op("Reshape", pooled, builder.flat), "word.0", width, width // 2))
    words = linear(words, "word.2", width // 2, 1)
    op("Reshape", words, op("Slice", op("Shape", "pool"), zero, two), output="words")
    mean = op("Squeeze", op("MatMul", "share", states), one)
    cls = op("Squeeze", op("Slice", states, zero, one, one), one)
    both = op("Concat", cls, mean, axis=1)
    sentence = op("Gelu", linear(both, "sentence.0", 2 * width, width))
    linear(sentence, "sentence.2", width, 3, output="sentence")
    op("Squeeze", linear(mean, "non_claim", width, 1), one, output="non_claim")


def _inputs(shape: Shape) -> list[ValueInfoProto]:
    integers, floats = TensorProto.INT64, TensorProto.FLOAT
    apart = [value_info("distances", integers, ["tokens", "tokens"])] if shape.relative else []
    return [
        *apart,
        value_info("embedded", floats, ["all", shape.width]),
        *(value_info(name, integers, ["all"]) for name in ("codes", "segments", "places")),
        value_info("spread", integers, ["rows", "tokens"]),
        value_info("kept", integers, ["all"]),
        value_info("hidden", floats, ["rows", 1, 1, "tokens"]),
        value_info("claims", integers, ["of claims"]),
        value_info("claim_spread", integers, ["rows", "claim"]),
        value_info("claim_kept", integers, ["of claims"]),
        value_info("share", floats, ["rows", 1, "claim"]),
        value_info("pool", floats, ["rows", "words", "claim"]),
    ]


def _outputs() -> list[ValueInfoProto]:
    sizes: dict[str, list[str | int]] = {
        "words": ["rows", "words"],
        "sentence": ["rows", 3],
        "non_claim": ["rows"],
    }
    return [value_info(name, TensorProto.FLOAT, size) for name, size in sizes.items()]

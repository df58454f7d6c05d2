"""The table of metrics, and the lookup of a name in it.

METRICS and FRAMEWORKS are literal: one line per metric, imported only when asked for. What a metric
is, is in `base.py`; how it is loaded, in `loading.py`.
"""

from __future__ import annotations

from faithkit.records import ConfigError, nearest

METRICS: dict[str, str] = {
    "support": "faithkit.metrics.support:Support",
    "rouge1": "faithkit.metrics.overlap:Rouge1",
    "rouge2": "faithkit.metrics.overlap:Rouge2",
    "rougeL": "faithkit.metrics.overlap:RougeL",
    "bleu": "faithkit.metrics.overlap:Bleu",
    "meteor": "faithkit.metrics.overlap:Meteor",
    "novelty": "faithkit.metrics.novelty:Novelty",
    "bertscore": "faithkit.metrics.bertscore:BertScore",
    "sentsim": "faithkit.metrics.sentsim:SentSim",
    "ner": "faithkit.metrics.facts:Ner",
    "ner_overlap": "faithkit.metrics.facts:NerOverlap",
    "openie": "faithkit.metrics.openie:OpenIe",
    "srl": "faithkit.metrics.srl:Srl",
    "dae": "faithkit.metrics.arcs:Dae",
    "fflm": "faithkit.metrics.probability:Fflm",
    "delta_prior_y": "faithkit.metrics.probability:DeltaPriorY",
    "delta_prior_x": "faithkit.metrics.probability:DeltaPriorX",
    "delta_cond_y": "faithkit.metrics.probability:DeltaCondY",
    "cop": "faithkit.metrics.probability:Cop",
    "harim": "faithkit.metrics.probability:Harim",
    "bartscore": "faithkit.metrics.probability:BartScore",
    "coco": "faithkit.metrics.probability:Coco",
    "entailment": "faithkit.metrics.entailment:Entailment",
    "mnli_doc": "faithkit.metrics.entailment:MnliDoc",
    "summac_zs": "faithkit.metrics.summac:SummacZs",
    "summac_conv": "faithkit.metrics.summac:SummacConv",
    "qgqa": "faithkit.metrics.qgqa:Qgqa",
    "lss_bleu": "faithkit.metrics.lss:LssBleu",
    "lss_rouge1": "faithkit.metrics.lss:LssRouge1",
    "lss_rouge2": "faithkit.metrics.lss:LssRouge2",
    "lss_rougeL": "faithkit.metrics.lss:LssRougeL",
    "lss_share": "faithkit.metrics.lss:LssShare",
    "lss_bertscore": "faithkit.metrics.lss:LssBertScore",
    "alignscore": "faithkit.metrics.checkpoints:AlignScore",
    "minicheck": "faithkit.metrics.checkpoints:MiniCheck",
    "unieval": "faithkit.metrics.checkpoints:UniEval",
    "factcc": "faithkit.metrics.checkpoints:FactCC",
    "hhem": "faithkit.metrics.checkpoints:Hhem",
    "lettucedetect": "faithkit.metrics.lettucedetect:LettuceDetect",
    "judge": "faithkit.metrics.judge.judge:Judge",
    "combine": "faithkit.metrics.learned.combine:Combined",
    "calibrated": "faithkit.metrics.learned.calibrated:Calibrated",
}

FRAMEWORKS: dict[str, str] = {
    "deepeval:Faithfulness": "faithkit.metrics.frameworks.deepeval:Faithfulness",
    "deepeval:Hallucination": "faithkit.metrics.frameworks.deepeval:Hallucination",
    "ragas:Faithfulness": "faithkit.metrics.frameworks.ragas:Faithfulness",
    "ragas:ResponseGroundedness": "faithkit.metrics.frameworks.ragas:ResponseGroundedness",
    "llama_index:Faithfulness": "faithkit.metrics.frameworks.llama_index:Faithfulness",
}
"""Metrics of other packages, `PACKAGE:METRIC`, which need that package and a judge."""

ENTRY_POINT_GROUP = "faithkit.metrics"


def packaged() -> dict[str, str]:
    """The metrics that faithkit itself names, by name."""
    return METRICS | FRAMEWORKS


def split(text: str) -> tuple[str, str]:
    """A metric's name and the text of its options, of `NAME:OPTIONS`. The name of another package's
    metric has a colon itself."""
    name, _, tail = text.partition(":")
    if any(name == framework.partition(":")[0] for framework in FRAMEWORKS):
        metric, _, tail = tail.partition(":")
        name = f"{name}:{metric}" if metric else name
    return name, tail


def names() -> list[str]:
    """Every metric that can be asked for by name: the tables', then those of entry points."""
    return [*packaged(), *sorted(set(_entry_points()) - set(packaged()))]


def target_of(name: str) -> str:
    """`module:Class` of a metric. Raises ConfigError on an unknown name."""
    targets = packaged() if name in packaged() else _entry_points() | packaged()
    if name not in targets:
        near = nearest(name, targets)
        hint = f" Did you mean '{near}'?" if near else ""
        raise ConfigError(f"Unknown metric '{name}'.{hint} `faithkit metrics list` shows all.")
    return targets[name]


def _entry_points() -> dict[str, str]:
    """Metrics that other installed packages offer, by name."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)}

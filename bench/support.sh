#!/usr/bin/env bash
# `support` and the metrics over the same model beside those it must beat, on the files of families
# that the shipped model was not trained on (docs/support.md).
# Usage: bench/support.sh DATA_DIR [OUTPUT_FOLDER] [MODEL]. MODEL is by default the shipped one.
set -euo pipefail
data=${1:?the folder that holds bench/}
output=${2:-out/bench-support}
model=${3:-mini}
datasets=(summeval_dev cogensumm_dev "cliff[origin=cnndm]" storysumm_dev faithbench_dev
    faceval_dev diasumfact_dev)
metrics=(support:model="$model" entailment:model="$model" mnli_doc:model="$model"
    lss_bleu:model="$model" lss_rouge1:model="$model" lss_rouge2:model="$model"
    lss_rougeL:model="$model" lss_share:model="$model" lss_bertscore:model="$model"
    summac_zs:model="$model" rouge2 novelty bertscore bertscore:layer=4 sentsim ner)
arguments=()
for name in "${datasets[@]}"; do arguments+=(-d "$name"); done
for name in "${metrics[@]}"; do arguments+=(-m "$name"); done
exec faithkit bench "${arguments[@]}" --data-dir "$data" -o "$output" --offline "${@:4}"

#!/usr/bin/env bash
# `support` and what uses the same model, cross-fitted, beside the metrics it must beat.
# Usage: bench/support.sh DATA_DIR [OUTPUT_FOLDER] [MODEL]. MODEL is what this has made:
#   faithkit train support --crossfit --most 6000 --data-dir DATA_DIR -o out/support
set -euo pipefail
data=${1:?the folder that holds bench/}
output=${2:-out/bench-support}
model=${3:-out/support}
datasets=(summeval_dev qags_xsum xsumfaith_dev cliff bump1 summedits_news summedits_podcast
    summedits_sales_email summedits_sales_call wice_dev begin)
metrics=(support:model="$model" entailment:model="$model" mnli_doc:model="$model"
    lss_bleu:model="$model" lss_rouge1:model="$model" lss_rouge2:model="$model"
    lss_rougeL:model="$model" lss_share:model="$model" lss_bertscore:model="$model"
    summac_zs:model="$model" rouge2 novelty bertscore bertscore:layer=4 sentsim ner)
arguments=()
for name in "${datasets[@]}"; do arguments+=(-d "$name"); done
for name in "${metrics[@]}"; do arguments+=(-m "$name"); done
exec faithkit bench "${arguments[@]}" --data-dir "$data" -o "$output" --offline "${@:4}"

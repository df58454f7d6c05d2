#!/usr/bin/env bash
# Every benchmark file with every metric there is: the tables of results/benchmark.md.
# Usage: bench/benchmark.sh DATA_DIR [OUTPUT_FOLDER]. Adding a metric to the list adds its column.
set -euo pipefail
data=${1:?the folder that holds bench/}
output=${2:-out/bench}
datasets=(summeval_dev qags_xsum xsumfaith_dev cliff bump1 summedits_news summedits_podcast
    summedits_sales_email summedits_sales_call wice_dev begin
    "aggrefact_errors_val+cliff[origin=xsum,label=1]")
metrics=(rouge1 rouge2 rougeL bleu meteor novelty ner_overlap ner bertscore sentsim)
arguments=()
for name in "${datasets[@]}"; do arguments+=(-d "$name"); done
for name in "${metrics[@]}"; do arguments+=(-m "$name"); done
exec faithkit bench "${arguments[@]}" --data-dir "$data" -o "$output" --offline "${@:3}"

#!/usr/bin/env bash
# The likelihood family with SmolLM2-135M: its table in docs/results.md.
# Usage: bench/likelihood.sh DATA_DIR [OUTPUT_FOLDER]. Needs `faithkit models pull smollm2-135m`.
# Without a GPU the longer sets are cut to their first documents; the dataset's name says so.
set -euo pipefail
data=${1:?the folder that holds bench/}
output=${2:-out/bench-likelihood}
datasets=(qags_xsum "summeval_dev[documents=20]" "xsumfaith_dev[documents=60]")
metrics=(delta_prior_y delta_prior_x delta_cond_y fflm fflm:weights=equal cop harim bartscore)
arguments=()
for name in "${datasets[@]}"; do arguments+=(-d "$name"); done
for name in "${metrics[@]}"; do arguments+=(-m "$name"); done
exec faithkit bench "${arguments[@]}" --dtype bfloat16 --data-dir "$data" -o "$output" --offline \
    "${@:3}"

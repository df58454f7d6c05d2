#!/usr/bin/env bash
# The likelihood family with SmolLM2-135M: its tables in docs/results.md.
# Usage: bench/likelihood.sh DATA_DIR [OUTPUT_FOLDER] [MODEL]. Needs `faithkit models pull smollm2-135m`. MODEL is a
# cross-fitted support model, which judges the same rows:
#   faithkit train support --crossfit --most 6000 --data-dir DATA_DIR -o out/support
# Of summeval_dev the first 20 documents (the dataset's name says so). In float32: a processor without bfloat16
# instructions is five times slower in bfloat16. About four hours of one core.
set -euo pipefail
data=${1:?the folder that holds bench/}
output=${2:-out/bench-likelihood}
model=${3:-out/support}
metrics=(delta_prior_y delta_prior_x delta_cond_y fflm fflm:weights=equal cop harim bartscore
    support:model="$model" bertscore)
arguments=()
for name in "${metrics[@]}"; do arguments+=(-m "$name"); done
exec faithkit bench -d qags_xsum -d "summeval_dev[documents=20]" -d xsumfaith_dev "${arguments[@]}" \
    --dtype float32 --data-dir "$data" -o "$output" --offline "${@:4}"

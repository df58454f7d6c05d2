#!/usr/bin/env bash
# The likelihood family with SmolLM2-135M: its table in docs/results.md.
# Usage: bench/likelihood.sh DATA_DIR [OUTPUT_FOLDER]. Needs `faithkit models pull smollm2-135m`.
# The two smaller sets in bfloat16 (of summeval_dev the first 20 documents; the dataset's name says so), xsumfaith_dev
# in float32, in a folder of its own: on a processor without bfloat16 that is five times faster.
set -euo pipefail
data=${1:?the folder that holds bench/}
output=${2:-out/bench-likelihood}
metrics=(delta_prior_y delta_prior_x delta_cond_y fflm fflm:weights=equal cop harim bartscore)
arguments=()
for name in "${metrics[@]}"; do arguments+=(-m "$name"); done
faithkit bench -d qags_xsum -d "summeval_dev[documents=20]" "${arguments[@]}" --dtype bfloat16 \
    --data-dir "$data" -o "$output" --offline "${@:3}"
faithkit bench -d xsumfaith_dev "${arguments[@]}" --dtype float32 \
    --data-dir "$data" -o "$output-float32" --offline "${@:3}"

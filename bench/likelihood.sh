#!/usr/bin/env bash
# The likelihood family with SmolLM2-135M: its tables in results/likelihood.md.
# Usage: bench/likelihood.sh DATA_DIR [OUTPUT_FOLDER] [MODEL]. Needs `faithkit models pull smollm2-135m`. MODEL is a
# support model, which judges the same rows, by default the shipped one; rows of files that it was trained on are marked.
# Of summeval_dev the first 20 documents (the dataset's name says so). In float32: a processor without bfloat16
# instructions is five times slower in bfloat16. About four hours of one core.
#
#   bench/likelihood.sh --weights DATA_DIR [OUTPUT_FOLDER]
# shows FFLM with both weights (e^p as printed, e^(1-p) as in the authors' scripts) and with none, beside each component
# with both, on summeval_dev[documents=20] alone. All of them come out of one set of passes. Published with LLaMA-7B on
# all of SummEval: summary level rho 46.9; system level gamma 90.4, rho 83.2, tau 65.0.
set -euo pipefail
weights=
if [[ ${1:-} == --weights ]]; then
    weights=yes
    shift
fi
data=${1:?the folder that holds bench/}
if [[ $weights ]]; then
    output=${2:-out/bench-weights}
    datasets=("summeval_dev[documents=20]")
    metrics=(fflm fflm:weight=code fflm:weight=none)
    for name in delta_prior_y delta_prior_x delta_cond_y; do metrics+=("$name" "$name:weight=code"); done
    extra=("${@:3}")
else
    output=${2:-out/bench-likelihood}
    model=${3:-mini}
    datasets=(qags_xsum "summeval_dev[documents=20]" xsumfaith_dev)
    metrics=(delta_prior_y delta_prior_x delta_cond_y fflm fflm:weight=code fflm:weights=equal cop harim bartscore
        support:model="$model" bertscore)
    extra=("${@:4}")
fi
arguments=()
for name in "${datasets[@]}"; do arguments+=(-d "$name"); done
for name in "${metrics[@]}"; do arguments+=(-m "$name"); done
exec faithkit bench "${arguments[@]}" --dtype float32 --data-dir "$data" -o "$output" --offline "${extra[@]}"

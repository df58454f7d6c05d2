#!/usr/bin/env bash
# Triples, roles, dependencies and questions with their embedded backends: their table in results/facts.md.
# Usage: bench/facts.sh DATA_DIR [OUTPUT_FOLDER] [MODEL]. MODEL is a support model, by default the
# shipped one; rows of files that it was trained on are marked in the tables.
set -euo pipefail
data=${1:?the folder that holds bench/}
output=${2:-out/bench-facts}
model=${3:-mini}
# Plain `qgqa` is the preset mfas.
metrics=(openie openie:similarity=bertscore srl srl:roles=off dae:model="$model" qgqa:qa=cloze:"$model")
for preset in qags feqa questeval qafacteval; do metrics+=(qgqa:preset="$preset",qa=cloze:"$model"); done
arguments=()
for name in "${metrics[@]}"; do arguments+=(-m "$name"); done
exec faithkit bench -d examples/pairs.jsonl -d "qags_xsum[documents=100]" -d "bump1[documents=15]" "${arguments[@]}" \
    --data-dir "$data" -o "$output" --offline "${@:4}"

#!/usr/bin/env bash
# The stress suites on four benchmark files: the page and the tables of results/stress.md.
# Usage: bench/stress.sh DATA_DIR [OUTPUT_FOLDER] [MODEL] [LIMIT]. MODEL is a support model,
# by default the shipped one, which was trained on rows of these files.
# summac_zs is slow and gets at most three rows a file; fflm and the judge are slower and get ten
# cases of one suite; each in a folder of their own.
set -euo pipefail
data=${1:?the folder that holds bench/}
output=${2:-out/stress}
model=${3:-mini}
limit=${4:-8}
faithkit stress -m support:model="$model" -m entailment:model="$model" -m lss_bleu:model="$model" \
    -m bertscore -m sentsim -m rouge2 -d bump1 -d summeval_dev -d summedits_news -d wice_dev \
    --limit "$limit" --data-dir "$data" --offline -o "$output"
faithkit stress -m summac_zs:model="$model" -d bump1 -d summeval_dev -d summedits_news -d wice_dev \
    --limit $((limit < 3 ? limit : 3)) --data-dir "$data" --offline -o "$output-summac"
faithkit stress -m fflm -m judge:document_tokens=256 -d bump1 \
    --suite counterfactual --limit 10 --data-dir "$data" --offline -o "$output-slow"

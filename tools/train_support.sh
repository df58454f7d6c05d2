#!/bin/sh
# The shipped support model: three passes over every family but those of docs/support.md, on which it is calibrated; the mean
# of the last two, quantised. Each pass resumes after a kill with the same command. Needs `faithkit models pull base`.
#   tools/train_support.sh DATA OUT
set -eu
DATA=$1
OUT=$2

train() { faithkit train support --data-dir "$DATA" --encoder base --rank 16 "$@"; }
train -o "$OUT/base_1" --units 24000
train -o "$OUT/base_2" --units 32000 --start "$OUT/base_1" --seed 1
train -o "$OUT/base_3" --units 38000 --start "$OUT/base_2" --seed 2 --made 3 --edited 8000 \
    --most nli=16000 --repeat claims=2
python tools/average_support.py "$OUT/base_2" "$OUT/base_3" -o "$OUT/base"

grep '"split": "train"' "$DATA/claims/claims.jsonl" > "$OUT/claims_train.jsonl"
faithkit models quantise "$OUT/base" "$OUT/claims_train.jsonl" -o "$OUT/support"
faithkit train support -o "$OUT/support" --data-dir "$DATA" --only-calibrate

#!/bin/sh
# The shipped support models, each in three passes; each pass resumes after a kill with the same command.
#   tools/train_support.sh DATA OUT
# 1 inference pairs and single claims; 2 every family but those of docs/support.md, on which it is
# calibrated; 3 a short pass over every family, at a lower learning rate, with the calibration of 2.
set -eu
DATA=$1
OUT=$2

files() { for name in "$@"; do printf -- '--file %s ' "$name"; done; }
most() { for limit in "$@"; do printf -- '--most %s ' "$limit"; done; }

# shellcheck disable=SC2046
faithkit train support -o "$OUT/pairs" --data-dir "$DATA" --made 0 --units 31000 --lr 8e-5 $(files \
    nli_pairs climate_fever covidfact fm2 fever_symmetric wice_dev wice_tokens_dev \
    wice_tokens_train begin cg2c_doc factcheck_gpt_stance)
faithkit train support -o "$OUT/left_out" --data-dir "$DATA" --start "$OUT/pairs"
# shellcheck disable=SC2046
faithkit train support -o "$OUT/support" --data-dir "$DATA" --start "$OUT/left_out" \
    --leave-out none --lr 4e-5 --made 2 $(files cogensumm_dev summeval_dev cliff faithbench_dev \
    diasumfact_dev faceval_dev storysumm_dev claims_train bump1 summedits_news summedits_podcast \
    summedits_sales_call summedits_sales_email lss_dev defacto_dev wice_dev wice_tokens_train \
    xsumfaith_dev entfa_dev aggrefact_errors_val fm2 fever_symmetric begin covidfact cg2c_doc \
    factcheck_gpt_stance) $(most cnndm=2500 claims=1000 xsum=1500 bump=800 summedits_news=400 \
    summedits_podcast=400 summedits_sales=400 web=800 wikipedia=1000 knowledge_replies=500 \
    science=500 cg2c=500 made=1500 paraphrased=500 non_claims=150)
faithkit models export "$OUT/support"

# support:base, in three passes over the families of pass 2: low-rank changes of the encoder `base`;
# the mean of the last two is shipped.
base() { faithkit train support --data-dir "$DATA" --encoder base --rank 16 "$@"; }
base -o "$OUT/base_1" --units 24000
base -o "$OUT/base_2" --units 32000 --start "$OUT/base_1" --seed 1
base -o "$OUT/base_3" --units 38000 --start "$OUT/base_2" --seed 2 --made 3 --edited 8000 \
    --most nli=16000 --repeat claims=2
python tools/average_support.py "$OUT/base_2" "$OUT/base_3" -o "$OUT/base"
faithkit train support -o "$OUT/base" --data-dir "$DATA" --only-calibrate --dtype bfloat16
faithkit models export "$OUT/base"

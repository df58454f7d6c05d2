#!/bin/sh
# The shipped support model: seven passes over every family but those of docs/support.md, on which it is calibrated; the fourth
# begins at the mean of the second and the third, the fifth at the mean of that and the fourth, and what is shipped is the mean
# of the sixth and the seventh. Each pass resumes after a kill with the same command. Needs `faithkit models pull base`. How the
# shipped passes differed from these: docs/support.md.
#   tools/train_support.sh DATA OUT
set -eu
DATA=$1
OUT=$2

train() { faithkit train support --data-dir "$DATA" --encoder base --rank 16 --most speakers=0 "$@"; }
train -o "$OUT/base_1" --units 24000
train -o "$OUT/base_2" --units 32000 --start "$OUT/base_1" --seed 1
train -o "$OUT/base_3" --units 38000 --start "$OUT/base_2" --seed 2 --made 3 --edited 8000 \
    --most nli=10700 --most conjnli=5300 --repeat claims=2
python tools/average_support.py "$OUT/base_2" "$OUT/base_3" -o "$OUT/base_mean"
train -o "$OUT/base_4" --units 64000 --start "$OUT/base_mean" --seed 5 --batch 16 --lr 7e-5 --made 3 --edited 6000 \
    --most nli=29400 --most conjnli=14978 --most edited=15000 --most science=7000 --most made=5000 --most web=3000 --most knowledge_replies=2500 \
    --most paraphrased=554 --most non_claims=500 --repeat claims=2
python tools/average_support.py "$OUT/base_mean" "$OUT/base_4" -o "$OUT/base_mean_4"
train -o "$OUT/base_5" --units 16400 --start "$OUT/base_mean_4" --seed 7 --batch 16 --lr 7e-5 --made 3 --edited 8000 \
    --most nli=6000 --most conjnli=3000 --most edited=8000 --most science=3500 --most made=1500 --most web=1500 --most knowledge_replies=1000 \
    --most paraphrased=300 --most non_claims=200 --repeat claims=1
train -o "$OUT/base_6" --units 10400 --start "$OUT/base_5" --seed 8 --batch 16 --lr 7e-5 --made 3 --edited 8000 --evidence 180 \
    --most claims=8600 --most nli=1000 --most conjnli=500 --most edited=900 --most science=500 --most made=300 --most bump=300 --most xsum=300 \
    --most cg2c=250 --most web=200 --most wikipedia=200 --most summedits_sales=200 --most summedits_news=200 \
    --most knowledge_replies=150 --most summedits_podcast=150 --most non_claims=60 --most paraphrased=50 --repeat claims=1
train -o "$OUT/base_7" --start "$OUT/base_6" --seed 10 --batch 16 --lr 5e-5 --made 1 --documents 60 --edited 1500 --evidence 180 \
    --most speakers=5600 --most claims=2200 --most nli=600 --most conjnli=300 --most edited=400 --most science=200 --most made=150 --most bump=150 \
    --most xsum=200 --most cg2c=150 --most web=150 --most wikipedia=100 --most summedits_sales=100 --most summedits_news=100 \
    --most knowledge_replies=100 --most summedits_podcast=100 --most non_claims=60 --most paraphrased=50 --repeat claims=1
python tools/average_support.py "$OUT/base_6" "$OUT/base_7" -o "$OUT/base"

grep '"split": "train"' "$DATA/claims/claims.jsonl" > "$OUT/claims_train.jsonl"
faithkit models quantise "$OUT/base" "$OUT/claims_train.jsonl" -o "$OUT/support"
faithkit train support -o "$OUT/support" --data-dir "$DATA" --only-calibrate

#!/usr/bin/env bash
# Kills a run with SIGKILL half-way, starts the same command again, and compares the result with an
# uninterrupted run. Usage: bench/resume.sh PAIRS.jsonl
set -euo pipefail
pairs=${1:?a file of pairs}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
score() {
    faithkit score "$pairs" -m rouge2 -m bertscore -m sentsim -m ner --offline \
        --cache "$folder/$1.sqlite" -o "$folder/$1.jsonl" --quiet
}
start=$(date +%s)
score whole
echo "uninterrupted: $(wc -l <"$folder/whole.jsonl") rows in $(($(date +%s) - start)) s"
half=$(($(wc -l <"$folder/whole.jsonl") / 2))
score killed &
child=$!
while [ "$(cat "$folder/killed.jsonl" 2>/dev/null | wc -l)" -lt "$half" ]; do sleep 0.2; done
pkill -KILL -P "$child" || true
kill -KILL "$child" 2>/dev/null || true
wait "$child" 2>/dev/null || true
echo "killed after $(wc -l <"$folder/killed.jsonl") whole rows"
score killed
cmp "$folder/whole.jsonl" "$folder/killed.jsonl" && echo "resumed: identical, byte for byte"
cut -d, -f4 "$folder/whole.jsonl" | sort | uniq -c

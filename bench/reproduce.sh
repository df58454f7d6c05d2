#!/bin/sh
# The pages of results/reproduce and docs/reproduce.md, by `faithkit reproduce`.
#   bench/reproduce.sh DATA [PATTERN]     only the recipes whose name matches PATTERN
# A CPU has not the time for every row of every set: --limit is what takes minutes.
set -eu
DATA=$1
PATTERN=${2:-*}
RESULTS=results/reproduce

page() {
    # shellcheck disable=SC2254
    case $1 in $PATTERN) faithkit reproduce "$@" --data-dir "$DATA" --stand-in -o $RESULTS ;; esac
}

page lss-table1
page lss-table3 \
    --row "ROUGE-1 (reference–claim)" --row "ROUGE-2 (reference–claim)" \
    --row "ROUGE-L (reference–claim)" --row "BLEU (reference–claim)" \
    --row "ROUGE-1 (claim–human LSS)" --row "ROUGE-2 (claim–human LSS)" \
    --row "ROUGE-L (claim–human LSS)" --row "BLEU (claim–human LSS)" --row "ROUGE (claim–human LSS)"
for table in mfas-table2 mfas-table4 mfas-figure1 mfas-figure2; do
    page $table --limit 30 --row BERTScore --row SentSim --row SRL --row NER --row "Open IE"
done
page mfas-table3 --limit 10 --row random --row BERTScore --row SentSim --row SRL --row NER \
    --row "Open IE" --row human
page mfas-table8 --limit 40
for figure in stress-figure2 stress-figure3 stress-figure6; do
    page $figure --limit 40 --row ROUGE-2 --row BERTScore
done
for figure in stress-figure4 stress-figure5; do
    page $figure --limit 5 --row ROUGE-2 --row BERTScore
done
for table in fflm-table4 fflm-table6; do
    page $table --limit 10
done
case $PATTERN in "*") faithkit reproduce --data-dir "$DATA" -o $RESULTS --page docs/reproduce.md ;; esac

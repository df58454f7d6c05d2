#!/bin/sh
# The pages of results/reproduce and docs/reproduce.md, by `faithkit reproduce`.
#   bench/reproduce.sh DATA [PATTERN]     only the recipes whose name matches PATTERN
#   OFFLINE=1 bench/reproduce.sh DATA     leaves out what would have to be downloaded
# A CPU has not the time for every row of every set: --limit is what takes minutes. What cannot run
# here (fcllm-c5, fcllm-c6 and others) has no page; docs/reproduce.md says what it needs.
set -eu
DATA=$1
PATTERN=${2:-*}
RESULTS=results/reproduce

page() {
    # shellcheck disable=SC2254
    case $1 in
    $PATTERN) faithkit reproduce "$@" --data-dir "$DATA" --stand-in ${OFFLINE:+--offline} \
        -o $RESULTS || echo "$1: no page" >&2 ;;
    esac
}

page lss-table1
page lss-appendix-ratings
page lss-appendix-scores
page lss-table2 --limit 150
page lss-table3
page lss-table4 --limit 10
page lss-table5 --limit 10
page lss-table6 --limit 20
page lss-table7 --limit 40
for table in mfas-table2 mfas-table4 mfas-table5 mfas-figure1 mfas-figure2 mfas-table6 mfas-table7 \
    mfas-table8; do
    page $table --limit 8
done
page mfas-table3 --limit 8 --row random --row BERTScore --row Entailment --row SentSim --row SRL \
    --row NER --row "Open IE" --row human
page fcllm-table2 --limit 20
page fcllm-table4 --limit 10
for figure in fcllm-table3 fcllm-figure1; do
    page $figure --limit 5
done
page stress-figure2 --limit 4
page stress-appendix-buckets --limit 4
page stress-figure3 --limit 3 --row ROUGE-2 --row BERTScore --row "support (this project's)"
page stress-figure6 --limit 6
for figure in stress-figure4 stress-figure5 stress-appendix-phrases; do
    page $figure --limit 1 --row ROUGE-2 --row "support (this project's)"
done
page stress-figure3-chat --limit 2 --row ROUGE-2 --row BERTScore --row "support (this project's)"
# Two passes of the language model over each summary with its source: six seconds of one core with
# the stand-in, and summeval_dev has sixteen summaries a document: the first line took 40 minutes of
# a core. The limits of the others are too small for an interval; take greater ones where there is
# time. Tables of one command share the passes, and PATTERN is matched with the first.
page fflm-table4 fflm-table6 fflm-table5 fflm-sizes --limit qags_xsum=120 --limit summeval_dev=12
page fflm-figure1 --limit "cliff[origin=cnndm]=6" --limit "cliff[origin=xsum]=6"
page fflm-table2 --limit 1 --limit cliff=6 --limit summeval_dev=2 --row BARTScore --row HaRiM
page fflm-table3 --limit qags_xsum=30 --limit summeval_dev=12 --row BARTScore --row HaRiM --row CoP \
    --row FFLM
page fflm-prompting --limit 2 --limit summeval_dev=1 --row "yes or no" --row FFLM
case $PATTERN in "*") faithkit reproduce --data-dir "$DATA" -o $RESULTS --page docs/reproduce.md ;; esac

#!/usr/bin/env bash
# What the parts of the support model's training are worth: readers of six layers (`mini`), each of the same number of
# sentences, that differ in one thing from the first. Each run goes on where it was killed; one that is done is left.
# Run it in the repository. Usage: bench/ladder.sh DATA_DIR [OUTPUT_FOLDER] [SENTENCES]; then bench/ladder.py makes the table.
set -euo pipefail
data=${1:?the folder that holds bench/, train/ and claims/}
output=${2:-out/ladder}
sentences=${3:-8000}
# Releases that state a licence (docs/datasets.md), and those that state none. HealthVer, which states none, is a part of
# nli_pairs and the only one in the family "science" that is not in the second list. ConjNLI (in nli_pairs) and FactCheck-GPT
# are in the first list, though their readmes state none.
licensed=(xsumfaith_dev bump1 summedits_news summedits_podcast summedits_sales_email summedits_sales_call wice_dev begin
    wice_tokens_train wice_tokens_dev lss_dev defacto_dev fm2 fever_symmetric cg2c_doc nli_pairs factcheck_gpt_stance)
unlicensed=(cliff aggrefact_errors_val qags_xsum entfa_dev climate_fever covidfact)
claims=(claims_train)
mkdir -p "$output"

train() {
    local name=$1
    shift
    [ -e "$output/$name/DONE" ] && return
    faithkit train support --data-dir "$data" --encoder mini --units "$sentences" --evidence 180 --batch 16 \
        --made 1 --documents 100 --repeat claims=1 --most speakers=0 --offline -o "$output/$name" "$@" 2>&1 | tee "$output/$name.log"
    touch "$output/$name/DONE"
}

files() { for name in "$@"; do printf -- '--file %s ' "$name"; done; }

# shellcheck disable=SC2046  # names of files have no blanks
{
    train everything $(files "${licensed[@]}" "${unlicensed[@]}" "${claims[@]}")
    train without_claims $(files "${licensed[@]}" "${unlicensed[@]}")
    train licensed $(files "${licensed[@]}" "${claims[@]}") --most science=0
    train another_seed $(files "${licensed[@]}" "${unlicensed[@]}" "${claims[@]}") --seed 1
    train taught $(files "${licensed[@]}" "${unlicensed[@]}" "${claims[@]}") --teacher src/faithkit/support/weights/support-mini
}

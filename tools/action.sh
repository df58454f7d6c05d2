#!/usr/bin/env bash
# The gate of the GitHub Action (action.yml): its inputs, as variables, become options of
# `faithkit score`. An input of several lines is one option a line.
set -euo pipefail

arguments=(score "$PAIRS" --github)

add() { # OPTION VALUE: nothing where the value is empty
  if [[ -n "$2" ]]; then arguments+=("$1=$2"); fi
}

add_lines() { # OPTION VALUES
  local line
  while IFS= read -r line; do add "$1" "$line"; done <<<"$2"
}

add_lines --metric "${METRICS:-}"
add_lines --fail-if "${FAIL_IF:-}"
add --baseline "${BASELINE:-}"
add --output "${OUTPUT:-}"
add --junit "${JUNIT:-}"
add --sarif "${SARIF:-}"
if [[ "${ALLOW_UNSCORED:-false}" == true ]]; then arguments+=(--allow-unscored); fi

exec python -m faithkit.cli "${arguments[@]}"

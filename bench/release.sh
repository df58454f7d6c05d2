#!/usr/bin/env bash
# `score` of this working copy and of an earlier commit, one after the other in the same environment, on the first rows of
# a benchmark file: seconds, processor seconds and peak memory of the whole command.
#     bench/release.sh [COMMIT] [ROWS] [FILE]        default: the last commit of 0.1.0, 200 rows of qags_xsum
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
commit=${1:-1b6b6ba^}
rows=${2:-200}
data=${3:-${FAITHKIT_DATA:-$root/../shared/data}/bench/qags_xsum.jsonl}
python=${PYTHON:-$root/.venv/bin/python}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/earlier"
git -C "$root" archive "$commit" | tar -x -C "$folder/earlier"
head -n "$rows" "$data" > "$folder/pairs.jsonl"
for try in 1 2 3; do
    for name in earlier now; do
        source=$root/src
        [ "$name" = earlier ] && source=$folder/earlier/src
        rm -f "$folder"/out.jsonl*
        (cd "$folder" && PYTHONPATH=$source /usr/bin/time -f "try $try, $name: %e s, processor %U s, %M KB" \
            "$python" -m faithkit.cli score pairs.jsonl -m support --no-cache --offline -q -o out.jsonl)
    done
done

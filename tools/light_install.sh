#!/usr/bin/env bash
# Builds the wheel, installs it without extras into an empty environment and uses it there: the light set. Prints how
# long that takes from nothing to the first verdict and what is installed; fails where the environment grows over its
# limit or holds a package of an extra.
#     tools/light_install.sh        PYTHON names the interpreter
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
limit_mb=250
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$python" -m pip --disable-pip-version-check wheel -q --no-deps -w "$folder/wheel" "$root"
start=$(date +%s.%N)
"$python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --disable-pip-version-check install -q -c "$root/constraints.txt" "$folder"/wheel/*.whl
cd "$folder"
"$folder/venv/bin/faithkit" check --source "$root/examples/source.txt" --summary "$root/examples/summary.txt" \
    --offline --no-cache
printf 'From nothing to the first verdict: %.0f s\n' "$(echo "$(date +%s.%N) - $start" | bc)"

"$folder/venv/bin/faithkit" score "$root/examples/pairs.jsonl" -m support -m rouge1 -m rouge2 -m rougeL -m meteor \
    -m novelty --offline --no-cache -o scores.jsonl > /dev/null
packages=$("$folder/venv/bin/python" -c 'import site; print(site.getsitepackages()[0])')
"$folder/venv/bin/python" - "$packages" "$limit_mb" <<'CODE'
import sys
from importlib.util import find_spec
from pathlib import Path

packages, limit = Path(sys.argv[1]), int(sys.argv[2])
tools = ("pip", "setuptools", "pkg_resources", "_distutils_hack")  # the environment's own
sizes: dict[str, list[int]] = {}
for file in packages.rglob("*"):
    name = file.relative_to(packages).parts[0].partition(".dist-info")[0].partition("-")[0]
    if file.is_file() and name not in tools:
        size = sizes.setdefault(name, [0, 0])
        size[file.suffix == ".pyc"] += file.stat().st_size
code, bytecode = (sum(size[i] for size in sizes.values()) / 1e6 for i in (0, 1))
for name, size in sorted(sizes.items(), key=lambda item: -sum(item[1]))[:12]:
    print(f"{sum(size) / 1e6:8.1f} MB  {name}")
print(f"{code + bytecode:8.1f} MB  in all, {bytecode:.1f} of it compiled Python that pip adds")
heavy = [name for name in ("torch", "transformers", "tokenizers", "spacy", "scipy", "sklearn") if find_spec(name)]
if heavy or code + bytecode > limit:
    sys.exit(f"the light set has {heavy or 'more than %d MB' % limit}")
CODE

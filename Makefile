# Every target sets up what it needs: a virtual environment in .venv, then the work.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt
OUT := out
# A process for each core, each of them on one thread; compiled modules are kept for the processes that tests start.
TESTS := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

.PHONY: demo light test browser quick verify check format docs bench clean

demo: .venv/.run  ## Score the examples with the default model, then check one summary word by word
	@echo "== Scoring examples/pairs.jsonl with three metrics, offline"
	$(BIN)/faithkit score examples/pairs.jsonl -m support -m rouge2 -m novelty \
		--offline --no-resume -o $(OUT)/demo.jsonl
	@echo
	@echo "== Checking one summary: unsupported words are marked [number: words]"
	$(BIN)/faithkit check --source examples/source.txt --summary examples/summary.txt --offline

light:  ## Build the wheel, install it alone into an empty environment, and use it there
	PYTHON=$(PYTHON) tools/light_install.sh

test: .venv/.dev  ## All tests but the long verifications and those in a browser
	$(TESTS) -m "not verify and not browser"

browser: .venv/.dev  ## Pages and app in Debian's chromium (apt-get install chromium)
	$(TESTS) -m browser

quick: .venv/.dev  ## The tests that take a fraction of a second
	HYPOTHESIS_PROFILE=quick $(TESTS) -m "not slow and not verify and not browser" --durations=5 --durations-min=1

verify: .venv/.dev  ## The long verifications, and every property test on more examples
	HYPOTHESIS_PROFILE=thorough $(TESTS) -m "verify or hypothesis"

check: .venv/.dev  ## Lint, format, layers and types
	@echo "== ruff, import-linter and mypy --strict"
	$(BIN)/ruff check src tests bench tools
	$(BIN)/ruff format --check src tests bench tools
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy

format: .venv/.dev
	$(BIN)/ruff check --fix src tests bench tools
	$(BIN)/ruff format src tests bench tools

docs: .venv/.dev  ## The documentation as a site in out/docs, warnings as errors
	$(BIN)/python tools/docs_site.py $(OUT)/docs

bench: .venv/.dev  ## The speed figures of results/speed.md
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/bertscore.py
	$(BIN)/python bench/support.py
	$(BIN)/python bench/engines.py
	$(BIN)/python bench/check.py
	$(BIN)/python bench/long_source.py
	$(BIN)/python bench/run_cost.py

.venv/.run: pyproject.toml constraints.txt
	@echo "== Setting up .venv (once; what faithkit itself needs, its model included)"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) -e .
	@touch $@

.venv/.dev: .venv/.run
	@echo "== Adding the extras and the development tools to .venv (about 2 GB, models included)"
	$(PIP) torch
	$(PIP) -e ".[dev]"
	@touch $@

clean:
	rm -rf .venv $(OUT) build dist

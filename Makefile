# Two commands do everything on a fresh machine with Python 3.11+ and make:
#   make demo   create .venv, install netveil, anonymize the built-in network, say where the report is
#   make test   everything CI checks: format, lint, types, tests
PYTHON ?= python3
BIN := .venv/bin
KERNEL_TESTS := tests/kernels tests/search/test_finish.py tests/utility/test_utility_paths.py \
	$(addprefix tests/anonymity/test_,balls.py cascade.py fuzzy.py measures_naive.py twins.py)

.PHONY: demo test install install-dev kernels-in-python benchmark clean

.venv/created:
	$(PYTHON) -m venv .venv
	touch $@

.venv/installed: .venv/created pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/installed-dev: .venv/created pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@ .venv/installed

install: .venv/installed

install-dev: .venv/installed-dev

demo: .venv/installed
	$(BIN)/netveil measure demo
	$(BIN)/netveil anonymize demo --out demo-release --seed 1 --overwrite

test: .venv/installed-dev
	$(BIN)/ruff format --check src tests benchmarks scripts
	$(BIN)/ruff check src tests benchmarks scripts
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto

# Kernels as plain Python, so that their lines can be counted: overflow is what hashes are made of there.
kernels-in-python: .venv/installed-dev
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -m "not many_steps" $(KERNEL_TESTS) \
		--hypothesis-profile in-python -W "ignore:overflow encountered:RuntimeWarning" \
		--cov=src/netveil/kernels --cov-report=term-missing:skip-covered

benchmark: .venv/installed-dev
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf .venv demo-release build dist src/*.egg-info

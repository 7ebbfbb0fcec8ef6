# Two commands do everything on a fresh machine with Python 3.11+ and make:
#   make demo   create .venv, install netveil, anonymize the built-in network, say where the report is
#   make test   everything CI checks: format, lint, types, tests
# and for maintainers before a release: make test-versions, on every Python, newest and lowest dependencies
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-versions install install-dev benchmark clean

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

test-versions:
	scripts/test_versions.sh

benchmark: .venv/installed-dev
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/bounds.py

clean:
	rm -rf .venv demo-release build dist src/*.egg-info

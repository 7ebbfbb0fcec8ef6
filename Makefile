# `make` lists what there is: every target with a comment `## what it does` behind it.
# On a fresh machine with Python 3.11+ and make, `make demo` and `make test` do everything.
PYTHON ?= python3
BIN := .venv/bin
# The command as it can be typed in any folder; in quotes if there is a blank in the path to it.
NETVEIL := $(if $(word 2,$(CURDIR)),'$(CURDIR)/$(BIN)/netveil',$(CURDIR)/$(BIN)/netveil)

KERNEL_TESTS := tests/kernels tests/search/test_repair_and_prune.py tests/utility/test_utility_paths.py \
	$(addprefix tests/anonymity/test_,balls.py measures.py)

.DEFAULT_GOAL := help
.PHONY: help demo check compile-kernels test test-thorough test-all explore fuzz faults test-versions install install-dev docs build wheelhouse release kernels-in-python benchmark clean

help: ## list what make can do
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / {printf "make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: export PYTHONDONTWRITEBYTECODE =
demo: .venv/installed ## create .venv, install netveil, anonymize the built-in network, say what to do next
	$(BIN)/netveil anonymize demo --budget 5% --effort 0.1 --seed 7 --out demo-release --overwrite
	@echo
	@echo "What to do next"
	@echo "  Open the report in a browser:  $(CURDIR)/demo-release/private/report.html"
	@echo "  Do the same in a page in your browser, which only this machine can open; Ctrl-C ends it:"
	@echo "    $(NETVEIL) web"
	@echo "  Try a network of your own, such as a file contacts.csv with two names a line (anna,bob):"
	@echo "    $(NETVEIL) measure contacts.csv"
	@echo "    $(NETVEIL) anonymize contacts.csv --out contacts-release"
	@echo "  All commands:  $(NETVEIL) --help"

check: .venv/installed-dev ## format, lint and types of the package, without the tests
	$(BIN)/ruff format --check src tests benchmarks scripts docs
	$(BIN)/ruff check src tests benchmarks scripts docs
	$(BIN)/mypy src

# What cannot be compiled is for a test to tell.
compile-kernels: .venv/installed-dev ## compile the kernels that most tests need, once for all their processes
	-@$(BIN)/python tests/compile_kernels.py

# Tests start netveil some hundred times: where Python is told to keep no bytecode, it would compile it each time.
# mypy takes one core: the others compile kernels meanwhile, with few optimizations, which takes a fifth less and changes
# no result (kernels of users are kept apart); `make test-thorough` has all optimizations, and all types.
test: export PYTHONDONTWRITEBYTECODE =
test: export NUMBA_OPT = 1
test: .venv/installed-dev ## format, lint, types and the quick tests: five minutes
	@$(MAKE) --no-print-directory -j 2 check compile-kernels
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not thorough"

test-thorough: export PYTHONDONTWRITEBYTECODE =
test-thorough: .venv/installed-dev ## the thorough tests, and more examples of every property: ten minutes
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto --dist worksteal -m "thorough or hypothesis" --hypothesis-profile thorough $(THOROUGH)

test-all: test test-thorough ## `make test`, then `make test-thorough`, then a minute of fuzzing
	$(BIN)/python tests/fuzzing.py --seconds 60

fuzz: .venv/installed-dev ## damage files of every format and read them, until Ctrl-C; findings go to fuzz-findings/
	$(BIN)/python tests/fuzzing.py $(if $(SECONDS),--seconds $(SECONDS))

explore: .venv/installed-dev ## the property tests with five times as many examples, other ones each time
	$(BIN)/python -m pytest -n auto -m hypothesis --hypothesis-profile exploring

test-versions: ## the tests on every Python, with the newest and the lowest dependencies; for maintainers
	scripts/test_versions.sh

faults: .venv/installed-dev ## let every file operation of every command fail, and kill it there: half an hour
	$(BIN)/python tests/faults/sweep.py
	EVERY_TAMPERING=1 $(BIN)/python -m pytest -n 0 tests/test_tampered_records.py

# Kernels as plain Python, so that their lines can be counted: overflow is what hashes are made of there.
kernels-in-python: .venv/installed-dev ## the tests of kernels without compiling them: which lines are reached
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -m "not many_steps" $(KERNEL_TESTS) \
		--hypothesis-profile in-python -W "ignore:overflow encountered:RuntimeWarning" \
		--cov=src/netveil/kernels --cov-report=term-missing:skip-covered

benchmark: .venv/installed-dev ## print how fast things are, as ratios; AGAINST=COMMIT compares starting with a commit
	$(BIN)/python -m benchmarks speed
	$(BIN)/python -m benchmarks start $(AGAINST)

# -W: a warning fails it; nothing is downloaded. Stories are run, so that what they show is true.
docs: .venv/installed-docs ## build the site into docs/_build: open docs/_build/html/index.html
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

build: .venv/installed-dev ## build wheel and source archive into dist/, and check them
	rm -rf dist
	$(BIN)/python -m build --outdir dist . > /dev/null
	$(BIN)/python -m twine check --strict dist/*

wheelhouse: .venv/installed ## all wheels for this Python, with a script that installs them without internet
	scripts/make_wheelhouse.sh $(BIN)/python

release: .venv/installed-dev .venv/installed-docs ## check that this version can be published, and tag it
	scripts/release.sh

install: .venv/installed ## create .venv and install netveil with its page in the browser

install-dev: .venv/installed-dev ## the same with what tests and benchmarks need

clean: ## remove .venv, the demo's release and what was built
	rm -rf .venv demo-release build dist wheelhouse docs/_build src/*.egg-info

.venv/created:
	$(PYTHON) -m venv .venv
	touch $@

# pip compiles the bytecode of all files, one by one. For the tests, which import most of them in many processes, all cores
# do it; else Python compiles what is imported, when it first is. mypy is machine code where there is a wheel of it.
# Files for other versions of Python, which some packages have, cannot be compiled, and need not be.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
COMPILE := $(BIN)/python -m compileall -q -j 0 -x '/(tests?|mypyc?)/' .venv/lib > /dev/null

.venv/installed: .venv/created pyproject.toml
	$(PIP_INSTALL) --editable ".[web]"
	touch $@

.venv/installed-dev: .venv/created pyproject.toml
	$(PIP_INSTALL) --editable ".[dev]"
	-@$(COMPILE)
	touch $@ .venv/installed

.venv/installed-docs: .venv/installed
	$(PIP_INSTALL) --editable ".[docs]"
	-@$(COMPILE)
	touch $@

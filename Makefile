# Everything runs from .venv. It is created if it is missing, and again when its requirements change.

PYTHON ?= python3
ARGS ?=

# If it is set, every process that a test starts compiles its imports again.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
MANIFESTS := $(wildcard packages/*/pyproject.toml)

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-under-load matrix planted faults soak lint format generate check validate validators site dist bench bench-send bench-lint bench-generate bench-simulate bench-scheduler bench-peers bench-growth lock ci clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/packages ## create .venv with the pinned requirements and the packages, editable

demo: setup ## run media-cluster under traffic, kill a worker, and account for every message
	@$(BIN)/python -m penstock_dev.demo

test: setup ## run the tests (make test ARGS="-k lock")
	$(BIN)/pytest -n auto $(ARGS)

test-under-load: setup ## run the tests on a machine five times slower (make test-under-load ARGS="-k lock")
	$(BIN)/python tools/under_load.py $(BIN)/pytest -n auto $(ARGS)

matrix: setup ## run the tests of the runtime on all servers, in all shapes, on both loops
	tools/matrix.sh $(ARGS)

planted: setup ## plant each of many bugs in the runtime, prove that the simulation finds it, and write a report
	$(BIN)/python -m tests.simulation.planted $(ARGS)

faults: setup ## inject faults into real workers and a real Redis, and write a report (make faults ARGS="--only kill --seed 7")
	$(BIN)/python -m tests.faults $(ARGS)

soak: setup ## run mixed load with faults for 15 minutes, and check that memory, files and connections stay flat
	$(BIN)/python -m tests.faults.soak $(ARGS)

lint: setup ## check style, format, types, the direction of imports and commit subjects
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python tools/check_imports.py
	$(BIN)/python tools/check_commits.py
	$(BIN)/mypy

format: setup ## fix style and format where that is safe
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

generate: setup ## write generated files and the reference docs from the specs and the code
	$(BIN)/penstock generate
	$(BIN)/python tools/generate.py

check: setup ## check that the files of `make generate` are up to date
	$(BIN)/penstock check
	$(BIN)/python tools/generate.py --check

validate: validators ## check generated files with the programs that will read them
	$(BIN)/pytest -n auto tests/validate $(ARGS)

validators: setup ## build the programs of `make validate`: kubeconform, helm, promtool, amtool, hadolint, and schemas
	tools/validators.sh

site: setup ## build the docs as a site in build/site; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

dist: setup ## build the wheels and source archives in dist/, and check them
	rm -rf dist
	for package in packages/*/; do (cd $$package && ../../$(BIN)/python -m hatchling build -d ../../dist) || exit; done
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

bench: setup ## measure how fast a worker drains, compared with a bare loop
	$(BIN)/python benchmarks/drain.py

bench-send: setup ## measure how fast a producer sends, compared with pipelined XADDs
	$(BIN)/python benchmarks/send.py

bench-lint: setup ## measure how fast specs are linted
	$(BIN)/python benchmarks/lint.py

bench-scheduler: setup ## measure a scheduler, compared with one lock per job
	$(BIN)/python benchmarks/scheduler.py

bench-generate: validators ## measure how fast files are generated, compared with helm template
	$(BIN)/python benchmarks/generating.py

bench-peers: setup ## compare with other queues, each in an environment of its own: half an hour (make bench-peers ARGS="--only arq")
	$(BIN)/python benchmarks/peers/compare.py $(ARGS)

bench-growth: setup ## measure how a pipeline grows: workers, bodies, a long stream, parked messages, consumers
	$(BIN)/python benchmarks/growth.py

bench-simulate: setup ## measure how fast a day of a pipeline is simulated
	$(BIN)/python benchmarks/simulating.py

lock: ## pin the requirements again (make lock ARGS=--upgrade takes the newest)
	PYTHON="$(PYTHON)" tools/lock.sh $(ARGS)

ci: ## run all checks that a change must pass before it is merged
	.ci/run

clean: ## remove .venv, caches and build output
	rm -rf .venv .nox .pytest_cache .mypy_cache .ruff_cache .hypothesis .penstock-cache build dist packages/*/dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Two stamps, because packages change far more often than the requirements. A new set of requirements starts from an
# empty environment: a dropped package must not stay and hide a missing requirement.
.venv/requirements: requirements/dev.txt
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "error: Python 3.11 or newer with venv is required, but '$(PYTHON)' is not ($$($(PYTHON) -V 2>&1));" \
		"hint: make setup PYTHON=python3.12, or on Debian apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

# pip check proves that the lock has all requirements of the packages.
.venv/packages: .venv/requirements $(MANIFESTS)
	$(PIP) install --no-deps --no-index --no-build-isolation $(MANIFESTS:%/pyproject.toml=-e %)
	@$(PIP) check || { echo "error: the lock lacks a requirement of a package; hint: make lock" >&2; exit 1; }
	@touch $@

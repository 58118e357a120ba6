# Palimpsest: `make help` lists what there is. Nothing is needed but Python ≥3.11, make and the package
# registries; every verb does its own set-up, and repeats none of it.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# -- settings: from the command line or the environment ------------------------------------------------
PORT ?= 4566
ENGINE ?= sqlite
EMBEDDER ?= openai
LOCAL_DIR ?= .local
export PORT ENGINE EMBEDDER LOCAL_DIR

# -- set-up: uv, the project's environment and the tools' own ------------------------------------------
TOOLS := .cache/tools
UV := $(CURDIR)/$(TOOLS)/uv/bin/uv
PY := $(CURDIR)/.venv/bin/python
# the best Python there is; 3.13 is what runs on AWS
PYTHON ?= $(shell for p in python3.13 python3; do \
  if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
  $$p -c 'import sys; print(sys.executable)'; break; fi; done)
STACK_PY := PYTHONPATH=infra:functions $(PY)
export UV_PYTHON_DOWNLOADS := never

$(TOOLS)/uv/.done: infra/local/uv.txt
	@python="$(PYTHON)"; if [ -z "$$python" ]; then \
	  echo "error: Python 3.11 or newer is needed (3.13 is best), as python3.13 or python3 on PATH" >&2; exit 1; fi; \
	echo "setting up with $$python" && rm -rf $(TOOLS)/uv && "$$python" -m venv $(TOOLS)/uv && \
	$(TOOLS)/uv/bin/python -m pip install -q --require-hashes -r infra/local/uv.txt
	@touch $@

.venv/.done: requirements/dev.txt $(TOOLS)/uv/.done
	@echo "installing what the project needs"
	@[ -x .venv/bin/python ] || "$(UV)" venv -q -p "$(PYTHON)" .venv
	@"$(UV)" pip sync -q -p .venv/bin/python --require-hashes requirements/dev.txt
	@touch $@

# the emulator runs the functions on its own interpreter: the project's Python
$(TOOLS)/emulator/.done $(TOOLS)/sam/.done: $(TOOLS)/%/.done: infra/local/%.txt $(TOOLS)/uv/.done
	@echo "installing the tool environment $*"
	@rm -rf $(TOOLS)/$* && "$(UV)" venv -q -p "$(PYTHON)" $(TOOLS)/$*
	@"$(UV)" pip install -q -p $(TOOLS)/$*/bin/python --no-deps --require-hashes -r infra/local/$*.txt
	@touch $@

# what the benchmarks compare with, beside nothing of the project's own
$(TOOLS)/bench/.done: requirements/bench.txt $(TOOLS)/uv/.done
	@echo "installing the tool environment bench"
	@rm -rf $(TOOLS)/bench && "$(UV)" venv -q -p "$(PYTHON)" $(TOOLS)/bench
	@"$(UV)" pip sync -q -p $(TOOLS)/bench/bin/python --require-hashes requirements/bench.txt
	@touch $@

SETUP := .venv/.done
STACK_SETUP := $(SETUP) $(TOOLS)/emulator/.done $(TOOLS)/sam/.done

setup: $(STACK_SETUP) ## Install everything that the other verbs need

# -- local stack ------------------------------------------------------------------------------------------
run: $(STACK_SETUP) ## The whole service on this machine, in the foreground, with a sample corpus [ENGINE=opensearch]
	@$(STACK_PY) -m local.stack run

up: $(STACK_SETUP) ## The same in the background; returns when a search answers
	@$(STACK_PY) -m local.stack up

down: $(SETUP) ## Stop what `make up` started; the data is kept
	@$(STACK_PY) -m local.stack down

push: $(SETUP) ## New code into the running local functions, in seconds
	@$(PY) -m compileall -q functions
	@$(STACK_PY) -m local.push

# the running local stack is told by .local/env; STACK_NAME= names a stack on AWS instead
KEY_SETTINGS = $(if $(filter command,$(origin STACK_NAME)),,\
  if [ -f "$(LOCAL_DIR)/env" ]; then set -a; . "$(abspath $(LOCAL_DIR))/env"; set +a; fi;)
ON_STACK = $(KEY_SETTINGS) STACK_NAME="$${STACK_NAME:-$(STACK_NAME)}" $(STACK_PY)
KEYS = $(ON_STACK) -m cli.keys

export TENANT SCOPES NAMESPACES EXPIRES KEY_ID

key: $(SETUP) ## A new API key: TENANT=acme [SCOPES=read,write] [NAMESPACES='team-*'] [EXPIRES=days] [STACK_NAME=…]
	@$(KEYS) make --tenant "$$TENANT" --scopes "$${SCOPES:-read}" --namespaces "$${NAMESPACES:-*}" \
	  $${EXPIRES:+--expires "$$EXPIRES"}

keys: $(SETUP) ## All keys, without their secrets
	@$(KEYS) list

key-disable: $(SETUP) ## Disable a key: KEY_ID=…
	@$(KEYS) disable "$$KEY_ID"

restored: $(SETUP) ## The table was put back to an older point: skip revisions, build the index again [STACK_NAME=…]
	@$(ON_STACK) -m cli.restore

# the search index on OpenSearch; docs/index-life.md tells when to do what
index-status: ## The generations of the index [STACK_NAME=… for all of index-…]
index-ensure: ## Make the first generation, if none is read
index-begin: ## A new, empty generation, for the next embedder or this code's mapping
index-rebuild: ## A new, empty generation for the same model, where the index was damaged
index-backfill: ## Fill it from the table, with the vectors that are held
index-prove: ## Compare it with the table, namespace by namespace
index-switch: ## Read from it, once it is proved equal; the former one is kept
index-roll-back: ## Read from the former one again
index-drop: ## Remove what is not read, with its vectors
index-tidy: ## Remove old tombstone entries, as is done once a day
index-status index-ensure index-begin index-rebuild index-backfill index-prove index-switch index-roll-back index-drop index-tidy: index-%: $(SETUP)
	@$(ON_STACK) -m cli.index $*

logs: $(SETUP) ## Follow the functions' logs: the local stack's, or STACK_NAME='s on AWS
	@$(KEY_SETTINGS) $(STACK_PY) -m local.logs

clean: ## Remove the local stack's data and everything that was built (the tools stay)
	@if [ -x "$(PY)" ]; then $(STACK_PY) -m local.stack down; fi
	@if [ -d "$(LOCAL_DIR)/logs" ]; then rm -rf "$(LOCAL_DIR)"; fi
	@rm -rf .aws-sam build

# -- AWS --------------------------------------------------------------------------------------------------
SAM := SAM_CLI_TELEMETRY=0 LAYER_MODE=bundle UV="$(UV)" PYTHON="$(PY)" PATH="$(CURDIR)/.venv/bin:$$PATH" $(TOOLS)/sam/bin/sam

build: $(STACK_SETUP) ## Build the functions and their layer for AWS
	@$(SAM) build --config-env prod

deploy: build ## Deploy to AWS with your credentials; asks its questions
	@$(SAM) deploy --config-env prod --guided

validate: $(STACK_SETUP) ## Check template.yaml
	@AWS_DEFAULT_REGION=us-east-1 AWS_ACCESS_KEY_ID=none AWS_SECRET_ACCESS_KEY=none $(SAM) validate --lint

# -- checks, evaluation ------------------------------------------------------------------------------------
# the stack of the tests is their own: none of this caller's settings reach it
RUN_TESTS := env -u PORT -u ENGINE -u EMBEDDER -u LOCAL_DIR -u OPENSEARCH_URL -u INDEX_PREFIX -u PYTHONDONTWRITEBYTECODE \
  -u MAKEFLAGS UV="$(UV)"

test: $(STACK_SETUP) model ## Every test, with coverage: unit, contract, functional, API, template, running stack
	@rm -f .coverage .coverage.*
	@$(RUN_TESTS) $(PY) -m pytest -n 2 --dist loadgroup --durations 25 --cov --cov-report= $(TESTS)
	@$(PY) -m coverage report --skip-covered --fail-under=95 > build/coverage.txt || { tail -40 build/coverage.txt; exit 1; }
	@$(PY) -m coverage report --include='*/domain/*,*/services/*' --fail-under=100 --skip-covered --show-missing \
	  > build/coverage-core.txt || { cat build/coverage-core.txt; exit 1; }

soak: $(STACK_SETUP) ## Clients and passes with processes killed, on both engines, 10 minutes each; large lists and documents; then SEEDS=50000 of the simulation [SECONDS=600]
	@FIRE_SECONDS="$(or $(SECONDS),600)" $(RUN_TESTS) $(PY) -m pytest -q -rP tests/e2e/test_commits_under_fire.py \
	  tests/e2e/test_reconciles_under_fire.py tests/e2e/test_opensearch_stack.py -k under_fire
	@LONG_RECORDS=10000 $(RUN_TESTS) $(PY) -m pytest -q tests/e2e/test_long_lists.py
	@DOCUMENT_FILES=10000 DOCUMENT_MB=50 DOCUMENT_FIRE_S="$(or $(SECONDS),600)" $(RUN_TESTS) $(PY) -m pytest -q -rP \
	  tests/e2e/test_documents_*.py
	@PYTHONPATH=functions:tests PYTHONHASHSEED=0 $(PY) -m simulation --seeds 0..$$(( $(or $(SEEDS),50000) - 1 ))

model: $(SETUP) ## Build the default embedding model, or MODEL=all-minilm-l6-v2
	@mkdir -p build
	@UV="$(UV)" $(PY) infra/models/build.py $(MODEL)

lint: $(STACK_SETUP) ## Style, layers, sizes, the template
	@$(PY) -m ruff check -q .
	@$(PY) -m ruff format -q --check .
	@PYTHONPATH=functions .venv/bin/lint-imports --no-logo
	@$(PY) infra/lint.py
	@$(MAKE) -s validate

type: $(SETUP) ## Static types, strict
	@$(PY) -m mypy functions infra tests

fmt: $(SETUP) ## Format and mend what can be mended
	@$(PY) -m ruff check -q --fix --exit-zero .
	@$(PY) -m ruff format -q .

SETS ?= tests/evaluation/small $(wildcard ../shared/eval/paraphrase ../shared/eval/cranfield ../shared/eval/xquad/*)
eval: $(SETUP) model ## Every set on both engines by every method, and a gate [SETS='<folder> …'] [WRITE=yes] [COMMIT=yes]
	@PYTHONPATH=functions:infra:tests $(PY) -m evaluation.gate $(SETS) $(if $(WRITE),--write) $(if $(COMMIT),--commit)

RUNNING_STACK = [ -f "$(LOCAL_DIR)/env" ] || { echo "error: no stack is running; make up starts one" >&2; exit 2; }; \
  set -a; . "$(abspath $(LOCAL_DIR))/env"
eval-set: $(SETUP) ## One set through the running stack: SET=<folder> [OPTIONS='{"mode": "lexical"}']
	@[ -n "$(SET)" ] || { echo "error: SET=<folder> is needed, with corpus.jsonl, queries.jsonl and qrels.tsv" >&2; exit 2; }
	@$(RUNNING_STACK); $(PY) tests/evaluation/run.py "$(SET)" $(if $(OPTIONS),--options '$(OPTIONS)')

eval-own: $(SETUP) ## A golden set out of a namespace of the running stack: NAMESPACE=<name> [GOLDEN=<folder>] [OPTIONS='{…}']
	@[ -n "$(NAMESPACE)" ] || { echo "error: NAMESPACE=<name> is needed" >&2; exit 2; }
	@$(RUNNING_STACK); $(PY) tests/evaluation/own.py "$(NAMESPACE)" --folder "$(or $(GOLDEN),build/golden/$(NAMESPACE))" \
	  $(if $(OPTIONS),--options '$(OPTIONS)')

bench: $(STACK_SETUP) $(TOOLS)/bench/.done model ## Ratios to the bare engine and libraries, in one run [OPTIONS='--only search --strict'] [EMBEDDER=simulated]
	@UV="$(UV)" PYTHONPATH=functions:infra:tests $(PY) -m benchmarks.run --embedder $(EMBEDDER) $(OPTIONS)

openapi: $(SETUP) ## Write the OpenAPI document anew from the handlers
	@PYTHONPATH=infra:functions $(PY) -m openapi.generate

requirements: $(SETUP) ## Export the locks anew from pyproject.toml
	@for name in runtime: local:local dev:dev bench:bench; do group=$${name#*:}; \
	  "$(UV)" pip compile -q pyproject.toml $${group:+--group $$group} --universal --generate-hashes --no-emit-index-url \
	  --no-header --python-version 3.11 -o requirements/$${name%%:*}.txt; done
	@"$(UV)" pip compile -q --group parsers --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 \
	  -o requirements/parsers.txt

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup run up down push key keys key-disable restored index-status index-ensure index-begin index-backfill index-prove \
  index-switch index-roll-back index-drop index-tidy logs clean build deploy validate help test soak model lint type \
  fmt eval eval-set eval-own bench openapi requirements

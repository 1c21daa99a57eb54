"""What the documents show is what the code does: every example of every docstring, card and README runs."""

import doctest
import importlib
import pkgutil
import re

import pytest
import yaml

import tercet
from conftest import ROOT
from tercet.api import known_options
from tercet.registry import METRICS

DOCUMENTS = sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *ROOT.glob("metrics/*/README.md")])
MODULES = sorted(module.name for module in pkgutil.walk_packages(tercet.__path__, "tercet."))
CARD_SECTIONS = (
    "Metric description", "How to use", "Inputs", "Output values", "Values from popular papers", "Examples",
    "What it equals", "Limitations and bias", "Citation", "Further references",
)  # fmt: skip


@pytest.mark.parametrize("name", ["tercet", *MODULES])
def test_docstring_examples(name):
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert failures == 0


@pytest.mark.parametrize("path", DOCUMENTS)
def test_examples_of_a_document(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(), flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(text, {}, path, path, 0)
    assert test.examples, "a document without an example"
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("metric", METRICS)
class TestCard:
    def test_has_every_section_of_the_template(self, metric):
        card = (ROOT / "metrics" / metric / "README.md").read_text()
        for section in CARD_SECTIONS:
            assert re.search(rf"^#+ {section}$", card, flags=re.MULTILINE), section

    def test_describes_every_option(self, metric):
        card = (ROOT / "metrics" / metric / "README.md").read_text()
        module = (ROOT / "metrics" / metric / f"{metric}.py").read_text()
        for option in known_options(metric):
            assert f"**{option}**" in card, option
            assert option in module, option

    def test_begins_with_the_head_of_a_space(self, metric):
        card = (ROOT / "metrics" / metric / "README.md").read_text()
        head = yaml.safe_load(card.split("---")[1])
        assert head["title"] == metric
        assert head["sdk"] == "gradio"
        assert {"evaluate", "metric"} <= set(head["tags"])


def test_public_docstrings_say_what_it_is():
    for name in MODULES:
        module = importlib.import_module(name)
        for key, value in vars(module).items():
            if key.startswith("_") or getattr(value, "__module__", None) != name:
                continue
            if callable(value):
                assert value.__doc__, f"{name}.{key} has no docstring"

"""What the documents show is what the code does: their examples run, and each metric has what belongs to one."""

import doctest
import importlib
import inspect
import pkgutil
import re
import runpy

import pytest
import yaml

import tercet
from commands import command
from conftest import ROOT
from doctests import failures
from suite import SUITE
from tercet.base.configured import Call
from tercet.base.docs import markdown_list, option_docs
from tercet.registry import METRICS, metric_class

PAGES = [ROOT / "README.md", *ROOT.glob("metrics/*/README.md"), *ROOT.glob("docs/**/*.md")]
DOCUMENTS = sorted(
    str(path.relative_to(ROOT)) for path in PAGES if "```python\n>>> " in path.read_text(encoding="utf-8")
)
SLOW = ["metrics/perplexity_lm/README.md"]  # of a real language model
#: But for adapters, which import harnesses: their examples are on the page of harnesses.
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(tercet.__path__, "tercet.")
    if not module.name.startswith("tercet.harnesses.")
)
CARD_SECTIONS = (
    "A worked example", "Metric description", "How to use", "Inputs", "Output values", "Values from popular papers",
    "Examples", "What it equals", "Limitations and bias", "Citation", "Further references",
)  # fmt: skip


@pytest.mark.parametrize("name", ["tercet", *MODULES])
def test_docstring_examples(name):
    for examples in doctest.DocTestFinder().find(importlib.import_module(name)):
        assert failures(examples) == 0


@pytest.mark.usefixtures("real_language_model")
@pytest.mark.parametrize(
    "path", [pytest.param(each, marks=[pytest.mark.long] * (each in SLOW)) for each in DOCUMENTS]
)
def test_examples_of_a_document(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(text, {}, path, path, 0)
    assert test.examples, "a document without an example"
    assert failures(test) == 0


def test_every_link_to_a_file_leads_to_one():
    """`make docs` checks those between its pages again, with the headings that they name."""
    pages, links = [*PAGES, *ROOT.glob("*.md"), *ROOT.glob("examples/*.ipynb")], {}
    for page in pages:
        prose = re.sub(r"```.*?```|`[^`\n]*`", "`", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        links[page] = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in link]
    assert len(links[ROOT / "README.md"]) > 25
    broken = [(page.name, link) for page, own in links.items() for link in own if not (page.parent / link).exists()]
    assert broken == []


def test_no_page_links_to_a_site_of_tercet_as_it_is_not_there_yet():
    sites = ("tercet-metrics.github.io", "github.com/tercet-metrics")
    assert [page for page in PAGES if any(site in page.read_text(encoding="utf-8") for site in sites)] == []


def test_every_column_of_a_table_has_a_head():
    """Those who hear a page read to them know a cell by it."""
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        heads = re.findall(r"^(\|.*\|)\n\|[-:| ]+\|$", text, re.MULTILINE)
        assert [head for head in heads if not all(map(str.strip, head.strip("|").split("|")))] == [], page


@pytest.mark.parametrize("metric", METRICS)
class TestCard:
    def test_has_the_head_of_a_space_every_section_of_the_template_and_an_example(self, metric):
        card = (ROOT / "metrics" / metric / "README.md").read_text()
        head = yaml.safe_load(card.split("---")[1])
        assert (head["title"], head["sdk"]) == (metric, "gradio")
        assert {"evaluate", "metric"} <= set(head["tags"])
        for section in CARD_SECTIONS:
            assert re.search(rf"^#+ {section}$", card, flags=re.MULTILINE), section
        assert re.search("^## (.*)", card, flags=re.MULTILINE)[1] == CARD_SECTIONS[0]
        assert f"metrics/{metric}/README.md" in DOCUMENTS

    def test_lists_the_options_as_they_are_declared(self, metric):
        card = (ROOT / "metrics" / metric / "README.md").read_text()
        inputs = card.partition("### Inputs\n")[2].partition("\n### Output values\n")[0]
        expected = markdown_list(metric_class(metric))
        if not inputs.endswith(f"\n{expected}\n"):
            pytest.fail(f"The inputs of metrics/{metric}/README.md must end with:\n\n{expected}")


@pytest.mark.parametrize("metric", METRICS)
def test_each_option_has_a_sentence_that_can_stand_alone(metric):
    for each in option_docs(metric_class(metric)):
        assert re.fullmatch(r"[A-Z][^\n]*\.", each.first_sentence), each.name
        assert re.fullmatch(r"[A-Z][^\n]*[.)]", each.doc), each.name
        assert len(each.first_sentence) <= 80, each.name
        assert f"\n{each.name} : " in inspect.getdoc(metric_class(metric)) or each.name in Call.options()


def test_the_list_of_metrics_and_the_folders_are_of_the_same():
    assert set(METRICS) == set(SUITE)
    assert {path.parent.name for path in ROOT.glob("metrics/*/README.md")} - {"paired_significance"} == set(SUITE)


@pytest.mark.parametrize("metric", SUITE)
def test_a_metric_has_what_belongs_to_one(metric):
    folder, short = ROOT / "metrics" / metric, SUITE[metric].short
    place, _, name = METRICS[metric].rpartition(".")
    assert place.partition(".")[0] == short
    assert name == SUITE[metric].cls
    files = {path.name for path in folder.iterdir() if path.is_file()}
    assert files == {f"{metric}.py", "README.md", "about.md", "cases.py"}
    assert runpy.run_path(str(folder / "cases.py"))["CASES"]
    assert list((ROOT / "tests" / short).glob("test_*.py"))
    assert short in re.split("[ ,:]+", command("--help").stdout)

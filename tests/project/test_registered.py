"""A metric of the registry has all that belongs to one: card, page, examples, benchmark, and places in the docs."""

import re
import runpy

import pytest

from commands import command
from conftest import ROOT
from tercet.registry import METRICS


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.fixture(params=METRICS)
def metric(request):
    return request.param


def test_has_a_folder_with_module_card_requirements_and_examples_of_its_page(metric):
    folder = ROOT / "metrics" / metric
    assert {path.name for path in folder.iterdir() if path.is_file()} == {
        f"{metric}.py",
        "README.md",
        "cases.py",
        "requirements.txt",
    }
    card = text(folder / "README.md")
    assert re.match(r"---\ntitle: .*?\nsdk: gradio\n.*?\n---\n", card, flags=re.DOTALL)
    assert f'evaluate.load("{metric}")' in card or f"/{metric}" in card
    assert runpy.run_path(str(folder / "cases.py"))["CASES"]


def test_has_a_room_with_tests_and_a_paragraph_in_contributing(metric):
    room = METRICS[metric].room
    assert list((ROOT / "tests" / room).glob("test_*.py"))
    assert f"**{room}**" in text("CONTRIBUTING.md")


def test_has_a_row_in_the_tables_of_the_readme_and_of_the_site(metric):
    assert text("README.md").count(f"| [`{metric}`](metrics/{metric}/README.md) | ") == 1
    assert text("docs/metrics/index.md").count(f"| [`{metric}`](../../metrics/{metric}/README.md) | ") == 1


def test_is_in_the_demo_and_the_change_log(metric):
    assert f'    "{metric}": (' in text("examples/demo.py")
    assert metric in text("CHANGELOG.md")


def test_is_named_by_the_command(metric):
    assert METRICS[metric].room in re.split("[ ,:]+", command("--help").stdout)
    assert metric in command("metrics").stdout


def test_has_a_benchmark_beside_a_peer(metric):
    benchmarks = [text(path) for path in sorted((ROOT / "benchmarks").glob("*.py"))]
    assert any(f'"{metric}"' in source for source in benchmarks)
    assert metric in text("benchmarks/RESULTS.md")

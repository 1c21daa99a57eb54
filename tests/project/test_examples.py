"""The sample test set is what the documents say; programs, commands and notebooks print what the documents show."""

import csv
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("language", ["en", "es", "ru", "zh"])
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
    for first, second in (("baseline", "tuned"), ("tuned", "large")):
        assert sum(row[first] != row[second] for row in rows) > 30


def printed_by(*command, **more):
    """Return what a program of the examples prints."""
    own = {"cwd": ROOT, "capture_output": True, "text": True, "timeout": 300, "check": True}
    return subprocess.run([sys.executable, *command], **{**own, **more}).stdout


@pytest.mark.long
@pytest.mark.needs("torch")
def test_a_page_shows_what_the_demo_prints_and_the_report_has_all_scores():
    report = ROOT / "build" / "demo" / "report.html"
    report.unlink(missing_ok=True)
    here = os.path.relpath(Path(sys.executable).with_name("tercet"), ROOT)
    is_shown("docs/metrics/index.md", printed_by("examples/demo.py").replace(here, "tercet"), r"```text\n(.*?)\n```")
    html = report.read_text(encoding="utf-8")
    for signature in ("bleu_multi|tok:zh|", "chrf_multi|", "bertscore_idf|", "perplexity_lm|"):
        assert signature in html
    assert html.count("1 text has no token to score") == 1


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
    run = subprocess.run(
        [str(Path(sys.executable).parent / name), *arguments], cwd=ROOT, env={**os.environ, "COLUMNS": "100"},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    is_shown(page, run.stdout, rf"```console\n\$ {re.escape(line)}\n(.*?)\n```")


@pytest.mark.parametrize(("script", "last"), [
    ("compare_systems.py", "paired_significance, tuned - baseline: +28.68 BLEU, p = 0.0001"),
    ("mbr.py", "Weighted, in the last group: Пожалуйста, отправьте документы вечером в пятницу."),
    ("merge_across_processes.py", "equal to the bit, signature and all"),
])  # fmt: skip
@pytest.mark.long
def test_a_script_runs_as_it_is(script, last):
    path = ROOT / "examples" / script
    assert printed_by(str(path)).splitlines()[-1] == last
    assert len(path.read_text().splitlines()) < 80


@pytest.mark.long
def test_the_trainer_logs_falling_loss_and_rising_scores_as_a_page_shows():
    """Other machines round otherwise: the shape of the table is the same, and what it tells."""
    page = (ROOT / "docs" / "use" / "trainer.md").read_text(encoding="utf-8")
    shown = re.search(r"```text\n( +epoch .*?)\n```", page, flags=re.DOTALL)[1]
    for printed in (printed_by("examples/trainer.py").rstrip(), shown):
        head, *rows, last = printed.splitlines()
        assert head.split() == ["epoch", "eval_loss", "eval_bleu", "eval_rougeL", "eval_gen_len"]
        epochs, losses, bleus, rouges, _ = zip(*([float(cell) for cell in row.split()] for row in rows), strict=True)
        assert epochs == (1, 2, 3, 4, 5, 6)
        assert losses[-1] < losses[2] < losses[0]
        assert bleus[0] < bleus[2] < bleus[-1]
        assert rouges[0] < rouges[2] < rouges[-1]
        assert last == f"best BLEU: {max(bleus)}"


def printed(notebook):
    """Return what each cell prints and returns as text; pictures by their kind alone."""
    return [
        [
            output.text if output.output_type == "stream" else text_of(output.data)
            for output in cell.outputs
            if output.get("name") != "stderr"  # notes of other packages
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def text_of(data):
    return sorted(data) if "image/png" in data else re.sub(r" at 0x[0-9a-f]+", "", data["text/plain"])


@pytest.mark.parametrize(
    "path", [NOTEBOOKS[-1], *(pytest.param(path, marks=pytest.mark.long) for path in NOTEBOOKS[:-1])],
    ids=lambda path: path.stem,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the notebook machinery
def test_a_notebook_gives_what_it_is_kept_with(path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import nbformat
    from nbclient import NotebookClient

    kept = nbformat.read(path, as_version=4)
    run = nbformat.read(path, as_version=4)
    NotebookClient(run, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    assert printed(run) == printed(kept)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_keeps_no_path_of_a_machine(path):
    text = path.read_text(encoding="utf-8")
    assert "site-packages" not in text
    assert str(ROOT) not in text
    assert '"execution_count": null' in text

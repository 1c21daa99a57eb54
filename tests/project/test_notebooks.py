"""The notebooks run from a clean kernel, and give the outputs that they are kept with."""

import re

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


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

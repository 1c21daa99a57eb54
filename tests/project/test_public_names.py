"""What a user finds when looking at the package, and what else can be imported from it."""

import subprocess
import sys

import pytest

import tercet

PUBLIC = [
    *("best_mean", "compare", "compute_metrics", "correlate", "errors", "explain", "load", "read_test_sets", "score"),
    *("arrow_statistics", "scorer"),
    *("IdfTable", "Result", "Stream", "__version__"),
]
ALSO = ["GatheringError", "InputError", "MergeError", "OptionError", "TercetError", "preprocess_logits_for_metrics"]


def test_dir_shows_what_is_public_and_nothing_else():
    assert sorted(dir(tercet)) == sorted(PUBLIC) == sorted(tercet.__all__)
    assert all(getattr(tercet, name).__doc__ for name in PUBLIC)


@pytest.mark.parametrize("name", ALSO)
def test_other_names_can_be_imported_as_before(name):
    home = tercet.errors if name.endswith("Error") else tercet
    assert getattr(tercet, name) is getattr(home, name)


def test_the_light_import_stays_light():
    """Networks, plots and pages are loaded by what needs them."""
    code = "import sys, tercet; print([name for name in %r if name in sys.modules])"
    heavy = ["torch", "transformers", "evaluate", "datasets", "matplotlib", "pandas", "jinja2", "rich"]
    run = subprocess.run([sys.executable, "-c", code % heavy], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

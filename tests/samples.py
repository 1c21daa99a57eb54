"""The small test sets of examples/data, which tests of comparisons, pages and means read."""

from conftest import ROOT
from tercet import read_test_sets

FOLDER = ROOT / "examples" / "data"


def sample(language):
    """Return a test set of 44 segments and three systems: baseline, tuned and large."""
    (test_set,) = read_test_sets([FOLDER / f"{language}.tsv"])
    return test_set

"""What a user finds when looking at the package, what else can be imported from it, and what is not imported yet."""

import subprocess
import sys

import pytest

import tercet

PUBLIC = [
    *("best_mean", "compare", "compute_metrics", "correlate", "errors", "explain", "load", "read_test_sets", "score"),
    *("arrow_statistics", "scorer"),
    *("IdfTable", "Metric", "Result", "Stream", "__version__"),
    *("Bleu", "Chrf", "Ter", "Rouge", "BleuRouge", "Jaccard", "BertScore", "Cosine", "Perplexity"),
]
ALSO = ["GatheringError", "InputError", "MergeError", "OptionError", "TercetError", "preprocess_logits_for_metrics"]


def test_dir_shows_what_is_public_and_nothing_else():
    assert sorted(dir(tercet)) == sorted(PUBLIC) == sorted(tercet.__all__)
    assert all(getattr(tercet, name).__doc__ for name in [*PUBLIC, *ALSO])
    with pytest.raises(AttributeError, match="module 'tercet' has no attribute 'scores'"):
        tercet.scores  # noqa: B018


def test_what_is_used_is_imported_when_it_is_used():
    code = (
        "import sys, tercet; at_once = {'numpy', 'pyarrow', 'datasets', 'evaluate', 'rich'} & set(sys.modules);"
        "missing = [name for name in tercet.__all__ if not hasattr(tercet, name)];"
        "by_names = {'torch', 'transformers', 'evaluate', 'matplotlib', 'pandas'} & set(sys.modules);"
        "print(at_once, missing, by_names)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set() [] set()\n"

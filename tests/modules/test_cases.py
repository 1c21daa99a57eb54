"""The cases of each module folder, and the worked examples of the documents that the project started from."""

import importlib.util

import numpy as np
import pytest

from conftest import ROOT, ZERO_BLEU
from tercet import score
from tercet.registry import METRICS


def cases_of(metric):
    spec = importlib.util.spec_from_file_location(f"cases_{metric}", ROOT / "metrics" / metric / "cases.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CASES


ALL = [(metric, case) for metric in METRICS for case in cases_of(metric)]


@ZERO_BLEU
@pytest.mark.usefixtures("real_language_model")
@pytest.mark.parametrize(("metric", "case"), ALL, ids=[case["description"] for _, case in ALL])
def test_each_case_has_its_scores(metric, case):
    result = score(metric, case["predictions"], case.get("references"), **case["options"]).to_dict(full=True)
    for key, value in case["expected"].items():
        assert result[key] == pytest.approx(value, abs=case["tolerance"]), key


# Seed 000, second BLEU example: the mean over two sets of references, NLTK's method 1, three weightings.
SETS = [
    ["The cat is on the mat", "A cat lies on a mat"],
    ["There is a cat on the mat", "The feline rests on the mat"],
]
SCHEMES = {
    "uniform": (0.25, 0.25, 0.25, 0.25), "emphasize_unigrams": (0.4, 0.3, 0.2, 0.1),
    "bigram_focus": (0.2, 0.4, 0.2, 0.2),
}  # fmt: skip


@pytest.mark.parametrize(("candidate", "true"), [
    ("The cat lies on the mat", (0.2944, 0.5002, 0.3487)),
    ("A cat sits quietly on the mat", (0.1906, 0.3220, 0.2226)),
    ("The cat is sleeping on the mat", (0.2347, 0.4091, 0.2724)),
])  # fmt: skip
def test_three_weightings_of_seed_000(candidate, true):
    options = {"weights": SCHEMES, "smooth_method": "nltk1", "compat": "nltk"}
    by_set = [score("bleu_multi", [candidate], [references], **options) for references in SETS]
    means = [np.mean([result[f"bleu_{name}"] for result in by_set]) for name in SCHEMES]
    assert means == pytest.approx(true, abs=5e-5)

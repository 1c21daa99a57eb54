"""BERTScore on real test sets, against figures that bert-score gave with MiniLM's real weights."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from conftest import SETS
from tercet import score
from texts import MINILM

pytestmark = pytest.mark.needs("torch")

GOLDEN = sorted(path.name for path in SETS.glob("*.bertscore_minilm.json")) if SETS.is_dir() else ["absent"]


def one_line(text):
    return text.replace("\n", " ")


@pytest.mark.parametrize("compat", [None, "bert_score"])
@pytest.mark.parametrize("name", [GOLDEN[0], *(pytest.param(name, marks=pytest.mark.long) for name in GOLDEN[1:])])
def test_a_test_set(sets, name, compat):
    golden = json.loads((sets / name).read_text())
    weights = (Path(MINILM) / "model.safetensors").read_bytes()
    assert hashlib.sha256(weights).hexdigest() == golden["sha256 model.safetensors"]
    rows = {row["id"]: row for row in map(json.loads, (sets / golden["set"]).read_text().splitlines())}
    rows = [rows[each] for each in golden["row_ids"]]
    for system, runs in golden["scores"].items():
        for run, expected in runs.items():
            layer, idf, which = re.fullmatch(r"layer (\d+) idf=(\w+) (first|all) references?.*", run).groups()
            predictions = [one_line(row["hyps"][system]) for row in rows]
            most = 1 if which == "first" else None
            references = [[one_line(text) for text in row["refs"][:most]] for row in rows]
            options = {"model_type": MINILM, "num_layers": int(layer), "idf": idf == "True", "compat": compat}
            result = score("bertscore_idf", predictions, references, **options)
            found = np.array([result["precision"], result["recall"], result["f1"]]).T
            assert np.abs(found - expected).max() < 1e-5, run
            assert result.truncated_predictions == result.truncated_references == 0

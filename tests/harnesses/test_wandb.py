"""A run of W&B, offline, has what was logged; in a process of its own, as it starts threads."""

import json
import subprocess
import sys

from harness_texts import PREDICTIONS, SEVERAL, numbers

CODE = """
import json, sys, wandb, tercet
from tercet.harnesses.wandb import log

predictions, references = json.loads(sys.argv[1])
with wandb.init(mode="offline", project="test") as run:
    log(tercet.score("bleu", predictions, references, confidence_level=0.95, segments=True))
    log(tercet.compare({"one": predictions, "two": predictions[::-1]}, ["chrf"], references=references))
    summary = {name: run.summary[name] for name in run.summary.keys()}
print(json.dumps(summary, default=dict))
"""


def test_a_result_and_a_comparison():
    command = [sys.executable, "-c", CODE, json.dumps([PREDICTIONS, SEVERAL])]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    summary = json.loads(found.stdout.splitlines()[-1])
    assert {name: summary[f"bleu_multi/{name}"] for name in numbers()} == numbers()
    assert summary["bleu_multi/signature"].startswith("bleu_multi|")
    assert summary["bleu_multi/segments"]["_type"] == "table-file"
    chrf = numbers("chrf")
    assert [summary[f"one/{name}"] for name in chrf] == list(chrf.values())
    assert 0 < summary["two/chrf_adjusted_pvalue"] < 0.1
    assert summary["segments"]["nrows"] == 12

"""The oldest packages that the requirements allow are there together, and give the same numbers as the newest."""

import os
import subprocess
import sys

import pytest

from conftest import ROOT

EXTRAS = ("evaluate", "report", "xlsx")

#: Scores by every metric without a network, of lists and columns, in modules and streams; reads and writes files.
SCORES = """
import os, sys, warnings
import numpy as np, openpyxl, pyarrow as pa, pyarrow.parquet as pq
import tercet
warnings.simplefilter("ignore")
A = ["the cat sat on the mat", "кошка спит на окне", "猫在垫子上睡觉", "¿Dónde está la estación?"] * 5
B = ["a cat sat on a mat", "кошка не спит", "猫在睡觉", "¿Dónde queda la estación?"] * 5
R = ["the cat is on the mat", "кошка спала на окне", "猫睡在垫子上", "¿Dónde está la parada?"] * 5
table = pa.table({"reference": R, "a": A, "b": B})
pq.write_table(table, "t.parquet")
book = openpyxl.Workbook()
for row in zip(["reference", *R], ["a", *A], ["b", *B]):
    book.active.append(row)
book.save("t.xlsx")
for metric in ("bleu", "chrf", "ter", "wer", "rouge", "jaccard", "bleu_rouge", "google_bleu", "diversity"):
    texts = [A] if metric == "diversity" else [A, R]
    result = tercet.score(metric, *texts, confidence_level=None if metric == "diversity" else 0.95)
    print(metric, dict(result), result.intervals, result.signature)
    assert dict(tercet.score(metric, *map(np.array, texts))) == dict(tercet.score(metric, *map(pa.array, texts)))
for name in ("t.parquet", "t.xlsx"):
    (test_set,) = tercet.read_test_sets(name)
    comparison = tercet.compare(test_set, ["bleu", "chrf"])
    print(comparison.to_dict())
    assert "chrF" in comparison.to_html()
print(tercet.load("bleu").compute(predictions=A, references=R)["bleu"])
for ids in (pa.array(map(str, range(20))), pa.array(map(str, range(20)), pa.string_view())):
    stream = tercet.Stream("chrf", confidence_level=0.95)
    stream.add(pa.array(A), pa.array(R), ids)
    print(dict(stream.result()), stream.result().intervals)
print(tercet.arrow_statistics(table, "bleu", prediction="a", references="reference").num_rows)
"""


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.fresh_venv
def test_the_oldest_packages_give_the_same_numbers(tmp_path):
    uv, python = [sys.executable, "-m", "uv"], str(tmp_path / "venv" / "bin" / "python")
    run(*uv, "venv", "--quiet", "--python", sys.executable, str(tmp_path / "venv"))
    extras = [argument for extra in EXTRAS for argument in ("--extra", extra)]
    lowest = ["--quiet", "--resolution", "lowest-direct", "--requirements", str(ROOT / "pyproject.toml"), *extras]
    run(*uv, "pip", "install", "--python", python, *lowest)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HF_HOME": str(tmp_path / "huggingface")}
    outputs = []
    for interpreter in (python, sys.executable):
        folder = tmp_path / str(len(outputs))
        folder.mkdir()
        outputs.append(run(interpreter, "-c", SCORES, cwd=folder, env=environment))
    assert outputs[0] == outputs[1]
    versions = "import numpy, pyarrow; print(numpy.__version__, pyarrow.__version__)"
    assert run(python, "-c", versions).split() == ["2.0.0", "19.0.0"]

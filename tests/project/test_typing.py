"""Type checkers know the public functions, and the options of each metric's class: they refuse each marked line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tercet
from conftest import ROOT

#: Code of a user. What is marked is wrong; nothing else may be refused.
CODE = """
import tercet

ter = tercet.Ter(normalized=True, scale=1, compat="sacrebleu", missing_references="skip")
result: tercet.Result = ter(["a"], ["b"], segments=True, confidence_level=0.95)
print(ter.normalized, result.n_segments + 1, ter.segments(["a"], ["b"])["ter"], ter.stats(["a"], ["b"]).columns)
several: list[tercet.Metric] = [ter, tercet.Bleu(tokenizer=str.split, weights=[0.5]), tercet.Chrf(word_order=[0])]
tercet.score(tercet.Rouge(rouge_types=["rouge1"], stopwords={"the"}), ["a"], ["a"], seed=1)
tercet.score("bertscore_idf", ["a"], ["a"], lang="en", idf=tercet.IdfTable.load("x.idf"))
tercet.BertScore(lang="en", idf=tercet.IdfTable.load("x.idf"), dtype="bfloat16").explain("a", "a", corpus=["a"])
print(tercet.scorer("bleu", max_order=2)(["a"], ["a"])["bleu"], tercet.explain("bleu", "a", ["a"]).prediction)
tercet.compare({"one": ["a"], "two": ["b"]}, [tercet.Ter(), "bleu"], references=["a"])
stream: tercet.Stream = tercet.Stream("bleu", max_order=2)
stream.add(["a"], [["a"]], ids=[7])
stream.merge([tercet.Stream.load("x.stream"), tercet.Stream.from_arrow({}, "rouge", beta=2.0)])
print(stream.result().signature, len(stream), tercet.load("bleu").compute(predictions=["a"], references=["a"]))
order: int = tercet.Bleu().max_order
tercet.Ter(nromalized=True)  # wrong
tercet.Ter(normalized="yes")  # wrong
tercet.Ter(compat="sacrebleau")  # wrong
tercet.Ter(scale=10)  # wrong
tercet.Ter(True)  # wrong
tercet.Ter(segments=True)  # wrong: of a call
tercet.Bleu(smooth_method="expo")  # wrong
tercet.Bleu(max_order="2")  # wrong
tercet.Bleu(tokenizer=7)  # wrong
tercet.Rouge(max_order=2)  # wrong
ter.normalized = False  # wrong: a value
ter(["a"], ["b"], segmnts=True)  # wrong
tercet.score(7, ["a"], ["b"])  # wrong
word: str = tercet.Ter().normalized  # wrong
"""
WRONG = [number for number, line in enumerate(CODE.splitlines(), 1) if "# wrong" in line]


@pytest.mark.parametrize("checker", ["mypy", pytest.param("basedpyright", marks=pytest.mark.needs("basedpyright"))])
def test_a_checker_refuses_the_wrong_lines_and_no_other(checker, tmp_path):
    settings = {"typeCheckingMode": "standard", "pythonVersion": "3.11", "extraPaths": [str(ROOT / "src")]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    (tmp_path / "code.py").write_text(CODE)
    command = [str(Path(sys.executable).parent / checker), "--pythonpath", sys.executable]
    if checker == "mypy":
        # what the code does not name need not be read: torch alone takes most of a minute
        settings = "[mypy]\n[mypy-torch.*,transformers.*,ray.*,pandas.*,gradio.*]\nfollow_imports = skip\n"
        (tmp_path / "mypy.ini").write_text(settings)
        command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--cache-dir", str(tmp_path / "cache")]
    run = subprocess.run([*command, "code.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    lines = {int(number) for number in re.findall(r"code\.py:(\d+):.*error", run.stdout)}
    assert sorted(lines) == WRONG, run.stdout + run.stderr


@pytest.mark.parametrize("line", [CODE.splitlines()[number - 1] for number in WRONG[:6]])
def test_what_checkers_refuse_is_refused_when_it_runs(line):
    with pytest.raises((tercet.OptionError, TypeError)):
        exec(line, {"tercet": tercet})

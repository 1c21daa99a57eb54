"""``tercet.compat.install`` and what calls it: a command for scripts and modules, and a plugin of pytest."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("installed.py")
SAID = "torchmetrics.text, evaluate.load and datasets.load_metric are tercet's in this process.\n"


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, arguments)], capture_output=True, text=True, **options
    )


@pytest.mark.needs("torchmetrics")
@pytest.mark.parametrize(("arguments", "left"), [
    ([], "module 'bert_score' has no attribute 'no_such_name'"),
    (["--without"], "The drop-in for bert_score has no 'no_such_name', and bert_score itself is not installed."),
])  # fmt: skip
def test_modules_are_replaced_and_the_rest_of_them_stays(arguments, left, tmp_path):
    run = python(PROGRAM, *arguments, cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stderr
    keys, of_bert_score, of_rouge_score = run.stdout.splitlines()
    assert "'brevity_penalty'" in keys
    assert "'rougeLsum'" in keys
    assert of_bert_score == left
    assert of_rouge_score == left.replace("bert_score", "rouge_score.rouge_scorer")
    assert run.stderr.count("\n") == 1  # the second call of install says nothing
    assert run.stderr.endswith(SAID)


@pytest.mark.needs("torchmetrics")
def test_a_drop_in_can_be_imported_by_its_own_name_too():
    line = "import tercet.compat as c; c.install(); from tercet.compat.torchmetrics import BLEUScore as a; "
    run = python("-c", line + "from torchmetrics.text import BLEUScore as b; print(a is b)", check=True)
    assert run.stdout == "True\n"


def test_a_script_has_its_arguments_and_its_folder(tmp_path):
    (tmp_path / "beside.py").write_text("from sacrebleu import corpus_chrf\n")
    script = tmp_path / "script.py"
    script.write_text("import sys, beside\nprint(__name__, sys.argv[1:], beside.corpus_chrf.__module__)\n")
    run = python("-m", "tercet.compat", script, "--lang", "de", check=True)
    assert run.stdout == "__main__ ['--lang', 'de'] tercet.compat.sacrebleu\n"
    assert run.stderr.endswith(SAID)
    run = python("-m", "tercet.compat", "-m", "script", "de", check=True, cwd=tmp_path)
    assert run.stdout == "__main__ ['de'] tercet.compat.sacrebleu\n"


@pytest.mark.parametrize(("arguments", "code", "said"), [
    ([], 2, "usage: python -m tercet.compat SCRIPT"),
    (["--help"], 0, "usage: python -m tercet.compat SCRIPT"),
    (["-m"], 2, "usage: python -m tercet.compat SCRIPT"),
    (["nothing.py"], 1, "There is no file nothing.py."),
])  # fmt: skip
def test_without_a_script_it_says_how(arguments, code, said, tmp_path):
    run = python("-m", "tercet.compat", *arguments, cwd=tmp_path, check=False)
    assert run.returncode == code
    assert said in run.stdout + run.stderr


def test_tests_run_as_they_stand(tmp_path):
    (tmp_path / "test_own.py").write_text(
        "from rouge_score.rouge_scorer import RougeScorer\n\n"
        "def test_scorer():\n    assert RougeScorer.__module__ == 'tercet.compat.rouge_scorer'\n"
    )
    run = python("-m", "pytest", "-q", "-p", "tercet.compat.pytest_plugin", cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert SAID in run.stderr

"""What shells complete: the commands, metrics, their options and values, by the scripts that they are given."""

import os
import subprocess
import sys

import pytest

from tercet.cli.completion import metrics_like
from tercet.core.option_docs import option_docs
from tercet.registry import METRICS, SHORT_NAMES, metric_class

#: Without the console script, that of the package's own sources.
COMMAND = [sys.executable, "-c", "import sys; from tercet.cli.app import main; sys.argv[0] = 'tercet'; main()"]


def completed(shell, *words):
    """Return what a shell is told of the last of some words, as its script asks for it."""
    line = " ".join(["tercet", *words])
    asked = {"zsh": {"_TYPER_COMPLETE_ARGS": line}, "fish": {"_TYPER_COMPLETE_ARGS": line}}
    asked["fish"]["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    asked["bash"] = {"COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    environment = {**os.environ, "_TERCET_COMPLETE": f"complete_{shell}", **asked[shell]}
    run = subprocess.run(COMMAND, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert run.stderr == ""
    return run.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_options_and_metrics(shell):
    assert {"score", "compare"} <= set(completed(shell, "").replace('"', " ").replace("\\n", " ").split())
    assert "--fail-under" in completed(shell, "compare", "--fail")
    for metric in ("rouge", "rouge_nlws"):
        assert metric in completed(shell, "score", "-m", "ro")
    assert "bleu_rouge" not in completed(shell, "score", "-m", "ro")


@pytest.mark.parametrize("shell", ["zsh", "fish", "bash"])
def test_options_behind_a_colon(shell):
    told = completed(shell, "score", "-m", "bleu_multi:smooth_m").replace("\\", "")
    assert "bleu_multi:smooth_method=" in told


@pytest.mark.parametrize("metric", [*METRICS, *SHORT_NAMES])
def test_every_option_of_a_metric_and_its_values(metric):
    assert metric in metrics_like(metric[:-1])
    declared = option_docs(metric_class(metric))
    assert set(metrics_like(f"{metric}:")) == {f"{metric}:{each.name}=" for each in declared}
    assert metrics_like(f"{metric}:scale=1,missing_references=s") == [f"{metric}:scale=1,missing_references=skip"]


@pytest.mark.parametrize("text", ["xyz", "xyz:", "bleu:xyz", "bleu:xyz=", "bleu:max_order=", "bleu:,", "bleu::"])
def test_where_nothing_is_known_nothing_is_told_but_options(text):
    assert all(each.startswith(text) for each in metrics_like(text))
    assert metrics_like("bleu:lowercase=") == ["bleu:lowercase=true", "bleu:lowercase=false"]

"""What shells complete: the commands, metrics, their options and values, by the scripts that they are given."""

import pytest

from commands import command


def completed(shell, *words):
    """Return what a shell is given for the last of some words, as its script asks for it."""
    line = " ".join(["tercet", *words])
    asked = {"zsh": {"_TYPER_COMPLETE_ARGS": line}, "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words))}}
    asked["fish"] = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    run = command(env={"_TERCET_COMPLETE": f"complete_{shell}", **asked[shell]})
    assert run.stderr == ""
    return run.stdout.replace("\\n", " ").replace("\\", "")


def offered(*words):
    """Return the words that bash would offer."""
    return set(completed("bash", *words).split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_options_metrics_and_their_options(shell):
    assert {"score", "compare"} <= set(completed(shell, "").replace('"', " ").split())
    assert "--fail-under" in completed(shell, "compare", "--fail")
    metrics = completed(shell, "score", "-m", "ro")
    assert "rouge_nlws" in metrics
    assert "bleu_rouge" not in metrics
    assert "bleu_multi:smooth_method=" in completed(shell, "score", "-m", "bleu_multi:smooth_m")


def test_values_of_an_option_and_nothing_where_nothing_is_known():
    assert offered("score", "-m", "bleu:lowercase=") == {"bleu:lowercase=true", "bleu:lowercase=false"}
    assert offered("score", "-m", "chrf:scale=1,missing_references=s") == {"chrf:scale=1,missing_references=skip"}
    for text in ("xyz", "xyz:", "bleu:xyz", "bleu:xyz=", "bleu:max_order=", "bleu:,", "bleu::"):
        assert all(each.startswith(text) for each in offered("score", "-m", text)), text

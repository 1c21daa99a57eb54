"""``tercet metrics``: the metrics, and the options of one."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tercet.cli.app import app
from tercet.core.option_docs import option_docs
from tercet.registry import METRICS, metric_class


def told(*arguments, columns=100):
    outcome = CliRunner().invoke(app, ["metrics", *arguments], env={"COLUMNS": str(columns)})
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def test_all_metrics_stand_one_in_a_line():
    lines = told().splitlines()
    for metric, entry in METRICS.items():
        (line,) = [line.split("  ") for line in lines if metric in line.split()]
        assert [cell.strip() for cell in line if cell.strip()] == [metric, entry.room, entry.about]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("columns", [60, 400])
def test_every_option_of_a_metric_is_described(metric, columns):
    lines = told(metric, columns=columns).splitlines()
    names = [line.split()[0] for line in lines if line.startswith("  ") and line[2:3].strip()]
    declared = option_docs(metric_class(metric))
    assert [name for name in names if name != "option"] == [each.name for each in declared]
    text = " ".join(" ".join(lines).split())
    for each in declared:
        assert f"{each.name} {each.takes}; default {each.default} {each.doc}" in text or columns == 60


def test_both_say_what_comes_next():
    assert "'tercet metrics bleu' lists the options of BLEU." in told()
    assert told("rouge_nlws").endswith("On the command line: -m rouge:option=value,option=value\n")


def test_a_short_name_is_taken():
    assert told("bleu") == told("bleu_multi")


def test_an_unknown_metric_is_refused_with_the_nearest_one():
    command = [sys.executable, "-c", "from tercet.cli.app import main; main()", "metrics", "bleu_mutli"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "error: There is no metric 'bleu_mutli'. Did you mean 'bleu_multi'?\n"

"""``tercet metrics``: the metrics, and the options of one."""

import pytest

from commands import command
from suite import SUITE


def shown(*arguments, columns=100):
    return command("metrics", *arguments, env={"COLUMNS": str(columns)}).stdout


def test_all_metrics_stand_one_in_a_line_with_what_comes_next():
    lines = shown().splitlines()
    for metric, known in SUITE.items():
        (line,) = [line.split() for line in lines if metric in line.split()]
        assert line[:2] == [metric, known.short]
        assert len(line) > 5  # what it is
    assert "'tercet metrics bleu' lists the options of BLEU." in shown()


@pytest.mark.parametrize("columns", [60, 400])
def test_every_option_of_a_metric_is_described_in_a_window_of_any_width(columns):
    text = " ".join(shown("chrf_multi", columns=columns).split())
    assert "lowercase bool; default False Lowercase the texts first." in text
    for option in ("char_order", "word_order", "beta", "missing_references", "confidence_level", "n_jobs"):
        assert f" {option} " in text
    assert text.endswith("On the command line: -m chrf:option=value,option=value")


@pytest.mark.parametrize("metric", SUITE)
def test_each_metric_lists_its_options_by_either_name(metric):
    assert shown(metric) == shown(SUITE[metric].short)
    assert "missing_references" in shown(metric)


def test_an_unknown_metric_is_refused_with_the_nearest_one():
    run = command("metrics", "bleu_mutli", code=2)
    assert run.stdout == ""
    assert run.stderr == "error: There is no metric 'bleu_mutli'. Did you mean 'bleu_multi'?\n"

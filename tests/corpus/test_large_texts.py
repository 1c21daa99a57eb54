"""Texts of 100 MB and more: a token as long as that, and what takes more memory than there is."""

import subprocess
import sys

import pytest

import tercet

pytestmark = pytest.mark.long

OPTIONS = {"rouge_nlws": {"rouge_types": ["rouge1", "rouge2", "rougeL"], "tokenizer": "unicode"}}
METRICS = ["bleu_multi", "rouge_nlws", "ter"]


@pytest.mark.parametrize("letter", ["x", "я"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_token_of_100_million_letters_is_one_token(metric, letter):
    short, long = (f"a {letter * n} c d e" for n in (3, 100_000_000))
    options = OPTIONS.get(metric, {})
    expected = tercet.score(metric, [short, "a"], [short + " f", "b"], **options)
    assert tercet.score(metric, [long, "a"], [long + " f", "b"], **options) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
@pytest.mark.parametrize("metric", [*METRICS, "chrf_multi"])
def test_an_item_that_takes_more_memory_than_there_is_is_named_and_the_next_call_scores(metric):
    command = [sys.executable, "-c", SCRIPT, metric, str(OPTIONS.get(metric, {}))]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["item 9001 takes more memory than is available", "True"]


SCRIPT = """
import ast, resource, sys
import tercet
metric, options = sys.argv[1], ast.literal_eval(sys.argv[2])
predictions, references = ["a b c d e", *["a"] * 9000], ["a b c d", *["b"] * 9000]
expected = tercet.score(metric, predictions, references, **options)
text = "ab cd ef " * 10_000_000
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20),) * 2)
try:
    tercet.score(metric, [*predictions, text], [*references, "ab"], **options)
except MemoryError as error:
    print(error)
print(tercet.score(metric, predictions, references, **options) == expected)
"""

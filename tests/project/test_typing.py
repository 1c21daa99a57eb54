"""Public types: a strict checker takes what the functions take, and refuses what they would."""

import dataclasses
import os
import re
import subprocess
import sys

import tercet
from conftest import ROOT, needed
from suite import SUITE

#: Calls, with what mypy says of those that it must refuse.
CALLS = """
import tercet
from tercet.typing import Metric

bleu: tercet.Result = tercet.score("bleu_multi", ["a"], [["a"]], smooth_method="exp", weights=[0.5, 0.5])
tercet.score("rouge", ["a"], ["a"], rouge_types=["rouge1"], stopwords={"the"}, scale=100)
tercet.score("bertscore_idf", ["a"], ["a"], lang="en", idf=tercet.IdfTable.load("x.idf"))
print(bleu.n_segments + 1, tercet.scorer("bleu", max_order=2).options.max_order + 1)
print([word.text for word in tercet.explain("bleu_multi", "a", ["a"], tokenizer=str.split).prediction])
print(tercet.explain("rouge", "a", ["a"]).types, tercet.explain("bertscore", "a", "a", corpus=["a"]).f1)
module = tercet.load("bleu", num_process=1)
print(module.compute(predictions=["a"], references=["a"])["bleu"], module.citation)
tercet.load("paired_significance").compute(metric="bleu_multi")
stream: tercet.Stream = tercet.Stream("bleu", max_order=2)
stream.add(["a"], [["a"]], ids=[7])
stream.merge([tercet.Stream.load("x.stream", tokenizer=str.split), tercet.Stream.from_arrow({}, "rouge", beta=2.0)])
print(stream.result().signature, len(stream), stream.metric, stream.options)
table = tercet.arrow_statistics({}, "bleu", prediction="p", references=["r"], max_order=2)
tercet.Stream.from_arrow(table, "bleu", max_order=2).save("x.stream")


def each(metric: Metric, **options: object) -> None: ...


each("bleu")
tercet.score("bleu_mutli", ["a"], ["a"])  # call-overload
tercet.score("bleu", ["a"], ["a"], smooth_metod="exp")  # call-overload
tercet.score("bleu", ["a"], ["a"], smooth_method="expo")  # call-overload
tercet.score("rouge_nlws", ["a"], ["a"], max_order=2)  # call-overload
tercet.scorer("bleu", max_order="2")  # call-overload
tercet.explain("bleu_mutli", "a", ["a"])  # call-overload
tercet.explain("bleu", "a", ["a"], corpus=["a"])  # call-overload
tercet.load("bleu_mutli")  # call-overload
each("bleu_mutli")  # arg-type
tercet.Stream("bleu_mutli")  # call-overload
tercet.Stream("bleu", max_order="2")  # call-overload
tercet.Stream.from_arrow({}, "rouge", max_order=2)  # call-overload
tercet.arrow_statistics({}, "bleu", smooth_method="expo")  # call-overload
stream.merge(7)  # arg-type
bleu.n_segments + "1"  # operator
"""


def calls_with_every_option():
    """Each metric under both names, with each of its options at its default, which every door must take."""
    for metric, known in SUITE.items():
        options = tercet.scorer(metric, **needed(metric)).options
        plain = (str, int, float, bool, type(None))
        values = {each.name: getattr(options, each.name) for each in dataclasses.fields(options)}
        given = ", ".join(f"{name}={value!r}" for name, value in values.items() if type(value) in plain)
        for name in (metric, known.short):
            yield f'tercet.score("{name}", ["a"], ["a"], {given})'
        yield f'tercet.scorer("{metric}", {given})'
        yield f'tercet.Stream("{metric}", {given})'


def test_mypy_takes_every_option_and_refuses_what_the_functions_would(tmp_path):
    file = tmp_path / "calls.py"
    lines = [*CALLS.splitlines(), *calls_with_every_option(), *(f"print(tercet.{name})" for name in tercet.__all__)]
    file.write_text("\n".join(lines))
    own_cache = ["--cache-dir", tmp_path / "cache"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", *own_cache, file],
        cwd=ROOT, env={**os.environ, "MYPYPATH": str(ROOT / "src")}, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    found = {int(line): code for line, code in re.findall(r"calls.py:(\d+): error: .*\[([\w-]+)\]", run.stdout)}
    marked = {number: line.partition("  # ")[2] for number, line in enumerate(lines, 1)}
    assert found == {number: code for number, code in marked.items() if code}, run.stdout

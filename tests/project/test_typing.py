"""Public types: one with the declarations, and strict checkers refuse what the functions would."""

import ast
import os
import re
import subprocess
import sys
import typing

import pytest
import tercet.typing

import tercet
from conftest import ROOT
from tercet.core.option_docs import option_docs
from tercet.core.options import Options
from tercet.registry import METRICS, options_type

SOURCE = ROOT / "src" / "tercet"
STUB = ast.parse((SOURCE / "__init__.pyi").read_text()).body
CLASSES = {
    node.name: {each.target.id: ast.unparse(each.annotation) for each in node.body if isinstance(each, ast.AnnAssign)}
    for node in ast.parse((SOURCE / "typing.py").read_text()).body
    if isinstance(node, ast.ClassDef)
}

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


@pytest.mark.parametrize("name", ["Options", *(entry.options for entry in METRICS.values())])
def test_the_options_are_those_that_are_declared(name):
    shared = option_docs(Options)
    kinds = {entry.options: option_docs(options_type(metric))[: -len(shared)] for metric, entry in METRICS.items()}
    declared = {"Options": shared, **kinds}[name]
    assert CLASSES[name] == {each.name: ast.unparse(ast.parse(each.python_type)) for each in declared}


def test_the_names_are_those_of_the_registry():
    for metric, entry in METRICS.items():
        assert typing.get_args(getattr(tercet.typing, entry.room.title().replace("_", ""))) == tuple(
            dict.fromkeys((metric, entry.room))
        )
    known = {name for metric, entry in METRICS.items() for name in (metric, entry.room)}
    assert set(typing.get_args(tercet.typing.Metric)) == known


def test_the_stub_has_the_public_names():
    names = [each for node in STUB if isinstance(node, ast.ImportFrom) for each in node.names]
    imported = {each.name for each in names if each.asname == each.name}
    defined = {node.name for node in STUB if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    told = imported | defined
    assert set(tercet.__all__) <= told
    assert all(hasattr(tercet, name) for name in told)


@pytest.mark.parametrize("function", ["score", "explain", "scorer", "arrow_statistics", "__init__", "from_arrow"])
def test_each_metric_has_an_overload_with_its_options(function):
    """`__init__` and `from_arrow` are those of Stream, the only class of the stub."""
    nodes = [node for part in STUB for node in ast.walk(part)]
    overloads = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == function]
    metric = [each.arg for each in overloads[0].args.args].index("metric")
    found = {
        ast.unparse(node.args.args[metric].annotation): ast.unparse(node.args.kwarg.annotation) for node in overloads
    }
    assert found == {entry.room.title().replace("_", ""): f"Unpack[{entry.options}]" for entry in METRICS.values()}


@pytest.mark.long
def test_mypy_refuses_what_the_functions_would(tmp_path):
    file = tmp_path / "calls.py"
    file.write_text(CALLS)
    own_cache = ["--cache-dir", tmp_path / "cache"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", *own_cache, file],
        cwd=ROOT, env={**os.environ, "MYPYPATH": str(SOURCE.parent)}, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    found = {int(line): code for line, code in re.findall(r"calls.py:(\d+): error: .*\[([\w-]+)\]", run.stdout)}
    marked = {number: line.partition("  # ")[2] for number, line in enumerate(CALLS.splitlines(), 1)}
    assert found == {number: code for number, code in marked.items() if code}, run.stdout


def test_the_package_is_imported_without_what_scoring_needs():
    """What is used is imported when it is used."""
    code = (
        "import sys, tercet; heavy = {'numpy', 'pyarrow', 'datasets', 'evaluate'} & set(sys.modules);"
        "missing = [name for name in tercet.__all__ if not hasattr(tercet, name)]; print(heavy, missing)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set() []\n"
    with pytest.raises(AttributeError, match="module 'tercet' has no attribute 'scores'"):
        tercet.scores  # noqa: B018

"""The evaluate modules: loaded by name, filled in any way, combined, in threads and over processes: one result."""

import ast
import doctest
import inspect
import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import datasets
import evaluate
import numpy as np
import pytest
from evaluate import loading

import tercet
from conftest import ROOT, close, needed
from tercet import InputError
from tercet.api import make_scorer
from tercet.registry import METRICS, metric_class
from texts import LATIN, all_pairs

PREDICTIONS, REFERENCES = all_pairs(LATIN)
EACH_ITS_OWN = {"max_order": 2, "rouge_types": ["rouge1"], "scale": 100}
for each in METRICS:
    EACH_ITS_OWN |= needed(each)
#: Those that compare predictions with references.
COMPARING = [metric for metric in METRICS if metric_class(metric).takes_references]
EVERYTHING = {"segments": True, "signature": True, "confidence_level": 0.9, "n_resamples": 20}


@pytest.fixture(autouse=True)
def _own_files(monkeypatch, tmp_path):
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", str(tmp_path))


@pytest.fixture(params=METRICS)
def metric(request):
    return request.param


@pytest.fixture
def module(metric):
    return tercet.load(metric)


def score(metric, predictions=PREDICTIONS, references=REFERENCES, **options):
    return tercet.score(metric, predictions, references, **{**needed(metric), **options})


def source(metric):
    return ROOT / "metrics" / metric / f"{metric}.py"


class TestLoading:
    @pytest.mark.parametrize("path", ["metrics/{}", "metrics/{0}/{0}.py"])
    def test_by_the_folder_gives_what_score_gives(self, metric, path, monkeypatch):
        monkeypatch.chdir(ROOT)
        module = evaluate.load(path.format(metric))
        result = module.compute(**needed(metric), predictions=PREDICTIONS, references=REFERENCES, **EVERYTHING)
        assert result == score(metric, **EVERYTHING)

    def test_by_name_from_anywhere_without_a_network_gives_the_same(self, metric, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("socket.socket", None)
        result = tercet.load(metric).compute(
            **needed(metric), predictions=PREDICTIONS, references=REFERENCES, **EVERYTHING
        )
        assert result == score(metric, **EVERYTHING)


def test_the_worked_example_of_seed_001():
    pairs = {
        "Transformers Transformers are fast plus efficient": [
            "HuggingFace Transformers are fast efficient plus awesome",
            "Transformers are awesome because they are fast to execute",
        ],
        "Good Morning": ["Good Morning Transformers", "Morning Transformers"],
        "I am waiting for new Transformers": [
            "People are eagerly waiting for new Transformer models",
            "People are very excited about new Transformers",
        ],
    }
    result = tercet.load("rouge_nlws").compute(predictions=list(pairs), references=list(pairs.values()))
    assert [round(result[name], 5) for name in ("rouge1", "rouge2", "rougeL")] == [0.66593, 0.45455, 0.61465]


class TestHoweverTheItemsCome:
    def test_one_by_one_and_in_batches(self, metric, module):
        first = [texts[0] for texts in REFERENCES]
        expected = score(metric, references=[[first[0]], *REFERENCES[1:3], *([text] for text in first[3:])])
        module.add(prediction=PREDICTIONS[0], reference=first[0])
        module.add_batch(predictions=[], references=[])
        module.add_batch(predictions=PREDICTIONS[1:2], references=REFERENCES[1:2])
        module.add(prediction=PREDICTIONS[2], reference=REFERENCES[2])
        module.add_batch(predictions=PREDICTIONS[3:5], references=first[3:5])
        assert module.compute(**needed(metric), predictions=PREDICTIONS[5:], references=first[5:]) == expected

    def test_in_memory(self, metric):
        module = tercet.load(metric, keep_in_memory=True)
        module.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
        assert module.compute(**needed(metric), predictions=PREDICTIONS[1:], references=REFERENCES[1:]) == score(
            metric
        )

    @pytest.mark.filterwarnings("ignore:bertscore_idf. all tokens of:UserWarning")
    def test_a_module_starts_anew_after_compute(self, metric, module):
        for size in (3, 1, len(PREDICTIONS)):
            module.add_batch(predictions=PREDICTIONS[:size], references=REFERENCES[:size])
            assert module.compute(**needed(metric)) == score(metric, PREDICTIONS[:size], REFERENCES[:size])
        with pytest.raises(InputError, match="The corpus is empty"):
            module.compute(**needed(metric))

    def test_more_items_than_evaluate_writes_at_once(self, metric, module):
        many = {"predictions": PREDICTIONS * 300, "references": REFERENCES * 300}
        module.add_batch(**many)
        assert module.compute(**needed(metric), **many).n_segments == 600 * len(PREDICTIONS)


def test_modules_of_two_threads_do_not_meet():
    def work(metric):
        module = tercet.load(metric)
        return [module.compute(**needed(metric), predictions=PREDICTIONS, references=REFERENCES) for _ in range(10)]

    state = np.random.get_state()  # noqa: NPY002
    with ThreadPoolExecutor(4) as pool:
        results = dict(zip([*METRICS] * 2, pool.map(work, [*METRICS] * 2), strict=True))
    np.random.set_state(state)  # noqa: NPY002  evaluate's compute saves and restores it, in one thread only
    for metric in METRICS:
        assert results[metric] == [score(metric)] * 10


PROCESS = """
import json, sys, tercet
metric, process_id, cache_dir, items = sys.argv[1], int(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])
module = tercet.load(metric, num_process=2, process_id=process_id, experiment_id="both", cache_dir=cache_dir)
for prediction, references in items[:-1]:
    module.add(prediction=prediction, reference=references)
print(json.dumps(module.compute(predictions=[items[-1][0]], references=[items[-1][1]], **json.loads(sys.argv[5]))))
"""


@pytest.mark.long
def test_two_processes_give_the_result_of_the_whole_on_the_first(metric, tmp_path):
    pairs = list(zip(PREDICTIONS, REFERENCES, strict=True))

    def run(process_id, part):
        arguments = [metric, str(process_id), str(tmp_path / "files"), json.dumps(part), json.dumps(needed(metric))]
        command = [sys.executable, "-c", PROCESS, *arguments]
        environment = {**os.environ, "HF_HOME": str(tmp_path)}
        process = subprocess.run(command, env=environment, stdout=subprocess.PIPE, timeout=60, check=True)
        return json.loads(process.stdout)

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(run, (0, 1), (pairs[:3], pairs[3:]))
    assert close(metric, first, score(metric))  # which PyTorch computes on another number of threads there
    assert second is None


class TestCombined:
    @pytest.fixture
    def combined(self):
        return evaluate.combine([tercet.load(metric) for metric in METRICS])

    @pytest.fixture
    def expected(self):
        two = {"max_order": 2}
        own = {"bleu_multi": two, "bleu_rouge_f": two, "rouge_nlws": {"rouge_types": ["rouge1"]}}
        return {metric: score(metric, scale=100, **own.get(metric, {})) for metric in METRICS}

    def test_each_takes_its_options_and_keys_that_clash_get_the_name(self, combined, expected):
        result = combined.compute(predictions=PREDICTIONS, references=REFERENCES, **EACH_ITS_OWN)
        keys = Counter(key for found in expected.values() for key in found)
        assert result == {
            f"{metric}_{key}" if keys[key] > 1 else key: value
            for metric in METRICS
            for key, value in expected[metric].items()
        }
        assert {key for key, times in keys.items() if times > 1} == {"score"}  # of chrf_multi and ter
        signed = combined.compute(predictions=PREDICTIONS, references=REFERENCES, signature=True, **EACH_ITS_OWN)
        signatures = {f"{metric}_signature": expected[metric].signature for metric in METRICS}
        assert signed == {**result, **signatures}

    def test_items_may_be_added(self, combined, expected):
        combined.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
        combined.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
        assert combined.compute(**EACH_ITS_OWN)["rouge1"] == expected["rouge_nlws"]["rouge1"]


class TestTheResult:
    def test_is_plain_python_that_json_holds(self, metric, module):
        extra = {"weights": {"flat": (0.5, 0.5)}, "grid": True} if metric == "bleu_multi" else {"output": "all"}
        result = module.compute(
            **needed(metric), predictions=PREDICTIONS, references=REFERENCES, **EVERYTHING, **extra
        )
        assert json.loads(json.dumps(result, allow_nan=False)) == result
        assert kinds(result) <= {type(result), dict, list, str, int, float}

    def test_is_a_dict_with_flat_floats_for_scores(self, metric, module):
        result = module.compute(**needed(metric), predictions=PREDICTIONS, references=REFERENCES)
        assert isinstance(result, dict)
        assert {type(result[name]) for name in make_scorer(metric, needed(metric)).score_names} == {float}


def kinds(value):
    """Return the types of a value and of all that is in it."""
    inner = [*value.keys(), *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return {type(value)}.union(*map(kinds, inner))


class TestTheDocumentation:
    def test_is_there(self, metric, module):
        assert module.name == metric
        assert len(module.description) > 200
        assert re.match(r"@(inproceedings|article)\{", module.citation)
        assert all(url.startswith("https://") for url in module.info.reference_urls)

    def test_describes_every_option(self, metric, module):
        heads = " ".join(line.partition(":")[0] for line in module.inputs_description.splitlines())
        described = set(re.findall(r"[a-z_]+", heads))
        assert {
            *metric_class(metric).all_options(),
        } <= described

    @pytest.mark.parametrize("metric", COMPARING)
    def test_declares_lists_and_single_references(self, metric):
        module = tercet.load(metric)
        text = datasets.Value("string")
        assert [schema["predictions"] for schema in module.features] == [text, text]
        assert [schema["references"] for schema in module.features] == [datasets.Sequence(text), text]

    def test_has_examples_that_run(self, module):
        example = doctest.DocTestParser().get_doctest(module.inputs_description, {}, module.name, None, 0)
        assert len(example.examples) >= 4
        assert doctest.DocTestRunner().run(example).failed == 0


class TestThePromisesOfTheBaseClass:
    @pytest.mark.parametrize("name", ["compute", "add", "add_batch"])
    def test_methods_take_keywords_only_and_carry_the_documentation(self, module, name):
        method, base = getattr(module, name), getattr(evaluate.Metric, name)
        parameters = list(inspect.signature(method).parameters.values())
        assert [each.name for each in parameters][:2] == list(inspect.signature(base).parameters)[1:3]
        assert {each.kind for each in parameters} == {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}
        assert method.__doc__.endswith(module.inputs_description)
        with pytest.raises(TypeError, match="positional"):
            method(PREDICTIONS, REFERENCES)

    def test_len_is_the_number_of_items_added(self, module):
        module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
        assert len(module) == len(PREDICTIONS)


class TestTheTrapsOfTheLoader:
    @pytest.mark.parametrize(
        ("line", "seen"),
        [
            ("import a, b", [("library", "a,", "a,", None)]),
            ("from .a import b  # noqa", [("external", "a", "# noqa", None)]),
            ("from .a.b import c", [("internal", "a", "a", None)]),
            ("from . import a", []),
            ("    import a", []),
        ],
    )
    def test_what_evaluate_makes_of_a_line(self, line, seen, tmp_path):
        (tmp_path / "module.py").write_text(line)
        assert loading.get_imports(str(tmp_path / "module.py")) == seen

    def test_our_imports_avoid_them(self, metric):
        text = source(metric).read_text()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                line = text.splitlines()[node.lineno - 1]
                assert re.fullmatch(r"import \w+( as \w+)?|from (\.\w+|\w[\w.]*) import [\w, ]+", line)

    def test_the_class_that_it_finds_is_ours(self, metric, module):
        assert "\nimport evaluate\n" in source(metric).read_text()
        assert "from evaluate" not in source(metric).read_text()
        assert loading.import_main_class(type(module).__module__) is type(module)
        assert type(module).__name__.lower() == metric.replace("_", "")

    @pytest.mark.parametrize(
        ("references", "mangled"), [(["a", ["b"]], ["a", "['b']"]), ([["a"], "cde"], [["a"], ["c", "d", "e"]])]
    )
    @pytest.mark.parametrize("metric", COMPARING)
    def test_evaluate_mangles_mixed_references_and_we_refuse_them(self, metric, references, mangled):
        module = tercet.load(metric)

        class Bare(evaluate.Metric):
            def _info(self):
                return evaluate.MetricInfo("", "", module.features)

            def _compute(self, predictions, references):
                return {"references": list(references)}

        texts = ["x", "y"]
        assert Bare().compute(predictions=texts, references=references) == {"references": mangled}
        with pytest.raises(InputError, match="item 1 of references is a"):
            module.compute(**needed(metric), predictions=texts, references=references)


def test_explain_shows_how_a_text_matches(metric):
    module = tercet.load(metric)
    found = module.explain(PREDICTIONS[0], REFERENCES[0], **needed(metric))
    assert found.to_html().startswith("<div")
    assert found.to_dict() == tercet.explain(metric, PREDICTIONS[0], REFERENCES[0], **needed(metric)).to_dict()
    with pytest.raises(tercet.OptionError, match=f"{metric} has no option 'tokeniser'"):
        module.explain("a", "a", tokeniser="13a")

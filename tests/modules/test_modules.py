"""The evaluate modules: loaded by name, filled in any way, combined, in threads: one result.

Modules share their code: what only one of them shows is shown by one.
"""

import doctest
import inspect
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import datasets
import evaluate
import jiwer
import numpy as np
import pytest
import sacrebleu
from evaluate import loading

import tercet
from conftest import ANY_TEXTS, ROOT, ZERO_BLEU, needed
from doctests import failures
from suite import COMPARING, SUITE, UNLIKE
from tercet import InputError
from tercet.huggingface.loading import MODULES_OF_EVALUATE
from tercet.registry import metric_class
from texts import LATIN, all_pairs

PREDICTIONS, REFERENCES = all_pairs(LATIN)
BOTH = {"predictions": PREDICTIONS, "references": REFERENCES}
EVERYTHING = {"segments": True, "signature": True, "confidence_level": 0.9, "n_resamples": 20}

each_metric = pytest.mark.parametrize("metric", SUITE)
each_kind = pytest.mark.parametrize("metric", [*UNLIKE, "perplexity_lm"])


@pytest.fixture(autouse=True)
def _own_files(monkeypatch, tmp_path):
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", str(tmp_path))


def score(metric, predictions=PREDICTIONS, references=REFERENCES, **options):
    return tercet.score(metric, predictions, references, **{**needed(metric), **options})


@ANY_TEXTS
@each_metric
def test_by_name_from_anywhere_without_a_network_it_gives_what_score_gives(metric, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("socket.socket", None)
    assert tercet.load(metric).compute(**needed(metric), **BOTH, **EVERYTHING) == score(metric, **EVERYTHING)


@pytest.mark.parametrize("path", ["metrics/bleu_multi", "metrics/bleu_multi/bleu_multi.py"])
def test_by_the_folder_or_its_file_it_gives_the_same(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert evaluate.load(path).compute(**BOTH, **EVERYTHING) == score("bleu_multi", **EVERYTHING)


@pytest.mark.parametrize("name", MODULES_OF_EVALUATE)
def test_every_module_of_evaluate_has_its_name_here(name):
    """Those that no metric is named after are the module and the configuration that replace them."""
    metric, configuration = MODULES_OF_EVALUATE[name]
    module = tercet.load(name)
    assert module.of is metric_class(metric)
    if name in ("sacrebleu", "cer"):
        assert repr(module) == repr(tercet.load(metric, configuration))
        found = module.compute(predictions=PREDICTIONS, references=REFERENCES)
        assert found == tercet.load(metric, configuration).compute(predictions=PREDICTIONS, references=REFERENCES)


def test_sacrebleu_and_cer_have_the_scores_of_their_packages():
    texts = {"predictions": PREDICTIONS, "references": [[references[0]] for references in REFERENCES]}
    firsts = [references[0] for references in REFERENCES]
    expected = sacrebleu.corpus_bleu(PREDICTIONS, [firsts])
    found = tercet.load("sacrebleu").compute(**texts)
    assert (found["score"], found["bp"]) == pytest.approx((expected.score, expected.bp), abs=1e-9)
    found = tercet.load("cer").compute(predictions=PREDICTIONS, references=firsts)
    assert found["cer"] == pytest.approx(jiwer.cer(firsts, PREDICTIONS), abs=1e-12)


@pytest.mark.parametrize(("arguments", "message"), [
    (("sacrebleu", "evaluate"), "'sacrebleu' is the configuration 'sacrebleu' of bleu_multi, and has no other"),
    (("chrf:word_order=2",), r"load takes the name of a metric alone, got 'chrf:word_order=2': load\('chrf'\) ret"),
    (("mer",), "There is no metric 'mer'. It is in the result of wer"),
    ((["cer"],), "There is no metric"),
])  # fmt: skip
def test_other_names_are_refused(arguments, message):
    with pytest.raises(tercet.OptionError, match=message):
        tercet.load(*arguments)


def test_a_worked_example_has_its_scores():
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
    @each_kind
    @pytest.mark.filterwarnings("ignore:bertscore_idf. all tokens of:UserWarning")
    @pytest.mark.parametrize("keep_in_memory", [False, True])
    def test_one_by_one_and_in_batches_and_anew_after_compute(self, metric, keep_in_memory):
        first = [texts[0] for texts in REFERENCES]
        expected = score(metric, references=[[first[0]], *REFERENCES[1:3], *([text] for text in first[3:])])
        module = tercet.load(metric, keep_in_memory=keep_in_memory)
        for size in (3, 1):
            module.add_batch(predictions=PREDICTIONS[:size], references=REFERENCES[:size])
            assert module.compute(**needed(metric)) == score(metric, PREDICTIONS[:size], REFERENCES[:size])
        module.add(prediction=PREDICTIONS[0], reference=first[0])
        module.add_batch(predictions=[], references=[])
        module.add_batch(predictions=PREDICTIONS[1:2], references=REFERENCES[1:2])
        module.add(prediction=PREDICTIONS[2], reference=REFERENCES[2])
        module.add_batch(predictions=PREDICTIONS[3:5], references=first[3:5])
        assert len(module) == 5
        assert module.compute(**needed(metric), predictions=PREDICTIONS[5:], references=first[5:]) == expected
        with pytest.raises(InputError, match="The corpus is empty"):
            module.compute(**needed(metric))

    def test_more_items_than_evaluate_writes_at_once(self):
        module = tercet.load("bleu_multi")
        many = {"predictions": PREDICTIONS * 1300, "references": REFERENCES * 1300}
        module.add_batch(**many)
        assert module.compute(**many).n_segments == 2600 * len(PREDICTIONS)

    @ANY_TEXTS
    def test_modules_of_two_threads_do_not_meet(self):
        metrics = [*SUITE, *SUITE]

        def work(metric):
            return [tercet.load(metric).compute(**needed(metric), **BOTH) for _ in range(3)]

        state = np.random.get_state()  # noqa: NPY002
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(work, metrics))
        np.random.set_state(state)  # noqa: NPY002  evaluate's compute saves and restores it, in one thread only
        assert results == [[score(metric)] * 3 for metric in metrics]


@ANY_TEXTS
def test_combined_each_takes_its_options_and_keys_that_clash_get_the_name():
    combined = evaluate.combine([tercet.load(metric) for metric in SUITE])
    options = {"scale": 100, "max_order": 2, "rouge_types": ["rouge1"]}
    for metric in SUITE:
        options |= needed(metric)
    known = {metric: metric_class(metric).options() for metric in SUITE}
    own = {metric: {name: value for name, value in options.items() if name in known[metric]} for metric in SUITE}
    expected = {metric: score(metric, **own[metric]) for metric in SUITE}
    combined.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    combined.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    result = combined.compute(**options)
    keys = Counter(key for found in expected.values() for key in found)
    assert keys["score"] > 1  # of chrf_multi and ter
    assert result == {
        f"{metric}_{key}" if keys[key] > 1 else key: value
        for metric in SUITE
        for key, value in expected[metric].items()
    }
    signatures = {f"{metric}_signature": expected[metric].signature for metric in SUITE}
    assert combined.compute(**BOTH, signature=True, **options) == {**result, **signatures}


@each_metric
def test_the_documentation_describes_every_option_and_has_examples_that_run(metric):
    module = tercet.load(metric)
    assert module.name == metric
    assert len(module.description) > 200
    assert re.match(r"@(inproceedings|article)\{", module.citation)
    assert all(url.startswith("https://") for url in module.info.reference_urls)
    heads = " ".join(line.partition(":")[0] for line in module.inputs_description.splitlines())
    options = tercet.scorer(metric, **needed(metric)).all_options()
    assert set(options) <= set(re.findall(r"[a-z_]+", heads))
    for method in (module.compute, module.add, module.add_batch):
        assert method.__doc__.endswith(module.inputs_description)
    example = doctest.DocTestParser().get_doctest(module.inputs_description, {}, module.name, None, 0)
    assert len(example.examples) >= 4
    assert failures(example) == 0


@pytest.mark.parametrize("metric", COMPARING)
def test_declares_lists_and_single_references(metric):
    module = tercet.load(metric)
    text = datasets.Value("string")
    assert [schema["predictions"] for schema in module.features] == [text, text]
    assert [schema["references"] for schema in module.features] == [datasets.Sequence(text), text]


@pytest.mark.parametrize("name", ["compute", "add", "add_batch"])
def test_methods_take_keywords_only_as_those_of_the_base_class(name):
    method, base = getattr(tercet.load("bleu_multi"), name), getattr(evaluate.Metric, name)
    parameters = list(inspect.signature(method).parameters.values())
    assert [each.name for each in parameters][:2] == list(inspect.signature(base).parameters)[1:3]
    assert {each.kind for each in parameters} == {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}
    with pytest.raises(TypeError, match="positional"):
        method(PREDICTIONS, REFERENCES)


class TestTheTrapsOfTheLoader:
    @pytest.mark.parametrize(("line", "seen"), [
        ("import a, b", [("library", "a,", "a,", None)]),
        ("from .a import b  # noqa", [("external", "a", "# noqa", None)]),
        ("from .a.b import c", [("internal", "a", "a", None)]), ("from . import a", []), ("    import a", []),
    ])  # fmt: skip
    def test_what_evaluate_makes_of_a_line(self, line, seen, tmp_path):
        (tmp_path / "module.py").write_text(line)
        assert loading.get_imports(str(tmp_path / "module.py")) == seen

    @each_metric
    def test_our_imports_avoid_them_and_the_class_that_it_finds_is_ours(self, metric):
        module = tercet.load(metric)
        text = (ROOT / "metrics" / metric / f"{metric}.py").read_text()
        ours = [
            line for line in text.splitlines() if line.startswith("    from tercet")
        ]  # in a `try`: not looked for
        assert [name for _, name, *_ in loading.get_imports(str(ROOT / "metrics" / metric / f"{metric}.py"))] == [
            "evaluate"
        ]
        assert len(ours) == 2
        assert "import evaluate" in text.splitlines()
        assert "from evaluate" not in text
        assert loading.import_main_class(type(module).__module__) is type(module)
        assert type(module).__name__.lower() == metric.replace("_", "")

    @pytest.mark.parametrize(
        ("references", "mangled"), [(["a", ["b"]], ["a", "['b']"]), ([["a"], "cde"], [["a"], ["c", "d", "e"]])]
    )
    def test_evaluate_mangles_mixed_references_and_we_refuse_them(self, references, mangled):
        module = tercet.load("bleu_multi")

        class Bare(evaluate.Metric):
            def _info(self):
                return evaluate.MetricInfo("", "", module.features)

            def _compute(self, predictions, references):
                return {"references": list(references)}

        texts = ["x", "y"]
        assert Bare().compute(predictions=texts, references=references) == {"references": mangled}
        with pytest.raises(InputError, match="item 1 of references is a"):
            module.compute(predictions=texts, references=references)


@each_metric
def test_explain_shows_how_a_text_matches(metric):
    module = tercet.load(metric)
    found = module.explain(PREDICTIONS[0], REFERENCES[0], **needed(metric)).to_dict()
    assert found == tercet.explain(metric, PREDICTIONS[0], REFERENCES[0], **needed(metric)).to_dict()
    with pytest.raises(tercet.OptionError, match=f"{metric} has no option 'tokeniser'"):
        module.explain("a", "a", tokeniser="13a")


THINKING = [f"<think>hm, {number}</think>{text}" for number, text in enumerate(PREDICTIONS)]


@ANY_TEXTS
class TestNormalize:
    """What a module was loaded with is what each of its calls is given, unless it names another."""

    @pytest.mark.parametrize("metric", ["bleu_multi", "chrf_multi", "ter", "wer", "rouge_nlws"])
    def test_is_that_of_every_call(self, metric):
        module = tercet.load(metric, normalize="think")
        assert repr(module).startswith(f"<evaluate module tercet.load('{metric}', normalize='think'): ")
        for _ in range(2):
            module.add_batch(predictions=THINKING, references=REFERENCES)
            assert module.compute(signature=True) == score(metric, THINKING, normalize="think", signature=True)
        module.add_batch(predictions=THINKING, references=REFERENCES)
        assert module.compute(normalize=None) == score(metric, THINKING)

    def test_is_that_of_explanations_and_of_a_trainer_s_function(self):
        module = tercet.load("chrf", normalize=["think", "lower"])
        said = module.explain(THINKING[0], REFERENCES[0]).to_dict()
        assert said == tercet.explain("chrf", THINKING[0], REFERENCES[0], normalize=["think", "lower"]).to_dict()
        function = module.compute_metrics(decode=list)
        assert [metric.normalize for metric in function.metrics] == [["think", "lower"]]

    def test_is_of_one_module_where_several_are_combined(self):
        both = evaluate.combine([tercet.load("chrf", normalize="think"), tercet.load("ter")])
        found = both.compute(predictions=THINKING, references=REFERENCES)
        assert found["chrf"] == score("chrf", THINKING, normalize="think")["chrf"]
        assert found["ter"] == score("ter", THINKING)["ter"]

    def test_is_taken_with_the_keys_of_other_packages(self):
        found = tercet.load("sacrebleu", normalize="think").compute(predictions=THINKING, references=REFERENCES)
        assert found == tercet.load("sacrebleu").compute(predictions=PREDICTIONS, references=REFERENCES)

    @pytest.mark.parametrize(
        ("metric", "message"),
        [
            ("bertscore", "The 'normalize' option of bertscore_idf must be one of 'nfc'.* Did you mean 'html'?"),
            ("paired_significance", "evaluate modules cannot be loaded with 'normalize'"),
        ],
    )
    def test_is_checked_as_the_module_is_loaded(self, metric, message):
        with pytest.raises(tercet.OptionError, match=message):
            tercet.load(metric, normalize="hmtl")


@ZERO_BLEU
def test_a_wrong_value_for_one_metric_leaves_what_was_added_to_the_other():
    both = evaluate.combine([tercet.load("bleu_multi"), tercet.load("rouge_nlws")])
    both.add_batch(predictions=["a b"], references=["a b"])
    with pytest.raises(tercet.OptionError, match="beta"):
        both.compute(beta=-1)
    assert both.compute(rouge_types=["rouge1"])["rouge1"] == 1.0

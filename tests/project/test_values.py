"""Wherever a metric is named its short name will do, or a value with its options; results have the full name."""

import evaluate
import pyarrow as pa
import pytest

import tercet
from conftest import ZERO_BLEU, close, needed, written
from suite import SUITE
from tercet.comparison.packages.package_differences import explain_difference
from tercet.comparison.paired_significance import paired_significance
from tercet.registry import metric_class
from tercet.test_sets.test_set import TestSet
from texts import without_path

PREDICTIONS = ["the cat sat down on the mat", "на кошке шапка", "猫 坐 了 。"]
REFERENCES = [["The cat sat on the mat", "a cat"], ["кошка в шапке"], ["猫 坐 。"]]
SYSTEMS = {"one": PREDICTIONS, "other": PREDICTIONS[::-1]}
TEST_SET = TestSet("small", SYSTEMS, REFERENCES, None)
ROWS = pa.table({"prediction": PREDICTIONS, "references": REFERENCES})
#: Those that must see the whole corpus, by default at least: they are not streamed.
WHOLE = ("rouge_nlws", "bertscore_idf", "diversity")
VALUES = [
    *(metric_class(metric)(**needed(metric)) for metric in SUITE if metric not in WHOLE),
    tercet.BertScore(**needed("bertscore_idf"), idf=False),
    tercet.Bleu(tokenizer="none", max_order=1), tercet.Rouge(rouge_types="rougeL", tokenizer="unicode"),
    tercet.Bleu(tokenizer=str.split, lowercase=True, max_order=2, smooth_method="floor"),
    tercet.Chrf(word_order=[0, 2]), tercet.Ter(case_sensitive=True), tercet.Jaccard(variants={"pairs": {"ngram": 2}}),
]  # fmt: skip

pytestmark = [ZERO_BLEU, pytest.mark.filterwarnings("ignore:rouge_nlws. the tokenizer of rouge_score:UserWarning")]


@pytest.mark.filterwarnings("ignore:bertscore_idf. all tokens of:UserWarning")
@pytest.mark.filterwarnings("ignore:bleu_.* tokenizer='13a' splits:UserWarning")
@pytest.mark.parametrize("value", VALUES, ids=without_path)
def test_every_door_takes_a_value_or_a_short_name_and_answers_with_the_full_one(value):
    metric, short, options = value.name, SUITE[value.name].short, value.changed_options
    expected = tercet.score(metric, PREDICTIONS, REFERENCES, **options)
    score = pytest.approx(expected[value.primary], rel=1e-4)
    assert value(PREDICTIONS, REFERENCES).to_dict(full=True) == expected.to_dict(full=True)
    assert tercet.load(short).name == metric
    with pytest.raises(tercet.OptionError, match=f"{metric} has no configuration 'x'"):
        tercet.load(short, "x")
    for name, given in ((value, {}), (short, options)):
        found = tercet.score(name, PREDICTIONS, REFERENCES, **given)
        assert (found.to_dict(full=True), found.metric) == (expected.to_dict(full=True), metric)
        assert tercet.scorer(name, **given) == value
        assert tercet.scorer(name, **given).name == metric
        value_or_name = name if given == {} else written(name, given)
        tables = {table.name: table for table in tercet.compare(TEST_SET, [value_or_name], n_resamples=10).tables}
        table = tables.get(value.primary) or next(iter(tables.values()))
        assert table.metric.split(":")[0] == metric
        assert table.rows[0].value / (100 / value.scale if SUITE[metric].has_scale else 1) == score
        result = paired_significance(name, *SYSTEMS.values(), REFERENCES, n_resamples=10, **given)
        assert result["signature"].startswith(metric)
        compute = tercet.compute_metrics(None, name, decode=list, options=given)
        assert compute(PREDICTIONS, REFERENCES)[value.primary] == score
        why, texts = tercet.explain(name, PREDICTIONS[0], REFERENCES[0], **given), (PREDICTIONS[0], REFERENCES[0])
        full = value.explain(*texts) if name is value else tercet.explain(metric, *texts, **given)
        assert close(metric, why.to_dict(), full.to_dict())
        stream = tercet.Stream(name, **given)
        for prediction, references in zip(PREDICTIONS, REFERENCES, strict=True):
            stream.add([prediction], [references])
        assert stream.result()[value.primary] == score
        sums = tercet.arrow_statistics(ROWS, name, **given)
        assert tercet.Stream.from_arrow(sums, name, **given).result()[value.primary] == score
    if metric == "bleu_multi":
        assert explain_difference(short, PREDICTIONS, REFERENCES, against="nltk").metric == metric


def test_evaluate_s_own_load_may_be_redirected(monkeypatch):
    """As people do who want every line of a program to load the suite's modules."""
    monkeypatch.setattr(evaluate, "load", tercet.load)
    for name in ("bleu", "bleu_multi"):
        assert evaluate.load(name, "evaluate", module_type="metric").name == "bleu_multi"


def test_a_trainer_s_function_takes_each_metric_once_by_either_name():
    options = {"bleu": {"max_order": 2}, "rouge_nlws": {"rouge_types": ["rouge1"]}}
    compute = tercet.compute_metrics(None, ["bleu", "rouge"], options=options, decode=list)
    first = [texts[0] for texts in REFERENCES]
    found = compute(PREDICTIONS, first)
    for metric, (name, own) in zip(("bleu", "rouge1"), options.items(), strict=True):
        assert found[metric] == tercet.score(name, PREDICTIONS, first, **own)[metric]
    with pytest.raises(tercet.OptionError, match="metrics must be different metrics"):
        tercet.compute_metrics(None, ["bleu", "bleu_multi"], decode=list)


def test_what_belongs_to_a_call_is_given_to_the_call():
    rouge = tercet.Rouge(rouge_types=["rouge1"], tokenizer="unicode")
    prepared = tercet.scorer(rouge, segments=True, confidence_level=0.9, n_resamples=20)
    assert prepared != rouge
    assert eval(repr(prepared), vars(tercet)) == prepared
    texts = PREDICTIONS * 2, REFERENCES * 2
    assert set(prepared(*texts)) == {"rouge1", "segments", "intervals"}
    assert "signature" in prepared(*texts, signature=True)
    assert set(rouge(PREDICTIONS, REFERENCES, n_jobs=2)) == {"rouge1"}
    with pytest.raises(tercet.OptionError, match=r"'segments' belongs to a call.*Rouge\(\)\(predictions, references"):
        tercet.Rouge(segments=True)
    with pytest.raises(
        tercet.OptionError, match=r"rouge_nlws has no option 'confidence'\. Did you mean 'confidence_l"
    ):
        tercet.Rouge(confidence=0.9)
    with pytest.raises(tercet.OptionError, match="The 'seed' option of rouge_nlws must be an integer"):
        rouge(PREDICTIONS, REFERENCES, confidence_level=0.9, seed=-1)


@pytest.mark.parametrize("given", [tercet.Bleu, tercet.Bleu(max_order=2)])
def test_a_value_in_place_of_the_name_of_a_module_is_reported(given):
    with pytest.raises(
        tercet.OptionError, match=r"Expected the name of a metric, got .*load\('bleu_multi'\) returns"
    ):
        tercet.load(given)


def test_a_class_that_is_no_metric_of_the_suite_has_no_module():
    with pytest.raises(tercet.OptionError, match="There is no metric <class 'tercet"):
        tercet.load(tercet.Metric)

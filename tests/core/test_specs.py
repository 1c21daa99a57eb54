"""A name with options is the metric with these options, in every function that takes a metric."""

import numpy as np
import pytest
import sacrebleu

import tercet
from tercet.comparison.packages.package_differences import explain_difference
from tercet.comparison.paired_significance import paired_significance
from tercet.harnesses.shared import with_intervals
from tercet.testing import assert_score

SPEC, NAME, OPTIONS = "chrf:word_order=2,beta=1", "chrf", {"word_order": 2, "beta": 1}
PREDICTIONS = ["the cat sat on the mat", "Кот сидел на коврике", "猫坐在垫子上", "القطة على السجادة", "mèo ngồi"]
REFERENCES = ["a cat sat on a mat", "Кот сидит на ковре", "猫坐垫子上", "القطة فوق السجادة", "con mèo ngồi"]
PEER = sacrebleu.CHRF(word_order=2, beta=1)
SCORE = PEER.corpus_score(PREDICTIONS, [REFERENCES]).score
SEGMENTS = [PEER.sentence_score(text, [ref]).score for text, ref in zip(PREDICTIONS, REFERENCES, strict=True)]


def of_stream(metric, **options):
    stream = tercet.Stream(metric, **options)
    stream.add(PREDICTIONS, REFERENCES)
    return stream.result()["chrf"]


def of_trainer(metric, **options):
    compute = tercet.compute_metrics(None, metric, options=options, decode=lambda rows: rows)
    return compute(PREDICTIONS, REFERENCES)["chrf"]


#: What gives the score of the corpus.
OF_CORPUS = {
    "score": lambda metric, **options: tercet.score(metric, PREDICTIONS, REFERENCES, **options)["chrf"],
    "scorer": lambda metric, **options: tercet.scorer(metric, **options)(PREDICTIONS, REFERENCES)["chrf"],
    "Stream": of_stream,
    "compute_metrics": of_trainer,
    "harnesses": lambda metric, **options: with_intervals(metric, options)(PREDICTIONS, REFERENCES)["chrf"],
    "paired_significance": lambda metric, **options: paired_significance(
        metric, PREDICTIONS, REFERENCES, REFERENCES, **options
    )["scores1"]["chrf"],
    "explain_difference": lambda metric, **options: explain_difference(
        metric, PREDICTIONS, REFERENCES, against="sacrebleu", **options
    ).ours["chrf"],
}


@pytest.mark.parametrize("function", OF_CORPUS.values(), ids=OF_CORPUS)
class TestInEveryFunction:
    def test_it_gives_the_score_of_the_options(self, function):
        assert function(SPEC) == pytest.approx(SCORE, abs=1e-9)
        assert function(NAME, **OPTIONS) == function(SPEC)
        assert function(NAME) != pytest.approx(SCORE, abs=0.1)

    def test_other_options_come_to_those_of_the_name(self, function):
        assert function("chrf:word_order=2", beta=1) == function(SPEC)
        assert function(SPEC, beta=1) == function(SPEC, beta=1.0) == function(SPEC)

    def test_an_option_with_two_values_is_refused(self, function):
        message = "'word_order' of chrf_multi is given twice: as 2 in 'chrf:word_order=2', and as 1. Give it once"
        with pytest.raises(tercet.OptionError, match=message):
            function("chrf:word_order=2", word_order=1)

    def test_an_unknown_option_or_value_is_refused(self, function):
        with pytest.raises(tercet.OptionError, match="Did you mean 'word_order'"):
            function("chrf:word_ordr=2")
        with pytest.raises(tercet.OptionError, match=r"'word_order' option of chrf_multi must be .*Got 'two'"):
            function("chrf:word_order=two")
        with pytest.raises(tercet.OptionError, match="'word_order' is not option=value, or is given twice"):
            function("chrf:word_order")


def test_a_reward_is_that_of_the_options():
    expected = pytest.approx(np.array(SEGMENTS) / 100, abs=1e-9)
    assert tercet.reward(SPEC)(PREDICTIONS, references=REFERENCES) == expected
    assert tercet.reward("chrf:word_order=2", beta=1)(PREDICTIONS, references=REFERENCES) == expected
    assert tercet.reward({SPEC: 0.5, "chrf:beta=1,word_order=2": 0.5})(PREDICTIONS, references=REFERENCES) == expected


def test_the_trainer_and_the_callback_take_several():
    metrics = [SPEC, "rouge:rouge_types=rouge1+rougeLsum,sentence_split=auto", tercet.Bleu(max_order=2)]
    expected = [
        tercet.Chrf(word_order=2, beta=1),
        tercet.Rouge(rouge_types=["rouge1", "rougeLsum"], sentence_split="auto"),
    ]
    compute = tercet.compute_metrics(None, metrics, decode=lambda rows: rows)
    assert compute.metrics == [*expected, tercet.Bleu(max_order=2)]
    with_types = tercet.compute_metrics(None, ["rouge:rouge_types=rouge1"], decode=lambda rows: rows)
    assert with_types.metrics == [tercet.Rouge(rouge_types=["rouge1"])]
    with pytest.raises(
        tercet.OptionError, match=r"different metrics of the suite, got \['chrf:word_order=2', 'chrf'\]"
    ):
        tercet.compute_metrics(None, ["chrf:word_order=2", "chrf"], decode=lambda rows: rows)


def test_sentence_split_of_a_metrics_own_options_is_kept():
    """Options by metric went lost where the metric was given as a value."""
    options = {"rouge_nlws": {"sentence_split": "auto"}}
    compute = tercet.compute_metrics(None, tercet.Rouge(), options=options, decode=lambda rows: rows)
    assert compute.metrics == [tercet.Rouge(sentence_split="auto")]


def test_explanations_and_choices_are_those_of_the_options():
    text, reference = "the cat sat", "the cat ran"
    explained = tercet.explain("bleu:max_order=2", text, reference)
    assert repr(explained) == repr(tercet.explain(tercet.Bleu(max_order=2), text, reference))
    groups = [PREDICTIONS[:1] + REFERENCES[:1] + ["the cat"]]
    assert tercet.mbr(groups, SPEC).to_dict() == tercet.mbr(groups, NAME, **OPTIONS).to_dict()
    assert tercet.mbr(groups, SPEC).to_dict() != tercet.mbr(groups, NAME).to_dict()
    with pytest.raises(tercet.OptionError, match=r"'segments' is an option of tercet\.score"):
        tercet.mbr(groups, "chrf:segments=true")


def test_options_of_a_call_and_lists_are_read_too():
    found = tercet.score(
        "rouge:rouge_types=rouge1+rougeL,segments=yes", ["a b"], ["a c"], rouge_types=["rouge1", "rougeL"]
    )
    assert found == {"rouge1": 0.5, "rougeL": 0.5, "segments": {"rouge1": [0.5], "rougeL": [0.5]}}


def test_a_stream_keeps_them_in_its_file(tmp_path):
    stream = tercet.Stream("chrf:word_order=2", beta=1)
    stream.add(PREDICTIONS, REFERENCES)
    stream.save(tmp_path / "stream.arrow")
    assert tercet.Stream.load(tmp_path / "stream.arrow").result()["chrf"] == pytest.approx(SCORE, abs=1e-9)


def test_assertions_score_with_them():
    assert_score(PREDICTIONS, REFERENCES, SPEC, at_least=SCORE - 1e-6, at_most=SCORE + 1e-6)


@pytest.mark.parametrize(("names", "said"), [("bleu,chrf:word_order=2", r"\['bleu', 'chrf'\]")])
def test_several_in_one_text_are_refused(names, said):
    with pytest.raises(tercet.OptionError, match=f"names several metrics: give each by itself .{said}"):
        tercet.score(names, ["a"], ["a"])

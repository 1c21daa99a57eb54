"""Lists are scored by one call of the engine, iterators by the long road: results and warnings are the same."""

import warnings

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.base import scoring, short_road
from tercet.base.options import option
from tercet.compat import jiwer, sacrebleu
from texts import PAIRS

#: Metrics with options that the engine knows, and some with a part in Python.
METRICS = [
    ("bleu_multi", {}),
    ("bleu_multi", {"lowercase": True, "smooth_method": "floor", "scale": 100}),
    ("bleu_multi", {"weights": {"bleu2": [0.5, 0.5]}, "max_order": 2, "tokenizer": "unicode"}),
    ("bleu_multi", {"compat": "evaluate"}),
    ("bleu_multi", {"compat": "nltk"}),
    ("rouge_nlws", {}),
    ("rouge_nlws", {"rouge_types": ["rouge1", "rougeLsum"], "use_stemmer": True, "output": "all"}),
    ("rouge_nlws", {"rouge_types": ["rougeL"], "multi_ref": "average", "tokenizer": "unicode"}),
    ("chrf_multi", {}),
    ("chrf_multi", {"word_order": [2, 0], "lowercase": True}),
    ("wer", {}),
    ("wer", {"tokenizer": "char", "missing_references": "zero"}),
    ("ter", {}),
    ("ter", {"normalized": True}),
    ("google_bleu", {"min_len": 2}),
]
EACH_METRIC = pytest.mark.parametrize(("name", "options"), METRICS)

WORDS = ["a", "cat", "The", "9", "U.S.", "<b>", "&amp;", "|||", "é", "мы", "猫", "ไทย", "\n", "", "😀", "x@@"]
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
items = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=7)


def answer(function, *lists):
    """Return what a call gives: a result with its attributes, or an error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(*lists)
        except tercet.errors.TercetError as error:
            found = type(error), str(error)
        else:
            found = list(found.items()), found.to_dict(full=True) if isinstance(found, tercet.Result) else None
    return found, [str(warning.message) for warning in caught]


def long(column):
    """Return a column that takes the long road."""
    return iter(column)


@EACH_METRIC
@given(items=items)
def test_results_and_warnings_are_those_of_the_long_road(name, options, items):
    predictions, references = [text for text, _ in items], [texts for _, texts in items]
    scorer = tercet.scorer(name, **options)
    for targets in (references, [texts[0] for texts in references], references[:-1], [[], *references[1:]]):
        for function in (scorer, scorer.segments):
            expected = answer(function, long(predictions), long(targets))
            assert answer(function, predictions, targets) == expected
            assert answer(function, pa.array(predictions), pa.array(targets)) == expected


@EACH_METRIC
@pytest.mark.parametrize("language", PAIRS)
def test_texts_of_each_language_score_alike(name, options, language):
    predictions = [text for text, _ in PAIRS[language]]
    references = [texts for _, texts in PAIRS[language]]
    scorer = tercet.scorer(name, **options)
    assert answer(scorer, predictions, references) == answer(scorer, long(predictions), long(references))


@pytest.mark.parametrize(
    ("name", "options"),
    [("bleu", {}), ("rouge", {"rouge_types": ["rouge1", "rougeL"]}), ("chrf", {}), ("wer", {}), ("ter", {})],
)
def test_a_score_and_evaluates_compute_take_the_short_road(name, options, monkeypatch):
    """No corpus is made of lists of strings."""
    lists = ["the cat sat on a mat"], ["the cat sat on the mat"]
    module = tercet.load(name)
    expected = tercet.score(name, *map(long, lists), **options)

    def no_corpus(*_, **__):
        raise AssertionError("the long road")

    monkeypatch.setattr(scoring, "batch_stats", no_corpus)
    assert tercet.score(name, *lists, **options) == expected
    assert tercet.score(name, *map(tuple, lists), **options) == expected
    assert tercet.score(name, *map(pa.array, lists), **options) == expected
    assert tercet.score(name, pa.array(lists[0]), pa.chunked_array([[lists[1]]]), **options) == expected
    assert tercet.scorer(name, **options)(*lists) == expected
    assert module.compute(predictions=lists[0], references=lists[1], **options) == expected
    if name != "rouge":
        assert list(tercet.scorer(name, **options).segments(*lists).values())


@EACH_METRIC
@pytest.mark.parametrize(
    ("predictions", "references"),
    [
        (["a"], [1]),
        ([1], ["a"]),
        ([None], ["a"]),
        (["a"], [None]),
        (["a", "b"], ["a"]),
        (["a"], [["b", None]]),
        (["a", "b"], [["b"], None]),
        ([["a"]], ["a"]),
        ([b"a"], ["a"]),
    ],
)
def test_short_columns_of_arrow_that_are_no_texts_get_the_messages_of_lists(name, options, predictions, references):
    scorer = tercet.scorer(name, **options)
    columns = pa.array(predictions), pa.array(references)
    assert answer(scorer, *columns) == answer(scorer, long(predictions), long(references))


def test_texts_of_a_short_column_that_are_not_utf8_are_refused():
    texts, wrong = pa.array(["a", "b"]), pa.array([b"a", b"b\xff"]).view(pa.string())
    in_lists = pa.ListArray.from_arrays([0, 1, 2], wrong)
    with pytest.raises(tercet.errors.InputError, match="item 1 of predictions is not valid UTF-8"):
        tercet.score("bleu", wrong, texts)
    with pytest.raises(tercet.errors.InputError, match="item 1 of references is not valid UTF-8"):
        tercet.score("bleu", texts, wrong)
    with pytest.raises(tercet.errors.InputError, match=r"references cannot be read.* UTF8"):
        tercet.score("bleu", texts, in_lists)


def test_drop_ins_for_sentences_take_it(monkeypatch):
    prediction, reference = "the cat sat on a mat", "the cat sat on the mat"
    bleu = sacrebleu.corpus_bleu([prediction], [[reference]]).score
    expected = [bleu, jiwer.process_words(reference, prediction).wer]
    planned = []
    plan_of = short_road.scored_by_plan

    def noted(*arguments, **options):
        scored = plan_of(*arguments, **options)
        planned.append(scored is not None)
        return scored

    monkeypatch.setattr("tercet.compat.sacrebleu_metrics.scored_by_plan", noted)
    monkeypatch.setattr("tercet.compat.jiwer.scored_by_plan", noted)
    found = [sacrebleu.sentence_bleu(prediction, [reference]).score, jiwer.wer(reference, prediction)]
    assert found == pytest.approx(expected)
    assert planned == [True, True]


def test_a_subclass_that_counts_otherwise_is_asked():
    class Half(tercet.Chrf):
        name = "half"

        def finalize(self, totals):
            return {name: scores / 2 for name, scores in super().finalize(totals).items()}

        def report(self, totals, stats):
            return {name: float(scores) for name, scores in self.finalize(totals).items()}

    lists = ["a cat"], ["the cat"]
    assert Half()(*lists)["chrf"] == tercet.Chrf()(*lists)["chrf"] / 2
    assert Half().segments(*lists)["chrf"] == [tercet.Chrf()(*lists)["chrf"] / 2]


def test_rows_of_a_users_metric_count_also_where_another_one_makes_scores_of_them():
    class Longer(tercet.Bleu):
        name = "longer"

        def segment_stats(self, batch, context=None):
            stats = super().segment_stats(batch, context)
            stats.rows[:, 4] /= 2  # the length
            return stats

        @property
        def segment_metric(self):
            return tercet.Bleu(effective_order=True)

    lists = ["the cat sat on a mat", "a dog"], ["the cat sat on the mat", "the dog"]
    assert Longer().segments(*lists) == Longer()(*lists, segments=True).segments
    assert Longer().segments(*lists) != tercet.Bleu().segments(*lists)


def test_options_of_a_users_metric_may_have_any_name():
    class Planned(tercet.Chrf):
        name = "planned"
        plan: bool = option(default=False, doc="Whether it was planned.")
        entries: bool = option(default=False, doc="Whether it has entries.")

    lists = ["a cat"], ["the cat"]
    assert Planned(plan=True, entries=True)(*lists) == tercet.Chrf()(*lists)
    assert Planned().segments(*lists) == tercet.Chrf().segments(*lists)


def test_messages_of_a_drop_in_call_texts_as_it_does():
    with pytest.warns(UserWarning, match="the hypotheses have texts joined by"):
        sacrebleu.sentence_chrf("a ||| b", ["a c"])
    with pytest.warns(UserWarning, match="the predictions have texts joined by"):
        tercet.score("chrf", ["a ||| b"], ["a c"])

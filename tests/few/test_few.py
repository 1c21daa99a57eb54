"""Few texts are scored without arrays, and score the same: as statistics, sacrebleu and rouge_score have it."""

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

import tercet
from tercet import InputError, OptionError
from tercet.api import batch_stats, make_scorer, summarize
from tercet.columns.items import read_items
from tercet.core.scorer import segment_lists
from tercet.few import few_characters
from texts import LATIN, PAIRS, all_pairs, lines

OPTIONS = [
    *(("bleu_multi", {"smooth_method": method}) for method in ("none", "exp", "floor", "add-k")),
    ("bleu_multi", {"smooth_method": "add-k", "smooth_value": 0.3, "scale": 100, "tokenizer": "none"}),
    ("bleu_multi", {"effective_order": True, "max_order": 3, "reference_length": "average"}),
    ("bleu_multi", {"compat": "sacrebleu", "max_order": 6}),
    ("chrf_multi", {}),
    ("chrf_multi", {"word_order": [2, 0], "lowercase": True, "beta": 1, "scale": 1}),
    ("chrf_multi", {"char_order": 0, "word_order": 3}),
    ("chrf_multi", {"eps_smoothing": True, "word_order": 1, "whitespace": True}),
    ("rouge_nlws", {"rouge_types": ["rouge1", "rouge2", "rougeL"]}),
    ("rouge_nlws", {"rouge_types": ["rouge9", "rouge3"], "beta": 2.5, "scale": 100}),
    ("rouge_nlws", {"rouge_types": ["rougeL", "rougeLsum"], "output": "all"}),
    ("rouge_nlws", {"rouge_types": "rouge1", "output": "recall", "compat": "rouge_score"}),
]
words = st.text("ab .,-&'9\n\t", max_size=12)
pairs = st.lists(st.tuples(lines | words, lines | words), min_size=1, max_size=9)


def by_statistics(metric, options, predictions, references):
    """Return the result and the scores of segments, and what is warned of, without what scores few texts."""
    scorer = make_scorer(metric, options)
    stats = batch_stats(scorer, scorer.corpus(predictions, references))
    return summarize(scorer, stats), segment_lists(scorer, stats), scorer.remark(stats.total())


@pytest.mark.parametrize(("metric", "options"), OPTIONS)
@settings(deadline=None)  # the first one waits for a kernel to be compiled
@given(items=pairs)
def test_scores_are_those_of_statistics_to_the_last_bit(metric, options, items):
    predictions, references = map(list, zip(*items, strict=True))
    scorer = tercet.scorer(metric, **options)
    expected, segments, remark = by_statistics(metric, options, predictions, references)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = scorer(predictions, references)
    assert found == expected
    assert found.to_dict(full=True) == expected.to_dict(full=True)
    assert list(found) == list(expected)
    assert [str(each.message).endswith(remark or "") for each in caught] == [True] * (remark is not None)
    assert scorer.segments(predictions, references) == segments
    few, batch = make_scorer(metric, options).few, read_items(predictions, references).batch()
    assert few is not None
    as_batch = few.score(batch)
    assert as_batch is None or as_batch == expected
    assert few.segments(batch) in (None, segments)
    assert few.segments(batch.part(0, 1)) in (None, {name: values[:1] for name, values in segments.items()})


@pytest.mark.parametrize(("metric", "options"), OPTIONS)
def test_texts_of_other_scripts_and_several_references_score_as_ever(metric, options):
    predictions, references = all_pairs()
    scorer = tercet.scorer(metric, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, segments, _ = by_statistics(metric, options, predictions, references)
        assert scorer(predictions, references) == expected
        assert scorer.segments(predictions, references) == segments


def test_bleu_is_that_of_sacrebleu():
    scorer, theirs = tercet.scorer("bleu", scale=100, smooth_method="exp"), sacrebleu.BLEU(effective_order=True)
    for prediction, references in zip(*all_pairs(LATIN), strict=True):
        found = scorer.segments([prediction], [references[0]])["bleu"]
        assert found == pytest.approx([theirs.sentence_score(prediction, references[:1]).score], rel=1e-13)


@pytest.mark.parametrize("method", ["none", "exp", "floor"])
def test_a_zero_that_is_warned_of_is_few_too(method):
    """A loop over short texts, as of rewards, takes no longer than one over long texts."""
    few = make_scorer("bleu_multi", {"smooth_method": method}).few
    assert few is not None
    assert (result := few.score(read_items(["the cat"], ["the cat"]).batch())) is not None
    assert "the texts are short" in str(few.remark(result))


def test_rouge_is_that_of_rouge_score():
    types = ["rouge1", "rouge2", "rougeL"]
    scorer, theirs = tercet.scorer("rouge", rouge_types=types), RougeScorer(types)
    for prediction, references in PAIRS["en"]:
        expected = theirs.score(references[0], prediction)
        assert scorer([prediction], [references[0]]) == {name: expected[name].fmeasure for name in types}


def test_a_signature_is_made_when_it_is_asked_for():
    result = tercet.scorer("bleu")(["the cat is on the mat"], ["the cat is on the mat"])
    assert callable(vars(result)["signature"])
    again, copied = pickle.loads(pickle.dumps(result)), copy.deepcopy(result)
    assert again.signature == copied.signature == result.signature == vars(result)["signature"]
    assert result.signature.startswith("bleu_multi|")
    assert "refs:1" in result.signature


class Loud(str):
    """A text that says that it is longer than it is."""

    __slots__ = ()

    def __len__(self):
        return 1_000_000

    def encode(self, *arguments):
        raise AssertionError("nobody asked")


def test_a_text_of_another_type_is_its_letters():
    scorer = tercet.scorer("rouge", rouge_types="rouge1")
    assert scorer([Loud("a b"), np.str_("c")], [Loud("a b"), np.str_("d")])["rouge1"] == 0.5


def test_what_is_wrong_is_told_as_by_score():
    scorer = tercet.scorer("bleu")
    with pytest.raises(InputError, match="item 1 of predictions must be a string, got 7"):
        scorer(["a", 7], ["a", "b"])
    with pytest.raises(InputError, match="item 0 of references is empty"):
        scorer(["a"], [[]])
    for function in (scorer, scorer.segments, scorer.stats):
        with pytest.raises(InputError, match="The corpus is empty"):
            function([], [])
    with pytest.raises(OptionError, match="has no option 'smoth'"):
        tercet.scorer("bleu", smoth=True)


def test_intervals_segments_and_the_key_of_the_signature_are_given_where_asked_for():
    texts = ["the cat is on the mat", "it rains on the green garden"]
    found = tercet.scorer("bleu", segments=True, confidence_level=0.95, signature=True)(texts, texts)
    assert found["segments"] == {"bleu": [1.0, 1.0]}
    assert found["intervals"] == {"bleu": [1.0, 1.0]}
    assert found["signature"] == found.signature


def test_several_threads_use_one_scorer():
    predictions, references = all_pairs(["en"])
    scorer = tercet.scorer("rouge", rouge_types=["rouge1", "rougeL"])
    items = [([prediction], [texts[0]]) for prediction, texts in zip(predictions, references, strict=True)] * 50
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda item: scorer(*item), items)) == [scorer(*item) for item in items]


def test_a_call_that_was_interrupted_leaves_nothing_behind(monkeypatch):
    def interrupted(*arguments):
        number_characters(*arguments)
        raise KeyboardInterrupt  # Ctrl-C during a kernel is told as it returns

    number_characters = few_characters.number_characters
    scorer = tercet.scorer("chrf", whitespace=True)
    expected = scorer(["cats and dogs"], ["a dog, a cat"])
    with monkeypatch.context() as patch:
        patch.setattr(few_characters, "number_characters", interrupted)
        with pytest.raises(KeyboardInterrupt):
            scorer(["dogs are barking"], ["a dog is barking"])
    assert scorer(["cats and dogs"], ["a dog, a cat"]) == expected


def test_statistics_add_up_and_a_scorer_says_what_it_is():
    scorer = tercet.scorer("rouge", rouge_types="rouge1")
    one, other = scorer.stats(["a b"], ["a c"]), scorer.stats(pa.array(["d"]), pa.array(["d"]))
    assert (one + other).column("rouge1_fmeasure").tolist() == [0.5, 1.0]
    assert (scorer.metric, scorer.options.rouge_types[0].name) == ("rouge_nlws", "rouge1")
    assert repr(scorer) == "tercet.scorer('rouge_nlws')"


def test_only_lists_of_few_texts_are_scored_so():
    few = make_scorer("rouge_nlws", {"rouge_types": ["rougeLsum"]}).few
    assert few.score(read_items(["a b"], [["a b"]]))["rougeLsum"] == 1.0
    for predictions, references in (
        (["a"] * 65, ["a"] * 65), (["a"], [["a", "b"]]), (["a", "b"], [["a", "b"], []]), (["a\nb"], ["a"]),
        (["é"], ["e"]), ([""], [""]), (["a" * 40_000], ["a"]),
    ):  # fmt: skip
        assert few.score(read_items(predictions, references)) is None


def test_texts_of_nothing_but_different_words_go_the_usual_way():
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [a + b + c for a in letters for b in letters for c in letters][:6000]
    texts = [" ".join(words[start : start + 100]) for start in range(0, 6000, 100)]
    assert (
        make_scorer("rouge_nlws", {"rouge_types": ["rouge1"]}).few.score(read_items(texts[:30], texts[30:])) is None
    )
    scorer = tercet.scorer("rouge", rouge_types="rouge1")
    assert scorer(texts[:30], texts[30:])["rouge1"] == 0.0
    assert scorer(texts[:30], texts[:30])["rouge1"] == 1.0


@pytest.mark.parametrize(("metric", "options"), OPTIONS[1:])
def test_what_the_trainer_and_the_modules_have_is_few_too(metric, options):
    few = make_scorer(metric, options).few
    assert few is not None
    assert few.score(read_items(["a b c d x y"], ["a b c e x y"]).batch()) is not None


@pytest.mark.parametrize("text", ["Größe – „fünf“ €", "Привет, мир!", "naïve café\u00a0x", "שלום עולם"])
def test_bleu_of_scripts_with_blanks_is_few_too(text):
    few = make_scorer("bleu_multi", {"smooth_method": "exp"}).few
    assert few is not None
    expected, segments, _ = by_statistics(
        "bleu_multi", {"smooth_method": "exp"}, [text, "a b c d"], [text + " ж", "a"]
    )
    items = read_items([text, "a b c d"], [text + " ж", "a"])
    for corpus in (items, items.batch()):
        assert few.score(corpus) == expected
        assert few.segments(corpus) == segments


@pytest.mark.parametrize("text", ["猫がいる", "แมว", "မြန်မာ", "한국어 글", "a\u2e80", "😀", "a&b"])
def test_letters_that_a_warning_may_be_about_are_left_to_statistics(text):
    few = make_scorer("bleu_multi", {}).few
    assert few is not None
    assert few.score(read_items([text], [text])) is None

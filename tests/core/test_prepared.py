"""A metric prepared for many calls: the same scores as those of a column, of sacrebleu and of rouge_score."""

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


@pytest.mark.parametrize(("metric", "options"), OPTIONS)
@settings(deadline=None)
@given(items=pairs)
def test_lists_score_as_columns_do_and_as_items_one_by_one(metric, options, items):
    predictions, references = map(list, zip(*items, strict=True))
    scorer = tercet.scorer(metric, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, columns = scorer(predictions, references), (pa.array(predictions), pa.array(references))
        assert found.to_dict(full=True) == scorer(*columns).to_dict(full=True)
        segments = scorer.segments(predictions, references)
        assert segments == scorer.segments(*columns)
        single = [scorer.segments([text], [other]) for text, other in items]
    assert segments == {name: [each[name][0] for each in single] for name in segments}


@pytest.mark.parametrize(("metric", "options"), OPTIONS)
def test_so_do_other_scripts_and_several_references(metric, options):
    predictions, references = all_pairs()
    scorer = tercet.scorer(metric, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns = pa.array(predictions), pa.array(references)
        assert scorer(predictions, references).to_dict(full=True) == scorer(*columns).to_dict(full=True)
        assert scorer.segments(predictions, references) == scorer.segments(*columns)


def test_bleu_is_that_of_sacrebleu():
    scorer, theirs = tercet.scorer("bleu", scale=100, smooth_method="exp"), sacrebleu.BLEU(effective_order=True)
    for prediction, references in zip(*all_pairs(LATIN), strict=True):
        found = scorer.segments([prediction], [references[0]])["bleu"]
        assert found == pytest.approx([theirs.sentence_score(prediction, references[:1]).score], rel=1e-13)


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


def test_statistics_add_up_and_a_scorer_says_what_it_is():
    scorer = tercet.scorer("rouge", rouge_types="rouge1")
    one, other = scorer.stats(["a b"], ["a c"]), scorer.stats(pa.array(["d"]), pa.array(["d"]))
    assert (one + other).column("rouge1_fmeasure").tolist() == [0.5, 1.0]
    assert (scorer.name, scorer.rouge_types) == ("rouge_nlws", ("rouge1",))
    assert scorer == tercet.Rouge(rouge_types=["rouge1"])
    assert repr(scorer) == "Rouge(rouge_types=('rouge1',))"


def test_texts_of_nothing_but_different_words():
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [a + b + c for a in letters for b in letters for c in letters][:6000]
    texts = [" ".join(words[start : start + 100]) for start in range(0, 6000, 100)]
    scorer = tercet.scorer("rouge", rouge_types="rouge1")
    assert scorer(texts[:30], texts[30:])["rouge1"] == 0.0
    assert scorer(texts[:30], texts[:30])["rouge1"] == 1.0


def test_a_kept_scorer_is_the_one_that_was_asked_for():
    """tercet.score keeps scorers between calls, by their options: 1, 1.0 and True are not the same option."""
    pair = ["a cat sat"], ["a cat ran"]
    assert tercet.score("chrf", *pair, beta=1) == tercet.score("chrf", *pair, beta=1.0)
    assert tercet.score("bleu", *pair, max_order=1)["bleu"] == pytest.approx(2 / 3)
    for _ in range(2):
        with pytest.raises(OptionError, match="'max_order' option of bleu_multi must be an integer"):
            tercet.score("bleu", *pair, max_order=True)
        with pytest.warns(UserWarning, match="has an effect only with"):
            tercet.score("bleu", *pair, max_order=1, seed=3)


def test_what_is_kept_of_a_call_does_not_show_in_another():
    pair = ["a b"], ["a c"]
    with_minus = tercet.score("bleu", *pair, smooth_method="add-k", smooth_value=-0.0)
    assert with_minus.signature == tercet.score("bleu", *pair, smooth_method="add-k", smooth_value=0.0).signature
    weights = [1, 0]
    first = tercet.score("bleu", *pair, max_order=2, weights=weights)["bleu"]
    weights[:] = [0, 1]
    second = tercet.score("bleu", *pair, max_order=2, weights=weights, smooth_method="exp")["bleu"]
    assert (first, second) == (0.5, pytest.approx(0.5))

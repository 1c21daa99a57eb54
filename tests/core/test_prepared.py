"""A metric prepared for many calls: the same scores as those of a column, of sacrebleu and of rouge_score."""

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import OptionError
from texts import all_pairs, lines

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


def test_attributes_are_made_when_one_is_read():
    result = tercet.scorer("bleu")(["the cat is on the mat"], ["the cat is on the mat"])
    assert not {"signature", "counts"} & vars(result).keys()
    again, copied = pickle.loads(pickle.dumps(result)), copy.deepcopy(result)
    assert again.signature == copied.signature == result.signature == vars(result)["signature"]
    assert again.counts == copied.counts == result.counts == vars(result)["counts"] == [6, 5, 4, 3]
    # What completion shows of a result that nobody has read yet.
    assert {"counts", "signature", "n_segments"} <= {
        *dir(tercet.score("bleu", ["кот спит"], ["кот ест"], max_order=2))
    }
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


def test_several_threads_use_one_scorer():
    predictions, references = all_pairs(["en"])
    scorer = tercet.scorer("rouge", rouge_types=["rouge1", "rougeL"])
    items = [([prediction], [texts[0]]) for prediction, texts in zip(predictions, references, strict=True)] * 50
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda item: scorer(*item), items)) == [scorer(*item) for item in items]


def test_texts_of_nothing_but_different_words():
    texts = [" ".join(f"w{number}" for number in range(start, start + 100)) for start in range(0, 6000, 100)]
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
    perfect = ["a b c d"], ["a b c d"]
    with_minus = tercet.score("bleu", *perfect, smooth_method="add-k", smooth_value=-0.0)
    assert with_minus.signature == tercet.score("bleu", *perfect, smooth_method="add-k", smooth_value=0.0).signature
    pair = ["a b"], ["a c"]
    weights = [1, 0]
    first = tercet.score("bleu", *pair, max_order=2, weights=weights)["bleu"]
    weights[:] = [0, 1]
    second = tercet.score("bleu", *pair, max_order=2, weights=weights)["bleu"]
    assert (first, second) == (0.5, pytest.approx(0.5))

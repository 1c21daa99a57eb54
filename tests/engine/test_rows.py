"""Rows of texts: BLEU's beside sacrebleu, ROUGE's beside rouge_score, and both implementations beside each other."""

import random
from itertools import chain

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.gleu_score import sentence_gleu
from rouge_score.rouge_scorer import RougeScorer

from oracles import sacrebleu_tokens
from tercet.engine import _engine, plain
from tercet.engine.plain_text import LoneSurrogateError
from texts import PAIRS

READINGS = ["rouge", "none", "13a", "13a-unstripped", "zh", "unicode", "char"]
texts = st.text(st.sampled_from("ab A.,-&'9\n\t é\u0130\u212aяあ中\u0301\x00\x85"), max_size=20)
THREE = ("n", 1), ("n", 2), ("L", 0)
items = st.lists(st.tuples(texts, st.lists(texts, max_size=3)), max_size=6)


def corpus(items):
    """Return items as the engine takes them: all texts, their number, and where the references of each begin."""
    references = [references for _, references in items]
    offsets = np.cumsum([0, *map(len, references)])
    return [*(text for text, _ in items), *chain.from_iterable(references)], len(items), offsets


def arrow(strings):
    """Return the bytes and offsets of texts, as a column of Arrow has them."""
    column = pa.array(strings, pa.large_string())
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, np.int64, len(column) + 1)
    return np.frombuffer(data if data is not None else b"", np.uint8), starts


@pytest.mark.parametrize("reading", READINGS)
@given(items=items, order=st.integers(1, 6))
def test_both_implementations_count_the_same(reading, items, order):
    given = strings, n, offsets = corpus(items)
    expected = plain.bleu_rows(*given, reading, order)
    types = ("n", order), ("L", 0), ("n", 1), ("S", order - 3), ("SU", 2), ("W", 1 + order / 5), ("Lsum", 0)
    assert _engine.bleu_rows(*given, reading, order).tolist() == expected.tolist()
    assert _engine.bleu_rows(arrow(strings), n, offsets, reading, order).tolist() == expected.tolist()
    for divisors, next_order in ((True, False), (True, True)):
        further = plain.bleu_rows(*given, reading, order, divisors, next_order).tolist()
        assert _engine.bleu_rows(*given, reading, order, divisors, next_order).tolist() == further
        above = plain.bleu_rows(*given, reading, order + 1)
        if next_order:
            assert [row[-2] for row in further] == above[:, 8 + order].tolist()
    best, _, _ = plain.rouge_rows(*given, reading, types, 1.5, False)
    assert _engine.rouge_rows(*given, reading, types, 1.5, False)[0].tolist() == best.tolist()
    _, pairs, _ = plain.rouge_rows(*given, reading, types, 1.5, True)
    rows, found, _ = _engine.rouge_rows(*given, reading, types, 1.5, True)
    assert found.tolist() == pairs.tolist()
    assert rows[:, :4].tolist() == expected[:, :4].tolist()


@pytest.mark.parametrize("reading", READINGS)
@given(items=items, orders=st.tuples(st.integers(1, 6), st.integers(1, 6)).map(sorted))
def test_gleu_is_counted_alike(reading, items, orders):
    strings, n, offsets = corpus(items)
    expected = plain.gleu_rows(strings, n, offsets, reading, *orders).tolist()
    assert _engine.gleu_rows(strings, n, offsets, reading, *orders).tolist() == expected
    assert _engine.gleu_rows(arrow(strings), n, offsets, reading, *orders).tolist() == expected


@pytest.mark.parametrize("reading", READINGS)
@given(items=items, order=st.integers(1, 4), multiset=st.booleans())
def test_jaccard_is_counted_alike(reading, items, order, multiset):
    strings, n, offsets = corpus(items)
    for each in (False, True):
        wanted, wanted_pairs = plain.jaccard_rows(strings, n, offsets, reading, order, multiset, each)
        for column in (strings, arrow(strings)):
            rows, pairs = _engine.jaccard_rows(column, n, offsets, reading, order, multiset, each)
            assert rows.tolist() == wanted.tolist()
            assert (pairs.tolist() if each else pairs) == (wanted_pairs.tolist() if each else None)


@pytest.mark.parametrize("reading", READINGS)
@given(items=items, order=st.integers(1, 6), beta=st.sampled_from([0.5, 1.0, 3.0]), best=st.booleans())
def test_bleu_s_precision_and_rouge_s_recall_are_counted_alike(reading, items, order, beta, best):
    strings, n, offsets = corpus(items)
    expected = plain.bleu_rouge_rows(strings, n, offsets, reading, order, beta, best).tolist()
    for column in (strings, arrow(strings)):
        assert _engine.bleu_rouge_rows(column, n, offsets, reading, order, beta, best).tolist() == expected


words = st.lists(st.sampled_from("abc"), max_size=70).map(" ".join)


@given(
    text=words, references=st.lists(words, min_size=1, max_size=3), orders=st.sampled_from([(1, 4), (2, 3), (1, 20)])
)
def test_gleu_is_that_of_nltk(engine, text, references, orders):
    tokens = [each.split() for each in references], text.split()
    rows = engine.gleu_rows([text, *references], 1, np.array([0, len(references)]), "none", *orders)
    assert rows[0, 4] / max(rows[0, 5], 1) == sentence_gleu(*tokens, *orders)


def test_texts_of_any_length_are_counted_alike():
    for size in (63, 64, 65, 511, 512, 513, 4096, 4097):
        rng = random.Random(size)
        words = [f"w{rng.randrange(40)}" for _ in range(size)]
        changed = [word if rng.random() < 0.9 else "x" for word in words]
        strings = [" ".join(each) for each in (changed, words, words[size // 2 :] + words[: size // 2])]
        found, wanted = (
            [
                *(each.bleu_rows(strings, 1, np.array([0, 2]), "none", order).tolist() for order in (4, 7)),
                each.gleu_rows(strings, 1, np.array([0, 2]), "none", 1, 5).tolist(),
                *(
                    each.bleu_rouge_rows(strings, 1, np.array([0, 2]), "none", 3, 1.0, best).tolist()
                    for best in (0, 1)
                ),
                *(
                    each.jaccard_rows(strings, 1, np.array([0, 2]), "none", 2, bag, False)[0].tolist()
                    for bag in (0, 1)
                ),
                each.rouge_rows(strings[:2], 1, None, "rouge", THREE, 1.0, False)[0].tolist(),
            ]
            for each in (_engine, plain)
        )
        assert found == wanted


def test_rows_are_the_same_wherever_a_chunk_of_texts_ends(engine):
    rng, words = random.Random(3), ["the", "cat", "sat", ".", "é", "3.5"]
    strings = [" ".join(rng.choices(words, k=rng.randrange(60))) for _ in range(400)]
    whole = engine.bleu_rows(strings, 200, None, "13a", 4)
    for i, (text, reference) in enumerate(zip(strings[:200], strings[200:], strict=True)):
        assert engine.bleu_rows([text, reference], 1, None, "13a", 4).tolist() == whole[i : i + 1].tolist()


def test_lengths_are_those_of_sacrebleus_tokens_and_measures_those_of_rouge_score(engine):
    for prediction, references in chain(*PAIRS.values()):
        row = engine.bleu_rows([prediction, *references], 1, np.array([0, len(references)]), "13a", 1)[0]
        length, *others = [len(sacrebleu_tokens("13a", text)) for text in (prediction, *references)]
        assert (row[4], row[6], row[7]) == (length, min(others), pytest.approx(sum(others) / len(others)))
    theirs = RougeScorer(["rouge1", "rouge2", "rougeL"])
    for prediction, references in PAIRS["en"]:
        rows, pairs, _ = engine.rouge_rows([prediction, references[0]], 1, None, "rouge", THREE, 1.0, False)
        expected = theirs.score(references[0], prediction)
        assert pairs is None
        assert rows[0, 4:].tolist() == [value for kind in expected.values() for value in kind]


def test_a_lone_surrogate_is_named_by_its_item(engine):
    for place in range(4):
        strings = ["a", "b", "c", "d"]
        strings[place] = "x \ud800"
        with pytest.raises(LoneSurrogateError) as caught:
            engine.bleu_rows(strings, 2, None, "13a", 4)
        assert caught.value.item == place % 2


def test_what_is_no_text_is_refused_and_nothing_has_no_rows(engine):
    with pytest.raises(TypeError, match="must be a string, got int"):
        engine.bleu_rows(["a", 3], 1, None, "13a", 4)
    for call in (
        lambda: engine.rouge_rows(["a"], 1, None, "rouge", THREE, 1.0, False),
        lambda: engine.chrf_rows(["a"] * 9, 9, None, 6, [0], False, 2, False),
        lambda: engine.ter_rows(["a"] * 9, 9, None),
    ):
        with pytest.raises(ValueError, match="have changed"):
            call()
    for types in ((), THREE * 11, (("W", 1.2), ("W", 2.0))):
        with pytest.raises(ValueError, match="there can be 32 types, and one of W"):
            engine.rouge_rows(["a", "a"], 1, None, "rouge", types, 1.0, False)
    with pytest.raises(ValueError, match="orders must be 1 or more"):
        engine.gleu_rows(["a", "a"], 1, None, "13a", 3, 2)
    with pytest.raises(ValueError, match="order must be 1 or more"):
        engine.jaccard_rows(["a", "a"], 1, None, "13a", 0, False, False)
    for max_order in (-1, 0):
        with pytest.raises(ValueError, match="order must be 1 or more"):
            engine.bleu_rows(["a", "a"], 1, None, "13a", max_order)
    with pytest.raises(ValueError, match="order must be 1 or more"):
        engine.bleu_rouge_rows(["a", "a"], 1, None, "13a", 0, 1.0, True)
    assert engine.bleu_rows([], 0, None, "13a", 4).shape == (0, 16)
    assert engine.jaccard_rows([], 0, None, "13a", 1, False, False)[0].shape == (0, 7)
    assert engine.gleu_rows([], 0, None, "13a", 1, 4).shape == (0, 6)
    assert engine.rouge_rows([], 0, None, "rouge", THREE, 1.0, False)[0].shape == (0, 13)

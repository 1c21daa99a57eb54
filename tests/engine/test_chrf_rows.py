"""chrF of the engine: known rows, sacrebleu's F, and both implementations beside each other."""

import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from tercet.corpus.intern import bytes_of
from tercet.engine import _engine, plain, plain_chrf
from tercet.engine.plain_text import LoneSurrogateError
from texts import any_texts

LENGTHS = [0, 1, 2, 6, 63, 64, 65, 127, 128, 129, 191, 192, 193, 512, 513]
ALPHABETS = ["ab", "abcd e .", "кот猫 犬ab(”\n\u3000", "𝒳a 👍b.,", "".join(map(chr, range(0x4E00, 0x4F00)))]


def count(engine, predictions, references, char_order=6, word_orders=(0,), whitespace=False, beta=2, eps=False):
    """Return the rows of items with any number of references each."""
    texts = [*predictions, *(text for each in references for text in each)]
    bounds = np.cumsum([0, *map(len, references)])
    if all(len(each) == 1 for each in references):
        bounds = None
    return engine.chrf_rows(texts, len(predictions), bounds, char_order, list(word_orders), whitespace, beta, eps)


def changed(rng, text, alphabet):
    """Return a text that shares much with another."""
    characters = list(text)
    for _ in range(rng.randrange(len(text) // 5 + 2)):
        place = rng.randrange(len(characters) + 1)
        characters[place : place + rng.randrange(3)] = rng.choice([[], [" "], [rng.choice(alphabet)]])
    return "".join(characters)


class TestRows:
    def test_an_item_with_two_references(self, engine):
        (row,) = count(engine, ["a cat"], [["a dog", "cats"]], 2, [1])
        assert row.tolist() == [1, 0, 0, 2, 4, 4, 3, 3, 3, 2, 2, 1, 0]

    def test_the_first_of_equal_references(self, engine):
        (row,) = count(engine, ["ab cd"], [["abxxxxx", "xxxxxcd"]], 2)
        assert row[4:].tolist() == [4, 7, 2, 3, 6, 1]

    def test_an_order_that_the_reference_is_too_short_for_does_not_count(self, engine):
        (row,) = count(engine, ["abcd"], [["ab"]], 3)
        assert row[4:].tolist() == [4, 2, 2, 3, 1, 1, 0, 0, 0]

    def test_without_a_reference_the_prediction_alone_counts(self, engine):
        (row,) = count(engine, ["ab (c"], [[]], 2, [2])
        assert row.tolist() == [1, 0, 1, 0, 4, 0, 0, 3, 0, 0, 3, 0, 0, 2, 0, 0]

    def test_a_prediction_of_white_space_is_empty_unless_that_counts(self, engine):
        blanks = " \t\x1c\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000"
        for whitespace, empty in ((False, 1), (True, 0)):
            (row,) = count(engine, [blanks], [["a"]], 1, [1], whitespace)
            assert row.tolist() == [1, empty, 0, 1, 0 if empty else len(blanks), 1, 0, 0, 1, 0]

    def test_words_have_one_mark_of_ascii_set_apart(self, engine):
        for text in ("(so)", '"', ".,", "a...b", "«a»", "é.", "\n¿so? ~👍\u2003", "`1` =a_"):
            words = CHRF(word_order=1)._remove_punctuation(text)
            assert list(plain_chrf.words_of(text)) == words
            for word in words:  # each is found where it stands alone, unless it would be split again
                (row,) = count(engine, [text], [[word]], 0, [1])
                assert row[4] == len(words)
                assert row[6] >= (len(word) == 1)

    def test_no_items(self, engine):
        assert count(engine, [], [], word_orders=[0, 2]).shape == (0, 4 + 3 * (6 + 8))

    def test_each_score_chooses_its_reference(self, engine):
        (row,) = count(engine, ["ab cd"], [["abcd", "ab xd"]], 1, [0, 1])
        assert row[4:7].tolist() == [4, 4, 4]
        assert row[7:].tolist() == [4, 4, 3, 2, 2, 1]

    def test_a_lone_surrogate(self, engine):
        for where in range(3):
            texts = ["a", "b", "é"]
            texts[where] = "ab\ud800"
            with pytest.raises(LoneSurrogateError) as error:
                count(engine, ["a", texts[0]], [["a"], texts[1:]])
            assert error.value.item == 1
            assert count(engine, ["ab"], [["ab"]])[0, 4:7].tolist() == [2, 2, 2]  # nothing is left behind

    def test_what_is_no_string(self, engine):
        with pytest.raises(TypeError, match="a text must be a string, got int"):
            count(engine, [7], [["a"]])

    def test_a_column_of_arrow(self, engine):
        texts = ["a cat", "чай 茶", "a 👍 cat", "", "чай"]
        column = bytes_of(pa.array(["x", *texts, "y"], pa.large_string()).slice(1, 5))
        found = engine.chrf_rows(column, 2, np.array([0, 2, 3]), 6, [2], False, 2, False)
        assert (found == count(engine, texts[:2], [texts[2:4], texts[4:]], word_orders=[2])).all()


class TestBoth:
    """The implementations beside each other."""

    def test_at_the_lengths_where_the_way_changes(self):
        for alphabet, whitespace, length in product(ALPHABETS, (False, True), LENGTHS):
            rng = random.Random(len(alphabet) + length)
            text = "".join(rng.choices(alphabet, k=length))
            near = changed(rng, text, alphabet)
            for sides in ((text, near), (near, text), (text, text[: length // 2]), (text * 9, near)):
                both = [count(each, sides[:1], [sides[1:]], 6, [0, 2], whitespace) for each in (_engine, plain)]
                assert (both[0] == both[1]).all()

    def test_long_texts(self):
        for size, alphabet in ((4097, "abc "), (20_000, "abcdefgh .,"), (3000, ALPHABETS[-1] * 9)):
            rng = random.Random(size)
            text = "".join(rng.choices(alphabet, k=size))
            references = [[changed(rng, text, alphabet), text], [text], [text], ["a"], [text]]
            both = [
                count(each, [text, text[:5000], "", "a cat", text], references, 8, [0, 3])
                for each in (_engine, plain)
            ]
            assert (both[0] == both[1]).all()

    @settings(max_examples=300, deadline=None)
    @given(
        st.lists(st.tuples(any_texts, st.lists(any_texts, max_size=3)), max_size=4),
        st.integers(1, 8), st.lists(st.integers(0, 10), min_size=1, max_size=3), st.booleans(),
        st.sampled_from([0, 0.5, 1, 2, 3]), st.booleans(),
    )  # fmt: skip
    def test_any_texts(self, items, char_order, word_orders, whitespace, beta, eps):
        predictions, references = [text for text, _ in items], [each for _, each in items]
        found = [
            count(each, predictions, references, char_order, word_orders, whitespace, beta, eps)
            for each in (_engine, plain)
        ]
        assert found[0].shape == found[1].shape
        assert (found[0] == found[1]).all()

    @settings(max_examples=300, deadline=None)
    @given(
        st.lists(st.lists(st.integers(0, 40), min_size=12, max_size=12), max_size=5), st.integers(1, 3),
        st.sampled_from([0, 0.5, 0.3, 2, 1000]), st.booleans(), st.sampled_from([1, 100]),
    )  # fmt: skip
    def test_any_counts(self, rows, n_orders, beta, eps, scale):
        counts = np.array(rows, np.float64).reshape(-1, 12)
        first, second = (each.f_scores(counts, 2, n_orders, beta, eps, scale) for each in (_engine, plain))
        assert first.tolist() == second.tolist()


class TestF:
    @settings(max_examples=200, deadline=None)
    @given(
        st.lists(st.tuples(*[st.integers(0, 30)] * 3).map(sorted), min_size=1, max_size=8),
        st.sampled_from([1, 2, 3]), st.booleans(),
    )  # fmt: skip
    def test_is_sacrebleus_to_the_last_digit(self, engine, counts, beta, eps):
        order = len(counts)
        triples = [number for matched, predicted, referenced in counts for number in (predicted, referenced, matched)]
        expected = CHRF(char_order=order, word_order=0, beta=beta, eps_smoothing=eps)._compute_f_score(triples)
        assert engine.f_scores(np.array([triples], np.float64), 0, order, beta, eps, 100).tolist() == [expected]

    def test_of_no_rows(self, engine):
        assert engine.f_scores(np.empty((0, 22)), 4, 6, 2, False, 100).tolist() == []


def test_threads_get_the_rows_that_one_gets():
    rng = random.Random(7)
    texts = ["".join(rng.choices("abcdef ghö.", k=rng.randrange(300))) for _ in range(400)]
    references = [[text] for text in reversed(texts)]
    expected = count(_engine, texts, references, word_orders=[2])
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: count(_engine, texts, references, word_orders=[2]), range(4)):
            assert (found == expected).all()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of signals")
def test_ctrl_c_ends_a_long_pair():
    rng = random.Random(1)
    long = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz ", k=3_000_000))
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            count(_engine, [long], [[long[::-1]]], 20)
        assert time.monotonic() - start < 3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert count(_engine, ["ab"], [["ab"]])[0, 4:7].tolist() == [2, 2, 2]

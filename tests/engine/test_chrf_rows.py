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

from tercet.corpus.corpus import bytes_of
from tercet.engine import _engine, plain
from tercet.engine.plain_readings import words_of_chrf
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


def assert_both(*arguments):
    found, expected = (count(each, *arguments) for each in (_engine, plain))
    assert np.array_equal(found, expected)


def changed(rng, text, alphabet):
    """Return a text that shares much with another."""
    characters = list(text)
    for _ in range(rng.randrange(len(text) // 5 + 2)):
        place = rng.randrange(len(characters) + 1)
        characters[place : place + rng.randrange(3)] = rng.choice([[], [" "], [rng.choice(alphabet)]])
    return "".join(characters)


class TestRows:
    @pytest.mark.parametrize(("prediction", "references", "char_order", "word_orders", "expected"), [
        ("a cat", ["a dog", "cats"], 2, [1], [1, 0, 0, 2, 4, 4, 3, 3, 3, 2, 2, 1, 0]),
        ("ab cd", ["abxxxxx", "xxxxxcd"], 2, [0], [1, 0, 0, 2, 4, 7, 2, 3, 6, 1]),  # the first of equal references
        ("abcd", ["ab"], 3, [0], [1, 0, 0, 1, 4, 2, 2, 3, 1, 1, 0, 0, 0]),  # which is too short for an order
        ("ab (c", [], 2, [2], [1, 0, 1, 0, 4, 0, 0, 3, 0, 0, 3, 0, 0, 2, 0, 0]),  # the prediction alone counts
        # each score chooses its reference
        ("ab cd", ["abcd", "ab xd"], 1, [0, 1], [1, 0, 0, 2, 4, 4, 4, 4, 4, 3, 2, 2, 1]),
    ])  # fmt: skip
    def test_of_an_item(self, engine, prediction, references, char_order, word_orders, expected):
        assert count(engine, [prediction], [references], char_order, word_orders).tolist() == [expected]

    def test_a_prediction_of_white_space_is_empty_unless_that_counts(self, engine):
        blanks = " \t\x1c\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000"
        for whitespace, empty in ((False, 1), (True, 0)):
            (row,) = count(engine, [blanks], [["a"]], 1, [1], whitespace)
            assert row.tolist() == [1, empty, 0, 1, 0 if empty else len(blanks), 1, 0, 0, 1, 0]

    def test_words_have_one_mark_of_ascii_set_apart(self, engine):
        for text in ("(so)", '"', ".,", "a...b", "«a»", "é.", "\n¿so? ~👍\u2003", "`1` =a_"):
            words = CHRF(word_order=1)._remove_punctuation(text)
            assert words_of_chrf(text) == words
            for word in words:  # each is found where it stands alone, unless it would be split again
                (row,) = count(engine, [text], [[word]], 0, [1])
                assert row[4] == len(words)
                assert row[6] >= (len(word) == 1)

    def test_a_lone_surrogate_and_what_is_no_string(self, engine):
        for where in range(3):
            texts = ["a", "b", "é"]
            texts[where] = "ab\ud800"
            with pytest.raises(LoneSurrogateError) as error:
                count(engine, ["a", texts[0]], [["a"], texts[1:]])
            assert error.value.item == 1
            assert count(engine, ["ab"], [["ab"]])[0, 4:7].tolist() == [2, 2, 2]  # nothing is left behind
        with pytest.raises(TypeError, match="a text must be a string, got int"):
            count(engine, [7], [["a"]])

    def test_a_column_of_arrow_and_no_items(self, engine):
        texts = ["a cat", "чай 茶", "a 👍 cat", "", "чай"]
        column = bytes_of(pa.array(["x", *texts, "y"], pa.large_string()).slice(1, 5))
        found = engine.chrf_rows(column, 2, np.array([0, 2, 3]), 6, [2], False, 2, False)
        assert (found == count(engine, texts[:2], [texts[2:4], texts[4:]], word_orders=[2])).all()
        assert count(engine, [], [], word_orders=[0, 2]).shape == (0, 4 + 3 * (6 + 8))


class TestBoth:
    """The implementations beside each other."""

    def test_at_the_lengths_where_the_way_changes(self):
        for alphabet, whitespace, length in product(ALPHABETS, (False, True), LENGTHS):
            rng = random.Random(len(alphabet) + length)
            text = "".join(rng.choices(alphabet, k=length))
            near = changed(rng, text, alphabet)
            for sides in ((text, near), (near, text), (text, text[: length // 2]), (text * 9, near)):
                assert_both(sides[:1], [sides[1:]], 6, [0, 2], whitespace)

    def test_long_texts(self):
        """N-grams in a table of cells, and sorted: all orders at once, or of many characters, some at a time."""
        letters, many = "abcdefghijklmnopqrstuvwxyz ., ", "".join(map(chr, range(0x4E00, 0x5200)))
        for size, alphabet in (
            (4097, "abc "), (20_000, "abcdefgh .,"), (30_000, letters), (3000, ALPHABETS[-1] * 9), (20_000, many)
        ):  # fmt: skip
            rng = random.Random(size)
            text = "".join(rng.choices(alphabet, k=size))
            references = [[changed(rng, text, alphabet), text], [text], [text], ["a"], [text], [text]]
            assert_both([text, text[:5000], "", "a cat", text, text[::-1]], references, 8, [0, 3])

    def test_long_texts_of_very_many_orders(self):
        """Only what both texts have is looked at further; one side ends where the other goes on."""
        many = "".join(map(chr, range(0x4E00, 0x5200)))
        text = "".join(random.Random(1).choices(many, k=1000))
        for other in (text, text[3:], text[:-3], text[500:600] + text, text[::-1]):
            assert_both([text], [[other]], 40, [0])
            assert_both([other], [[text]], 40, [0])

    def test_more_different_words_than_keys_have_bits_for(self):
        n = 1_050_000
        words = [*map(str, range(n))]
        text, other = " ".join(words), " ".join(words[1000:] + words[:1000])
        row = count(_engine, [text], [[other]], 1, [2])[0]
        assert row[-6:].tolist() == [n, n, n, n - 1, n - 1, n - 2]

    @settings(max_examples=300)
    @given(
        st.lists(st.tuples(any_texts, st.lists(any_texts, max_size=3)), max_size=4),
        st.integers(1, 8), st.lists(st.integers(0, 10), min_size=1, max_size=3), st.booleans(),
        st.sampled_from([0, 0.5, 1, 2, 3]), st.booleans(),
    )  # fmt: skip
    def test_any_texts(self, items, char_order, word_orders, whitespace, beta, eps):
        options = char_order, word_orders, whitespace, beta, eps
        assert_both([text for text, _ in items], [references for _, references in items], *options)

    @settings(max_examples=300)
    @given(
        st.lists(st.lists(st.integers(0, 40), min_size=12, max_size=12), max_size=5), st.integers(1, 3),
        st.sampled_from([0, 0.5, 0.3, 2, 1000]), st.booleans(), st.sampled_from([1, 100]),
    )  # fmt: skip
    def test_any_counts(self, rows, n_orders, beta, eps, scale):
        counts = np.array(rows, np.float64).reshape(-1, 12)
        first, second = (each.f_scores(counts, 2, n_orders, beta, eps, scale) for each in (_engine, plain))
        assert first.tolist() == second.tolist()


class TestF:
    @settings(max_examples=200)
    @given(
        st.lists(st.tuples(*[st.integers(0, 30)] * 3).map(sorted), min_size=1, max_size=8),
        st.sampled_from([1, 2, 3]), st.booleans(),
    )  # fmt: skip
    def test_is_sacrebleus_to_the_last_digit(self, engine, counts, beta, eps):
        order = len(counts)
        triples = [number for matched, predicted, referenced in counts for number in (predicted, referenced, matched)]
        expected = CHRF(char_order=order, word_order=0, beta=beta, eps_smoothing=eps)._compute_f_score(triples)
        for rows in ([], [expected]):
            counted = np.array([triples] * len(rows), np.float64).reshape(-1, len(triples))
            assert engine.f_scores(counted, 0, order, beta, eps, 100).tolist() == rows


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
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, 0.3)  # seconds of the processor, as a busy machine has fewer of them
    start = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            count(_engine, [long], [[long[1:]]], 20)
        assert time.process_time() - start < 3
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert count(_engine, ["ab"], [["ab"]])[0, 4:7].tolist() == [2, 2, 2]

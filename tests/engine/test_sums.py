"""Sums of draws and of pairs of points: against plain definitions, and the same in both engines."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from tercet.engine import _engine, plain
from texts import any_texts

#: Lengths about those that are read, drawn or added at a time.
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 255, 256, 257, 512, 513]
STEP, ALL = 0x9E3779B97F4A7C15, (1 << 64) - 1
HALVES = np.arange(1 << 16) >> 15  # drawn once where the highest of the 16 bits is 1


def of_texts(texts):
    """Return the bytes of texts, and where each begins."""
    written = [text if isinstance(text, bytes) else text.encode() for text in texts]
    return np.frombuffer(b"".join(written), np.uint8), np.cumsum([0, *map(len, written)], dtype=np.int64)


def some_keys(n, seed=0):
    return np.random.default_rng(seed).integers(0, 2**64, n, np.uint64, endpoint=False)


class TestHashes:
    def test_of_words_written_out(self, engine):
        """Of one word, by the steps of splitmix64: its generator mixes what a step of its own was added to."""

        def mixed(state):
            state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & ALL
            state = (state ^ (state >> 27)) * 0x94D049BB133111EB & ALL
            return state ^ (state >> 31)

        assert mixed(1234567 + STEP) == 6457827717110365317  # the first number of the published generator
        data, offsets = of_texts([b"abc", b"abcdefgh", b""])
        words = [(0x616263, 3), (0x6162636465666768, 8)]
        expected = [mixed((mixed(7 + size * STEP & ALL) ^ word) + STEP & ALL) for word, size in words]
        found = engine.hash_texts(data, offsets, np.full(3, 7, np.uint64))
        assert found.tolist() == [*expected, mixed(7)]
        assert found.dtype == np.uint64

    @given(st.lists(st.one_of(st.binary(max_size=70), any_texts), max_size=6), st.integers(0, ALL))
    def test_are_the_same_in_both(self, texts, key):
        keys = np.full(len(texts), key, np.uint64)
        found = [each.hash_texts(*of_texts(texts), keys).tolist() for each in (_engine, plain)]
        assert found[0] == found[1]
        assert keys.tolist() == [key] * len(texts)  # left as they were

    def test_depend_on_every_byte_on_the_length_and_on_the_key(self, engine):
        text = bytes(range(20))
        texts = [text, text + b"\0", *(text[:at] + b"\xff" + text[at + 1 :] for at in range(20))]
        found = engine.hash_texts(*of_texts([*texts, text]), np.append(np.zeros(22, np.uint64), np.uint64(1)))
        assert len(set(found.tolist())) == 23

    def test_of_a_text_are_the_same_wherever_it_stands(self, engine):
        for size in SIZES:
            text = np.random.default_rng(size).bytes(size)
            found = engine.hash_texts(*of_texts([b"x", text, b"", b"abc", text]), np.zeros(5, np.uint64))
            alone = engine.hash_texts(*of_texts([text]), np.zeros(1, np.uint64))
            assert found[1] == found[4] == alone[0]


class TestDraws:
    def test_are_counted_as_bincount_does_however_they_are_cut(self, engine):
        for n, at_a_time in product((1, 2, 11, 300), (1, 7, 64, 5000)):
            draws = np.random.default_rng(n).integers(0, n, (5, n), np.int32)
            counts = np.zeros(5 * n, np.uint16)
            assert engine.add_draws(draws.ravel()[:0], 0, n, counts) is None
            for start in range(0, draws.size, at_a_time):
                engine.add_draws(draws.ravel()[start : start + at_a_time], start, n, counts)
            assert counts.reshape(5, n).tolist() == [np.bincount(each, minlength=n).tolist() for each in draws]


class TestPoissonSums:
    @pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 255, 256, 257])
    def test_are_those_of_weights_written_out(self, engine, n):
        keys, digits = some_keys(n), np.random.default_rng(n).integers(-(10**9), 10**9, (3, n)).astype(float)
        for n_resamples in (1, 3, 4, 5, 256, 257, 600):
            weights = np.zeros((n, n_resamples))
            for item, key in enumerate(keys.tolist()):
                # four resamples from the hash of as many steps, which is that of an empty text
                places = np.arange(1, n_resamples // 4 + 2)
                steps = np.array([(key + int(each) * STEP) & ALL for each in places], np.uint64)
                bits = plain.hash_texts(np.zeros(0, np.uint8), np.zeros(len(steps) + 1, np.int64), steps)
                draws = np.array([[int(each) >> shift & 0xFFFF for shift in (0, 16, 32, 48)] for each in bits])
                weights[item] = HALVES[draws.ravel()[:n_resamples]] * 3
            found = engine.poisson_sums(digits, keys, (HALVES * 3).astype(np.uint8), n_resamples)
            assert found.shape == (3, n_resamples)
            assert np.array_equal(found, digits @ weights)

    def test_stay_whole_up_to_the_largest_and_are_empty_of_no_columns_or_resamples(self, engine):
        """Of 2**19 digits of 10**9 - 1, drawn 8 times each: below 2**53."""
        n, weight_of = 1 << 13, np.full(1 << 16, 8, np.uint8)
        found = engine.poisson_sums(np.full((1, n), 1e9 - 1), some_keys(n), weight_of, 3)
        assert found.tolist() == [[n * 8 * (1e9 - 1)] * 3]
        assert engine.poisson_sums(np.zeros((0, 2)), some_keys(2), weight_of, 5).shape == (0, 5)
        assert engine.poisson_sums(np.ones((2, 2)), some_keys(2), weight_of, 0).shape == (2, 0)


def sums_of_points(engine, x, y, weights):
    """Return the sums of points in any order."""
    order = np.argsort(x, kind="stable")
    _, starts = np.unique(x[order], return_index=True)
    values, ranks = np.unique(y[order], return_inverse=True)
    return engine.order_sums(
        np.append(starts, len(x)), ranks + 1, len(values), np.ascontiguousarray(weights[:, order])
    )


class TestOrderSums:
    @given(
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3), st.integers(0, 9)), max_size=30)
    )
    def test_are_those_of_all_pairs(self, points):
        x, y, *weights = np.array(points, np.int64).reshape(-1, 4).T
        order = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
        expected = [(np.outer(each, each) * order).sum() / 2 for each in weights]
        for engine in (_engine, plain):
            assert sums_of_points(engine, x, y, np.array(weights, np.float64)).tolist() == expected

    def test_give_kendall_s_tau(self, engine):
        for n in (2, 63, 64, 65, 512, 513):
            x, y = np.random.default_rng(n).random((2, n))
            (found,) = sums_of_points(engine, x, y, np.ones((1, n))) / (n * (n - 1) / 2)
            assert found == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)

    def test_of_nothing_are_zeros(self, engine):
        assert engine.order_sums(np.zeros(1, np.int64), np.zeros(0, np.int64), 0, np.zeros((2, 0))).tolist() == [0, 0]
        assert engine.order_sums(np.array([0, 1]), np.array([1]), 1, np.zeros((0, 1))).shape == (0,)


def test_many_threads_at_once_get_what_one_gets(engine):
    def call(seed):
        rng = np.random.default_rng(seed)
        counts, keys = np.zeros(900, np.uint16), some_keys(50, seed)
        engine.add_draws(rng.integers(0, 300, 900, np.int32), 0, 300, counts)
        digits = rng.integers(0, 9, (2, 50)).astype(float)
        found = [
            counts,
            engine.hash_texts(*of_texts([rng.bytes(each) for each in range(50)]), keys),
            engine.poisson_sums(digits, keys, HALVES.astype(np.uint8), 300),
            sums_of_points(engine, *rng.integers(0, 9, (2, 50)), rng.integers(0, 3, (4, 50)).astype(float)),
        ]
        return [each.tolist() for each in found]

    seeds = [*range(8)] * 4
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(call, seeds)) == list(map(call, seeds))


@given(st.integers(0, 200), st.integers(1, 9), st.integers(0, 2**32))
def test_rows_are_added_one_after_the_other(engine, n, k, seed):
    rows = np.random.default_rng(seed).normal(size=(n, k)) * 1e3
    total = np.zeros(k)
    for row in rows:
        total += row
    assert engine.sum_rows(rows).tolist() == total.tolist()
    if n:
        assert engine.span_of_column(rows, k - 1) == (min(rows[:, k - 1]), max(rows[:, k - 1]))


@pytest.mark.parametrize("n", [8191, 8192, 100_003])
def test_many_rows_are_added_alike(n):
    rows = np.random.default_rng(n).normal(size=(n, 5))
    assert _engine.sum_rows(rows).tolist() == plain.sum_rows(rows).tolist()


def test_draws_of_no_segments_are_refused(engine):
    for n in (0, -1):
        with pytest.raises(ValueError, match="one segment or more"):
            engine.add_draws(np.zeros(3, np.int32), 0, n, np.zeros(3, np.uint16))


def test_rows_of_other_numbers_are_refused():
    for rows in (np.zeros((2, 2), np.float32), np.zeros((2, 2, 2)), np.zeros(2, np.int64)):
        with pytest.raises(ValueError, match="float64"):
            _engine.sum_rows(rows)
    with pytest.raises(ValueError, match="contiguous"):
        _engine.sum_rows(np.zeros((4, 4)).T[1:])
    with pytest.raises(ValueError, match="no such column"):
        _engine.span_of_column(np.zeros((1, 2)), 2)

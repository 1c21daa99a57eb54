"""Draws of the Poisson bootstrap: a function of seed, item and resample alone, and distributed as they must be."""

from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.corpus.reading import read_batch
from tercet.statistics import poisson
from tercet.statistics.exact_sums import ExactSums
from tercet.statistics.poisson import PoissonBootstrap, keys_of_ids, keys_of_texts
from texts import LATIN, all_pairs, any_texts, awkward_corpus


def numbered(n, first=0):
    """Return the keys of n items that are called by their numbers."""
    return keys_of_ids(pa.array(range(first, first + n)))


def key(prediction, *references):
    return int(keys_of_texts(read_batch([prediction], [list(references)]))[0])


def weights_of(bootstrap, keys):
    """Return how often items are drawn, shape (n, n_resamples): sums of a column for each item, some at a time."""
    parts = [keys[start : start + 100] for start in range(0, len(keys), 100)]
    return np.concatenate([bootstrap.sums(np.eye(len(part)), part).floats().T for part in parts])


@pytest.fixture(scope="module")
def weights():
    """Of 2,000 items in 500 resamples."""
    return weights_of(PoissonBootstrap(500, seed=12345), numbered(2000))


class TestWeights:
    def test_are_for_ever_those_of_the_seed_and_the_id(self, engine, monkeypatch):
        """Sums of parts that were saved add up with those of today only where both draw alike."""
        monkeypatch.setattr(poisson, "engine", engine)
        found = weights_of(PoissonBootstrap(8, seed=1), keys_of_ids(pa.array(["a", "b"])))
        assert found.tolist() == [[0, 1, 1, 0, 0, 3, 0, 0], [0, 0, 1, 1, 3, 0, 1, 0]]

    def test_mean_1_exactly_and_are_8_at_most(self):
        counts = poisson._counts_of_draws()
        assert (counts.sum(), counts.max()) == (len(counts), 8)
        expected = 65_536 * scipy.stats.poisson(1).pmf(np.arange(9))
        assert np.abs(np.bincount(counts) - expected).max() < 1.5

    """Bounds are of five standard deviations of what is measured."""

    def test_follow_the_poisson_distribution_in_every_resample_and_for_every_item(self, weights):
        assert weights.shape == (2000, 500)
        assert set(np.unique(weights)) <= set(range(9))
        counts = np.bincount(weights.astype(int).ravel(), minlength=9)
        counts = np.append(counts[:6], counts[6:].sum())
        shares = scipy.stats.poisson(1).pmf(np.arange(6))
        expected = weights.size * np.append(shares, 1 - shares.sum())
        assert scipy.stats.chisquare(counts, expected).pvalue > 1e-4
        assert np.abs(weights.mean(axis=0) - 1).max() < 5 / np.sqrt(2000)
        assert np.abs(weights.mean(axis=1) - 1).max() < 5 / np.sqrt(500)

    def test_of_neighbours_and_of_other_seeds_are_independent(self, weights):
        """Four resamples come from one word of a hash, and ids of neighbours differ in a digit."""
        pairs = [(weights[lag:], weights[:-lag]) for lag in (1, 2, 3, 4, 8)]
        pairs += [(weights[:, lag:], weights[:, :-lag]) for lag in (1, 2, 3, 4, 8)]
        seeds = (0, 1, 12344, 12346, 2**63 - 1)
        pairs += [(weights, weights_of(PoissonBootstrap(500, seed=other), numbered(2000))) for other in seeds]
        for one, other in pairs:
            assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / np.sqrt(one.size)
        assert len({row.tobytes() for row in weights}) == 2000  # nor are they shifted copies
        assert len({column.tobytes() for column in weights.T}) == 500

    @given(st.randoms(use_true_random=False))
    def test_do_not_depend_on_the_order_or_on_how_many_resamples_there_are(self, weights, rng):
        order = rng.sample(range(2000), 300)
        found = weights_of(PoissonBootstrap(30, seed=12345), numbered(2000)[order])
        assert np.array_equal(found, weights[order][:, :30])

    @pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 101, 1000])
    def test_weigh_rows_in_parts_as_at_once(self, n):
        rows = np.random.default_rng(0).random((n, 3))
        bootstrap, keys = PoissonBootstrap(9, seed=4), numbered(n)
        at_once = ExactSums.zeros(9, 3)
        if n:
            at_once = ExactSums.weighted(rows, lambda digits: digits @ weights_of(bootstrap, keys), 9)
        assert bootstrap.sums(rows, keys) == at_once
        assert bootstrap.sums(rows[:100], keys[:100]) + bootstrap.sums(rows[100:], keys[100:]) == at_once


class TestKeysOfIds:
    def test_do_not_depend_on_the_type_or_the_slice(self):
        texts, ids = pa.array(["3", "14", "15"]), pa.array(["a", "кот", "", "猫猫猫猫猫"])
        for kind in (pa.large_string(), pa.string_view(), pa.int8(), pa.int64(), pa.uint16()):
            assert np.array_equal(keys_of_ids(texts.cast(kind)), keys_of_ids(texts))
        assert np.array_equal(keys_of_ids(pa.array([7, -12, 0])), keys_of_ids(pa.array(["7", "-12", "0"])))
        for kind in (pa.string(), pa.large_string(), pa.string_view()):
            assert np.array_equal(keys_of_ids(ids.cast(kind).slice(1, 2)), keys_of_ids(ids)[1:3])

    def test_differ_where_ids_do_and_look_like_random_bits(self):
        ids = [f"{first}{n}{end}" for first in ("", "doc-", "0") for n in range(20_000) for end in ("", "\0")]
        assert len(set(keys_of_ids(pa.array(ids)).tolist())) == len(set(ids))
        bits = np.unpackbits(numbered(10_000).view(np.uint8)).reshape(10_000, 64)
        assert np.abs(bits.mean(axis=0) - 0.5).max() < 5 * 0.5 / 100


class TestKeysOfTexts:
    @given(st.lists(any_texts, min_size=2, max_size=4, unique=True))
    def test_differ_where_texts_change_places(self, texts):
        keys = {key(*order) for order in permutations(texts)}
        assert len(keys) == len(list(permutations(texts)))

    def test_of_texts_that_are_alike_differ(self):
        cases = [
            (("a cat", "a dog"), ("a dog", "a cat")), (("a", "b", "c"), ("a", "c", "b")),
            (("a", "b"), ("a", "b", "b")), (("a", "b"), ("a", "b", "")), (("a",), ("a", "")), (("", "a"), ("a", "")),
            (("ab", "c"), ("a", "bc")), (("a", "a"), ("b", "b")), (("a", "a", "b"), ("b", "a", "a")),
            (("a\0", "b"), ("a", "b")), (("кот", "кит"), ("кит", "кот")),
        ]  # fmt: skip
        for one, other in cases:
            assert key(*one) != key(*other)

    @given(st.integers(0, 1000), st.data())
    def test_are_those_of_the_item_wherever_it_stands_and_however_it_is_held(self, seed, data):
        predictions, references = awkward_corpus(seed)
        batch = read_batch(predictions, references)
        whole, item = keys_of_texts(batch), data.draw(st.integers(0, len(predictions) - 1))
        assert whole[item] == key(predictions[item], *references[item])
        assert keys_of_texts(batch.part(item, item + 3)).tolist() == whole[item : item + 3].tolist()
        assert np.array_equal(keys_of_texts(read_batch(pa.array(predictions), pa.array(references))), whole)


# ------------------------------------------------------------------------------------------------ intervals


def corpus(n, seed):
    """Return n different items, of pairs that are more or less near."""
    rng = np.random.default_rng(seed)
    predictions, references = all_pairs(LATIN)
    chosen = rng.integers(len(predictions), size=n)
    tails = [" ".join(rng.choice(["the", "sea", "was", "calm", "aujourd'hui", "mañana"], 6)) for _ in range(2 * n)]
    own = [f"{predictions[each]} {tails[2 * i]} {i}" for i, each in enumerate(chosen)]
    return own, [[f"{text} {tails[2 * i + 1]} {i}" for text in references[each]] for i, each in enumerate(chosen)]


@pytest.mark.parametrize(("metric", "options"), [
    ("bleu_multi", {}), ("rouge_nlws", {"tokenizer": "rouge", "rouge_types": ["rouge1", "rouge2", "rougeL"]}),
    ("jaccard_sets", {}), ("bleu_rouge_f", {}),
])  # fmt: skip
def test_intervals_are_those_of_draws_with_replacement(metric, options):
    """A quantile of B draws is off by sqrt(p (1 - p) / B) / density: for 2.5 % of a normal one by 2.7 s / sqrt(B).

    Two that are independent differ by 1.41 times that. Bounds are of four such differences, plus what 300 items are
    short of the limit in which both bootstraps are one.
    """
    texts, b = corpus(300, seed=5), 2000
    asked = {**options, "confidence_level": 0.95, "n_resamples": b}
    stream = tercet.Stream(metric, **asked)
    stream.add(*texts)
    ours, theirs = stream.result(), tercet.score(metric, *texts, **asked)
    assert ours.intervals.keys() == theirs.intervals.keys()
    for name, (low, high) in theirs.intervals.items():
        deviation = (high - low) / (2 * 1.96)
        allowed = (4 * 1.41 * 2.7 / np.sqrt(b) + 0.1) * deviation
        assert ours.intervals[name] == pytest.approx([low, high], abs=allowed)


@pytest.mark.parametrize("shape", ["even", "skew"])
def test_intervals_hold_the_true_mean_as_often_as_they_say(shape):
    """Of 500 samples of 150 items; a share of 0.95 of so many is off by 0.01."""
    rng, covered = np.random.default_rng(3), 0
    for sample in range(500):
        values = rng.random(150) if shape == "even" else rng.random(150) ** 3
        rows = np.column_stack([np.ones(150), values])
        sums = PoissonBootstrap(400, seed=sample).sums(rows, numbered(150)).floats()
        low, high = np.quantile(sums[:, 1] / sums[:, 0], [0.025, 0.975])
        covered += low <= (0.5 if shape == "even" else 0.25) <= high
    assert covered / 500 == pytest.approx(0.94, abs=0.03)

"""Kernels equal the plain definitions of `oracles`, for short and long texts, in any company, from any thread."""

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, chain, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from tercet.columns.ragged import Ragged, TokenBatch
from tercet.counting.lcs import union_lcs_hits
from tercet.counting.ngrams import clipped_matches
from tercet.counting.pairs import pair_matches
from tercet.counting.skipgrams import skip_bigram_matches, skip_bigram_total
from tercet.counting.weighted import weighted_lcs_hits

# In this file a document is a list of lines, a line a list of token ids, and a group a text and its references.


def flat(document):
    return list(chain.from_iterable(document))


def starts(lengths):
    return np.array([0, *accumulate(lengths)], np.int64)


def batch_of(groups):
    documents = [text for text, _ in groups] + [each for _, references in groups for each in references]
    lines = [[line for line in document if line] for document in documents]
    ids = np.array(flat(map(flat, lines)), np.int32)
    return TokenBatch(
        Ragged(ids, starts([len(flat(document)) for document in documents])),
        Ragged(starts(map(len, flat(lines))), starts(map(len, lines))),
        starts([len(references) for _, references in groups]),
        int(ids.max(initial=-1)) + 1,
    )


class Clipped:
    """Matches of a text with all its references, one row a group."""

    def __init__(self, order):
        self.order = order

    def fast(self, batch):
        first_reference = batch.n_items + batch.reference_offsets
        texts = np.arange(batch.n_items)
        return clipped_matches(batch.tokens, texts, first_reference, self.order, batch.n_types).tolist()

    def slow(self, text, references):
        references = list(map(flat, references))
        return [oracles.clipped_matches(flat(text), references, n) for n in range(1, self.order + 1)]


class Pairwise:
    """A figure for each pair of a text and one of its references, one row a group."""

    def __init__(self, kernel, oracle, *options, by_line=False):
        self.kernel, self.oracle, self.options, self.by_line = kernel, oracle, options, by_line

    def fast(self, batch):
        tokens = [batch.tokens, batch.lines] if self.by_line else [batch.tokens]
        references = batch.n_items + np.arange(len(batch.owners))
        figures = self.kernel(*tokens, batch.owners, references, *self.options, batch.n_types)
        return [row.tolist() for row in np.split(figures, batch.reference_offsets[1:-1])]

    def slow(self, text, references):
        kept = list if self.by_line else flat
        return [self.oracle(kept(text), kept(reference), *self.options) for reference in references]


def lcs_lengths(tokens, texts, references, n_types):
    return pair_matches(tokens, texts, references, n_types, with_lcs=True).common


def weighted(weight):
    worth = np.array([float(k) ** weight for k in range(400)])
    return Pairwise(weighted_lcs_hits, oracles.weighted_lcs_hits, worth, by_line=True)


MEASURES = {
    "clipped-1": Clipped(1),
    "clipped-4": Clipped(4),
    "lcs": Pairwise(lcs_lengths, oracles.lcs_length),
    "union-lcs": Pairwise(union_lcs_hits, oracles.union_lcs_hits, by_line=True),
    "weighted-lcs-1": weighted(1.0),
    "weighted-lcs-1.2": weighted(1.2),
    "weighted-lcs-2": weighted(2.0),
    "skip-any": Pairwise(skip_bigram_matches, oracles.skip_bigram_matches, -1),
    "skip-0": Pairwise(skip_bigram_matches, oracles.skip_bigram_matches, 0),
    "skip-4": Pairwise(skip_bigram_matches, oracles.skip_bigram_matches, 4),
}
every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


def assert_right(measure, groups):
    for fast, slow in zip(measure.fast(batch_of(groups)), (measure.slow(*group) for group in groups), strict=True):
        assert fast == pytest.approx(slow, rel=1e-12, abs=0)  # for counts that is: equal


def random_document(rng, size, n_types, lines=1):
    cuts = [0, *sorted(rng.randrange(size + 1) for _ in range(lines - 1)), size]
    ids = [rng.randrange(n_types) for _ in range(size)]
    return [ids[start:stop] for start, stop in pairwise(cuts)]


def random_groups(seed, sizes, n_types, lines=1):
    """Return a group for each (size of the text, sizes of the references)."""
    rng = random.Random(seed)
    return [
        (
            random_document(rng, size, n_types, lines),
            [random_document(rng, each, n_types, lines) for each in reference_sizes],
        )
        for size, reference_sizes in sizes
    ]


def mixed_groups(seed):
    sizes = [(5, [5]), (210, [90, 3]), (0, [4]), (7, [7, 8, 0]), (70, [70]), (3, [230, 1]), (9, [9]), (64, [64, 65])]
    return random_groups(seed, sizes * 3, n_types=(2, 6, 90)[seed % 3], lines=3)


def test_skip_bigrams_of_a_very_long_text_and_a_short_one_are_counted_in_time():
    n = 131_072
    ids = np.concatenate([np.zeros(n, np.int32), np.ones(n, np.int32), np.array([0, 1], np.int32)])
    documents, pair = Ragged(ids, np.array([0, 2 * n, 2 * n + 2])), (np.array([1]), np.array([0]))
    for gap in (-1, 10**6):  # 2**34 pairs of (0, 1) in the long one
        assert skip_bigram_matches(documents, *pair, gap, 2).tolist() == [1]
    assert skip_bigram_matches(documents, pair[1], pair[0], -1, 2).tolist() == [1]


few_types = st.integers(0, 3)
short_documents = st.lists(st.lists(few_types, min_size=1, max_size=8), max_size=3)
short_groups = st.lists(st.tuples(short_documents, st.lists(short_documents, min_size=1, max_size=3)), min_size=1)


@every_measure
@settings(deadline=None, max_examples=80)
@given(groups=short_groups)
def test_short_texts(measure, groups):
    assert_right(measure, groups)


@every_measure
@pytest.mark.parametrize("n_types", [2, 12, 90])
@pytest.mark.parametrize(
    ("text", "references"),
    [
        pytest.param(63, [64], id="one word of bits"),
        pytest.param(65, [65], id="two words of bits"),
        pytest.param(128, [129], id="border of the next word"),
        pytest.param(30, [90], id="reference above 64"),
        pytest.param(90, [30], id="text above 64"),
        pytest.param(90, [110], id="both above 64"),
        pytest.param(20, [220], id="reference above 200"),
        pytest.param(220, [20], id="text above 200"),
        pytest.param(520, [20], id="text above 512"),
        pytest.param(40, [515], id="reference above 512"),
        pytest.param(215, [230], id="both above 200"),
        pytest.param(50, [10, 80, 40], id="references short and long"),
    ],
)
def test_long_texts(measure, text, references, n_types):
    groups = random_groups(text, [(text, references)], n_types) + random_groups(1, [(text, references)], n_types, 4)
    assert_right(measure, groups)


@every_measure
def test_a_text_against_itself_and_reversed(measure):
    document = random_document(random.Random(7), 150, 40)
    assert_right(measure, [(document, [document, document[::-1]])])


@every_measure
def test_carries_pass_words_of_bits_without_matches(measure):
    assert_right(measure, [([[0, 5]], [[[0, *range(1, 150), 0]]])])


@every_measure
@pytest.mark.parametrize(
    "group",
    [([], [[]]), ([], [[[0, 1]]]), ([[0, 1]], [[]]), ([[0] * 70], [[], []]), ([], [[[0] * 70], []])],
    ids=["both", "text", "reference", "references of a long text", "text of a long reference"],
)
def test_empty_documents(measure, group):
    assert_right(measure, [group])
    assert_right(measure, [group, ([[0, 1, 0]], [[[1, 0, 1]]]), group])


@every_measure
def test_no_groups(measure):
    assert np.size(measure.fast(batch_of([]))) == 0


def test_a_text_without_references_matches_nothing():
    assert Clipped(2).fast(batch_of([([[0, 1]], []), ([[0, 1]], [[[0, 1]]])])) == [[0, 0], [2, 1]]


@every_measure
@pytest.mark.parametrize("seed", range(3))
def test_groups_leave_nothing_behind_for_the_next(measure, seed):
    groups = mixed_groups(seed)
    assert_right(measure, groups)
    together = measure.fast(batch_of(groups))
    assert together == [measure.fast(batch_of([group]))[0] for group in groups]
    assert together[::-1] == measure.fast(batch_of(groups[::-1]))


@every_measure
def test_two_threads_get_what_one_gets(measure):
    batches = [batch_of(mixed_groups(seed) * 4) for seed in (11, 12)] * 8
    alone = [measure.fast(batch) for batch in batches]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(measure.fast, batches)) == alone


@pytest.mark.parametrize("gap", [-1, 0, 1, 4, 1000])
def test_skip_bigram_total(gap):
    lengths = [0, 1, 2, 3, 5, 6, 7, 40]
    totals = skip_bigram_total(np.array(lengths), gap).tolist()
    assert totals == [oracles.skip_bigram_total(length, gap) for length in lengths]


def test_the_example_of_papineni_2002():
    the, cat, is_, on, mat, there, a = range(7)
    group = ([[the] * 7], [[[the, cat, is_, on, the, mat]], [[there, is_, a, cat, on, the, mat]]])
    assert Clipped(1).fast(batch_of([group])) == [[2]]


def test_the_examples_of_lin_2004():
    # section 3.2: of the reference line w1 ... w5 the two lines of the text hit w1, w2, w3 and w5
    group = ([[1, 2, 6, 7, 8], [1, 3, 8, 9, 5]], [[[1, 2, 3, 4, 5]]])
    assert MEASURES["union-lcs"].fast(batch_of([group])) == [[4]]
    # section 5: what "police killed the gunman" shares with its three variants
    police, killed, the, gunman, kill = range(5)
    texts = [[[police, kill, the, gunman]], [[the, gunman, kill, police]], [[the, gunman, police, killed]]]
    groups = [(text, [[[police, killed, the, gunman]]]) for text in texts]
    assert MEASURES["skip-any"].fast(batch_of(groups)) == [[3], [1], [2]]


def test_weighted_runs_are_those_of_the_reference():
    in_a_row, apart = [[1, 2, 3, 4, 5, 6, 7]], [[1, 8, 2, 9, 3, 10, 4]]
    squares = MEASURES["weighted-lcs-2"]
    assert squares.fast(batch_of([(apart, [in_a_row]), (in_a_row, [apart])])) == [[4.0**2], [4 * 1.0]]

"""Counts of token ids equal the plain definitions of `oracles`, in both engines, in any company, from any thread."""

import _thread
import random
import signal
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import accumulate, chain, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from tercet.engine import _engine, plain
from tercet.engine.counting import skip_bigram_total
from tercet.engine.ragged import Ragged, TokenBatch

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

    def fast(self, engine, batch):
        edges, texts = batch.n_items + batch.reference_offsets, np.arange(batch.n_items)
        ids, offsets = batch.tokens.values, batch.tokens.offsets
        return engine.clipped_matches(ids, offsets, texts, edges[:-1], edges[1:], batch.n_types, self.order).tolist()

    def slow(self, text, references):
        references = list(map(flat, references))
        return [oracles.clipped_matches(flat(text), references, n) for n in range(1, self.order + 1)]


class Pairwise:
    """A figure for each pair of a text and one of its references, one row a group."""

    def __init__(self, count, oracle, *options, by_line=False):
        self.count, self.oracle, self.options, self.by_line = count, oracle, options, by_line

    def fast(self, engine, batch):
        pairs, tokens = batch.pairs, (batch.tokens.values, batch.tokens.offsets)
        if self.by_line:
            lines, options = (batch.lines.values, batch.lines.offsets), map(np.array, self.options)
            figures = self.count(engine, *tokens, *lines, *pairs, batch.n_types, *tokens, *options)
        else:
            figures = self.count(engine, *tokens, *pairs, batch.n_types, *self.options)
        return [row.tolist() for row in np.split(figures, batch.reference_offsets[1:-1])]

    def slow(self, text, references):
        kept = list if self.by_line else flat
        return [self.oracle(kept(text), kept(reference), *self.options) for reference in references]


def matches(engine, *arguments):
    """Orders up to 6, as chrF; with a border between two ways of counting that the lengths in this file cross."""
    return engine.pair_matches(*arguments, 6, False, 192)[0]


def lcs_lengths(engine, *arguments):
    return engine.pair_matches(*arguments, 0, True, 512)[1]


def skip_bigrams(gap):
    def fast(engine, *arguments):
        return engine.skip_bigram_matches(*arguments)

    return Pairwise(fast, oracles.skip_bigram_matches, gap)


def weighted(weight):
    def fast(engine, *arguments):
        return engine.weighted_lcs_hits(*arguments)

    worth = [float(k) ** weight for k in range(600)]
    return Pairwise(fast, oracles.weighted_lcs_hits, worth, by_line=True)


def overlap(multiset):
    def slow(text, reference):
        one, other = oracles.ngrams(text, 1), oracles.ngrams(reference, 1)
        return [sum(each.values()) if multiset else len(each) for each in (one & other, one | other)]

    def fast(engine, *arguments):
        return np.stack(engine.overlaps(*arguments, multiset), axis=1)

    return Pairwise(fast, slow)


def orders(text, reference):
    return [oracles.clipped_matches(text, [reference], n) for n in range(1, 7)]


def union_hits(engine, *arguments):
    return engine.union_lcs_hits(*arguments)


MEASURES = {
    **{f"clipped-{order}": Clipped(order) for order in (1, 4, 70)},
    "matches": Pairwise(matches, orders),
    "lcs": Pairwise(lcs_lengths, oracles.lcs_length),
    "union-lcs": Pairwise(union_hits, oracles.union_lcs_hits, by_line=True),
    **{f"weighted-lcs-{weight}": weighted(weight) for weight in (1, 1.2, 2)},
    **{f"skip-{gap}": skip_bigrams(gap) for gap in (-1, 0, 4, 210)},
    "set": overlap(False),
    "multiset": overlap(True),
}
every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


def assert_right(engine, measure, groups):
    fast = measure.fast(engine, batch_of(groups))
    slow = [measure.slow(*group) for group in groups]
    assert len(fast) == len(slow)
    for row, wanted in zip(fast, slow, strict=True):
        assert np.array(row) == pytest.approx(np.array(wanted), rel=1e-12, abs=0)  # for counts that is: equal


def random_groups(seed, sizes, n_types, lines):
    """Return a group for each (size of the text, sizes of the references), whose documents have so many lines."""
    rng = random.Random(seed)

    def document(size):
        cuts = [0, *sorted(rng.randrange(size + 1) for _ in range(lines - 1)), size]
        ids = [rng.randrange(n_types) for _ in range(size)]
        return [ids[start:stop] for start, stop in pairwise(cuts)]

    return [(document(size), [document(each) for each in references]) for size, references in sizes]


def mixed_groups(seed):
    sizes = [(5, [5]), (210, [90, 3]), (0, [4]), (7, [7, 8, 0]), (70, [70]), (3, [230, 1]), (9, [9]), (64, [64, 65])]
    return random_groups(seed, sizes * 3, n_types=(2, 6, 90)[seed % 3], lines=3)


#: Sizes about words of 64 bits, and about those above which another way of counting is taken: 64, 200 and 512.
LENGTHS = [
    *[(63, [64]), (65, [65]), (128, [129]), (30, [90]), (90, [30]), (90, [110]), (20, [220]), (220, [20])],
    *[(520, [20]), (40, [515]), (215, [230]), (50, [10, 80, 40])],
]
SHORT = [[0, 1, 0]], [[[1, 0, 1]]]
EMPTY = [([], [[]]), ([], [[[0, 1]]]), ([[0, 1]], [[]]), ([[0] * 70], [[], []]), ([], [[[0] * 70], []])]
CARRIES = [[0, 5]], [[[0, *range(1, 150), 0]]]  # they pass words of bits without matches


def test_skip_bigrams_of_a_very_long_text_and_a_short_one_are_counted_in_time():
    n = 131_072
    ids = np.concatenate([np.zeros(n, np.int32), np.ones(n, np.int32), np.array([0, 1], np.int32)])
    offsets, pair = np.array([0, 2 * n, 2 * n + 2]), (np.array([1]), np.array([0]))
    for gap in (-1, 10**6):  # 2**34 pairs of (0, 1) in the long one
        assert _engine.skip_bigram_matches(ids, offsets, *pair, 2, gap).tolist() == [1]
    assert _engine.skip_bigram_matches(ids, offsets, *pair[::-1], 2, -1).tolist() == [1]


few_types = st.integers(0, 3)
short_documents = st.lists(st.lists(few_types, min_size=1, max_size=8), max_size=3)
short_groups = st.lists(st.tuples(short_documents, st.lists(short_documents, min_size=1, max_size=3)), min_size=1)


@every_measure
@settings(max_examples=25)
@given(groups=short_groups)
def test_short_texts(engine, measure, groups):
    assert_right(engine, measure, groups)


@every_measure
@pytest.mark.parametrize("n_types", [2, 90])
def test_texts_about_the_lengths_where_the_way_of_counting_changes(engine, measure, n_types):
    for lengths in LENGTHS:
        for lines in (1, 4):
            assert_right(engine, measure, random_groups(lengths[0], [lengths], n_types, lines))


@every_measure
def test_odd_groups_alone_and_between_others(engine, measure):
    ((document, _),) = random_groups(7, [(150, [])], 40, 1)
    for group in [*EMPTY, CARRIES, (document, [document, document[::-1]])]:
        assert_right(engine, measure, [group])
        assert_right(engine, measure, [group, SHORT, group])


def test_no_groups_and_a_text_without_references_match_nothing(engine):
    for measure in MEASURES.values():
        assert np.size(measure.fast(engine, batch_of([]))) == 0
    assert Clipped(2).fast(engine, batch_of([([[0, 1]], []), ([[0, 1]], [[[0, 1]]])])) == [[0, 0], [2, 1]]


@every_measure
def test_groups_leave_nothing_behind_for_the_next(engine, measure):
    for seed in range(3):
        groups = mixed_groups(seed)
        assert_right(engine, measure, groups)
        together = measure.fast(engine, batch_of(groups))
        assert together == [measure.fast(engine, batch_of([group]))[0] for group in groups]
        assert together[::-1] == measure.fast(engine, batch_of(groups[::-1]))


def test_two_threads_get_what_one_gets():
    batches = [batch_of(mixed_groups(seed) * 4) for seed in (11, 12)] * 8
    for measure in MEASURES.values():
        fast = partial(measure.fast, _engine)
        alone = list(map(fast, batches))
        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(fast, batches)) == alone


def test_skip_bigram_total():
    lengths = [0, 1, 2, 3, 5, 6, 7, 40]
    for gap in (-1, 0, 1, 4, 1000):
        expected = [oracles.skip_bigram_total(length, gap) for length in lengths]
        assert skip_bigram_total(np.array(lengths), gap).tolist() == expected


def test_the_examples_of_papineni_2002_and_lin_2004(engine):
    the, cat, is_, on, mat, there, a = range(7)
    group = ([[the] * 7], [[[the, cat, is_, on, the, mat]], [[there, is_, a, cat, on, the, mat]]])
    assert Clipped(1).fast(engine, batch_of([group])) == [[2]]
    # Lin, section 3.2: of the reference line w1 ... w5 the two lines of the text hit w1, w2, w3 and w5
    group = ([[1, 2, 6, 7, 8], [1, 3, 8, 9, 5]], [[[1, 2, 3, 4, 5]]])
    assert MEASURES["union-lcs"].fast(engine, batch_of([group])) == [[4]]
    # section 5: what "police killed the gunman" shares with its three variants
    police, killed, the, gunman, kill = range(5)
    texts = [[[police, kill, the, gunman]], [[the, gunman, kill, police]], [[the, gunman, police, killed]]]
    groups = [(text, [[[police, killed, the, gunman]]]) for text in texts]
    assert MEASURES["skip--1"].fast(engine, batch_of(groups)) == [[3], [1], [2]]
    # weighted runs are those of the reference
    in_a_row, apart = [[1, 2, 3, 4, 5, 6, 7]], [[1, 8, 2, 9, 3, 10, 4]]
    groups = [(apart, [in_a_row]), (in_a_row, [apart])]
    assert MEASURES["weighted-lcs-2"].fast(engine, batch_of(groups)) == [[4.0**2], [4 * 1.0]]


WAYS = [(4, True, 512), (6, False, 192), (0, True, 512)]


@pytest.mark.parametrize("border", [64, 192, 512, 1008, 4032])
def test_both_engines_agree_where_the_way_of_counting_changes(border):
    for size, n_types in product((border - 1, border, border + 1), (3, 2000)):
        rng, sizes = np.random.default_rng(size), [size, size - 1, size, 64, 5]
        batch = rng.integers(0, n_types, sum(sizes)).astype(np.int32), starts(sizes)
        pairs = np.array([0, 0, 1, 3, 2, 4]), np.array([1, 3, 0, 0, 2, 0])
        groups = np.array([0, 3, 4]), np.array([1, 0, 0]), np.array([5, 3, 1])
        found, wanted = (
            [
                *chain(*(each.pair_matches(*batch, *pairs, n_types, *how) for how in WAYS)),
                each.clipped_matches(*batch, *groups, n_types, 6),
            ]
            for each in (_engine, plain)
        )
        assert all(map(np.array_equal, found, wanted))


documents_of_ids = st.lists(st.lists(st.integers(0, 5), max_size=80), min_size=1, max_size=6)


@given(documents=documents_of_ids, order=st.integers(1, 7), data=st.data())
def test_both_engines_return_the_same_arrays(documents, order, data):
    ids, offsets, n = np.array(flat(documents), np.int32), starts(map(len, documents)), len(documents)
    some = st.lists(st.integers(0, n - 1), min_size=3, max_size=3).map(np.array)
    texts, references = data.draw(some), data.draw(some)
    drawn = [(size, data.draw(st.lists(st.integers(0, size), max_size=3))) for size in map(len, documents)]
    cuts = [sorted({0, *own} - {size}) for size, own in drawn]
    lines = np.array([*(offsets[d] + cut for d in range(n) for cut in cuts[d]), len(ids)])
    pairs = ids, offsets, texts, references, 6
    by_line = ids, offsets, lines, starts(map(len, cuts)), *pairs[2:], ids[: len(ids) // 2].copy(), offsets // 2
    calls = [
        ("pair_matches", *pairs, order - 1, True, 32),
        ("clipped_matches", *pairs[:4], np.minimum(references + order - 1, n), 6, order - 1),
        ("union_lcs_hits", *by_line), ("weighted_lcs_hits", *by_line, np.arange(100) ** 1.2),
        ("skip_bigram_matches", *pairs, order - 2), ("overlaps", *pairs, True), ("overlaps", *pairs, False),
        ("ngram_ids", ids, offsets, 6, order),
    ]  # fmt: skip
    for name, *arguments in calls:
        found, wanted = (getattr(each, name)(*arguments) for each in (_engine, plain))
        for one, other in zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]:
            assert type(one) is type(other)
            assert np.array_equal(one, other)
            assert not isinstance(one, np.ndarray) or (one.dtype, one.shape) == (other.dtype, other.shape)


@given(
    documents=st.lists(st.lists(st.integers(0, 5), max_size=80), max_size=8), order=st.integers(1, 7),
    window=st.integers(0, 90), divisors=st.booleans(), data=st.data(),
)  # fmt: skip
def test_sets_of_texts_are_counted_alike(documents, order, window, divisors, data):
    ids, offsets, n = np.array(flat(documents), np.int32), starts(map(len, documents)), len(documents)
    edges = np.array(sorted({0, n, *data.draw(st.lists(st.integers(0, n), max_size=3))}))
    options = 6, order, window, divisors, 9 + 4 * order + data.draw(st.integers(0, 4))
    found, wanted = (each.diversity_rows(ids, offsets, edges, *options) for each in (_engine, plain))
    for one, other in zip(found, wanted, strict=True):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def test_rows_of_sets_say_what_texts_share_and_repeat(engine):
    # a b a | b a | a a a, and a text alone: windows of 2 tokens
    ids, offsets = np.array([0, 1, 0, 1, 0, 0, 0, 0, 1, 1], np.int32), np.array([0, 3, 5, 8, 10])
    rows, bleu = engine.diversity_rows(ids, offsets, np.array([0, 3, 4]), 2, 2, 2, True, 18)
    assert bleu[:, 4:].tolist() == [
        # length, closest; matches, n-grams, and these at least 1
        [3, 3, 0, 0, 3, 1, 3, 2, 3, 2],
        [2, 3, 0, 0, 2, 1, 2, 1, 2, 1],
        [3, 3, 0, 0, 2, 0, 3, 2, 3, 2],
        [2, 2, 0, 0, 0, 0, 2, 1, 2, 1],
    ]
    assert rows[0].tolist() == [1, 0, 0, 0, 0, 0, 1, 1 / 2 + 2 / 6, 3, 1 / 2 + 1, 2, 1, 1, 1 / 3, 1, 0, 1, 0]
    assert rows[2].tolist() == [1, 0, 0, 0, 0, 0, 1, 3 / 6, 3, 2 / 2, 2, 1 / 2, 1, 2 / 3, 1, 1 / 2, 1, 0]
    assert rows[3].tolist() == [1, 0, 0, 0, 0, 0, 0, 2 / 2, 2, 1, 1, 1 / 2, 1, 1 / 2, 1, 0, 1, 0]


def test_ngram_ids_are_numbers_in_the_order_of_the_text(engine):
    ids, offsets = np.array([7, 1, 7, 1, 2, 7, 1, 9], np.int32), np.array([0, 4, 5, 5, 8])
    values, edges, n_types = engine.ngram_ids(ids, offsets, 10, 2)
    assert (values.tolist(), edges.tolist(), n_types) == ([0, 1, 0, 0, 2], [0, 3, 3, 3, 5], 3)
    values, edges, n_types = engine.ngram_ids(ids, offsets, 10, 3)
    assert (values.tolist(), edges.tolist(), n_types) == ([0, 1, 2], [0, 2, 2, 2, 3], 3)


def two_texts(n, n_types):
    ids = np.random.default_rng(0).integers(0, n_types, 2 * n).astype(np.int32)
    return ids, np.array([0, n, 2 * n]), np.array([0]), np.array([1]), n_types


def by_line(ids, offsets, texts, references, n_types):
    return ids, offsets, offsets, np.array([0, 1, 2]), texts, references, n_types, ids, offsets


@pytest.mark.parametrize(
    "count",
    [
        lambda: _engine.pair_matches(*two_texts(1_000_000, 500_000), 0, True, 512),
        lambda: _engine.pair_matches(*two_texts(20_000_000, 10_000_000), 9, False, 512),
        lambda: _engine.union_lcs_hits(*by_line(*two_texts(100_000, 50_000))),
        lambda: _engine.weighted_lcs_hits(*by_line(*two_texts(40_000, 8_000)), np.arange(40_002.0)),
        lambda: _engine.skip_bigram_matches(*two_texts(200_000, 50_000), -1),
        lambda: _engine.skip_bigram_matches(*two_texts(400_000, 2), 100_000),
    ],
    ids=["lcs", "n-grams", "union", "weighted", "skip", "skip-gap"],
)
def test_control_c_ends_the_count_of_one_pair_within_a_second(count):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background has none
    try:
        began = time.process_time()
        threading.Timer(0.5, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            deque(iter(count, None), maxlen=0)  # again and again, until it comes
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.process_time() - began < 5

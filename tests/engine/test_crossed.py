"""N-grams and edits of many texts against many are those of each pair alone, in both engines."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.engine import _engine, plain

documents = st.lists(st.lists(st.integers(0, 6), max_size=30), max_size=5)


def flat(rows):
    ids = np.array([each for row in rows for each in row], np.int32)
    return ids, np.cumsum([0, *map(len, rows)], dtype=np.int64)


def shared(text, reference, order):
    """Return the clipped matches, by the definition."""
    bags = [Counter(zip(*(row[i:] for i in range(order)), strict=False)) for row in (text, reference)]
    return sum(min(count, bags[1][each]) for each, count in bags[0].items())


def expected(texts, references, max_order):
    orders = range(1, max_order + 1)
    found = [[shared(text, each, order) for order in orders] for text in texts for each in references]
    return np.array(found, np.int64).reshape(len(texts) * len(references), max_order).tolist()


@given(texts=documents, references=documents, max_order=st.integers(0, 6))
def test_matches_are_those_of_each_pair(engine, texts, references, max_order):
    found = engine.crossed_matches(*flat([*texts, *references]), len(texts), max_order)
    assert found.dtype == np.int64
    assert found.tolist() == expected(texts, references, max_order)


@pytest.mark.parametrize(
    ("n_types", "length", "n_references"),
    [(2, 900, 3), (3, 40, 100), (400, 60, 70), (1, 300, 40), (30, 200, 33)],
    ids=["more than a byte holds", "in all of many", "rare", "one token", "like characters"],
)
def test_of_frequent_and_of_rare_ngrams_in_long_and_short_texts(engine, n_types, length, n_references):
    rng = random.Random(n_types)
    rows = [[rng.randrange(n_types) for _ in range(rng.randrange(length))] for _ in range(4 + n_references)]
    rows[1] = rows[4][:]
    found = engine.crossed_matches(*flat(rows), 4, 5)
    assert found.tolist() == expected(rows[:4], rows[4:], 5)


@pytest.mark.parametrize("count", [255, 256, 300])
def test_counts_around_what_a_byte_holds(engine, count):
    rows = [[0] * 400, [0] * count, [0, 1] * count, [0] * 256, [0] * 255, [0] * (2 * count), [1] * 3]
    assert engine.crossed_matches(*flat(rows), 3, 2).tolist() == expected(rows[:3], rows[3:], 2)


def test_great_ids_take_no_more_memory_and_arrays_may_be_views():
    rows = [[2**31 - 1, 7, 2**31 - 1], [7, 2**31 - 1], [2**31 - 1, 7]]
    ids, offsets = flat(rows)
    padded = np.append(np.int32(5), ids)[1:]
    assert _engine.crossed_matches(padded, offsets, 1, 2).tolist() == [[2, 1], [2, 1]]


@given(texts=documents, references=documents)
def test_edits_are_those_of_each_pair(engine, texts, references):
    ids, offsets = flat([*texts, *references])
    places = [(text, len(texts) + each) for text in range(len(texts)) for each in range(len(references))]
    own, others = np.array(places, np.int64).reshape(-1, 2).T.copy()
    words = [" ".join(f"w{each}" for each in row) for row in (*texts, *references)]
    alone = [plain.ter_rows([words[text], words[each]], 1, None)[0, 4] for text, each in places]
    assert engine.pair_edits(ids, offsets, own, others, 7).tolist() == alone


def test_edits_of_pairs_of_growing_and_shrinking_texts():
    rng = random.Random(0)
    rows = [[rng.randrange(9) for _ in range(size)] for size in (3, 80, 5, 150, 0, 40)]
    ids, offsets = flat(rows)
    own, others = (
        np.array(side, np.int64) for side in zip(*[(a, b) for a in range(6) for b in range(6)], strict=True)
    )
    texts = [" ".join(map(str, row)) for row in rows]
    expected = [_engine.ter_rows([texts[a], texts[b]], 1, None)[0, 4] for a, b in zip(own, others, strict=True)]
    assert _engine.pair_edits(ids, offsets, own, others, 9).tolist() == expected

"""Edits and shifts of words beside sacrebleu's functions: the limits of its search, and the way it takes."""

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import lib_ter

from tercet.engine import plain
from tercet.engine.plain_edits import DELETION, INSERTION, MATCH, SUBSTITUTION


def counted(engine, pairs):
    """Return what an engine counts of pairs of lists of numbers."""
    n, documents = len(pairs), [text for text, _ in pairs] + [reference for _, reference in pairs]
    ids = np.array([word for document in documents for word in document], np.int32)
    offsets = np.append(0, np.cumsum([len(document) for document in documents])).astype(np.int64)
    return engine.edits(ids, offsets, np.arange(n), np.arange(n, 2 * n), int(ids.max(initial=0)) + 1).tolist()


def path(engine, text, reference):
    n_types = max([0, *text, *reference]) + 1
    return engine.edit_path(np.array(text, np.int32), np.array(reference, np.int32), n_types)


def theirs(text, reference):
    return lib_ter.translation_edit_rate([*map(str, text)], [*map(str, reference)])[0]


known = cache(theirs)  # both implementations ask


def check(engine, pairs):
    assert counted(engine, pairs) == [known(tuple(text), tuple(reference)) for text, reference in pairs]


def made(rng, n_types, length, n_shifts, n_changes):
    """Return a reference, and it with blocks shifted and words changed, left out and put in."""
    reference = [rng.randrange(n_types) for _ in range(length)]
    text = list(reference)
    for _ in range(n_shifts):
        start, target, size = rng.randrange(len(text)), rng.randrange(len(text)), rng.randrange(1, 13)
        block = text[start : start + size]
        text[start : start + size] = []
        text[target:target] = block
    for _ in range(n_changes):
        place = rng.randrange(len(text))
        text[place : place + rng.randrange(2)] = [rng.randrange(n_types + 2)] * rng.randrange(2)
        text = text or [0]
    return text, reference


@st.composite
def pairs_of_words(draw):
    """Texts over small alphabets, whose words repeat: most shifts to try, and many of the same gain."""
    words = st.integers(0, draw(st.sampled_from([1, 2, 3, 6, 15])))
    reference = draw(st.lists(words, max_size=30))
    if draw(st.booleans()):
        return draw(st.lists(words, max_size=30)), reference
    start, stop, target = (draw(st.integers(0, 30)) for _ in range(3))
    block, rest = reference[start:stop], reference[:start] + reference[max(start, stop) :]
    return rest[:target] + block + rest[target:], reference


@settings(deadline=None, max_examples=300)
@given(pair=pairs_of_words())
def test_of_few_words(engine, pair):
    check(engine, [pair])


@pytest.mark.parametrize("n_types", [2, 4, 10, 40, 1000])
def test_of_sentences(engine, n_types):
    rng = random.Random(n_types)
    check(engine, [made(rng, n_types, rng.randrange(1, 40), rng.randrange(4), rng.randrange(8)) for _ in range(40)])


@pytest.mark.parametrize("length", [64, 100, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("n_types", [3, 30, 150, 5000])
def test_of_long_texts_which_reach_the_limits(engine, length, n_types):
    """Shifts of more than 10 words, or by more than 50 places, and more than 1,000 to try."""
    rng = random.Random(length + n_types)
    changes = (1, 2), (4, length // 5)
    check(engine, [made(rng, n_types, length, n_shifts, n_changes) for n_shifts, n_changes in changes])


@pytest.mark.parametrize("length", [512, 513, 1500])
def test_of_a_block_behind_another(engine, length):
    """Eight words that stand twelve too far behind, and ten that are wrong; sacrebleu takes a minute."""
    reference = [*range(length)]
    text = reference[:200] + reference[208:220] + reference[200:208] + reference[220:-10] + [length] * 10
    assert counted(engine, [(text, reference)]) == [11]
    shifts, steps = path(engine, text, reference)
    assert (shifts, steps) == ([(212, 8, 200)], [MATCH] * (length - 10) + [SUBSTITUTION] * 10)


def test_the_limit_of_tries_drops_what_was_found_in_its_round(engine, monkeypatch):
    """Three words that repeat give so many shifts that none is made; with a higher limit some are."""
    pair = made(random.Random(0), 3, 40, 3, 2)
    (found,) = counted(engine, [pair])
    assert found == theirs(*pair)
    monkeypatch.setattr(lib_ter, "_MAX_SHIFT_CANDIDATES", 10**9)
    assert theirs(*pair) < found


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        *[(1, 30), (1, 120), (2, 101), (3, 200), (2, 99), (5, 251)],
        *[(30, 1), (120, 2), (200, 3), (40, 90), (90, 40), (26, 76)],
    ],
)
def test_of_very_different_lengths_around_the_edges_of_the_beam(engine, text, reference):
    rng = random.Random(text * reference)
    for n_types in (2, 20, 1000):
        words = [rng.randrange(n_types) for _ in range(max(text, reference))]
        placed = words[-text:], words[:reference]
        drawn = [rng.randrange(n_types) for _ in range(text)], [rng.randrange(n_types) for _ in range(reference)]
        check(engine, [placed, drawn])


def test_the_beam_can_hide_the_shortest_way(engine):
    """Thirty words too many in front and thirty too few behind: the way around lies outside the beam."""
    words = list(range(1000))
    pair = words[:30] + words[100:170], words[100:170] + words[300:330]
    check(engine, [pair])
    assert counted(engine, [pair])[0] > 60


def test_texts_without_words(engine):
    check(engine, [([], []), ([1, 2], []), ([], [1, 2, 3]), ([1], [1])])
    assert counted(engine, []) == []
    assert path(engine, [], []) == ([], [])
    assert path(engine, [1, 2], []) == ([], [INSERTION, INSERTION])
    assert path(engine, [], [1]) == ([], [DELETION])


def test_what_a_pair_leaves_behind_does_not_reach_the_next(engine):
    rng = random.Random(5)
    pairs = [made(rng, rng.choice([2, 9, 60]), rng.choice([1, 8, 30, 90]), 2, 3) for _ in range(30)]
    alone = [counted(engine, [pair])[0] for pair in pairs]
    assert counted(engine, pairs) == alone
    assert counted(engine, pairs[::-1]) == alone[::-1]


@settings(deadline=None)
@given(pair=pairs_of_words())
def test_shifts_and_steps_lead_from_the_text_to_the_reference(engine, pair):
    text, reference = pair
    shifts, steps = path(engine, text, reference)
    assert (shifts, steps) == path(plain, text, reference)
    words = list(text)
    for start, length, to in shifts:
        block = words[start : start + length]
        assert 1 <= len(block) == length <= 10
        words[start : start + length] = []
        words[to:to] = block
    places, wanted = iter(words), iter(reference)
    for step in steps:
        word = next(places) if step != DELETION else None
        other = next(wanted) if step != INSERTION else None
        assert step in (INSERTION, DELETION) or (word == other) == (step == MATCH)
    assert not [*places, *wanted]
    assert len(shifts) + sum(step != MATCH for step in steps) == counted(engine, [pair])[0]
    assert {MATCH, SUBSTITUTION, INSERTION, DELETION} >= set(steps)
    if text and reference:  # and the alignment is theirs, too
        trace = lib_ter.BeamEditDistance([*map(str, reference)])([*map(str, words)])[1]
        assert "".join(" sdi"[step] for step in steps) == trace

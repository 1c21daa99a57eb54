"""Edits and shifts of words beside sacrebleu's functions: the limits of its search, and the way it takes."""

import random
from functools import cache
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import lib_ter

from tercet.engine import plain
from tercet.engine.plain_ter import DELETION, INSERTION, MATCH, SUBSTITUTION
from tercet.engine.plain_text import LoneSurrogateError


def text_of(words):
    return " ".join(map(str, words))


def counted(engine, pairs):
    """Return what an engine counts of pairs of lists of numbers."""
    texts = [text_of(text) for text, _ in pairs] + [text_of(reference) for _, reference in pairs]
    rows = engine.ter_rows(texts, len(pairs), None)
    assert rows[:, :4].tolist() == [[1, not text, 0, 1] for text, _ in pairs]
    assert rows[:, 5].tolist() == [len(reference) for _, reference in pairs]
    return rows[:, 4].tolist()


def path(engine, text, reference):
    return engine.edit_path(text_of(text), text_of(reference))


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


def test_of_sentences(engine):
    for n_types in (2, 4, 10, 40, 1000):
        rng = random.Random(n_types)
        pairs = [made(rng, n_types, rng.randrange(1, 40), rng.randrange(4), rng.randrange(8)) for _ in range(40)]
        check(engine, pairs)


@pytest.mark.parametrize("length", [64, 100, pytest.param(200, marks=pytest.mark.long)])
def test_of_long_texts_which_reach_the_limits(engine, length):
    """Shifts of more than 10 words, or by more than 50 places, and more than 1,000 to try."""
    for n_types in (3, 30, 150, 5000):
        rng = random.Random(length + n_types)
        changes = (1, 2), (4, length // 5)
        check(engine, [made(rng, n_types, length, n_shifts, n_changes) for n_shifts, n_changes in changes])


def test_of_a_block_behind_another(engine):
    """Eight words that stand twelve too far behind, and ten that are wrong; sacrebleu takes a minute."""
    for length in (512, 513, 1500):
        reference = [*range(length)]
        text = reference[:200] + reference[208:220] + reference[200:208] + reference[220:-10] + [length] * 10
        assert counted(engine, [(text, reference)]) == [11]
        steps = [MATCH] * (length - 10) + [SUBSTITUTION] * 10
        assert path(engine, text, reference) == ([(212, 8, 200)], steps)


def test_the_limit_of_tries_drops_what_was_found_in_its_round(engine, monkeypatch):
    """Three words that repeat give so many shifts that none is made; with a higher limit some are."""
    pair = made(random.Random(0), 3, 40, 3, 2)
    (found,) = counted(engine, [pair])
    assert found == theirs(*pair)
    monkeypatch.setattr(lib_ter, "_MAX_SHIFT_CANDIDATES", 10**9)
    assert theirs(*pair) < found


def test_of_very_different_lengths_around_the_edges_of_the_beam(engine):
    """The beam can hide the shortest way: thirty words too many in front and thirty too few behind."""
    lengths = [(1, 30), (1, 120), (2, 101), (3, 200), (2, 99), (5, 251)]
    lengths += [(30, 1), (120, 2), (200, 3), (40, 90), (90, 40), (26, 76)]
    for (text, reference), n_types in product(lengths, (2, 20, 1000)):
        rng = random.Random(text * reference + n_types)
        words = [rng.randrange(n_types) for _ in range(max(text, reference))]
        placed = words[-text:], words[:reference]
        drawn = [rng.randrange(n_types) for _ in range(text)], [rng.randrange(n_types) for _ in range(reference)]
        check(engine, [placed, drawn])
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


#: Words of several scripts, of one to four bytes a character, some longer than a key of the engine, of sixteen bytes;
#: and what may stand between them.
WORDS = [
    "a", "b", "the", "ё", "кот", "猫", "😀", "\0", "antidisestablishmentarianism", "antidisestablishmentarianist",
]  # fmt: skip
BLANKS = [" ", "\n", "\t ", "\u3000", "\x85", "\u2028"]

texts = st.lists(st.sampled_from(WORDS + BLANKS), max_size=25).map("".join)
texts |= st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@given(items=st.lists(st.tuples(texts, st.lists(texts, max_size=3)), max_size=4))
def test_of_several_references(engine, items):
    every = [text for text, _ in items] + [text for _, references in items for text in references]
    offsets = np.append(0, np.cumsum([len(references) for _, references in items])).astype(np.int64)
    found = engine.ter_rows(every, len(items), offsets)
    expected = []
    for text, references in items:
        words, *others = [each.split() for each in (text, *references)]
        fewest = min((theirs(words, other) for other in others), default=len(words))
        length = sum(map(len, others)) / max(len(others), 1)
        expected.append([1, not words, not others, len(others), fewest, length])
    assert found.tolist() == expected
    _, bounds, data = pa.array(every, pa.large_string()).buffers()
    arrays = np.frombuffer(data or b"", np.uint8), np.frombuffer(bounds, np.int64, len(every) + 1)
    assert engine.ter_rows(arrays, len(items), offsets).tolist() == expected
    for text, references in items:
        for reference in references:
            assert engine.edit_path(text, reference) == plain.edit_path(text, reference)


def test_items_of_all_lengths_and_numbers_of_references(engine):
    """Room that an item takes over from a shorter or a longer one before it."""
    rng = random.Random(3)
    sizes = [5, 63, 64, 65, 3, 0, 128, 1, 129, 8, 40]
    items = [[made(rng, 2 * size + 2, max(size, 1), size < 100, 3) for _ in range(1 + size % 3)] for size in sizes]
    every = [text_of(pairs[0][0]) for pairs in items] + [text_of(pair[1]) for pairs in items for pair in pairs]
    offsets = np.append(0, np.cumsum([len(pairs) for pairs in items])).astype(np.int64)
    alone = [[counted(engine, [(pairs[0][0], reference)])[0] for _, reference in pairs] for pairs in items]
    assert engine.ter_rows(every, len(items), offsets)[:, 4].tolist() == [min(each) for each in alone]


def test_a_lone_surrogate_is_named_by_its_item(engine):
    for texts, offsets in ((["a", "\ud800", "b", "c"], None), (["a", "b", "c", "d", "\udfff"], np.array([0, 1, 3]))):
        with pytest.raises(LoneSurrogateError) as error:
            engine.ter_rows(texts, 2, offsets)
        assert error.value.item == 1

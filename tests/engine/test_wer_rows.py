"""Alignments beside rapidfuzz's, step by step: the choice between those of the same cost, in tables of all sizes."""

import random
import re
from itertools import chain

import jiwer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from test_rows import arrow

from tercet.engine import _engine, plain
from tercet.engine.plain_readings import READINGS
from tercet.engine.plain_ter import DELETION, INSERTION, MATCH, SUBSTITUTION
from tercet.engine.plain_text import LoneSurrogateError

KINDS = {"equal": MATCH, "replace": SUBSTITUTION, "delete": DELETION, "insert": INSERTION}


def theirs(text, reference):
    """Return rapidfuzz's steps from the reference to the text."""
    blocks = Levenshtein.opcodes(reference, text)
    return [KINDS[kind] for kind, i, end, j, stop in blocks for _ in range(max(end - i, stop - j))]


def steps(engine, text, reference):
    n_types = max([*text, *reference], default=0) + 1
    return engine.edit_steps(np.array(text, np.int32), np.array(reference, np.int32), n_types)


def counts(engine, pairs):
    """Return the counts of an engine, of all pairs in one call."""
    documents = [document for pair in pairs for document in pair]
    ids = np.array([token for document in documents for token in document], np.int32)
    offsets = np.append(0, np.cumsum([len(each) for each in documents])).astype(np.int64)
    texts = np.arange(0, len(documents), 2)
    return engine.edit_counts(ids, offsets, texts, texts + 1, int(ids.max(initial=0)) + 1).tolist()


def counted(path):
    return [path.count(kind) for kind in (MATCH, SUBSTITUTION, DELETION, INSERTION)]


def changed(rng, reference, n_types, n_changes):
    """Return a text with up to two tokens replaced by up to two others, at places drawn."""
    text = list(reference)
    for _ in range(n_changes):
        place = rng.randrange(len(text) + 1)
        text[place : place + rng.randrange(3)] = [rng.randrange(n_types) for _ in range(rng.randrange(3))]
    return text


def made(rng, n_types, length, n_changes):
    reference = [rng.randrange(n_types) for _ in range(length)]
    return changed(rng, reference, n_types, n_changes), reference


@st.composite
def pairs_of_tokens(draw):
    """Documents over small alphabets, where many alignments take as few edits; some around the edges of a word."""
    token = st.integers(0, draw(st.sampled_from([0, 1, 2, 5])))
    around, few = draw(st.lists(token, min_size=1, max_size=12)), st.lists(token, max_size=12)
    repeats = draw(st.sampled_from([0, 0, 5, 11, 30]))
    return tuple(draw(few) + around * repeats + draw(few) for _ in range(2))


@given(pair=pairs_of_tokens())
def test_each_step_is_that_of_rapidfuzz(engine, pair):
    expected = theirs(*pair)
    assert steps(engine, *pair) == expected
    assert counts(engine, [pair]) == [counted(expected)]


def test_counts_of_many_pairs_of_all_lengths_in_one_call(engine):
    """Room that a pair takes over from a shorter or a longer one before it."""
    rng = random.Random(1)
    pairs = [
        made(rng, n_types, rng.randrange(200), rng.randrange(60)) for n_types in (1, 2, 5, 300) for _ in range(40)
    ]
    pairs += [(made(rng, 3, n, 9)[0], made(rng, 3, m, 9)[0]) for n in (0, 1, 9, 64, 65, 300) for m in (0, 3, 64, 129)]
    assert counts(engine, pairs) == [counted(theirs(*pair)) for pair in pairs]
    assert counts(engine, []) == []


SPLIT = {
    "none": str.split,
    "char": lambda text: list("".join(text.split())),
    "blanks": lambda text: [word for word in re.sub(r"\s\s+", " ", text).strip().split(" ") if word],
}
LONG = ["antidisestablishment", "a b c d e f g " * 5, "кот и пёс " * 7, "\xe9t\xe9 " * 20]
WHITE = ["", " ", "  ", "\t", "\n", "\xa0", "\u3000", "\x85", "\x1c ", "\u2003\n"]
words = st.sampled_from(["a", "b", "кот", "猫", "é", "\0", "😀", *LONG])
texts = st.lists(st.tuples(words, st.sampled_from([" ", " ", *WHITE])), max_size=12).map(
    lambda parts: "".join(chain(*parts))
)
spaced = st.tuples(st.sampled_from(WHITE), texts).map("".join)


def nearest(split, text, references):
    """Return the counts of rapidfuzz for the reference of the fewest edits, the first on ties."""
    tokens, *others = map(split, (text, *references))
    counts = [counted(theirs(tokens, other)) for other in others] or [[0, 0, 0, len(tokens)]]
    return min(counts, key=lambda each: sum(each[1:]))


def flat(items):
    """Return the texts of items as the engine takes them, and where the references of each begin."""
    every = [text for text, _ in items] + [text for _, references in items for text in references]
    return every, np.append(0, np.cumsum([len(references) for _, references in items])).astype(np.int64)


@pytest.mark.parametrize("reading", SPLIT)
@given(items=st.lists(st.tuples(spaced, st.lists(spaced, max_size=3)), max_size=5), as_column=st.booleans())
def test_rows_are_of_the_reference_of_the_fewest_edits_the_first_on_ties(engine, reading, items, as_column):
    """Words by their reading, characters without white space at the ends of a text."""
    every, offsets = flat(items)
    expected = [
        [
            *(1, not SPLIT[reading](text), not references, len(references)),
            *nearest(SPLIT[reading], text, references),
            *nearest(lambda each: list(each.strip()), text, references),
        ]
        for text, references in items
    ]
    given_as = arrow(every) if as_column else every
    assert engine.error_rows(given_as, len(items), offsets, reading).tolist() == expected
    words_alone = [[*row[:8], 0, 0, 0, 0] for row in expected]
    assert engine.error_rows(given_as, len(items), offsets, reading, with_characters=False).tolist() == words_alone


@given(st.lists(st.tuples(spaced, spaced), max_size=70), st.sampled_from([*READINGS]))
def test_both_implementations_make_the_same_rows_of_up_to_70_pairs(pairs, reading):
    every = [text for side in zip(*pairs, strict=True) for text in side]
    found = [each.error_rows(every, len(pairs), None, reading).tolist() for each in (_engine, plain)]
    assert found[0] == found[1]


def test_rows_of_all_lengths_around_a_word_of_bits(engine):
    """Texts of some characters on both sides of 64, 128, 192 and 256, where a larger table begins."""
    rng = random.Random(7)
    items = []
    for n in (1, 2, 62, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300):
        for n_types, n_changes in ((2, n), (26, n // 3), (26, 2)):
            text, reference = made(rng, n_types, n, n_changes)
            alphabet = "abcdefghijklmnopqrstuvwxyz" if n % 2 else "аbвгдеёжзийклмнопрстуфхцчш"
            items.append(tuple("".join(alphabet[token] for token in side) for side in (text, reference)))
            items.append(tuple(" ".join(side) for side in items[-1]))
    every = [text for side in zip(*items, strict=True) for text in side]
    expected = [
        [1, not text, 0, 1, *nearest(str.split, text, [reference]), *nearest(list, text, [reference])]
        for text, reference in items
    ]
    assert engine.error_rows(every, len(items), None, "blanks").tolist() == expected


SCRIPTS = [
    "ab",
    "etaoin shrdlu, ETAOIN.",
    "naïve \xff\xfe\x80é",
    "кот и пёс, a cat",
    "ねこ 猫 \U0001f600\U0001f408",
    "".join(map(chr, range(0x4E00, 0x4E00 + 300))),
]


@st.composite
def texts_around_a_band(draw):
    """A text and its reference, whose edits, lengths and characters lie around what a band of 64 diagonals holds."""
    alphabet, rng = draw(st.sampled_from(SCRIPTS)), random.Random(draw(st.integers(0, 1 << 32)))
    sides = made(rng, len(alphabet), draw(st.integers(0, 330)), draw(st.integers(0, 60)))
    cuts = [draw(st.sampled_from([0, 0, 5, 40, 62, 63, 64, 65])) for _ in sides]
    sides = [side[cut:] for side, cut in zip(sides, cuts, strict=True)]
    blank = draw(st.sampled_from(["", "", " "]))  # a word each
    return tuple(blank.join(alphabet[token] for token in side) for side in sides)


@given(pair=texts_around_a_band())
def test_rows_of_texts_around_the_narrowest_band_are_those_of_jiwer(engine, pair):
    text, reference = pair
    expected = nearest(SPLIT["blanks"], text, [reference]) + nearest(
        lambda each: list(each.strip()), text, [reference]
    )
    assert engine.error_rows([text, reference], 1, None, "blanks")[0, 4:].tolist() == expected
    if reference.strip():
        by_jiwer = [process(reference, text) for process in (jiwer.process_words, jiwer.process_characters)]
        names = ("hits", "substitutions", "deletions", "insertions")
        assert [getattr(output, name) for output in by_jiwer for name in names] == expected


@given(pairs=st.lists(texts_around_a_band(), min_size=2, max_size=9), n_systems=st.integers(1, 3))
def test_rows_of_several_pairs_are_those_of_each(engine, pairs, n_systems):
    """Four of them are aligned at once; those of many edits are not, nor are long ones."""
    texts, references = (list(side) for side in zip(*pairs, strict=True))
    of_systems = [texts[k:] + texts[:k] for k in range(n_systems)]
    rows = engine.error_rows([*chain(*of_systems), *references], len(pairs), None, "blanks", n_systems)
    each = [zip(system, references, strict=True) for system in of_systems]
    expected = [engine.error_rows([*pair], 1, None, "blanks")[0].tolist() for pair in chain(*each)]
    assert rows.tolist() == expected


@pytest.mark.parametrize("n_pairs", [1, 4])
def test_a_text_of_all_bytes(engine, n_pairs):
    """None is left to stand where the reference has nothing."""
    text = "".join(map(chr, [*range(33, 256), *range(33)])) + "b"
    reference = "a" + text[1:100] + text[103:] + "c"
    rows = engine.error_rows([text] * n_pairs + [reference] * n_pairs, n_pairs, None, "blanks")
    assert rows[:, 8:].tolist() == [nearest(list, text, [reference])] * n_pairs


@pytest.mark.parametrize("n_types", [3, 255, 256, 257])
def test_pairs_at_the_edges_of_the_narrowest_band(engine, n_types):
    """Of 61 to 66 edits, of all kinds and shares of them; it holds 63, of tokens below 256."""
    rng = random.Random(n_types)
    for n_edits in range(61, 67):
        for n_inserted in {0, 1, n_edits // 2, n_edits - 1, n_edits}:
            core, extra = (
                [rng.randrange(n_types - 1) for _ in range(n)] for n in (rng.choice([5, 90, 180]), n_inserted)
            )
            rest = [n_types - 1] * (n_edits - n_inserted)
            place = rng.randrange(len(core))
            for text, reference in (
                (core[:place] + extra + core[place:], rest + core),
                (extra + core, core + rest),
                (core + rest, extra + core),
                (core[:place] + rest + core[place:], core + extra),
                (extra + core + rest, core),
                (core, extra + core + rest),
            ):
                assert counts(engine, [(text, reference)]) == [counted(theirs(text, reference))]


@pytest.mark.parametrize("bad", ["a \ud800", "\U0001f600\udfff", "é" * 9000 + "\udc80"])
def test_a_lone_surrogate_is_refused_and_leaves_nothing_behind(engine, bad):
    expected = engine.error_rows(["кот é", "кот e"], 1, None, "blanks").tolist()
    for texts_of_items in (["a", bad], [bad, "a"]):
        with pytest.raises(LoneSurrogateError):
            engine.error_rows(["猫", *texts_of_items, "猫"], 2, None, "blanks")
    assert engine.error_rows(["кот é", "кот e"], 1, None, "blanks").tolist() == expected


def test_long_documents_are_aligned_in_halves_as_there(engine):
    """From 4,194,304 cells on; the last halves of the third pair are made in halves again."""
    rng = random.Random(2)
    sizes = [(2, 2048, 300), (2, 2049, 300), (3, 4200, 3000), (40, 2300, 40), (2000, 3000, 900)]
    for n_types, length, n_changes in sizes:
        pair = made(rng, n_types, length, n_changes)
        assert steps(engine, *pair) == theirs(*pair), (n_types, length)


def test_what_decides_whether_a_table_is_made_in_halves(engine):
    """One cell, row or column more or less, and a half that needs few edits."""
    rng = random.Random(3)
    lengths = [(2048, 2048)] * 4 + [(2048, 2047)] * 4 + [(64, 65_700), (65, 65_700), (466_100, 9), (466_100, 10)]
    for n, m in lengths:
        text, reference = [2, *rng.choices((0, 1), k=m - 2), 3], [3, *rng.choices((0, 1), k=n - 2), 2]
        assert steps(engine, text, reference) == theirs(text, reference), (n, m)
    reference = rng.choices((0, 1), k=3000)
    one_sided = changed(rng, reference[:1500], 3, 700) + changed(rng, reference[1500:], 3, 4)
    for text in (one_sided, one_sided[::-1]):
        assert steps(engine, text, reference) == theirs(text, reference)


@pytest.mark.parametrize("edits", [0, 60, 64, 65, 130, 700])
def test_bands_that_are_too_narrow_at_first(engine, edits):
    """Blocks of tokens at another place, which take as many edits far from the diagonal."""
    rng = random.Random(edits)
    for n_types in (4, 1000):
        reference = [rng.randrange(n_types) for _ in range(1500)]
        text = reference[:500] + reference[500 + edits // 2 : 1200] + reference[:edits] + reference[1200:]
        assert steps(engine, text, reference) == theirs(text, reference)


@pytest.mark.long
def test_very_long_documents():
    from tercet.engine import _engine

    rng = random.Random(4)
    for n_types, length, n_changes in [(2, 20_000, 20_000), (30, 30_000, 3000), (5000, 40_000, 8000)]:
        pair = made(rng, n_types, length, n_changes)
        assert steps(_engine, *pair) == theirs(*pair)

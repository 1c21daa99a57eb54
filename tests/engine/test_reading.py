"""Texts are split at every place of a block and a chunk alike, and each different token gets one number."""

import importlib.machinery
import importlib.util
import random
import re
import string
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from tercet.engine import _engine, plain
from tercet.engine.character_kinds import may_be_changed
from tercet.engine.plain_readings import READINGS
from tercet.engine.plain_text import LoneSurrogateError, strings

CHUNK = 1 << 13
as_13a = Tokenizer13a()
SPLIT = {
    "rouge": lambda text: re.findall("[a-z0-9]+", text.lower()), "none": str.split, "char-and-blank": list,
    "blanks": lambda text: [word for word in re.sub(r"\s\s+", " ", text).strip().split(" ") if word],
    "13a-unstripped": lambda text: as_13a(text).split(), "char": lambda text: list("".join(text.split())),
}  # fmt: skip
every_split = pytest.mark.parametrize("reading", SPLIT)
every_reading = pytest.mark.parametrize("reading", READINGS)
PIECES = [
    *" .,-'$%aB19\n\0", "\u2003", "\u3000", "\xa0", "é", "ж", "中", "😀", "Straßenbahn", "x" * 16, "X" * 17, "y" * 40,
    "İ", "\u212a", "&amp;", "-\n", "<skipped>", "か\u3099", "\u0958", "क्\u200dष", "\U0001d160", "\u1112\u1161\u11ab",
    "(so)", "&lt;skipped>", "\x1c", "\x85", "1.5", ".,.",
]  # fmt: skip
pieces = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=20).map("".join)


def column(texts):
    """The same in UTF-8, behind bytes of another text, as in a slice of a column."""
    encoded = [text.encode() for text in texts]
    data = np.frombuffer(b"before" + b"".join(encoded), np.uint8)
    return data, np.cumsum([6, *map(len, encoded)])


def split(engine, texts, reading):
    ids, offsets, _, _, words, word_offsets = engine.intern(texts, reading)
    found = strings((words, word_offsets))
    assert len(set(found)) == len(found)
    first = np.unique(ids, return_index=True)[1]
    assert (np.diff(first) > 0).all()  # numbers count up in the order of first occurrence
    return [[found[i] for i in ids[start:stop]] for start, stop in pairwise(offsets)]


def assert_split(engine, texts, reading):
    expected = list(map(SPLIT[reading], texts))
    assert split(engine, texts, reading) == expected
    assert split(engine, column(texts), reading) == expected


@every_split
def test_tokens_at_the_edges_of_blocks_and_chunks(engine, reading):
    rest = "b " * 40
    for size in (0, 1, 62, 63, 64, 65, 127, 128, 129, CHUNK - 1, CHUNK, CHUNK + 1):
        for end in ("a", " ", "a.", "1,", "-", "2-"):
            text = ("a " * size)[: size - len(end)] + end if size >= len(end) else "a" * size
            assert_split(engine, [text, rest, "", text[::-1], text.replace("b", "ж")], reading)


@every_split
def test_random_texts_are_split_alike(engine, reading):
    for seed in range(5):
        rng = random.Random(seed)
        sizes = [rng.choice([0, 1, 3, 20, 64, 300, 5000]) for _ in range(rng.choice([1, 3, 40]))]
        assert_split(engine, ["".join(rng.choices(PIECES, k=size)) for size in sizes], reading)


def test_more_words_than_the_first_table_holds_and_such_as_differ_only_behind_their_first_bytes(engine):
    """A key of the table has 16 bytes; nul is a byte like any other."""
    rng = random.Random(0)
    words = ["".join(rng.choices(string.ascii_letters, k=rng.randint(1, 22))) for _ in range(20_000)]
    for reading in ("rouge", "none"):
        assert_split(engine, [" ".join(words)], reading)
        assert_split(engine, [" ".join(words[start : start + 9]) for start in range(0, len(words), 9)] * 2, reading)
    assert_split(engine, ["a", "a\0", "\0a", "\0" * 16, "\0" * 17, "\0" * 8, "a" * 15 + "\0", "a" * 15], "none")
    assert_split(engine, ["w" * n for n in range(1, 60)] + ["w" * n + "v" for n in range(60)], "rouge")
    assert_split(engine, ["W" * 30, "w" * 30, "W" * 15 + "w" * 15], "rouge")


@every_reading
@settings(max_examples=200)
@given(texts=st.lists(pieces, max_size=6))
def test_both_implementations_agree(reading, texts):
    expected = plain.intern(texts, reading)
    for given_as in (texts, column(texts)):
        for ours, theirs in zip(_engine.intern(given_as, reading), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs, strict=True)
        assert _engine.letters(given_as) == plain.letters(texts)


def assert_read_alike(engine, texts):
    for reading in READINGS:
        for ours, theirs in zip(engine.intern(texts, reading), plain.intern(texts, reading), strict=True):
            np.testing.assert_array_equal(ours, theirs, strict=True)
    assert engine.letters(texts) == plain.letters(texts)


def test_both_implementations_agree_on_every_character():
    points = [*range(0x3400), *range(0xA000, 0xAC10), *range(0xD790, 0xD800), *range(0xF900, 0x10FFFF, 7)]
    assert_read_alike(_engine, [f"a{chr(point)}b1{chr(point)}.5" for point in points])


@every_reading
@pytest.mark.parametrize("others", ["é", "ж", "中", "😀", "İ", "\u212a", "İж", "\u212aé"])
def test_a_character_beyond_ascii_is_read_alike_wherever_it_stands(reading, others):
    """Stretches of ASCII are copied many characters at a time, up to the end or another character."""
    for size in (1, 31, 32, 33, 70):
        texts = []
        for place in range(size):
            texts.append("ab cD efgh" * 7)
            texts[-1] = texts[-1][:place] + others + texts[-1][place:size]
        assert split(_engine, texts, reading) == split(plain, texts, reading)


@every_reading
def test_a_lone_surrogate_is_found_wherever_it_stands(reading):
    for place in range(70):
        for rest in ("", "中", "😀"):
            text = "a" * place + "\ud800" + "b" * (70 - place) + rest
            with pytest.raises(LoneSurrogateError):
                _engine.intern([text], reading)


def test_no_texts_and_empty_ones(engine):
    for reading, texts in product(READINGS, ([], [""], ["", "\n\n", ""])):
        ids, offsets, line_starts, line_offsets, words, bounds = engine.intern(texts, reading)
        n = len(ids)  # line ends are tokens where blanks are
        assert n == (2 if reading == "char-and-blank" and len(texts) == 3 else 0)
        assert (len(offsets), len(line_offsets)) == (len(texts) + 1, len(texts) + 1)
        assert (offsets[-1], line_starts[-1], len(words), bounds[0]) == (n, n, min(n, 1), 0)
        assert engine.letters(texts) == (0, 0, 0, 0)


def test_a_lone_surrogate_is_named_and_what_is_no_string_or_no_reading_refused(engine):
    message = r"^text 2 is not valid Unicode: it holds a lone surrogate$"
    for reading, bad in product(READINGS, ("\ud800", "a\udfff", "\U0001f600\ud800", "é" * 9000 + "\udc80")):
        with pytest.raises(LoneSurrogateError, match=message) as error:
            engine.intern(["é", "b", bad, bad], reading)
        assert error.value.item == 2
        assert split(engine, ["a b"], "none") == [["a", "b"]]  # and what comes later is not disturbed
    for call in (lambda texts: engine.intern(texts, "none"), engine.letters):
        with pytest.raises(TypeError, match=r"^a text must be a string, got int$"):
            call(["a", 7])
    with pytest.raises(KeyError):
        engine.intern(["a"], "words")


def test_lines_belong_to_their_texts_and_letters_to_their_kinds(engine):
    _, offsets, line_starts, line_offsets, _, _ = engine.intern(["a b\n\nc", "\n", "d\n", "e\nf g"], "none")
    assert offsets.tolist() == [0, 3, 3, 4, 7]
    assert line_starts.tolist() == [0, 2, 3, 4, 5, 7]
    assert line_offsets.tolist() == [0, 2, 2, 3, 5]
    assert engine.letters(["abc", "Жж", "ж a", "1"]) == (4, 3, 0, 1)
    assert engine.letters(["中文 и", "ไทย"]) == (0, 6, 5, 2)
    assert engine.letters(["e\u0301", "\u0301"]) == (1, 2, 0, 1)
    assert engine.letters(["\ud800"]) == (0, 0, 0, 0)


@pytest.mark.long
def test_other_processors_read_the_same(tmp_path):
    """The compiled engine without the instructions of one kind of processor."""
    build_engine = pytest.importorskip("build_engine")
    path = str(build_engine.compiled(tmp_path, "-DPORTABLE"))
    loader = importlib.machinery.ExtensionFileLoader("tercet.engine._engine", path)
    portable = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(portable)
    rng = random.Random(4)
    texts = ["".join(map(chr, rng.choices(range(256), k=size))) for size in [*range(200), 5000, 20_000]]
    assert_read_alike(portable, texts + ["".join(rng.choices(PIECES, k=rng.randrange(200))) for _ in range(100)])


def test_two_characters_alone_have_lower_case_letters_of_ascii():
    """What the compiled engine takes for granted."""
    found = [c for c in map(chr, range(128, sys.maxunicode + 1)) if re.search("[a-z0-9]", c.lower())]
    assert found == ["İ", "\u212a"]


def test_what_composing_may_change_is_known_and_makes_no_more_tokens_than_characters():
    """Pairs of characters and their parts: where NFC changes a text, one of its characters is marked."""
    for composed in map(chr, range(0xA0, 0x20000)):
        parts = unicodedata.normalize("NFD", composed)
        if parts != composed:
            assert may_be_changed(composed) or any(map(may_be_changed, parts)), composed
            assert any(map(may_be_changed, parts)) or len(parts) == 1, composed
    texts = [c for c in map(chr, range(0xA0, 0x30000)) if not unicodedata.is_normalized("NFC", c)]
    assert max(map(len, split(plain, texts, "unicode"))) == 1


def test_threads_do_not_disturb_each_other(engine):
    texts = ["".join(random.Random(seed).choices(PIECES, k=300)) for seed in range(20)]
    with ThreadPoolExecutor(len(READINGS)) as pool:
        found = list(pool.map(lambda reading: split(engine, texts, reading), [*READINGS] * 5))
    assert found == [split(plain, texts, reading) for reading in READINGS] * 5


@given(st.lists(st.one_of(st.text(max_size=3), st.integers(), st.builds(np.str_, st.text(max_size=3))), max_size=5))
def test_only_strings_themselves_are_strings(engine, values):
    assert engine.all_strings(values) == all(type(value) is str for value in values)


ENTRIES = st.one_of(
    st.text(max_size=3), st.none(), st.lists(st.text(max_size=3), max_size=2), st.lists(st.integers(), max_size=1),
    st.tuples(st.text(max_size=3)), st.sets(st.text(max_size=3), max_size=1),
)  # fmt: skip


TEXTS = st.lists(st.one_of(st.text(max_size=3), st.none()), max_size=4)


@given(TEXTS, st.lists(ENTRIES, max_size=4))
def test_texts_and_references_become_two_lists_of_strings(engine, texts, references):
    assert engine.paired_strings(texts, references) == plain.paired_strings(texts, references)


def test_where_the_references_of_each_text_begin_is_said_only_if_any_has_none_or_several(engine):
    texts = ["x", "ж"]
    assert engine.paired_strings(texts, ["a", "б"]) == (texts, ["a", "б"], None)
    assert engine.paired_strings(texts, [["a"], ("б",)]) == (texts, ["a", "б"], None)
    assert engine.paired_strings(texts, [["a", "б"], []]) == (texts, ["a", "б"], [0, 2, 2])


def test_what_are_no_pairs_of_texts_is_left_to_who_can_say_why(engine):
    for references in (["a"], [["a"], "б"], ["a", np.str_("б")], ["a", None], [["a"], [1]]):
        assert engine.paired_strings(["x", "ж"], references) is None
    assert engine.paired_strings([np.str_("x")], ["a"]) is None


def test_pairs_are_lists_of_their_own(engine):
    texts, references = ["x"], ["a"]
    paired_texts, flat, _ = engine.paired_strings(texts, references)
    assert paired_texts is not texts
    assert flat is not references


@given(st.lists(st.one_of(st.text(max_size=9), st.text("aZz@[`{\x7f", max_size=40)), max_size=5))
def test_texts_are_lowered_as_python_does(engine, texts):
    assert engine.lowered(texts) == [text.lower() for text in texts]
    assert [text.isascii() for text in engine.lowered(texts)] == [text.lower().isascii() for text in texts]


@given(st.lists(st.text("ab<&é\0", max_size=9), max_size=5))
def test_plain_texts_are_of_ascii_without_marks(engine, texts):
    assert engine.is_plain(texts, b"<&") == (set("".join(texts)) <= set("ab\0"))

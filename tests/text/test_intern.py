"""Bytes are split at every place of a block and a chunk alike, and each different token gets one id."""

import random
import re
import string
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from tercet.text.edge_kernels import BLANKS, LOWER_WORDS, MTEVAL, WORDS
from tercet.text.intern import intern_bytes
from tercet.text.intern_kernels import CHUNK
from tercet.text.tokenizers import bytes_of

as_13a = Tokenizer13a()
SPLIT = {
    LOWER_WORDS: lambda text: re.findall("[a-z0-9]+", text.lower()),
    WORDS: lambda text: re.findall("[A-Za-z0-9]+", text),
    BLANKS: str.split,
    MTEVAL: lambda text: as_13a(text).split(),
}
every_reading = pytest.mark.parametrize("reading", SPLIT)
PIECES = [
    *" .,-'$%aB19",
    "\u2003",
    "\u3000",
    "\xa0",
    "é",
    "ж",
    "中",
    "😀",
    "Straßenbahn",
    "x" * 16,
    "X" * 17,
    "y" * 40,
]


def assert_split(texts, reading):
    data, bounds = bytes_of(pa.array(texts, pa.large_string()))
    found = intern_bytes(data, bounds, reading)
    words = found.words()
    tokens = [[words[i] for i in found.ids[start:stop]] for start, stop in pairwise(found.offsets)]
    assert tokens == list(map(SPLIT[reading], texts))
    assert len(set(words)) == len(words) == found.n_types
    first = np.unique(found.ids, return_index=True)[1]
    assert (np.diff(first) > 0).all()  # ids count up in the order of first occurrence


@every_reading
@pytest.mark.parametrize("size", [0, 1, 62, 63, 64, 65, 127, 128, 129, CHUNK - 1, CHUNK, CHUNK + 1])
def test_tokens_at_the_edges_of_blocks_and_chunks(reading, size):
    rest = "b " * 40
    for end in ("a", " ", "a.", "1,", "-", "2-"):
        text = ("a " * size)[: size - len(end)] + end if size >= len(end) else "a" * size
        assert_split([text, rest, "", text[::-1]], reading)


@every_reading
@pytest.mark.parametrize("seed", range(30))
def test_random_texts(reading, seed):
    rng = random.Random(seed)
    sizes = [rng.choice([0, 1, 3, 20, 64, 300, 5000]) for _ in range(rng.choice([1, 3, 40]))]
    assert_split(["".join(rng.choices(PIECES, k=size)) for size in sizes], reading)


@every_reading
def test_more_words_than_the_first_table_holds(reading):
    rng = random.Random(0)
    words = ["".join(rng.choices(string.ascii_letters, k=rng.randint(1, 22))) for _ in range(40_000)]
    assert_split([" ".join(words)], reading)
    assert_split([" ".join(words[start : start + 9]) for start in range(0, len(words), 9)] * 2, reading)


def test_nul_is_a_byte_of_a_word_like_any_other():
    assert_split(["a", "a\0", "\0a", "\0" * 16, "\0" * 17, "\0" * 8], BLANKS)


def test_long_words_of_one_hash_or_prefix_differ():
    assert_split(["w" * n for n in range(1, 60)] + ["w" * n + "v" for n in range(60)], LOWER_WORDS)
    assert_split(["W" * 30, "w" * 30, "W" * 15 + "w" * 15], LOWER_WORDS)

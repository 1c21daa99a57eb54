"""Words of Tercom's normalization beside those of sacrebleu's tokenizer."""

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from tercet.corpus.reading import read_batch
from tercet.metrics.ter import Ter
from texts import all_pairs, any_texts, awkward_text

FLAGS = list(product((False, True), repeat=4))
#: Characters at the edges of the ranges that the rules select, and what their patterns look at.
EDGES = "".join(
    chr(point + step)
    for point in (
        *(0x1C, 0x20, 0x30, 0x39, 0x41, 0x5B, 0x7B, 0x85, 0xA0, 0x660, 0x2028, 0x2E80, 0x2EFF, 0x3000),
        *(0x3001, 0x3008, 0x3011, 0x3014, 0x301F, 0x3040, 0x309F, 0x30A0, 0x30FB, 0x30FF, 0x31C0, 0x31EF, 0x31F0),
        *(0x31FF, 0x3200, 0x32FF, 0x3300, 0x33FF, 0x3400, 0x3F22, 0x4DBF, 0x4E00, 0x9FFF, 0xF900, 0xFAFF, 0xFE30),
        *(0xFE4F, 0xFF01, 0xFF02, 0xFF08, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1F, 0xFF61, 0xFF65, 0x20000),
    )
    for step in (-1, 0, 1)
)  # fmt: skip
PIECES = [
    *"\n-'s.,09 ", "'S ", "&quot;", "&QUOT;", "&amp;lt;", "\n-", "\r\n", "1.", ".5", "か", "カ", "ㇰ",
    *("日", "İ", "ΑΣ"),
]  # fmt: skip
pieces = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(EDGES)), max_size=25).map("".join)


def check(texts, flags):
    """Compare the words that are scored with those that sacrebleu's metric hands to its kernel."""
    names = ("normalized", "no_punct", "asian_support", "case_sensitive")
    options = dict(zip(names, flags, strict=True))
    scorer, tokenizer = Ter.from_options({**options, "compat": "sacrebleu"}), TercomTokenizer(**options)
    found = [text.split() for changed in scorer.texts(read_batch(texts, texts)) for text in changed]
    expected = [tokenizer(text.rstrip()) for text in texts]  # a reference goes through it twice
    assert found == [text.split() for text in [*expected, *map(tokenizer, expected)]]


@pytest.mark.parametrize("flags", FLAGS, ids=str)
class TestTheWordsAreThoseOfSacrebleu:
    def test_of_many_languages_and_awkward_texts(self, flags):
        predictions, references = all_pairs()
        rng = random.Random(3)
        awkward = [awkward_text(rng, 40) for _ in range(200)]
        check([*predictions, *(text for texts in references for text in texts), *awkward], flags)

    @given(text=pieces | any_texts)
    def test_of_any_text_and_the_edges_of_all_ranges(self, flags, text):
        check([text], flags)

    def test_of_every_character_of_the_basic_plane(self, flags):
        points = [chr(point) for point in range(0x10000) if not 0xD800 <= point < 0xE000]
        check(["x" + "x".join(points[start : start + 256]) + "x" for start in range(0, len(points), 256)], flags)

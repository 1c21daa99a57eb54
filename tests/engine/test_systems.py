"""Rows of several systems in one call are those of each system alone; their references are read once."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_rows import arrow, texts

TYPES = ("n", 1), ("n", 3), ("L", 0), ("S", -1), ("SU", 2)
CALLS = {
    "bleu": lambda engine, *given: engine.bleu_rows(*given[:3], "13a", 4, True, True, given[3]),
    "gleu": lambda engine, *given: engine.gleu_rows(*given[:3], "none", 1, 3, given[3]),
    "jaccard": lambda engine, *given: engine.jaccard_rows(*given[:3], "unicode", 2, True, False, given[3])[0],
    "jaccard pairs": lambda engine, *given: engine.jaccard_rows(*given[:3], "none", 1, False, True, given[3])[1],
    "bleu and rouge": lambda engine, *given: engine.bleu_rouge_rows(*given[:3], "none", 2, 1.0, True, given[3]),
    "chrf": lambda engine, *given: engine.chrf_rows(*given[:3], 6, [0, 2], False, 2, False, given[3]),
    "wer": lambda engine, *given: engine.error_rows(*given[:3], "blanks", given[3]),
    "ter": lambda engine, *given: engine.ter_rows(*given),
    "rouge": lambda engine, *given: engine.rouge_rows(*given[:3], "rouge", TYPES, 1.0, False, given[3])[0],
    "rouge stems": lambda engine, *given: engine.rouge_rows(*given[:3], "none", TYPES, 1.0, False, given[3], True)[0],
    "rouge pairs": lambda engine, *given: engine.rouge_rows(*given[:3], "unicode", TYPES, 2.0, True, given[3])[1],
}


@st.composite
def corpora(draw):
    """Draw what up to four systems wrote, and the references of each segment."""
    n, n_systems = draw(st.integers(0, 5)), draw(st.integers(1, 4))
    systems = [draw(st.lists(texts, min_size=n, max_size=n)) for _ in range(n_systems)]
    return systems, draw(st.lists(st.lists(texts, max_size=3), min_size=n, max_size=n))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("given_as", [list, arrow], ids=["strings", "Arrow"])
@given(corpus=corpora())
def test_rows_are_those_of_each_system_alone(engine, call, given_as, corpus):
    systems, references = corpus
    flat, offsets = [*chain.from_iterable(references)], np.cumsum([0, *map(len, references)])
    alone = [CALLS[call](engine, given_as([*own, *flat]), len(own), offsets, 1) for own in systems]
    every = given_as([*chain.from_iterable(systems), *flat])
    together = CALLS[call](engine, every, len(references), offsets, len(systems))
    assert together.tolist() == np.concatenate(alone).tolist()


@pytest.mark.parametrize("call", CALLS)
def test_one_reference_each_needs_no_offsets_but_the_right_number_of_texts(engine, call):
    every = ["a cat", "a dog", "the cat", "dogs", "the cat sat", "a dog"]
    if not call.endswith("pairs"):
        expected = CALLS[call](engine, every, 2, np.array([0, 1, 2]), 2)
        assert CALLS[call](engine, every, 2, None, 2).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="have changed"):
        CALLS[call](engine, every[:5], 2, None, 2)


def test_many_systems_of_long_texts_take_several_chunks(engine):
    systems = [[f"{'word ' * (50 * item)} {system}" for item in range(9)] for system in range(7)]
    references = [["word " * 300], [], ["x", "word"]] * 3
    flat, offsets = [*chain.from_iterable(references)], np.cumsum([0, *map(len, references)])
    together = engine.bleu_rows([*chain(*systems), *flat], 9, offsets, "none", 4, False, False, 7).reshape(7, 9, 16)
    for rows, own in zip(together, systems, strict=True):
        assert rows.tolist() == engine.bleu_rows([*own, *flat], 9, offsets, "none", 4).tolist()

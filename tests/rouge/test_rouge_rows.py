"""Texts are counted alike where the engine takes them as they are, and where they become tokens first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.metrics.rouge.metric import Rouge

TYPES = ["rouge1", "rouge3", "rougeL", "rougeLsum", "rougeW1.5", "rougeS", "rougeS2", "rougeSU0"]
texts = st.lists(
    st.sampled_from(
        ["The", "cat", "SAT", "the", "a-b", "3.5", "é", "Кот", "кот", "猫", "Cats", "SKIES", "sky", "élites", "élite"]
    ),
    max_size=70,
)
CUTS = [{}, {}, {"sentence_split": "auto"}, {"max_words": 7}, {"max_bytes": 20, "beta": 2}]
items = st.lists(st.tuples(texts, st.lists(texts, max_size=3)), min_size=1, max_size=5)


@pytest.mark.parametrize("multi_ref", ["best", "average", "jackknife"])
@pytest.mark.parametrize("tokenizer", ["rouge", "none", "unicode", "13a", "char"])
@pytest.mark.parametrize("stem", [{}, {"use_stemmer": True}, {"stemmer": "porter"}], ids=["", "stems", "stemmer"])
@given(items=items, rng=st.randoms(use_true_random=False), cut=st.sampled_from(CUTS))
def test_rows_from_texts_are_those_from_tokens(tokenizer, multi_ref, stem, items, rng, cut):
    def text(words):
        return "".join(word + rng.choice(["\n", " ", " ", ". "]) for word in words)

    predictions = [text(words) for words, _ in items]
    references = [[text(words) for words in each] for _, each in items]
    options = {
        "rouge_types": TYPES,
        "tokenizer": tokenizer,
        "multi_ref": multi_ref,
        "missing_references": "zero",
        **stem,
        **cut,
    }
    found = tercet.scorer("rouge", **options).stats(predictions, references).rows
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rouge, "_engine_types", None)
        expected = tercet.scorer("rouge", **options).stats(predictions, references).rows
    assert found.tolist() == expected.tolist()

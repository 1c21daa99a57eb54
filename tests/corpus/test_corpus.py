"""A corpus of several systems: its texts, its parts, and the rows that metrics make of it."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from language_models import small_model
from tercet import InputError
from tercet.api import make_scorer
from tercet.base.scoring import batch_stats
from tercet.corpus.corpus import Corpus, join_batches, sampled
from tercet.corpus.items import read_systems
from tercet.corpus.reading import read_predictions
from texts import MINILM, all_pairs, without_path

PREDICTIONS, REFERENCES = all_pairs()
SYSTEMS = {"one": PREDICTIONS, "other": [texts[-1] for texts in REFERENCES], "third": PREDICTIONS[::-1]}
METRICS = [
    ("bleu_multi", {}), ("bleu_multi", {"lowercase": True, "tokenizer": "unicode"}),
    ("bleu_multi", {"stemmer": "en"}), ("bleu_multi", {"tokenizer": "intl"}),
    ("bleu_multi", {"compat": "nltk", "smooth_method": "nltk5"}),
    ("chrf_multi", {"word_order": [0, 2]}), ("ter", {}), ("ter", {"normalized": True}),
    ("rouge_nlws", {}), ("rouge_nlws", {"use_stemmer": True}), ("rouge_nlws", {"multi_ref": "jackknife"}),
    ("rouge_nlws", {"compat": "rouge155", "rouge_types": ["rouge1", "rougeL", "rougeW1.2", "rougeSU4"]}),
    ("rouge_nlws", {"compat": "rouge"}), ("rouge_nlws", {"max_bytes": 40, "compat": "rouge155"}),
    ("bleu_rouge_f", {}), ("bleu_rouge_f", {"multi_ref": "average"}),
    ("jaccard_sets", {"variants": {"stem": {"stemmer": "en"}, "pairs": {"ngram": 2, "multiset": True}}}),
]  # fmt: skip


def corpus_of(systems, references):
    return read_systems(list(systems), list(systems.values()), references)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("metric", "options"), METRICS, ids=str)
def test_rows_of_systems_are_those_of_each_alone(monkeypatch, metric, options):
    references = [texts if number % 7 else [] for number, texts in enumerate(REFERENCES)]
    if options.get("compat") == "rouge":
        references = [texts[:1] or ["x"] for texts in references]
    options = {**options, "missing_references": "zero"}
    alone = [tercet.scorer(metric, **options).stats(texts, references) for texts in SYSTEMS.values()]
    for piece in (1 << 13, 20):
        monkeypatch.setattr("tercet.base.pieces.PIECE", piece)
        together = batch_stats(make_scorer(metric, options), corpus_of(SYSTEMS, references)).split(len(SYSTEMS))
        for stats, expected in zip(together, alone, strict=True):
            assert stats.signature == expected.signature
            np.testing.assert_array_equal(stats.rows, expected.rows)


@pytest.mark.parametrize(("metric", "options"), [
    ("embedding_cosine", {"model_type": MINILM}),
    ("bertscore_idf", {"model_type": MINILM, "num_layers": 3}),
    ("bertscore_idf", {"model_type": MINILM, "num_layers": 3, "compat": "bert_score", "batch_size": 7}),
    ("perplexity_lm", {"model_id": "gpt2"}),
], ids=without_path)  # fmt: skip
def test_so_are_those_of_networks_but_for_rounding(metric, options):
    """A text's neighbours in a batch change its last bits; of bert-score, padding by batches changes more."""
    if "model_id" in options:
        options = {"model_id": small_model(options["model_id"])}
    systems = {name: texts[:12] for name, texts in SYSTEMS.items()}
    scorer = make_scorer(metric, options)
    corpus = corpus_of(systems, REFERENCES[:12] if scorer.takes_references else None)
    for stats, texts in zip(batch_stats(scorer, corpus).split(3), systems.values(), strict=True):
        expected = tercet.scorer(metric, **options).stats(texts, REFERENCES[:12])
        np.testing.assert_allclose(stats.rows, expected.rows, rtol=1e-5, atol=1e-6)


class TestPieces:
    def test_parts_joined_are_the_whole_and_a_system_alone_has_the_references_too(self):
        for whole in (corpus_of(SYSTEMS, REFERENCES), corpus_of(SYSTEMS, REFERENCES).encoded()):
            parts = [whole.part(start, start + 7) for start in range(0, whole.n_segments, 7)]
            assert [part.first_item for part in parts] == list(range(0, whole.n_segments, 7))
            assert sum(part.n_segments for part in parts) == whole.n_segments
            assert join_batches(parts).columns() == whole.columns() == {**SYSTEMS, "references": REFERENCES}
            assert whole.system(2).columns() == {"third": SYSTEMS["third"], "references": REFERENCES}

    def test_a_segment_without_a_reference_is_missing_once(self):
        corpus = corpus_of({"a": ["x", "y"], "b": ["z", "x"]}, [["u", "v"], []])
        assert (corpus.missing, corpus.reference_counts.tolist(), corpus.one_each) == ([1], [2, 0, 2, 0], False)

    def test_chunks_of_arrow_are_joined(self):
        one, other = (pa.chunked_array(each, pa.large_string()) for each in ([["a"], ["b", "c"]], [[]]))
        assert Corpus(one, other, np.zeros(4, np.int64)).part(1, 3).texts.to_pylist() == ["b", "c"]


def test_what_cannot_be_read_is_named_with_its_system():
    cases = [
        ({"a": ["x"], "b": ["x", "y"]}, ["u"], "b and references must have one entry per item, got 2 predictions"),
        ({"a": ["x"], "b": ["x", "y"]}, None, "b must have one entry per item, as the first system has: got 2, exp"),
        ({"a": ["x", "y"], "b": ["x", 3]}, ["u", "v"], r"item 1 of b must be a string, got 3 \(int\)"),
        ({"a": ["x", "y"], "b": ["x", "\ud800"]}, ["u", "v"], "item 1 of b is not valid Unicode text: .* position 0"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, ["u", ["v"]], "item 1 of references is a list, but an earlier one is"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, [["u"], ["v", "\ud800"]], "a reference of item 1 is not valid Unicode"),
    ]  # fmt: skip
    for systems, references, message in cases:
        with pytest.raises(InputError, match=message):
            corpus_of(systems, references).encoded()


def test_what_a_function_cannot_normalize_is_named_with_its_system():
    corpus = corpus_of({"a": ["x", "y"], "b": ["x", "z"]}, ["u", "v"])
    with pytest.raises(InputError, match="item 1 of b"):
        corpus.normalized(lambda text: None if text == "z" else text)


@given(st.integers(1, 500), st.integers(1, 120))
def test_a_sample_has_one_of_each_stretch_of_the_same_length(n, number):
    found = sampled(n, number)
    step = max(1, n // number)
    assert [index // step for index in found] == list(range(n // step))
    assert len(found) == n if n < 2 * number else number <= len(found) < 2 * number


def test_texts_alone_have_no_reference_each():
    corpus = read_predictions(["кот", "猫"])
    assert (corpus.reference_offsets.tolist(), corpus.reference_counts.tolist()) == ([0, 0, 0], [0, 0])
    assert (corpus.missing, corpus.reference_lists(), corpus.has_references) == ([0, 1], [[], []], False)

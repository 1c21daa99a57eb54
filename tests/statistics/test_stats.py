"""Statistics add up, travel as Arrow, and know how they were made."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from conftest import ZERO_BLEU
from tercet.api import make_scorer
from tercet.base.scoring import summarize
from tercet.corpus.reading import read_batch
from tercet.errors import MergeError
from tercet.signature import Signature
from tercet.statistics.stats import SegmentStats
from texts import any_texts, corpora

#: Of what is made of counts, of the last item, of items left out, of several references.
SETTINGS = [
    ("bleu_multi", {}),
    ("bleu_multi", {"compat": "nltk", "smooth_method": "nltk7", "weights": {"flat": (0.5, 0.5)}}),
    ("bleu_multi", {"tokenizer": "unicode", "missing_references": "skip", "scale": 100}),
    ("rouge_nlws", {"output": "all", "multi_ref": "jackknife", "use_stemmer": True}),
    ("rouge_nlws", {"compat": "rouge155", "missing_references": "zero", "rouge_types": ["rougeW", "rougeSU"]}),
]


def equal(a, b):
    return (a.signature, a.columns) == (b.signature, b.columns) and np.array_equal(a.rows, b.rows)


@pytest.fixture
def rows():
    """Three segments, two statistics."""
    rows = np.array([[1.0, 1.0], [0.0, 1.0], [5.0, 1.0]])
    return SegmentStats(Signature.parse("m|tok:13a"), ("hits", "items"), rows)


class TestSegmentStats:
    def test_add_up_to_the_rows_of_both_in_order(self, rows):
        both = rows + SegmentStats(rows.signature, rows.columns, np.array([[7.0, 1.0]]))
        assert both.rows.tolist() == [[1, 1], [0, 1], [5, 1], [7, 1]]
        assert (len(rows), len(both)) == (3, 4)
        assert both.total().tolist() == [13, 4]
        assert both.column("hits").tolist() == [1, 0, 5, 7]
        with pytest.raises(TypeError):
            rows + rows.rows

    @pytest.mark.parametrize(
        ("signature", "columns"), [("m|tok:intl", ("hits", "items")), ("m|tok:13a", ("items", "hits"))]
    )
    def test_do_not_add_up_when_they_were_made_otherwise(self, rows, signature, columns):
        with pytest.raises(MergeError, match=re.escape(f"do not add up: m|tok:13a and {signature}")):
            rows + SegmentStats(Signature.parse(signature), columns, rows.rows)

    def test_counts_are_exact(self, rows):
        great = SegmentStats(Signature.parse("m"), ("n",), np.array([[2.0**52], [2.0**52 - 1]]))
        assert int(great.total()[0]) == 2**53 - 1


def test_rows_that_are_not_kept_stand_for_their_sums(rows):
    """Of two systems, whose rows follow one another in each part."""
    sums = SegmentStats(rows.signature, rows.columns, np.zeros((2, 2)), items_per_row=0)
    for hits in ([[2.0, 3.0], [5.0, 7.0]], [[11.0], [13.0]]):
        part = np.array([[hit, 2.0] for of_system in hits for hit in of_system])
        sums = sums.sums_with(SegmentStats(rows.signature, rows.columns, part))
    first, second = sums.split(2)
    assert (len(first), len(second), len(sums)) == (3, 3, 6)
    assert (first.total().tolist(), second.total().tolist()) == ([2 + 3 + 11, 6], [5 + 7 + 13, 6])
    # each of the three segments has a 2
    assert first.span("items") == "2"
    assert equal(first.selected(first.column("items") > 0), first)


class TestArrow:
    def test_brings_back_the_same_rows_and_signature(self, rows):
        assert rows.to_arrow().column_names == ["hits", "items"]
        for each in (rows, SegmentStats(rows.signature, rows.columns, rows.rows[:0])):
            assert equal(SegmentStats.from_arrow(each.to_arrow()), each)

    @pytest.mark.parametrize("metadata", [None, {}, {"other": "x"}])
    def test_without_a_signature_is_refused(self, rows, metadata):
        with pytest.raises(MergeError, match="The table has no signature"):
            SegmentStats.from_arrow(rows.to_arrow().replace_schema_metadata(metadata))


class TestPartsMakeTheWhole:
    @ZERO_BLEU
    @settings(max_examples=100)  # the first call imports what it needs
    @given(corpora(), st.data(), st.sampled_from(SETTINGS))
    def test_wherever_a_corpus_is_split(self, corpus, data, setting):
        metric, options = setting
        value = make_scorer(metric, options)
        predictions, references = corpus
        if "missing_references" in options:
            predictions, references = [*predictions, "a cat", "a mat"], [*references, [], ["a mat"]]
        cuts = sorted(data.draw(st.lists(st.integers(0, len(predictions)), max_size=3)))
        bounds = zip([0, *cuts], [*cuts, len(predictions)], strict=True)
        parts = [read_batch(predictions[low:high], references[low:high]) for low, high in bounds]
        rows = [value.segment_stats(part, value.fit(part)) for part in parts]
        merged, whole = sum(rows[1:], start=rows[0]), value.stats(predictions, references)
        assert equal(merged, whole)
        assert summarize(value, merged) == tercet.score(metric, predictions, references, **options)

    @given(corpora(any_texts), st.data())
    def test_also_for_what_is_learnt_from_the_corpus_first(self, corpus, data):
        scorer = make_scorer("rouge_nlws", {})
        predictions, references = corpus
        cut = data.draw(st.integers(0, len(predictions)))
        halves = [read_batch(predictions[part], references[part]) for part in (slice(None, cut), slice(cut, None))]
        assert scorer.fit(halves[0]) + scorer.fit(halves[1]) == scorer.fit(read_batch(predictions, references))


def test_the_sum_of_rows_cannot_be_changed_and_no_metric_changes_rows():
    stats = tercet.Bleu().stats(["a cat"], ["the cat"])
    with pytest.raises(ValueError, match="read-only"):
        stats.total()[0] = 7
    texts = ["a b c", "a b d", "x a b", "b c x", "c d a"]
    for metric in (tercet.Diversity(), tercet.Bleu(compat="nltk", smooth_method="nltk5")):
        stats = metric.stats(*[texts, texts][: 1 + metric.takes_references])
        for part in (stats, stats.selected(np.array([0]))):
            before = part.rows.copy()
            metric.corpus_totals(part)
            assert part.rows.tolist() == before.tolist()
            assert part.total().tolist() == before.sum(axis=0).tolist()


@pytest.mark.parametrize("metric", [tercet.Bleu(max_order=6), tercet.Chrf(word_order=2), tercet.Ter(), tercet.Wer()])
def test_sums_of_other_options_are_refused_by_their_number(metric):
    with pytest.raises(
        tercet.MergeError, match=r"The sums have 5 numbers, but these options have \d+: items, empty, "
    ):
        metric.finalize(np.zeros((3, 5)))

"""Statistics add up, travel as Arrow, and know how they were made; errors and results say what is needed."""

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from conftest import ZERO_BLEU
from tercet.api import make_scorer
from tercet.base.metric import summarize
from tercet.corpus.reading import read_batch
from tercet.errors import InputError, MergeError, OptionError, TercetError, did_you_mean, shorten
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

    def test_resample_is_a_weighted_sum_for_each_row_of_weights(self, rows):
        assert rows.resample(np.array([[1.0, 1, 1], [0, 0, 2]])).tolist() == [[6, 3], [10, 2]]

    def test_counts_are_exact(self, rows):
        great = SegmentStats(Signature.parse("m"), ("n",), np.array([[2.0**52], [2.0**52 - 1]]))
        assert int(great.total()[0]) == 2**53 - 1


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


@pytest.mark.parametrize("error", [InputError, OptionError, MergeError])
def test_every_error_on_purpose_is_a_value_error(error):
    assert issubclass(error, TercetError)
    assert issubclass(error, ValueError)


def test_did_you_mean_names_the_nearest_or_all():
    assert did_you_mean("ROUGEL", ["rouge1", "rougeL", "rougeLsum"]) == "Did you mean 'rougeL'?"
    assert did_you_mean("13b", iter(["13a", "intl"])) == "Did you mean '13a'?"
    assert did_you_mean("x", ["smooth_method", "tokenizer"]) == "Known: smooth_method, tokenizer."


LARGE = ["a" * 10**6, b"a" * 10**6, ["a"] * 10**6, ("a",) * 10**6, "短" * 100, {1: "a" * 100}]


@pytest.mark.parametrize("value", LARGE, ids=lambda value: type(value).__name__)
def test_shorten_cuts_a_value_of_any_size(value):
    shown = shorten(value, limit=20)
    assert (len(shown), shown[-1]) == (20, "…")
    assert repr(value if len(value) < 1000 else value[:30]).startswith(shown[:-1])


SHORT = [
    "", "abc", "a  b\n\u2028\x1b[31m", b"a", [1, 2], [], (), (1,), ("a", 2.5), None, 7, -(10**250), True, 1 + 2j, {},
    {"a": [1, {"b": ()}]}, set(), {1}, frozenset(), frozenset({"x"}), range(5), float("nan"), int,
]  # fmt: skip


def test_shorten_shows_a_short_value_whole():
    assert [shorten(value, limit=300) for value in SHORT] == list(map(repr, SHORT))


class Broken:
    def __init__(self, error):
        self.error = error

    def __repr__(self):
        raise self.error


class UnreadableText(str):
    def __repr__(self):
        raise RuntimeError

    __getitem__ = __str__ = __repr__


SELF = []
SELF.append(SELF)
DEEP = []
for _ in range(10**5):
    DEEP = [DEEP]


SHOWN = [
        (np.eye(2), "array([[1., 0.], [0., 1.]])"),
        (pd.Series(["a", "b"]), "0    a 1    b dtype: "),
        (pd.DataFrame({"mt": ["a"]}), "mt 0  a"),
        ([pd.Series([1])], "[0    1 dtype: int64]"),
        (pa.array(["a"]), '<pyarrow.lib.StringArray object at'),
        (Broken(ValueError("no")), "<Broken whose repr raises ValueError>"),
        ([Broken(RecursionError()), 1], "[<Broken whose repr raises RecursionError>, 1]"),
        (UnreadableText("abc"), "'abc'"),
        (10**5000, "<int of about 5,001 digits>"),
        (-(10**400), "<int of about 401 digits>"),
        ({"the": 10**5000}, "{'the': <int of about 5,001 digits>}"),
        (Fraction(1, 10**5000), "<Fraction whose repr raises ValueError>"),
        (SELF, "[[[[[["),
        (DEEP, "[[[[[["),
        (["a" * 10**7] * 10**6, "['aaaaaa"),
        ({"a" * 10**7: 1}, "{'aaaaaa"),
]  # fmt: skip


def test_shorten_shows_a_tensor_on_one_line():
    import torch

    assert shorten(torch.eye(2)) == "tensor([[1., 0.], [0., 1.]])"


def test_shorten_never_fails_and_is_one_line():
    for value, shown in SHOWN:
        found = shorten(value)
        assert found.startswith(shown)
        assert len(found) <= 60
        assert len(found.splitlines()) == 1


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

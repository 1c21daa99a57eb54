"""Statistics add up, travel as Arrow, and know how they were made; errors and results say what is needed."""

import itertools
import json
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from conftest import ZERO_BLEU
from tercet.api import make_scorer
from tercet.corpus.reading import read_batch
from tercet.errors import InputError, MergeError, OptionError, TercetError, did_you_mean, shorten
from tercet.metric.scoring import summarize
from tercet.signature import Signature
from tercet.statistics.draws import bootstrap_weights
from tercet.statistics.stats import SegmentStats
from texts import LATIN, all_pairs, any_texts, corpora

SETTINGS = [
    ("bleu_multi", {}),
    ("bleu_multi", {"compat": "nltk", "smooth_method": "nltk7", "weights": {"flat": (0.5, 0.5)}}),
    ("bleu_multi", {"tokenizer": "unicode", "missing_references": "skip", "scale": 100}),
    ("rouge_nlws", {}),
    ("rouge_nlws", {"output": "all", "multi_ref": "jackknife", "use_stemmer": True}),
    ("rouge_nlws", {"compat": "rouge155", "missing_references": "zero", "rouge_types": ["rougeW", "rougeSU"]}),
]
each_setting = pytest.mark.parametrize(("metric", "options"), SETTINGS)


def stats_of(scorer, predictions, references):
    batch = read_batch(predictions, references)
    return scorer.segment_stats(batch, scorer.fit(batch))


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

    @pytest.mark.parametrize(
        ("signature", "columns"), [("m|tok:intl", ("hits", "items")), ("m|tok:13a", ("items", "hits"))]
    )
    def test_do_not_add_up_when_they_were_made_otherwise(self, rows, signature, columns):
        with pytest.raises(MergeError, match=re.escape(f"do not add up: m|tok:13a and {signature}")):
            rows + SegmentStats(Signature.parse(signature), columns, rows.rows)

    def test_add_up_with_nothing_else(self, rows):
        with pytest.raises(TypeError):
            rows + rows.rows

    def test_resample_is_a_weighted_sum_for_each_row_of_weights(self, rows):
        assert rows.resample(np.array([[1.0, 1, 1], [0, 0, 2]])).tolist() == [[6, 3], [10, 2]]

    def test_column_by_name(self, rows):
        assert rows.column("hits").tolist() == [1, 0, 5]

    def test_counts_are_exact(self, rows):
        great = SegmentStats(Signature.parse("m"), ("n",), np.array([[2.0**52], [2.0**52 - 1]]))
        assert int(great.total()[0]) == 2**53 - 1


class TestArrow:
    def test_brings_back_the_same_rows_and_signature(self, rows):
        table = rows.to_arrow()
        assert table.column_names == ["hits", "items"]
        assert equal(SegmentStats.from_arrow(table), rows)

    def test_brings_back_no_rows_at_all(self, rows):
        none = SegmentStats(rows.signature, rows.columns, rows.rows[:0])
        assert equal(SegmentStats.from_arrow(none.to_arrow()), none)

    def test_may_come_in_several_chunks(self, rows):
        table = pa.concat_tables([rows.to_arrow().slice(0, 1), rows.to_arrow().slice(1)])
        assert equal(SegmentStats.from_arrow(table), rows)

    @pytest.mark.parametrize("metadata", [None, {}, {"other": "x"}])
    def test_without_a_signature_is_refused(self, rows, metadata):
        with pytest.raises(MergeError, match="The table has no signature"):
            SegmentStats.from_arrow(rows.to_arrow().replace_schema_metadata(metadata))

    @each_setting
    def test_gives_another_process_the_same_result(self, metric, options, tmp_path):
        scorer = make_scorer(metric, options)
        stats = stats_of(scorer, *all_pairs(LATIN))
        table = stats.to_arrow()
        with pa.OSFile(str(tmp_path / "stats.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        code = (
            "import sys, json, pyarrow as pa\n"
            "from tercet.api import make_scorer\nfrom tercet.metric.scoring import summarize\n"
            "from tercet.statistics.stats import SegmentStats\n"
            "stats = SegmentStats.from_arrow(pa.ipc.open_file(sys.argv[1]).read_all())\n"
            "scorer = make_scorer(sys.argv[2], json.loads(sys.argv[3]))\n"
            "print(json.dumps(summarize(scorer, stats).to_dict(full=True)))\n"
        )
        command = [sys.executable, "-c", code, str(tmp_path / "stats.arrow"), metric, json.dumps(options)]
        other = subprocess.run(command, check=True, timeout=60, stdout=subprocess.PIPE)
        assert json.loads(other.stdout) == summarize(scorer, stats).to_dict(full=True)


class TestPartsMakeTheWhole:
    @ZERO_BLEU
    @each_setting
    @settings(deadline=None)  # the first call imports what it needs
    @given(corpora(), st.data())
    def test_wherever_a_corpus_is_split(self, metric, options, corpus, data):
        scorer = make_scorer(metric, options)
        predictions, references = corpus
        if "missing_references" in options:
            predictions, references = [*predictions, "a cat", "a mat"], [*references, [], ["a mat"]]
        cuts = sorted(data.draw(st.lists(st.integers(0, len(predictions)), max_size=3)))
        bounds = list(zip([0, *cuts], [*cuts, len(predictions)], strict=True))
        parts = [stats_of(scorer, predictions[low:high], references[low:high]) for low, high in bounds]
        merged = sum(parts[1:], start=parts[0])
        whole = stats_of(scorer, predictions, references)
        assert equal(merged, whole)
        assert summarize(scorer, merged) == summarize(scorer, whole)
        assert summarize(scorer, whole) == tercet.score(metric, predictions, references, **options)

    @settings(deadline=None)
    @given(corpora(any_texts), st.data())
    def test_also_for_what_is_learnt_from_the_corpus_first(self, corpus, data):
        scorer = make_scorer("rouge_nlws", {})
        predictions, references = corpus
        cut = data.draw(st.integers(0, len(predictions)))
        halves = [read_batch(predictions[part], references[part]) for part in (slice(None, cut), slice(cut, None))]
        assert scorer.fit(halves[0]) + scorer.fit(halves[1]) == scorer.fit(read_batch(predictions, references))

    @each_setting
    def test_one_row_of_sums_is_enough_for_the_scores(self, metric, options):
        scorer = make_scorer(metric, options)
        stats = stats_of(scorer, *all_pairs(LATIN))
        corpus = scorer.finalize(stats.total())
        stacked = scorer.finalize(np.stack([stats.total()] * 2)[None])
        for name in scorer.score_names:
            assert stacked[name].tolist() == [[corpus[name], corpus[name]]]

    @each_setting
    def test_a_resample_of_every_segment_once_is_the_corpus(self, metric, options):
        stats = stats_of(make_scorer(metric, options), *all_pairs(LATIN))
        np.testing.assert_allclose(stats.resample(np.ones((1, len(stats))))[0], stats.total(), rtol=1e-12)
        for weights in bootstrap_weights(len(stats), 5, seed=1):
            assert weights.sum(axis=1).tolist() == [len(stats)] * 5

    def test_not_under_other_options(self):
        pair = all_pairs(LATIN)
        with pytest.raises(MergeError):
            stats_of(make_scorer("bleu_multi", {}), *pair) + stats_of(
                make_scorer("bleu_multi", {"lowercase": True}), *pair
            )

    def test_not_of_other_metrics(self):
        pair = all_pairs(LATIN)
        with pytest.raises(MergeError):
            stats_of(make_scorer("bleu_multi", {}), *pair) + stats_of(make_scorer("rouge_nlws", {}), *pair)


@pytest.mark.parametrize("error", [InputError, OptionError, MergeError])
def test_every_error_on_purpose_is_a_value_error(error):
    assert issubclass(error, TercetError)
    assert issubclass(error, ValueError)


@pytest.mark.parametrize(
    ("given_name", "known", "hint"),
    [
        ("smooth_metod", ["smooth_method", "tokenizer"], "Did you mean 'smooth_method'?"),
        ("ROUGEL", ["rouge1", "rougeL", "rougeLsum"], "Did you mean 'rougeL'?"),
        ("x", ["smooth_method", "tokenizer"], "Known: smooth_method, tokenizer."),
        ("13b", iter(["13a", "intl"]), "Did you mean '13a'?"),
    ],
)
def test_did_you_mean_names_the_nearest_or_all(given_name, known, hint):
    assert did_you_mean(given_name, known) == hint


@pytest.mark.parametrize(
    "value", ["a" * 10**6, b"a" * 10**6, ["a"] * 10**6, ("a",) * 10**6, "短" * 100, {1: "a" * 100}]
)
def test_shorten_cuts_a_value_of_any_size(value):
    shown = shorten(value, limit=20)
    assert len(shown) == 20
    assert shown.endswith("…")
    assert repr(value if len(value) < 1000 else value[:30]).startswith(shown[:-1])


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            "abc",
            "a  b\n\u2028\x1b[31m",
            b"a",
            [1, 2],
            [],
            (),
            (1,),
            ("a", 2.5),
            None,
            7,
            -(10**250),
            True,
            1 + 2j,
        ),
        *({}, {"a": [1, {"b": ()}]}, set(), {1}, frozenset(), frozenset({"x"}), range(5), float("nan"), int),
    ],
)
def test_shorten_shows_a_short_value_whole(value):
    assert shorten(value, limit=300) == repr(value)


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


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.eye(2), "array([[1., 0.], [0., 1.]])"),
        (pd.Series(["a", "b"]), "0    a 1    b dtype: "),
        (pd.DataFrame({"mt": ["a"]}), "mt 0  a"),
        ([pd.Series([1])], "[0    1 dtype: int64]"),
        (torch.eye(2), "tensor([[1., 0.], [0., 1.]])"),
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
    ],
    ids=itertools.count(),
)  # fmt: skip
def test_shorten_never_fails_and_is_one_line(value, shown):
    found = shorten(value)
    assert found.startswith(shown)
    assert len(found) <= 60
    assert len(found.splitlines()) == 1

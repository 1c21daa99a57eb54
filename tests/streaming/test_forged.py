"""Sums of which the digest is right, and which no texts can give: whoever writes a file can make its digest."""

import tempfile
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import FEW_ITEMS, ZERO_BLEU
from tercet import InputError, MergeError, Stream, arrow_statistics
from tercet.api import make_scorer
from tercet.base.pieces import corpus_stats
from tercet.errors import TercetError
from tercet.statistics.exact_sums import DECIMAL
from tercet.streaming.arrow_file import read_arrow_file, write_arrow_file
from texts import all_pairs, corpora

ASKED = {"confidence_level": 0.9, "n_resamples": 5}
METRICS = [
    ("bleu_multi", {}),
    ("bleu_multi", {"compat": "nltk", "smooth_method": "nltk3", "missing_references": "zero"}),
    ("bleu_multi", {"tokenizer": "char", "smooth_method": "nltk5", "max_order": 2, "missing_references": "skip"}),
    ("chrf_multi", {"word_order": [0, 2], "missing_references": "skip"}),
    ("ter", {"missing_references": "zero"}),
    ("wer", {"missing_references": "skip"}),
    ("rouge_nlws", {"tokenizer": "unicode", "output": "all"}),
    ("rouge_nlws", {"tokenizer": "rouge", "multi_ref": "jackknife", "missing_references": "zero"}),
    ("rouge_nlws", {"compat": "rouge155", "missing_references": "skip"}),
    ("bleu_rouge_f", {"missing_references": "zero"}),
    ("bleu_rouge_f", {"missing_references": "skip", "multi_ref": "average"}),
    ("jaccard_sets", {"variants": {"letters": {"tokenizer": "char"}}, "missing_references": "zero"}),
    ("google_bleu", {"missing_references": "zero"}),
]

pytestmark = [ZERO_BLEU, FEW_ITEMS, pytest.mark.filterwarnings("ignore:.*(13a|left out|letter):UserWarning")]


#: Texts of few words, which repeat: other references are the best of other orders.
REPETITIVE = st.lists(st.sampled_from(["the", "a", "кот", "猫"]), max_size=12).map(" ".join)


@pytest.mark.parametrize(("metric", "options"), METRICS)
@given(corpora() | corpora(REPETITIVE))
def test_what_a_metric_says_of_its_columns_is_true_of_every_row(metric, options, corpus):
    scorer = make_scorer(metric, {"missing_references": "zero", **options})
    stats, _ = corpus_stats(scorer, scorer.corpus(*corpus))
    for chain in scorer.ascending:
        for name, larger in pairwise(chain):
            assert (stats.column(name) <= stats.column(larger)).all(), (name, larger)


def saved(metric, options, path):
    stream = Stream(metric, **options, **ASKED)
    stream.add(*all_pairs())
    stream.save(path)
    return read_arrow_file(path, "stream")


def forge(path, header, table, **values):
    """Write the file anew, with other sums of the corpus."""
    for name, value in values.items():
        column = pa.array([value, *table[name].to_pylist()[1:]], DECIMAL)
        table = table.set_column(table.column_names.index(name), name, column)
    write_arrow_file(path, "stream", header, table)


@pytest.mark.parametrize(
    ("metric", "values", "message"),
    [
        ("bleu_multi", {"length": 0}, "'total1' is more than that of 'length'"),
        ("bleu_multi", {"length": 2**62}, "'length' is more than that of 'total1'"),
        ("bleu_multi", {"closest": 0}, "'shortest' is more than that of 'closest'"),
        ("bleu_multi", {"total1": 0, "total2": 0}, "'match1' is more than that of 'total1'"),
        ("chrf_multi", {"chrf_c2_matches": 10**6}, "'chrf_c2_matches' is more than that of 'chrf_c2_prediction'"),
        ("bleu_rouge_f", {"hit2": 10**6}, "'hit2' is more than that of 'reference_total2'"),
        ("rouge_nlws", {"rouge1_recall": 10**6}, "'rouge1_recall' is more than that of 'items'"),
        ("jaccard_sets", {"jaccard_shared": 10**6}, "'jaccard_shared' is more than that of 'jaccard_either'"),
        ("google_bleu", {"ngrams": 0}, "'matches' is more than that of 'ngrams'"),
    ],
)
def test_sums_that_cannot_belong_together_are_refused_by_name(metric, values, message, tmp_path):
    path = tmp_path / "a.stream"
    options = {"tokenizer": "unicode"} if metric == "rouge_nlws" else {}
    forge(path, *saved(metric, options, path), **values)
    with pytest.raises(MergeError) as error:
        Stream.load(path)
    assert str(error.value) == f"a.stream: The sum of {message}, which no texts can give."
    with pytest.raises(MergeError, match="which no texts can give"):
        Stream.from_arrow(read_arrow_file(path, "stream")[1], metric, **options, **ASKED)


def test_names_that_are_not_utf_8_are_refused(tmp_path):
    path = tmp_path / "a.stream"
    header, table = saved("ter", {}, path)
    named = table.rename_columns([*table.column_names[:-1], "zzzz"])
    write_arrow_file(path, "stream", header, named)
    data = path.read_bytes()
    schema = pa.ipc.read_schema(
        pa.BufferReader(named.schema.serialize().to_pybytes().replace(b"zzzz", b"\xff\xfezz"))
    )
    broken = pa.Table.from_arrays(named.columns, schema=schema)
    write_arrow_file(path, "stream", header, broken)
    assert b"\xff\xfezz" in path.read_bytes() != data
    with pytest.raises(InputError, match=r"a\.stream is damaged, or was not written by Stream\.save"):
        Stream.load(path)
    for call in (lambda: Stream.from_arrow(broken, "ter"), lambda: arrow_statistics(broken, "ter")):
        with pytest.raises(InputError, match="The table has a column whose name is not UTF-8"):
            call()


NUMBERS = st.one_of(
    st.sampled_from([0, 1, -1, 2**62, 10**19, Decimal("0.5"), Decimal("1e-18"), Decimal("-1e-18")]),
    st.integers(0, 2000),
    st.decimals(-2, 2000, places=3),
)


@pytest.mark.parametrize(("metric", "options"), METRICS)
@settings(deadline=None)
@given(data=st.data())
def test_any_damage_is_refused_or_gives_sums_that_texts_could_have(metric, options, data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.stream"
        header, table = saved(metric, options, path)
        for name in data.draw(st.lists(st.sampled_from(table.column_names[2:]), min_size=1, max_size=4)):
            values = table[name].to_pylist()
            values[data.draw(st.integers(0, len(values) - 1))] = data.draw(NUMBERS)
            table = table.set_column(table.column_names.index(name), name, pa.array(values, DECIMAL))
        write_arrow_file(path, "stream", header, table)
        try:
            stream = Stream.load(path)
        except TercetError as error:
            assert str(error).startswith("a.stream")  # noqa: PT017
            return
        sums, scorer = stream.to_arrow(), make_scorer(metric, {**options, **ASKED})
        for chain in scorer.ascending:
            for name, larger in pairwise(chain):
                pairs = zip(sums[name].to_pylist(), sums[larger].to_pylist(), strict=True)
                assert all(one <= other for one, other in pairs)
        try:
            stream.result()
        except InputError as error:
            assert "no items" in str(error) or "No item" in str(error)  # noqa: PT017

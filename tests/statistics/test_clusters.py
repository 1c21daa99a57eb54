"""Clusters: repeats of a sample, or segments of a document, are one unit of every interval and test."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.errors import InputError
from tercet.statistics.clusters import Clusters, clustered
from tercet.statistics.intervals import bootstraps
from tercet.statistics.kinds_of_tests import BOOTSTRAP, PERMUTATION
from tercet.statistics.paired_tests import all_pairs_test

WORDS = ["the", "cat", "sat", "кот", "сидит", "мэо", "猫", "ngồi", "حصان", "runs"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
ITEMS = st.lists(st.tuples(SENTENCES, SENTENCES, SENTENCES), min_size=2, max_size=8)
METRICS = [
    tercet.Bleu(smooth_method="none"), tercet.Chrf(), tercet.Ter(), tercet.Rouge(tokenizer="unicode"),
    tercet.Jaccard(),
]  # fmt: skip

REFERENCES = ["the cat sat on the mat", "it rains in the north", "a dog barks at night", "we took the last train"]
ONE = ["the cat sat on a mat", "it rains north", "a dog barked at night", "we took last train"]
OTHER = ["the cat sat on the mat", "it rains in the north", "a dog barks at the night", "we took the last train"]


#: What a row has in numbers, or not: of the baseline, all but the first three are None.
NUMBERS = (
    "value",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "pvalue",
    "adjusted_pvalue",
    "wins",
    "ties",
    "losses",
)


def close(one, other):
    return one == pytest.approx(other, rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@given(items=ITEMS, times=st.integers(2, 5), together=st.booleans())
def test_copies_of_every_item_change_no_interval_p_or_standard_error(metric, items, times, together):
    """Whether the copies of an item follow it, as repeats do, or all items, as epochs do."""

    def copies(texts):
        return [text for text in texts for _ in range(times)] if together else list(texts) * times

    predictions, others, references = zip(*items, strict=True)
    systems = [metric.stats(texts, references) for texts in (predictions, others)]
    copied = [metric.stats(copies(texts), copies(references)) for texts in (predictions, others)]
    clusters = Clusters.of(copies(range(len(items))), times * len(items))
    units = clustered(copied, clusters)

    for method in ("expanded", "percentile", "BCa"):
        settings = {"n_resamples": 50, "method": method}
        for once, many in zip(
            bootstraps(metric, systems, **settings), bootstraps(metric, units, **settings), strict=True
        ):
            for name in metric.score_names:
                assert close(many[name].confidence_interval, once[name].confidence_interval)
                assert close(many[name].standard_error, once[name].standard_error)
    for test in (PERMUTATION, BOOTSTRAP):
        once, many = (
            all_pairs_test(metric, rows, [(0, 1)], test, n_resamples=60, seed=1) for rows in (systems, units)
        )
        assert {name: each.pvalues.tolist() for name, each in many.items()} == {
            name: each.pvalues.tolist() for name, each in once.items()
        }


@pytest.mark.parametrize("metrics", ["chrf", ["bleu:smooth_method=none", "ter", "rouge:rouge_types=rougeL"]])
def test_ten_epochs_of_four_samples_are_four_units(metrics):
    once = tercet.compare({"one": ONE, "other": OTHER}, metrics, references=REFERENCES)
    systems = {"one": ONE * 10, "other": OTHER * 10}
    samples = [f"s{number}" for number in range(4)] * 10
    many = tercet.compare(systems, metrics, references=REFERENCES * 10, cluster=samples)
    for one, ten in zip(once.tables, many.tables, strict=True):
        for row, same in zip(ten.rows, one.rows, strict=True):
            for name in NUMBERS:
                value = getattr(row, name)
                expected = getattr(same, name)
                assert value is None if expected is None else close(value, expected), name
            for name in ("system", "best", "as_good", "rank", "group", "digits"):
                assert getattr(row, name) == getattr(same, name), name
        assert ten.rows[1].pvalue >= 0.125
    notes = " ".join(many.remarks())
    assert "Resampled by 4 clusters of 10." in notes
    assert "Too few clusters for any test: with 4 clusters, p is 0.125 or more." in notes
    assert many.to_dict()["clusters"] == {"by": None, "number": 4, "sizes": [10, 10]}
    assert "No intervals: 4 clusters cannot tell how much scores vary; 5 or more would." in notes
    assert Clusters.of(["s"] * 4, 4).notes() == ["Resampled by 1 cluster of 4."]
    with pytest.warns(UserWarning, match="36 of 40 segments are exact copies of earlier ones"):
        independent = tercet.compare(systems, metrics, references=REFERENCES * 10)
    assert independent.tables[0].rows[1].pvalue < 0.01
    assert independent.to_dict()["clusters"] is None


def test_intervals_of_a_score():
    texts, references = [*ONE, "so it is"], [*REFERENCES, "so it was"]
    once = tercet.score("chrf", texts, references, confidence_level=0.9)
    many = tercet.score("chrf", texts * 3, references * 3, confidence_level=0.9, cluster=np.arange(15) % 5)
    assert many.intervals == once.intervals
    assert (many.n_segments, many.n_clusters) == (15, 5)
    assert "|clusters:5|" in many.signature
    assert "clusters" not in once.signature
    assert tercet.Chrf()(texts * 3, references * 3, confidence_level=0.9, cluster=[*"abcde"] * 3) == many


def test_fewer_than_five_clusters_have_no_interval_and_are_told_so():
    with pytest.warns(
        UserWarning, match="No intervals: 4 clusters cannot tell how much scores vary; 5 or more would"
    ):
        found = tercet.score("chrf", ONE * 3, REFERENCES * 3, confidence_level=0.9, cluster=[*"abcd"] * 3)
    assert found.intervals == {"chrf": pytest.approx([np.nan, np.nan], nan_ok=True)}


def test_clusters_without_intervals_have_no_effect_and_say_so():
    with pytest.warns(UserWarning, match="cluster= has no effect without confidence_level="):
        tercet.score("chrf", ONE, REFERENCES, cluster=[1, 1, 2, 2])


def test_segments_that_are_left_out_leave_their_clusters():
    texts, references = [*ONE, *OTHER], [*REFERENCES, *ONE]
    targets = [*([text] for text in references[:7]), []] * 2
    options = {"missing_references": "skip", "confidence_level": 0.95}
    with_gaps = tercet.score("chrf", texts * 2, targets, cluster=[*"abcdefgh"] * 2, **options)
    seven = texts[:7] * 2, references[:7] * 2
    without = tercet.score("chrf", *seven, cluster=[*"abcdefg"] * 2, confidence_level=0.95)
    assert with_gaps.intervals == without.intervals
    assert with_gaps.n_clusters == 7


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("abcd", "cluster: expected a label for each item, got 'abcd'"),
        ([1, 2], "cluster: there must be a label for each item, got 2 labels for 4 items"),
        ([1, 2, None, 2], "cluster: item 2 has the label None; expected a text or an integer"),
        ([1, 2, "", 2], "cluster: item 2 has the label ''"),
        ([1, 2, " ", 2], "cluster: item 2 has the label ' '"),
        ([1, 2, 10**5000, 2], "cluster: item 2 has the label"),
        ([1, 2, 2**512, 2], "cluster: item 2 has the label"),
        ([1, 2, 0.5, 2], "cluster: item 2 has the label 0.5"),
    ],
)
def test_labels_are_checked(labels, message):
    with pytest.raises(InputError) as caught:
        tercet.compare({"one": ONE, "other": OTHER}, "chrf", references=REFERENCES, cluster=labels)
    assert message in str(caught.value)


def test_of_files_it_is_a_column(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("mt\tref\tdoc\na\tb\t1\nc\td\t \n", encoding="utf-8")
    with pytest.raises(InputError, match=r"cluster= of files is the name of a column, got \[1, 2\]"):
        tercet.read_test_sets(path, cluster=[1, 2])
    with pytest.raises(InputError, match="line 3, column 'doc': expected the name of the row's cluster"):
        tercet.read_test_sets(path, cluster="doc")


def test_streams_draw_clusters_whatever_the_batches():
    rng = np.random.default_rng(3)
    references = [" ".join(rng.choice(WORDS, 6)) for _ in range(60)]
    predictions = [" ".join(rng.choice(WORDS, 6)) for _ in range(60)]
    intervals = []
    for times in (1, 4):
        stream = tercet.Stream("chrf", confidence_level=0.95)
        for repeat in range(times):
            ids = [f"{number}-{repeat}" for number in range(60)]
            stream.add(predictions, references, ids=ids, cluster=range(60))
        intervals.append(stream.result().intervals["chrf"])
    assert close(*intervals)
    assert "|ids:clusters|" in stream.result().signature
    with pytest.raises(tercet.errors.MergeError, match="Earlier items had clusters, these have ids"):
        stream.add(predictions, references, ids=range(60))
    with pytest.raises(InputError, match="cluster: there must be a label for each item, got 1 labels for 60 items"):
        stream.add(predictions, references, cluster=[1])


GRADED = {
    "A": [*ONE, "кот спит"],
    "B": [*OTHER, "кошка спит дома"],
    "C": ["a cat", "rain", "the dogs bark", "we went by train", "кошка"],
}
GRADES = {"A": [3, 2, 3, 4, 2], "B": [5, 5, 4, 5, 5], "C": [1, 3, 2, 2, 1]}
OF_GRADED = [*REFERENCES, "кошка спит дома"]


@given(labels=st.lists(st.integers(0, 30), max_size=60), data=st.data())
def test_clusters_of_some_segments_are_numbered_in_the_order_in_which_they_first_occur(labels, data):
    clusters = Clusters.of(labels, len(labels), "doc_id")
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels))), bool)
    for segments in (kept, np.flatnonzero(kept), np.flatnonzero(kept)[::-1]):
        selected = clusters.selected(segments)
        labels_kept = np.array(labels, int)[segments]
        as_labelled = Clusters.of(labels_kept, len(labels_kept))
        assert selected.numbers.tolist() == as_labelled.numbers.tolist()
        assert selected.numbers.dtype == np.int64
        assert (len(selected), selected.name) == (len(as_labelled), "doc_id")


class TestCorrelate:
    @pytest.mark.parametrize("figure", ["pooled.pearson", "item.acc_eq", "system.pearson", "item.kendall_b"])
    def test_copies_change_no_interval_and_no_p(self, figure):
        settings = {"rank_by": figure, "n_resamples": 50, "n_permutations": 99}
        metrics = ["chrf", "ter"]
        once = tercet.correlate(GRADED, metrics, GRADES, references=OF_GRADED, **settings)
        systems = {name: texts * 5 for name, texts in GRADED.items()}
        grades = {name: values * 5 for name, values in GRADES.items()}
        many = tercet.correlate(
            systems, metrics, grades, references=OF_GRADED * 5, cluster=list(range(5)) * 5, **settings
        )
        one, five = once.tables[0], many.tables[0]
        assert np.allclose(one.pvalues, five.pvalues)
        for metric in one.figures:
            for name in ("pooled.pearson", "item.acc_eq", "system.pearson"):
                a, b = one.figures[metric][name], five.figures[metric][name]
                assert close((a.value, a.low, a.high), (b.value, b.low, b.high)), (metric, name)
        assert "Resampled by 5 clusters of 5." in many.legend()
        assert many.to_dict()["clusters_of_items"]["number"] == 5
        assert "Only 5 clusters of graded items" in five.remarks[0]

    def test_items_of_a_cluster_are_in_the_same_fold(self):
        from tercet.correlation.folds import _folds

        clusters = np.repeat(np.arange(10), 3)
        for kept, held in _folds(np.ones((2, 30)), 1, 5, 7, clusters):
            assert not set(clusters[kept]) & set(clusters[held])
            assert len(kept) + len(held) == 30

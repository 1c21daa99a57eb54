"""A stream's result is that of `tercet.score`; what is refused adds nothing."""

import copy
import math
import pickle
import re
import warnings
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from test_same_bits import COUNTS

import tercet
from conftest import ANY_TEXTS, FEW_ITEMS, ZERO_BLEU, close, needed
from growth import times_longer
from tercet import InputError, MergeError, OptionError, Stream
from texts import PAIRS, all_pairs

NETWORKS = [("bertscore_idf", {"idf": False}), ("embedding_cosine", {}), ("perplexity_lm", {})]
ROUGE = {"rouge_types": ["rouge1", "rougeL"], "tokenizer": "unicode"}
ASKED = {**ROUGE, "confidence_level": 0.9, "n_resamples": 50}

pytestmark = [ZERO_BLEU, FEW_ITEMS]
each_metric = pytest.mark.parametrize(("metric", "options"), COUNTS + NETWORKS)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def some_corpus(options):
    """Return texts of all languages; with items without references where the options take such."""
    predictions, references = all_pairs()
    if "missing_references" in options:
        predictions, references = [*predictions, "ein Wort", "слово"], [*references, [], ["одно слово"]]
    return predictions, references


def stream_of(metric, parts, **options):
    stream = Stream(metric, **needed(metric), **options)
    for part in parts:
        stream.add(*part)
    return stream


def cut(corpus, bounds):
    """Return the parts of a corpus (of predictions, references, perhaps ids) between bounds."""
    return [tuple(column[low:high] for column in corpus) for low, high in pairwise(bounds)]


def near(found, expected, tolerance):
    """Return whether all floats in a value are as near as that, and all else is equal."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(near(found[name], expected[name], tolerance) for name in found)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(
            near(*each, tolerance) for each in zip(found, expected, strict=True)
        )
    return found == expected or (isinstance(expected, float) and abs(found - expected) <= tolerance)


class TestTheResult:
    @ANY_TEXTS
    @each_metric
    def test_is_that_of_score(self, metric, options):
        corpus = some_corpus(options)
        stream = stream_of(metric, cut(corpus, [0, 1, 6, 6, 40]), **options)
        found = quietly(stream.result)
        expected = quietly(tercet.score, metric, *corpus, **needed(metric), **options)
        lists = [name for name, value in expected.items() if isinstance(value, list) and len(value) == len(corpus[0])]
        assert found.keys() == expected.keys() - set(lists)
        for name, value in found.items():
            if metric in dict(NETWORKS):
                assert close(metric, value, expected[name])
            else:
                tolerance = 0 if metric == "bleu_multi" else 2e-15 * options.get("scale", 1)
                assert near(value, expected[name], tolerance)
        for name in ("metric", "n_segments", "empty_predictions", "missing_references"):
            assert getattr(found, name) == getattr(expected, name)
        assert found.signature == expected.signature
        assert type(found) is type(expected)

    def test_says_how_many_references_the_items_have_that_are_scored(self):
        for references, shown in (
            ([["a"], ["b"]], "1"), ([["a", "b"], ["b", "c"]], "2"), ([["a"], ["b", "c"]], "1-2"),
            ([["a"] * 30, ["b"] * 4], "4-30"), ([["a"] * 31, ["b"]], "mean 16"), ([["a"] * 40, ["b"] * 40], "40"),
        ):  # fmt: skip
            one, other = (stream_of("rouge", [(["x"], [each])], **ROUGE) for each in references)
            other.merge(one)
            assert f"|refs:{shown}|" in other.result().signature
        for missing, shown in [("skip", "1-2"), ("zero", "0-2")]:
            corpus = ["x", "y", "z"], [[], ["a"], ["b", "c"]]
            found = stream_of("rouge", [corpus], missing_references=missing, **ROUGE).result()
            assert f"|refs:{shown}|" in found.signature
            assert found.signature == tercet.score("rouge", *corpus, missing_references=missing, **ROUGE).signature

    def test_can_be_asked_for_at_any_time_but_of_nothing_and_has_the_keys_that_options_ask_for(self):
        for signature in [False, True]:
            stream = Stream("rouge", **ROUGE, signature=signature, confidence_level=0.9)
            for _ in range(2):
                with pytest.raises(InputError, match=r"^There are no items: nothing was added\.$"):
                    stream.result()
                stream.add([], [])
            stream.add(["a b"], ["a c"])
            first = stream.result()
            stream.add(["d"], ["d"])
            assert (first["rouge1"], stream.result()["rouge1"]) == (0.5, 0.75)
            assert stream.result() == stream.result()
            assert ("signature" in first) == signature
            assert first["intervals"] == first.intervals

    def test_warns_as_score_does(self):
        japanese = PAIRS["ja"] + PAIRS["zh"]
        stream = stream_of("bleu", [([p], [r]) for p, r in japanese])
        with pytest.warns(UserWarning, match=r"bleu_multi: .*13a"):
            stream.result()


class TestIntervals:
    def test_are_those_of_the_seed_and_by_ids_where_there_are_some(self):
        corpus = all_pairs()
        one, same, other = (stream_of("rouge", [corpus], **ASKED, seed=seed).result() for seed in (1, 1, 2))
        assert one.intervals == same.intervals != other.intervals
        assert all(low < one[name] < high for name, (low, high) in one.intervals.items())
        assert "resamples:poisson,50,1|ids:texts|" in one.signature
        assert "|ci:0.9,expanded|" in one.signature
        by_ids = stream_of(
            "rouge", [(*corpus, [f"item {i}" for i in range(len(corpus[0]))])], **ASKED, seed=1
        ).result()
        assert one["rouge1"] == by_ids["rouge1"]
        assert one.intervals != by_ids.intervals
        assert "|ids:given|" in by_ids.signature

    def test_draw_systems_with_the_same_ids_alike(self):
        """Two systems with the same scores have the same intervals, whatever their texts are."""
        ids = list(range(40))
        references = [f"a {each}" for each in ids]
        one, other = (
            stream_of("rouge", [([f"{word} {each // 2}" for each in ids], references, ids)], **ASKED).result()
            for word in ("x", "y")
        )
        assert one.intervals == other.intervals

    def test_of_one_item_there_are_none_as_of_score(self):
        for n_resamples in [1, 2, 3, 1000]:
            corpus = ["a b c"], ["a b d"]
            found = stream_of("rouge", [corpus], **{**ASKED, "n_resamples": n_resamples}).result()
            assert found.intervals == tercet.score("rouge", *corpus, **{**ASKED, "n_resamples": 1000}).intervals
            assert all(math.isnan(low) for low, _ in found.intervals.values())

    @pytest.mark.needs("torch")
    def test_of_one_text_again_and_again_under_a_language_model_are_its_score(self):
        given = {"n_resamples": 50, "confidence_level": 0.9}
        stream = Stream("perplexity_lm", **needed("perplexity_lm"), **given)
        stream.add(["The ferry leaves at noon."] * 9, ids=range(9))
        result = stream.result()
        assert all(low == high == result[name] for name, (low, high) in result.intervals.items())


class TestIds:
    def test_may_be_any_list_of_texts_or_whole_numbers(self):
        cases = [
            ["7", "8"], (7, 8), np.array([7, 8]), np.array(["7", "8"]), pa.array([7, 8]), pa.array(["7", "8"]),
            pa.chunked_array([["7"], ["8"]]), pa.array(["7", "8"]).dictionary_encode(), pd.Series([7, 8]),
            pd.Series(["7", "8"]), range(7, 9), iter(["7", 8]),
            [np.int8(7), np.str_("8")], pa.array(["7", "8"], pa.string_view()),
        ]  # fmt: skip
        for ids in cases:
            corpus = ["a b", "c d e"], ["a c", "c"]
            found = stream_of("rouge", [(*corpus, ids)], **ASKED)
            assert found.to_arrow().equals(stream_of("rouge", [(*corpus, [7, "8"])], **ASKED).to_arrow())

    def test_may_be_a_series_of_polars(self):
        pl, corpus = pytest.importorskip("polars"), (["a b", "c d e"], ["a c", "c"])
        expected = stream_of("rouge", [(*corpus, [7, "8"])], **ASKED).to_arrow()
        for ids in (pl.Series([7, 8]), pl.Series(["7", "8"])):
            assert stream_of("rouge", [(*corpus, ids)], **ASKED).to_arrow().equals(expected)

    def test_of_another_kind_or_number_are_refused_and_add_nothing(self):
        cases = [
            (["a"], "There must be an id for each item, got 1 ids for 2 items."),
            ([], "There must be an id for each item, got 0 ids for 2 items."),
            (["a", "b", "c"], "There must be an id for each item, got 3 ids for 2 items."),
            (["a", "a"], "items 0 and 1 have the same id, 'a': ids must differ."),
            ([7, "7"], "items 0 and 1 have the same id, '7': ids must differ."),
            (["a", None], "the id of item 1 must be a string or an integer, got None."),
            (np.array([1.0, 2.0]), "the id of item 0 must be a string or an integer, got"),
            (["a", True], "the id of item 1 must be a string or an integer, got True."),
            ([b"a", b"b"], "the id of item 0 must be a string or an integer, got b'a'."),
            (["a", "\ud800"], r"the id of item 1 cannot be written in UTF-8: '\ud800'."),
            ([10**5000, 1], "the id of item 0 cannot be written in UTF-8: <int of about 5,001 digits>."),
            ("ab", "ids must be a list with a string or an integer per item, got 'ab' (str)."),
            (7, "ids must be a list with a string or an integer per item, got 7 (int)."),
            ({"a": 1, "b": 2}, "ids must be a list with a string or an integer per item, got {'a'"),
            (pa.array([1.0, 2.0]), "ids are double; expected a string or an integer for each item."),
            (pa.array(["a", None]), "item 1 has no id; expected a string or an integer for each item."),
        ]
        for ids, message in cases:
            stream = stream_of("rouge", [(["k"], ["k"], ["first"])], **ASKED)
            before = stream.to_arrow()
            with pytest.raises(InputError, match=f"^{re.escape(message)}"):
                stream.add(["x", "y"], ["x", "z"], ids=ids)
            assert stream.to_arrow().equals(before)

    def test_are_given_for_all_items_or_for_none_where_resamples_are_drawn(self):
        for first in [None, [1]]:
            stream = stream_of("rouge", [(["x"], ["x"], first)], **ASKED)
            with pytest.raises(
                MergeError, match=r"Earlier items had (neither ids nor clusters|ids), these have (ids|n)"
            ):
                stream.add(["y"], ["y"], ids=[2] if first is None else None)
            assert len(stream) == 1
            free = stream_of("rouge", [(["x"], ["x"], first), (["y"], ["y"], [2])], **ROUGE)
            assert len(free) == 2


def test_of_streams_that_merge_all_had_ids_or_none():
    stream, other = (stream_of("rouge", [([text], [text], ids)], **ASKED) for text, ids in (("x", None), ("y", [1])))
    with pytest.raises(MergeError, match=r"^Earlier items had neither ids nor clusters, these have ids: give all"):
        stream.merge(other)


def test_clusters_without_intervals_are_warned_of_once():
    stream = tercet.Stream("rouge", **ROUGE)
    with pytest.warns(UserWarning, match="cluster= has no effect without confidence_level="):
        stream.add(["x"], ["x"], cluster=["a"])
    stream.add(["y"], ["y"], cluster=["a"])  # warnings are errors in tests


def test_missing_references_are_an_error_that_names_the_item_and_adds_nothing_or_leave_no_result():
    stream = stream_of("rouge", [(["k"], ["k"])], **ROUGE)
    with pytest.raises(InputError, match=r"item 1 .* of references"):
        stream.add(["a b", "c d", "e", "f"], [["a c"], [], ["e"], []])
    assert len(stream) == 1
    stream = stream_of("rouge", [(["a"], [[]])], **ROUGE, missing_references="skip", confidence_level=0.9)
    with pytest.raises(InputError, match="left all of them out"):
        stream.result()
    stream.add(["a"], [["a"]])
    assert stream.result()["rouge1"] == 1.0


class TestWhatIsRefusedAddsNothing:
    def test_texts(self):
        cases = [
            (["a"], ["b", "c"]), (["a", 7], ["b", "c"]), (["a", None], ["b", "c"]), ("a", "b"), (None, None),
            (["a", "b"], [["a"], [7]]), (["a", "\ud800"], ["a", "b"]), (7, 7), (["a"], None),
        ]  # fmt: skip
        for predictions, references in cases:
            for begun in [False, True]:
                stream = stream_of("bleu", [(["k"], ["k"])] * begun)
                before = stream.to_arrow()
                with pytest.raises(InputError):
                    stream.add(predictions, references)
                assert stream.to_arrow().equals(before)
                assert len(stream) == begun

    def test_values_without_an_exact_sum(self, monkeypatch):
        stream = stream_of("jaccard", [(["a"], ["a b"])])
        rows = type(stream._metric).segment_stats

        def without(scorer, batch, context):
            stats = rows(scorer, batch, context)
            stats.rows[1, -1] = np.nan
            return stats

        monkeypatch.setattr(type(stream._metric), "segment_stats", without)
        with pytest.raises(InputError, match=r"^item 1: its jaccard_either is nan, which has no exact sum"):
            stream.add(["a", "b", "c"], ["a", "b", "c"])
        assert len(stream) == 1


def of_text(text, *parts, **options):
    return stream_of("rouge", [([text], ["a b"]), *parts], **{**ROUGE, **options})


class TestMerging:
    def test_leaves_the_other_as_it_is_and_refuses_it_when_it_grew(self):
        one, other = of_text("a"), of_text("b")
        before = other.to_arrow()
        one.merge(iter([other]))
        one.merge([])
        one.add([], [], [])
        one.add(["c"], ["d"])
        assert other.to_arrow().equals(before)
        assert (len(one), len(other)) == (3, 1)
        other.add(["c"], ["a b"])
        with pytest.raises(MergeError, match=r"was merged before\. Put items that come later into a new stream"):
            one.merge(other)
        assert len(one) == 3

    def test_names_the_most_items_that_both_have(self):
        one, other = Stream("rouge", **ROUGE), Stream("rouge", **ROUGE)
        for stream in (one, other):
            for n_items in (9, 10):
                texts = [f"{n_items} {item}" for item in range(n_items)]
                stream.merge(stream_of("rouge", [(texts, texts)], **ROUGE))
        with pytest.raises(MergeError, match="hold the same 19 items"):
            one.merge(other)

    @pytest.mark.parametrize("how", ["twice", "itself", "list", "inner", "outer", "copy", "all or nothing"])
    def test_refuses_what_it_has_already_and_adds_nothing(self, how):
        one, other, third, both = of_text("a"), of_text("b"), of_text("c"), Stream("rouge", **ROUGE)
        both.merge([other, third])
        before_it = {"twice": [other], "outer": [other], "inner": [both]}
        given = {
            "twice": other, "itself": one, "list": [third, third], "inner": third, "outer": both,
            "copy": copy.deepcopy(one), "all or nothing": [other, one],
        }  # fmt: skip
        one.merge(before_it.get(how, []))
        before, n = one.to_arrow(), len(one)
        expected = "cannot be merged into itself" if how in ("itself", "all or nothing") else "was merged before"
        with pytest.raises(MergeError, match=expected):
            one.merge(given[how])
        assert one.to_arrow().equals(before)
        assert len(one) == n
        one.merge(of_text("another"))

    def test_refuses_other_streams_of_the_same_items_unless_ids_are_different(self):
        with pytest.raises(MergeError, match=r"Both streams hold the same 1 item\. If they are different items"):
            of_text("yes").merge(of_text("yes"))
        parts = [stream_of("rouge", [(["yes"], ["yes"], [i])], **ROUGE) for i in range(3)]
        parts[0].merge(parts[1:])
        assert len(parts[0]) == 3

    def test_refuses_other_metrics_options_draws_and_what_is_no_stream_and_adds_nothing(self):
        options = [
            {"rouge_types": ["rouge1"]}, {"tokenizer": "rouge"}, {"use_stemmer": True}, {"seed": 1},
            {"n_resamples": 51}, {"confidence_level": None, "n_resamples": 1000},
        ]  # fmt: skip
        others = [stream_of("rouge", [(["b"], ["a b"])], **{**ASKED, **each}) for each in options]
        others += [stream_of("bleu", [(["b"], ["a b"])]), Stream("bleu"), 7, None, "ab", [7], [Stream, 7]]
        for other, begun in product(others, [False, True]):
            stream = stream_of("rouge", [(["a"], ["a b"])] * begun, **ASKED)
            before, is_bleu = stream.to_arrow(), getattr(other, "metric", "") == "bleu_multi"
            message = r"^A stream of bleu_multi does not merge with one of rouge_nlws\.$" if is_bleu else ""
            with pytest.raises(
                MergeError, match=(message if isinstance(other, Stream) else "Only streams merge, got") or None
            ):
                stream.merge(other)
            assert stream.to_arrow().equals(before)
            assert len(stream) == begun

    @pytest.mark.parametrize("at_once", [True, False])
    def test_takes_time_in_proportion_to_the_streams(self, at_once):
        """The marks of all streams before were once copied for each."""

        def merging(n):
            streams = [stream_of("ter", [([f"a {number}"], [f"b {number}"])]) for number in range(n)]

            def merge():
                whole = Stream("ter")
                for each in [streams] if at_once else streams:
                    whole.merge(each)
                for number in range(n):
                    whole.add([f"c {number}"], ["c"])
                assert len(whole) == 2 * n

            return merge

        assert times_longer(merging, few=60, many=1_200) < 100  # 20 times as many; their square is 400 times as much

    def test_merges_all_of_several_or_none(self):
        one, other, same = (stream_of("ter", [([text], ["a b"])]) for text in ("a", "b", "b"))
        whole = stream_of("ter", [(["c"], ["a b"])])
        before = whole.to_arrow()
        with pytest.raises(MergeError, match="Both streams hold the same 1 item"):
            whole.merge([one, other, same])
        assert whole.to_arrow().equals(before)
        whole.merge([one, other])
        for each in (one, other, same):
            with pytest.raises(MergeError, match=r"was merged before|hold the same 1 item"):
                whole.merge(each)
        assert len(whole) == 3


class TestOptions:
    def test_are_what_was_given(self):
        stream = Stream("rouge", **ROUGE)
        assert (stream.metric, stream.options) == ("rouge_nlws", ROUGE)
        stream.options["tokenizer"] = "char"
        assert stream.options == ROUGE

    def test_are_refused_at_once_where_sums_do_not_do(self):
        cases = [
            ("bleu_mutli", {}, "Did you mean 'bleu_multi'"),
            ("bleu", {"max_ordr": 2}, "Did you mean 'max_order'"),
            ("bleu", {"max_order": 0}, "max_order"),
            ("bleu", {"segments": True}, "segments=True needs the scores of every item"),
            ("rouge", {"tokenizer": "unicode", "use_aggregator": False}, "use_aggregator=False needs the scores"),
            ("rouge", {}, "tokenizer='auto' chooses by the letters of all references"),
            ("bertscore", {**needed("bertscore_idf"), "idf": True}, "give the table, or its path"),
            ("jaccard", {"confidence_level": 2}, "confidence_level"),
            (7, {}, "7"),
        ]
        for metric, options, message in cases:
            with pytest.raises(OptionError, match=message):
                Stream(metric, **options)


def test_what_is_shown_and_that_a_copy_goes_its_own_way():
    stream = Stream("bleu")
    for n, shown in ((0, "0 items"), (1, "1 item"), (1233, "1,234 items")):
        stream.add([str(i) for i in range(n)], ["a"] * n)
        assert repr(stream) == f"Stream('bleu_multi', {shown})"
    for way in [copy.copy, copy.deepcopy, lambda stream: pickle.loads(pickle.dumps(stream))]:
        stream = of_text("a")
        other = way(stream)
        other.add(["b"], ["a b"])
        assert (len(stream), len(other)) == (1, 2)
        assert other.result().signature == stream.result().signature


@pytest.mark.parametrize(("clusters", "unit"), [(None, "item"), ([1, 2, 3] * 100, "cluster")])
def test_too_few_units_are_called_what_they_are(clusters, unit):
    n = 3 if clusters is None else len(clusters)
    stream = tercet.Stream("chrf", confidence_level=0.95)
    stream.add([f"a cat {number % 3}" for number in range(n)], ["the cat"] * n, cluster=clusters)
    with pytest.warns(UserWarning, match=rf"No intervals: \d {unit}s? cannot tell how much scores vary"):
        assert not any(map(np.isfinite, stream.result().intervals["chrf"]))

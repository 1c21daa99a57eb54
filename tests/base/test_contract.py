"""What holds for every metric of the suite, with the options of its facts, through its public doors."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from conftest import ZERO_BLEU, close, needed, written
from suite import COMPARING, SUITE
from tercet import InputError, MergeError, OptionError, Stream, compare, explain, score, scorer
from tercet.base.scoring import summarize
from tercet.comparison.paired_significance import paired_significance
from tercet.corpus.stems import lemmatizer_for, stemmer_for
from tercet.registry import metric_class
from tercet.statistics.draws import bootstrap_weights
from tercet.statistics.stats import SegmentStats
from tercet.test_sets.test_set import TestSet
from texts import all_pairs, corpora

CASES = [(metric, options) for metric, known in SUITE.items() for options in known.options]
STATISTICS = CASES + [(metric, options) for metric, known in SUITE.items() for options in known.statistics]

pytestmark = [
    ZERO_BLEU,
    pytest.mark.filterwarnings("ignore:rouge_nlws. the tokenizer of rouge_score:UserWarning"),
    pytest.mark.filterwarnings("ignore:bertscore_idf. all tokens of:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*perplexity_lm. .* no token to score:UserWarning"),
]


def each_of(cases):
    """Run a test for each case; those of a network take long, but for the first."""
    first = dict(reversed(cases))
    long = [SUITE[metric].loads_model and options is not first[metric] for metric, options in cases]
    return pytest.mark.parametrize(
        ("metric", "options"),
        [pytest.param(*case, marks=[pytest.mark.long] * is_long) for case, is_long in zip(cases, long, strict=True)],
    )


def same(stats, others):
    return (stats.signature, stats.columns, stats.rows.tolist()) == (
        others.signature, others.columns, others.rows.tolist(),
    )  # fmt: skip


def slack(metric):
    """What the order of sums and the neighbours in a batch may change."""
    return max(1e-12, SUITE[metric].tolerance)


def names_of(result):
    """The scores of a result that has intervals: one for each."""
    return list(result["intervals"])


@each_of([case for case in CASES if SUITE[case[0]].is_share])
class TestEveryShareOfOne:
    def test_a_perfect_match_scores_one(self, metric, options):
        texts = [text for text in all_pairs()[0] if len(text.split()) > 4]
        own = {"tokenizer": "unicode"} if "tokenizer" in metric_class(metric).options() else {}
        result = score(metric, texts, texts, **{**own, "confidence_level": 0.9, "n_resamples": 9, **options})
        perfect = 1.0
        if options.get("smooth_method") == "nltk7":  # methods 5 and 7 average with p1 + 1, and so exceed 1
            perfect = (4 / 3 * 10 / 9 * 28 / 27 * 82 / 81) ** 0.25
        for name in set(names_of(result)) - {"rougeW", "rougeW2"}:
            assert result[name] == pytest.approx(perfect, abs=slack(metric)), name

    @settings(max_examples=50)
    @given(corpus=corpora())
    def test_scores_lie_between_zero_and_one(self, metric, options, corpus):
        result = score(metric, *corpus, segments=True, **options)
        bound = 4 / 3 if options.get("smooth_method") == "nltk7" else 1
        for name, values in result["segments"].items():
            for value in [result.get(name, 0), *values]:
                for each in value if isinstance(value, list) else [value]:
                    assert SUITE[metric].least <= each <= bound + slack(metric)

    def test_percent_is_a_hundred_times(self, metric, options):
        asked = {**options, "segments": True, "confidence_level": 0.9, "n_resamples": 50}
        part = score(metric, *all_pairs(), **asked)
        percent = score(metric, *all_pairs(), **{**asked, "scale": 100})
        for name, bounds in part["intervals"].items():
            assert percent[name] == pytest.approx(100 * part[name])
            assert percent["intervals"][name] == pytest.approx([100 * each for each in bounds])
        for name, values in part["segments"].items():
            assert percent["segments"][name] == pytest.approx([100 * each for each in values])

    def test_empty_predictions_score_nothing_and_are_counted(self, metric, options):
        texts = ["", "a b c d e", "\n "], [["x y"], ["a b c d e"], ["", "z"]]
        result = score(metric, *texts, segments=True, **options)
        assert result.empty_predictions == 2
        for scores in result["segments"].values():
            assert scores[0] == scores[2] == 0.0


@each_of(CASES)
class TestEveryMetric:
    def test_neither_the_order_of_items_nor_that_of_references_matters(self, metric, options):
        predictions, references = all_pairs()
        asked = {**options, "segments": True, "confidence_level": 0.9, "n_resamples": 9}
        there = score(metric, predictions, references, **asked)
        back = score(metric, predictions[::-1], references[::-1], **asked)
        for name, scores in there["segments"].items():
            assert close(metric, back["segments"][name], scores[::-1])
        if options.get("compat") != "nltk" and "nltk" not in options.get("smooth_method", ""):  # NLTK's last item
            for name in names_of(there):
                assert close(metric, back[name], there[name]) or back[name] == pytest.approx(there[name], abs=1e-12)
        ranked = "rouge155" in options.values() or "all" in options.values()  # they rank by recall, or have P, R
        if SUITE[metric].any_order and not ranked:
            turned = score(metric, predictions, [texts[::-1] for texts in references], **options)
            primary = next((name for name in names_of(there) if name.startswith(SUITE[metric].primary)), "rouge1")
            assert turned[primary] == pytest.approx(there[primary], abs=slack(metric))

    def test_the_same_call_gives_the_same_bits_in_plain_python(self, metric, options):
        asked = {**options, "segments": True, "confidence_level": 0.9, "n_resamples": 200}
        first, second = (json.dumps(score(metric, *all_pairs(), **asked).to_dict(full=True)) for _ in "12")
        assert first == second
        prepared = json.dumps(scorer(metric, **asked)(*all_pairs()).to_dict(full=True))
        assert close(metric, json.loads(prepared), json.loads(first))
        assert json.loads(first)["signature"].startswith(metric)

    def test_intervals_hold_the_score_and_shrink_with_the_level(self, metric, options):
        wide, narrow = (score(metric, *all_pairs(), confidence_level=level, **options) for level in (0.99, 0.5))
        for name, (low, high) in wide["intervals"].items():
            assert low <= wide[name] <= high
            assert low <= narrow["intervals"][name][0] <= narrow["intervals"][name][1] <= high

    def test_pieces_and_threads_do_not_matter(self, metric, options, monkeypatch):
        predictions, references = all_pairs()
        whole = score(metric, predictions, references, segments=True, **options)
        monkeypatch.setattr("tercet.base.pieces.PIECE", 7)
        monkeypatch.setattr("tercet.base.pieces.PIECE_OF_NETWORKS", 7)
        for n_jobs in (1, 5):
            pieces = score(metric, predictions, references, segments=True, n_jobs=n_jobs, **options)
            assert close(metric, pieces.to_dict(full=True), whole.to_dict(full=True))

    @pytest.mark.filterwarnings("ignore:.*scripts written without:UserWarning")  # of a single text
    def test_columns_and_single_items_score_as_lists_do(self, metric, options):
        predictions, references = all_pairs()
        value, columns = scorer(metric, **options), (pa.array(predictions), pa.array(references))
        assert close(metric, value(*columns).to_dict(full=True), value(predictions, references).to_dict(full=True))
        segments = value.segments(predictions, references)
        assert close(metric, value.segments(*columns), segments)
        if not value.needs_corpus:
            single = [value.segments([text], [texts]) for text, texts in zip(predictions, references, strict=True)]
            assert close(metric, {name: [each[name][0] for each in single] for name in segments}, segments)

    def test_rows_travel_as_arrow_and_their_sums_are_enough_for_the_scores(self, metric, options):
        value = scorer(metric, **options)
        stats = value.stats(*all_pairs())
        table = pa.concat_tables([stats.to_arrow().slice(0, 3), stats.to_arrow().slice(3)])
        assert same(SegmentStats.from_arrow(table), stats)
        expected = score(metric, *all_pairs(), **options)
        assert close(metric, summarize(value, stats).to_dict(full=True), expected.to_dict(full=True))
        corpus = value.finalize(stats.total())
        stacked = value.finalize(np.stack([stats.total()] * 2)[None])
        once = value.finalize(np.ones((1, len(stats))) @ stats.rows)
        for name in value.score_names:
            assert np.ravel(stacked[name]) == pytest.approx(np.ravel([corpus[name]] * 2), rel=1e-14)
            assert np.ravel(once[name]) == pytest.approx(np.ravel(corpus[name]), rel=1e-12)
        for weights in bootstrap_weights(len(stats), 5, seed=1):
            assert weights.sum(axis=1).tolist() == [len(stats)] * 5

    def test_rows_of_parts_add_up_to_those_of_the_whole_under_the_same_options_alone(self, metric, options):
        value = scorer(metric, **options)
        predictions, references = all_pairs()
        corpus = value.corpus(predictions, references).encoded()
        context, whole = value.fit(corpus), value.stats(predictions, references)
        parts = [slice(None, 4), slice(4, 4), slice(4, 15), slice(15, None)]
        read = [value.corpus(predictions[part], references[part]).encoded() for part in parts]
        found = sum((value.segment_stats(each, context) for each in read[1:]), value.segment_stats(read[0], context))
        assert (found.signature, found.columns) == (whole.signature, whole.columns)
        assert found.rows == pytest.approx(whole.rows, rel=1e-4, abs=slack(metric))
        other = scorer(metric, **{**options, "missing_references": "zero"})
        sibling = scorer("ter" if metric != "ter" else "chrf").stats(["a"], ["b"])
        for apart in (other.stats(predictions, references), sibling):
            if apart.signature != whole.signature:
                with pytest.raises(MergeError, match="do not add up"):
                    whole + apart


# What each metric does whatever its options


@pytest.mark.filterwarnings("ignore:.*scripts written without:UserWarning")  # of a single text
@pytest.mark.parametrize("metric", SUITE)
def test_an_explanation_is_of_the_score_plain_and_shows_texts_as_texts(metric):
    for prediction, references in [*zip(*all_pairs(), strict=True), ("<script>x</script> cat", ["<b>cat</b> 'x' &"])]:
        why = explain(metric, prediction, references, **needed(metric))
        plain = json.loads(json.dumps(why.to_dict(), allow_nan=False))
        signature = score(metric, [prediction], [references], **needed(metric)).signature.split("|")
        if isinstance(getattr(why, "signature", None), str) and metric != "bertscore_idf":  # whose idf needs a corpus
            assert set(plain["signature"].split("|")) <= set(signature)
        html = why.to_html()
        assert html == why._repr_html_()
        assert html.count("<span") == html.count("</span>")
        assert not any(part in html for part in ("<script", "<b>cat"))
    bad = [(None, ["a"], "item 0 of predictions must be a string")]
    if SUITE[metric].takes_references:
        bad += [("a", [], "item 0 of references is empty"), ("a", ["b", 7], "item 1 of the references of item 0")]
    for prediction, references, message in bad:
        with pytest.raises(InputError, match=message):
            explain(metric, prediction, references, **needed(metric))
    with pytest.raises(OptionError, match=rf"{metric} has no option 'scal'\. Did you mean 'scale'"):
        explain(metric, "a", ["a"], scal=1)


@pytest.mark.parametrize("metric", COMPARING)
def test_an_item_without_reference_is_refused_left_out_or_scored_nothing(metric):
    texts = ["a cat sat on it", "some dogs", ""], [["a cat sat on it"], [], None]
    given = {**needed(metric), "segments": True}
    with pytest.raises(InputError, match=r"item 1 (of references is empty|\(and 1 more\))"):
        score(metric, *texts, **given)
    alone = score(metric, texts[0][:1], texts[1][:1], **given)
    skipped, zero = (score(metric, *texts, missing_references=policy, **given) for policy in ("skip", "zero"))
    name, primary = next(iter(alone["segments"])), SUITE[metric].primary
    assert close(metric, skipped["segments"][name][:1], alone["segments"][name])
    assert skipped["segments"][name][1:] == [None, None]
    nothing, unanswered = SUITE[metric].nothing, SUITE[metric].unanswered
    assert zero["segments"][name][1] == (nothing if unanswered is None else unanswered)
    assert close(metric, skipped[primary], alone[primary])
    assert zero[primary] != skipped[primary]
    for policy, found in (("skip", skipped), ("zero", zero)):
        assert found.missing_references == 2
        assert f"|missing:{policy}|" in found.signature
    assert "equals" not in zero.signature or metric == "embedding_cosine"  # its equality is of each item


@pytest.mark.parametrize("metric", COMPARING)
def test_an_item_without_reference_keeps_its_place_among_the_coloured_ones(metric):
    made = scorer(metric, **needed(metric), missing_references="skip")
    predictions = ["a cat sat on it", "some dogs bark", "birds fly high up"]
    references = [["it sat on a cat", "a cat sat"], [], ["birds fly up"]]
    matched = made.matched(made.primary, None)
    if matched is None:  # its outputs stay plain
        return
    words = matched.words(made.corpus(predictions, references))
    for place in (0, 2):
        (alone,) = matched.words(made.corpus(predictions[place : place + 1], references[place : place + 1]))
        assert words[place] == alone
        assert any(word.level for word in alone)
    assert "".join(word.text for word in words[1]).replace(" ", "") == "somedogsbark"
    assert not any(word.level for word in words[1])


@pytest.mark.parametrize("metric", [each for each in SUITE if "stemmer" in metric_class(each).options()])
@pytest.mark.parametrize(
    ("option", "mapping"),
    [
        ({"stemmer": "ru"}, stemmer_for("ru")), ({"stemmer": "porter"}, stemmer_for("porter")),
        ({"lemmatizer": "en"}, lemmatizer_for("en")), ({"lemmatizer": str.upper}, str.upper),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_stems_and_lemmas_are_scored_in_the_place_of_words(metric, option, mapping):
    predictions, references = all_pairs()
    predictions = [*map(str.lower, predictions), "running dogs", "кошками", "mice", "straße"]
    references = [[text.lower() for text in texts] for texts in references]
    references += [["run dog"], ["кошка"], ["mouse"], ["ß"]]
    mapped = [" ".join(map(mapping, text.split())) for text in predictions]
    targets = [[" ".join(map(mapping, text.split())) for text in texts] for texts in references]
    plain = {"tokenizer": "none", "segments": True}
    found = score(metric, predictions, references, **plain, **option)
    assert found == score(metric, mapped, targets, **plain)
    assert found != score(metric, predictions, references, **plain)


# One statistic in scores, intervals and tests


def halves(texts):
    """Return what another system wrote: of every other text the first half."""
    return [text[: len(text) // 2] if index % 2 else text for index, text in enumerate(texts)]


@each_of(STATISTICS)
class TestOneStatistic:
    def test_the_intervals_of_items_that_are_all_alike_are_the_score(self, metric, options):
        """Every resample of them is the corpus itself."""
        predictions, references = all_pairs()
        for times, drawn in ((7, slice(0, 1)), (5, slice(5, 6))):
            texts = predictions[drawn] * times, references[drawn] * times
            alike = score(metric, *texts, confidence_level=0.9, n_resamples=50, **options)
            for name, bounds in alike["intervals"].items():
                assert bounds[0] <= alike[name] <= bounds[1]
                assert bounds == pytest.approx([alike[name]] * 2, rel=1e-6, abs=slack(metric)), name

    def test_the_difference_that_is_tested_is_that_of_the_printed_scores(self, metric, options):
        first, references = all_pairs()
        second, options = halves(first), {**options, "scale": 1}
        result = paired_significance(metric, first, second, references, n_resamples=50, **options)
        for number, texts in ((1, first), (2, second)):
            printed = score(metric, texts, references, **options)
            for name, value in result[f"scores{number}"].items():
                assert value == pytest.approx(printed[name], rel=SUITE[metric].relative, abs=slack(metric))
        for name, difference in result["stats"].items():
            assert difference == result["scores2"][name] - result["scores1"][name]
        assert result["stat"] in result["stats"].values()
        test_set = TestSet("all", {"first": first, "second": second}, references, None)
        for table in compare(test_set, [written(metric, options)], n_resamples=50).tables:
            one, other = table.rows
            assert other.difference == other.value - one.value
            apart = SUITE[metric].relative * abs(other.value) + 2 * slack(metric)
            assert other.difference == pytest.approx(result["stats"][table.name], abs=apart)
            assert one.low <= one.value <= one.high


@pytest.mark.parametrize("method", ["nltk5", "nltk6", "nltk7"])
def test_what_nltk_makes_of_the_last_item_is_not_resampled(method):
    """Intervals and tests by the sums of the rows would be of another number: they are refused at every door."""
    predictions, references = ["a b c d e f", "a b x d", "c d e f g"], ["a b c d e f", "a b c d", "c d e f h"]
    options = {"compat": "nltk", "smooth_method": method}
    assert score("bleu_multi", predictions, references, segments=True, **options)["bleu"] > 0
    test_set = TestSet("t", {"a": predictions}, [[text] for text in references], None)
    for refused in (
        lambda: score("bleu_multi", predictions, references, confidence_level=0.9, **options),
        lambda: paired_significance("bleu_multi", predictions, predictions, references, **options),
        lambda: compare(test_set, [metric_class("bleu").from_options(options)], test=None),
    ):
        with pytest.raises(OptionError, match=f"'{method}' with compat='nltk' has no intervals or tests"):
            refused()
    # Of a grid there are no intervals; but sums of parts have no last item either.
    in_grid = {"compat": "nltk", "grid": {"smooth_method": ["nltk1", method]}}
    assert score("bleu_multi", predictions, references, **in_grid)["grid"][1]["bleu"] > 0
    with pytest.raises(OptionError, match=f"'{method}' with compat='nltk'"):
        Stream("bleu_multi", **in_grid)
    own = {"tokenizer": "none", "smooth_method": method}
    predictions, references = predictions * 2, references * 2
    low, high = score("bleu_multi", predictions, references, confidence_level=0.9, **own)["intervals"]["bleu"]
    assert low <= score("bleu_multi", predictions, references, **own)["bleu"] <= high

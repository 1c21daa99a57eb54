"""What holds for every scorer of the suite; a new metric adds a line to CASES."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import SHARES, TOLERANCES, ZERO_BLEU, close, needed
from tercet import OptionError
from tercet.api import known_options, make_scorer, score
from tercet.columns.reading import read_batch
from tercet.comparison.compare import compare
from tercet.comparison.metric_specs import MetricSpec
from tercet.comparison.paired import paired_significance
from tercet.comparison.test_sets import TestSet
from tercet.registry import METRICS, metric_class
from tercet.resampling.bootstrap import bootstrap
from tercet.resampling.paired_tests import paired_bootstrap_test, paired_permutation_test
from tercet.scoring import score_batch, summarize
from texts import all_pairs, corpora

CASES = [
    ("bleu_multi", {}),
    (
        "bleu_multi",
        {"smooth_method": "exp", "effective_order": True, "tokenizer": "intl", "lowercase": True, "max_order": 3},
    ),
    ("bleu_multi", {"weights": {"low": (0.7, 0.3), "high": (0, 0, 0.5, 0.5)}, "reference_length": "average"}),
    ("bleu_multi", {"smooth_method": "nltk7"}),
    ("bleu_multi", {"compat": "evaluate", "smooth": True}),
    ("bleu_multi", {"compat": "nltk"}),
    ("chrf_multi", {"scale": 1}),
    ("chrf_multi", {"word_order": [2, 0], "beta": 1, "lowercase": True, "scale": 1}),
    ("chrf_multi", {"char_order": 2, "word_order": 3, "scale": 1}),
    ("rouge_nlws", {}),
    ("rouge_nlws", {"output": "all", "multi_ref": "average", "rouge_types": ["rouge3", "rougeLsum", "rougeS"]}),
    ("rouge_nlws", {"multi_ref": "jackknife", "use_stemmer": True, "beta": 2}),
    ("rouge_nlws", {"compat": "rouge155", "rouge_types": ["rouge1", "rougeL", "rougeW2", "rougeSU4"]}),
    ("rouge_nlws", {"tokenizer": "unicode", "stemmer": "ru", "sentence_split": "auto"}),
    ("jaccard_sets", {}),
    ("jaccard_sets", {"multi_ref": "average", "stemmer": "en", "variants": {"bag": {"multiset": True, "ngram": 2}}}),
    ("bleu_rouge_f", {}),
    ("bleu_rouge_f", {"multi_ref": "average", "brevity_penalty": True, "max_order": 3, "beta": 2, "stemmer": "en"}),
    ("bertscore_idf", needed("bertscore_idf")),
    ("bertscore_idf", {**needed("bertscore_idf"), "idf": False, "multi_ref": "best_f"}),
    ("bertscore_idf", {**needed("bertscore_idf"), "idf_documents": "items", "long_text": "window", "max_length": 12}),
    ("bertscore_idf", {"model_type": needed("bertscore_idf")["model_type"], "all_layers": True, "idf": False}),
    ("embedding_cosine", needed("embedding_cosine")),
    ("embedding_cosine", {**needed("embedding_cosine"), "pooling": "cls", "multi_ref": "average"}),
    ("embedding_cosine", {**needed("embedding_cosine"), "long_text": "window", "max_length": 12}),
    ("ter", {}),
    ("ter", {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True}),
    ("perplexity_lm", needed("perplexity_lm")),
    ("perplexity_lm", {**needed("perplexity_lm"), "add_start_token": False, "max_length": 16, "stride": 5}),
]
#: Those whose scores are shares of 1, which a match makes.


def each_of(cases):
    """Run a test for each case; those of a network take long, but for the first."""
    first = dict(reversed(cases))
    slow = {metric for metric in METRICS if needed(metric)}
    return pytest.mark.parametrize(
        ("metric", "options"),
        [
            pytest.param(
                metric, options, marks=[pytest.mark.long] * (metric in slow and options is not first[metric])
            )
            for metric, options in cases
        ],
    )


SHARES_OF_ONE = [case for case in CASES if metric_class(case[0]).is_share]

pytestmark = [
    ZERO_BLEU,
    pytest.mark.filterwarnings("ignore:rouge_nlws. the tokenizer of rouge_score:UserWarning"),
    pytest.mark.filterwarnings("ignore:bertscore_idf. all tokens of:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*perplexity_lm. .* no token to score:UserWarning"),
]


def stats_of(scorer, predictions, references, context=None):
    batch = read_batch(predictions, references)
    return scorer.segment_stats(batch, scorer.fit(batch) if context is None else context)


def values(scorer, totals):
    return {name: np.asarray(each) for name, each in scorer.finalize(totals).items()}


def test_every_metric_of_the_suite_is_among_the_cases():
    assert {metric for metric, _ in CASES} == set(METRICS)


@each_of(CASES)
class TestEveryScorer:
    def test_the_order_of_items_does_not_matter(self, metric, options):
        predictions, references = all_pairs()
        if options.get("compat") == "nltk" or "nltk" in options.get("smooth_method", ""):
            pytest.skip("NLTK's corpus_bleu reads the last item for some smoothing methods")
        there = score(metric, predictions, references, segments=True, **options).to_dict(full=True)
        back = score(metric, predictions[::-1], references[::-1], segments=True, **options).to_dict(full=True)
        for name, scores in there["segments"].items():
            assert close(metric, back["segments"][name], scores[::-1])
        for name in make_scorer(metric, options).score_names:
            assert close(metric, back[name], there[name]) or back[name] == pytest.approx(there[name], abs=1e-12)

    def test_the_order_of_references_does_not_matter_to_the_greatest_f(self, metric, options):
        predictions, references = all_pairs()
        options = {**options, "output": "fmeasure"} if metric == "rouge_nlws" else options
        there = score(metric, predictions, references, **options)
        back = score(metric, predictions, [texts[::-1] for texts in references], **options)
        primary = make_scorer(metric, options).primary
        if options.get("compat") != "rouge155":  # it ranks by recall, and takes the first of equal ones
            assert back[primary] == pytest.approx(there[primary], abs=max(1e-12, TOLERANCES.get(metric, 0.0)))

    @settings(max_examples=25, deadline=None)
    @given(corpus=corpora(max_items=6), cut=st.integers(0, 6))
    def test_parts_merge_to_the_whole(self, metric, options, corpus, cut):
        predictions, references = corpus
        scorer = make_scorer(metric, options)
        whole = stats_of(scorer, predictions, references)
        batches = [read_batch(predictions[part], references[part]) for part in (slice(0, cut), slice(cut, None))]
        batches = [batch for batch in batches if batch.n_items]
        context = scorer.fit(batches[0])
        for batch in batches[1:]:
            context = context + scorer.fit(batch) if context is not None else None
        parts = [scorer.segment_stats(batch, context) for batch in batches]
        merged = parts[0] if len(parts) == 1 else parts[0] + parts[1]
        assert merged.signature == whole.signature
        assert merged.rows == pytest.approx(whole.rows, rel=SHARES.get(metric, 0.0), abs=TOLERANCES.get(metric, 0.0))
        if not whole.column("items").any():
            return  # all texts were left out
        assert close(
            metric, summarize(scorer, merged).to_dict(full=True), summarize(scorer, whole).to_dict(full=True)
        )

    @settings(max_examples=25, deadline=None)
    @given(corpus=corpora())
    def test_finalize_serves_corpus_segments_and_resamples(self, metric, options, corpus):
        scorer = make_scorer(metric, options)
        stats = stats_of(scorer, *corpus)
        by_segment = values(scorer, stats.rows)
        weights = np.random.default_rng(1).integers(0, 3, (4, len(stats)))
        totals = stats.resample(weights.astype(float))
        by_resample = values(scorer, totals)
        for name, each in values(scorer, stats.total()).items():
            assert by_segment[name].shape == (len(stats), *each.shape)
            assert by_resample[name].shape == (4, *each.shape)
            for row in range(len(stats)):
                one = values(scorer, stats.rows[row])[name]
                assert by_segment[name][row] == pytest.approx(one, abs=1e-15)
            for row in range(4):
                one = values(scorer, totals[row])[name]
                assert by_resample[name][row] == pytest.approx(one, abs=1e-15)

    def test_the_same_call_gives_the_same_bits_and_plain_python(self, metric, options):
        predictions, references = all_pairs()
        asked = {**options, "segments": True, "confidence_level": 0.9, "n_resamples": 200}
        first, second = (json.dumps(score(metric, predictions, references, **asked).to_dict(full=True)) for _ in "12")
        assert first == second
        assert json.loads(first)["signature"].startswith(metric)

    def test_intervals_hold_the_score_and_shrink_with_the_level(self, metric, options):
        predictions, references = all_pairs()
        wide, narrow = (
            score(metric, predictions, references, confidence_level=level, **options) for level in (0.99, 0.5)
        )
        for name, (low, high) in wide["intervals"].items():
            assert low <= wide[name] <= high
            assert low <= narrow["intervals"][name][0] <= narrow["intervals"][name][1] <= high

    @pytest.mark.parametrize("n_jobs", [1, 2, 5])
    def test_pieces_and_threads_do_not_matter(self, metric, options, n_jobs, monkeypatch):
        predictions, references = all_pairs()
        whole = score(metric, predictions, references, segments=True, **options)
        monkeypatch.setattr("tercet.core.pieces.PIECE", 7)
        monkeypatch.setattr("tercet.core.pieces.PIECE_OF_NETWORKS", 7)
        pieces = score(metric, predictions, references, segments=True, n_jobs=n_jobs, **options)
        assert close(metric, pieces.to_dict(full=True), whole.to_dict(full=True))

    def test_what_was_read_can_be_scored_again(self, metric, options):
        batch = read_batch(*all_pairs())
        scorer = make_scorer(metric, options)
        assert score_batch(scorer, batch) == score_batch(scorer, batch)


@each_of(SHARES_OF_ONE)
class TestEveryShareOfOne:
    def test_a_perfect_match_scores_one(self, metric, options):
        texts = [text for text in all_pairs()[0] if len(text.split()) > 4]
        own = {"tokenizer": "unicode"} if "tokenizer" in known_options(metric) else {}
        result = score(metric, texts, texts, **{**own, **options})
        perfect = 1.0
        if options.get("smooth_method") == "nltk7":  # methods 5 and 7 average with p1 + 1, and so exceed 1
            perfect = (4 / 3 * 10 / 9 * 28 / 27 * 82 / 81) ** 0.25
        for name in set(make_scorer(metric, options).score_names) - {"rougeW", "rougeW2"}:
            assert close(metric, result[name], perfect) or result[name] == pytest.approx(perfect, abs=1e-12)

    @settings(max_examples=50, deadline=None)
    @given(corpus=corpora())
    def test_scores_lie_between_zero_and_one(self, metric, options, corpus):
        result = score(metric, *corpus, segments=True, **options)
        scorer = make_scorer(metric, options)
        for name, segment in zip(scorer.score_names, scorer.segment_names, strict=True):
            bound = 4 / 3 if options.get("smooth_method") == "nltk7" else 1  # methods 5 and 7 start at p1 + 1
            least = -1 if metric == "embedding_cosine" else 0
            for value in [result[name], *result["segments"][segment]]:
                assert least <= value <= bound + max(1e-12, TOLERANCES.get(metric, 0.0))

    def test_percent_is_a_hundred_times(self, metric, options):
        predictions, references = all_pairs()
        asked = {**options, "segments": True, "confidence_level": 0.9, "n_resamples": 50}
        part = score(metric, predictions, references, **asked)
        percent = score(metric, predictions, references, **{**asked, "scale": 100})
        scorer = make_scorer(metric, options)
        for name, segment in zip(scorer.score_names, scorer.segment_names, strict=True):
            assert percent[name] == pytest.approx(100 * part[name])
            assert percent["segments"][segment] == pytest.approx([100 * each for each in part["segments"][segment]])
            assert percent["intervals"][name] == pytest.approx([100 * each for each in part["intervals"][name]])

    def test_empty_predictions_score_nothing_and_are_counted(self, metric, options):
        result = score(
            metric, ["", "a b c d e", "\n "], [["x y"], ["a b c d e"], ["", "z"]], segments=True, **options
        )
        assert result.empty_predictions == 2
        for scores in result["segments"].values():
            assert scores[0] == scores[2] == 0.0


# ---------------------------------------------------------------- one statistic in scores, intervals and tests

EVERY_TYPE = ["rouge1", "rougeL", "rougeLsum", "rougeW", "rougeS4", "rougeSU4"]
STATISTICS = [
    *CASES,
    *(("bleu_multi", {"smooth_method": method}) for method in ("floor", "add-k", "nltk1", "nltk5", "nltk6")),
    *(("bleu_multi", {"compat": compat}) for compat in ("sacrebleu", "evaluate")),
    *(("bleu_multi", {"compat": "nltk", "smooth_method": f"nltk{number}"}) for number in range(1, 5)),
    ("bleu_multi", {"smooth": True, "effective_order": True}),
    ("rouge_nlws", {"compat": "rouge_score", "output": "all"}),
    ("rouge_nlws", {"compat": "rouge155", "rouge_types": EVERY_TYPE, "multi_ref": "average", "max_words": 9}),
    ("rouge_nlws", {"compat": "rouge155", "rouge_types": EVERY_TYPE, "rounded": False}),
    ("rouge_nlws", {"compat": "rouge", "output": "all"}),
    ("rouge_nlws", {"compat": "rouge_chinese"}),
]


def halves(texts):
    """Return what another system wrote: of every other text the first half."""
    return [text[: len(text) // 2] if index % 2 else text for index, text in enumerate(texts)]


def test_every_preset_is_among_the_statistics():
    for metric in ("bleu_multi", "rouge_nlws"):
        listed = {options.get("compat") for name, options in STATISTICS if name == metric}
        assert set(make_scorer(metric, {}).presets) <= listed


@each_of(STATISTICS)
class TestOneStatistic:
    def test_a_resample_that_draws_every_item_once_has_the_score(self, metric, options):
        scorer = make_scorer(metric, options)
        stats = stats_of(scorer, *all_pairs())
        scores = summarize(scorer, stats)
        again = values(scorer, stats.resample(np.ones((1, len(stats)))))
        for name in scorer.score_names:
            assert again[name][0] == pytest.approx(scores[name], abs=1e-12)

    @pytest.mark.parametrize("method", ["percentile", "BCa"])
    def test_an_interval_holds_its_score_also_of_items_that_are_all_alike(self, metric, options, method):
        predictions, references = all_pairs()
        scorer = make_scorer(metric, options)
        for times, drawn in ((1, slice(None)), (7, slice(0, 1)), (3, slice(5, 6))):
            stats = stats_of(scorer, predictions[drawn] * times, references[drawn] * times)
            scores = summarize(scorer, stats)
            for name, found in bootstrap(scorer, stats, n_resamples=200, method=method).items():
                assert found.confidence_interval.low <= scores[name] <= found.confidence_interval.high, name

    def test_the_difference_that_is_tested_is_that_of_the_printed_scores(self, metric, options):
        first, references = all_pairs()
        second, options = halves(first), {**options, "scale": 1}
        result = paired_significance(metric, first, second, references, n_resamples=50, **options)
        slack = max(1e-12, TOLERANCES.get(metric, 0.0))
        for number, texts in ((1, first), (2, second)):
            printed = score(metric, texts, references, **options)
            for name, value in result[f"scores{number}"].items():
                assert value == pytest.approx(printed[name], abs=slack)
        for name, difference in result["stats"].items():
            assert difference == result["scores2"][name] - result["scores1"][name]
        assert result["stat"] == result["stats"][make_scorer(metric, options).primary]
        test_set = TestSet("all", {"first": first, "second": second}, references, None)
        for table in compare(test_set, [MetricSpec(metric, options)], n_resamples=50).tables:
            one, other = table.rows
            assert other.difference == other.value - one.value
            assert other.difference == pytest.approx(result["stats"][table.name], abs=2 * slack)
            assert one.low <= one.value <= one.high


@pytest.mark.parametrize("method", ["nltk5", "nltk6", "nltk7"])
def test_what_nltk_makes_of_the_last_item_is_not_resampled(method):
    """Intervals and tests by the sums of the rows would be of another number: they are refused at every door."""
    predictions, references = ["a b c d e f", "a b x d", "c d e f g"], ["a b c d e f", "a b c d", "c d e f h"]
    options = {"compat": "nltk", "smooth_method": method}
    assert score("bleu_multi", predictions, references, segments=True, **options)["bleu"] > 0
    scorer = make_scorer("bleu_multi", options)
    stats = stats_of(scorer, predictions, [[text] for text in references])
    test_set = TestSet("t", {"a": predictions}, [[text] for text in references], None)
    for refused in (
        lambda: score("bleu_multi", predictions, references, confidence_level=0.9, **options),
        lambda: bootstrap(scorer, stats),
        lambda: paired_permutation_test(scorer, [stats, stats]),
        lambda: paired_bootstrap_test(scorer, [stats, stats]),
        lambda: paired_significance("bleu_multi", predictions, predictions, references, **options),
        lambda: compare(test_set, [MetricSpec("bleu_multi", options)], test=None),
    ):
        with pytest.raises(
            OptionError, match=f"smooth_method='{method}' with compat='nltk' has no intervals or tests"
        ):
            refused()
    corpus = score(
        "bleu_multi", predictions, references, tokenizer="none", smooth_method=method, confidence_level=0.9
    )
    low, high = corpus.intervals["bleu"]
    assert low <= corpus["bleu"] <= high

"""Intervals and paired tests: against sacrebleu's, scipy's and plain loops, and the same for the same seed."""

import gzip
import json
import math
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest
import sacrebleu
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sacrebleu.significance import PairedTest

from conftest import ANY_TEXTS
from pairs_tested import pairs_tested
from tercet import InputError, MergeError, OptionError, compare, score
from tercet.api import make_scorer
from tercet.comparison.specs.metric_specs import metric_of
from tercet.corpus.reading import read_batch
from tercet.signature import Signature
from tercet.statistics import intervals
from tercet.statistics.draws import Exchanges, bootstrap_weights, shuffle_masks
from tercet.statistics.holm import holm
from tercet.statistics.intervals import (
    BootstrapResult,
    _quantiles,
    bootstrap,
    bootstraps,
    expanded_levels,
    over_strata,
)
from tercet.statistics.kinds_of_tests import BOOTSTRAP, PERMUTATION
from tercet.statistics.paired_tests import (
    PairedTestResult,
    all_pairs_test,
    permutation_test,
    pvalue_beyond_resamples,
)
from tercet.statistics.resampled_scores import bootstrap_scores, resampled_totals
from tercet.statistics.stats import SegmentStats
from texts import LATIN, all_pairs

PREDICTIONS, REFERENCES = all_pairs(LATIN)


def stats_of(metric, **options):
    scorer = make_scorer(metric, options)
    batch = read_batch(PREDICTIONS, REFERENCES)
    return scorer, scorer.segment_stats(batch, scorer.fit(batch))


@ANY_TEXTS
def test_seed_and_number_of_resamples_are_options():
    asked = {"confidence_level": 0.95, "rouge_types": ["rouge1"]}
    first = score("rouge_nlws", PREDICTIONS, REFERENCES, **asked)
    again = score("rouge_nlws", PREDICTIONS, REFERENCES, **asked)
    other = score("rouge_nlws", PREDICTIONS, REFERENCES, seed=1, **asked)
    assert first.intervals == again.intervals != other.intervals
    assert "ci:0.95,1000,12345,expanded|" in first.signature
    assert "ci:0.95,1000,1,expanded|" in other.signature


def test_draws_and_tosses_are_those_of_numpys_generator_in_one_piece_or_in_chunks(monkeypatch):
    expected = np.random.default_rng(7).choice(11, (30, 11))
    tosses = np.random.default_rng(7).integers(2, size=(100, 11), dtype=bool)
    for cells in (2_000_000, 50, 400):
        monkeypatch.setattr("tercet.statistics.draws._CHUNK_CELLS", cells)
        weights = np.concatenate(list(bootstrap_weights(11, 30, seed=7)))
        assert weights.tolist() == [np.bincount(drawn, minlength=11).tolist() for drawn in expected]
        assert (np.concatenate(list(shuffle_masks(11, 100, seed=7))) == tosses).all()


@pytest.mark.parametrize("cells", [1_000_000, 7])
def test_tosses_of_some_segments_are_those_of_all_in_one_piece_or_in_chunks(cells, monkeypatch):
    monkeypatch.setattr("tercet.statistics.draws._CHUNK_CELLS", cells)
    some = np.array([0, 7, 8, 10, 3])
    exchanges = Exchanges(11, 100, seed=7)
    drawn = np.random.default_rng(7).integers(2, size=(100, 11), dtype=bool)
    assert exchanges.resamples == (100, False)
    assert (np.concatenate(list(exchanges.masks(some, slice(20, 90)))) == drawn[20:90, some]).all()
    # Of three segments there are eight exchanges, and each is one of them.
    few = Exchanges(3, 8, seed=7)
    assert few.resamples == (8, True)
    assert {*map(tuple, np.concatenate(list(few.masks(np.arange(3), slice(0, 8)))))} == {*product((0, 1), repeat=3)}


def test_sums_are_those_of_the_draws_however_they_are_cut(monkeypatch):
    cuts = [(1 << 13, 1 << 16, 64, 1 << 24), (7, 64, 4, 1 << 24), (128, 1000, 64, 50)]
    for n, (block, draws, resamples, counts) in product((1, 2, 11, 300), cuts):
        rng = np.random.default_rng(0)
        systems = [np.column_stack([np.ones(n), rng.integers(0, 9, (n, 3)), np.zeros(n)]) for _ in range(2)]
        weights = np.concatenate(list(bootstrap_weights(n, 30, seed=7)))
        with monkeypatch.context() as patch:
            patch.setattr("tercet.statistics.draws._DRAWS", draws)
            for name, value in (("BLOCK", block), ("RESAMPLES", resamples), ("COUNTS", counts)):
                patch.setattr(f"tercet.statistics.resampled_scores._{name}", value)
            assert np.array_equal(resampled_totals(systems, 30, seed=7), [weights @ rows for rows in systems])


@ANY_TEXTS
def test_resampled_scores_equal_those_of_the_drawn_texts():
    for metric, options in (("bleu_multi", {}), ("rouge_nlws", {"rouge_types": ["rouge2"]})):
        scorer, stats = stats_of(metric, **options)
        resampled = bootstrap_scores(scorer, [stats], 20, seed=3)[0][scorer.primary]
        draws = np.random.default_rng(3).choice(len(stats), (20, len(stats)))
        for drawn, value in zip(draws, resampled, strict=True):
            again = score(metric, [PREDICTIONS[i] for i in drawn], [REFERENCES[i] for i in drawn], **options)
            assert value == pytest.approx(again[scorer.primary], abs=1e-12)


def test_the_resamples_of_sacrebleu_are_ours(monkeypatch):
    """sacrebleu draws the same segments from the same seed, and computes in float32 (differences of 1e-7)."""
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    most = max(map(len, REFERENCES))
    streams = [[texts[i] if i < len(texts) else None for texts in REFERENCES] for i in range(most)]
    theirs = sacrebleu.BLEU().corpus_score(PREDICTIONS, streams, n_bootstrap=1000)
    scorer, stats = stats_of("bleu_multi", compat="sacrebleu", scale=100)
    scores = np.sort(bootstrap_scores(scorer, [stats], 1000, seed=12345)[0]["bleu"])
    assert scores.mean() == pytest.approx(theirs._mean, abs=1e-4)
    assert 0.5 * (scores[1000 - 26] - scores[25]) == pytest.approx(theirs._ci, abs=1e-4)


class TestIntervals:
    @pytest.mark.parametrize("method", ["BCa", "percentile"])
    def test_equal_scipy_s_for_the_same_resamples(self, method):
        """scipy takes a distribution that is given; ROUGE is the mean of a column (here without ties)."""
        scorer, stats = stats_of("rouge_nlws", rouge_types=["rouge2"])
        values = np.random.default_rng(1).random(len(stats)) ** 3
        column = stats.columns.index("rouge2_fmeasure")
        stats.rows[:, column] = values
        ours = bootstrap(scorer, stats, method=method, n_resamples=999, confidence_level=0.9, seed=3)["rouge2"]
        given = SimpleNamespace(bootstrap_distribution=ours.bootstrap_distribution)
        theirs = scipy.stats.bootstrap(
            (values,), np.mean, method=method, n_resamples=0, confidence_level=0.9, bootstrap_result=given,
            vectorized=True,
        )  # fmt: skip
        assert ours.confidence_interval == pytest.approx(tuple(theirs.confidence_interval), abs=1e-12)
        assert ours.standard_error == pytest.approx(float(theirs.standard_error), abs=1e-12)

    def test_lie_elsewhere_than_percentiles_where_scores_are_skew(self):
        scorer, stats = stats_of("bleu_multi")
        percentile, bca = (
            bootstrap(scorer, stats, method=method)["bleu"].confidence_interval for method in ("percentile", "BCa")
        )
        assert percentile != bca
        assert max(percentile[0], bca[0]) < min(percentile[1], bca[1])

    @pytest.mark.parametrize("seed", range(12))
    def test_with_all_resamples_on_one_side_of_the_score_are_those_of_percentiles(self, seed):
        scorer, stats = stats_of("bleu_multi")
        percentile, bca = (
            bootstrap(scorer, stats, method=method, n_resamples=1, seed=seed)["bleu"].confidence_interval
            for method in ("percentile", "BCa")
        )
        assert bca == percentile

    def test_are_expanded_by_student_s_t_and_by_the_spread_of_units(self):
        t = scipy.stats.t.ppf(0.95, 9)
        below = scipy.stats.norm.cdf(-1.2 * t)
        assert expanded_levels(0.9, 9, 1.2) == pytest.approx((below, 1 - below))
        assert expanded_levels(0.9, math.inf, 1.0) == pytest.approx((0.05, 0.95))
        # Without freedom there is no t: any value is possible.
        assert expanded_levels(0.9, 0, 1.0) == (0, 1)

    def test_of_equal_items_are_that_value_and_settings_are_checked(self):
        scorer = make_scorer("rouge_nlws", {"rouge_types": ["rouge1"]})
        stats = scorer.stats(["a b"] * 5, ["a c"] * 5)
        for method in ("percentile", "BCa"):
            assert bootstrap(scorer, stats, method=method)["rouge1"].confidence_interval == (0.5, 0.5)
        with pytest.raises(OptionError, match=r"must be 'expanded', 'percentile' or 'BCa'\. Got 'bca'"):
            bootstrap(scorer, stats, method="bca")
        for wrong in ({"n_resamples": 0}, {"confidence_level": 1.5}, {"confidence_level": 0}, {"seed": -1}):
            with pytest.raises(OptionError, match="There must be at least one resample"):
                bootstrap(scorer, stats, **wrong)


class TestIntervalsOverStrata:
    """Of sets that are resampled each by itself: draws of sets add up, spread as much as units vary."""

    def part(self, value, draws, method="expanded", n_units=4):
        spread = math.sqrt(n_units / (n_units - 1)) if n_units > 1 else 1.0
        return BootstrapResult(value, np.array(draws, float), method, 0.9, n_units, n_units - 1, spread, abs(value))

    def test_are_those_of_the_weighted_sum_of_widened_draws(self):
        one, other = self.part(10, [9, 10, 11]), self.part(-40, [-46, -40, -34], n_units=9)
        both = over_strata([one, other], [0.25, 0.75])
        assert both.value == 0.25 * 10 - 0.75 * 40
        # of 4 units the draws are spread by the root of 4 / 3, of 9 by that of 9 / 8
        apart = 0.25 * math.sqrt(4 / 3) + 0.75 * 6 * math.sqrt(9 / 8)
        assert both.bootstrap_distribution == pytest.approx([both.value - apart, both.value, both.value + apart])
        # Welch and Satterthwaite, of the variances 1 and 36 of the draws
        variances = (0.25**2 * 4 / 3 * 1, 0.75**2 * 9 / 8 * 36)
        assert both.freedom == pytest.approx(sum(variances) ** 2 / (variances[0] ** 2 / 3 + variances[1] ** 2 / 8))
        assert (both.n_units, both.size, both.spread, both.method) == (13, 40, 1, "expanded")

    def test_a_set_of_one_unit_does_not_vary(self):
        both = over_strata([self.part(10, [9, 10, 11]), self.part(3, [3, 3, 3], n_units=1)], [0.5, 0.5])
        assert (both.n_units, both.freedom) == (4, pytest.approx(3))
        assert both.standard_error == pytest.approx(0.5 * math.sqrt(4 / 3))
        assert over_strata([self.part(3, [3, 3], n_units=1)], [1.0]).freedom == math.inf

    @pytest.mark.parametrize(("method", "of_both"), [("percentile", "percentile"), ("BCa", "expanded")])
    def test_percentiles_are_not_widened_and_bca_is_that_of_one_set(self, method, of_both):
        both = over_strata([self.part(10, [9, 10, 11], method)] * 2, [0.5, 0.5])
        assert both.method == of_both
        apart = 1 if method == "percentile" else math.sqrt(4 / 3)
        assert both.bootstrap_distribution == pytest.approx([10 - apart, 10, 10 + apart])


class TestIntervalsOfManyUnits:
    """More than 20,000 units are resampled in random groups."""

    @pytest.fixture
    def systems(self):
        """Two systems, and what they have right of texts of very different lengths, which are as hard for both."""
        rng = np.random.default_rng(7)
        lengths = rng.lognormal(3, 1, 50_011).round() + 1
        hard = rng.beta(2, 2, 50_011)
        systems = []
        for _ in range(2):
            rows = np.column_stack([np.ones(50_011), rng.binomial(lengths.astype(int), hard), lengths])
            systems.append(SegmentStats(Signature.of("share", {}), ("items", "right", "words"), rows))
        return systems

    @pytest.mark.parametrize("method", ["expanded", "percentile", "BCa"])
    def test_have_the_width_of_those_of_single_units(self, systems, method, monkeypatch):
        grouped = bootstraps(_Share(), systems, method=method)
        monkeypatch.setattr(intervals, "MOST_UNITS", 10**9)
        single = bootstraps(_Share(), systems, method=method)
        assert (grouped[0]["share"].n_units, single[0]["share"].n_units) == (20_000, 50_011)
        pairs = [(found["share"], expected["share"]) for found, expected in zip(grouped, single, strict=True)]
        pairs.append((pairs[1][0].less(pairs[0][0]), pairs[1][1].less(pairs[0][1])))
        for found, expected in pairs:
            assert found.value == expected.value
            # Both are random: a standard error of 1,000 draws has one of 2.2 % itself.
            assert found.standard_error == pytest.approx(expected.standard_error, rel=0.1)
            assert found.confidence_interval == pytest.approx(
                expected.confidence_interval, abs=0.4 * expected.standard_error
            )
        # The systems share their groups: their difference varies less than either of them.
        assert pairs[2][0].standard_error < 0.6 * pairs[0][0].standard_error

    def test_are_those_of_the_same_groups_in_each_call(self, systems):
        alone = bootstrap(_Share(), systems[1])["share"]
        together = bootstraps(_Share(), systems)[1]["share"]
        assert alone.confidence_interval == together.confidence_interval

    @pytest.mark.parametrize(("n", "said"), [(20_000, False), (20_001, True)])
    def test_the_signature_and_the_legend_say_so(self, n, said):
        texts, references = [f"a {number % 7}" for number in range(n)], ["a 3"] * n
        found = score("jaccard", texts, references, confidence_level=0.9, n_resamples=10)
        assert (",expanded,20000 groups|" in found.signature) is said
        legend = compare({"one": texts}, "jaccard", references=references).to_markdown()
        assert ("1,000 resamples of 20,000 random groups of segments, seed 12345." in legend) is said


class _Share:
    """What is right, of all words."""

    def finalize(self, totals):
        return {"share": totals[..., 1] / totals[..., 2]}

    def corpus_totals(self, stats):
        return stats.total()

    def check_call(self, **_):
        pass


@pytest.fixture(scope="module")
def wmt(sets):
    """The 16 systems of WMT17 English-German, the baseline first; their references; golden p-values."""
    golden = json.loads((sets / "wmt17_ende_16sys.golden.json").read_text())
    with gzip.open(sets / "wmt17_ende_16sys.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    baseline = golden["baseline_system"]
    names = sorted(rows[0]["hyps"], key=lambda name: (name != baseline, name))
    texts = {name: [row["hyps"][name] for row in rows] for name in names}
    return SimpleNamespace(texts=texts, references=[row["refs"] for row in rows], published=golden["published"])


@pytest.fixture(scope="module")
def wmt_stats(wmt):
    scorer = make_scorer("bleu_multi", {"compat": "sacrebleu", "tokenizer": "none", "scale": 100})
    return scorer, [scorer.stats(texts, wmt.references) for texts in wmt.texts.values()]


AGAINST_THE_BASELINE = [(0, system) for system in range(1, 16)]


@pytest.mark.long
@pytest.mark.parametrize(("test", "kind", "n_resamples"), [
    (BOOTSTRAP, "bs", 1000), (PERMUTATION, "ar", 1000),
])  # fmt: skip
def test_paired_tests_give_the_p_values_of_sacrebleu(wmt, wmt_stats, monkeypatch, test, kind, n_resamples):
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    theirs = sacrebleu.BLEU(tokenize="none", references=[[texts[0] for texts in wmt.references]])
    _, found = PairedTest(list(wmt.texts.items()), {"BLEU": theirs}, None, kind, n_samples=n_resamples)()
    ours = all_pairs_test(*wmt_stats, AGAINST_THE_BASELINE, test, n_resamples=n_resamples, seed=12345)
    assert ours["bleu"].pvalues.tolist() == [float(each.p_value) for each in found["BLEU"][1:]]


@pytest.mark.long
@pytest.mark.parametrize(("test", "kind"), [(BOOTSTRAP, "bs"), (PERMUTATION, "ar")])
@pytest.mark.parametrize(("metric", "theirs"), [("chrf_multi", sacrebleu.CHRF), ("ter", sacrebleu.TER)])
def test_so_do_those_of_chrf_and_ter_but_for_ties(wmt, monkeypatch, test, kind, metric, theirs):
    """Edits are whole numbers: resamples may differ by just what was observed, and sacrebleu does not count these."""
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    systems = dict(list(wmt.texts.items())[:4])
    by_sacrebleu = theirs(references=[[texts[0] for texts in wmt.references]])
    _, found = PairedTest(list(systems.items()), {"it": by_sacrebleu}, None, kind, n_samples=1000)()
    expected = next(scores for name, scores in found.items() if name != "System")[1:]
    scorer = make_scorer(metric, {})
    stats = [scorer.stats(texts, wmt.references) for texts in systems.values()]
    ours = pairs_tested(test, scorer, stats, [(0, system) for system in (1, 2, 3)], n_resamples=1000)
    for mine, other in zip(ours, expected, strict=True):
        result = mine[scorer.primary]
        sizes = result.null_distribution
        ties = int(np.isclose(sizes, abs(result.statistic), rtol=0, atol=1e-9).sum())
        assert result.pvalue - ties / 1001 == pytest.approx(float(other.p_value), abs=1e-12)
        assert ties == 0 or (metric == "ter" and kind == "ar")


def test_paired_tests_agree_with_moses_and_multeval(wmt, wmt_stats):
    moses, multeval = (wmt.published[key] for key in wmt.published if key.startswith(("moses", "multeval")))
    by_bootstrap = pairs_tested(BOOTSTRAP, *wmt_stats, AGAINST_THE_BASELINE, n_resamples=2000)
    by_permutation = pairs_tested(PERMUTATION, *wmt_stats, AGAINST_THE_BASELINE, n_resamples=10_000)
    for name, bootstrapped, permuted in zip(list(wmt.texts)[1:], by_bootstrap, by_permutation, strict=True):
        assert bootstrapped["bleu"].pvalue == pytest.approx(moses[name], abs=0.01)
        assert permuted["bleu"].pvalue == pytest.approx(multeval[name][0], abs=0.01)


@ANY_TEXTS
@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws"])
def test_permutation_is_that_of_the_texts(metric):
    """A plain loop: exchange the texts of some items, score both corpora anew."""
    options = {} if metric == "bleu_multi" else {"rouge_types": ["rouge1"]}
    scorer = make_scorer(metric, options)
    other = [texts[0][::2] + texts[-1] for texts in REFERENCES]
    systems = [scorer.stats(texts, REFERENCES) for texts in (PREDICTIONS, other)]
    found = permutation_test(scorer, systems, n_resamples=40, seed=5)
    masks = np.random.default_rng(5).integers(2, size=(40, len(other)), dtype=bool)
    sizes = []
    for mask in masks:
        first, second = (
            score(metric, [(a, b)[int(toss) ^ side] for a, b, toss in zip(PREDICTIONS, other, mask, strict=True)],
                  REFERENCES, **options)[scorer.primary]
            for side in (1, 0)
        )  # fmt: skip
        sizes.append(abs(first - second))
    result = found[scorer.primary]
    assert result.null_distribution == pytest.approx(sizes, abs=1e-12)
    assert result.pvalue == (np.sum(np.array(sizes) >= abs(result.statistic) - 1e-12) + 1) / 41


@pytest.mark.parametrize(
    "metric", ["bleu_multi", "bleu_multi:compat=nltk", "chrf_multi", "ter", "rouge:tokenizer=unicode"]
)
@pytest.mark.parametrize("seed", range(3))
def test_all_pairs_get_the_p_of_sums_that_are_exchanged_one_pair_and_one_toss_at_a_time(metric, seed):
    """A plain form: the rows of each toss are put together and summed anew, and scored alone."""
    rng = np.random.default_rng(seed)
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "кот", ""])
    references, *outputs = ([" ".join(rng.choice(words, rng.integers(1, 9))) for _ in range(12)] for _ in range(5))
    outputs.append(outputs[0])  # a system against itself
    scorer = metric_of(metric)
    systems = [scorer.stats(texts, references) for texts in outputs]
    pairs = list(combinations(range(5), 2))
    tested = pairs_tested(PERMUTATION, scorer, systems, pairs, n_resamples=70, seed=seed)
    masks = np.random.default_rng(seed).integers(2, size=(70, 12), dtype=bool)[:, :, None]
    for (first, second), results in zip(pairs, tested, strict=True):
        one, other = systems[first].rows, systems[second].rows
        sums = [(np.where(mask, other, one).sum(axis=0), np.where(mask, one, other).sum(axis=0)) for mask in masks]
        for name, result in results.items():
            sizes = [abs(float(scorer.finalize(b)[name]) - float(scorer.finalize(a)[name])) for a, b in sums]
            a, b = (float(scorer.finalize(rows.sum(axis=0))[name]) for rows in (one, other))
            slack = 1e-12 * max(a, b)
            as_large = sum(size >= abs(b - a) - slack for size in sizes)
            assert result.statistic == b - a
            assert result.pvalue == (71 if max(sizes) - min(sizes) <= slack else as_large + 1) / 71
            assert result.null_distribution == pytest.approx(sizes, abs=1e-12)


@pytest.mark.parametrize("test", [BOOTSTRAP, PERMUTATION])
def test_a_system_against_itself_or_one_segment_is_no_difference_and_exchanged_ones_have_the_opposite(test):
    for metric in ("bleu_multi", "rouge_nlws"):
        scorer, stats = stats_of(metric)
        (found,) = pairs_tested(test, scorer, [stats, stats], n_resamples=200)
        assert (found[scorer.primary].statistic, found[scorer.primary].pvalue) == (0, 1)
    systems = [scorer.stats([text], ["a b c"]) for text in ("a b c", "x")]
    (found,) = pairs_tested(test, scorer, systems, n_resamples=100)
    assert found["rouge1"].pvalue == 1
    assert permutation_test(scorer, systems, n_resamples=100, seed=1)["rouge1"].pvalue == 1
    scorer = make_scorer("bleu_multi", {})
    systems = [scorer.stats(texts, REFERENCES) for texts in (PREDICTIONS, [r[0] for r in REFERENCES])]
    one, other = pairs_tested(test, scorer, systems, [(0, 1), (1, 0)], n_resamples=300)
    assert one["bleu"].statistic == -other["bleu"].statistic > 0
    assert one["bleu"].pvalue == other["bleu"].pvalue


def of_signs(differences, n_resamples):
    """Return the test of a mean difference by random signs, and its p by all signs: shares of sums that are whole."""
    signs = np.random.default_rng(2).choice([-1, 1], (n_resamples, len(differences)))
    shares = np.ones(1)
    for size in np.abs(differences):
        shares = (np.pad(shares, (0, 2 * size)) + np.pad(shares, (2 * size, 0))) / 2
    sums = np.arange(len(shares)) - np.abs(differences).sum()
    exact = shares[np.abs(sums) >= abs(differences.sum())].sum()
    draws = np.abs(signs @ differences) / len(differences)
    pvalue = (1 + np.sum(draws >= abs(differences.mean()))) / (n_resamples + 1)
    return PairedTestResult(float(differences.mean()), float(pvalue), draws), exact


@pytest.mark.parametrize("n", [10, 16, 30, 100])
@pytest.mark.parametrize("shift", [0, 1, 3, 8])
def test_p_beyond_the_draws_is_between_that_of_all_permutations_and_that_of_the_draws(n, shift):
    differences = np.random.default_rng(n).integers(-5, 6, n) + shift
    result, exact = of_signs(differences, 2000)
    found = pvalue_beyond_resamples(result, n)
    if result.pvalue > 1 / 2001:
        assert found == result.pvalue
    else:
        assert exact <= found <= 1 / 2001
    if exact < 1e-9:
        assert found < 1e-6


def test_p_of_many_units_that_all_differ_alike_is_small_and_never_0():
    result, _ = of_signs(np.ones(2500, np.int64), 100)
    assert 0 < pvalue_beyond_resamples(result, 2500) < 1e-200


def test_a_score_that_is_nan_has_no_p_by_any_way():
    draws = np.linspace(-1, 1, 100)
    assert math.isnan(pvalue_beyond_resamples(PairedTestResult(math.nan, math.nan, draws), 50))


def test_what_cannot_be_compared_is_refused():
    scorer, stats = stats_of("bleu_multi")
    _, others = stats_of("bleu_multi", lowercase=True)
    fewer = scorer.stats(PREDICTIONS[1:], REFERENCES[1:])
    for test in (BOOTSTRAP, PERMUTATION):
        with pytest.raises(MergeError, match="Systems must be scored alike"):
            pairs_tested(test, scorer, [stats, others])
        with pytest.raises(InputError, match=f"the same segments, got {len(stats)} and {len(fewer)}"):
            pairs_tested(test, scorer, [stats, fewer])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_adjusts_upwards_in_the_order_of_p(pvalues):
    adjusted = holm(pvalues)
    assert all(p <= q <= 1 for p, q in zip(pvalues, adjusted, strict=True))
    assert min(adjusted) == min(1, len(pvalues) * min(pvalues))
    by_p = [q for _, q in sorted(zip(pvalues, adjusted, strict=True))]
    assert by_p == sorted(by_p)
    rejected = [q <= 0.05 for q in adjusted]  # the procedure step by step, as Holm describes it
    going = True
    for rank, index in enumerate(sorted(range(len(pvalues)), key=lambda i: pvalues[i])):
        going = going and (len(pvalues) - rank) * pvalues[index] <= 0.05
        assert rejected[index] == going


@given(
    values=arrays(
        np.float64, st.integers(1, 70), elements=st.floats(-1e9, 1e9) | st.sampled_from([0.25, 1 / 3, np.nan])
    ),
    levels=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(np.array),
)
def test_quantiles_are_those_of_numpy_to_the_bit(values, levels):
    assert _quantiles(values, levels).tobytes() == np.quantile(values, levels).tobytes()


def test_percentiles_of_any_resamples_are_those_of_numpy_to_the_bit():
    random = np.random.default_rng(17)
    for n in (2, 3, 10, 41, 1000):
        for _ in range(40):
            draws = random.normal(3, 1, n)
            result = BootstrapResult(0.0, draws, "percentile", 0.9, 9, 8, 1.0, 0.0)
            assert tuple(result.confidence_interval) == tuple(np.quantile(draws, [(1 - 0.9) / 2, (1 + 0.9) / 2]))

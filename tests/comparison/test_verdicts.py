"""What a table says in words: each sentence, and that it claims no more than the numbers and the test."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tercet.comparison.compare import compare
from tercet.comparison.overall import overall
from tercet.comparison.values.scores import DifferenceFromBaseline, SystemScore
from tercet.comparison.verdicts.summary_verdicts import Findings, TitledTable, summary_verdict
from tercet.comparison.verdicts.verdicts import score_verdict, verdict_in_words, verdict_of
from tercet.files.join import LACKING
from tercet.names_as_shown import Name
from tercet.report.bucket_scores import bucket_verdict
from tercet.statistics.intervals import ConfidenceInterval
from tercet.test_sets.test_set import TestSet

SAMPLE = TestSet("sample", {"a": ["the cat sat on it"]}, [["the cat sat on it"]], None)
(BLEU,), (TER,) = (compare(SAMPLE, metric).tables for metric in ("bleu", "ter"))
FOUND = compare(SAMPLE, ["bleu"])


def said(values, adjusted=None, table=BLEU, test="permutation", alpha=0.05, baseline=None):
    """Return the sentences on systems with these scores, and these adjusted p-values of pairs (1 where none)."""
    names = list(values)
    baseline = baseline or names[0]
    pvalues = np.ones((len(names), len(names)))
    for (one, other), p in (adjusted or {}).items():
        places = names.index(one), names.index(other)
        pvalues[places] = pvalues[places[::-1]] = p
    best = (max if table.higher_is_better else min)(values.values())
    top = list(values.values()).index(best)
    rows = []
    for place, (name, value) in enumerate(values.items()):
        as_good = value == best or (bool(pvalues[place, top] >= alpha) if test else None)
        against = None
        if name != baseline:
            unknown = ConfidenceInterval(math.nan, math.nan)
            against = DifferenceFromBaseline(value - values[baseline], unknown, None, None, None)
        rows.append(SystemScore(name, value, value, value, against, value == best, as_good))
    made = replace(table, rows=rows, pvalues=pvalues)
    comparison = replace(
        FOUND, tables=[made], design=FOUND.design._replace(test=test, alpha=alpha, baseline=baseline)
    )
    return ["".join(each) for each in score_verdict(comparison, made, {name: name for name in names})]


NONE = "which does not show that there is none."
NO_DIFFERENCE = "The test finds no significant difference between"
EIGHT = {f"s{number}": float(number) for number in range(8)}
THREE = {"a": 1.0, "b": 2.0, "c": 3.0}
AMONG = {("x", "low"): 0.001, ("x", "high"): 0.002, ("low", "high"): 0.0001}

#: What is scored, p of pairs, other settings, and the sentences.
CASES = {
    "a significant difference": ({"large": 84.6, "tuned": 45.1}, {("large", "tuned"): 0.0001}, {}, [
        "large has the best BLEU: 84.60, 39.50 points above tuned.",
        "The difference is significant (p 0.0001, alpha 0.05).",
    ]),
    "none, which is not taken for equality": ({"large": 45.3, "tuned": 45.1}, {("large", "tuned"): 0.412}, {}, [
        "large has the best BLEU: 45.30, 0.20 points above tuned.",
        f"{NO_DIFFERENCE} large and tuned (p 0.412; alpha 0.05), {NONE}",
    ]),
    "the user's alpha": ({"a": 2.0, "b": 1.0}, {("a", "b"): 0.02}, {"alpha": 0.01}, [
        "a has the best BLEU: 2.00, 1.00 points above b.", f"{NO_DIFFERENCE} a and b (p 0.020; alpha 0.01), {NONE}",
    ]),
    "lower is better, and has no points": ({"a": 40.0, "b": 60.5}, {("a", "b"): 0.002}, {"table": TER}, [
        "a has the best TER (lower is better): 40.00, 20.50 below b.",
        "The difference is significant (p 0.0020, alpha 0.05).",
    ]),
    "a difference that rounding would hide": ({"a": 40.001, "b": 40.0}, {}, {"test": None}, [
        "a has the best BLEU: 40.00, less than 0.01 points above b.",
        "This was not tested: the difference may be due to chance.",
    ]),
    "the same score": ({"a": 40.0, "b": 40.0}, {}, {}, ["Both systems have the same BLEU: 40.00."]),
    "one system": ({"a": 40.0}, {}, {}, ["The BLEU of a is 40.00. There is no other system."]),
    "one untested system": ({"a": 40.0}, {}, {"test": None}, ["The BLEU of a is 40.00. There is no other system."]),
    "three without a test": (THREE, {}, {"test": None}, [
        "c has the best BLEU: 3.00, 1.00 points above b, the next best.",
        "This was not tested: the difference may be due to chance.",
    ]),
    "better than all": (THREE, {("c", "a"): 0.0003, ("c", "b"): 0.02}, {"baseline": "c"}, [
        "c has the best BLEU: 3.00, 1.00 points above b, the next best.",
        "c is significantly better than both others (largest adjusted p 0.020, alpha 0.05).",
    ]),
    "better than some": ({**THREE, "d": 4.0}, {("d", "a"): 0.0003, ("d", "b"): 0.0004, ("a", "b"): 0.9}, {}, [
        "d has the best BLEU: 4.00, 1.00 points above c, the next best.",
        f"{NO_DIFFERENCE} d and c (adjusted p 1.000; alpha 0.05), {NONE}",
        "d is significantly better than b and a (largest adjusted p 0.0004).",
        "The baseline a is significantly worse than 1 other.",
    ]),
    "better than none": (THREE, {("a", "c"): 0.3}, {}, [
        "c has the best BLEU: 3.00, 1.00 points above b, the next best.",
        f"{NO_DIFFERENCE} c and either of b and a (adjusted p 1.000, 0.300; alpha 0.05), {NONE}",
        f"{NO_DIFFERENCE} the baseline and any other system.",
    ]),
    "a baseline in the middle": (THREE, {("a", "b"): 0.01}, {"baseline": "b"}, [
        "c has the best BLEU: 3.00, 1.00 points above b, the next best.",
        f"{NO_DIFFERENCE} c and either of b and a (adjusted p 1.000, 1.000; alpha 0.05), {NONE}",
        "The baseline b is significantly better than 1 other.",
    ]),
    "no better than many": (EIGHT, {("s7", "s0"): 0.01, ("s7", "s3"): 0.06}, {"baseline": "s7"}, [
        "s7 has the best BLEU: 7.00, 1.00 points above s6, the next best.",
        f"{NO_DIFFERENCE} s7 and 6 of the 7 others (least adjusted p 0.060, alpha 0.05), {NONE}",
        "s7 is significantly better than s0 (adjusted p 0.010).",
    ]),
    "better than none of many": (EIGHT, {("s7", "s3"): 0.06}, {"baseline": "s7"}, [
        "s7 has the best BLEU: 7.00, 1.00 points above s6, the next best.",
        f"{NO_DIFFERENCE} s7 and any of the 7 others (least adjusted p 0.060, alpha 0.05), {NONE}",
    ]),
    "several share the best": ({"a": 1.0, "b": 2.0, "c": 2.0}, {("b", "a"): 0.001, ("c", "a"): 0.2}, {
        "baseline": "b",
    }, [
        "b and c share the best BLEU: 2.00, 1.00 points above a, the next best.",
        "b is significantly better than a (adjusted p 0.0010).", "c is not told apart from a (adjusted p 0.200).",
    ]),
    "two of which are the next best": ({"a": 3.0, "b": 2.0, "c": 2.0}, {("a", "b"): 0.01, ("a", "c"): 0.02}, {
        "baseline": "a",
    }, [
        "a has the best BLEU: 3.00, 1.00 points above b and c, the next best.",
        "a is significantly better than both others (largest adjusted p 0.020, alpha 0.05).",
    ]),
    "no test of some": (THREE, {("c", "a"): 0.01, ("c", "b"): float("nan"), ("a", "b"): 0.3}, {}, [
        "c has the best BLEU: 3.00, 1.00 points above b, the next best.",
        "c is significantly better than a (adjusted p 0.010, alpha 0.05).", "b against c was not tested.",
        "The baseline a is significantly worse than 1 other.",
    ]),
    "no test of any": ({"a": 2.0, "b": 1.0}, {("a", "b"): float("nan")}, {}, [
        "a has the best BLEU: 2.00, 1.00 points above b.",
        "This was not tested: the difference may be due to chance.",
    ]),
    "the baseline among three": ({"low": 1.0, "x": 2.0, "high": 3.0}, AMONG, {"baseline": "x"}, [
        "high has the best BLEU: 3.00, 1.00 points above x, the next best.",
        "high is significantly better than both others (largest adjusted p 0.0020, alpha 0.05).",
        "The baseline x is significantly worse than 1 other, and significantly better than 1 other.",
    ]),
    "a baseline of that name": ({"a": 2.0, "baseline": 1.0, "c": 1.0}, {("a", "baseline"): 0.01}, {
        "baseline": "baseline",
    }, [
        "a has the best BLEU: 2.00, 1.00 points above baseline and c, the next best.",
        f"{NO_DIFFERENCE} a and c (adjusted p 1.000; alpha 0.05), {NONE}",
        "a is significantly better than baseline (adjusted p 0.010).",
        "The baseline is significantly worse than 1 other.",
    ]),
}  # fmt: skip


def test_a_table_says_no_more_than_its_numbers_and_tests():
    for case, (values, adjusted, settings, sentences) in CASES.items():
        assert said(values, adjusted, **settings) == sentences, case


def test_the_next_best_are_equal_up_to_rounding():
    first, *_ = said({"a": 0.5, "b": 0.1 + 0.2, "c": 0.3}, test=None)
    assert first == "a has the best BLEU: 0.50, 0.20 points above b and c, the next best."


def test_names_are_kept_apart_from_what_is_said_of_them():
    """They may be of any script, and hold anything."""
    row, names = replace(BLEU.rows[0], against=None), ("נתן", "<b>")
    rows = [replace(row, system=name, value=2.0 - place, best=not place) for place, name in enumerate(names)]
    found = replace(FOUND, design=FOUND.design._replace(test=None))
    (sentence, _) = score_verdict(found, replace(BLEU, rows=rows), {name: name for name in names})
    assert tuple(part for part in sentence if isinstance(part, Name)) == names


def summed_up(*tables, test="permutation"):
    """Return the summary of tables: of each, the systems that are best, and those that are not told from them."""
    row, made = BLEU.rows[0], []
    for number, (best, as_good) in enumerate(tables):
        rows = [
            replace(row, system=name, best=name in best, as_good=name in best + as_good if test else None)
            for name in "abcdefg"
        ]
        made.append(replace(BLEU, metric=f"metric {number}", rows=rows))
    titles = ["BLEU", "chrF", "TER", "WER", "CER"][: len(tables)]
    scores = list(map(TitledTable, titles, made))
    return ["".join(each) for each in summary_verdict(Findings(scores, {name: name.upper() for name in "abcdefg"}))]


def test_the_summary_says_whether_scores_agree_and_what_the_tests_add():
    disagree = "The scores do not agree on the best system."
    for tables, sentences in (
        ([("a", ""), ("a", "")],
         ["A is best in both metrics.", "It is significantly better than all 6 others in each of them."]),
        ([("a", "bc"), ("a", "bc"), ("a", "b")],
         ["A is best in all 3 metrics.",
          "It is significantly better than D, E, F and G by each score; significantly better than C by TER; "
          "not told apart from B by any score; not told apart from C by BLEU and chrF."]),
        ([("a", "bcdef"), ("a", "g")],
         ["A is best in both metrics.",
          "Of the 6 others, the tests do not tell it apart from 5 by BLEU and 1 by chrF."]),
        ([("a", "bcdefg")] * 2,
         ["A is best in both metrics.", "By no score do the tests tell it apart from any of the 6 others."]),
        ([("a", "bcdefg"), *[("a", "b")] * 4],
         ["A is best in all 5 metrics.",
          "Of the 6 others, the tests do not tell it apart from up to 6 by one score."]),
        ([("ab", ""), ("ab", ""), ("ab", "c")], ["A and B are best in all 3 metrics."]),
        ([("a", "c"), ("b", "c"), ("a", "")],
         [disagree,
          "A is best by BLEU (not told apart from C); significantly best by TER; significantly worse than B by chrF.",
          "B is best by chrF (not told apart from C); significantly worse than A by BLEU and TER."]),
        # who is nowhere significantly worse, where all others are somewhere, stands first
        ([("a", "b"), ("b", ""), ("a", "bc")],
         ["B is significantly best by chrF; not told apart from A by BLEU and TER.",
          "A is best by BLEU (not told apart from B); best by TER (not told apart from B and C); significantly "
          "worse than B by chrF."]),
        ([("a", "bcdefg"), ("b", "")],
         ["B is significantly best by chrF; not told apart from A by BLEU.",
          "A is best, but not significantly, by BLEU; significantly worse than B by chrF."]),
        ([("a", "b"), ("b", "a"), ("a", "bc")],
         [disagree,
          "A is best by BLEU (not told apart from B); best by TER (not told apart from B and C); not told apart from "
          "B by chrF.",
          "B is best by chrF (not told apart from A); not told apart from A by BLEU and TER."]),
        ([("abcdefg", ""), ("abcdefg", "")], ["All 7 systems have the same scores in both metrics."]),
    ):  # fmt: skip
        assert summed_up(*tables) == sentences
    assert summed_up(("a", ""), ("a", ""), test=None)[1:] == [
        "These differences were not tested: they may be due to chance."
    ]


def test_of_many_rivals_four_are_named():
    for bests, more in ((["a", "b", "c", "d", "e"], "1 more is"), (["ab", "c", "d", "e", "f"], "2 more are")):
        _, *named, last = summed_up(*[(best, "") for best in bests])
        assert len(named) == 4
        assert last == f"{more} best by other scores."
    four = [sentence.split(" is ")[0] for sentence in summed_up(("a", ""), ("b", ""), ("c", ""), ("d", ""))]
    assert four == ["The scores do not agree on the best system.", "A", "B", "C", "D"]


def test_scores_of_one_metric_are_not_called_metrics():
    tables = [replace(BLEU, rows=[replace(BLEU.rows[0], system=name, best=name == "a") for name in "ab"])] * 2
    scores = list(map(TitledTable, ["ROUGE-1", "ROUGE-L"], tables))
    assert summary_verdict(Findings(scores, {"a": "a", "b": "b"}))[0] == (
        Name("a"),
        " is best in both scores.",
    )


def test_a_metric_with_several_scores_counts_as_one():
    rows = [replace(BLEU.rows[0], system=name, best=name == "große") for name in ("große", "小")]
    names = {"große": "große", "小": "小"}
    for metrics, said_of_all in (
        (["bleu", "chrf", "ter", *["rouge"] * 7], "all 4 metrics (10 scores)"),
        (["bleu", "rouge", "rouge"], "both metrics (3 scores)"),
        (["bleu", "chrf"], "both metrics"),
        (["rouge"] * 7, "all 7 scores"),
    ):
        tables = [replace(BLEU, metric=metric, rows=rows) for metric in metrics]
        scores = [TitledTable(f"{table.metric} {number}", table) for number, table in enumerate(tables)]
        assert "".join(summary_verdict(Findings(scores, names))[0]) == f"große is best in {said_of_all}."


def test_groups_count_those_that_are_best_in_each():
    columns = [(1.0, 2.0), (3.0, 2.0), (float("nan"), 2.0), (2.0, 2.0)]
    untested = " These were not tested."
    for given, higher, said in (
        (columns, True, "b is best in 2 of 4 length groups; a is best in 1 of 4 length groups; 1 ends in a tie."),
        (columns[:2], False, "a is best in 1 of 2 length groups; b is best in 1 of 2 length groups."),
    ):
        (sentence,) = bucket_verdict(given, ["a", "b"], "length groups", higher_is_better=higher)
        assert "".join(sentence) == said + untested
    assert bucket_verdict(columns, ["a"], "length groups", higher_is_better=True) == []


def verdict(scores, **settings):
    """Return the verdict on numbers of systems as one text."""
    found = compare(scores=scores, **settings)
    return " ".join(map("".join, verdict_of(found, {name: name for name in found.test_set.systems})))


HIGH, LOW = [2.0, 3.0, 4.0] * 10, [1.0, 2.5, 2.0] * 10


def test_a_score_that_is_0_for_all_or_nan_is_left_out_and_the_others_are_judged():
    nothing = {"a": [0.0] * 30, "b": [0.0] * 30}
    both = {"x": {"a": LOW, "b": HIGH}, "null": nothing}
    assert verdict(both).startswith("b has the best x: 3.0000, ")
    left_out = "Left out here: null, by which no system is the best."
    assert verdict(both).endswith(f"The difference is significant (p 0.0001, alpha 0.05). {left_out}")
    three = {**both, "y": {"a": LOW, "b": HIGH}}
    assert verdict(three) == (
        "b is best in both metrics. It is significantly better than a in each of them. "
        "Left out here: null, by which no system is the best."
    )
    assert verdict({"null": nothing, "zero": nothing}).count("Both systems have the same") == 2


def test_what_is_not_tested_by_one_score_is_no_finding():
    """Here the second score has numbers of three segments alone."""
    few = [5.0, 6.0, 7.0] + [np.nan] * 27
    scores = {"x": {"a": LOW, "b": HIGH}, "y": {"a": [value - 1 for value in few], "b": few}}
    assert verdict(scores) == (
        "b is best in both metrics. It is significantly better than a by x; not tested against a by y. "
        "By y, only 3 of 30 segments are compared: a lacks 27 and b lacks 27."
    )


@pytest.mark.filterwarnings("ignore:.*not scored for every system")
def test_segments_that_a_missing_number_leaves_out_are_said():
    lacking = [np.nan] * 3 + HIGH[3:]
    assert verdict({"x": {"a": LOW, "b": lacking}}).endswith(" Only 27 of 30 segments are compared: b lacks 3.")
    both = {"x": {"a": LOW, "b": lacking}, "y": {"a": LOW, "b": lacking}}
    assert verdict(both).endswith(" Only 27 of 30 segments are compared: b lacks 3.")
    one = {"x": {"a": LOW, "b": lacking}, "y": {"a": LOW, "b": HIGH}}
    assert verdict(one).endswith(" By x, only 27 of 30 segments are compared: b lacks 3.")
    assert "are compared" not in verdict({"x:missing=zero": {"a": LOW, "b": lacking}})


def test_segments_without_a_reference_are_not_counted_as_compared():
    texts = [f"the cat number {number}" for number in range(30)]
    references = [[], *([text] for text in texts[1:])]
    systems = {"a": texts, "b": [f"{text} sat" for text in texts]}
    test_set = TestSet("t", systems, references, None, lost={"a": {LACKING: 10}}, n_all=40)
    found = compare(test_set, "chrf:missing_references=skip")
    assert found.tables[0].n_units == 29
    in_words = verdict_in_words(found, {"a": "a", "b": "b"})
    assert in_words.endswith(" Only 29 of 40 segments are compared: a lacks 10.")


def test_the_bootstrap_test_errs_and_that_is_said_of_several_scores_too():
    scores = {"x": {"a": LOW, "b": HIGH}, "y": {"a": LOW, "b": HIGH}}
    assert verdict(scores, test="bootstrap").endswith(
        "The paired bootstrap test errs two to four times as often as alpha says."
    )


def test_equal_scores_by_all_metrics_are_called_so():
    scores = {"x": {"a": LOW, "b": LOW}, "y": {"a": HIGH, "b": HIGH}}
    assert verdict(scores) == "Both systems have the same scores in both metrics."


SHORT = {"A": ["the cat", "a dog"], "B": ["the dog", "a cat"]}
OF_SHORT = ["the cat sat", "a dog ran"]
CHINESE = {"A": ["猫坐在垫子上了", "今天下雨了"], "B": ["狗坐在垫子上", "昨天下雨"]}
OF_CHINESE = ["猫坐在垫子上", "今天下雨"]
CANNOT_TELL = "cannot tell the systems apart: it is"
TOO_SHORT = "as the texts are short in tokens: no prediction has an n-gram of order 3."
NOT_SPLIT = "as the texts are not split into words."
LIMITS = [
    ((SHORT, OF_SHORT, "bleu"), f"BLEU {CANNOT_TELL} 0.00 for both, {TOO_SHORT}"),
    (
        ({"C": ["a cat sat here on a mat", "a dog and a cat ran"], **SHORT}, OF_SHORT, "bleu:smooth_method=none"),
        f"BLEU {CANNOT_TELL} 0.00 for all 3, as no n-gram of order 3 matches.",
    ),
    ((CHINESE, OF_CHINESE, "bleu"), f"BLEU {CANNOT_TELL} 0.00 for both, {NOT_SPLIT}"),
    ((CHINESE, OF_CHINESE, "ter"), f"TER {CANNOT_TELL} 100.00 for both, {NOT_SPLIT}"),
    (
        (CHINESE, OF_CHINESE, "rouge:tokenizer=rouge,rouge_types=rougeL"),
        f"ROUGE-L {CANNOT_TELL} 0.00 for both, as ROUGE's tokenizer drops most letters of the texts.",
    ),
    (
        (CHINESE, OF_CHINESE, "wer"),
        "Both systems have the same CER (lower is better): 20.00. Left out here: WER, MER and WIL, which cannot tell "
        f"the systems apart, {NOT_SPLIT}",
    ),
    (
        ({"A": ["the dog"], "B": ["a cat"]}, ["the cat sat"], "bleu_rouge:max_order=2"),
        "Left out here: BLEU-ROUGE F, BLEU-ROUGE precision and BLEU-ROUGE F 2, which cannot tell the systems apart, ",
    ),
    (({"A": ["x y"], "B": ["z w"]}, ["a b"], "bleu"), "Both systems have the same BLEU: 0.00."),
    ((CHINESE, OF_CHINESE, "bleu:tokenizer=char"), "Too few segments for any test: "),
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("compared", "said"), LIMITS)
def test_a_limit_of_the_method_is_not_said_as_a_finding(compared, said):
    texts, references, metric = compared
    comparison = compare(texts, metric, references=references)
    verdict = verdict_in_words(comparison, {name: name for name in texts})
    assert verdict == said if said.endswith(".") else said in verdict
    if metric == "bleu":
        both = overall([comparison, comparison])
        assert verdict_in_words(both, {name: name for name in texts}) == verdict

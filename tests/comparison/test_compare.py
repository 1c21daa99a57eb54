"""Systems compared: every number of the table against the metric, the tests and plain counting."""

import csv
import inspect
import io
import json
import math
import pickle
import re
import warnings
from dataclasses import replace
from functools import partial
from itertools import combinations, compress
from typing import ClassVar
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import tqdm

import tercet
from commands import command
from conftest import close, needed, written
from samples import sample
from tercet import InputError, OptionError, score
from tercet.api import known_options, make_scorer
from tercet.base.scoring import segment_lists
from tercet.comparison.compare import compare
from tercet.comparison.one_segment.side_by_side import side_by_side
from tercet.comparison.scoring.score_rows import _counts
from tercet.comparison.shown.exported_texts import export_segments, export_systems
from tercet.comparison.shown.tables import in_format
from tercet.comparison.shown.terminal import to_text
from tercet.comparison.specs.metric_specs import label, label_of, metric_of, parse_metric
from tercet.comparison.values.scores import some_best
from tercet.comparison.verdicts.verdicts import verdict_of
from tercet.errors import for_command_line
from tercet.files.read import predictions_in, read_table, references_in
from tercet.registry import METRICS, metric_class
from tercet.report.comparison import to_html
from tercet.specs import parse_value, split_metric
from tercet.statistics import null_differences, resampled_scores
from tercet.statistics.holm import holm
from tercet.statistics.kinds_of_tests import PERMUTATION, TESTS
from tercet.statistics.paired_tests import all_pairs_test
from tercet.table_formats import decimals, pvalue_text
from tercet.test_sets.test_set import TestSet

BLEU_TOKENIZERS = {"zh": "zh"}
SAMPLES = {language: sample(language) for language in ("en", "es", "ru", "zh")}
EN = SAMPLES["en"]
BLEU = parse_metric("bleu_multi")
to_csv, to_json, to_latex, to_markdown, to_tsv = (
    partial(in_format, form=form) for form in ("csv", "json", "latex", "markdown", "tsv")
)


def made(metric, **options):
    return written(metric, {**needed(metric), **options})


def called(*names, test_set="x"):
    """Return the English test set with other names of its systems, and of itself."""
    return TestSet(test_set, dict(zip(names, EN.systems.values(), strict=True)), EN.references, None)


def rows_of(tsv):
    return list(csv.DictReader(io.StringIO(tsv), delimiter="\t"))


def _without_empty_texts(test_set):
    kept = [all(texts) for texts in zip(*test_set.systems.values(), strict=True)]
    systems = {name: list(compress(texts, kept)) for name, texts in test_set.systems.items()}
    return TestSet(test_set.name, systems, list(compress(test_set.references, kept)), None)


def test_every_system_is_compared_with_the_first_one():
    references = ["the cat sat", "a dog ran"]
    systems = {"base": ["the cat", "a dog"], "tuned": references}
    (table,) = compare(systems, "chrf", references=references, test=None).tables
    rows = {row.system: row for row in table.rows}
    assert rows["base"].difference is None
    assert rows["tuned"].value == 100
    assert rows["tuned"].difference == 100 - rows["base"].value


class TestCompare:
    @pytest.mark.costly("rouge_nlws", "jaccard_sets", "bleu_rouge_f", "perplexity_lm")
    @pytest.mark.filterwarnings("ignore:.*perplexity_lm. .* no token to score:UserWarning")
    @pytest.mark.filterwarnings("ignore:ter. texts are split at white space:UserWarning")
    @pytest.mark.parametrize("language", ["en", "zh"])
    @pytest.mark.parametrize("metric", METRICS)
    def test_scores_and_intervals_are_those_of_the_metric(self, metric, language):
        test_set = SAMPLES[language]
        if not metric_class(metric).takes_references:  # a comparison scores what is scored for every system
            test_set = _without_empty_texts(test_set)
        options = {"tokenizer": "unicode"} if "tokenizer" in known_options(metric) else {}
        found = compare(test_set, [made(metric, **options)], test=None)
        asked = {"scale": 100, "confidence_level": 0.95, "segments": True, **needed(metric), **options}
        for place, texts in enumerate(test_set.systems.values()):
            expected = score(metric, texts, test_set.references, **asked)
            for table in found.tables:
                row = table.rows[place]
                assert row.system == list(test_set.systems)[place]
                assert close(metric, row.value / 100, expected[table.name] / 100)
                assert [row.low, row.high] == pytest.approx(expected["intervals"][table.name], rel=1e-5, abs=1e-3)
                assert place or (row.difference, row.pvalue, row.wins) == (None, None, None)

    def test_warns_of_what_the_metric_warns_of_and_names_the_system(self):
        systems = {"good": ["the cat sat down on the mat"], "poor": ["the cat sat on a mat"]}
        test_set = TestSet("news", systems, [["the cat sat down on the mat"]], None)
        message = "news: the system 'poor': bleu_multi: BLEU is 0 only because"
        with pytest.warns(UserWarning, match=message) as caught:
            found = compare(test_set, ["bleu_multi:smooth_method=none"], test=None)
        assert len(caught) == 1
        assert [row.value for row in found.tables[0].rows] == [pytest.approx(100), 0]

    @pytest.mark.parametrize("name", ["baseline", "Base", "main"])
    def test_warns_where_another_system_than_the_baseline_is_called_so(self, name):
        systems = {"tuned": ["a red cat"], name: ["a dog"]}
        with pytest.warns(UserWarning, match=f"the baseline is the first system, 'tuned', but another .* '{name}'"):
            found = compare(systems, "chrf", references=["a cat"])
        assert found.baseline == "tuned"
        assert found.warnings == [
            f"test set: the baseline is the first system, 'tuned', but another is called {name!r}: "
            f"baseline={name!r} makes it the baseline."
        ]
        assert compare(systems, "chrf", references=["a cat"], baseline="tuned").warnings == []
        assert compare({name: ["a dog"], "tuned": ["a red cat"]}, "chrf", references=["a cat"]).baseline == name

    def test_systems_with_the_same_warning_share_it_where_they_are_many(self):
        systems = {name: [f"the cat {name} sat"] for name in ["ab", "кот", "猫", "d"]} | {
            "good": ["the cat sat down"]
        }
        with pytest.warns(UserWarning, match="BLEU is 0") as caught:
            compare(TestSet("news", systems, [["the cat sat down"]], None), ["bleu:smooth_method=none"], test=None)
        (message,) = [str(warning.message) for warning in caught]
        assert message.startswith("news: the systems 'ab', 'кот', '猫' and 'd': bleu_multi: BLEU is 0 only because")

    def test_differences_p_and_counts_are_against_the_baseline(self):
        test_set = SAMPLES["es"]
        (table,) = compare(test_set, ["bleu_multi"], baseline="tuned", n_resamples=500, seed=7).tables
        scorer = make_scorer("bleu_multi", {"scale": 100})
        systems = [scorer.stats(texts, test_set.references) for texts in test_set.systems.values()]
        pairs = [(0, 1), (0, 2), (1, 2)]
        tested = all_pairs_test(scorer, systems, pairs, PERMUTATION, n_resamples=500, seed=7)
        raw = tested["bleu"].pvalues.tolist()
        base = table.rows[1]
        assert [row.system for row in table.rows] == ["baseline", "tuned", "large"]
        assert [row.pvalue for row in table.rows] == [raw[0], None, raw[2]]
        assert base.difference is None
        for row in (table.rows[0], table.rows[2]):
            assert row.difference == pytest.approx(row.value - base.value)
            own, others = (table.segments[system] for system in (row.system, "tuned"))
            wins = sum(a > b for a, b in zip(own, others, strict=True))
            assert (row.wins, row.wins + row.ties + row.losses) == (wins, len(own))
        (by_holm,) = compare(
            test_set, ["bleu_multi"], baseline="tuned", n_resamples=500, seed=7, adjust="holm"
        ).tables
        for (one, other), p, alone in zip(pairs, holm(raw), raw, strict=True):
            assert by_holm.pvalues[one, other] == by_holm.pvalues[other, one] == p
            assert alone <= table.pvalues[one, other] == table.pvalues[other, one]
        assert [row.pvalue for row in by_holm.rows] == [row.pvalue for row in table.rows]

    @pytest.mark.parametrize(("test", "metric"), [("permutation", "bleu_multi"), ("bootstrap", "rouge_nlws")])
    def test_many_systems_are_resampled_once_and_get_the_p_of_each_pair_alone(self, test, metric, monkeypatch):
        small = SAMPLES["es"]
        texts, baseline = small.systems["large"], small.systems["baseline"]
        systems = {f"s{k}": [*texts[:k], *baseline[k:]] for k in range(13)}  # 78 pairs
        scorer = make_scorer(metric, {"scale": 100})
        stats = [scorer.stats(each, small.references) for each in systems.values()]
        alone = [
            all_pairs_test(scorer, pair, [(0, 1)], TESTS[test], n_resamples=40, seed=3)
            for pair in combinations(stats, 2)
        ]
        drawn, masks, totals = [], null_differences.shuffle_masks, resampled_scores.resampled_totals
        monkeypatch.setattr(
            null_differences,
            "shuffle_masks",
            lambda *given: (drawn.append(len(mask)) or mask for mask in masks(*given)),
        )
        monkeypatch.setattr(
            resampled_scores, "resampled_totals", lambda rows, n, seed: drawn.append(n) or totals(rows, n, seed)
        )
        test_set = TestSet("es", systems, small.references, None)
        first, *_ = compare(test_set, [metric], test=test, n_resamples=40, seed=3, adjust="holm").tables
        assert sum(drawn) == 40 + 1000  # for all tests, and for all intervals
        expected = holm([float(found[scorer.primary].pvalues[0]) for found in alone])
        assert first.pvalues[np.triu_indices(13, 1)].tolist() == expected

    def test_long_names_may_differ_where_messages_cut_them(self):
        names = [f"{'a long name ' * 8}{end}{' of a system' * 5}" for end in ("one", "other")]
        found = compare({name: ["the cat sat"] for name in names}, "chrf", references=["the cat sat"], n_resamples=20)
        assert [row.system for row in found.tables[0].rows] == names

    def test_the_best_and_those_as_good_are_marked(self):
        same = EN.systems["large"]
        test_set = replace(EN, systems={"a": same, "b": list(same), **EN.systems})
        (table,) = compare(test_set, ["bleu_multi"], baseline="a", n_resamples=300).tables
        marks = {row.system: (row.best, row.as_good) for row in table.rows}
        assert marks["a"] == marks["b"] == marks["large"] == (True, True)
        assert marks["baseline"] == (False, False)
        assert {row.pvalue for row in table.rows if row.system in ("b", "large")} == {1.0}

    def test_left_out_segments_count_nowhere(self):
        references = [[], *EN.references[1:]]
        holed = replace(EN, name="holed", references=references)
        message = "holed, segment 1 has no reference; 'bleu_multi:missing_references=skip' leaves such segments out"
        with pytest.raises(InputError, match=message):
            compare(holed)
        (table,) = compare(holed, ["bleu_multi:missing_references=skip"], n_resamples=50).tables
        rest = TestSet("rest", {name: texts[1:] for name, texts in EN.systems.items()}, references[1:], None)
        (expected,) = compare(rest, ["bleu_multi"], n_resamples=50).tables
        assert table.rows == expected.rows
        assert all(values[0] is None for values in table.segments.values())

    def test_mistakes_are_named(self):
        for given, message in [
            ({"baseline": "basline"}, "no system 'basline' to use as the baseline. Did you mean 'baseline'"),
            ({"test": "t"}, "'test' option of compare must be one of None, 'permutation', 'bootstrap'. Got 't' in"),
            ({"metrics": ["bleu_mutli"]}, "Did you mean 'bleu_multi'"),
            ({"metrics": ["bleu_multi:tokeniser=zh"]}, "Did you mean 'tokenizer'"),
            ({"interval": "bca"}, "must be one of None, 'expanded', 'percentile', 'BCa'"),
        ]:
            with pytest.raises(OptionError, match=message):
                compare(EN, **given)

    def test_a_setting_is_checked_before_files_are_read(self):
        with pytest.raises(OptionError, match=r"'alpha' option of compare must be .* Got 5 instead"):
            compare(["no such file.tsv"], "bleu", alpha=5)

    def test_where_nothing_matched_for_any_no_system_is_best_also_beside_one_that_is_nan(self):
        assert not some_best([0.0, 0.0, math.nan], higher_is_better=True)
        assert some_best([0.0, 0.5, math.nan], higher_is_better=True)

    def test_resamples_without_a_test_are_warned_of(self):
        alone = {"A": ["a b c d", "e f g h"]}
        with pytest.warns(UserWarning, match="n_resamples= has no effect here: it is for the test, .* one system"):
            compare(alone, "chrf", references=alone["A"], n_resamples=7)
        runs = {"A": ["a b", "c d"], "B-1": ["a b", "c e"], "B-2": ["a f", "c e"]}
        with pytest.warns(UserWarning, match="n_resamples= has no effect here: it is for the test, and test is None"):
            compare({**alone, "B": alone["A"]}, "chrf", references=alone["A"], test=None, n_resamples=7)
        with pytest.warns(UserWarning, match="n_resamples= has no effect here: .* runs are tested by Welch's t"):
            compare(runs, "chrf", references=runs["A"], runs=r"B-(\d)", n_resamples=7)


class TestWarnings:
    """Each names the caller's file, and the line of the call."""

    @pytest.mark.parametrize(("metrics", "systems", "references", "message"), [
        (["bleu", "bleu"], {"A": ["a b c d"], "B": ["a b c e"]}, ["a b c d"], "is given twice, and scored once"),
        ("bleu", {"A": ["a"], "B": ["b"]}, ["a"], "BLEU is 0 only because the texts are short in tokens"),
        ("chrf", {"A": ["a &amp; b"], "B": ["a b"]}, ["a b"], "HTML entities"),
    ])  # fmt: skip
    def test_name_the_line_of_the_caller(self, metrics, systems, references, message):
        line = inspect.currentframe().f_lineno + 2
        with pytest.warns(UserWarning, match=message) as caught:
            compare(systems, metrics, references=references)
        (warning,) = [each for each in caught if re.search(message, str(each.message))]
        assert (warning.filename, warning.lineno) == (__file__, line)


class TestMetricsAsWritten:
    def test_read_options(self):
        cases = [
            ("bleu_multi", {}),
            ("bleu_multi:", {}),
            ("bleu_multi:smooth_method=floor", {"smooth_method": "floor"}),
            ("bleu_multi:lowercase=True,scale=1", {"lowercase": True, "scale": 1}),
            ('bleu_multi:weights={"a":[1],"b":[0.5,0.5]},max_order=2',
             {"weights": {"a": [1], "b": [0.5, 0.5]}, "max_order": 2}),
            ("rouge_nlws:rouge_types=rouge1+rougeL", {"rouge_types": ["rouge1", "rougeL"]}),
            ("bleu_multi:weights=0.5+0.5", {"weights": [0.5, 0.5]}),
            ("bleu_multi:tokenizer=1+" + "9" * 5000, {"tokenizer": ["1", "9" * 5000]}),
            ('rouge_nlws:rouge_types=["rouge1","rougeL"]', {"rouge_types": ["rouge1", "rougeL"]}),
            ("bertscore_idf:model_type=a/b-c,idf=false", {"model_type": "a/b-c", "idf": False}),
            ('rouge_nlws:stopwords=["a,b"]', {"stopwords": ["a,b"]}),
        ]  # fmt: skip
        for text, options in cases:
            metric, read = split_metric(text)
            assert read == options
            assert split_metric(label(metric.name, read)) == (metric, read)

    def test_refuse_another_form(self):
        for text in ["bleu_multi:exp", "bleu_multi:=exp", "bleu_multi:scale=1,scale=1"]:
            with pytest.raises(OptionError, match="write bleu_multi:option=value"):
                parse_metric(text)
        with pytest.raises(OptionError, match=r"'rougeL' is not option=value.* words of a list are joined by \+\."):
            parse_metric("rouge:rouge_types=rouge1,rougeL")

    def test_refuse_what_a_comparison_has_once(self):
        for name, instead, on_command_line in [
            ("confidence_level", "give confidence_level= for all", "give --confidence-level for all"),
            (
                "n_resamples",
                r"intervals have 1,000 resamples \(n_resamples= is",
                r"intervals have .* \(--n-resamples is",
            ),
            ("seed", "give seed= for all", "give --seed for all"),
            (
                "segments",
                r"every table of the result has them, as tables\[0\].segments",
                "give --segments and a file",
            ),
            ("signature", "every result shows it", "every result shows it"),
        ]:
            with pytest.raises(OptionError, match=f"{name}.*: {instead}"):
                compare(EN, f"bleu_multi:lowercase=true,{name}=1")
            with for_command_line(), pytest.raises(OptionError, match=f"{name}.*: {on_command_line}"):
                parse_metric(f"bleu_multi:lowercase=true,{name}=1")
        for options in ({"confidence_level": 0.9}, {"segments": True}, {"signature": True}):
            with pytest.raises(OptionError, match=f"{next(iter(options))!r} cannot be given for one metric here"):
                metric_of(tercet.scorer("bleu", **options))

    def test_a_metric_keeps_what_was_written_also_what_equals_a_default(self):
        cases = [
            ("bleu", "bleu_multi"),
            ("bleu:lowercase=false,max_order=2,scale=1", "bleu_multi:lowercase=false,max_order=2,scale=1"),
            ("rouge:rouge_types=rougeL+rouge1", 'rouge_nlws:rouge_types=["rougeL","rouge1"]'),
        ]
        for text, name in cases:
            metric = parse_metric(text)
            assert label_of(metric) == label_of(metric.with_defaults(scale=100)) == name
            assert metric.with_defaults(scale=100).scale == metric.written.get("scale", 100)
        assert label_of(tercet.Bleu(max_order=2, lowercase=False)) == "bleu_multi:max_order=2"
        share, percent = compare(EN, ["bleu:scale=1", "bleu"], test=None).tables
        assert [table.metric for table in (share, percent)] == ["bleu_multi:scale=1", "bleu_multi"]
        assert percent.rows[0].value == pytest.approx(100 * share.rows[0].value)

    def test_the_same_metric_is_scored_once(self):
        with pytest.warns(UserWarning, match="^bleu_multi:max_order=2 is given twice, and scored once"):
            found = compare(EN, ["bleu:max_order=2", tercet.Bleu(max_order=2)], test=None)
        assert len(found.tables) == 1

    def test_two_functions_of_one_name_are_refused_as_one_score_would_hide_the_other(self):
        tokenizers = [lambda text: text.split(), lambda text: list(text)]
        metrics = [tercet.Bleu(tokenizer=tokenizer) for tokenizer in tokenizers]
        texts = {"A": ["a cat sat on it"], "B": ["a dog sat on it now"]}
        both = (
            r"Two metrics with different values of tokenizer are both called bleu_multi:tokenizer=.*<lambda>: one "
            r"would hide the other\. Give functions different names"
        )
        with pytest.raises(OptionError, match=both):
            compare(texts, metrics, references=["a cat sat on it now"])
        with pytest.raises(OptionError, match=both):
            tercet.correlate(texts, metrics, references=["a cat sat on it now"], grades={"A": [1], "B": [2]})
        with pytest.warns(UserWarning, match="given twice, and scored once"):
            found = compare(texts, [metrics[0], metrics[0]], references=["a cat sat on it now"])
        assert len(found.tables) == 1

    def test_values_keep_their_kind(self):
        values = [parse_value(text) for text in ("1", "1.5", "none", "null", "+", '"1"')]
        assert values == [1, 1.5, "none", None, "+", "1"]


@pytest.fixture(scope="module")
def comparisons():
    return [compare(SAMPLES[language], ["bleu_multi", "rouge_nlws:rouge_types=rouge1"], n_resamples=200)
            for language in ("en", "es")]  # fmt: skip


class TestForms:
    def test_json_holds_all_numbers(self, comparisons):
        expected = [comparison.to_dict() for comparison in comparisons]
        assert json.loads(to_json(comparisons)) == {"tercet": tercet.__version__, "test_sets": expected}
        (alone,) = json.loads(to_json([compare(EN, test=None)]))["test_sets"]
        assert alone["tables"][0]["adjusted_pvalues"] is None

    def test_tsv_has_a_line_for_each_score_of_each_system(self, comparisons):
        flat = [(c, t, r) for c in comparisons for t in c.tables for r in t.rows]
        assert len(flat) == 2 * 2 * 3
        for row, (comparison, table, expected) in zip(rows_of(to_tsv(comparisons)), flat, strict=True):
            assert (row["test_set"], row["score"]) == (comparison.test_set.name, table.name)
            assert float(row["value"]) == expected.value
            assert row["better"] == ("lower" if table.name == "ter" else "higher")
            assert row["pvalue"] == ("" if expected.pvalue is None else str(expected.pvalue))

    def test_p_beside_a_score_is_that_of_all_pairs_in_every_form(self):
        tuned, large = EN.systems["tuned"], EN.systems["large"]
        systems = {"tuned": tuned, "near": [*large[:3], *tuned[3:]], "large": large}
        found = compare(replace(EN, systems=systems), n_resamples=400)
        (table,) = found.tables
        (of_json,) = json.loads(to_json([found]))["test_sets"][0]["tables"]
        pairs = of_json["adjusted_pvalues"]
        assert pairs == table.pvalues.tolist()
        expected = [None, *pairs[0][1:]]
        assert [row.adjusted_pvalue for row in table.rows] == expected
        assert [each["adjusted_pvalue"] for each in of_json["systems"]] == expected
        assert [each["adjusted_pvalue"] for each in rows_of(to_tsv([found]))] == ["", *map(str, expected[1:])]
        for row in table.rows[1:]:
            line = next(line for line in to_text([found]).splitlines() if line.split()[1:2] == [row.system])
            assert f" {pvalue_text(row.adjusted_pvalue)} " in line
        assert table.rows[2].pvalue <= pairs[0][2]
        assert " adj. p " in to_text([found])
        for form in (to_text, to_markdown, to_latex):
            assert (
                "adj. p: paired permutation test against tuned, adjusted for all pairs by the step-down maximum "
                "(Romano and Wolf 2005), 400 resamples"
            ) in form([found])

    def test_p_of_two_systems_has_nothing_to_be_adjusted_for(self):
        found = compare(replace(EN, systems=dict([*EN.systems.items()][:2])), n_resamples=400)
        row = found.tables[0].rows[1]
        assert row.adjusted_pvalue == row.pvalue
        assert "adj. p" not in to_text([found])

    def test_csv_is_the_same_table_as_spreadsheets_read_it(self, comparisons):
        assert list(csv.DictReader(io.StringIO(to_csv(comparisons), newline=""))) == rows_of(to_tsv(comparisons))
        text = to_csv([compare(called('a, "b"', "=HYPERLINK(1)", "c;\nd"), n_resamples=20)])
        names = [row["system"] for row in csv.DictReader(io.StringIO(text, newline=""))]
        assert names == ['a, "b"', "'=HYPERLINK(1)", "c; d"]
        assert text.count("\r\n") == text.count("\n") == 4
        assert ',"a, ""b""",' in text

    def test_every_form_shows_every_system_and_score_and_the_best_in_bold(self, comparisons):
        for form, bold in ((to_text, "{}*"), (to_markdown, "**{}**"), (to_latex, "\\textbf{{{}}}")):
            text = form(comparisons)
            for table in (table for comparison in comparisons for table in comparison.tables):
                assert table.signature in text.replace("\\", "")
                assert all(row.system in text and f"{row.value:.2f}" in text for row in table.rows)
                assert bold.format(f"{max(row.value for row in table.rows):.2f}") in text

    def test_tables_of_several_test_sets_say_which_is_which_and_what_was_warned_of(self):
        with pytest.warns(UserWarning, match="splits at spaces"):
            found = [compare(SAMPLES[language], "bleu_multi", test=None) for language in ("en", "zh")]
        for form, heading in ((to_markdown, "**{}**\n\n|"), (to_latex, "{{\\textbf{{{}}}}} \\\\\n")):
            headings = "|".join(re.escape(heading.format(language)) for language in ("en", "zh"))
            _, english, chinese = re.split(headings, form(found))
            assert "splits at spaces" not in english
            assert "splits at spaces" in chinese
            assert heading.format("en") not in form(found[:1])

    def test_latex_sets_a_minus_sign(self):
        found = compare(called("a", "b", "c"), ["ter"], n_resamples=50)
        assert f"${found.tables[0].rows[1].difference:+.2f}$ $[" in to_latex([found])
        assert found.tables[0].rows[1].difference < 0

    def test_without_a_test_nothing_is_said_of_one(self):
        found = compare(EN, test=None)
        whole = found.to_dict()
        assert (whole["baseline"], whole["n_resamples"]) == (None, None)
        of_a_test = ("difference", "pvalue", "adjusted_pvalue", "wins", "ties", "losses")
        for rows, nothing in ((whole["tables"][0]["systems"], None), (rows_of(to_tsv([found])), "")):
            for row in rows:
                assert {row[name] for name in of_a_test} == {nothing}
                assert row["as_good"] == (row["best"] if row["best"] in (True, "True") else nothing)

    def test_of_one_system_nothing_is_said_of_a_test(self):
        found = compare(replace(EN, systems={"alone": EN.systems["baseline"]}))
        assert (found.test, found.to_dict()["baseline"]) == (None, None)
        assert not [word for word in ("†", "baseline", "permutation") if word in to_text([found])]

    def test_the_kind_of_interval_is_named(self):
        found = [compare(EN, n_resamples=20, interval="BCa")]
        for form in (to_text, to_markdown, to_latex):
            assert "Intervals: BCa bootstrap, 1,000 resamples" in form(found)
        assert {row["interval"] for row in rows_of(to_tsv(found))} == {"BCa"}

    def test_two_versions_of_one_metric_are_distinguished(self):
        found = [compare(EN, ["bleu_multi", "bleu_multi:smooth_method=none"], test=None)]
        assert "| system | bleu_multi bleu | bleu_multi:smooth_method=none bleu |" in to_markdown(found)
        assert "\\textit{BLEU (bleu\\_multi:smooth\\_method=none)}" in to_latex(found)

    def test_names_are_text_that_breaks_no_table_and_no_markup(self):
        found = [compare(called("a\tb", "c\nd", "e", test_set="x\ty"), n_resamples=20)]
        names = [(row["test_set"], row["system"]) for row in rows_of(to_tsv(found))]
        assert names == [("x y", "a b"), ("x y", "c d"), ("x y", "e")]
        assert all(f"\n| {name} | " in to_markdown(found) for name in ("a b", "c d", "e"))
        odd = [compare(called("[bold]a|b", "c_d&e", "<f>", test_set="x_[y]"), n_resamples=20)]
        assert "[bold]a|b" in to_text(odd)
        assert "\\[bold\\]a\\|b" in to_markdown(odd)
        assert "c\\_d\\&e" in to_latex(odd)

    def test_ranks_are_those_of_the_tests_and_the_best_is_first(self):
        systems = {**EN.systems, "twin": EN.systems["large"]}
        comparison = compare(replace(EN, systems=systems), ["bleu_multi", "ter"], n_resamples=500)
        for table in comparison.tables:
            # The order of the rows is that of the systems.
            assert [row.system for row in table.rows] == list(systems)
            for place, row in enumerate(table.rows):
                clear = [other for p, other in zip(table.pvalues[place], table.rows, strict=True) if p < 0.05]
                worse = sum((row.value > other.value) == table.higher_is_better for other in clear)
                assert row.rank == (1 + len(clear) - worse, len(systems) - worse)
        written = json.loads(to_json([comparison]))["test_sets"][0]["tables"][0]
        assert written["groups"] == [["large", "twin"], ["tuned"], ["baseline"]]
        of_systems = [(row["rank"], row["group"]) for row in written["systems"]]
        assert of_systems == [([4, 4], 3), ([3, 3], 2), ([1, 2], 1), ([1, 2], 1)]
        assert [row["rank_high"] for row in rows_of(to_tsv([comparison]))[:4]] == ["4", "3", "2", "2"]
        ranked = re.findall(r"^ +([1-4](?:–\d)?) +(\w+)", to_text([comparison]), re.MULTILINE)
        assert ranked[:4] == [("1–2", "large"), ("1–2", "twin"), ("3", "tuned"), ("4", "baseline")]
        assert "3 groups that the test tells apart: large and twin; tuned; baseline." in to_text([comparison])
        # Below the head, between two scores, and between the three groups of each.
        assert to_latex([comparison]).count("\\midrule") == 1 + 1 + 2 + 2
        rows = [line for line in to_markdown([comparison]).splitlines() if line.startswith("| ")][2:]
        assert [row.split()[1] for row in rows] == ["large", "twin", "tuned", "baseline"]

    def test_of_two_systems_or_without_a_test_no_rank_is_shown(self):
        pair = compare(replace(EN, systems=dict(list(EN.systems.items())[:2])), n_resamples=100)
        untested = compare(EN, test=None)
        assert [row.rank for row in pair.tables[0].rows] == [(2, 2), (1, 1)]
        assert all(row.rank is row.group is None for row in untested.tables[0].rows)
        assert not {"groups", "power"} & set(json.loads(to_json([untested]))["test_sets"][0]["tables"][0])
        for form in (to_text, to_markdown, to_latex):
            assert not [word for word in ("rank", "group") if word in form([pair]) + form([untested])]

    def test_what_can_be_seen_is_said_and_counted_in_clusters(self):
        comparison = compare(EN, n_resamples=200)
        power = json.loads(to_json([comparison]))["test_sets"][0]["tables"][0]["power"]
        assert (power["unit"], power["n_units"], power["n_pairs"]) == ("segment", 44, 3)
        assert [row["system"] for row in power["systems"]] == ["tuned", "large"]
        smallest = f"{power['systems'][0]['smallest']:.2f}"
        assert f"reliably shows only differences from baseline above {smallest} to " in to_text([comparison])
        # Pairs of copies are as many units as the segments.
        twice = {name: [text for text in texts for _ in "ab"] for name, texts in EN.systems.items()}
        references = [texts for texts in EN.references for _ in "ab"]
        copies = TestSet("x", twice, references, None)
        clustered = compare(copies, n_resamples=200, cluster=[number // 2 for number in range(88)])
        written = json.loads(to_json([clustered]))["test_sets"][0]["tables"][0]["power"]
        assert written == {**power, "unit": "cluster"}
        assert "clusters, of about 2 segments each." in to_text([clustered])

    def test_where_no_difference_could_be_significant_none_can_be_seen(self):
        few = {name: texts[:5] for name, texts in EN.systems.items()}
        comparison = compare(TestSet("x", few, EN.references[:5], None), n_resamples=200)
        assert [section.key for section in comparison.tables[0].sections] == []

    def test_narrow_terminals_show_the_systems(self, comparisons):
        for width in [120, 70, 60, 45, 20]:
            text = to_text(comparisons, width=width)
            head = text[text.index("en: BLEU") :].splitlines()[2]
            assert ("wins/ties/losses" in head, " 95 % " in head) == (width > 80, width > 80)
            assert ("difference [95 %]" in head) == (width > 60)
            assert all(name in text for name in ("baseline", "tuned", "large", "difference"))
            assert all(len(line) <= max(width, 50) for line in text.splitlines() if line.startswith("  "))


class TestExports:
    def test_each_system_has_a_file_with_its_texts(self, tmp_path):
        test_set = SAMPLES["ru"]
        paths = export_systems(test_set, tmp_path / "new")
        assert [path.name for path in paths] == [f"{name}_ru.tsv" for name in test_set.systems]
        for path, texts in zip(paths, test_set.systems.values(), strict=True):
            table = read_table(path)
            columns = [name for name in table.columns if name.startswith("reference")]
            assert table.columns["source"] == test_set.source
            assert predictions_in(table, "candidate") == texts
            assert references_in(table, columns) == test_set.references

    def test_odd_names_make_plain_files_and_clashes_are_refused(self, tmp_path):
        texts = ["a\tb\nc"]
        (path,) = export_systems(TestSet("t/1", {"../my model": texts}, [["r"]], None), tmp_path)
        assert path.parent == tmp_path
        assert path.read_text() == "source\tcandidate\treference\n\ta b c\tr\n"
        (path,) = export_systems(TestSet("none", {"a": texts}, [[]], None), tmp_path)
        assert path.read_text() == "source\tcandidate\n\ta b c\n"
        with pytest.raises(InputError, match=r"Two systems would be written to a_b_t\.tsv"):
            export_systems(TestSet("t", {"a b": texts, "a/b": texts}, [["r"]], None), tmp_path)

    def test_no_file_replaces_another_where_file_systems_ignore_case(self, tmp_path):
        with pytest.raises(InputError, match=r"Two systems would be written to a_t\.tsv: 'A' of 't' and 'a' of 't'"):
            export_systems(TestSet("t", {"A": ["x"], "a": ["y"]}, [["r"]], None), tmp_path)
        assert not list(tmp_path.iterdir())

    def test_segments_have_every_score(self, tmp_path, comparisons):
        export_segments(comparisons, tmp_path / "s.tsv")
        rows = read_table(tmp_path / "s.tsv")
        assert len(rows.lines) == 3 * (len(EN.references) + len(SAMPLES["es"].references))
        segments = comparisons[0].tables[0].segments
        found = [float(value) for value in rows.columns["bleu_multi bleu"][:3]]
        assert found == [segments[system][0] for system in EN.systems]


class TestSideBySide:
    def test_shows_every_system_with_its_score(self):
        for language, test_set in SAMPLES.items():
            bleu = parse_metric(f"bleu_multi:tokenizer={BLEU_TOKENIZERS.get(language, '13a')}")
            text = side_by_side(test_set, 2, [bleu, parse_metric("rouge_nlws:tokenizer=unicode")], width=150)
            (table,) = compare(test_set, [bleu], test=None).tables
            for system, values in table.segments.items():
                assert system in text
                assert f"{values[1]:.2f}" in text

    def test_marks_scores_of_which_less_is_better(self):
        text = side_by_side(EN, 2, [parse_metric("ter"), BLEU], width=150)
        assert "ter ↓" in text
        assert text.count("↓") == 1

    def test_begins_with_the_baseline_and_colours_where_it_may(self):
        text = side_by_side(EN, 1, [BLEU], baseline="large", width=150, colour=True)
        assert text.index("large") < text.index("tuned")
        assert "\x1b[" in text
        plain = TestSet("t", {"a": ["It's 1,5-fold."]}, [["It is so."]], None)
        for colour in (False, True):  # without colours the text stands as it is
            text = side_by_side(plain, 1, [BLEU], width=150, colour=colour)
            assert ("It's 1,5-fold." in text, "\x1b[" in text) == (not colour, colour)

    def test_what_is_not_there_is_refused(self):
        holed = TestSet("t", {"a": ["x", "y"]}, [["x"], []], None)
        for test_set, segment, baseline, error, message in (
            (EN, 1, "basline", OptionError, "Did you mean 'baseline'"),
            (holed, 1, None, InputError, "t, segment 2 has no reference"),
            (EN, 45, None, InputError, "en has no segment 45: its segments are numbered 1 to 44"),
        ):
            with pytest.raises(error, match=message):
                side_by_side(test_set, segment, [BLEU], baseline=baseline)


@pytest.fixture(scope="module")
def found(comparisons):
    return comparisons[0]


class TestInANotebook:
    def test_the_data_frame_is_the_tsv_file(self):
        for settings in [{"n_resamples": 50}, {"test": None}]:
            found = compare(SAMPLES["es"], ["bleu_multi"], **settings)
            frame, written = found.to_dataframe(), pd.read_csv(io.StringIO(to_tsv([found])), sep="\t")
            assert len(frame) == 3
            assert list(frame.columns) == list(written.columns)
            own, other = (each.astype(object).where(each.notna(), None).to_dict("list") for each in (frame, written))
            assert own == other

    def test_a_notebook_has_the_verdict_a_row_for_each_system_and_the_way_to_the_report(self, found):
        shown = found._repr_html_()
        ElementTree.fromstring(shown.replace("<br>", ""))
        table = shown[shown.index("<table>") : shown.index("</table>")]
        order = [found.tables[0].rows[place].system for place in found.tables[0].order]
        assert re.findall("<bdi>(.*?)</bdi>", table) == order
        verdict = "".join(map("".join, verdict_of(found, {name: name for name in EN.systems})))
        assert re.sub("<.*?>", "", shown[: shown.index("<table>")]).replace(" ", "") == verdict.replace(" ", "")
        assert ".to_html()" in shown
        for table in found.tables:
            assert f'<th scope="col" style="text-align:right">{table.name}</th>' in shown
            assert table.signature in shown
            for row in table.rows:
                mark = "*" if row.best else "†" if row.as_good else ""
                assert f">{row.value:.2f}{mark}<br><small>({row.low:.2f} – {row.high:.2f})</small>" in shown
                if row.difference is not None:
                    interval = f"[{row.difference_low:+.2f}, {row.difference_high:+.2f}]"
                    assert f">{row.difference:+.2f}<br><small>{interval}</small></td>" in shown
                    assert f">{pvalue_text(row.adjusted_pvalue)}</td>" in shown
                assert f">{row.places}</td></tr>" in shown or f">{row.places}</td><td" in shown
        heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', shown)
        assert heads == ["system", "bleu", "difference", "adj. p", "rank", "rouge1", "difference", "adj. p", "rank"]
        assert "rank: the best and the worst place" in shown

    def test_a_notebook_draws_intervals_on_one_scale(self, found):
        drawn = re.findall(r"left:([\d.]+)%;width:([\d.]+)%", found._repr_html_())
        # JupyterLab takes positions out of notebooks that it does not trust
        assert "position" not in found._repr_html_()
        rows = [table.rows[place] for place in found.tables[0].order for table in found.tables]
        for (left, width), row, table in zip(drawn, rows, found.tables * 3, strict=True):
            low, high = min(each.low for each in table.rows), max(each.high for each in table.rows)
            assert float(left) == pytest.approx(100 * (row.low - low) / (high - low), abs=0.06)
            assert float(width) == pytest.approx(100 * (row.high - row.low) / (high - low), abs=0.06)

    def test_its_repr_says_what_was_compared(self, found):
        assert repr(found) == (
            "<Comparison of 'baseline', 'tuned', 'large' on 'en' (segments: 44): bleu, rouge1; permutation test "
            "against 'baseline'>"
        )
        assert len(repr(found.tables)) < 5_000

    def test_hostile_names_are_text(self):
        name = "<script>'$x^2$'</script>"
        test_set = TestSet(name, {name: ["a b c d e"], "b": ["a b c d f"]}, [["a b c d e"]], None)
        found = compare(test_set, ["bleu_multi"], n_resamples=10)
        shown = found._repr_html_()
        assert "<script" not in shown
        assert "&lt;script&gt;" in shown
        assert found.to_dataframe()["system"][0] == name
        found.plot().savefig(io.BytesIO())
        assert [label.get_text() for label in found.plot().axes[0].get_yticklabels()] == [name, "b"]

    def test_the_figure_has_each_score_and_interval_of_each_system(self, found):
        figure = found.plot()
        assert len(figure.axes) == len(found.tables)
        for axes, table in zip(figure.axes, found.tables, strict=True):
            drawn = {tuple(map(float, line.get_xdata())) for line in axes.get_lines()}
            assert {(row.low, row.high) for row in table.rows} | {(row.value,) for row in table.rows} <= drawn
            assert axes.get_xlabel() == f"{table.title}, 95 % interval\nbetter \N{RIGHTWARDS ARROW}"
        order = [found.tables[0].rows[place].system for place in found.tables[0].order]
        assert order != list(EN.systems)
        assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == order
        assert figure._repr_png_().startswith(b"\x89PNG")  # a notebook asks, with or without pyplot

    def test_the_page_is_the_report(self, found):
        assert found.to_html() == to_html([found])
        assert "<title>of ours</title>" in found.to_html(title="of ours")


def test_a_comparison_keeps_what_made_each_score_and_travels():
    found = compare(EN, ["bleu_multi", "rouge_nlws:rouge_types=rouge1+rouge2"], n_resamples=20)
    sent = pickle.loads(pickle.dumps(found))
    assert sent.to_dict() == found.to_dict()
    for table in (*found.tables, *sent.tables):
        assert list(table.stats) == list(EN.systems)
        for row in table.rows:
            assert table.score_of(row.system, range(44)) == row.value
            assert table.segments[row.system] == segment_lists(table.scorer, table.stats[row.system])[table.name]


class TestPlainTexts:
    """A mapping of systems with references, instead of a test set."""

    def test_give_what_their_test_set_gives(self):
        expected = compare(EN, ["bleu_multi"], n_resamples=50).to_dict()
        systems = {name: iter(texts) for name, texts in EN.systems.items()}
        found = tercet.compare(systems, ["bleu_multi"], references=iter(EN.references), n_resamples=50)
        assert found.to_dict() == {**expected, "test_set": "test set"}
        assert (found.test_set.systems, found.test_set.references) == (EN.systems, EN.references)
        assert found.to_html()

    def test_what_is_wrong_is_named(self):
        cases = [
            (
                [EN],
                None,
                "compare takes one TestSet at a time, got a list of them: .tercet.compare.each. for each",
            ),
            (
                ["a"],
                ["a"],
                r"as in tercet.compare\({'A': predictions, 'B': others}, 'bleu', references=references\)\.",
            ),
            (
                "a",
                ["a"],
                "'a' does not exist; compare takes paths of files, a data frame, or the texts of each system",
            ),
            ({"A": ["a"]}, None, "A mapping of systems needs references= for bleu_multi, which compares texts with"),
            (EN, ["a"], "A TestSet has references of its own"),
            ({}, ["a"], "There is no system to score"),
            ({1: ["a"]}, ["a"], "The names of systems must be strings, got 1"),
            ({"A": []}, [], "test set has no segment to score"),
            (TestSet("news", {"A": []}, [], None), None, "news has no segment to score"),
            (TestSet("news", {}, [["a"]], None), None, "news has no system to score"),
            ({"A": ["a"], "B": ["a", "b"]}, ["a"], "predictions of 'B' and references must have one entry per item"),
            ({"A": ["a"], "B": [3]}, ["a"], "item 0 of predictions of 'B' must be a string, got 3"),
            ({"A": ["a\ud800"]}, ["a"], "item 0 of predictions of 'A' is not valid Unicode text"),
            ({"A": ["a"]}, [[]], "test set, segment 1 has no reference"),
            ({"A": ["a"] * 2}, [[]] * 2, r"segment 1 has no reference \(nor does 1 other\); "),
            ({"A": ["a"] * 2000}, [[]] * 2000, r"segment 1 has no reference \(nor do 1,999 others\); "),
        ]
        for given, references, message in cases:
            with pytest.raises(InputError, match=message):
                compare(given, references=references)
        with pytest.raises(InputError, match="needs references= for bleu_multi and chrf_multi, which compare texts"):
            tercet.compare({"A": ["Гори, звезда"]}, ["bleu", "chrf"])


class TestSettings:
    SYSTEMS: ClassVar = {"A": ["the cat sat down on it"], "B": ["the cat sat down on me"]}
    REFERENCES = ("the cat sat down on it",)

    def test_a_wrong_one_is_named_with_what_is_right(self):
        levels = (0, 1, 2, "x", None, float("nan"))
        cases = {
            "seed": (-1, "x", None, 1.5), "n_resamples": (0, "9", 10**12), "interval": ("bca", 3),
            "confidence_level": levels, "alpha": levels, "progress": ("yes",),
            "metrics": ([], (), 3, [None], ["bleu", 3], {}),
        }  # fmt: skip
        for name, values in cases.items():
            for value in values:
                with pytest.raises(
                    OptionError, match=rf"^The '{name}' option of compare must be .+\. Got .+ instead"
                ):
                    tercet.compare(self.SYSTEMS, references=self.REFERENCES, **{name: value})

    def test_numbers_of_numpy_become_plain_ones(self):
        given = {"n_resamples": np.int64(9), "seed": np.uint8(3), "alpha": np.float64(0.1)}
        found = compare(EN, "chrf", **given).to_dict()
        assert json.dumps(found) == json.dumps(compare(EN, "chrf", n_resamples=9, seed=3, alpha=0.1).to_dict())

    def test_one_metric_needs_no_list(self):
        (table,) = tercet.compare(self.SYSTEMS, "bleu", references=self.REFERENCES, n_resamples=9).tables
        assert table.metric == "bleu_multi"


class TestBars:
    """What a user sees while it takes long: a line that says what is done, and below it a bar that counts it."""

    SYSTEMS: ClassVar = {"A": ["a cat sat", "it rains"], "B": ["a cat ran", "it snows"], "C": ["a dog", "it snows"]}
    REFERENCES = ("a cat sat down", "it rained")

    @pytest.fixture
    def bars(self, monkeypatch):
        """The bars that were shown, when they were closed: what they count, how many are done, and of how many.

        A line without a bar, such as that of loading, is there with its text.
        """
        found = []

        class Bar(tqdm.tqdm):
            def close(self):
                if not self.disable:
                    done = () if self.total is None else (self.n, self.total, self.unit.strip())
                    found.append((self.desc.removesuffix(": "), *done))
                super().close()

        monkeypatch.setattr(tqdm, "tqdm", Bar)
        return found

    @pytest.mark.parametrize(("test", "number"), [("permutation", 3), ("bootstrap", 300)])
    def test_of_a_test_count_resamples_and_pairs(self, bars, test, number):
        settings = {"test": test, "n_resamples": number, "progress": True}
        compare(self.SYSTEMS, "chrf", references=self.REFERENCES, **settings)
        assert bars == [
            ("resampling", number, number, "resamples"), ("testing", 3, 3, "pairs"),
            ("resampling", 1000, 1000, "resamples"), (f"metric 1 of 1, chrf_multi: {test} test and intervals",),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("metric", "what", "texts"),
        [("bertscore_idf", "encoding", (4, 3, 4)), ("embedding_cosine", "encoding", (7,)),
         ("perplexity_lm", "reading", (2, 1, 2))],
    )  # fmt: skip
    def test_of_a_network_count_its_texts_and_without_a_test_there_is_no_word_of_one(self, bars, metric, what, texts):
        # of words that no other test has: vectors are kept for later calls
        systems = {"A": ["a tapir sat", "it hailed"], "B": ["a tapir ran"] * 2, "C": ["a gnu sat", "it thawed"]}
        references = ["a tapir sat down", "it drizzled"] if metric_class(metric).takes_references else None
        compare(systems, made(metric), references=references, test=None, progress=True)
        assert [bar for bar in bars if bar[3:] == ("texts",)] == [(what, number, number, "texts") for number in texts]
        assert bars[-1] == (f"metric 1 of 1, {metric}: intervals",)

    def test_are_not_there_unless_they_are_wanted(self, bars):
        compare(self.SYSTEMS, [made("bertscore_idf")], references=self.REFERENCES, n_resamples=9)
        assert bars == []


class TestScoresOfRouge:
    """Of ROUGE by its name, tables have what evaluate's rouge has; the other types are asked for."""

    #: What rouge_score scores by default in evaluate's rouge.
    SHOWN = ("rouge1", "rouge2", "rougeL", "rougeLsum")
    SYSTEMS: ClassVar = {"one": ["the cat sat down", "кот сидит"], "other": ["a cat sat", "кот лежит дома"]}
    REFERENCES: ClassVar = ["a cat sat down", "кот сидит дома"]

    def names(self, metrics):
        found = tercet.compare(self.SYSTEMS, metrics, references=self.REFERENCES, test=None)
        return [table.name for table in found.tables]

    @pytest.mark.parametrize("metric", ["rouge", "rouge_nlws", "rouge:tokenizer=unicode", "rouge:compat=rouge155"])
    def test_are_those_of_evaluate(self, metric):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of letters that the tokenizer drops
            assert self.names(metric) == [*self.SHOWN]

    def test_are_those_asked_for(self):
        assert self.names("rouge:rouge_types=rougeW+rouge1,tokenizer=unicode") == ["rougeW", "rouge1"]
        assert self.names(tercet.Rouge(tokenizer="unicode")) == [*self.SHOWN, "rougeW", "rougeS4", "rougeSU4"]

    def test_are_those_of_a_preset_that_has_a_list_of_its_own(self):
        assert self.names("rouge:compat=rouge") == ["rouge1", "rouge2", "rougeL"]

    def test_are_the_same_numbers_as_among_all(self):
        few = tercet.compare(self.SYSTEMS, "rouge:tokenizer=unicode", references=self.REFERENCES, test=None)
        rouge = tercet.Rouge(tokenizer="unicode")
        more = tercet.compare(self.SYSTEMS, rouge, references=self.REFERENCES, test=None)
        assert [[row.value for row in table.rows] for table in few.tables] == [
            [row.value for row in table.rows] for table in more.tables[: len(self.SHOWN)]
        ]

    def test_others_are_asked_for_where_a_gate_names_them(self, tmp_path):
        for name, lines in (("one.txt", self.SYSTEMS["one"]), ("ref.txt", self.REFERENCES)):
            (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        asked = ("score", "one.txt", "-r", "ref.txt", "-m", "rouge:tokenizer=unicode")
        message = command(*asked, "--fail-under", "rougeW=3", code=2, cwd=tmp_path).stderr
        assert message == (
            "error: --fail-under: no score is called 'rougeW' with these metrics. It is asked for by an option: "
            "-m rouge_nlws:rouge_types=rougeW.\n"
        )


def test_segments_that_differ_by_rounding_are_ties_and_scores_the_same():
    numbers = [0.1, 0.7, 0.3, 0.9, 0.2, 0.6, 0.8, 0.4]
    near = [0.1 * 3 / 3 + 2e-17, *numbers[1:-1], 0.4 * (1 + 2e-16)]
    (table,) = tercet.compare(scores={"quality": {"A": numbers, "B": near}}).tables
    _, row = table.rows
    assert (row.wins, row.ties, row.losses) == (0, 8, 0)
    assert decimals(row.difference, 4) == "0.0000"
    assert not [section for section in table.sections if section.key == "cautions"]


def test_infinite_scores_win_lose_and_tie():
    inf = math.inf
    assert _counts([inf, inf, -inf, 1.0, None, math.nan], [inf, 1.0, 1.0, inf, 1.0, 1.0], True) == (1, 1, 2)
    assert _counts([1.0, 2.0], [1.0 + 1e-15, 1.0], False) == (0, 1, 1)

"""Systems compared: every number of the table against the metric, the tests and plain counting."""

import csv
import io
import json
import pickle
import re
import sys
from dataclasses import replace
from itertools import combinations, compress
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import tqdm

import tercet
from conftest import close, needed
from samples import sample
from tercet import InputError, OptionError, score
from tercet.api import known_options, make_scorer
from tercet.comparison.compare import compare
from tercet.comparison.exports import export_segments, export_systems
from tercet.comparison.metric_specs import MetricSpec, parse_metric, parse_value
from tercet.comparison.paired import TESTS
from tercet.comparison.side_by_side import side_by_side
from tercet.comparison.tables import to_csv, to_json, to_latex, to_markdown, to_tsv
from tercet.comparison.test_sets import TestSet
from tercet.comparison.text_tables import to_text
from tercet.files.read import items, read_table
from tercet.metric.scorer import segment_lists
from tercet.metric.scoring import segment_stats
from tercet.pages.page import to_html
from tercet.registry import METRICS, metric_class
from tercet.statistics import bootstrap, paired_tests
from tercet.statistics.paired_tests import holm, paired_permutation_test, pvalue_text

LANGUAGES = ("en", "es", "ru", "zh")


BLEU_TOKENIZERS = {"zh": "zh"}
SAMPLES = {language: sample(language) for language in LANGUAGES}


def spec(metric, **options):
    return MetricSpec(metric, {**needed(metric), **options})


def _without_empty_texts(test_set):
    kept = [all(texts) for texts in zip(*test_set.systems.values(), strict=True)]
    systems = {name: list(compress(texts, kept)) for name, texts in test_set.systems.items()}
    return TestSet(test_set.name, systems, list(compress(test_set.references, kept)), None)


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
        options = {"tokenizer": "unicode" if metric == "rouge_nlws" else BLEU_TOKENIZERS.get(language, "13a")}
        options = options if "tokenizer" in known_options(metric) else {}
        found = compare(test_set, [spec(metric, **options)], test=None)
        for system, texts in test_set.systems.items():
            asked = {"scale": 100, "confidence_level": 0.95, "segments": True, **needed(metric), **options}
            expected = score(metric, texts, test_set.references, **asked)
            for table in found.tables:
                (row,) = [row for row in table.rows if row.system == system]
                assert close(metric, row.value / 100, expected[table.name] / 100)
                assert [row.low, row.high] == pytest.approx(expected["intervals"][table.name], rel=1e-5, abs=1e-3)
                assert (row.difference, row.pvalue, row.wins) == (None, None, None) or system != "baseline"

    def test_warns_of_what_the_metric_warns_of_and_names_the_system(self):
        systems = {"good": ["the cat sat down on the mat"], "poor": ["the cat sat on a mat"]}
        test_set = TestSet("news", systems, [["the cat sat down on the mat"]], None)
        with pytest.warns(UserWarning, match="news: the system 'poor': bleu_multi: BLEU is 0 only because") as told:
            found = compare(test_set, ["bleu_multi"], test=None)
        assert len(told) == 1
        assert [row.value for row in found.tables[0].rows] == [pytest.approx(100), 0]

    def test_differences_p_and_counts_are_against_the_baseline(self):
        test_set = SAMPLES["es"]
        found = compare(test_set, ["bleu_multi"], baseline="tuned", n_resamples=500, seed=7)
        (table,) = found.tables
        scorer = make_scorer("bleu_multi", {"scale": 100})
        systems = [segment_stats(scorer, texts, test_set.references) for texts in test_set.systems.values()]
        names = list(test_set.systems)
        pairs = [(0, 1), (0, 2), (1, 2)]
        tested = paired_permutation_test(scorer, systems, pairs, n_resamples=500, seed=7)
        raw = dict(zip(pairs, (each["bleu"].pvalue for each in tested), strict=True))
        by_name = {row.system: row for row in table.rows}
        assert by_name["baseline"].pvalue == raw[0, 1]
        assert by_name["large"].pvalue == raw[1, 2]
        assert by_name["tuned"].difference is None
        for name, row in by_name.items():
            if name != "tuned":
                assert row.difference == pytest.approx(row.value - by_name["tuned"].value)
                own, base = (table.segments[system] for system in (name, "tuned"))
                wins = sum(a > b for a, b in zip(own, base, strict=True))
                assert (row.wins, row.wins + row.ties + row.losses) == (wins, len(own))
        adjusted = holm([raw[pair] for pair in pairs])
        for (one, other), p in zip(pairs, adjusted, strict=True):
            assert table.pvalues[one, other] == table.pvalues[other, one] == p
        assert names[0] == "baseline"

    @pytest.mark.parametrize(("test", "metric"), [("permutation", "bleu_multi"), ("bootstrap", "rouge_nlws")])
    def test_many_systems_are_resampled_once_and_get_the_p_of_each_pair_alone(self, test, metric, monkeypatch):
        small = SAMPLES["es"]
        texts, baseline = small.systems["large"], small.systems["baseline"]
        systems = {f"s{k}": [*texts[:k], *baseline[k:]] for k in range(13)}  # 78 pairs
        scorer = make_scorer(metric, {"scale": 100})
        stats = {name: segment_stats(scorer, each, small.references) for name, each in systems.items()}
        run = TESTS[test][0]
        alone = {}
        for one, other in combinations(systems, 2):
            (found,) = run(scorer, [stats[one], stats[other]], n_resamples=40, seed=3)
            alone[one, other] = found[scorer.primary].pvalue
        drawn = []
        masks, totals = paired_tests.shuffle_masks, bootstrap.resampled_totals
        monkeypatch.setattr(
            paired_tests, "shuffle_masks", lambda *given: (drawn.append(len(mask)) or mask for mask in masks(*given))
        )
        monkeypatch.setattr(
            bootstrap, "resampled_totals", lambda rows, n, seed: drawn.append(n) or totals(rows, n, seed)
        )
        test_set = TestSet("es", systems, small.references, None)
        first, *_ = compare(test_set, [metric], test=test, n_resamples=40, seed=3).tables
        assert sum(drawn) == 40 + 1000  # for all tests, and for all intervals
        assert first.pvalues[np.triu_indices(13, 1)].tolist() == holm(list(alone.values()))

    def test_the_best_and_those_as_good_are_marked(self):
        same = SAMPLES["en"].systems["large"]
        test_set = TestSet(
            "en", {"a": same, "b": list(same), **SAMPLES["en"].systems}, SAMPLES["en"].references, None
        )
        (table,) = compare(test_set, ["bleu_multi"], n_resamples=300).tables
        marks = {row.system: (row.best, row.as_good) for row in table.rows}
        assert marks["a"] == marks["b"] == marks["large"] == (True, True)
        assert marks["baseline"] == (False, False)
        assert {row.pvalue for row in table.rows if row.system in ("b", "large")} == {1.0}

    def test_left_out_segments_count_nowhere(self):
        test_set = SAMPLES["en"]
        references = [[], *test_set.references[1:]]
        holed = TestSet("holed", test_set.systems, references, test_set.source)
        with pytest.raises(
            InputError, match="holed, segment 1 has no reference; -m bleu_multi:missing_references=skip"
        ):
            compare(holed)
        (table,) = compare(holed, ["bleu_multi:missing_references=skip"], n_resamples=50).tables
        rest = TestSet("rest", {k: v[1:] for k, v in test_set.systems.items()}, references[1:], None)
        (expected,) = compare(rest, ["bleu_multi"], n_resamples=50).tables
        assert table.rows == expected.rows
        assert all(values[0] is None for values in table.segments.values())

    def test_mistakes_are_named(self):
        cases = [
            ({"baseline": "basline"}, "no system 'basline' to use as the baseline. Did you mean 'baseline'"),
            ({"test": "t"}, "The test must be one of 'permutation', 'bootstrap' or None. Got 't'"),
            ({"metrics": ["bleu_mutli"]}, "Did you mean 'bleu_multi'"),
            ({"metrics": ["bleu_multi:tokeniser=zh"]}, "Did you mean 'tokenizer'"),
            ({"interval": "bca"}, "must be one of 'percentile', 'BCa'"),
        ]
        for given, message in cases:
            with pytest.raises(OptionError, match=message):
                compare(SAMPLES["en"], **given)


class TestMetricSpecs:
    def test_read_options(self):
        cases = [
            ("bleu_multi", {}),
            ("bleu_multi:", {}),
            ("bleu_multi:smooth_method=exp", {"smooth_method": "exp"}),
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
            assert parse_metric(text).options == options
            assert parse_metric(parse_metric(text).label) == parse_metric(text)

    def test_refuse_another_form(self):
        for text in ["bleu_multi:exp", "bleu_multi:=exp", "bleu_multi:scale=1,scale=1"]:
            with pytest.raises(OptionError, match="write bleu_multi:option=value"):
                parse_metric(text)

    def test_tell_how_a_list_is_written(self):
        with pytest.raises(OptionError, match=r"'rougeL' is not option=value.* words of a list are joined by \+\."):
            parse_metric("rouge:rouge_types=rouge1,rougeL")

    def test_refuse_what_a_comparison_has_once(self):
        cases = [
            ("confidence_level", "give --confidence-level"),
            ("n_resamples", "intervals have 1,000 resamples"),
            ("seed", "give --seed"),
            ("segments", "give --segments and a file"),
            ("signature", "every result shows it"),
        ]
        for name, instead in cases:
            with pytest.raises(OptionError, match=f"{name}.*: {instead}"):
                parse_metric(f"bleu_multi:lowercase=true,{name}=1")
            with pytest.raises(OptionError, match=name):
                MetricSpec("bleu_multi", {name: 1})

    def test_values_keep_their_kind(self):
        values = [parse_value(text) for text in ("1", "1.5", "none", "null", "+", '"1"')]
        assert values == [1, 1.5, "none", None, "+", "1"]


@pytest.fixture(scope="module")
def comparisons():
    return [compare(SAMPLES[language], ["bleu_multi", "rouge_nlws:rouge_types=rouge1"], n_resamples=200)
            for language in ("en", "es")]  # fmt: skip


class TestForms:
    def test_json_holds_all_numbers(self, comparisons):
        found = json.loads(to_json(comparisons))
        expected = [comparison.to_dict() for comparison in comparisons]
        assert found == {"tercet": tercet.__version__, "test_sets": expected}
        assert json.loads(to_json(comparisons[:1])) == {"tercet": tercet.__version__, "test_sets": expected[:1]}
        (alone,) = json.loads(to_json([compare(SAMPLES["en"], test=None)]))["test_sets"]
        assert alone["tables"][0]["adjusted_pvalues"] is None

    def test_tsv_has_a_line_for_each_score_of_each_system(self, comparisons):
        rows = list(csv.DictReader(io.StringIO(to_tsv(comparisons)), delimiter="\t"))
        assert len(rows) == 2 * 2 * 3
        flat = [(c, t, r) for c in comparisons for t in c.tables for r in t.rows]
        for row, (comparison, table, expected) in zip(rows, flat, strict=True):
            assert (row["test_set"], row["score"]) == (comparison.test_set.name, table.name)
            assert float(row["value"]) == expected.value
            assert row["pvalue"] == ("" if expected.pvalue is None else str(expected.pvalue))

    def test_p_beside_a_score_is_that_of_all_pairs_in_every_form(self):
        tuned, large, near = (SAMPLES["en"].systems[name] for name in ("tuned", "large", "tuned"))
        near = [*large[:3], *near[3:]]
        found = compare(
            replace(SAMPLES["en"], systems={"tuned": tuned, "near": near, "large": large}), n_resamples=400
        )
        (table,) = found.tables
        pairs = json.loads(to_json([found]))["test_sets"][0]["tables"][0]["adjusted_pvalues"]
        assert pairs == table.pvalues.tolist()
        for row, p in zip(table.rows[1:], pairs[0][1:], strict=True):
            assert row.adjusted_pvalue == p
            assert f" {pvalue_text(p)} " in next(
                line for line in to_text([found]).splitlines() if f" {row.system} " in line
            )
        assert table.rows[2].pvalue < pairs[0][2]
        assert " adj. p " in to_text([found])
        (of_json,) = json.loads(to_json([found]))["test_sets"][0]["tables"]
        of_tsv = list(csv.DictReader(io.StringIO(to_tsv([found])), delimiter="\t"))
        assert [each["adjusted_pvalue"] for each in of_json["systems"]] == [None, *pairs[0][1:]]
        assert [each["adjusted_pvalue"] for each in of_tsv] == ["", *map(str, pairs[0][1:])]
        for form in (to_text, to_markdown, to_latex):
            assert "adj. p: paired permutation test against tuned, adjusted for all pairs, 400" in form([found])

    def test_p_of_two_systems_has_nothing_to_be_adjusted_for(self):
        found = compare(replace(SAMPLES["en"], systems=dict([*SAMPLES["en"].systems.items()][:2])), n_resamples=400)
        row = found.tables[0].rows[1]
        assert row.adjusted_pvalue == row.pvalue
        assert "adj. p" not in to_text([found])

    def test_csv_is_the_same_table_as_spreadsheets_read_it(self, comparisons):
        assert list(csv.DictReader(io.StringIO(to_csv(comparisons), newline=""))) == list(
            csv.DictReader(io.StringIO(to_tsv(comparisons)), delimiter="\t")
        )
        systems = dict(zip(('a, "b"', "=HYPERLINK(1)", "c;\nd"), SAMPLES["en"].systems.values(), strict=True))
        text = to_csv([compare(TestSet("x", systems, SAMPLES["en"].references, None), n_resamples=20)])
        assert [row["system"] for row in csv.DictReader(io.StringIO(text, newline=""))] == [
            'a, "b"', "'=HYPERLINK(1)", "c; d",
        ]  # fmt: skip
        assert text.count("\r\n") == text.count("\n") == 4
        assert ',"a, ""b""",' in text

    def test_every_form_shows_every_system_and_score(self, comparisons):
        for form in [to_text, to_markdown, to_latex]:
            text = form(comparisons)
            for comparison in comparisons:
                for table in comparison.tables:
                    for row in table.rows:
                        assert row.system in text
                        assert f"{row.value:.2f}" in text
                    assert table.signature in text.replace("\\", "")

    def test_without_a_test_nothing_is_told_of_one(self):
        found = compare(SAMPLES["en"], test=None, n_resamples=7)
        whole = found.to_dict()
        assert (whole["baseline"], whole["n_resamples"]) == (None, None)
        for row in whole["tables"][0]["systems"]:
            assert {row[name] for name in ("difference", "pvalue", "adjusted_pvalue", "wins", "ties", "losses")} == {
                None
            }
            assert row["as_good"] is (True if row["best"] else None)
        for row in csv.DictReader(io.StringIO(to_tsv([found])), delimiter="\t"):
            assert {row[name] for name in ("difference", "pvalue", "adjusted_pvalue", "wins", "ties", "losses")} == {
                ""
            }
            assert row["as_good"] == ("True" if row["best"] == "True" else "")

    def test_of_one_system_nothing_is_told_of_a_test(self):
        one = replace(SAMPLES["en"], systems={"alone": next(iter(SAMPLES["en"].systems.values()))})
        found = compare(one)
        assert (found.test, found.to_dict()["baseline"]) == (None, None)
        assert not [word for word in ("†", "baseline", "permutation") if word in to_text([found])]

    def test_the_kind_of_interval_is_named(self):
        found = [compare(SAMPLES["en"], n_resamples=20, interval="BCa")]
        for form in (to_text, to_markdown, to_latex):
            assert "Intervals: BCa bootstrap, 1,000 resamples" in form(found)
        rows = csv.DictReader(io.StringIO(to_tsv(found)), delimiter="\t")
        assert {row["interval"] for row in rows} == {"BCa"}

    def test_two_specs_of_one_metric_are_told_apart(self):
        found = [compare(SAMPLES["en"], ["bleu_multi", "bleu_multi:smooth_method=exp"], test=None)]
        assert "| system | bleu_multi bleu | bleu_multi:smooth_method=exp bleu |" in to_markdown(found)
        assert "bleu\\_multi:smooth\\_method=exp bleu" in to_latex(found)

    def test_white_space_in_names_breaks_no_table(self):
        systems = dict(zip(("a\tb", "c\nd", "e"), SAMPLES["en"].systems.values(), strict=True))
        found = [compare(TestSet("x\ty", systems, SAMPLES["en"].references, None), n_resamples=20)]
        rows = list(csv.DictReader(io.StringIO(to_tsv(found)), delimiter="\t"))
        assert [(row["test_set"], row["system"]) for row in rows] == [("x y", "a b"), ("x y", "c d"), ("x y", "e")]
        assert all(f"\n| {name} | " in to_markdown(found) for name in ("a b", "c d", "e"))

    def test_narrow_terminals_show_the_systems(self, comparisons):
        for width in [120, 70, 60, 45, 20]:
            text = to_text(comparisons, width=width)
            head = text[text.index("en: bleu_multi, bleu") :].splitlines()[2]
            assert ("wins/ties/losses" in head, "95 %" in head) == (width > 80, width > 60)
            assert all(name in text for name in ("baseline", "tuned", "large", "difference"))
            assert all(len(line) <= max(width, 50) for line in text.splitlines() if line.startswith("  "))

    def test_the_best_is_bold(self, comparisons):
        best = max(comparisons[0].tables[0].rows, key=lambda row: row.value).value
        assert f"**{best:.2f}**" in to_markdown(comparisons)
        assert f"\\textbf{{{best:.2f}}}" in to_latex(comparisons)
        assert f"{best:.2f}*" in to_text(comparisons)

    def test_names_are_text_and_not_markup(self):
        systems = dict(zip(("[bold]a|b", "c_d&e", "<f>"), SAMPLES["en"].systems.values(), strict=True))
        odd = [compare(TestSet("x_[y]", systems, SAMPLES["en"].references, None), n_resamples=20)]
        assert "[bold]a|b" in to_text(odd)
        assert "\\[bold\\]a\\|b" in to_markdown(odd)
        assert "c\\_d\\&e" in to_latex(odd)


class TestExports:
    def test_each_system_has_a_file_that_can_be_scored_again(self, tmp_path):
        test_set = SAMPLES["ru"]
        paths = export_systems(test_set, tmp_path / "new")
        assert [path.name for path in paths] == [f"{name}_ru.tsv" for name in test_set.systems]
        for path, (system, texts) in zip(paths, test_set.systems.items(), strict=True):
            table = read_table(path)
            columns = [name for name in table.columns if name.startswith("reference")]
            predictions, references = items(table, "candidate", columns)
            assert table.columns["source"] == test_set.source, system
            again = score("bleu_multi", predictions, references)
            assert again["bleu"] == score("bleu_multi", texts, test_set.references)["bleu"]

    def test_odd_names_make_plain_files_and_clashes_are_refused(self, tmp_path):
        texts = ["a\tb\nc"]
        (path,) = export_systems(TestSet("t/1", {"../my model": texts}, [["r"]], None), tmp_path)
        assert path.parent == tmp_path
        assert path.read_text() == "source\tcandidate\treference\n\ta b c\tr\n"
        with pytest.raises(InputError, match=r"Two systems would be written to a_b_t\.tsv"):
            export_systems(TestSet("t", {"a b": texts, "a/b": texts}, [["r"]], None), tmp_path)

    def test_segments_have_every_score(self, tmp_path, comparisons):
        export_segments(comparisons, tmp_path / "s.tsv")
        rows = read_table(tmp_path / "s.tsv")
        n_segments = len(SAMPLES["en"].references) + len(SAMPLES["es"].references)
        assert len(rows.lines) == 3 * n_segments
        first = comparisons[0].tables[0]
        assert [float(value) for value in rows.columns["bleu_multi bleu"][:3]] == [
            first.segments[system][0] for system in SAMPLES["en"].systems
        ]


class TestSideBySide:
    def test_shows_every_system_with_its_score(self):
        for language in LANGUAGES:
            test_set = SAMPLES[language]
            bleu = parse_metric(f"bleu_multi:tokenizer={BLEU_TOKENIZERS.get(language, '13a')}")
            text = side_by_side(test_set, 2, [bleu, parse_metric("rouge_nlws:tokenizer=unicode")], width=150)
            (table,) = compare(test_set, [bleu], test=None).tables
            for system, values in table.segments.items():
                assert system in text
                assert f"{values[1]:.2f}" in text

    def test_begins_with_the_baseline_and_colours_where_it_may(self):
        text = side_by_side(SAMPLES["en"], 1, [parse_metric("bleu_multi")], baseline="large", width=150, colour=True)
        assert text.index("large") < text.index("tuned")
        assert "\x1b[" in text
        assert "\x1b[" not in side_by_side(SAMPLES["en"], 1, [parse_metric("bleu_multi")], width=150)

    def test_without_colours_the_text_stands_as_it_is(self):
        test_set = TestSet("t", {"a": ["It's 1,5-fold."]}, [["It is so."]], None)
        for colour in (False, True):
            text = side_by_side(test_set, 1, [parse_metric("bleu_multi")], width=150, colour=colour)
            assert ("It's 1,5-fold." in text) is not colour

    def test_what_is_not_there_is_refused(self):
        bleu = [parse_metric("bleu_multi")]
        with pytest.raises(OptionError, match="Did you mean 'baseline'"):
            side_by_side(SAMPLES["en"], 1, bleu, baseline="basline")
        with pytest.raises(InputError, match="t, segment 2 has no reference"):
            side_by_side(TestSet("t", {"a": ["x", "y"]}, [["x"], []], None), 1, bleu)

    def test_a_segment_that_is_not_there_is_refused(self):
        last = len(SAMPLES["en"].references)
        with pytest.raises(InputError, match=f"en has no segment {last + 1}: its segments are numbered 1 to {last}"):
            side_by_side(SAMPLES["en"], last + 1, [parse_metric("bleu_multi")])


@pytest.fixture(scope="module")
def found():
    return compare(SAMPLES["en"], ["bleu_multi", "rouge_nlws:rouge_types=rouge1"], n_resamples=50)


class TestInANotebook:
    def test_the_data_frame_is_the_tsv_file(self):
        for test in ["permutation", None]:
            found = compare(SAMPLES["es"], ["bleu_multi"], test=test, n_resamples=50)
            frame = found.to_dataframe()
            head, *rows = csv.reader(io.StringIO(to_tsv([found])), delimiter="\t")
            assert list(frame.columns) == head
            written = pd.read_csv(io.StringIO(to_tsv([found])), sep="\t")
            assert len(frame) == len(rows) == 3
            for name in head:
                own, other = frame[name], written[name]
                assert [None if pd.isna(each) else each for each in own] == [
                    None if pd.isna(each) else each for each in other
                ]

    def test_the_table_has_a_row_for_each_system_with_scores_and_intervals(self, found):
        shown = found._repr_html_()
        assert re.findall("<bdi>(.*?)</bdi>", shown) == list(SAMPLES["en"].systems)
        for table in found.tables:
            assert f'<th scope="col">{table.name}</th>' in shown
            assert table.signature in shown
            for row in table.rows:
                mark = "*" if row.best else "†" if row.as_good else ""
                assert f">{row.value:.2f}{mark} ({row.low:.2f} – {row.high:.2f})<" in shown

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
        for shown, own_scripts in ((found._repr_html_(), 0), (found.to_html(), 1)):
            assert shown.count("<script") == own_scripts
            assert name not in shown
            assert "&lt;script&gt;" in shown
        assert found.to_dataframe()["system"][0] == name
        buffer = io.BytesIO()
        found.plot().savefig(buffer)
        assert [label.get_text() for label in found.plot().axes[0].get_yticklabels()] == [name, "b"]

    def test_the_figure_has_each_score_and_interval_of_each_system(self, found):
        figure = found.plot()
        assert len(figure.axes) == len(found.tables)
        for axes, table in zip(figure.axes, found.tables, strict=True):
            drawn = {tuple(map(float, line.get_xdata())) for line in axes.get_lines()}
            assert {(row.low, row.high) for row in table.rows} | {(row.value,) for row in table.rows} <= drawn
            assert axes.get_xlabel() == f"{table.name}, 95 % interval"
        assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list(SAMPLES["en"].systems)
        assert figure._repr_png_().startswith(b"\x89PNG")  # a notebook asks, with or without pyplot

    def test_the_page_is_the_report(self, found):
        assert found.to_html() == to_html([found])
        assert "<title>of ours</title>" in found.to_html(title="of ours")

    def test_a_missing_matplotlib_is_named(self, found, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        with pytest.raises(OptionError, match=r"A plot needs matplotlib.*pip install .tercet\[report\]."):
            found.plot()


def test_a_comparison_keeps_what_made_each_score_and_travels():
    test_set = SAMPLES["en"]
    found = compare(test_set, ["bleu_multi", "rouge_nlws:rouge_types=rouge1+rouge2"], n_resamples=20)
    sent = pickle.loads(pickle.dumps(found))
    assert sent.to_dict() == found.to_dict()
    for table in (*found.tables, *sent.tables):
        assert list(table.stats) == list(test_set.systems)
        for row in table.rows:
            assert table.score_of(row.system, range(44)) == row.value
            assert table.segments[row.system] == segment_lists(table.scorer, table.stats[row.system])[table.name]


class TestPlainTexts:
    """A mapping of systems with references, instead of a test set."""

    def test_give_what_their_test_set_gives(self):
        test_set = SAMPLES["en"]
        expected = compare(test_set, ["bleu_multi"], n_resamples=50).to_dict()
        systems = {name: iter(texts) for name, texts in test_set.systems.items()}
        found = tercet.compare(systems, ["bleu_multi"], references=iter(test_set.references), n_resamples=50)
        assert found.to_dict() == {**expected, "test_set": "test set"}
        assert found.test_set.systems == test_set.systems
        assert found.test_set.references == test_set.references
        assert found.to_html()

    def test_what_is_wrong_is_named(self):
        cases = [
            ([SAMPLES["en"]], None, "compare takes a TestSet .read_test_sets returns a list of them., or a mapping"),
            ({"A": ["a"]}, None, "A mapping of systems needs references= for bleu_multi, which compares texts with"),
            (SAMPLES["en"], ["a"], "A TestSet has references of its own"),
            ({}, ["a"], "There is no system to score"),
            ({1: ["a"]}, ["a"], "The names of systems must be strings, got 1"),
            ({"A": []}, [], "test set has no segment to score"),
            (TestSet("news", {"A": []}, [], None), None, "news has no segment to score"),
            (TestSet("news", {}, [["a"]], None), None, "news has no system to score"),
            ({"A": ["a"], "B": ["a", "b"]}, ["a"], "predictions of 'B' and references must have one entry per item"),
            ({"A": ["a"], "B": [3]}, ["a"], "item 0 of predictions of 'B' must be a string, got 3"),
            ({"A": ["a\ud800"]}, ["a"], "item 0 of predictions of 'A' is not valid Unicode text"),
            ({"A": ["a"]}, [[]], "test set, segment 1 has no reference"),
        ]
        for given, references, message in cases:
            with pytest.raises(InputError, match=message):
                compare(given, references=references)


class TestSettings:
    SYSTEMS: ClassVar = {"A": ["the cat sat down on it"], "B": ["the cat sat down on me"]}
    REFERENCES = ("the cat sat down on it",)

    def test_a_wrong_one_is_named_with_what_is_right(self):
        cases = [
            *[("seed", value) for value in (-1, "x", None, 1.5)],
            *[("n_resamples", value) for value in (0, "9", 10**12)],
            *[
                (name, value)
                for name in ("confidence_level", "alpha")
                for value in (0, 1, 2, "x", None, float("nan"))
            ],
            *[("interval", value) for value in ("bca", None, 3)],
            *[("metrics", value) for value in ([], (), None, 3, [None], ["bleu", 3], {})],
            ("progress", "yes"),
        ]
        for name, value in cases:
            with pytest.raises(OptionError, match=rf"^The '{name}' option of compare must be .+\. Got .+ instead"):
                tercet.compare(self.SYSTEMS, references=self.REFERENCES, **{name: value})

    def test_one_metric_needs_no_list(self):
        (table,) = tercet.compare(self.SYSTEMS, "bleu", references=self.REFERENCES, n_resamples=9).tables
        assert table.metric == "bleu_multi"


class TestBars:
    """What a user sees while it takes long: a bar of steps, and below it one of what the step counts."""

    SYSTEMS: ClassVar = {"A": ["a cat sat", "it rains"], "B": ["a cat ran", "it snows"], "C": ["a dog", "it snows"]}
    REFERENCES = ("a cat sat down", "it rained")

    @pytest.fixture
    def bars(self, monkeypatch):
        """The bars that were shown, when they were closed: what they count, how many are done, and of how many."""
        found = []

        class Bar(tqdm.tqdm):
            def close(self):
                if not self.disable:
                    found.append((self.desc.removesuffix(": "), self.n, self.total, self.unit))
                super().close()

        monkeypatch.setattr(tqdm, "tqdm", Bar)
        return found

    @pytest.mark.parametrize(("test", "number"), [("permutation", 7000), ("bootstrap", 300)])
    def test_of_a_test_count_resamples_and_pairs(self, bars, test, number):
        settings = {"test": test, "n_resamples": number, "progress": True}
        compare(self.SYSTEMS, "chrf", references=self.REFERENCES, **settings)
        assert bars == [
            ("resampling", number, number, "resample"), ("testing", 3, 3, "pair"),
            ("resampling", 1000, 1000, "resample"), (f"chrf_multi {test} test", 4, 4, "step"),
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
        compare(systems, spec(metric), references=references, test=None, progress=True)
        assert [bar for bar in bars if bar[3] == "text"] == [(what, number, number, "text") for number in texts]
        assert bars[-1] == (f"{metric} intervals", 4, 4, "step")

    def test_are_not_there_unless_they_are_wanted(self, bars):
        compare(self.SYSTEMS, [spec("bertscore_idf")], references=self.REFERENCES, n_resamples=9)
        assert bars == []

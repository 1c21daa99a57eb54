"""Several test sets, one verdict: weighted means of their scores, resampled and tested within each set."""

import json
import math
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from commands import command
from own_metric import NanForZero
from tercet.comparison.overall import n_shared
from tercet.comparison.shown.terminal import to_text
from tercet.comparison.strata import _signature as joined_signature
from tercet.errors import InputError, OptionError
from tercet.statistics.clusters import Clusters

REFERENCES = ["ein Hund bellt laut", "two cats sleep here", "кошка спит дома", "trời hôm nay mưa to", "it rains"]
SYSTEMS = {
    "base": ["ein Hund bellt", "two dogs sleep", "кошка спит", "trời mưa to", "it rained"],
    "tuned": ["ein Hund bellt laut", "two cats sleep", "кошка спит тут", "trời hôm nay mưa", "it rains now"],
}


def part(start, stop, times=1, systems=SYSTEMS):
    """Return the texts of some segments, each repeated."""
    texts = {name: system[start:stop] * times for name, system in systems.items()}
    return texts, REFERENCES[start:stop] * times


def compared(*parts, metrics="chrf", **options):
    return [tercet.compare(systems, metrics, references=references, **options) for systems, references in parts]


def of_scores(*sets, name="quality", **options):
    """Return the comparison of numbers over sets, each with those of A and B."""
    return [tercet.compare(scores={name: {"A": list(a), "B": list(b)}}, **options) for a, b in sets]


def change_set(comparison, **changes):
    test_set = replace(comparison.test_set, **changes)
    object.__setattr__(comparison, "design", comparison.design._replace(test_set=test_set))


def test_a_score_is_the_weighted_mean_of_those_of_the_sets():
    news, chat = compared(part(0, 2, 4), part(2, 5, 4), metrics=["chrf", "rouge:tokenizer=unicode", "ter"])
    for weight, shares in (("set", [0.5, 0.5]), ("segment", [0.4, 0.6])):
        both = tercet.overall([news, chat], weight=weight)
        assert [table.name for table in both.tables] == [table.name for table in news.tables]
        for table, *parts in zip(both.tables, news.tables, chat.tables, strict=True):
            for place, row in enumerate(table.rows):
                values = [part.rows[place].value for part in parts]
                assert row.value == pytest.approx(np.dot(shares, values), abs=1e-12)
                assert min(row.low, row.high) <= row.value <= max(row.low, row.high)


def test_by_segments_the_mean_of_a_segments_score_is_that_of_all_segments():
    random = np.random.default_rng(1)
    sets = [random.normal(size=(2, n)) for n in (30, 50, 20)]
    together = np.concatenate(sets, axis=1)
    table = tercet.overall(of_scores(*sets), weight="segment").tables[0]
    assert [row.value for row in table.rows] == pytest.approx(together.mean(axis=1).tolist(), abs=1e-12)


def test_variances_add_up_by_the_squares_of_the_weights():
    random = np.random.default_rng(2)
    sets = [random.normal(0, scale, size=(2, n)) for n, scale in ((400, 1), (150, 3))]
    row = tercet.overall(of_scores(*sets)).tables[0].rows[0]
    error = math.sqrt(sum(0.25 * values[0].var() / len(values[0]) for values in sets))
    assert (row.high - row.low) / (2 * 1.96) == pytest.approx(error, rel=0.06)


def test_sets_of_equal_size_do_not_draw_alike():
    values = np.random.default_rng(3).normal(size=(2, 200))
    once = of_scores(values)[0].tables[0].rows[0]
    twice = tercet.overall(of_scores(values, values)).tables[0].rows[0]
    # With the same draws in both sets, nothing would be gained from a second one.
    assert (twice.high - twice.low) / (once.high - once.low) == pytest.approx(1 / math.sqrt(2), rel=0.1)


def test_p_is_of_exchanges_within_each_set():
    random = np.random.default_rng(4)
    sets = [random.normal([[0], [shift]], size=(2, n)) for n, shift in ((8, 1), (6, 0.5))]
    row = tercet.overall(of_scores(*sets)).tables[0].rows[1]
    signs = [np.array(np.meshgrid(*[[1, -1]] * values.shape[1])).reshape(values.shape[1], -1) for values in sets]
    means = [(values[1] - values[0]) @ sign / len(sign) for values, sign in zip(sets, signs, strict=True)]
    sizes = np.abs(means[0][:, None] + means[1]).ravel() / 2
    exact = (sizes >= abs(row.difference) - 1e-12).mean()
    assert row.pvalue == pytest.approx(exact, abs=4 * math.sqrt(exact / 10_000) + 1e-4)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_both_tests_see_what_one_set_alone_does_not(test):
    random = np.random.default_rng(5)
    sets = []
    for _ in range(6):
        base = random.normal(size=40)
        sets.append((base, base + 0.12 + random.normal(0, 0.5, 40)))
    comparisons = of_scores(*sets, test=test)
    assert sum(comparison.tables[0].rows[1].pvalue < 0.05 for comparison in comparisons) < 6
    row = tercet.overall(comparisons).tables[0].rows[1]
    assert row.pvalue < 0.01
    assert (row.rank, row.group) == ((1, 1), 1)


def test_wins_count_sets_and_sentences_name_those_that_differ():
    systems, references = part(0, 5, 4)
    better, worse = (systems, references), ({"base": systems["tuned"], "tuned": systems["base"]}, references)
    comparisons = compared(better, better, worse)
    for name, comparison in zip(("news", "books", "chat"), comparisons, strict=True):
        change_set(comparison, name=name)
    over_all = tercet.overall(comparisons)
    row = over_all.tables[0].rows[1]
    assert (row.wins, row.ties, row.losses) == (2, 0, 1)
    line = next(line for line in over_all.section_lines() if line.startswith("Over all"))
    assert re.fullmatch(
        r"Over all 3 test sets, tuned is better than base by [\d.]+ chrF \(p [\d.]+(, not "
        r"significant)?\): ahead in news and books; behind in chat\.",
        line,
    )


def test_bca_intervals_of_sets_have_an_expanded_one_of_their_sum():
    values = np.random.default_rng(6).lognormal(size=(2, 60))
    bca, expanded = (tercet.overall(of_scores(values, values, interval=kind)) for kind in ("BCa", "expanded"))
    assert (bca.interval, expanded.interval) == ("expanded", "expanded")
    rows = [over_all.tables[0].rows[1] for over_all in (bca, expanded)]
    assert rows[0].low == rows[1].low < rows[0].value < rows[0].high == rows[1].high


def test_sets_too_small_for_an_interval_of_their_own_are_named():
    random = np.random.default_rng(7)
    comparisons = of_scores(*(random.normal(size=(2, n)) for n in (1, 2, 4, 5, 40)))
    for comparison in comparisons:
        name = f"of {comparison.test_set.n_segments}"
        change_set(comparison, name=name)
    assert tercet.overall(comparisons).remarks()[1:3] == [
        "Of one segment, whose part is not in the intervals: of 1.",
        "Of fewer than 5 segments, so that intervals may be too short: of 2 and of 4.",
    ]


def test_each_is_named_by_its_own_units():
    segments, clusters = of_scores(*np.random.default_rng(8).normal(size=(2, 2, 4)))
    clustered = Clusters.of([1, 1, 1, 1], 4)
    change_set(segments, name="segments")
    change_set(clusters, name="clusters", clusters=clustered)
    object.__setattr__(clusters.tables[0], "n_units", 1)
    assert tercet.overall([segments, clusters]).remarks()[1:3] == [
        "Of one cluster, whose part is not in the intervals: clusters.",
        "Of fewer than 5 segments, so that intervals may be too short: segments.",
    ]


@pytest.mark.parametrize("weight", ["set", "segment"])
def test_of_sets_that_share_one_system_nothing_is_tested(weight):
    both, one = compared(part(0, 2, 4), part(2, 5, 4, {"tuned": SYSTEMS["tuned"], "other": SYSTEMS["base"]}))
    over_all = tercet.overall([both, one], weight=weight)
    assert [row.system for row in over_all.tables[0].rows] == ["tuned"]
    assert (both.test, over_all.test, over_all.n_resamples) == ("permutation", None, None)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_set_of_one_system_has_no_test_that_could_differ(is_first):
    both, one = compared(part(0, 3), part(3, 5, systems={"tuned": SYSTEMS["tuned"]}))
    over_all = tercet.overall([one, both] if is_first else [both, one])
    assert [row.system for row in over_all.tables[0].rows] == ["tuned"]
    assert over_all.test is None
    assert over_all.notes[0] == "Not in all test sets, and left out here: the systems 'base'."
    (other,) = compared(part(3, 5, systems={"x": SYSTEMS["tuned"]}))
    with pytest.raises(InputError, match="have no system in common"):
        tercet.overall([both, other])


def test_the_version_ends_the_signature_also_where_a_later_set_has_more_fields():
    signatures = ["bleu|tok:13a|version:1", "bleu|tok:zh|refs:2|version:1"]
    assert joined_signature(signatures, "set") == "bleu|tok:13a,zh|refs:2|sets:2|weight:set|version:1"


def test_a_value_with_the_sign_between_entries_stays_whole_in_the_signature():
    signatures = ["bleu|tok:a|b|version:1", "bleu|tok:c|b|version:1"]
    assert joined_signature(signatures, "set") == "bleu|tok:a|b,c|b|sets:2|weight:set|version:1"


def test_a_difference_too_small_for_the_decimals_is_no_zero():
    values = np.random.default_rng(8).normal(50, 1, size=40)
    over_all = tercet.overall(of_scores((values, values - 0.001), (values, values - 0.001)))
    assert "B is worse than A by 0.001 quality (p" in str(over_all)


def test_lower_is_better():
    comparisons = compared(part(0, 2, 4), part(2, 5, 4), metrics="ter")
    row = tercet.overall(comparisons).tables[0].rows[1]
    assert row.difference < 0
    assert (row.wins, row.losses, row.best) == (2, 0, True)
    errors = tercet.Column("ошибки", better="lower")
    of_sets = [([3, 5, 4], [2, 4, 1]), ([5, 6, 4], [1, 2, 3]), ([1, 2, 3], [2, 3, 5])]
    comparisons = of_scores(*of_sets, name=errors)
    for name, comparison in zip("αβγ", comparisons, strict=True):
        change_set(comparison, name=name)
    (sentence,) = [line for line in tercet.overall(comparisons).section_lines() if line.startswith("Over all")]
    assert sentence.endswith(": ahead in α and β; behind in γ.")


def test_clusters_of_each_set_stay_together():
    random = np.random.default_rng(6)
    sets = random.normal(size=(2, 2, 25))
    alone = tercet.overall(of_scores(*sets)).tables[0].rows
    repeated = [
        tercet.compare(
            scores={"quality": {"A": a.repeat(3).tolist(), "B": b.repeat(3).tolist()}},
            cluster=np.arange(25).repeat(3),
        )
        for a, b in sets
    ]
    for row, same in zip(tercet.overall(repeated).tables[0].rows, alone, strict=True):
        assert (row.low, row.high) == (pytest.approx(same.low), pytest.approx(same.high))
        assert row.pvalue == same.pvalue


def test_shares_of_right_answers_are_in_percent():
    right = [([0, 1, 0, 0] * 5, [1, 1, 0, 1] * 5), ([0, 0] * 6, [1, 0] * 6)]
    rows = tercet.overall(of_scores(*right)).tables[0].rows
    assert [row.value for row in rows] == [12.5, 62.5]
    assert rows[1].pvalue < 0.01


def test_runs_are_means_over_runs():
    random = np.random.default_rng(7)

    def scores(n):
        item = random.normal(size=n)
        shifts = {f"{name}-{run}": shift for name, shift in (("A", 0), ("B", 0.5)) for run in range(3)}
        return {name: (item + random.normal(shift, 0.2, n)).tolist() for name, shift in shifts.items()}

    comparisons = [tercet.compare(scores={"quality": scores(n)}, runs=r"([AB])-(\d)") for n in (60, 40)]
    over_all = tercet.overall(comparisons)
    (section,) = (part for part in over_all.tables[0].sections if part.key == "runs")
    rows = section.value["systems"]
    for row in rows:
        parts = [part.value["systems"] for c in comparisons for part in c.tables[0].sections if part.key == "runs"]
        means = [next(entry["value"] for entry in entries if entry["system"] == row["system"]) for entries in parts]
        assert row["value"] == pytest.approx(np.mean(means))
    assert rows[1]["pvalue"] < 0.001
    assert over_all.tables[0].rows[1].pvalue is None


def test_what_not_all_sets_have_is_left_out_and_named():
    more = {**SYSTEMS, "large": REFERENCES}
    news, chat = compared(part(0, 3, 2, more), part(3, 5, 2)), compared(part(3, 5, 2), metrics=["chrf", "ter"])
    over_all = tercet.overall([news[0], chat[0]])
    assert list(over_all.test_set.systems) == ["base", "tuned"]
    assert [table.name for table in over_all.tables] == ["chrf"]
    assert over_all.notes == [
        "Not in all test sets, and left out here: the systems 'large'.",
        "Not in all test sets, on one scale and in one direction, and left out here: the scores 'ter'.",
    ]


def test_scores_in_opposite_directions_are_not_joined():
    values = np.random.default_rng(10).normal(size=(2, 20))
    (higher,) = of_scores(values)
    column = tercet.Column("quality", better="lower")
    lower = tercet.compare(scores={column: {"A": values[0].tolist(), "B": values[1].tolist()}})
    with pytest.raises(InputError, match="have no score in common"):
        tercet.overall([higher, lower])


def test_rounding_is_no_difference():
    values = np.random.default_rng(11).normal(size=30)
    over_all = tercet.overall(of_scores((values, np.roll(values, 1)), (values, np.roll(values, 7))))
    assert "B has the same score as A in quality: the same in both." in over_all.section_lines()[0]


def test_where_all_resamples_differ_alike_the_bootstrap_finds_it():
    right = ([0] * 40, [1] * 40)
    rows = tercet.overall(of_scores(right, right, test="bootstrap")).tables[0].rows
    assert rows[1].pvalue == pytest.approx(1 / 1001)
    assert of_scores(right, test="bootstrap")[0].tables[0].rows[1].pvalue == pytest.approx(1 / 1001)
    assert of_scores(([0.5], [0.75]), test="bootstrap")[0].tables[0].rows[1].pvalue == 1


def test_a_score_that_is_nan_is_not_tested():
    comparisons = [
        tercet.compare({"A": ["ab"] * 3, "B": ["zz"] * 3}, NanForZero(), references=["ab cd"] * 3) for _ in "ab"
    ]
    rows = tercet.overall(comparisons).tables[0].rows
    assert math.isnan(rows[1].value)
    assert (rows[1].adjusted_pvalue, rows[1].best, rows[0].rank) == (None, False, (1, 1))


def test_what_cannot_be_joined_is_refused():
    (news,) = compared(part(0, 3))
    (chat,) = compared(part(3, 5))
    with pytest.raises(OptionError, match=r"must be one of 'set', 'segment'\. Got 'size'"):
        tercet.overall([news, chat], weight="size")
    with pytest.raises(InputError, match="expected those of two test sets or more, got 1"):
        tercet.overall([news])
    with pytest.raises(InputError, match=r"must be those of tercet\.compare, got 'news'"):
        tercet.overall(["news", chat])
    with pytest.raises(OptionError, match="The comparisons differ in 'seed': 12345 and 7"):
        tercet.overall([news, *compared(part(3, 5), seed=7)])
    with pytest.raises(OptionError, match="The comparisons differ in 'interval': 'expanded' and 'percentile'"):
        tercet.overall([news, *compared(part(3, 5), interval="percentile")])
    with pytest.raises(InputError, match="have no score in common"):
        tercet.overall([news, *compared(part(3, 5), metrics="ter")])
    (other,) = compared(part(3, 5, systems={"x": SYSTEMS["base"], "y": SYSTEMS["tuned"]}))
    with pytest.raises(InputError, match="have no system in common"):
        tercet.overall([news, other])
    assert (n_shared([news, chat]), n_shared([news, other])) == (2, 0)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(3)))
def test_the_order_of_the_sets_changes_no_score_and_p_by_chance_only(order):
    random = np.random.default_rng(8)
    sets = [random.normal(size=(2, n)) for n in (20, 30, 10)]
    first = tercet.overall(of_scores(*sets)).tables[0].rows[1]
    again = tercet.overall(of_scores(*(sets[place] for place in order))).tables[0].rows[1]
    assert (again.value, again.wins) == (pytest.approx(first.value), first.wins)
    assert again.pvalue == pytest.approx(first.pvalue, abs=0.03)


@pytest.mark.long
def test_type_one_errors_and_coverage_are_as_promised():
    """300 times three sets of unequal size without a difference: p < .05 in about 5 %, intervals hold 0 in 95 %."""
    random = np.random.default_rng(9)
    rejected = covered = 0
    for _ in range(300):
        sets = []
        for n, spread in ((40, 1), (80, 0.5), (25, 2)):
            item = random.normal(size=n)
            sets.append((item + random.normal(0, spread, n), item + random.normal(0, spread, n)))
        rows = tercet.overall(of_scores(*sets, n_resamples=2000)).tables[0].rows
        rejected += rows[1].pvalue < 0.05
        covered += rows[0].low <= 0 <= rows[0].high
    assert 0.025 <= rejected / 300 <= 0.08
    assert 0.91 <= covered / 300 <= 0.98


# The command and every format.


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, (systems, references) in {"news": part(0, 3, 4), "chat <b>": part(3, 5, 4)}.items():
        columns = [*systems, "reference"]
        rows = [dict(zip(columns, texts, strict=True)) for texts in zip(*systems.values(), references, strict=True)]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return paths


OPTIONS = ("-s", "base", "-s", "tuned", "-m", "chrf", "-m", "ter")


def test_the_command_shows_it_in_every_format(files, tmp_path):
    text = command("compare", *files, *OPTIONS).stdout
    assert "both test sets: chrF" in text
    assert "Over both test sets, tuned is better than base by" in text
    assert text.startswith("both test sets: tuned is best in both metrics.")
    assert "scores of different test sets" in command("compare", *files, *OPTIONS).stderr
    document = json.loads(command("compare", *files, *OPTIONS, "-f", "json").stdout)
    assert [entry["test_set"] for entry in document["test_sets"]] == ["news", "chat <b>"]
    assert document["overall"]["test_sets"] == ["news", "chat <b>"]
    values = [entry["tables"][0]["systems"][1]["value"] for entry in document["test_sets"]]
    assert document["overall"]["tables"][0]["systems"][1]["value"] == pytest.approx(np.mean(values))
    assert [entry["weight"] for entry in document["overall"]["tables"][0]["sets"]] == [0.5, 0.5]
    assert "**both test sets**" in command("compare", *files, *OPTIONS, "-f", "markdown").stdout
    assert "both test sets" in command("compare", *files, *OPTIONS, "-f", "latex").stdout
    rows = command("compare", *files, *OPTIONS, "-f", "tsv").stdout.splitlines()
    assert [row.split("\t")[0] for row in rows[1::4]] == ["news", "chat <b>", "both test sets"]
    page = tmp_path / "report.html"
    command("compare", *files, *OPTIONS, "-o", page)
    assert page.read_text().index('<section id="overall">') < page.read_text().index('<section id="t1">')
    segments = tmp_path / "segments.tsv"
    command("compare", *files, *OPTIONS, "--segments", segments, "-o", tmp_path / "scores.xlsx")
    assert "both test sets" not in segments.read_text()


def test_weight_is_by_segments_or_has_no_effect_and_says_so(files):
    document = json.loads(command("compare", *files, *OPTIONS, "--weight", "segment", "-f", "json").stdout)
    assert [entry["weight"] for entry in document["overall"]["tables"][0]["sets"]] == [0.6, 0.4]
    run = command("compare", files[0], *OPTIONS, "--weight", "set")
    assert "note: --weight is for test sets that have systems in common; there is one." in run.stderr
    assert "test sets:" not in run.stdout
    assert "overall" not in json.loads(command("score", *files, *OPTIONS, "-f", "json").stdout)


def test_a_notebook_and_a_data_frame_show_it():
    over_all = tercet.overall(compared(part(0, 3), part(3, 5)))
    assert "Over both test sets" in over_all._repr_html_()
    assert over_all.to_dataframe().test_set.tolist() == ["both test sets"] * 2
    assert repr(over_all) == ("<Overall of 'base', 'tuned' on 'test set', 'test set', each weighing the same: chrf>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "Over both test sets" in over_all.to_html()


@pytest.mark.parametrize("numbers_of_runs", [(2, 3), (3, 2), (1, 2), (2, 1)])
def test_sets_with_other_runs_are_shown_one_by_one_in_any_order(numbers_of_runs, tmp_path):
    paths = []
    for n_runs in numbers_of_runs:
        systems = {f"{name}-{run}": texts for name, texts in SYSTEMS.items() for run in range(n_runs)}
        paths.append(tmp_path / f"{n_runs} runs.tsv")
        rows = zip(*systems.values(), REFERENCES, strict=True)
        lines = [[*systems, "reference"], *rows]
        paths[-1].write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    run = command("compare", *paths, "--runs", r"(base|tuned)-(\d)", "-m", "chrf", "-f", "json")
    document = json.loads(run.stdout)
    assert [entry["test_set"] for entry in document["test_sets"]] == [path.stem for path in paths]
    assert document.get("overall") is None


@pytest.mark.parametrize("n_more", [0, 1])
def test_sets_share_the_systems_that_all_of_them_have(n_more):
    first = {**SYSTEMS, **{f"more{number}": REFERENCES for number in range(n_more)}}
    comparisons = [*compared(part(0, 3, systems=first)), *compared(part(3, 5))]
    assert n_shared(comparisons) == n_shared(comparisons[::-1]) == 2


def test_numbers_in_another_order_are_ties_in_each_set_and_over_all():
    """Their means differ in the last bits."""
    numbers = [0.1, 0.7, 0.3, 0.9, 0.2, 0.6, 0.8, 0.4]
    orders = [(numbers, sorted(numbers)), (numbers, sorted(numbers, reverse=True))]
    (table,) = tercet.overall(of_scores(*orders)).tables
    _, row = table.rows
    assert (row.wins, row.ties, row.losses) == (0, 2, 0)
    assert (row.difference, math.copysign(1, row.difference)) == (0, 1)
    (section,) = [section for section in table.sections if section.key == "sets"]
    assert section.lines() == ["Over both test sets, B has the same score as A in quality: the same in both."]


def test_sets_of_one_name_are_numbered_in_sentences():
    both = tercet.overall(of_scores(([1, 2, 3], [2, 3, 5]), ([1, 2, 3], [1, 2, 3])))
    (section,) = [section for section in both.tables[0].sections if section.key == "sets"]
    assert "ahead in test set 1; the same in test set 2." in section.lines()[0]
    assert [entry["test_set"] for entry in section.value] == ["test set", "test set"]
    assert both.remarks()[-1].endswith("may be too short: test set 1 and test set 2.")


def test_each_of_two_sets_of_one_name_has_its_legend():
    numbers = {"A": [0.1, 0.7, 0.3, 0.9, 0.2, 0.6], "B": [0.2, 0.8, 0.1, 0.9, 0.4, 0.7]}
    comparisons = [tercet.compare(scores={name: numbers}) for name in ("quality", "TER:better=lower")]
    text = to_text(comparisons, plain=True)
    assert text.count("\ntest set: *: the best") == 2

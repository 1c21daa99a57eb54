"""Grades and scores of which low is good, and grades that are all the same: what a correlation says of them."""

import html
import json
from dataclasses import replace

import numpy as np
import pytest

import tercet
from commands import command
from tercet.correlation.grades import Grades
from tercet.correlation.tables import answer_lines, in_format, to_text
from tercet.errors import OptionError
from tercet.report.correlation import trust_html

WORDS = ["the", "cat", "sat", "on", "a", "mat", "by", "the", "old", "door"]
REFERENCES = [" ".join(WORDS)] * 12
#: The first texts of a system are the best: chrF falls from item to item.
TEXTS = {
    "A": [" ".join(WORDS[: 10 - item // 2]) for item in range(12)],
    "B": [" ".join(WORDS[: 9 - item // 2]) for item in range(12)],
}
GOOD = {name: [float(len(text.split())) for text in texts] for name, texts in TEXTS.items()}
PENALTIES = {name: [10 - number for number in numbers] for name, numbers in GOOD.items()}
NOISE = {"A": [3, 1, 2, 2, 1, 3] * 2, "B": [1, 3, 2, 2, 3, 1] * 2}
FEW = {"n_resamples": 50, "n_permutations": 50}


def correlate(metrics, dimensions, **options):
    return tercet.correlate(TEXTS, metrics, dimensions, references=REFERENCES, **{**FEW, **options})


def contradictions(found):
    return [[remark for remark in table.remarks if "contradict" in remark] for table in found.tables]


class TestMetricsThatContradictTheGrades:
    """One warning for each dimension names them and says which values count as better, and how to turn these."""

    def test_of_texts_say_that_low_grades_may_be_good(self):
        found = correlate(["chrf", "jaccard"], {"MQM": PENALTIES, "fluency": GOOD})
        values = sorted((figures["pooled.pearson"].value, label) for label, figures in found.table().figures.items())
        (warning,), none = contradictions(found)
        names = [found.titles()[label] for _, label in values]
        assert warning == (
            f"{names[0]} and {names[1]} contradict the grades in MQM (pooled.pearson {values[0][0]:.3f} and "
            f"{values[1][0]:.3f}). Higher grades count as better: if lower ones are, give "
            "dimension='MQM:better=lower'."
        )
        assert none == []

    def test_of_other_programs_may_be_the_wrong_way_round_themselves(self):
        scores = {"COMET": GOOD, "noise": NOISE}
        (warning,) = contradictions(correlate([], {"MQM": PENALTIES}, scores=scores))[0]
        assert warning == (
            "COMET contradicts the grades in MQM (pooled.pearson -1.000). Higher grades count as better: if lower "
            "ones are, give dimension='MQM:better=lower'. Higher scores of COMET count as better: if lower ones are, "
            "give scores='COMET:better=lower'."
        )
        found = correlate([], {"quality": GOOD}, scores={"wer": GOOD})
        assert (
            "Lower scores of wer count as better: if higher ones are, give scores='wer:better=higher'."
            in (contradictions(found)[0][0])
        )

    def test_say_nothing_of_the_grades_where_a_metric_of_texts_agrees_with_them(self):
        found = correlate("chrf", {"quality": GOOD}, scores={"MetricX": PENALTIES, "loss": GOOD})
        assert contradictions(found) == [[
            "MetricX and loss contradict the grades in quality (pooled.pearson -1.000 and -1.000). Higher scores of "
            "MetricX count as better: if lower ones are, give scores='MetricX:better=lower'. Lower scores of loss "
            "count as better: if higher ones are, give scores='loss:better=higher'."
        ]]  # fmt: skip

    def test_are_not_named_if_lower_is_known_to_be_better_or_their_interval_reaches_0(self):
        assert contradictions(correlate("wer", {"quality": GOOD}, scores={"noise": NOISE, "TER": PENALTIES})) == [[]]

    def test_are_named_up_to_four(self):
        scores = {f"s{place}": GOOD for place in range(6)}
        ((warning,),) = contradictions(correlate([], {"MQM": PENALTIES}, scores=scores))
        assert warning.startswith("s0, s1, s2, s3 and 2 more contradict the grades in MQM (pooled.pearson -1.000, ")

    def test_are_in_every_form(self):
        found = correlate([], {"MQM": PENALTIES}, scores={"COMET": GOOD})
        (warning,) = contradictions(found)[0]
        assert warning in json.loads(in_format(found, "json"))["dimensions"][0]["remarks"]
        assert warning in to_text(found, width=120)
        assert "COMET contradicts the grades in MQM (pooled Pearson's r -1.000)" in html.unescape(trust_html(found))


class TestDimensionsOfWhichLowerIsBetter:
    """`dimension="MQM:better=lower"`: the grades count negated for every figure."""

    def test_have_the_figures_and_tests_of_negated_grades(self):
        scores = {"COMET": GOOD, "noise": NOISE}
        negated = {name: [-number for number in numbers] for name, numbers in PENALTIES.items()}
        for options in ({}, {"standardize": True}, {"rank_by": "system.spa"}):
            found = correlate("chrf", {"MQM": PENALTIES}, scores=scores, dimension="MQM:better=lower", **options)
            expected = correlate("chrf", {"MQM": negated}, scores=scores, **options)
            forms = [json.loads(in_format(each, "json")) for each in (found, expected)]
            assert [form["dimensions"][0].pop("negated") for form in forms] == [True, False]
            assert forms[0] == forms[1]

    def test_are_said_to_be_negated(self):
        grades = {"MQM": PENALTIES, "fluency": GOOD}
        found = correlate("chrf", grades, dimension=["MQM:better=lower", "fluency"])
        assert [table.dimension for table in found.tables] == ["MQM", "fluency"]
        assert contradictions(found) == [[], []]
        note = "Grades negated, as lower is better: MQM."
        page = trust_html(found)
        assert note in to_text(found, width=1000)
        assert note in in_format(found, "markdown")
        assert note in page
        assert page.count("grade, negated") == 1
        assert "Grades negated" not in correlate("chrf", grades).legend()
        # the other way round, the advice is, too
        found = correlate("chrf", grades, dimension="fluency:better=lower")
        assert (
            "Lower grades count as better: if higher ones are, give dimension='fluency:better=higher'."
            in (contradictions(found)[0][0])
        )

    def test_may_be_preferences(self):
        texts = {"better": TEXTS["B"], "worse": TEXTS["A"]}
        ranks = {"better": [1] * 12, "worse": [0] * 12}
        options = {"references": REFERENCES, "dimension": "grade:better=lower", **FEW}
        table = tercet.correlate(texts, "chrf", ranks, **options).table()
        assert (table.rank_by, table.figures["chrf_multi"]["item.darr"].value) == ("item.darr", 1.0)

    def test_are_kept_by_grades(self):
        grades = Grades.of_lists({"MQM": PENALTIES}, [*TEXTS], 12)
        assert grades.mean("MQM")[0, 0] == 0
        lower = replace(grades, lower_is_better=("MQM",))
        assert not np.signbit(lower.mean("MQM")[0, 0])
        assert correlate("chrf", lower).table().ranking == ["chrf_multi"]
        assert correlate("chrf", lower).to_dict()["dimensions"][0]["negated"]
        assert not correlate("chrf", lower, dimension="MQM:better=higher").to_dict()["dimensions"][0]["negated"]

    def test_may_have_colons_in_their_names(self):
        found = correlate("chrf", {"a:b=c": PENALTIES}, dimension="a:b=c:better=lower")
        assert contradictions(found) == [[]]
        assert correlate("chrf", {"a:better=lower": GOOD}, dimension="a:better=lower").grades.lower_is_better == ()

    def test_are_chosen_on_the_command_line(self, tmp_path):
        rows = ["reference\tA\tB\tA.MQM\tB.MQM"]
        for item, reference in enumerate(REFERENCES):
            cells = [reference, *(TEXTS[name][item] for name in "AB"), *(PENALTIES[name][item] for name in "AB")]
            rows.append("\t".join(map(str, cells)))
        (tmp_path / "t.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        arguments = ("correlate", tmp_path / "t.tsv", "-m", "chrf", "--n-resamples", 50, "--n-permutations", 50)
        plain = " ".join(command(*arguments).stdout.split())
        assert "if lower ones are, give --dimension MQM:better=lower." in plain
        turned = " ".join(command(*arguments, "-d", "MQM:better=lower").stdout.split())
        assert "contradicts" not in turned
        assert "Grades negated, as lower is better: MQM." in turned

    @pytest.mark.parametrize(
        ("dimension", "message"),
        [
            (
                "MQM:better=low",
                "dimension=: expected better=lower or better=higher after the name, got 'MQM:better=low'",
            ),
            ("MQM:missing=zero", "expected better=lower or better=higher after the name, got 'MQM:missing=zero'"),
            ("MQM:good=low", "expected better=lower or better=higher after the name, got 'MQM:good=low'"),
            ("MQN:better=lower", "There is no dimension 'MQN'. Did you mean 'MQM'?"),
            (["MQM", "MQM:better=lower"], "The dimension 'MQM' is given twice."),
            (["MQM", "MQM"], "The dimension 'MQM' is given twice."),
        ],
    )
    def test_are_refused_where_they_say_something_else(self, dimension, message):
        with pytest.raises(OptionError) as error:
            correlate("chrf", {"MQM": PENALTIES}, dimension=dimension)
        assert message in str(error.value)


FIVE = {"A": [4, 3, 5, 2] * 3, "B": [3, 2, 4, 1] * 3}
HUNDRED = {"A": [80, 55, 97, 30] * 3, "B": [60, 41, 83, 22] * 3}


class TestRatersOnDifferentScales:
    """Of a rater with 1 to 5 and one with 0 to 100, the mean grade is the second one's."""

    @staticmethod
    def warned(first, second, **options):
        by_rater = {"анна": first, "ben": second}
        rows = [
            ("adequacy", rater, system, item, number)
            for rater, numbers in by_rater.items()
            for system in "AB"
            for item, number in enumerate(numbers[system])
        ]
        found = correlate("chrf", Grades.of_rows(rows, "AB", 12), **options)
        return [remark for remark in found.table().remarks if "different scales" in remark]

    def test_are_warned_of_unless_z_scores_are_taken(self):
        assert self.warned(FIVE, HUNDRED) == [
            "Raters seem to use different scales in adequacy: the grades of 'анна' are from 1 to 5, those of 'ben' "
            "for the same outputs from 22 to 97. standardize=True takes the z-scores of each rater."
        ]
        assert self.warned(FIVE, HUNDRED, standardize=True) == []

    def test_are_not_seen_in_raters_who_are_strict(self):
        strict = {name: [max(1, number - 2) for number in numbers] for name, numbers in FIVE.items()}
        rare = {"A": [0, 0, 0, 1] * 3, "B": [0, 0, 1, 0] * 3}
        many = {"A": [0, 25, 0, 1] * 3, "B": [0, 0, 1, 5] * 3}
        assert self.warned(FIVE, strict) == self.warned(rare, many) == []
        few = {name: [*numbers[:4], *[None] * 8] for name, numbers in HUNDRED.items()}
        assert self.warned(FIVE, few) == []
        below_zero = {name: [number - 60 for number in numbers] for name, numbers in HUNDRED.items()}
        assert self.warned(FIVE, below_zero) == []


class TestGradesThatDoNotDiffer:
    """Every metric agrees with them once its differences count as ties: the answer says that nothing is shown."""

    def test_are_warned_of(self):
        found = correlate("chrf", {"adequacy": {name: [4] * 12 for name in "AB"}})
        answer, warning, *_ = answer_lines(found, found.table())
        assert answer == "No metric is shown to agree with adequacy."
        assert warning == "All grades in adequacy are equal: they do not show how well a metric agrees."
        assert found.table().figures["chrf_multi"]["item.acc_eq"].value == 1.0
        assert warning in json.loads(in_format(found, "json"))["dimensions"][0]["remarks"]
        assert warning in trust_html(found)

    def test_make_no_clusters_of_metrics(self):
        found = correlate(["chrf", "jaccard"], {"adequacy": {name: [4] * 12 for name in "AB"}})
        assert {*found.table().clusters.values()} == {None}
        for text in (to_text(found), in_format(found, "markdown"), trust_html(found), found._repr_html_()):
            assert "chrF" in text
            assert "None" not in text
        assert json.loads(in_format(found, "json"))["dimensions"][0]["clusters"]["chrf_multi"] is None

    def test_within_items_are_warned_of_where_these_are_compared(self):
        grades = {"adequacy": dict.fromkeys("AB", GOOD["A"])}
        found = correlate(["chrf", "jaccard"], grades)
        answer, warning, *_ = answer_lines(found, found.table())
        assert answer == "No metric is shown to agree with adequacy."
        assert warning == (
            "The outputs of each item have equal grades in adequacy: item.acc_eq does not show how well a metric "
            "agrees."
        )
        assert "equal grades" not in " ".join(correlate("chrf", grades, rank_by="pooled.pearson").table().remarks)


def test_grades_that_stand_for_missing_ones_are_told():
    grades = {"A": [1, 2, 3, 4, 5, -1] * 5, "Б": [5, 4, -1, 2, 1, 3] * 5}
    scores = {"q": {"A": list(range(30)), "Б": list(range(30, 0, -1))}}
    texts = {"A": ["the cat"] * 30, "Б": ["кот спит"] * 30}
    found = tercet.correlate(texts, [], grades, scores=scores, n_resamples=20, n_permutations=99)
    assert "10 grades seem to stand for a missing one in " in " ".join(found.tables[0].remarks)
    whole = {system: [abs(grade) for grade in of_system] for system, of_system in grades.items()}
    found = tercet.correlate(texts, [], whole, scores=scores, n_resamples=20, n_permutations=99)
    assert "missing one" not in " ".join(found.tables[0].remarks)

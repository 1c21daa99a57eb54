"""What is odd in scores of other programs and would be a wrong headline: marks of missing ones, columns of others."""

import numpy as np
import pytest

from comparisons import warned
from tercet import InputError, compare, read_test_sets


class TestNumbers:
    """Scores of another program, in which not every number is a score of a system."""

    @pytest.mark.parametrize(
        ("numbers", "said"),
        [
            ([0.7, -1, 0.9, -1, 0.4], "2 numbers of the system 'b' are -1, the others are from 0.4 to 0.9"),
            ([0.7, 0.8, 0.9, 999, 0.4], "1 number of the system 'b' is 999, the others are from 0.4 to 0.9"),
            ([4, 5, 3, -99, 4], "1 number of the system 'b' is -99, the others are from 3 to 5"),
            ([0, 0.5, 0.7, -99, 0.9], "1 number of the system 'b' is -99, the others are from 0 to 0.9"),
        ],
    )
    def test_may_stand_for_missing_ones(self, numbers, said):
        found = warned(scores={"COMET": {"base": [0.5, 0.6, 0.7, 0.8, 0.4], "b": numbers}})
        assert f"test set: COMET: {said}: if that stands for a missing score, leave it empty." in found

    @pytest.mark.parametrize(
        "numbers",
        [
            [-1, 0, 1, 1, -1, 0],
            [-1, 2, 0, 1, -1, 2],
            [-2, -1, 0.5, 2, 1, 0],
            [99, 98, 100, 97, 99, 95],
            [-1, -1, -1, -1, -1, -1],
            [0.2, -1, 0.7, 0.4, 0.3, 0.1],
        ],
    )
    def test_may_be_what_they_seem(self, numbers):
        assert warned(scores={"grade": {"base": numbers[::-1], "b": numbers}}) == []

    def test_may_be_made_of_those_of_other_systems(self):
        base, tuned = [0.712, 0.655, 0.81, 0.43, 0.522], [0.733, 0.61, 0.842, 0.511, 0.5]
        scores = {"base": base, "tuned": tuned}
        delta = [round(b - a, 3) for a, b in zip(base, tuned, strict=True)]
        mean = [round((a + b) / 2, 3) for a, b in zip(base, tuned, strict=True)]
        ending = "leave the column out if it is no system."
        assert warned(scores={"COMET": {**scores, "delta": delta}}) == [
            f"test set: COMET: the numbers of the system 'delta' are those of 'tuned' less those of 'base': {ending}"
        ]
        assert warned(scores={"COMET": {**scores, "avg": mean}}) == [
            f"test set: COMET: the numbers of the system 'avg' are the means of the others': {ending}"
        ]
        assert warned(scores={"COMET": {**scores, "twin": base, "third": [0.5, 0.6, 0.7, 0.8, 0.4]}}) == []

    def test_of_right_answers_are_not_made_of_others(self):
        """0 and 1 are the difference of others by chance."""
        answers = {"a": [1, 1, 0, 1, 0, 0], "b": [1, 0, 0, 0, 0, 0], "c": [0, 1, 0, 1, 0, 0]}
        assert warned(scores={"accuracy": answers}) == []

    def test_of_a_mark_are_not_of_another_scale(self):
        numbers = {"base": [0.5, 0.6, 0.7, 0.8, 0.4], "b": [0.7, 0.8, 0.9, 999, 0.4]}
        (message,) = warned(scores={"COMET": numbers})
        assert "are they of one scale" not in message

    def test_that_are_all_missing_are_refused_without_a_warning_of_numpy(self):
        missing = {name: [None] * 5 for name in "ab"}
        with pytest.raises(InputError, match="has no number"):
            compare(scores={"COMET": {**missing, "c": [0.1, 0.2, 0.3, 0.4, 0.5]}})

    @pytest.mark.parametrize("names", [("COMET", "BLEURT-20"), ("F1", "EM"), ("rouge1", "rougeL"), ("chrF", "WER")])
    def test_are_given_by_the_score_and_then_by_the_system(self, names):
        numbers = {"base": [0.5, 0.6, 0.7], "настроенная": [0.6, 0.5, 0.9]}
        turned = {system: dict.fromkeys(names, numbers[system]) for system in numbers}
        assert warned(scores=turned) == [
            f"Systems are {names[0]!r} and {names[1]!r} here, and scores 'base' and 'настроенная': numbers are given "
            "by the score, and then by the system, as scores={'COMET': {'base': [0.7, 0.8], 'tuned': [0.9, 0.8]}}."
        ]
        assert warned(scores=dict.fromkeys(names, numbers)) == warned(scores={"quality": numbers}) == []

    def test_may_be_of_systems_named_after_what_they_were_trained_on(self):
        numbers = {"COMET-MBR": [0.5, 0.6, 0.7], "BLEURT-MBR": [0.6, 0.5, 0.9]}
        assert warned(scores={"preference": numbers}) == []

    def test_are_those_of_columns_of_a_table_too(self, tmp_path):
        rows = ["COMET_base\tCOMET_tuned\tCOMET_delta"]
        rows += ["0.71\t0.73\t0.02", "0.65\t0.61\t-0.04", "0.81\t0.84\t0.03", "0.43\t0.51\t0.08", "0.52\t0.5\t-0.02"]
        path = tmp_path / "scores.tsv"
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        (test_set,) = read_test_sets(path, scores=["COMET"], need_references=False, need_texts=False)
        (message,) = warned(test_set, scores="COMET")
        assert "the numbers of the system 'delta' are those of 'tuned' less those of 'base'" in message


OTHERS = [0.5, 0.6, 0.7, 0.8]


@pytest.mark.parametrize(
    ("numbers", "marks"),
    [
        # Below 0, where no other number is.
        *(([mark, 0, 0.5, 0.9], 1) for mark in (-9, -99, -999, -9999)),
        ([-9, -0.1, 0.5, 0.9], 0),
        ([-10, 0, 0.5, 0.9], 0),
        ([-9, 0.5, 0.9], 0),
        # Above 1 or 100, where no other number is.
        ([99, 1, 0.5, -0.3], 1),
        ([99, 1.01, 0.5, 0.3], 0),
        *(([mark, 100, 55, 30], 1) for mark in (999, 9999)),
        *(([mark, 100.5, 55, 30], 0) for mark in (999, 9999)),
        ([999, 55, 30], 0),
        ([100, 0.5, 0.7, 0.9], 0),
        # -1 may be a score, unless it repeats and all others are above 0.
        ([-1, -1, 0.1, 0.5, 0.9], 2),
        ([-1, 0.1, 0.5, 0.9], 0),
        ([-1, -1, 0, 0.5, 0.9], 0),
        ([-1, -1, 0.5, 0.9], 0),
    ],
)
def test_a_mark_of_a_missing_score_is_alone_beyond_three_others(numbers, marks):
    scores = {"base": (OTHERS * 2)[: len(numbers)], "модель": numbers}
    found = [message for message in warned(scores={"quality": scores}, test=None) if "if that stands for" in message]
    start = "1 number of the system 'модель' is " if marks == 1 else f"{marks} numbers of the system 'модель' are "
    assert len(found) == min(marks, 1)
    assert all(message.startswith(f"test set: quality: {start}") for message in found)


@pytest.mark.parametrize(
    ("shares", "larger", "is_odd"),
    [
        ([0.2, 0.4, 1.0, 0.4], [1, 4, 9, 6], True),
        ([0.2, 0.4, 1.0, 0.4], [1, 4, 9, 5.9], False),
        ([0.2, 0.4, 1.01, 0.4], [99, 40, 70, 60], False),
        ([0.0, 0.0, 0.0, 0.0], [99, 40, 70, 60], False),
        ([0.0, 0.0, 0.0, 0.1], [2, 0, 0, 0], False),
        ([0.0, 0.0, 0.0, 0.1], [2.5, 0, 0, 0], True),
        ([-0.1, 0.4, 0.7, 0.9], [99, 40, 70, 60], False),
        ([0.2, 0.4, 1.0, 0.4], [-1, 40, 70, 60], False),
    ],
)
def test_of_two_scales_one_is_from_0_to_1_and_the_other_is_ten_times_as_large(shares, larger, is_odd):
    found = warned(scores={"quality": {"доля": shares, "points": larger}}, test=None)
    message = (
        "test set: quality: the numbers of the system 'доля' are from 0 to 1, those of the system 'points' from "
        f"{min(larger):g} to {max(larger):g}: are they of one scale? They are compared as given."
    )
    assert [each for each in found if "of one scale" in each] == ([message] if is_odd else [])


@pytest.mark.parametrize(
    ("n", "error", "n_systems", "is_made"),
    [(5, 0, 3, True), (4, 0, 3, False), (5, 5e-4, 3, True), (5, 7e-4, 3, False), (5, 0, 9, True), (5, 0, 10, False)],
)
def test_differences_are_sought_among_nine_systems_with_five_numbers(n, error, n_systems, is_made):
    random = np.random.default_rng(8)
    systems = {f"s{number}": random.uniform(0.2, 0.9, n) for number in range(n_systems - 1)}
    systems["delta"] = systems["s1"] - systems["s0"] + error * np.array([1, -1, 1, -1, 1])[:n]
    found = warned(scores={"COMET": {name: numbers.tolist() for name, numbers in systems.items()}}, test=None)
    assert any("the system 'delta' are those of 's1' less those of 's0'" in message for message in found) is is_made

"""Columns of labels beside texts: few values of one word each, which repeat, are no system."""

import csv
import warnings

import pytest

from tercet.test_sets.read import read_test_sets

WORDS = ["cat", "dog", "cow", "hen", "pig", "ewe", "ass", "fox", "owl", "elk"]


def reasons_for(labels, folder):
    """Return what is said of a column of labels beside texts of a system and references."""
    path = folder / "labels.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["reference", "mt", "chosen"])
        for word, label in zip(WORDS, labels, strict=False):
            rows.writerow([f"The {word} sleeps near its {word}.", f"The {word} sleeps.", label])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_test_sets(path)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    ("labels", "are_labels"),
    [
        # Eight or more.
        (["a", "b"] * 4, True),
        (["a", "b"] * 3 + ["a"], False),
        # An empty cell is none of them.
        (["a", "b"] * 4 + [""], True),
        (["a", "b"] * 3 + ["a", ""], False),
        # Of two to four kinds.
        (["a", "b", "c", "d"] * 2, True),
        (["a", "b", "c", "d", "e"] * 2, False),
        (["a"] * 8, False),
        # A word each.
        (["a wins", "b wins"] * 4, False),
        ([" a ", "b"] * 4, True),
    ],
)
def test_labels_are_eight_or_more_of_two_to_four_words(labels, are_labels, tmp_path):
    reason = "the column 'chosen' has few values of one word each, unlike 'mt'"
    assert any(reason in message for message in reasons_for(labels, tmp_path)) is are_labels

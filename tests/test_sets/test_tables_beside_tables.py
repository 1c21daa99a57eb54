"""Tables that do not fit together are told by how much they have in common; a separator is the one that splits."""

import warnings

import pytest

import tercet
from tercet import InputError

REFERENCES = ["кот спит", "猫が鳴く", "a gull flies", "es regnet", "la mer", "il piove"]


def saved(folder, name, references, system="mt"):
    rows = [f"{system}\treference", *(f"{text} !\t{text}" for text in references)]
    path = folder / f"{name}.tsv"
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def said(folder, references, others):
    """Return what is said of two tables of one system each, without the folder, and how many test sets they are."""
    paths = [saved(folder, "a", references), saved(folder, "b", others)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        test_sets = tercet.read_test_sets(paths)
    messages = [str(each.message).replace(f"{folder}/", "") for each in caught]
    return [message for message in messages if "not compared" in message], len(test_sets)


@pytest.mark.parametrize(("n", "n_differing"), [(4, 1), (4, 2), (5, 2), (6, 3)])
def test_references_that_differ_in_half_of_the_rows_or_less_are_told(tmp_path, n, n_differing):
    others = [*REFERENCES[: n - n_differing], *(f"{text} 2" for text in REFERENCES[n - n_differing : n])]
    (message,), n_sets = said(tmp_path, REFERENCES[:n], others)
    assert n_sets == 2
    assert f"different references in {n_differing} of {n} rows, the first in row {n - n_differing + 1}" in message


@pytest.mark.parametrize(("n", "n_differing"), [(4, 3), (5, 3), (6, 4), (4, 4)])
def test_other_references_are_those_of_another_test_set(tmp_path, n, n_differing):
    others = [f"{text} 2" if number < n_differing else text for number, text in enumerate(REFERENCES[:n])]
    assert said(tmp_path, REFERENCES[:n], others) == ([], 2)


def test_the_same_references_in_another_order_are_told(tmp_path):
    (message,), _ = said(tmp_path, REFERENCES, REFERENCES[::-1])
    assert "the same references in another order" in message


@pytest.mark.parametrize(
    ("n", "start", "n_other", "is_told"),
    [(6, 0, 5, True), (6, 0, 2, True), (4, 2, 4, False), (4, 1, 5, True), (4, 3, 3, False)],
)
def test_of_other_numbers_of_rows_more_than_half_are_shared(tmp_path, n, start, n_other, is_told):
    others = [*REFERENCES, "еще", "noch", "mehr", "more"][start : start + n_other]
    messages, _ = said(tmp_path, REFERENCES[:n], others)
    n_shared = len(set(others) & set(REFERENCES[:n]))
    assert [f"of which {n_shared} have the same references" in message for message in messages] == [True] * (
        is_told and n != n_other
    )


@pytest.mark.parametrize(
    "text", ["id;mt;ref,x\n1;ja;nein\n2;ja, so;nein;y\n", "id,mt,ref;x\n1,ja,nein\n2,ja; so,nein,y\n"]
)
def test_where_no_separator_splits_all_rows_alike_it_is_the_one_that_splits_the_header_most(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"line 3: expected 3 cells, as in the header, found 4\."):
        tercet.read_test_sets(path)

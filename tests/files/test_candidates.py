"""Candidates of each source: in lists of a table, n-best lists, lines in succession, or a line of each file."""

import json

import pytest

from tercet import InputError
from tercet.files.candidates import (
    first_candidates,
    is_ranked,
    parallel_groups,
    ranked_groups,
    read_lists,
    successive_groups,
)

LISTS = [["кот спит", "кот ест"], ["猫が鳴く"], []]


def saved(folder, rows, name="c.jsonl"):
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("column", [None, "ответы"])
def test_lists_of_texts_in_the_only_column_that_has_some(tmp_path, column):
    path = saved(tmp_path, [{"id": number, "ответы": texts, "n": [1, 2]} for number, texts in enumerate(LISTS)])
    found = read_lists(path, column)
    assert (found.texts, found.weights) == (LISTS, None)
    assert found.names == [f"{path}, line {number}, column 'ответы'" for number in (1, 2, 3)]
    assert found.fields == f"{path}: candidates: 'ответы'."


def test_weights_stand_beside_the_texts(tmp_path):
    path = saved(tmp_path, [{"candidates": ["a", "б"], "p": [0.2, 0.8]}, {"candidates": ["c"], "p": [1]}])
    found = read_lists(path, weights="p")
    assert (found.texts, found.weights) == ([["a", "б"], ["c"]], [[0.2, 0.8], [1]])
    assert found.fields == f"{path}: candidates: 'candidates'; weights: 'p'."


def test_lists_within_a_list_are_one_group(tmp_path):
    found = read_lists(saved(tmp_path, [{"candidates": [["a", "б"], ["c"]]}, {"candidates": [["d"], "e"]}]))
    assert found.texts == [["a", "б", "c"], [["d"], "e"]]


def test_columns_of_systems_are_taken_before_those_of_sources(tmp_path):
    rows = [{"text": ["x"], "candidates": ["кот"]}, {"text": ["y"], "candidates": ["猫"]}]
    assert read_lists(saved(tmp_path, rows)).texts == [["кот"], ["猫"]]
    assert read_lists(saved(tmp_path, [{"text": ["x", "y"]}])).texts == [["x", "y"]]


@pytest.mark.parametrize(
    "row", [{"a": "кот", "b": "猫"}, {"id": 3, "a": "кот"}, {"a": "кот", "b": "猫", "c": [1, 2]}]
)
def test_a_table_without_lists_of_texts_has_no_candidates(tmp_path, row):
    assert read_lists(saved(tmp_path, [row, row])) is None


def test_of_a_table_with_at_most_one_column_of_texts_lists_of_anything_are_taken(tmp_path):
    found = read_lists(saved(tmp_path, [{"a": "кот", "b": [1, 2]}, {"a": "кот", "b": []}]))
    assert found.texts == [[1, 2], []]
    assert read_lists(saved(tmp_path, [{"a": "кот", "b": [1, 2]}, {"a": "кот", "b": None}])) is None


def test_two_columns_of_lists_and_cells_without_a_list_are_named(tmp_path):
    path = saved(tmp_path, [{"a": ["кот"], "b": ["猫"]}])
    with pytest.raises(
        InputError, match=r"the columns 'a', 'b' hold lists of texts; expected one: choose it with column=\."
    ):
        read_lists(path)
    assert read_lists(path, "b").texts == [["猫"]]
    path = saved(tmp_path, [{"a": ["кот"]}, {"a": "猫"}])
    with pytest.raises(InputError, match=r"c\.jsonl, line 2, column 'a': expected a list of texts, got '猫'"):
        read_lists(path)


def test_of_samples_of_lm_eval_all_responses_are_candidates_once_for_each_document(tmp_path):
    samples = [
        {"doc_id": document, "doc": {"q": "?"}, "target": "x", "arguments": [["?"]], "resps": [[f"а{document}", "b"]],
         "filtered_resps": ["b"], "filter": name}
        for document in (0, 1) for name in ("strict", "flexible")
    ]  # fmt: skip
    found = read_lists(saved(tmp_path, samples, "samples_t_2026-01-09T10-20-30.jsonl"))
    assert found.texts == [["а0", "b"], ["а1", "b"]]
    assert [name.split(", ")[1] for name in found.names] == ["line 1", "line 3"]


RANKED = ["0 ||| кот спит ||| LM= -1 ||| -2", " 1 ||| 猫 |||", "0 ||| кот ест ||| LM= -3 ||| -4"]


def test_candidates_of_an_n_best_list_are_those_of_one_number():
    found = ranked_groups({"a.txt": RANKED, "b.txt": ["1 ||| ネコ"]})
    assert found.texts == [["кот спит", "кот ест"], ["猫", "ネコ"]]
    assert (found.names, found.weights) == (["a.txt b.txt, list 0", "a.txt b.txt, list 1"], None)
    assert is_ranked(RANKED)
    assert not any(map(is_ranked, ([], ["кот"], ["0 || кот"], ["x 0 ||| кот"], ["0||| кот"])))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([RANKED[0], "кот"], r"^a\.txt, line 2: expected 'number \|\|\| text \|\|\| \.\.\.', got 'кот'\.$"),
        (["3 ||| a", "7 ||| b"], r"^a\.txt: no line begins with 4, but some do with 3 and 7; expected a candidate"),
    ],
)
def test_a_list_lacks_no_number(lines, message):
    with pytest.raises(InputError, match=message):
        ranked_groups({"a.txt": lines})


def test_texts_are_the_first_of_each_number_where_all_lines_are_ranked():
    with pytest.warns(UserWarning, match=r"a\.txt is an n-best list, .* 2 of 3 lines"):
        assert first_candidates("a.txt", RANKED) == ["кот спит", "猫"]
    for lines in ([], ["кот", *RANKED]):
        assert first_candidates("a.txt", lines) == lines


@pytest.mark.parametrize(("size", "texts"), [(1, [["a"], ["б"], ["c"], ["d"]]), (2, [["a", "б"], ["c", "d"]])])
def test_lines_in_succession_are_groups_of_one_size(size, texts):
    found = successive_groups("a.txt", ["a", "б", "c", "d"], size)
    assert found.texts == texts
    assert found.names == [f"a.txt, line {number}" for number in range(1, 5, size)]


@pytest.mark.parametrize("lines", [[], ["a", "б", "c"]])
def test_no_group_is_cut(lines):
    message = rf"^a\.txt has {len(lines)} lines; expected 2 for each group, or a multiple of 2\.$"
    with pytest.raises(InputError, match=message):
        successive_groups("a.txt", lines, 2)


def test_the_same_line_of_each_file_is_a_group():
    found = parallel_groups({"a.txt": ["a", "б"], "b.txt": ["c", "猫"]})
    assert found.texts == [["a", "c"], ["б", "猫"]]
    assert found.names == ["line 1 of a.txt, b.txt", "line 2 of a.txt, b.txt"]
    with pytest.raises(InputError, match=r"^'b\.txt' has 1 line and 'a\.txt' has 2; expected the same number"):
        parallel_groups({"a.txt": ["a", "б"], "b.txt": ["c"]})


def test_a_column_that_is_called_as_responses_of_lm_eval_is_one_of_others_in_other_tables(tmp_path):
    path = saved(tmp_path, [{"candidates": ["кот", "кит"], "resps": ["a", "b"]}])
    with pytest.raises(InputError, match="the columns 'candidates', 'resps' hold lists of texts; expected one"):
        read_lists(path)
    assert read_lists(path, "resps").texts == [["a", "b"]]
    assert read_lists(saved(tmp_path, [{"id": 1, "resps": [["a"], ["b"]]}])).texts == [["a", "b"]]


def test_a_list_may_begin_with_any_number_as_a_part_of_one_does():
    """Moses gives the first line of a part the number that -start-translation-id says."""
    assert ranked_groups({"a.txt": ["7 ||| кот", "8 ||| 猫"]}).texts == [["кот"], ["猫"]]

"""Data frames, datasets and tables of Arrow are read as files with the same columns are."""

import json

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tercet.errors import InputError
from tercet.files.read import read_file
from tercet.files.tables.frames import frame_kind, read_frame
from tercet.test_sets.read import read_test_sets

#: Texts of several scripts: a source, two systems, one or two references, and what holds no texts.
ROWS = [
    {"source": "Guten Tag", "reference": "Good day", "base": "Good day you", "new": "Good day", "id": 7},
    {"source": "今日は", "reference": "Hello", "base": "Hi", "new": "Hello there", "id": 8},
    {"source": "Это дом", "reference": "This is a house", "base": "It is house", "new": "This is a house", "id": 9},
    {"source": "هذا بيت", "reference": "This is a home 🏠", "base": "Home", "new": "", "id": 10},
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}


def polars_frame(columns):
    return pytest.importorskip("polars").DataFrame(columns)


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": polars_frame,
    "datasets": datasets.Dataset.from_dict,
    "pyarrow": pa.table,
}


@pytest.fixture(
    params=[pytest.param(name, marks=[pytest.mark.needs("polars")] * (name == "polars")) for name in FRAMES]
)
def frame_of(request):
    """The function that makes a frame of columns, of each package."""
    return FRAMES[request.param]


@pytest.fixture
def file_of(tmp_path):
    """The function that writes columns as a file of JSON Lines."""

    def write(columns):
        path = tmp_path / "rows.jsonl"
        rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


#: Columns of each kind that files have: several references, lists of them, objects, chats, empty cells, a row for
#: each system.
TABLES = {
    "texts": COLUMNS,
    "lists of references": {**COLUMNS, "reference": [["Good day", "Hello"], ["Hi"], ["a house"], []]},
    "empty references": {**COLUMNS, "reference 2": ["Good morning", None, "A house", None]},
    "objects of systems": {
        "hyps": [{"A": "el gato", "B": "un gato"}, {"A": "llueve", "B": "está lloviendo"}],
        "ref": ["un gato", "llueve"],
    },
    "chats": {
        "answer": [[{"role": "user", "content": "你好"}, {"role": "assistant", "content": "您好"}]] * 2,
        "reference": ["您好", "你好"],
    },
    "a row for each system": {
        "source": ["eins", "zwei", "eins", "zwei"],
        "reference": ["one", "two", "one", "two"],
        "system": ["A", "A", "B", "B"],
        "output": ["one", "to", "won", "two"],
    },
}


@pytest.mark.parametrize("name", TABLES)
def test_a_frame_is_read_as_a_file_with_the_same_columns(name, frame_of, file_of):
    (of_frame,) = read_test_sets(frame_of(TABLES[name]))
    (of_file,) = read_test_sets(file_of(TABLES[name]))
    for attribute in ("systems", "references", "source", "left_out", "own_columns", "columns"):
        assert getattr(of_frame, attribute) == getattr(of_file, attribute), attribute
    assert of_frame.fields.partition(": ")[2].replace("items", "") == of_file.fields.partition(": ")[2].replace(
        "items", ""
    )


def test_roles_may_be_named(frame_of):
    columns = {"Deutsch": ["ja", "nein"], "A": ["oui", "non"], "B": ["si", "no"]}
    (test_set,) = read_test_sets(frame_of(columns), systems="B", reference_columns=["A"], source_column="Deutsch")
    assert (test_set.systems, test_set.references, test_set.source) == (
        {"B": ["si", "no"]},
        [["oui"], ["non"]],
        ["ja", "nein"],
    )


def test_clusters_slices_and_scores_are_columns(frame_of):
    columns = {**COLUMNS, "base.COMET": [0.1, None, 0.3, 0.4], "new.COMET": [0.2, 0.3, 0.4, 0.5]}
    columns |= {"doc": ["a", "a", "b", "b"], "domain": ["новости", "новости", "чат", "чат"]}
    (test_set,) = read_test_sets(frame_of(columns), cluster="doc", by="domain", scores="COMET")
    assert len(test_set.clusters) == 2
    assert test_set.slices == {"domain": ["новости", "новости", "чат", "чат"]}
    np.testing.assert_array_equal(test_set.scores["COMET"]["base"], [0.1, np.nan, 0.3, 0.4])


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT])
def test_missing_cells_of_pandas_are_none(missing):
    frame = pd.DataFrame(
        {"reference": ["yes", "нет"], "reference 2": ["да", missing], "A": ["yes", "no"]}, dtype=object
    )
    (test_set,) = read_test_sets(frame)
    assert test_set.references == [["yes", "да"], ["нет"]]


def test_cells_of_pandas_may_be_arrays_and_categories():
    """As pandas reads lists from Parquet, and texts that repeat."""
    references = np.array([np.array(["a cat", "the cat"], object), np.array(["a dog"], object)], object)
    frame = pd.DataFrame({"reference": references, "A": pd.Categorical(["a cat", "a cat"])})
    (test_set,) = read_test_sets(frame)
    assert test_set.references == [["a cat", "the cat"], ["a dog"]]
    assert test_set.systems == {"A": ["a cat", "a cat"]}


def test_a_named_index_is_a_column_and_another_is_none():
    frame = pd.DataFrame(COLUMNS, index=[40, 30, 20, 10])
    assert read_frame(frame).columns == COLUMNS
    assert read_frame(frame.set_index("id")).columns == COLUMNS
    long = pd.DataFrame({**TABLES["a row for each system"]})
    wide = long.pivot(index=["source", "reference"], columns="system", values="output")
    (test_set,) = read_test_sets(wide)
    assert test_set.systems == {"A": ["one", "to"], "B": ["won", "two"]}
    assert (test_set.references, test_set.source) == ([["one"], ["two"]], ["eins", "zwei"])


def test_rows_of_a_dataset_are_those_that_were_chosen():
    chosen = datasets.Dataset.from_dict(COLUMNS).select([3, 1])
    (test_set,) = read_test_sets(chosen)
    assert test_set.systems["base"] == ["Home", "Hi"]


def test_the_frame_stays_as_it_is():
    frame = pd.DataFrame(COLUMNS).set_index("id")
    before = frame.copy(deep=True)
    read_test_sets(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_rows_are_counted_from_0_as_the_packages_do(frame_of):
    with pytest.raises(InputError, match=r"item 2, column 'new': the prediction is missing; expected a text"):
        read_test_sets(frame_of({**COLUMNS, "new": ["Good day", "Hello there", None, "home"]}))


def test_empty_cells_that_pandas_read_as_missing_are_told():
    frame = pd.DataFrame({**COLUMNS, "new": ["Good day", "Hello there", None, "home"]})
    with pytest.raises(InputError, match=r"If it is empty, as an empty cell of a CSV is: frame\.fillna") as caught:
        read_test_sets(frame)
    call = str(caught.value).partition("CSV is: ")[2].removesuffix(".")
    (test_set,) = read_test_sets(eval(call))
    assert test_set.systems["new"] == ["Good day", "Hello there", "", "home"]


@pytest.mark.needs("polars")
def test_empty_cells_that_polars_read_as_missing_are_told():
    import polars

    frame = polars.DataFrame({**COLUMNS, "new": ["Good day", "Hello there", None, "home"]})
    with pytest.raises(InputError, match="as an empty cell of a CSV is: ") as caught:
        read_test_sets(frame)
    call = str(caught.value).partition("CSV is: ")[2].removesuffix(".")
    (test_set,) = read_test_sets(eval(call, {"frame": frame, "polars": polars}))
    assert test_set.systems["new"] == ["Good day", "Hello there", "", "home"]


def test_what_the_samples_of_a_harness_are_is_known(tmp_path):
    """pandas reads the log of lm-evaluation-harness, and this is that log still."""
    samples = [
        {"doc_id": 0, "doc": {"q": "1 + 1?"}, "target": "2", "arguments": [["1 + 1?", {}]], "resps": [["2"]]},
        {"doc_id": 1, "doc": {"q": "2 + 2?"}, "target": "4", "arguments": [["2 + 2?", {}]], "resps": [["5"]]},
    ]
    samples = [{**sample, "filtered_resps": sample["resps"][0], "exact_match": 0.5} for sample in samples]
    path = tmp_path / "samples_sums_2025-01-01T00-00-00.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    of_file, of_frame = read_file(str(path)), read_frame(pd.read_json(path, lines=True, dtype=False))
    assert type(of_frame) is type(of_file)
    assert of_frame.columns == of_file.columns


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame(), "data frame: it has no column"),
        (pd.DataFrame({"A": [], "ref": []}), "data frame: it has no rows"),
        (pd.DataFrame([["a", "b"]], columns=["A", "A"]), "the column 'A' appears twice"),
        (pd.DataFrame([["a", "b"]]), "the name of a column must be a text, got 0"),
        (
            pd.DataFrame({"A": ["a"], "B": ["b"]}),
            r"no column was recognized as references \(choose with reference_co",
        ),
        (
            pd.DataFrame({"A": [1.5, 2.5], "ref": ["a", "b"]}),
            "no column .* was recognized as predictions of a system",
        ),
        (pd.DataFrame({f"c{n}": ["a"] for n in range(501)}), "more than 500 columns"),
        (datasets.Dataset.from_dict({"A": [], "ref": []}), "dataset: it has no rows"),
        (pa.table([["a"], ["b"]], names=["A", "A"]), "Arrow table: the column 'A' appears twice"),
    ],
)
def test_what_cannot_be_read_is_named(frame, message):
    with pytest.raises(InputError, match=message) as caught:
        read_test_sets(frame)
    assert "tercet read" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"references": "ref.txt"},
            "References and sources of a data frame are in its columns.*Got 'ref.txt', a file",
        ),
        ({"encoding": "cp1252"}, "encoding= is for files; a data frame has none"),
        ({"sheet": 2}, "sheet= is for files"),
    ],
)
def test_what_is_said_of_files_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        read_test_sets(pd.DataFrame(COLUMNS), **arguments)


@pytest.mark.parametrize("value", [COLUMNS, [COLUMNS], "frame", None, pd.Series(["a"]), pa.array(["a"]), 3])
def test_what_is_no_frame(value):
    assert frame_kind(value) == ""

"""`compare` and `correlate` take data frames and files as they are, with the same scores as of texts."""

import json

import pandas as pd
import pytest

import tercet
from conftest import FEW_ITEMS
from tercet.errors import InputError, OptionError

pytestmark = FEW_ITEMS

REFERENCES = [
    "Good day to you",
    "It rains today",
    "This is a house",
    "I go home now",
    "She reads a book",
    "Where is he",
]
COLUMNS = {
    "source": ["Guten Tag", "Es regnet heute", "Это дом", "私は帰ります", "هي تقرأ كتابا", "Kde je"],
    "reference": REFERENCES,
    "base": ["Good day you", "It rain today", "It is house", "I go home", "She read a book", "Where is he"],
    "new": [
        "Good day to you",
        "It rains today",
        "This is a house",
        "I am going home",
        "She reads books",
        "Where is she",
    ],
    "domain": ["chat", "chat", "news", "news", "books", "books"],
}
FRAME = pd.DataFrame(COLUMNS)


@pytest.fixture(scope="module")
def of_texts():
    """The comparison of the same texts, given by the names of their systems."""
    systems = {name: COLUMNS[name] for name in ("base", "new")}
    return tercet.compare(systems, "chrf", references=REFERENCES)


def numbers(comparison):
    """Return all numbers, without the name of the test set."""
    return [{**record, "test_set": ""} for record in comparison.records()]


def test_a_frame_has_the_scores_of_its_texts(of_texts):
    found = tercet.compare(FRAME, "chrf")
    assert numbers(found) == numbers(of_texts)
    assert [(one.column, one.role) for one in found.test_set.columns] == [
        ("source", "source"),
        ("reference", "reference"),
        ("base", "system"),
        ("new", "system"),
        ("domain", "left out"),
    ]


@pytest.mark.needs("polars")
def test_a_frame_of_polars_has_them_too(of_texts):
    import polars

    assert numbers(tercet.compare(polars.DataFrame(COLUMNS), "chrf")) == numbers(of_texts)


def test_a_dataset_has_them_too(of_texts):
    import datasets

    assert numbers(tercet.compare(datasets.Dataset.from_dict(COLUMNS), "chrf")) == numbers(of_texts)


def test_a_path_has_them_too(of_texts, tmp_path):
    path = tmp_path / "news.csv"
    FRAME.to_csv(path, index=False)
    assert numbers(tercet.compare(path, "chrf")) == numbers(tercet.compare(str(path), "chrf")) == numbers(of_texts)


def test_paths_of_text_files_have_them_too(of_texts, tmp_path):
    paths = {name: tmp_path / f"{name}.txt" for name in ("base", "new", "reference")}
    for name, path in paths.items():
        path.write_text("\n".join(COLUMNS[name]) + "\n", encoding="utf-8")
    found = tercet.compare([paths["base"], paths["new"]], "chrf", references=paths["reference"])
    assert numbers(found) == numbers(of_texts)
    called = [f"old={paths['base']}", f"candidate={paths['new']}"]
    named = tercet.compare(called, "chrf", references=paths["reference"])
    assert list(named.test_set.systems) == ["old", "candidate"]


def test_columns_are_named_where_their_names_say_nothing():
    unclear = FRAME.rename(columns={"reference": "text"})[["text", "base", "new"]]
    with pytest.raises(InputError, match=r"as references \(choose with reference_columns=\)"):
        tercet.compare(unclear, "chrf")
    found = tercet.compare(unclear, "chrf", systems="new", reference_columns="text")
    assert list(found.test_set.systems) == ["new"]
    assert (
        tercet.compare(FRAME, "chrf", source_column="domain", systems=["base"], test=None).test_set.source[0]
        == "chat"
    )


def test_a_column_names_the_system_of_each_row(of_texts):
    rows = [
        {"item": item, "reference": reference, "who": who, "text": COLUMNS[who][item]}
        for who in ("base", "new")
        for item, reference in enumerate(REFERENCES)
    ]
    assert numbers(tercet.compare(pd.DataFrame(rows), "chrf", system_column="who")) == numbers(of_texts)


def test_clusters_and_slices_are_columns_or_labels():
    of_columns = tercet.compare(FRAME, "chrf", cluster="domain", by="domain")
    of_labels = tercet.compare(
        FRAME, "chrf", cluster=COLUMNS["domain"], by={"domain": COLUMNS["domain"], "half": ["a", "b"] * 3}
    )
    assert numbers(of_columns) == numbers(of_labels)
    assert [slices.by for slices in of_labels.slices] == ["domain", "half"]
    assert len(of_columns.test_set.clusters) == 3


def test_scores_are_columns():
    frame = FRAME.assign(
        **{"base.COMET": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "new.COMET": [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]}
    )
    assert [row.value for row in tercet.compare(frame, scores=["COMET"]).tables[0].rows] == pytest.approx(
        [0.35, 0.45]
    )
    # Numbers alone have no texts and no references.
    alone = frame[["base.COMET", "new.COMET"]]
    assert [row.value for row in tercet.compare(alone, scores="COMET").tables[0].rows] == pytest.approx([0.35, 0.45])


def test_metrics_without_references_need_none():
    frame = FRAME[["base", "new"]]
    assert tercet.compare(frame, "diversity").test_set.references == [[]] * 6


def test_grades_are_columns(tmp_path):
    graded = FRAME.assign(human_base=[2, 2, 1, 3, 3, 4], human_new=[4, 4, 4, 3, 3, 3])
    path = tmp_path / "graded.csv"
    graded.to_csv(path, index=False)
    of_frame, of_file = (tercet.correlate(data, ["chrf", "ter"]) for data in (graded, path))
    assert [{**row, "test_set": ""} for row in of_frame.records()] == [
        {**row, "test_set": ""} for row in of_file.records()
    ]
    with pytest.raises(InputError, match="A data frame has grades and references of its own"):
        tercet.correlate(graded, "chrf", references=REFERENCES)


def test_what_can_be_read_only_once_is_read_once(tmp_path):
    path = tmp_path / "данные.csv"
    FRAME.to_csv(path, index=False)
    metrics = ["chrf", "ter"]
    for data in (FRAME, path):
        found = tercet.compare(data, (metric for metric in metrics), by=iter(["domain"]))
        assert [table.name for table in found.tables] == metrics
        assert [slices.names for slices in found.slices] == [["chat", "news", "books"]]
        with pytest.warns(UserWarning, match="given twice") as warned:
            tercet.compare(data, ["chrf", "chrf"])
        assert sum("given twice" in str(warning.message) for warning in warned) == 1


def test_references_beside_a_dataset_are_refused():
    import datasets

    with pytest.raises(InputError, match="references of a dataset are in its columns: reference_columns='NAME'"):
        tercet.compare(datasets.Dataset.from_dict(COLUMNS), "chrf", references=REFERENCES)
    with pytest.raises(InputError, match="in its columns: reference_columns='reference' in place"):
        tercet.compare(datasets.Dataset.from_dict(COLUMNS), "chrf", references="reference")


def test_files_of_several_test_sets_are_compared_one_by_one(tmp_path):
    paths = [tmp_path / "news.csv", tmp_path / "chat.csv"]
    FRAME.to_csv(paths[0], index=False)
    FRAME[::-1].to_csv(paths[1], index=False)
    with pytest.raises(InputError, match=r"The files hold 2 test sets, 'news' and 'chat', and compare takes one: "):
        tercet.compare(paths, "chrf")
    both = tercet.overall([tercet.compare(each, "chrf") for each in tercet.read_test_sets(paths)])
    assert len(both.comparisons) == 2


def test_a_folder_of_logs_of_several_tasks_says_how_each_is_compared(tmp_path):
    for task in ("sums", "words"):
        path = tmp_path / f"samples_{task}_2025-01-01T00-00-00.jsonl"
        samples = [
            {
                "doc_id": n,
                "doc": {"q": str(n)},
                "target": f"ответ {n}",
                "arguments": [[f"вопрос {n}", {}]],
                "resps": [[f"{task} {n}"]],
            }
            for n in range(6)
        ]
        lines = [
            json.dumps({**sample, "filtered_resps": sample["resps"][0], "exact_match": n % 2})
            for n, sample in enumerate(samples)
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds 2 test sets, 'sums' and 'words', and compare takes one: ") as caught:
        tercet.compare(tmp_path, scores=["exact_match"])
    call = str(caught.value).partition("takes one: ")[2].removesuffix(".")
    found = eval(call.replace("compare(each)", "compare(each, scores=['exact_match'])"), {"tercet": tercet})
    assert [comparison.test_set.name for comparison in found] == ["sums", "words"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tercet.compare(FRAME, "chrf", references="reference"), "reference_columns='reference' in place of"),
        (lambda: tercet.compare(FRAME, "chrf", references=REFERENCES), "reference_columns='NAME' in place of"),
        (lambda: tercet.compare({"a": ["x"]}, "chrf", references=["x"], systems="a"), "systems= names columns of a"),
        (lambda: tercet.compare("the cat sat", "chrf"), "'the cat sat' does not exist; compare takes paths"),
        (lambda: tercet.compare(["the cat", "a dog"], "chrf"), r"takes the texts of each .* or paths of files"),
        (lambda: tercet.compare("nul\0", "chrf"), "does not exist"),
        (lambda: tercet.compare(pd.Series(["a"]), "chrf"), "or a TestSet of .*, a data frame, or paths of files"),
        (lambda: tercet.compare(FRAME, "chrf", by=3), "by= takes the name of a column"),
        (lambda: tercet.compare(FRAME, "chrf", cluster="topic"), "data frame has no column 'topic'"),
    ],
)
def test_what_cannot_be_compared_is_named(call, message):
    with pytest.raises((InputError, OptionError), match=message):
        call()


def test_one_split_of_a_dataset_is_compared():
    import datasets

    splits = datasets.DatasetDict({"test": datasets.Dataset.from_dict(COLUMNS)})
    with pytest.raises(InputError, match=r"got a DatasetDict of 'test': tercet\.compare\(dataset\['test'\]\)"):
        tercet.compare(splits, "chrf")
    with pytest.raises(InputError, match="plan takes one split"):
        tercet.plan(splits, "chrf", difference=1)
    with pytest.raises(InputError, match="correlate takes one split"):
        tercet.correlate(splits, "chrf")


def test_a_path_beside_something_else_is_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a cat sat\n")
    with pytest.raises(InputError, match=r"^compare takes paths of files, got 5 among them\.$"):
        tercet.compare([path, 5], "chrf")

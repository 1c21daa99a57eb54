"""Tables of one system each for the same references are one test set: their systems can be compared."""

import json

import pytest

import tercet
from commands import command
from tercet.test_sets.read import read_test_sets

REFERENCES = [
    "ein Hund bellt laut",
    "two cats sleep",
    "кошка спит",
    "trời hôm nay mưa",
    "猫が寝ている",
    "it rains",
] * 4
OUTPUTS = {
    "main": ["ein Hund bellt", "two cats sleep", "кошка спит", "trời mưa", "猫が寝ている", "it rained"] * 4,
    "pr": ["ein Hund", "two dogs sleep", "кошки спят", "trời mưa", "猫が寝た", "rain"] * 4,
}


def write(path, texts, references=REFERENCES, column="prediction", **columns):
    rows = [{column: text, "reference": reference} for text, reference in zip(texts, references, strict=True)]
    for name, values in columns.items():
        rows = [{**row, name: value} for row, value in zip(rows, values, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_their_systems_are_compared_as_the_columns_of_one_table(tmp_path):
    paths = [write(tmp_path / f"{name}.jsonl", texts) for name, texts in OUTPUTS.items()]
    (test_set,) = read_test_sets(paths)
    assert (test_set.name, test_set.systems, test_set.references) == (
        "test set", OUTPUTS, [[text] for text in REFERENCES]
    )  # fmt: skip
    alone = tercet.compare(OUTPUTS, "chrf", references=REFERENCES)
    together = json.loads(command("compare", *paths, "-m", "chrf", "-f", "json").stdout)
    assert together["test_sets"][0]["tables"][0]["systems"] == alone.to_dict()["tables"][0]["systems"]
    run = command("compare", *paths, "-m", "chrf")
    assert "'main', 'pr' are read as systems of one test set: the tables have the same references." in run.stderr
    assert "cannot be compared" not in run.stderr


@pytest.mark.parametrize(
    ("files", "name", "systems"),
    [
        (["news.base", "news.tuned"], "news", ["base", "tuned"]),
        (["base_chat_2", "tuned_chat_2"], "chat_2", ["base", "tuned"]),
        (["seed-1", "seed-2"], "test set", ["seed-1", "seed-2"]),
        (["news", "news.tuned"], "test set", ["news", "news.tuned"]),
        (["кошка-α", "кошка-β"], "кошка", ["α", "β"]),
    ],
)
def test_names_are_what_tells_the_files_apart(tmp_path, files, name, systems):
    paths = [write(tmp_path / f"{file}.jsonl", texts) for file, texts in zip(files, OUTPUTS.values(), strict=True)]
    (test_set,) = read_test_sets(paths)
    assert (test_set.name, list(test_set.systems)) == (name, systems)


def test_columns_that_differ_name_the_systems(tmp_path):
    paths = [write(tmp_path / f"{n}.jsonl", OUTPUTS[name], column=name) for n, name in enumerate(OUTPUTS)]
    (test_set,) = read_test_sets(paths)
    assert test_set.systems == OUTPUTS
    assert [reading.column for reading in test_set.columns if reading.role == "system"] == list(OUTPUTS)


def test_each_group_of_tables_is_a_test_set(tmp_path):
    chat = REFERENCES[::2]
    paths = [write(tmp_path / f"{name}.news.jsonl", texts) for name, texts in OUTPUTS.items()]
    paths += [write(tmp_path / f"{name}.chat.jsonl", texts[::2], chat) for name, texts in OUTPUTS.items()]
    paths.insert(1, write(tmp_path / "other.jsonl", ["x"], ["y"]))
    test_sets = read_test_sets(paths)
    assert [(test_set.name, list(test_set.systems)) for test_set in test_sets] == [
        ("news", ["main", "pr"]), ("other", ["prediction"]), ("chat", ["main", "pr"])
    ]  # fmt: skip
    paths = [write(tmp_path / f"{n}.jsonl", texts) for n, texts in zip("ab", OUTPUTS.values(), strict=True)]
    paths += [
        write(tmp_path / f"{n}.jsonl", texts[:5], chat[:5]) for n, texts in zip("cd", OUTPUTS.values(), strict=True)
    ]
    assert [test_set.name for test_set in read_test_sets(paths)] == ["test set", "c, d"]


def test_scores_and_clusters_stay_with_their_systems(tmp_path):
    quality = {"main": [0.5] * 24, "pr": [0.25] * 24}
    document = ["one"] * 12 + ["two"] * 12
    paths = [
        write(tmp_path / f"{name}.jsonl", texts, COMET=quality[name], document=document)
        for name, texts in OUTPUTS.items()
    ]
    (test_set,) = read_test_sets(paths, scores="COMET", cluster="document")
    assert {system: numbers.tolist() for system, numbers in test_set.scores["COMET"].items()} == quality
    assert len(test_set.clusters) == 2
    (table,) = tercet.compare(test_set, scores=["COMET"]).tables
    assert [row.value for row in table.rows] == [0.5, 0.25]
    write(paths[1], OUTPUTS["pr"], COMET=quality["pr"], document=document[::-1][:6] + document[:18])
    with pytest.warns(UserWarning, match="main and pr have the same references, but other sources or clusters"):
        assert len(read_test_sets(paths, scores="COMET", cluster="document")) == 2


def test_tables_without_references_are_joined_by_their_sources(tmp_path):
    paths = [tmp_path / f"{name}.jsonl" for name in OUTPUTS]
    for path, texts in zip(paths, OUTPUTS.values(), strict=True):
        rows = [{"source": f"s {n}", "prediction": text} for n, text in enumerate(texts)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (test_set,) = read_test_sets(paths, need_references=False)
    assert list(test_set.systems) == ["main", "pr"]
    for path, texts in zip(paths, OUTPUTS.values(), strict=True):
        path.write_text("".join(json.dumps({"prediction": text}) + "\n" for text in texts), encoding="utf-8")
    assert len(read_test_sets(paths, need_references=False)) == 2


def test_the_same_references_in_another_order_are_told(tmp_path):
    paths = [write(tmp_path / "main.jsonl", OUTPUTS["main"])]
    paths.append(write(tmp_path / "pr.jsonl", OUTPUTS["pr"][::-1], REFERENCES[::-1]))
    with pytest.warns(UserWarning, match="main and pr have the same references in another order"):
        assert len(read_test_sets(paths)) == 2


def test_tables_of_several_systems_stay_apart(tmp_path):
    paths = [write(tmp_path / f"{n}.jsonl", OUTPUTS["main"], column="A", B=OUTPUTS["pr"]) for n in ("news", "again")]
    assert [test_set.name for test_set in read_test_sets(paths, systems=["A", "B"])] == ["news", "again"]


def test_a_third_table_that_nearly_matches_two_others_is_told(tmp_path):
    main, other = (write(tmp_path / f"{name}.jsonl", OUTPUTS["main"]) for name in ("main", "other"))
    pr = write(tmp_path / "pr.jsonl", OUTPUTS["pr"], ["ein Hund", *REFERENCES[1:]])
    longer = write(tmp_path / "longer.jsonl", [*OUTPUTS["pr"], "rain"], [*REFERENCES, "it pours"])
    message = "main and pr have different references in 1 of 24 rows, the first in row 1: their systems are not"
    with pytest.warns(UserWarning, match=message):
        assert len(read_test_sets([main, other, pr])) == 2
    with pytest.warns(UserWarning, match="main has 24 rows and longer 25, of which 24 have the same references"):
        assert len(read_test_sets([main, other, longer])) == 2


def test_tables_that_nearly_match_are_told(tmp_path):
    paths = [write(tmp_path / "main.jsonl", OUTPUTS["main"])]
    paths.append(write(tmp_path / "pr.jsonl", OUTPUTS["pr"], [" " + REFERENCES[0], *REFERENCES[1:]]))
    with pytest.warns(UserWarning, match="pr have different references in 1 of 24 rows, the first in row 1:"):
        assert len(read_test_sets(paths)) == 2


def test_tables_whose_references_differ_by_blanks_alone_are_told(tmp_path):
    paths = [write(tmp_path / "main.jsonl", OUTPUTS["main"])]
    paths.append(write(tmp_path / "pr.jsonl", OUTPUTS["pr"], [f"{text} " for text in REFERENCES]))
    message = "main and pr have references that differ in 24 of 24 rows by blanks at their ends, the first in row 1"
    with pytest.warns(UserWarning, match=message):
        assert len(read_test_sets(paths)) == 2


def test_tables_of_other_lengths_with_the_same_references_are_told(tmp_path):
    paths = [write(tmp_path / "main.jsonl", OUTPUTS["main"])]
    paths.append(write(tmp_path / "pr.jsonl", OUTPUTS["pr"][1:], REFERENCES[1:]))
    message = "main has 24 rows and pr 23, of which 23 have the same references: their systems are not compared"
    with pytest.warns(UserWarning, match=message):
        assert len(read_test_sets(paths)) == 2
    write(paths[1], OUTPUTS["pr"][:3], ["other", "texts", "here"])
    assert len(read_test_sets(paths)) == 2


def test_references_that_are_all_the_same_tell_no_segments_apart(tmp_path):
    paths = [write(tmp_path / f"{name}.jsonl", texts, ["yes"] * 24) for name, texts in OUTPUTS.items()]
    assert [test_set.name for test_set in read_test_sets(paths)] == ["main", "pr"]
    paths = [write(tmp_path / f"{name}.jsonl", texts[:1], ["yes"]) for name, texts in OUTPUTS.items()]
    assert len(read_test_sets(paths)) == 1


def test_other_slices_are_told(tmp_path):
    paths = [
        write(tmp_path / f"{name}.jsonl", texts, domain=[f"{label}{n % 2}" for n in range(24)])
        for (name, texts), label in zip(OUTPUTS.items(), "ab", strict=True)
    ]
    with pytest.warns(UserWarning, match="pr has other slices than main: those of main are taken"):
        (test_set,) = read_test_sets(paths, by="domain")
    assert set(test_set.slices["domain"]) == {"a0", "a1"}

"""Which columns of a table are grades, by their names: as people write tables, and without an option."""

import json

import numpy as np
import pyarrow as pa
import pytest

import tercet
from commands import command
from tercet.correlation.graded_tables import read_graded
from tercet.errors import InputError, for_command_line
from tercet.files.numbers import Notation, read_number

NAN = float("nan")
#: Texts and references in four scripts.
TEXTS = ["the cat sat", "кот сидит тут", "القط نائم", "今天天气好"]
REFERENCES = ["the cat sat down", "кот сидит там", "القط نائم هنا", "今天天气很好"]
OTHERS = ["a cat", "кот тут", "نائم", "天气好"]
NAMES = [
    *(
        "grade",
        "Human",
        "human_score",
        "rating",
        "gold",
        "humanRating",
        "expert_score",
        "fluency",
        "MOS",
        "Human Score",
    ),
    *("Bewertung", "évaluation", "calificación", "оценка", "评分", "人工评分", "評価", "평가", "تقييم", "avaliação"),
]
FEW = {"n_resamples": 20, "n_permutations": 20}


def table(tmp_path, columns, name="graded.csv"):
    """Write a table of these columns; None is an empty cell."""
    rows = [columns, *zip(*columns.values(), strict=True)]
    path = tmp_path / name
    path.write_text(
        "".join(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows), encoding="utf-8"
    )
    return path


def one(**further):
    return {"output": TEXTS, "reference": REFERENCES, **further}


@pytest.mark.parametrize("name", NAMES)
def test_a_column_of_numbers_is_one_of_grades_by_its_name(tmp_path, name):
    path = table(
        tmp_path, one(**{name: [4, "2,5", None, "1"], "length": [3, 3, 2, 1], "comet": [0.1, 0.2, 0.3, 0.4]})
    )
    path.write_text(path.read_text(encoding="utf-8").replace("2,5", '"2,5"'), encoding="utf-8")
    test_set, grades = read_graded(path)
    assert list(test_set.systems) == ["output"]
    assert test_set.references == [[text] for text in REFERENCES]
    assert grades.dimensions == [name]
    np.testing.assert_array_equal(grades.mean(name), [[4, 2.5, NAN, 1]])
    assert test_set.fields.endswith(f"; grades: {name!r}; left out: 'length', 'comet'.")


def test_columns_with_numbers_or_letters_are_of_raters(tmp_path):
    path = table(tmp_path, one(rating_1=[1, 2, 3, 4], rating_2=[3, 2, 1, 4], annotatorA=[5, 5, 5, 5]))
    grades = read_graded(path)[1]
    assert grades.dimensions == ["rating", "grade"]
    assert grades.mean("rating").tolist() == [[2, 2, 2, 4]]
    assert grades.agreement("rating")["raw"] == 0.5
    path = table(tmp_path, one(**{"fluency rater 1": [1, 2, 3, 4], "adequacy rater 1": [4, 3, 2, 1]}))
    grades = read_graded(path)[1]
    assert grades.dimensions == ["fluency", "adequacy"]
    assert grades.raters == ("rater 1",)
    path = table(tmp_path, one(annotator=["anna", "boris", "anna", "boris"], grade=[1, 2, 3, 4]))
    test_set, grades = read_graded(path)
    assert grades.raters == ("anna", "boris")
    assert test_set.fields.endswith("; grades: 'grade'; raters: 'annotator'.")
    # Numbers of raters are no grades.
    assert read_graded(table(tmp_path, one(annotator=[1, 2, 1, 2], grade=[1, 2, 3, 4])))[1].dimensions == ["grade"]


@pytest.mark.parametrize(
    ("systems", "columns"),
    [
        (["A", "B"], ["human_A", "human_B"]),
        (["A", "B"], ["A_human", "B_human"]),
        (["A", "AB"], ["AB human", "A human"][::-1]),
        (["output_a", "output_b"], ["grade_a", "grade_b"]),
        (["output_1", "output_2"], ["grade1", "grade2"]),
        (["译文_甲", "译文_乙"], ["评分_甲", "评分_乙"]),
        (["base mt", "tuned mt"], ["rating base", "rating tuned"]),
    ],
)
def test_grades_of_several_systems_name_the_system(tmp_path, systems, columns):
    path = table(
        tmp_path,
        {
            "ref": REFERENCES,
            systems[0]: TEXTS,
            systems[1]: OTHERS,
            columns[0]: [1, 2, 3, 4],
            columns[1]: [4, 4, 2, 1],
        },
    )
    test_set, grades = read_graded(path)
    assert list(test_set.systems) == systems
    (dimension,) = grades.dimensions
    assert dimension in columns[0]
    assert grades.mean(dimension).tolist() == [[1, 2, 3, 4], [4, 4, 2, 1]]
    assert grades.raters == ("",)
    assert test_set.fields.endswith(f"; grades: {', '.join(map(repr, columns))}.")


def test_a_row_for_each_output_names_its_system(tmp_path):
    columns = {
        "system": ["A"] * 4 + ["B"] * 4,
        "output": TEXTS + OTHERS,
        "reference": REFERENCES * 2,
        "human": [1, 2, 3, 4, 4, 4, 2, 1],
        "comet": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
    }
    path = table(tmp_path, columns)
    test_set, grades = read_graded(path, scores=["comet"])
    assert test_set.systems == {"A": TEXTS, "B": OTHERS}
    assert grades.dimensions == ["human"]
    assert grades.mean("human").tolist() == [[1, 2, 3, 4], [4, 4, 2, 1]]
    assert grades.scores["comet"].tolist() == [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]]
    assert "references: 'reference'; grades: 'human'; scores: 'comet'. Each 'system' is a system" in test_set.fields
    assert "left out" not in test_set.fields
    assert "left out, as they differ by system: 'comet'." in read_graded(path)[0].fields
    # With ids it is a long table, in which a column of numbers called "human" is no reference.
    long_columns = {"item": [1, 2, 3, 4] * 2, **columns}
    del long_columns["comet"]
    test_set, grades = read_graded(table(tmp_path, long_columns))
    assert test_set.references == [[text] for text in REFERENCES]
    assert grades.mean("human").tolist() == [[1, 2, 3, 4], [4, 4, 2, 1]]
    assert test_set.fields.endswith("; references: 'reference'; grades: 'human'.")


@pytest.mark.parametrize("cells", [("1", "NA"), ("4,5", "-"), ("n/a", "3 "), ("74 %", "8 %"), ("1.234,5", "2,0")])
def test_a_dimension_of_a_long_table_is_a_column_of_numbers_however_they_are_written(tmp_path, cells):
    columns = {"item": [1, 1, 2, 2], "system": list("ABAB"), "text": TEXTS, "reference": REFERENCES}
    form = [f'"{cell}"' for cell in cells for _ in range(2)]
    test_set, grades = read_graded(table(tmp_path, {**columns, "form": form, "note": ["4", "gut", "5", "3"]}))
    assert grades.dimensions == ["form"]
    assert test_set.fields.endswith("; grades: 'form'.")
    (by_item,) = grades.values["form"][:, 0]
    assert by_item.tolist() == [
        pytest.approx(read_number(cell, "form", Notation(",")), nan_ok=True) for cell in cells
    ]


@pytest.mark.parametrize("option", ["--source-column", "--reference-column", "--system"])
def test_a_column_of_a_long_table_that_is_not_there_is_told(tmp_path, option):
    columns = {
        "system": ["A", "B"] * 4,
        "id": [1, 1, 2, 2, 3, 3, 4, 4],
        "reference": [text for text in REFERENCES for _ in range(2)],
        "output": [text for pair in zip(TEXTS, OTHERS, strict=True) for text in pair],
        "fluency": [1, 2, 3, 4, 5, 4, 3, 2],
    }
    run = command("correlate", table(tmp_path, columns), "--metric", "chrf", option, "domain", code=2)
    assert "graded.csv has no column 'domain'" in run.stderr


def test_human_may_hold_objects_numbers_or_texts(tmp_path):
    path = tmp_path / "rows.jsonl"

    def grades_of(*cells, **further):
        rows = [
            {"hyps": {"A": text, "B": other}, "refs": [reference], "human": cell, **further}
            for text, other, reference, cell in zip(TEXTS, OTHERS, REFERENCES, cells, strict=False)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return read_graded(path)[1]

    np.testing.assert_array_equal(
        grades_of({"A": 1, "B": 2}, {"A": [3, 4], "B": None}).mean("grade"), [[1, 3.5], [2, NAN]]
    )
    assert grades_of({"A": {"form": 1}, "B": {"form": 2}}).mean("form").tolist() == [[1], [2]]
    test_set, grades = read_graded(
        table(tmp_path, {"src": "abcd", "mt": TEXTS, "human": REFERENCES, "grade": "1234"})
    )
    assert (test_set.references, grades.dimensions) == ([[text] for text in REFERENCES], ["grade"])


def test_what_may_be_grades_or_scores_is_asked_for_where_there_are_two(tmp_path):
    assert read_graded(table(tmp_path, one(score=[1, 2, 3, 4])))[1].dimensions == ["score"]
    assert read_graded(table(tmp_path, one(score=[1, 2, 3, 4], human=[1, 2, 3, 4])))[1].dimensions == ["human"]
    path = table(tmp_path, one(score=[1, 2, 3, 4], quality=[4, 3, 2, 1]), "two columns.csv")
    unclear = "it is not clear which of 'score' and 'quality' are human grades, and which a metric's scores"
    with pytest.raises(InputError, match=unclear) as caught:
        tercet.correlate(path)
    assert str(caught.value).endswith(
        f"Give tercet.correlate({str(path)!r}, dimension='score') or tercet.correlate({str(path)!r}, "
        "dimension='quality')."
    )
    refused = command("correlate", path.name, code=2, cwd=tmp_path)
    for column in ("score", "quality"):
        asked = ["correlate", path.name, "--dimension", column]
        assert f"tercet correlate 'two columns.csv' --dimension {column}" in refused.stderr
        assert f"grades: '{column}'; left out:" in command(*asked, "-m", "chrf", cwd=tmp_path).stderr
        assert tercet.correlate(path, "chrf", dimension=column, **FEW).grades.dimensions == [column]
    scored = tercet.correlate(path, "chrf", scores="score", **FEW)
    assert (scored.grades.dimensions, list(scored.grades.scores)) == (["quality"], ["score"])
    assert tercet.correlate(path, "chrf", dimension="score:better=lower", **FEW).grades.mean("score").max() == -1


def test_grades_that_name_none_of_several_systems_are_refused_with_a_command_for_each(tmp_path):
    path = table(tmp_path, {"reference": REFERENCES, "A": TEXTS, "B": OTHERS, "human": [1, 2, 3, 4]})
    with for_command_line(), pytest.raises(InputError) as caught:
        read_graded(path)
    for system in "AB":
        assert f"tercet correlate {path} --system {system}" in str(caught.value)
        assert read_graded(path, systems=system)[1].mean("human").tolist() == [[1, 2, 3, 4]]
    assert "'human_A' and 'human_B'" in str(caught.value)
    with pytest.raises(InputError) as caught:
        tercet.correlate(path)
    call = f"tercet.correlation.graded_tables.read_graded('{path}', systems='B')"
    assert call in str(caught.value)
    assert list(eval(call)[0].systems) == ["B"]


def test_what_a_file_warns_of_is_said_once(tmp_path):
    path = table(tmp_path, one(grade=[1, 2, 3, 4]))
    path.write_text(path.read_text(encoding="utf-8").replace("\n", "\n,,\n", 1), encoding="utf-8")
    with pytest.warns(UserWarning, match="1 blank row is passed over") as warned:
        test_set, _ = read_graded(path)
    assert [str(warning.message) for warning in warned] == list(test_set.warnings)
    assert len(warned) == 1


def test_what_is_said_of_files_is_refused_of_a_frame_or_is_of_the_grades_beside_it(tmp_path):
    frame = pa.table({"id": [1, 2, 3, 4], "output": TEXTS, "reference": REFERENCES})
    with pytest.raises(InputError, match="encoding= is for files"):
        read_graded(frame, encoding="cp1252")
    path = tmp_path / "grades.csv"
    path.write_bytes("item,system,Qualität\n1,output,3\n2,output,4\n".encode("cp1252"))
    assert read_graded(frame, grades=path, encoding="cp1252")[1].dimensions == ["Qualität"]


def test_any_column_of_numbers_is_one_of_grades_if_it_is_asked_for(tmp_path):
    path = table(tmp_path, one(mine=[1, 2, 3, 4], comet=[1, 2, 3, 5]))
    with pytest.raises(InputError, match=r"has no grades: .* If 'mine' has grades, give dimension='mine'\.$"):
        read_graded(path)
    assert tercet.correlate(path, "chrf", dimension="mine", **FEW).grades.dimensions == ["mine"]
    assert tercet.correlate(path, "chrf", dimension="comet", **FEW).grades.dimensions == ["comet"]

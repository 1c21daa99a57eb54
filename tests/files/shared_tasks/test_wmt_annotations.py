"""Annotations as WMT publishes them: errors of MQM, scores of ESA, segment scores of DA; exports of Appraise."""

import json

import numpy as np
import pytest

from commands import command
from tercet.correlation.graded_tables import read_graded
from tercet.errors import InputError, OptionError

NAN = float("nan")
MQM = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
#: Errors in two segments of two documents: system, document, segment, rater, text, category, severity.
ERRORS = [
    ("Müller-MT", "news-1", "1", "rater1", "Der Fluss <v>steigte</v>.", "Fluency/Grammar", "Major"),
    ("Müller-MT", "news-1", "1", "rater1", "Der Fluss steigte<v>.</v>", "Fluency/Punctuation", "Minor"),
    ("Müller-MT", "news-1", "1", "rater2", "Der Fluss steigte.", "No-error", "No-error"),
    ("Müller-MT", "talk-7", "2", "rater1", '<v>河水 "上涨"</v>', "Non-translation!", "Major"),
    ("ref", "news-1", "1", "rater1", "Der <v>Fluss</v> stieg.", "Style/Awkward", "Neutral"),
    ("ref", "talk-7", "2", "rater2", "Die Brücke ist leer.", "No-error", "no-error"),
    ("Online-Z", "news-1", "1", "rater2", "<v>Das</v> Fluss stieg.", "Fluency/Grammar", "Minor"),
    ("Online-Z", "news-1", "1", "rater2", "Das Fluss <v>stieg</v>.", "Fluency/Punctuation", "Major"),
    ("Online-Z", "talk-7", "2", "rater1", "Die Brücke ist <v>leer</v>.", "Source error", "Minor"),
]


def mqm(tmp_path, errors=ERRORS, columns=MQM):
    """Write a table of errors as they are published: without any quoting."""
    rows = [
        (system, document, "1", segment, rater, "The river rose.", text, category, severity)
        for system, document, segment, rater, text, category, severity in errors
    ]
    path = tmp_path / "mqm.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in [columns, *rows]), encoding="utf-8")
    return path


def test_errors_of_mqm_become_grades_of_raters(tmp_path):
    """A grade is minus the sum of the weights: 5 and 0.1; 25; 0; 1 and 5, as major punctuation counts in full; 1."""
    test_set, grades = read_graded(mqm(tmp_path), need_references=False)
    # The marks are no part of the texts.
    assert test_set.systems == {
        "Müller-MT": ["Der Fluss steigte.", '河水 "上涨"'],
        "ref": ["Der Fluss stieg.", "Die Brücke ist leer."],
        "Online-Z": ["Das Fluss stieg.", "Die Brücke ist leer."],
    }
    assert test_set.clusters.sizes.tolist() == [1, 1]
    assert grades.raters == ("rater1", "rater2")
    np.testing.assert_allclose(
        grades.values["MQM"],
        [[[-5.1, -25], [0, NAN], [NAN, -1]], [[0, NAN], [NAN, 0], [-6, NAN]]],
    )
    # Those of the raters are averaged: (-5.1 + 0) / 2.
    np.testing.assert_allclose(grades.mean("MQM"), [[-2.55, -25], [0, 0], [-6, -1]])


def test_a_system_of_mqm_may_be_the_reference(tmp_path):
    path = mqm(tmp_path)
    test_set, grades = read_graded(path, reference_columns="ref")
    assert list(test_set.systems) == ["Müller-MT", "Online-Z"]
    assert test_set.references == [["Der Fluss stieg."], ["Die Brücke ist leer."]]
    assert grades.systems == ("Müller-MT", "Online-Z")
    asked = ("correlate", path, "--reference-column", "ref", "-m", "chrf", "--n-resamples", 1, "--n-permutations", 1)
    said = command(*asked).stderr
    assert (
        "The grade is minus the sum of a rater's weights: 5 for major, 1 for minor, 0.1 for minor punctuation" in said
    )
    assert "References: the texts of 'ref'. Documents are clusters." in said
    # Without one it says how to name it.
    assert (
        "If a system's texts are references, name it: --reference-column" in command("correlate", path, code=2).stderr
    )


def test_names_and_severities_of_later_years(tmp_path):
    """WMT23 counts segments under another name; WMT24 has critical errors, and a line that is no text."""
    columns = [{"seg_id": "globalSegId", "doc_id": "docSegId"}.get(name, name) for name in MQM]
    errors = [
        ("A", "canary", "1", "r", "CANARY", "", ""),
        ("A", "news", "2", "r", "橋は静か", "accuracy/mistranslation", "critical"),
        ("A", "news", "3", "r", "川が増水", "", ""),
        ("A", "news", "4", "r", "雨が上がる", "Source issue", "major"),
    ]
    _, grades = read_graded(mqm(tmp_path, errors, columns), need_references=False)
    assert grades.values["MQM"].tolist() == [[[-5.0, 0.0, 0.0]]]


def test_an_unknown_severity_is_named(tmp_path):
    errors = [*ERRORS, ("ref", "talk-7", "2", "rater1", "Die Brücke ist leer.", "Other", "grave")]
    with pytest.raises(InputError, match=r"mqm.tsv, line 11, column 'severity': expected critical, major, .*'grave'"):
        read_graded(mqm(tmp_path, errors), need_references=False)


def test_errors_of_mqm_grade_the_texts_of_another_table(tmp_path):
    """The number of a segment is that of a row."""
    texts = tmp_path / "texts.csv"
    texts.write_text(
        "source,reference,Müller-MT,Online-Z\n"
        "The river rose.,Der Fluss stieg.,Der Fluss steigte.,Das Fluss stieg.\n"
        "The bridge is empty.,Die Brücke ist leer.,河水,Die Brücke ist leer.\n",
        encoding="utf-8",
    )
    errors = [row for row in ERRORS if row[0] != "ref"]
    test_set, grades = read_graded(texts, grades=mqm(tmp_path, errors))
    assert test_set.source == ["The river rose.", "The bridge is empty."]
    np.testing.assert_allclose(grades.mean("MQM"), [[-2.55, -25], [-6, -1]])


def esa(tmp_path, rows):
    """Write scores of ESA: pair, line, system, annotator, text, score, end."""
    names = ("langs", "line_id", "system", "annotator", "tgt", "esa_score")
    objects = [
        {**dict(zip(names, row, strict=False)), "src": f"source {row[1]}", "doc_id": f"doc {row[1] // 2}",
         "esa_spans": [], "domain": "news", "times": [row[6] - 1, row[6]]}
        for row in rows
    ]  # fmt: skip
    path = tmp_path / "esa.jsonl"
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects), encoding="utf-8")
    return path


SCORES = [
    ("en-ja", 1, "refA", "eng01", "川が増水した", "90", 10.0),
    ("en-ja", 1, "A", "eng01", "川が増えた", "60", 20.5),
    ("en-ja", 1, "A", "eng02", "川が増えた", "70", 20.5),
    # The same annotator, who thought again; in the file the first one stands last.
    ("en-ja", 2, "A", "eng01", "橋は静か", "45", 40.0),
    ("en-ja", 2, "A", "eng01", "橋は静か", "80", 30.0),
    ("en-ja", 2, "refA", "eng02", "橋は静かだ", "100", 50.0),
    ("en-cs", 1, "B", "eng03", "Řeka stoupla", "77", 60.0),
]


def test_scores_of_esa_are_read_for_a_language_pair(tmp_path):
    path = esa(tmp_path, SCORES)
    with pytest.raises(OptionError, match=r"esa.jsonl has 2 language pairs: en-cs, en-ja. Choose one: lp='en-cs'"):
        read_graded(path)
    with pytest.raises(OptionError, match=r"esa.jsonl has no language pair 'en-jp'. Did you mean 'en-ja'"):
        read_graded(path, lp="en-jp")
    test_set, grades = read_graded(path, lp="en-ja", reference_columns="refA")
    assert test_set.systems == {"A": ["川が増えた", "橋は静か"]}
    assert test_set.references == [["川が増水した"], ["橋は静かだ"]]
    assert test_set.source == ["source 1", "source 2"]
    assert grades.raters == ("eng01", "eng02")
    np.testing.assert_array_equal(grades.values["ESA"], [[[60, 45]], [[70, NAN]]])


def test_the_only_language_pair_is_taken_and_said(tmp_path):
    test_set, _ = read_graded(esa(tmp_path, SCORES[:-1]), need_references=False)
    assert "language pair: en-ja (the only one); a row is a score of ESA" in test_set.fields


def test_a_time_that_is_none_is_named(tmp_path):
    path = esa(tmp_path, SCORES[:1])
    path.write_text(path.read_text(encoding="utf-8").replace("[9.0, 10.0]", '"noon"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"'times': expected two numbers, start and end, got 'noon'"):
        read_graded(path)


def test_segment_scores_of_da_grade_the_texts_of_another_table(tmp_path):
    """Columns are divided by blanks, also behind the last one."""
    texts, scores = tmp_path / "texts.tsv", tmp_path / "ad-seg-scores-cs-en.csv"
    texts.write_text(
        "id\treference\tFacebook-AI.7\tUEdin.3\n17\tthe river\ta river\tthe river rose\n18\tэто мост\tмост\tмосты\n",
        encoding="utf-8",
    )
    scores.write_text(
        "SYS SID RAW.SCR Z.SCR N \nFacebook-AI.7 17 84.5 0.036 2 \nFacebook-AI.7 18 11 -1.678 1 \n"
        "UEdin.3 18 95.8333333333333 0.517 6 \n"
    )
    _, grades = read_graded(texts, grades=scores)
    np.testing.assert_array_equal(grades.mean("raw"), [[84.5, 11], [NAN, 95.8333333333333]])
    np.testing.assert_array_equal(grades.mean("z"), [[0.036, -1.678], [NAN, 0.517]])
    scores.write_text("SYS SID RAW.SCR Z.SCR N \nUEdin.3 18 95 \n")
    with pytest.raises(InputError, match=r"line 2.*expected SYS SID RAW.SCR Z.SCR N, got 'UEdin.3 18 95"):
        read_graded(texts, grades=scores)


APPRAISE = """\
engdeu6905,refA,100,TGT,eng,deu,87,news-10#refA,False,[],1711317347.693,1711317347.693
engdeu6905,refA,98,BAD,eng,deu,36,news-11#refA#bad7,False,"[{""start_i"":206,""end_i"":252}]",1711317247.4,1711317254.8
"""


@pytest.mark.parametrize("rows", [APPRAISE, "u1,Online-A,7,TGT,ces,eng,66,lidovky.cz,False,1,2\n"])
def test_an_export_of_appraise_is_refused_by_name(tmp_path, rows):
    path, texts = tmp_path / "wave1.csv", tmp_path / "texts.csv"
    path.write_text(rows)
    texts.write_text("reference,A,B\nx,y,z\n")
    for arguments in ([path], [texts, "--grades", path]):
        said = command("correlate", *arguments, code=2).stderr
        assert "wave1.csv is an export of Appraise. It has no texts, and numbers its items by" in said
        assert "or a table of texts, and --grades with the columns item, system, rater and value." in said


def test_systems_of_annotations_are_in_the_rows(tmp_path):
    with pytest.raises(OptionError, match=r"systems= names columns; in '.*mqm.tsv' each row names its system"):
        read_graded(mqm(tmp_path), systems=["ref"])
    with pytest.raises(OptionError, match=r"lp=: .*mqm.tsv has no column of language pairs"):
        read_graded(mqm(tmp_path), lp="en-de")


def test_how_many_annotators_there_were_is_no_grade(tmp_path):
    """The tables from which COMET learns: a z-score, the score, and how many people gave it."""
    path = tmp_path / "da.csv"
    path.write_text(
        "lp,src,mt,ref,score,raw,annotators,year\n"
        "en-de,the river,der Fluss,ein Fluss,0.5,80,2,2022\n"
        "zh-en,桥,a bridge,the bridge,-0.25,40,1,2022\n",
        encoding="utf-8",
    )
    with pytest.warns(UserWarning, match=r"2 language pairs, as 'lp' says: en-de and zh-en. Figures pool them"):
        _, grades = read_graded(path)
    assert grades.dimensions == ["score"]
    assert grades.mean("score").tolist() == [[0.5, -0.25]]

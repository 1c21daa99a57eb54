"""`tercet read`: the role of each column, and why, and the command that says it all."""

import json
import re
import shlex

import pytest

from commands import command
from workbooks import workbook

ROWS = [
    ("doc", "source", "reference", "base", "human-dpo", "COMET_base", "COMET_human-dpo"),
    ("a", "Der Hafen ist ruhig.", "The harbour is calm.", "The harbour is quiet.", "Harbour is calm.", "0.8", "0.7"),
    ("a", "Das Boot fährt.", "The boat leaves.", "The boat goes.", "A boat leaves.", "0.6", "0.5"),
    ("b", "Es regnet.", "It rains today.", "It rains.", "It is raining today.", "0.9", "0.4"),
    ("b", "雨が降る。", "Rain falls here.", "Rain is falling.", "The rain falls here.", "0.7", "0.6"),
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "news of may.tsv"
    path.write_text("\n".join("\t".join(row) for row in ROWS), encoding="utf-8")
    return path


def test_each_column_has_its_role_and_why_and_the_command_gives_the_same(table):
    run = command("read", table, "--scores", "COMET")
    for words in (
        "doc", "left out", "names documents of", "reference", "human-dpo", "and more", "COMET_base", "scores",
        "you say so",
    ):  # fmt: skip
        # cells fold
        assert words.split()[0] in run.stdout
    assert "4 segments of base and human-dpo; 1 reference each." in run.stdout
    assert "'doc' names 2 documents of 4 segments." in run.stdout
    (said,) = (line for line in run.stdout.splitlines() if line.startswith("To say it all: "))
    tercet, *arguments = shlex.split(said.partition(": ")[2])
    assert tercet == "tercet"
    assert arguments[0] == "compare"
    assert {"--system", "--reference-column", "--source-column", "--scores"} <= {*arguments}
    alone = command("compare", table, "--scores", "COMET", "-f", "json")
    assert command(*arguments, "-f", "json").stdout == alone.stdout


def test_the_command_names_a_system_of_a_long_table_that_is_the_reference(tmp_path):
    path = tmp_path / "long.tsv"
    rows = [("system", "id", "source", "text")]
    for n, (_, source, reference, base, new, *_scores) in enumerate(ROWS[1:]):
        rows += [(name, str(n), source, text) for name, text in (("human", reference), ("base", base), ("new", new))]
    path.write_text("\n".join("\t".join(row) for row in rows), encoding="utf-8")
    run = command("read", path, "--reference-column", "human")
    (said,) = (line for line in run.stdout.splitlines() if line.startswith("To say it all: "))
    arguments = shlex.split(said.partition(": ")[2])[1:]
    assert arguments[-2:] == ["--reference-column", "human"]
    alone = command("compare", path, "--reference-column", "human", "-f", "json")
    assert command(*arguments, "-f", "json").stdout == alone.stdout


def test_the_command_asks_for_references_where_there_are_none(tmp_path):
    """It would fail without them."""
    path = tmp_path / "answers.csv"
    path.write_text("base,tuned\nthe cat sat,a cat sat\nes regnet,es regnete\n", encoding="utf-8")
    said = command("read", path).stdout.splitlines()[-1]
    assert said == f"To say it all: tercet compare {path} --system base --system tuned -r FILE"


def test_the_command_compares_where_any_test_set_has_several_systems(tmp_path):
    (tmp_path / "one.tsv").write_text("mt\tref\na cat\tthe cat\n", encoding="utf-8")
    (tmp_path / "two.tsv").write_text("a\tb\tref\na dog\tdogs\tthe dog\n", encoding="utf-8")
    said = command("read", "one.tsv", "two.tsv", cwd=tmp_path).stdout.splitlines()[-1]
    assert said == "To say it all: tercet compare one.tsv two.tsv"


def test_as_json(table):
    (found,) = json.loads(command("read", table, "-f", "json").stdout)["test_sets"]
    assert found["systems"] == ["base", "human-dpo"]
    assert found["columns"][2] == {
        "column": "reference",
        "role": "reference",
        "reason": "its name says 'reference'",
        "values": ["'The harbour is calm.'", "'The boat leaves.'"],
    }


def test_what_cannot_be_read_is_shown_too(tmp_path):
    path = tmp_path / "two.csv"
    rows = ["gold-ft,base,source", "a cat sat,the cat sat,eine Katze saß", "it rains,it rained,es regnet"]
    path.write_text("\n".join(rows), encoding="utf-8")
    run = command("read", path, code=2)
    assert "system or reference" in run.stdout
    assert re.search("source +source", run.stdout)
    assert "As references: --system base --reference-column gold-ft." in run.stderr
    assert "'tercet read'" not in run.stderr
    run = command("compare", path, "-m", "chrf", code=2)
    assert "'tercet read' with this file shows how each column is read, and why." in run.stderr


def test_a_long_table_is_shown_by_its_own_columns(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("question_id,model,score\n1,alpha,9\n1,beta,3\n2,alpha,8\n2,beta,2\n", encoding="utf-8")
    (found,) = json.loads(command("read", path, "--scores", "score", "-f", "json").stdout)["test_sets"]
    assert [(one["column"], one["role"]) for one in found["columns"]] == [
        ("question_id", "key"), ("model", "names of systems"), ("score", "scores"),
    ]  # fmt: skip
    assert found["command"].endswith("--scores score")
    # without it, nobody takes the names for texts
    assert "To compare their numbers: --scores score." in command("read", path, code=2).stderr


def test_text_files(tmp_path):
    for name, text in {"hyp.txt": "un chat\n", "ref.txt": "le chat\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run = command("read", tmp_path / "hyp.txt", "-r", tmp_path / "ref.txt")
    assert "1 segment of hyp; 1 reference each." in run.stdout


def test_a_single_text_is_counted_as_one(tmp_path):
    (tmp_path / "a.tsv").write_text("mt\tref\nun chat\tle chat\nil pleut\t\n", encoding="utf-8")
    (tmp_path / "b.po").write_text('msgid "cat"\nmsgstr "chat"\n', encoding="utf-8")
    assert "But 1 segment has no reference: " in command("read", "a.tsv", cwd=tmp_path).stdout
    assert "b.po: 1 text, joined with" in command("read", "b.po", cwd=tmp_path, code=2).stdout


def test_where_no_references_are_what_can_be_done_is_said(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("id,model,answer,score\n1,old,да,4\n1,new,ja,3\n2,old,oui,2\n2,new,sí,3\n", encoding="utf-8")
    shown = command("read", path).stdout
    assert "2 segments of old and new; no references.\nTo choose references: --reference-column NAME" in shown
    assert "--scores NAME." in shown
    numbers = command("read", path, "--scores", "score").stdout
    assert numbers.endswith("--scores score\n")


def test_the_encoding_and_the_sheet_are_those_of_other_commands(tmp_path):
    path = tmp_path / "alt.csv"
    path.write_bytes("Referenz;System\nschön;schon\nGrüße;Gruß\n".encode("cp1252"))
    assert "give --encoding cp1252" in command("read", path, code=2).stderr
    run = command("read", path, "--encoding", "cp1252")
    assert "'schön', 'Grüße'" in run.stdout
    assert run.stdout.endswith("--reference-column Referenz --encoding cp1252\n")


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("ref,mt\nein Hund,der Hund\n", encoding="utf-8")
    assert "'nowhere' does not exist." in command("compare", path, "nowhere", code=2).stderr
    run = command("compare", path, "chrf", code=2)
    assert "'chrf' does not exist. A metric is given with -m: -m chrf." in run.stderr
    for asked in ("read", "score"):
        assert "'nowhere.csv' cannot be read: No such file" in command(asked, "nowhere.csv", code=2).stderr


def test_subtitles_alone_are_said_to_be_joined_with_others_by_time(tmp_path):
    path = tmp_path / "storm.srt"
    path.write_text("1\n00:00:01,000 --> 00:00:02,500\nБуря.\n", encoding="utf-8")
    run = command("read", "storm.srt", cwd=tmp_path, code=2)
    assert run.stdout == "storm.srt: 1 text, joined with other files by time.\n"
    assert "has the texts of one side, which are joined with those of other files by time" in run.stderr
    assert "give a file for each system, and one with the references (--references)" in run.stderr


def test_segments_without_a_reference_are_named_by_their_lines(tmp_path):
    rows = [["id", "reference", "mt"], ["a-1", "Rain.", "Rain!"], ["a-2", "", "Снег."], ["a-3", "Wind.", "Wind!"]]
    path = tmp_path / "weather.csv"
    path.write_text("\n".join(map(",".join, rows)), encoding="utf-8")
    assert "But 1 segment has no reference: line 3: 'a-2'." in command("read", path).stdout
    error = command("score", path, "-m", "chrf", code=2).stderr
    assert "weather, segment 2 has no reference (line 3: 'a-2'); -m chrf_multi:missing_references=skip" in error
    many = [[f"b-{number}", "", f"雨 {number}"] for number in range(5)]
    path.write_text("\n".join(map(",".join, [*rows[:2], *many])), encoding="utf-8")
    said = "But 5 segments have no reference: line 3: 'b-0'; line 4: 'b-1'; line 5: 'b-2' and 2 more."
    assert said in command("read", path).stdout
    path.write_text("\n".join(map(",".join, rows[:2])), encoding="utf-8")
    assert "no reference" not in command("read", path).stdout


def test_a_row_of_a_workbook_without_a_reference_is_named_by_its_number_in_the_sheet(tmp_path):
    path = tmp_path / "weather.xlsx"
    rows = [["Angebote"], [None], ["reference", "mt"], ["Rain.", "Rain!"], [None, "Шторм."], ["Wind.", "Wind!"]]
    path.write_bytes(workbook(rows))
    assert "But 1 segment has no reference: line 5: 'Шторм.'." in command("read", path).stdout

"""Files of segments bring a file's own columns back: ids, comments; with colours, filters, its dialect."""

import csv
import json

import pytest
from openpyxl import load_workbook

import tercet
from commands import command
from workbooks import workbook

HEADER = ["id", "Fachgebiet", "source", "A", "B", "reference", "Kommentar", "system"]
ROWS = [
    ["x-1", "Medizin", "nurse", "die Schwester", "die Pflegerin", "die Krankenschwester", "", "oui"],
    ["x-2", "право", "court", "der Hof", "das Gericht", "das Gericht", "+A1, суд", "non"],
    ["x-3", "法律", "law", "das Recht", "das Gesetz", "das Gesetz", "意见", "oui"],
]
OWN = ["id", "Fachgebiet", "Kommentar", "system (of the file)"]


def own(record):
    return [record[title] or "" for title in OWN]


def table(folder, ending):
    """Write the table in a format, and return its path."""
    path = folder / f"graded.{ending}"
    if ending == "xlsx":
        path.write_bytes(workbook([HEADER, *ROWS]))
    elif ending == "jsonl":
        lines = [json.dumps(dict(zip(HEADER, row, strict=True)), ensure_ascii=False) for row in ROWS]
        path.write_text("\n".join(lines), encoding="utf-8")
    else:
        separator = "\t" if ending == "tsv" else ","
        path.write_text("\n".join(separator.join(f'"{cell}"' for cell in row) for row in [HEADER, *ROWS]))
    return path


def records(path):
    """Return the rows of a file of segments, by title."""
    if path.suffix == ".xlsx":
        head, *body = load_workbook(path)["Segments"].iter_rows(values_only=True)
        return [dict(zip(head, row, strict=True)) for row in body]
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            return list(map(json.loads, file))
        return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


SCORED = ("-s", "A", "-s", "B", "-m", "chrf")


@pytest.mark.parametrize("read", ["tsv", "csv", "jsonl", "xlsx"])
@pytest.mark.parametrize("written", ["tsv", "csv", "jsonl", "xlsx"])
def test_ids_and_comments_come_back_beside_the_scores(tmp_path, read, written):
    command("score", table(tmp_path, read), *SCORED, "--segments", tmp_path / f"out.{written}")
    found = records(tmp_path / f"out.{written}")
    titles = list(found[0])
    assert titles[:8] == ["test_set", "segment", *OWN, "system", "chrf_multi chrf"]
    assert [own(each) for each in found[::2]] == [[row[0], row[1], row[6], row[7]] for row in ROWS]
    assert [own(each) for each in found[::2]] == [own(each) for each in found[1::2]]
    assert [each["system"] for each in found] == ["A", "B"] * 3


def test_columns_of_slices_and_clusters_come_back_too(tmp_path):
    path = table(tmp_path, "tsv")
    command("compare", path, *SCORED, "--by", "Fachgebiet", "--cluster", "id", "--segments", tmp_path / "out.csv")
    assert own(records(tmp_path / "out.csv")[2]) == ["x-2", "право", "+A1, суд", "non"]


def test_only_what_is_called_as_a_column_of_references_gets_another_title(tmp_path):
    (tmp_path / "in.tsv").write_text("mt\tref\treference 2\treference_date\nja\tja\tb\t2024\n")
    table = ("score", tmp_path / "in.tsv", "-s", "mt", "--reference-column", "ref", "-m", "chrf")
    command(*table, "--segments", tmp_path / "out.tsv")
    assert list(records(tmp_path / "out.tsv")[0])[2:4] == ["reference 2 (of the file)", "reference_date"]


def test_values_of_json_are_texts_or_numbers(tmp_path):
    rows = [{"mt": "ja", "ref": "ja", "n": 1.5, "meta": {"Jahr": 2024}, "tags": ["a", None]},
            {"mt": "да", "ref": "да", "n": None, "meta": None, "tags": []}]  # fmt: skip
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for ending in ("jsonl", "xlsx"):
        command("score", tmp_path / "in.jsonl", "-s", "mt", "-m", "chrf", "--segments", tmp_path / f"out.{ending}")
        first, second = records(tmp_path / f"out.{ending}")
        assert [first[name] for name in ("n", "meta", "tags")] == [1.5, '{"Jahr": 2024}', '["a", null]']
        assert [second[name] for name in ("n", "meta")] == [None, None]


def test_several_files_have_their_own_columns_side_by_side(tmp_path):
    (tmp_path / "one.tsv").write_text("id\tmt\tref\n1\tein Haus\tein Haus\n")
    (tmp_path / "two.tsv").write_text("nr\tmt\tref\nБ\tун кот\tодин кот\n")
    command(
        "score",
        tmp_path / "one.tsv",
        tmp_path / "two.tsv",
        "-s",
        "mt",
        "-m",
        "chrf",
        "--segments",
        tmp_path / "out.tsv",
    )
    assert [(each["id"], each["nr"]) for each in records(tmp_path / "out.tsv")] == [("1", ""), ("", "Б")]


LONG = ["id", "Fachgebiet", "system", "mt", "reference", "Kommentar", "Note"]
ANSWERS = [
    ["x-1", "Medizin", "A", "die Schwester", "die Krankenschwester", "falsch", "2"],
    ["x-2", "право", "A", "der Hof", "das Gericht", "суд?", "1"],
    ["x-2", "право", "B", "das Gericht", "das Gericht", "", "5"],
    ["x-1", "Medizin", "B", "die Pflegerin", "die Krankenschwester", "意见", "4"],
]


@pytest.mark.parametrize("read", ["csv", "jsonl", "xlsx"])
@pytest.mark.parametrize("written", ["csv", "xlsx"])
def test_of_a_row_for_each_item_and_system_each_comment_stands_beside_its_text(tmp_path, read, written):
    """Whatever the order of the rows: a comment on one system's text is none on another's."""
    path = tmp_path / f"long.{read}"
    if read == "xlsx":
        path.write_bytes(workbook([LONG, *ANSWERS]))
    elif read == "csv":
        path.write_text("\n".join(map(",".join, [LONG, *ANSWERS])), encoding="utf-8")
    else:
        path.write_text("\n".join(json.dumps(dict(zip(LONG, row, strict=True))) for row in ANSWERS))
    out = tmp_path / f"out.{written}"
    command("compare", path, "-m", "chrf", "--segments", out)
    found = records(out)
    titles = ["id", "Fachgebiet", "Kommentar", "Note"]
    assert list(found[0])[2:7] == [*titles, "system"]
    expected = {(row[0], row[2]): [row[0], row[1], row[5], row[6]] for row in ANSWERS}
    assert {(each["id"], each["system"]): [str(each[title] or "") for title in titles] for each in found} == expected
    text = "prediction" if written == "xlsx" else "candidate"
    texts = {(each["id"], each["system"]): each[text] for each in found}
    assert texts == {(row[0], row[2]): row[3] for row in ANSWERS}


def test_of_scores_that_are_read_there_are_no_columns_to_bring_back(tmp_path):
    (tmp_path / "long.csv").write_text("\n".join(map(",".join, [LONG, *ANSWERS])), encoding="utf-8")
    (found,) = tercet.read_test_sets(tmp_path / "long.csv", scores="Note")
    assert found.own_columns == {"id": ["x-1", "x-2"], "Fachgebiet": ["Medizin", "право"]}
    assert found.own_columns_by_system == {"Kommentar": {"A": ["falsch", "суд?"], "B": ["意见", ""]}}


def test_an_item_that_a_system_lacks_has_no_comment_there(tmp_path):
    rows = [LONG, *ANSWERS, ["x-3", "法律", "A", "das Recht", "das Gesetz", "да", "3"]]
    (tmp_path / "long.csv").write_text("\n".join(map(",".join, rows)), encoding="utf-8")
    with pytest.warns(UserWarning, match="scored as empty"):
        (found,) = tercet.read_test_sets(tmp_path / "long.csv", missing="empty")
    assert found.own_columns_by_system["Kommentar"] == {"A": ["falsch", "суд?", "да"], "B": ["意见", "", None]}


def test_tables_of_a_system_each_keep_their_comments(tmp_path):
    for name in "AB":
        (tmp_path / f"{name}.tsv").write_text(f"{name}\tref\tnote\nja {name}\tja\tfür {name}\nда\tда\t\n")
    command("compare", tmp_path / "A.tsv", tmp_path / "B.tsv", "-m", "chrf", "--segments", tmp_path / "out.csv")
    found = [(each["system"], each["note"]) for each in records(tmp_path / "out.csv")]
    assert found == [("A", "für A"), ("B", "für B"), ("A", ""), ("B", "")]


def long_tables(tmp_path, *, lacking=()):
    """Write tables of a human translation, which is the references, and of one system each."""
    paths = []
    for system in ("mt", "neu"):
        rows = [["id", "system", "text", "source", "Kommentar"]]
        texts = [("кошка спит", "кот спит"), ("猫が寝る", "猫は寝る"), ("es regnet", "Regen")]
        for item, (human, text) in enumerate(texts):
            for name, cell in (("human", human), (system, f"{text} {system}")):
                if (item, name) not in lacking:
                    rows.append([str(item), name, cell, f"source {item}", f"{name}: да {item}"])
        paths.append(tmp_path / f"{system}.tsv")
        paths[-1].write_text("\n".join(map("\t".join, rows)), encoding="utf-8")
    return paths


@pytest.mark.parametrize("called", [{"mine": "mt"}, {"mt": "mt", "neu": "neu"}, {"mine": "mt", "other": "neu"}])
def test_comments_on_a_translation_that_is_the_references_are_not_those_of_systems(tmp_path, called):
    long_tables(tmp_path)
    files = [f"{name}={tmp_path / system}.tsv" for name, system in called.items()]
    command("compare", *files, "--reference-column", "human", "-m", "chrf", "--segments", tmp_path / "out.csv")
    comments = {(each["system"], each["Kommentar"]) for each in records(tmp_path / "out.csv")}
    assert comments == {(name, f"{system}: да {item}") for name, system in called.items() for item in range(3)}


def test_what_the_references_lack_no_system_lacks(tmp_path):
    main, other = long_tables(tmp_path, lacking=[(1, "human")])
    for files in (main, {"mine": main}, [main, other], {"mine": main, "neu": other}):
        with pytest.warns(UserWarning, match="'human' lacks 1 of the 3 items"):
            (found,) = tercet.read_test_sets(files, reference_columns="human", missing="leave-out")
        assert (found.lost, found.n_all, found.n_segments) == ({"human": {"missing": 1}}, 3, 2)


def test_tables_that_are_joined_by_ids_bring_their_columns_back(tmp_path):
    (tmp_path / "refs.csv").write_text("id,reference,domain,note\n7,ja,право,r7\n8,nein,Medizin,r8\n")
    (tmp_path / "A.csv").write_text("id,mt,reviewer,note\n8,no,Лев,a8\n7,ja,Mia,a7\n")
    (tmp_path / "B.csv").write_text("id,mt,note\n7,jo,b7\n8,nein,b8\n")
    files = (tmp_path / "A.csv", tmp_path / "B.csv", "-r", tmp_path / "refs.csv")
    command("compare", *files, "-m", "chrf", "--segments", tmp_path / "out.jsonl")
    titles = ["id", "domain", "note", "reviewer", f"note of {tmp_path / 'A.csv'}", f"note of {tmp_path / 'B.csv'}"]
    assert [[each["system"], *(each[title] for title in titles)] for each in records(tmp_path / "out.jsonl")] == [
        ["A", "7", "право", "r7", "Mia", "a7", None],
        ["B", "7", "право", "r7", None, None, "b7"],
        ["A", "8", "Medizin", "r8", "Лев", "a8", None],
        ["B", "8", "Medizin", "r8", None, None, "b8"],
    ]


@pytest.mark.parametrize("asked", ["--segments", "--out"])
def test_a_sheet_of_segments_has_filters_and_colours_the_worst_scores(tmp_path, asked):
    command("compare", table(tmp_path, "xlsx"), *SCORED, "-m", "ter", asked, tmp_path / "out.xlsx")
    book = load_workbook(tmp_path / "out.xlsx")
    sheet = book["Segments"]
    head = [cell.value for cell in sheet[1]]
    assert sheet.auto_filter.ref == sheet.dimensions
    colours = {}
    for cells in sheet.conditional_formatting:
        (rule,) = cells.rules
        (column,) = {head[cell[0].column - 1] for cell in sheet[str(cells.sqref)]}
        assert [len(sheet[str(cells.sqref)]), rule.type] == [6, "colorScale"]
        colours[column] = [(each.type, colour.rgb[2:]) for each, colour in
                           zip(rule.colorScale.cfvo, rule.colorScale.color, strict=True)]  # fmt: skip
    assert colours == {
        "chrf_multi chrf": [("min", "F4B183"), ("max", "FFFFFF")],
        "ter ter": [("min", "FFFFFF"), ("max", "F4B183")],
    }
    others = [each for each in book if each.title != "Segments"]
    assert not any(each.auto_filter.ref or len(list(each.conditional_formatting)) for each in others)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "tsv", "xlsx"])
@pytest.mark.parametrize(("metric", "is_reverse"), [("chrf", False), ("ter", True)])
def test_the_worst_segments_may_come_first(tmp_path, ending, metric, is_reverse):
    out = tmp_path / f"out.{ending}"
    command("score", table(tmp_path, "tsv"), *SCORED[:4], "-m", metric, "--segments", out, "--worst-first")
    title = {"chrf": "chrf_multi chrf", "ter": "ter ter"}[metric]
    found = records(out)
    scores = [float(each[title]) for each in found]
    assert scores == sorted(scores, reverse=is_reverse)
    assert len({*scores}) > 2
    assert sorted(str(each["segment"]) + each["system"] for each in found) == ["1A", "1B", "2A", "2B", "3A", "3B"]
    assert {each["id"] for each in found if str(each["segment"]) == "2"} == {"x-2"}


def test_segments_without_a_score_come_last_and_test_sets_stay_apart(tmp_path):
    for name, numbers in [("one", ["0.5", "", "0.1"]), ("two", ["0.3", "0.2", ""])]:
        lines = "".join(f"да\tда\t{number}\n" for number in numbers)
        (tmp_path / f"{name}.tsv").write_text(f"mt\tref\tmt.COMET\n{lines}", encoding="utf-8")
    asked = ("--scores", "COMET", "--segments", tmp_path / "out.tsv", "--worst-first")
    command("score", tmp_path / "one.tsv", tmp_path / "two.tsv", *asked)
    found = [(each["test_set"], each["segment"]) for each in records(tmp_path / "out.tsv")]
    assert found == [("one", "3"), ("one", "1"), ("one", "2"), ("two", "2"), ("two", "1"), ("two", "3")]


def test_an_order_of_rows_needs_rows(tmp_path):
    message = (
        "--worst-first sorts rows of segments: give a file of them, as in --segments segments.xlsx, or a workbook of "
        "all results, as in --out results.xlsx."
    )
    for asked in [(), ("--out", tmp_path / "scores.csv")]:
        said = command("score", table(tmp_path, "tsv"), *SCORED, "--worst-first", *asked, code=2).stderr
        assert message in " ".join(said.split())
        assert "ray" not in said
    streamed = command("score", table(tmp_path, "tsv"), "--engine", "ray", "--worst-first", code=2).stderr
    assert "--worst-first does not work with --engine ray" in " ".join(streamed.split())


def test_the_sheet_of_segments_in_a_workbook_of_all_results_has_the_worst_first_too(tmp_path):
    for name in ("score", "compare"):
        out = tmp_path / f"{name}.xlsx"
        command(name, table(tmp_path, "tsv"), *SCORED[:4], "-m", "chrf", "--out", out, "--worst-first")
        head, *rows = load_workbook(out)["Segments"].values
        scores = [row[head.index("chrf_multi chrf")] for row in rows]
        assert scores == sorted(scores)
        assert [row[head.index("segment")] for row in rows] != [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("separator", "grade", "options", "decimal"),
    [(";", "4,5", (), ","), (";", "sehr gut", (), ","), (";", "4.5", (), "."),
     (";", "1.234", ("--decimal", "."), "."), (",", "4.5", (), "."), ("\t", "4.5", (), "."), ("|", "4.5", (), ".")],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1251"])
def test_a_csv_of_segments_is_written_as_the_file_is(tmp_path, separator, grade, options, decimal, encoding):
    rows = [["id", "mt", "ref", "Note"], ["1", "кот спит", "кот спал", grade], ["2", "дом", "дом", grade]]
    declared = f"sep={separator}\n" if separator == "|" else ""
    text = declared + "\n".join(map(separator.join, rows)) + "\n"
    (tmp_path / "in.csv").write_bytes(text.encode(encoding))
    options += ("--encoding", "cp1251") if encoding == "cp1251" else ()
    out = tmp_path / "out.csv"
    command("score", tmp_path / "in.csv", "-s", "mt", "-m", "chrf", "--segments", out, *options)
    written = out.read_text(encoding="utf-8")
    assert written.startswith("\ufeff") == (encoding in ("utf-8-sig", "utf-16"))
    head, first, _ = csv.reader(written.removeprefix("\ufeff").splitlines(), delimiter=separator)
    found = dict(zip(head, first, strict=True))
    assert (found["id"], found["Note"], found["candidate"]) == ("1", grade, "кот спит")
    assert decimal in found["chrf_multi chrf"]
    assert 0 < float(found["chrf_multi chrf"].replace(decimal, ".")) < 100


def test_of_several_dialects_none_is_taken_and_other_formats_have_none(tmp_path):
    (tmp_path / "one.csv").write_text("mt;ref\nja, ja;ja\n")
    (tmp_path / "two.csv").write_text("mt,ref\nno,non\n")
    for files, ending in [(("one", "two"), "csv"), (("one",), "tsv")]:
        paths = [tmp_path / f"{name}.csv" for name in files]
        command("score", *paths, "-m", "chrf", "--segments", tmp_path / f"out.{ending}")
        assert "." in records(tmp_path / f"out.{ending}")[0]["chrf_multi chrf"]

"""Systems in XLIFF or PO, references in a table: joined by source texts, or by the ids of units."""

import csv
import json
import re
import shlex
from xml.sax.saxutils import escape

import polib
import pytest

import tercet
from commands import command
from tercet.errors import InputError
from tercet.test_sets.read import read_test_sets

SOURCES = ["The sea.", "Fog & wind.", "Rain.", "Snow."]
MINE = ["Das Meer.", "Nebel & Wind da.", "Regen.", "Schnee fällt."]
OTHER = ["Die See.", "Nebel und Wind.", "Es regnet.", "Schnee."]
HUMAN = ["Das Meer.", "Nebel & Wind.", "Regen fällt.", "Schnee."]
IDS = ["u1", "u2", "u3", "u4"]


def xliff(path, texts, ids=IDS, sources=SOURCES):
    units = "".join(
        f'<trans-unit id="{id}"><source>{escape(source)}</source><target>{escape(text)}</target></trans-unit>'
        for id, source, text in zip(ids, sources, texts, strict=True)
    )
    path.write_text(
        '<xliff version="1.2"><file source-language="en" target-language="de-AT" original="x" datatype="plaintext">'
        f"<body>{units}</body></file></xliff>",
        encoding="utf-8",
    )
    return path


def po(path, texts, sources=SOURCES):
    catalogue = polib.POFile()
    catalogue.metadata = {"Content-Type": "text/plain; charset=utf-8", "Language": "de"}
    for source, text in zip(sources, texts, strict=True):
        catalogue.append(polib.POEntry(msgid=source, msgstr=text))
    catalogue.save(str(path))
    return path


def table(path, **columns):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def segments(path, *words):
    """Return the rows of a file of segments that a command writes, by their titles."""
    command(*words, "-m", "chrf", "--segments", path)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("write", [xliff, po])
def test_units_find_their_references_by_source_text_in_whatever_order(tmp_path, write):
    suffix = {xliff: "xlf", po: "po"}[write]
    mine, other = write(tmp_path / f"mine.{suffix}", MINE), write(tmp_path / f"other.{suffix}", OTHER)
    references = table(tmp_path / "refs.csv", note=list("abcd"), source=SOURCES[::-1], human=HUMAN[::-1])
    (test_set,) = read_test_sets([mine, other], references=references)
    assert test_set.systems == {"mine": MINE[::-1], "other": OTHER[::-1]}
    assert test_set.references == [[text] for text in HUMAN[::-1]]
    assert test_set.source == SOURCES[::-1]
    assert test_set.fields == f"{references}: references: 'human'; sources: 'source'; left out: 'note'."
    run = command("compare", f"A={mine}", other, "-r", references, "-m", "chrf", "-f", "json")
    alone = tercet.compare({"A": MINE[::-1], "other": OTHER[::-1]}, "chrf", references=HUMAN[::-1]).to_dict()
    assert json.loads(run.stdout)["test_sets"][0]["tables"][0]["systems"] == alone["tables"][0]["systems"]


def test_a_workbook_with_ids_alone_is_joined_by_these(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [("id", "translation of our agency"), *zip([4, 2, 1, 3], HUMAN, strict=True)]:
        book.active.append(row)
    book.save(tmp_path / "refs.xlsx")
    mine = xliff(tmp_path / "mine.xlf", MINE, ids="4213")
    (test_set,) = read_test_sets(mine, references=tmp_path / "refs.xlsx")
    assert (test_set.systems, test_set.references) == ({"mine": MINE}, [[text] for text in HUMAN])


def test_ids_may_be_numbers_and_sources_are_those_of_the_units(tmp_path):
    references = tmp_path / "refs.jsonl"
    rows = [{"id": number, "reference": text} for number, text in zip((3, 1, 4, 2), HUMAN, strict=True)]
    references.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    mine = xliff(tmp_path / "mine.xlf", MINE, ids="3142")
    other = xliff(tmp_path / "other.xlf", OTHER[::-1], ids="2413", sources=SOURCES[::-1])
    (test_set,) = read_test_sets([mine, other], references=references)
    assert test_set.systems == {"mine": MINE, "other": OTHER}
    assert (test_set.references, test_set.source) == ([[text] for text in HUMAN], SOURCES)
    assert test_set.ids == ["3", "1", "4", "2"]
    assert test_set.fields == f"{references}: references: 'reference'; ids of units: 'id'."


def test_a_table_of_sources_and_ids_is_joined_by_sources(tmp_path):
    """Numbers of rows may be called ids, and be other units' ids."""
    references = table(tmp_path / "refs.csv", id=["u4", "u3", "u2", "u1"], source=SOURCES, reference=HUMAN)
    (test_set,) = read_test_sets(xliff(tmp_path / "mine.xlf", MINE), references=references)
    assert (test_set.systems, test_set.references) == ({"mine": MINE}, [[text] for text in HUMAN])


def test_what_does_not_match_is_said_both_ways(tmp_path):
    mine = xliff(tmp_path / "mine.xlf", MINE[:3], IDS[:3], SOURCES[:3])
    by_source = table(tmp_path / "by_source.csv", source=[*SOURCES[1:], "Hail."], reference=[*HUMAN[1:], "Hagel."])
    by_id = table(tmp_path / "by_id.csv", id=[*IDS[1:], "u9"], reference=[*HUMAN[1:], "Hagel."])
    for references, lacking, further in (
        (by_source, "2 of the 4 source texts of .*by_source.csv, the first on line 4, 'Snow.'", "'The sea.'"),
        (by_id, "2 of the 4 ids of .*by_id.csv, the first on line 4, 'u4'", "'u1'"),
    ):
        with pytest.warns(UserWarning, match="left out for every system|not scored"):
            (test_set,) = read_test_sets(mine, references=references)
        assert (test_set.systems, test_set.references) == ({"mine": MINE[1:3]}, [[text] for text in HUMAN[1:3]])
        messages = test_set.warnings
        assert len(messages) == 2
        assert re.search(rf"mine\.xlf lacks {lacking}: left out for every system\.$", messages[0])
        assert f", the first on line 1, {further}: not scored." in messages[1]
    nothing = table(tmp_path / "nothing.csv", id=["7", "8"], reference=HUMAN[:2])
    with pytest.raises(InputError, match=r"No id of '.*', such as '7', can be joined with one of '.*', such as 'u1'"):
        read_test_sets(mine, references=nothing)


def test_several_columns_and_several_tables_are_several_references(tmp_path):
    mine = xliff(tmp_path / "mine.xlf", MINE)
    both = table(tmp_path / "both.csv", source=SOURCES, ref1=HUMAN, ref2=[*OTHER[:3], ""])
    expected = [*map(list, zip(HUMAN[:3], OTHER[:3], strict=True)), [HUMAN[3]]]
    (test_set,) = read_test_sets(mine, references=both)
    assert test_set.references == expected
    first = table(tmp_path / "first.csv", source=SOURCES, reference=HUMAN)
    second = table(tmp_path / "second.csv", reference=OTHER[2::-1], source=SOURCES[2::-1])
    with pytest.warns(UserWarning, match=r"second.csv lacks 1 of the 4 .*: these segments have one refer"):
        (test_set,) = read_test_sets(mine, references=[first, second])
    assert test_set.references == expected


def test_columns_may_be_named(tmp_path):
    mine = xliff(tmp_path / "mine.xlf", MINE)
    path = table(tmp_path / "refs.csv", English=SOURCES, Ann=OTHER, Ben=HUMAN)
    with pytest.raises(InputError, match=r"no column was recognized as sources \(.*source_column=\) or as ids"):
        read_test_sets(mine, references=path)
    with pytest.raises(InputError, match=r"no column was recognized as references .*'English', 'Ann', 'Ben'\."):
        read_test_sets(mine, references=path, source_column="English")
    options = ["-r", path, "--source-column", "English", "--reference-column", "Ben"]
    run = command("score", mine, *options, "-m", "chrf", "-f", "json")
    (found,) = json.loads(command("read", mine, *options, "-f", "json").stdout)["test_sets"]
    _, *arguments = shlex.split(found["command"])
    assert command(*arguments, "-m", "chrf", "-f", "json").stdout == run.stdout
    with pytest.raises(InputError, match=r"has no column 'Bem'\. Did you mean 'Ben'"):
        read_test_sets(mine, references=path, source_column="English", reference_columns="Bem")


def test_what_cannot_be_joined_is_refused(tmp_path):
    mine, catalogue = xliff(tmp_path / "mine.xlf", MINE), po(tmp_path / "mine.po", MINE)
    by_source = table(tmp_path / "by_source.csv", source=SOURCES, reference=HUMAN)
    by_id = table(tmp_path / "by_id.csv", id=IDS, reference=HUMAN)
    with pytest.raises(InputError, match=r"mine.po has no ids of units, and .*by_id.csv no sources, by which"):
        read_test_sets(catalogue, references=by_id)
    with pytest.raises(InputError, match=r"by_source.csv has sources, and .*by_id.csv only ids; expected sources \("):
        read_test_sets(mine, references=[by_source, by_id])
    with pytest.raises(InputError, match=r"\. Or give a table with a column of sources, or of the ids of units\."):
        read_test_sets(mine, references=[by_source, mine.rename(tmp_path / "a.txt")])


def test_segments_bring_back_the_ids_of_units_and_the_columns_of_the_table(tmp_path):
    mine = xliff(tmp_path / "mine.xlf", MINE)
    other = xliff(tmp_path / "other.xlf", OTHER[::-1], ids=["v4", "v3", "v2", "v1"], sources=SOURCES[::-1])
    numbers, notes = ["17", "3", "40", "5"], ["", "Fachwort prüfen", "см. выше", ""]
    references = table(tmp_path / "refs.csv", id=numbers, source=SOURCES, reference=HUMAN, comment=notes)
    (test_set,) = read_test_sets([mine, other], references=references)
    # Those of the first file.
    assert test_set.ids == IDS
    assert test_set.own_columns == {"id": numbers, "comment": notes}
    rows = segments(tmp_path / "out.csv", "compare", mine, other, "-r", references)
    assert [row["id"] for row in rows[::2]] == IDS
    assert [row["id (of the file)"] for row in rows[1::2]] == numbers
    assert [row["comment"] for row in rows[::2]] == notes


def test_a_unit_that_the_first_file_lacks_has_the_id_of_the_next(tmp_path):
    mine = xliff(tmp_path / "mine.xlf", MINE[1:], ids=IDS[1:], sources=SOURCES[1:])
    other = xliff(tmp_path / "other.xlf", OTHER, ids=["v1", "v2", "v3", "v4"])
    references = table(tmp_path / "refs.csv", source=SOURCES, reference=HUMAN, comment=list("abcd"))
    with pytest.warns(UserWarning, match="mine.xlf lacks 1 of the 4 source texts"):
        (test_set,) = read_test_sets([mine, other], references=references, missing="empty")
    assert (test_set.ids, test_set.own_columns) == (["v1", "u2", "u3", "u4"], {"comment": list("abcd")})
    with pytest.warns(UserWarning, match="mine.xlf lacks 1 of the 4 source texts"):
        (test_set,) = read_test_sets([mine, other], references=references)
    assert (test_set.ids, test_set.own_columns) == (["u2", "u3", "u4"], {"comment": list("bcd")})


def test_a_unit_that_the_first_file_lacks_has_the_source_of_the_next(tmp_path):
    mine = xliff(tmp_path / "mine.xlf", MINE[1:], ids=IDS[1:], sources=SOURCES[1:])
    other = xliff(tmp_path / "other.xlf", OTHER)
    references = table(tmp_path / "refs.csv", id=IDS, reference=HUMAN)
    with pytest.warns(UserWarning, match="mine.xlf lacks 1 of the 4 ids .* scored as empty texts"):
        (test_set,) = read_test_sets([mine, other], references=references, missing="empty")
    assert (test_set.ids, test_set.source) == (IDS, SOURCES)
    assert test_set.systems["mine"] == ["", *MINE[1:]]


def test_tables_joined_by_ids_bring_their_columns_back_too(tmp_path):
    mine = xliff(tmp_path / "mine.xlf", MINE, ids="4213")
    first = table(tmp_path / "first.csv", id=list("1234"), reference=HUMAN, note=list("wxyz"))
    second = table(
        tmp_path / "second.csv", id=list("4321"), reference=OTHER[::-1], note=list("ABCD"), by=list("efgh")
    )
    (test_set,) = read_test_sets(mine, references=[first, second])
    assert test_set.ids == list("1234")
    # A name that both have is the first table's.
    assert test_set.own_columns == {"note": list("wxyz"), "by": list("hgfe")}


def test_units_of_catalogues_have_no_ids(tmp_path):
    references = table(tmp_path / "refs.csv", source=SOURCES, reference=HUMAN, id=list("1234"))
    (test_set,) = read_test_sets(po(tmp_path / "mine.po", MINE), references=references)
    assert (test_set.ids, test_set.own_columns) == (None, {"id": list("1234")})

"""Files in other encodings than UTF-8, named by a user or guessed in errors; and sheets of workbooks."""

import itertools

import openpyxl
import pytest

import tercet
from commands import command
from tercet.errors import InputError, OptionError

#: A text, and the encodings in which people save its language.
TEXTS = {
    "cp1252": ("Der Bäcker öffnet früh, sagt Jörg.", "Le café où l’on dîne est fermé."),
    "cp1251": ("Пекарь открывает лавку рано утром.", "Мы идём домой по тихой улице."),
    "koi8_r": ("Пекарь открывает лавку рано утром.", "Мы идём домой по тихой улице."),
    "gb18030": ("我们在这个城市里住了很多年。", "他说这是一本好书。"),
    "cp950": ("我們在這個城市裡住了很多年。", "他說這是一本好書。"),
    "cp932": ("今日はとても寒いです。", "猫が窓の外を見ています。"),
    "cp949": ("오늘은 날씨가 무척 춥습니다.", "고양이가 창밖을 봅니다."),
    "cp1255": ("החתול ישן.", "בוקר טוב."),
    # With a letter of a private font, which is no sign of a text.
    "utf-16-le": ("Snow fell on Monday.", "The café was closed \ue0ff."),
}
OTHERS = {
    "iso-8859-15": ("Le café coûte 3 €.", "Où est l’œuvre ?".replace("’", "'")),
    "cp1250": ("Zażółć gęślą jaźń.", "Příliš žluťoučký kůň."),
    "cp1253": ("Η γάτα κοιμάται.", "Καλημέρα σας."),
    "cp1256": ("القطة نائمة.", "صباح الخير."),
    "cp874": ("แมวนอนหลับ", "สวัสดีตอนเช้า"),
    "shift_jis": ("今日はとても寒いです。", "猫が窓の外を見ています。"),
    "utf-16-be": ("Снег шёл весь день.", "雪が降った。"),
}


@pytest.mark.parametrize(("encoding", "texts"), [*TEXTS.items(), *OTHERS.items()], ids=[*TEXTS, *OTHERS])
def test_texts_and_tables_are_read_in_the_encoding_that_is_named(tmp_path, encoding, texts):
    for separator, ending in [(",", "csv"), (";", "csv"), ("\t", "tsv")]:
        rows = [["mt", "reference"], *([f'"{text}"', f'"{text}"'] for text in texts)]
        path = tmp_path / f"table.{ending}"
        path.write_bytes("".join(f"{separator.join(row)}\r\n" for row in rows).encode(encoding))
        (test_set,) = tercet.read_test_sets(path, encoding=encoding)
        assert [text.strip('"') for text in test_set.systems["mt"]] == list(texts)
    for name in ("mt.txt", "ref.txt"):
        (tmp_path / name).write_bytes("".join(f"{text}\n" for text in texts).encode(encoding))
    (test_set,) = tercet.read_test_sets(tmp_path / "mt.txt", references=tmp_path / "ref.txt", encoding=encoding)
    assert (test_set.systems["mt"], test_set.references) == (list(texts), [[text] for text in texts])


def test_a_mark_of_byte_order_says_more_than_the_option(tmp_path):
    """The option is for all files, of which some may have been saved anew."""
    for mark in ("utf-8-sig", "utf-16"):
        (tmp_path / "a.csv").write_bytes("mt;ref\nfrüh;früher\n".encode(mark))
        (test_set,) = tercet.read_test_sets(tmp_path / "a.csv", encoding="cp1252")
        assert test_set.systems == {"mt": ["früh"]}


def test_what_may_be_utf_8_is_warned_of(tmp_path):
    (tmp_path / "a.csv").write_text("mt;ref\nfrüh;früher\n", encoding="utf-8")
    with pytest.warns(
        UserWarning, match=r"a\.csv: its bytes may be UTF-8; they are read as cp1252, as encoding= says"
    ):
        tercet.read_test_sets(tmp_path / "a.csv", encoding="cp1252")


@pytest.mark.parametrize("encoding", TEXTS)
def test_an_error_says_what_the_bytes_look_like_and_how_to_save_them(tmp_path, encoding):
    rows = [("mt", "ref"), *itertools.repeat(TEXTS[encoding], 3)]
    content = "".join(f"{one};{other}\r\n" for one, other in rows)
    for name, saving in [
        ("a.csv", 'save it in Excel by File > Save As as "CSV UTF-8 (Comma delimited) (*.csv)"'),
        ("a.txt", "save it as UTF-8"),
    ]:
        (tmp_path / name).write_bytes(content.encode(encoding))
        with pytest.raises(InputError) as caught:
            tercet.read_test_sets(tmp_path / name, need_references=False)
        assert f"expected text saved as UTF-8. Its bytes look like {encoding} (" in str(caught.value)
        assert str(caught.value).endswith(f"): {saving}, or give encoding={encoding!r}.")
    asked = command("score", tmp_path / "a.csv", code=2)
    assert f"or give --encoding {encoding}." in asked.stderr


@pytest.mark.parametrize("encoding", ["gb18030", "cp932", "utf-16-le"])
def test_of_a_large_file_whole_lines_are_looked_at(tmp_path, encoding):
    """Wherever the part that is looked at ends: it may do so within a letter."""
    for before in ("", "a", "ab", "abc"):
        content = before + "\n".join(TEXTS[encoding] * 1500)
        (tmp_path / "a.txt").write_bytes(content.encode(encoding))
        with pytest.raises(InputError, match=rf"Its bytes look like {encoding} \("):
            tercet.read_test_sets(tmp_path / "a.txt", need_references=False)


@pytest.mark.parametrize("encoding", ["cp1253", "cp874", "cp1256"])
def test_what_cannot_be_told_apart_is_not_guessed(tmp_path, encoding):
    (tmp_path / "a.txt").write_bytes("\n".join(OTHERS[encoding] * 4).encode(encoding))
    with pytest.raises(
        InputError, match=r"To read it, save it as UTF-8, or name its encoding, as in encoding='cp1252'"
    ):
        tercet.read_test_sets(tmp_path / "a.txt", need_references=False)


def test_formats_that_are_always_in_utf_8_take_no_other(tmp_path):
    (tmp_path / "a.jsonl").write_bytes('{"mt": "früh", "ref": "spät"}\n'.encode("cp1252"))
    with pytest.raises(
        InputError, match=r"UTF-8\. Its bytes look like cp1252 \(Western European\): save it as UTF-8\.$"
    ):
        tercet.read_test_sets(tmp_path / "a.jsonl")
    with pytest.raises(OptionError, match=r"encoding= is for text files, TSV and CSV; '.*a\.jsonl' is none"):
        tercet.read_test_sets(tmp_path / "a.jsonl", encoding="cp1252")


def test_what_is_no_encoding_or_not_the_files_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes("mt;ref\nearly;é\n".encode("cp1252"))
    for encoding, hint in [("cp1525", "cp1252"), ("hex", ""), ("idna", ""), ("shift-jisx", "shift_jis"), (7, "")]:
        with pytest.raises(OptionError, match=rf"encoding= must be the name of an encoding of texts.*{hint}"):
            tercet.read_test_sets(tmp_path / "a.csv", encoding=encoding)
    with pytest.raises(
        InputError, match=r"line 2: found the byte 0xe9, which is not ascii; expected that encoding, as"
    ):
        tercet.read_test_sets(tmp_path / "a.csv", encoding="ascii")


@pytest.fixture
def book(tmp_path):
    """A workbook with four sheets, one hidden and one called like a number."""
    made = openpyxl.Workbook()
    for name, text in [("Runde 1", "eins"), ("alt", "zwei"), ("第三轮", "drei"), ("7", "vier")]:
        sheet = made.create_sheet(name)
        sheet.append(["mt", "reference"])
        sheet.append([text, text])
    made.remove(made["Sheet"])
    made["alt"].sheet_state = "hidden"
    made.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


@pytest.mark.parametrize(
    ("sheet", "text"),
    [
        ("Runde 1", "eins"),
        ("第三轮", "drei"),
        ("alt", "zwei"),
        (1, "eins"),
        ("2", "drei"),
        (3, "vier"),
        ("7", "vier"),
    ],
)
def test_a_sheet_is_chosen_by_name_or_number(book, sheet, text):
    (test_set,) = tercet.read_test_sets(book, sheet=sheet)
    assert test_set.systems == {"mt": [text]}


def test_the_command_takes_both(book, tmp_path):
    (tmp_path / "a.csv").write_bytes("mt;reference\nbientôt;bientôt\n".encode("cp1252"))
    scored = command("score", book, tmp_path / "a.csv", "--sheet", "第三轮", "--encoding", "cp1252", "-m", "chrf")
    assert "sheet '第三轮'" in scored.stderr
    assert "drei" in command("explain", "chrf", book, "--sheet", "2").stdout
    assert "bientôt" in command("explain", "chrf", tmp_path / "a.csv", "--encoding", "cp1252").stdout
    (tmp_path / "b.csv").write_bytes("a;b\nÄpfel;Äpfel\nübrig;übrig\n".encode("cp1252"))
    assert "Äpfel" in command("mbr", tmp_path / "b.csv", "--encoding", "cp1252", "-m", "chrf").stdout


def test_of_a_sheet_that_is_not_there_those_that_are_are_named(book, tmp_path):
    for sheet in ("Runde 2", 0, 9):
        with pytest.raises(
            InputError, match=r"book\.xlsx has no sheet .* for sheet=; .*: 1 'Runde 1', 2 '第三轮', 3 '7'\."
        ):
            tercet.read_test_sets(book, sheet=sheet)
    with pytest.raises(OptionError, match=r"sheet= must be the name of a sheet, or its number from 1\. Got True"):
        tercet.read_test_sets(book, sheet=True)
    (tmp_path / "a.csv").write_text("mt,ref\na,b\n")
    with pytest.raises(OptionError, match=r"sheet= is for workbooks \(\.xlsx\); '.*a\.csv' is none"):
        tercet.read_test_sets(tmp_path / "a.csv", sheet="Runde 1")


def test_the_warning_of_other_sheets_says_how_to_read_them(book):
    with pytest.warns(
        UserWarning, match="only this sheet is read, not '第三轮', '7': sheet='第三轮' reads another one"
    ):
        tercet.read_test_sets(book)

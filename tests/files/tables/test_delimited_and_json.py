"""Files of texts in columns: how each format is read, what its columns hold, and what is refused and why."""

import csv
import gzip
import io
import json
import re
import resource
import subprocess
import sys
from itertools import product

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tercet.errors import InputError
from tercet.files.columns.roles import guess_roles
from tercet.files.formats import READERS, SUFFIXES
from tercet.files.limits import Limits
from tercet.files.read import predictions_in, read_table, references_in
from tercet.files.rows import table_of_rows
from tercet.files.table import MOST_COLUMNS, Roles, Table
from texts import all_pairs, any_texts
from workbooks import workbook


def items(table, system, references):
    return predictions_in(table, system), references_in(table, references)


def read(text, format, encoding="utf-8"):
    """Read a text, or bytes, as a file of a format."""
    data = text if isinstance(text, bytes) else text.encode(encoding)
    return READERS[format](io.BytesIO(data), f"test.{format}")


def written(write, columns):
    """Return the bytes of a file of columns that pyarrow writes."""
    out = io.BytesIO()
    write(pa.table(columns), out)
    return out.getvalue()


def refusal(text, format):
    """Return the message with which a file is refused."""
    with pytest.raises(InputError) as caught:
        read(text, format)
    assert f"test.{format}" in str(caught.value)
    return str(caught.value)


def written_with_quotes(rows, **options):
    out = io.StringIO()
    csv.writer(out, **options).writerows(rows)
    return out.getvalue()


def rows_of(table):
    """Return the header and the rows of a table."""
    return [list(table.columns), *map(list, zip(*table.columns.values(), strict=True))]


#: Texts without what no file of text holds, the NUL character.
cells = any_texts.filter(lambda text: "\0" not in text)
names = st.lists(st.text("abcßжあ12", min_size=1), min_size=2, max_size=4, unique=True)


@st.composite
def tables(draw, cell=cells):
    header = draw(names)
    row = st.lists(cell, min_size=len(header), max_size=len(header))
    # A blank row is none.
    rows = draw(st.lists(row.filter(lambda cells: any(map(str.strip, cells))), min_size=1, max_size=6))
    return [header, *rows]


@pytest.mark.parametrize(("format", "text"), [("tsv", "src\tref\na\tb\n"), ("csv", "src,ref\na,b\n")])
def test_the_first_row_names_the_columns(format, text):
    assert rows_of(read(text, format)) == [["src", "ref"], ["a", "b"]]


def test_rows_stay_those_of_who_gives_them():
    rows = [(1, ["mt", "ref"]), (2, ["кот", "猫"]), (3, [""]), (4, [""])]
    assert table_of_rows(rows, "t").columns == {"mt": ["кот"], "ref": ["猫"]}
    assert [line for line, _ in rows] == [1, 2, 3, 4]


class TestWhatAFileIs:
    def test_its_suffix_says_in_any_case(self, tmp_path):
        tuv = '<tuv lang="{}"><seg>{}</seg></tuv>'
        contents = {
            "tsv": b"mt\tref\na\tb\n",
            "csv": b"mt,ref\na,b\n",
            "jsonl": b'{"mt": "a", "ref": "b"}\n',
            "tmx": f"<tmx><body><tu>{tuv.format('mt', 'a')}{tuv.format('ref', 'b')}</tu></body></tmx>".encode(),
            "xlsx": workbook([["mt", "ref"], ["a", "b"]]),
            "parquet": written(pq.write_table, {"mt": ["a"], "ref": ["b"]}),
            "arrow": written(feather.write_feather, {"mt": ["a"], "ref": ["b"]}),
        }
        for suffix, format in SUFFIXES.items():
            # Those of bilingual files and transcripts have tests of their own.
            if format not in contents:
                continue
            for name in (f"test{suffix}", f"TEST{suffix.upper()}"):
                (tmp_path / name).write_bytes(contents[format])
                table = read_table(tmp_path / name)
                assert (table.name, table.columns) == (name, {"mt": ["a"], "ref": ["b"]})

    def test_a_format_that_is_given_wins(self, tmp_path):
        (tmp_path / "test.txt").write_text("mt\na b\n")
        assert read_table(str(tmp_path / "test.txt"), format="tsv").columns == {"mt": ["a b"]}

    def test_what_is_gzipped_is_to_be_unpacked(self, tmp_path):
        (tmp_path / "test.tsv.gz").write_bytes(gzip.compress(b"mt\tref\na\tb\n"))
        with pytest.raises(InputError, match=r"^test\.tsv\.gz is, judging by its extension, gzipped: unpack it\.$"):
            read_table(tmp_path / "test.tsv.gz")
        with pytest.raises(InputError, match=r"^test\.tsv\.gz is gzipped: unpack it\.$"):
            read_table(tmp_path / "test.tsv.gz", format="tsv")

    def test_what_cannot_be_opened_or_has_an_unknown_name_is_refused(self, tmp_path):
        (tmp_path / "folder.csv").mkdir()
        other = "{} is, judging by its extension, a workbook.*save it as an Excel workbook"
        for name, format, message in (
            ("test.xls_", None, r"test\.xls_: .*\.tsv \.tab \.csv \.jsonl \.ndjson \.tmx.*tsv, csv"),
            ("test.tsv", "json", r"no format is called 'json'\. Did you mean 'jsonl'\?"),
            ("none.tsv", None, r"^none\.tsv cannot be read: No such file"),
            ("folder.csv", None, r"^folder\.csv cannot be read"),
            *((name, None, other.format(name)) for name in ("test.xlsb", "TEST.XLS", "test.ods")),
        ):
            with pytest.raises(InputError, match=message):
                read_table(tmp_path / name, **({"format": format} if format else {}))


class TestEncodings:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    def test_utf8_and_utf16_of_every_script(self, encoding):
        predictions, references = all_pairs()
        expected = {"mt": predictions, "ref": [texts[0] for texts in references]}
        rows = [list(expected), *zip(*expected.values(), strict=True)]
        objects = [json.dumps(dict(zip(expected, row, strict=True)), ensure_ascii=False) for row in rows[1:]]
        written = {"tsv": "\n".join(map("\t".join, rows)), "csv": written_with_quotes(rows),
                   "jsonl": "\n".join(objects)}  # fmt: skip
        for format, text in written.items():
            assert read(text, format, encoding).columns == expected
            # A program that does not know marks of byte order saves one before another.
            assert read(f"\ufeff{text}", format, encoding).columns == expected

    def test_utf16_without_a_mark(self):
        """As some programs export it; Chinese alone has NUL bytes in its tabs and line ends only."""
        for one, other, *row in (["mt", "ref", "ein Hund", "le café"], ["译文", "参考", "上海很大", "上海 大"]):
            text = f"{one}\t{other}\r\n{row[0]}\t{row[1]}\r\n"
            for encoding, format in product(("utf-16-le", "utf-16-be"), ("tsv", "csv")):
                assert read(text.encode(encoding), format).columns == {one: row[:1], other: row[1:]}

    def test_other_bytes_are_refused_as_what_they_are(self):
        old_mac = "has old Mac line ends (CR); expected LF or CRLF: save the file with those."
        utf_32 = "is UTF-32, which is not supported; expected text saved as UTF-8."
        cases = [
            ("mt\none\nnaïve\n".encode("latin-1"), "line 3: found the byte 0xef, which is not UTF-8; expected"),
            ("mt\na\n".encode("utf-16") + b"\x00\xdc", "line 3: found the byte 0x00, which is not UTF-16"),
            (b"mt\na\0\n", "line 2: found a NUL character"),
            (b"mt\ra\rb\r", old_mac),
            ('{"mt": "a"}\r{"mt": "b"}\r'.encode("utf-16"), old_mac),
            ("\ufeffmt\n猫\n".encode("utf-32-le"), utf_32),
            ("\ufeffmt\n猫\n".encode("utf-32-be"), utf_32),
            (gzip.compress(b"mt\na\n"), "is gzipped: rename it to test.{}.gz, or unpack it."),
            (b"PK\x03\x04\x14\x00", "is a ZIP archive, as workbooks (.xlsx, .ods)"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1", "is a workbook (.xls)"),
            (b"PAR1\x15\x04", "is a Parquet file"),
            (b"%PDF-1.7\n", "is a PDF"),
        ]  # fmt: skip
        for format in ["tsv", "csv", "jsonl"]:
            for data, message in cases:
                comma = "," if message.startswith("line") else ""
                assert refusal(data, format).startswith(f"test.{format}{comma} {message.format(format)}")

    def test_a_carriage_return_in_a_line_or_a_cell_is_text(self):
        assert read('{"mt": "a"}\r', "jsonl").columns == {"mt": ["a"]}
        assert "has a header (mt, ref) and no rows" in refusal("mt,ref\r", "csv")
        assert read('mt,ref\n"a\rb",c\n', "csv").columns == {"mt": ["a\rb"], "ref": ["c"]}


class TestTsv:
    def test_a_quote_is_a_character(self):
        cases = [
            '"Hi," he said.\tHe said "hi".\n5" wide\t"\n"Yes."\t"No."',  # as people write
            *('"a\tb\nc"\td', '"a"\t"b"', 'He said ""hi"".\tb', '""hi""\tb', '"\t"'),
            '"A ""cat""."\ta 5" pipe',  # one quote elsewhere shows that no program quoted
        ]
        for rows in cases:
            expected = [["mt", "ref"], *(line.split("\t") for line in rows.split("\n"))]
            assert rows_of(read(f"mt\tref\n{rows}\n", "tsv")) == expected
        # nor does a quoted header, where a row would lack a cell
        text = '"mt"\tref\na\tb\n"c\td"'
        assert rows_of(read(text, "tsv")) == [line.split("\t") for line in text.split("\n")]

    def test_quotes_of_pandas_or_a_spreadsheet_go(self):
        rows = [["mt", "ref"], ['A "cat".', "a\tb"], ["two\nlines", "c"], ["d", "e"]]
        table = read(written_with_quotes(rows, delimiter="\t"), "tsv")
        assert (rows_of(table), table.lines) == (rows, [2, 3, 5])
        quoted = written_with_quotes([["mt", "ref"], ["a", "b"]], delimiter="\t", quoting=csv.QUOTE_ALL)
        assert rows_of(read(quoted, "tsv")) == [["mt", "ref"], ["a", "b"]]

    @given(tables(st.text(st.characters(exclude_categories=("Cs",), exclude_characters='\0\t\r\n"'), max_size=20)))
    def test_lines_and_tabs_come_back(self, rows):
        rows[-1][-1] += "."  # else the last line may be empty, and no row
        text = "".join("\t".join(row) + "\n" for row in rows)
        assert rows_of(read(text, "tsv")) == rows
        assert rows_of(read(text.replace("\n", "\r\n"), "tsv")) == rows
        assert rows_of(read(text.rstrip("\n"), "tsv", "utf-16")) == rows


class TestCsv:
    def test_the_header_shows_the_separator(self):
        for separator in [",", ";"]:
            rows = [["mt", "ref", "a;b,c"], ["one; two, three", "x", "y"]]
            assert rows_of(read(written_with_quotes(rows, delimiter=separator), "csv")) == rows

    def test_a_quote_in_a_cell_without_quotes_is_a_character(self):
        assert read('mt,ref\na 5" pipe,b\n', "csv").columns["mt"] == ['a 5" pipe']

    @given(tables(), st.sampled_from(",;\t"), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
    @example([["a", "b"], ['say "hi"', "two\nlines"]], "\t", csv.QUOTE_ALL)
    def test_what_the_csv_module_writes_comes_back(self, rows, separator, quoting):
        """With tabs it is what pandas writes as a TSV, where all cells are quoted."""
        quoting = csv.QUOTE_ALL if separator == "\t" else quoting
        text = written_with_quotes(rows, delimiter=separator, quoting=quoting)
        table = read(text, "tsv" if separator == "\t" else "csv")
        assert rows_of(table) == rows == list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
        assert table.lines[0] == 2

    def test_a_quote_that_does_not_close_its_cell_is_refused(self):
        for rows, message in [
            ('a,b\n"say "hi"",c', "line 3: the quote that closes cell 1 is followed by 'hi\"\"'; expected ','"),
            ('a,b\nc,"d\ne,f', "line 3: the quote that opens cell 2 is never closed"),
        ]:
            assert refusal(f"mt,ref\n{rows}\n", "csv").startswith(f"test.csv, {message}")


@pytest.mark.parametrize(("format", "separator"), [("tsv", "\t"), ("csv", ",")])
class TestRowsAndHeaders:
    def test_that_are_none_are_refused(self, format, separator):
        cells = ", line 3: expected 2 cells, as in the header, found"
        for text, message in [
            ("mt,ref\na,b\na\nc,d\n", f"{cells} 1."),
            ("mt,ref\na,b\na,b,c\nc,d\n", f"{cells} 3."),
            ("ref,mt,ref \na,b,c\n", ", line 1: the column 'ref' appears twice; expected distinct names."),
            ("mt,ref\n\n", " has a header (mt, ref) and no rows; expected a row per item."),
        ]:
            assert refusal(text.replace(",", separator), format) == f"test.{format}{message}"
        for text, found in [("", "it is empty"), ("\n", "first line"), ("\na,b\n", "and no rows")]:
            assert found in refusal(text, format)

    def test_empty_lines_at_the_end_are_rows_of_one_column_only(self, format, separator):
        assert read("mt,ref\na,b\n\n\r\n\n".replace(",", separator), format).lines == [2]
        assert read("mt\na\n\nb\n\n", format).columns == {"mt": ["a", "", "b", ""]}

    def test_a_column_without_a_name_is_called_by_its_place(self, format, separator):
        assert list(read(", mt \n0,a\n".replace(",", separator), format).columns) == ["column 1", "mt"]

    def test_a_cell_may_be_of_any_size(self, format, separator):
        long = "naïve " * 400_000
        for cell in (long, f'"{long}"'):
            table = read(f"mt{separator}ref\n{cell}{separator}b", format)
            assert long in table.columns["mt"][0]

    def test_more_columns_than_any_table_has_are_refused(self, format, separator):
        assert "line 1: more than 500 c" in refusal(separator * 1_000_000 + "a\n", format)
        text = f"mt{separator}ref\n{separator.join('b' * 1_000)}\n"
        assert f"line 2: {'more than 500' if format == 'csv' else 'expected 2'} cells" in refusal(text, format)


class TestJsonl:
    def test_a_key_that_is_not_there_is_null(self):
        table = read('{"mt": "a"}\n\n{"ref": ["b", null], "mt": null}\r\n{"mt": NaN, "bleu": 1e3}', "jsonl")
        assert table.columns == {"mt": ["a", None, None], "ref": [None, ["b", None], None], "bleu": [None, None, 1e3]}
        assert table.lines == [1, 3, 4]

    def test_a_key_that_an_object_has_twice_is_refused(self):
        """Either value may be the one that was meant; JSON readers take the last, and would score it in silence."""
        own, inner = '{"mt": "a", "ref": "b", "mt": "a"}', '{"hyps": {"mt": "a", "mt": "b"}}'
        for line in [own, inner, r'{"m\u0074": 1, "mt": null}']:
            message = refusal('{"mt": "a"}\n' + line, "jsonl")
            assert message == "test.jsonl, line 2: the key 'mt' appears twice; expected distinct keys."
        assert read('{"mt": "a", "x": [{"mt": 1}, {"mt": 2}]}', "jsonl").columns["mt"] == ["a"]

    def test_what_is_no_object_is_refused_with_its_line_and_reason(self):
        for line, reason in [
            ('{"mt": "a"', "not JSON"),
            ("mt", r"not JSON \(Expecting value, column 1\); expected an object"),
            ('\ufeff{"mt": "a"}', r"Unexpected byte order mark, column 1"),
            ('["a"]', r"found \['a'\]; expected an object"),
            ("null", "found None; expected an object"),
            *((deep * 200_000, "nested too deeply") for deep in ("[", '{"a":')),
            ('{"mt": ' + "9" * 5_000 + "}", "digits"),
            *((rf"{{{each}}}", "lone surrogate") for each in (r'"mt": "\ud800"', r'"\ud800": "a"')),
            ('{"mt": "a\tb"}', "Invalid control character"),
        ]:
            message = refusal('{"mt": "a"}\n' + line, "jsonl")
            assert message.startswith("test.jsonl, line 2: ")
            assert re.search(reason, message)
        assert refusal("\n \n", "jsonl") == "test.jsonl is empty; expected a JSON object per line."
        assert read(r'{"mt": "\ud83c\udf89"}', "jsonl").columns == {"mt": ["🎉"]}  # an escaped pair of surrogates

    def test_rows_or_objects_that_share_no_key_are_refused_before_they_fill_the_memory(self):
        wide = {f"key {outer}": {f"{outer} {inner}": "" for inner in range(400)} for outer in range(400)}
        for lines, line in (
            ("\n".join(json.dumps({f"key {number}": 0}) for number in range(100_000)), MOST_COLUMNS + 1),
            ("\n".join(json.dumps({"mt": {f"key {number}": ""}}) for number in range(100_000)), MOST_COLUMNS),
            (json.dumps(wide), 1),
        ):
            assert f"line {line}: more than {MOST_COLUMNS} different columns" in refusal(lines, "jsonl")

    def test_objects_of_texts_are_columns(self):
        lines = (
            '{"id": "1", "hyps": {"online-A": "a", "система": "б"}, "refs": ["c"], "human": {"online-A": {}}}\n'
            '{"id": "2", "hyps": {"system 3": "d", "online-A": null}, "refs": ["e"], "human": null}\n'
            '{"id": "3", "hyps": {}, "refs": null}\n\n{"hyps": null}\n'
        )
        table = read(lines, "jsonl")
        assert table.columns == {
            "id": ["1", "2", "3", None],
            "online-A": ["a", None, None, None],
            "система": ["б", None, None, None],
            "system 3": [None, "d", None, None],
            "refs": [["c"], ["e"], None, None],
            "human": [{"online-A": {}}, None, None, None],
        }
        assert table.lines == [1, 2, 3, 5]
        assert guess_roles(table) == Roles(None, ("refs",), ("online-A", "система", "system 3"))

    def test_columns_of_objects_are_called_so_that_they_differ_and_tell_their_role(self):
        for line, columns in [
            ('{"mt": "a", "hyps": {"mt": "b", "A": "c"}}', ["mt", "hyps.mt", "A"]),
            ('{"hyps": {"A": "a", "B": "b"}, "rewritten": {"A": "c"}}', ["hyps.A", "B", "rewritten.A"]),
            ('{"hyps": {"A": "a", "B": "b"}, "post_edited": {"A": "c"}}', ["A", "B", "post_edited.A"]),
            ('{"hyps": {"hyps": "a"}}', ["hyps"]),
            ('{"translation": {"en": "a", "de": "b"}}', ["en", "de"]),
            # what the outer name tells of a role is kept where the inner one tells something else, or nothing
            ('{"refs": {"A": "a", "ref B": "b"}}', ["refs.A", "ref B"]),
            ('{"src": {"en": "a"}}', ["src.en"]),
            ('{"hyps": {"human": "a", "A": "b"}}', ["hyps.human", "A"]),
            ('{"hyps": {"A": "a"}, "sys_name": {"A": "Google"}}', ["A", "sys_name.A"]),
        ]:
            assert list(read(line, "jsonl").columns) == columns
        line = '{"a": {"b.c": "x", "d": "y"}, "a.b": {"c": "z"}, "b.c": "", "c": ""}'
        assert refusal(line, "jsonl") == "test.jsonl: the column 'a.b.c' appears twice; expected distinct names."

    def test_other_objects_are_cells(self):
        for value in ['{"a": 1}', '{"a": ["b", 2]}', '{"a": "b", "c": {}}', "{}", '["a"]']:
            assert read(f'{{"mt": {value}}}', "jsonl").columns == {"mt": [json.loads(value)]}
            beside_texts = read(f'{{"mt": {{"a": "b"}}}}\n{{"mt": {value}}}\n', "jsonl")
            assert list(beside_texts.columns) == ["a" if value == "{}" else "mt"]

    @given(
        st.lists(st.dictionaries(any_texts, any_texts | st.none() | st.lists(any_texts)), min_size=1), st.booleans()
    )
    def test_what_the_json_module_writes_comes_back(self, rows, escaped):
        table = read("\n".join(json.dumps(row, ensure_ascii=escaped) for row in rows), "jsonl")
        keys = list(dict.fromkeys(key for row in rows for key in row))
        assert table.columns == {key: [row.get(key) for row in rows] for key in keys}


class TestRoles:
    def roles(self, *names, cells=("a text",)):
        return guess_roles(Table("test.tsv", {name: list(cells) for name in names}, [2]))

    def test_of_names(self):
        cases = [
            ("reference", "ref,REF,ref_2,refA,ref-B,refs,reference,reference1,Reference 3,References,target"),
            ("reference", "target_text,labels,gold,gold_output,summary,reference summary,highlights,refs.A"),
            ("source", "source,SRC,Source Text,input,document,text,article,mr"),
            ("system", "prediction,Candidate,hypothesis,hyp_1,mt,system,output2,online-A,GPT-4,pos,neg,hyps.human"),
            ("system", "system_summary,prompt_v2,predicted_text,target_mt,翻訳,перевод 2,1"),
            ("about", "id,doc_id,source_lang,lp,mt_score,referenceId,Domain,system_name"),
            ("reference", "Referenz,Referenz1,Referenzübersetzung,référence,REFERENCE_2,traduction de référence"),
            ("reference", "referencia,Traducción de referencia,referência,Riferimento,Эталон,эталонный перевод"),
            ("reference", "参考译文,参考译文2,標準 參考譯文,参照訳,正解1,参考訳,참조 2,참고 번역,المرجع,referentie"),
            ("source", "Quelle,Quelltext,texte source,fuente,Texto_origen,fonte,Источник,текст оригинала,原文,源文"),
            (
                "source",
                "prompt,Instruction,Original,texto original,Originaltext,源语言,原始文本,ソース,원문,brontekst",
            ),
            (
                "system",
                "Ausgabe,Systemausgabe_A,sortie,Salida 2,saída,вывод,гипотеза,译文,机器译文,系统输出",
            ),
            ("about", "notes,Comments,Kommentar,commentaire,Комментарий,备注"),
            ("about", "Sprache,langue source,idioma,Оценка перевода,语言,评分"),
        ]
        for role, names in cases:
            for name in names.split(","):
                others = ["online-B"] if role == "source" else ["src", "online-B"]
                systems = ("online-B", name) if role == "system" else ("online-B",)
                references = (name,) if role == "reference" else ()
                assert self.roles(*others, name) == Roles(name if role == "source" else "src", references, systems)

    def test_numbers_and_objects_are_no_texts_and_lists_of_texts_references_only(self):
        for cells in [("0.5", "-1"), ("", ""), (None, None), (1, 2), ({"a": "b"}, "c"), ("a", 1), (["a", 1],)]:
            assert self.roles("ref", "refs", "mt", "src", cells=cells) == Roles(None, (), ())
        assert self.roles("refs", "mt", cells=(["a", "b"], None)) == Roles(None, ("refs",), ())


class TestItems:
    table = read('{"mt": "a", "ref": "b", "refs": ["c", "", null]}\n\n{"mt": "", "ref": "", "refs": null}\n'
                 '{"mt": "d", "n": 1}\n', "jsonl")  # fmt: skip

    def test_an_empty_reference_is_one_less(self):
        assert items(self.table, "mt", ["ref", "refs"]) == (["a", "", "d"], [["b", "c"], [], []])
        assert items(self.table, "mt", []) == (["a", "", "d"], [[], [], []])

    def test_what_is_no_text_is_named(self):
        for system, references, message in [
            ("ref", [], ", line 4, column 'ref': the prediction is missing; expected a text."),
            ("refs", [], ", line 1, column 'refs': expected a text, got ['c', '', None] (list)."),
            ("mt", ["n"], ", line 4, column 'n': expected a text or a list of texts, got 1 (int)."),
            ("mt", ["reff"], " has no column 'reff'. Did you mean 'ref'?"),
            ("MT ", ["ref"], " has no column 'MT '. Did you mean 'mt'?"),
        ]:
            with pytest.raises(InputError) as caught:
                items(self.table, system, references)
            assert str(caught.value) == f"test.jsonl{message}"

    @given(tables())
    def test_of_a_file_they_are_its_cells(self, rows):
        table = read(written_with_quotes(rows), "csv")
        predictions, references = items(table, rows[0][0], rows[0][1:])
        assert predictions == [row[0] for row in rows[1:]]
        assert references == [[cell for cell in row[1:] if cell] for row in rows[1:]]


@pytest.mark.parametrize("format", READERS)
class TestHostileBytes:
    """Whatever a file holds: a table, or an InputError that names it."""

    def is_table_or_refusal(self, data, format):
        try:
            table = read(data, format)
        except InputError as error:
            return str(error).startswith(f"test.{format}")
        return {len(cells) for cells in table.columns.values()} <= {len(table.lines)}

    @given(st.binary(max_size=200))
    def test_random_bytes(self, format, data):
        assert self.is_table_or_refusal(data, format)

    @given(st.text('"\t,;\r\n a\0{}[]:<tu>\ufeff', max_size=30))
    def test_awkward_texts(self, format, text):
        assert self.is_table_or_refusal(text.encode(), format)
        assert self.is_table_or_refusal(text.encode("utf-16"), format)

    @given(tables(), st.integers(0, 400))
    def test_truncated_files(self, format, rows, size):
        text = written_with_quotes(rows) + "".join(json.dumps(dict(enumerate(row))) + "\n" for row in rows)
        assert self.is_table_or_refusal(text.encode()[:size], format)


class TestLimits:
    """What is sent to fill memory is refused before it does, with a size in the message and what to do."""

    SMALL = Limits(n_bytes=100_000, n_lines=1_000, line=5_000)

    @staticmethod
    def refused(data, format, limits):
        with pytest.raises(InputError) as caught:
            READERS[format](io.BytesIO(data), f"test.{format}", limits)
        return str(caught.value)

    def test_of_the_file_and_of_its_lines(self):
        most = "unpacked, which is the limit"
        for format in ("tsv", "csv", "jsonl", "tmx"):
            head = b"<tmx>" if format == "tmx" else b'{"a": "b"}\n' if format == "jsonl" else b"mt,ref\tx\n"
            if format != "tmx":
                error = self.refused(head + b"\n" * 500 + b"x" * 6_000, format, self.SMALL)
                assert "line 502: a line of more than 4.88 KiB; expected a segment per line" in error
            error = self.refused(head + b" " * 4_000 + b"\n" * 2_000, format, self.SMALL)
            assert f"test.{format} holds more than 1,000 lines, {most}" in error
            error = self.refused(head + (b" " * 4_000 + b"\n") * 30, format, self.SMALL)
            assert f"test.{format} holds more than 97.7 KiB, {most}: split" in error

    def test_a_file_at_the_limit_is_read_and_a_cell_of_many_lines_has_one(self):
        data = b"mt\tref\n" + (b"a" * 4_997 + b"\tb\n") * 19
        assert len(READERS["tsv"](io.BytesIO(data), "test.tsv", self.SMALL).lines) == 19
        assert "line 2: a line" in self.refused(data.replace(b"\tb", b"\tbcd"), "tsv", self.SMALL)
        data = b'mt,ref\na,"' + b"line\n" * 1_000 + b'"\n'
        limits = self.SMALL._replace(n_lines=10_000)
        assert "line 2: a cell 2 of more than 4.88 KiB" in self.refused(data, "csv", limits)

    def test_an_archive_of_gigabytes(self, tmp_path):
        """Two megabytes that unpack to a hundred of lines are refused in the memory of some of them."""
        with gzip.open(tmp_path / "bomb.tsv.gz", "wb") as file:
            file.write(b"mt\tref\n")
            for _ in range(100):
                file.write(b"a\tb\n" * 262_144)
        code = "from tercet.test_sets.read import read_test_sets; read_test_sets('bomb.tsv.gz')"
        process = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30)),
        )  # fmt: skip
        assert "holds more than 20,000,000 lines" in process.stderr.splitlines()[-1]

    def test_a_small_file_does_not_become_a_large_table(self):
        wide = b"\t".join(b"c%d" % number for number in range(500)) + b"\n" + (b"\t" * 499 + b"\n") * 40_001
        sparse = json.dumps({f"c{number}": "x" for number in range(500)}) + "\n" + "{}\n" * 40_001
        for data, format in ((wide, "tsv"), (sparse, "jsonl")):
            assert f"test.{format}, line 40001: more than 20,000,000 cells" in refusal(data, format)

    def test_names_of_any_length_are_cut_in_messages(self):
        long = "x" * 10**6
        for data, format in (
            (f"mt\t{long}\t{long}\na\tb\tc\n", "tsv"),
            (f"mt\t{long}\n", "tsv"),
            (json.dumps({"a": {long: "x"}, long: "y"}) + "\n{", "jsonl"),
            (f"<{long}/>", "tmx"),
            (f"<tmx><{long}><tu/></{long}></tmx>", "tmx"),
            (f'<tmx><body><tu><tuv xml:lang="{long}"/></tu></body></tmx>', "tmx"),
            (f'<!DOCTYPE tmx [<!ENTITY {long} "a">]><tmx/>', "tmx"),
        ):
            assert len(refusal(data, format)) < 500, format
        with pytest.raises(InputError) as caught:
            read(f"mt\t{long}\na\tb\n", "tsv").column("a\nb" * 10**5)
        assert len(str(caught.value)) < 300
        assert "\n" not in str(caught.value)


class TestWhatASpreadsheetSaves:
    """Excel's "Unicode text" is UTF-16 with tabs, whatever name it is given."""

    def test_tabs_in_a_csv(self):
        text = 'mt\tref\r\n"say ""hi"", you"\tsay; hi, you\r\n"two\nlines"\t日本語\r\n'
        expected = {"mt": ['say "hi", you', "two\nlines"], "ref": ["say; hi, you", "日本語"]}
        for format, encoding in product(("csv", "tsv"), ("utf-16", "utf-8-sig", "utf-8")):
            assert read(text.encode(encoding), format).columns == expected

    def test_of_two_separators_that_split_the_header_the_one_that_splits_all_rows_counts(self):
        text = "mt;ref (Duden, 2024)\nja, gut;nein\nso;so, so, la\n"
        assert read(text, "csv").columns == {"mt": ["ja, gut", "so"], "ref (Duden, 2024)": ["nein", "so, so, la"]}
        assert read("mt\tx,ref\na\tb,c\nd,e\n", "csv").columns == {"mt\tx": ["a\tb", "d"], "ref": ["c", "e"]}

    def test_where_both_do_the_file_is_refused_unless_it_says_what_separates(self):
        text = "mt\tx,ref\na\tb,c\n"
        message = refusal(text, "csv")
        assert "by ',' into 'mt\\tx', 'ref', and by '\\t' into 'mt', 'x,ref'" in message
        assert read(f"sep=,\n{text}", "csv").columns == {"mt\tx": ["a\tb"], "ref": ["c"]}
        assert read(f"sep=\t\r\n{text}", "csv").columns == {"mt": ["a"], "x,ref": ["b,c"]}
        for sign in "|^]\\.-":
            assert read(f"sep={sign}\nmt{sign}ref\na{sign}b\n", "csv").columns == {"mt": ["a"], "ref": ["b"]}
        assert "expected 1 cells" in refusal('sep="\nx,y\na,b\n', "csv")
        assert "test.csv, line 4: expected 2 cells" in refusal("sep=;\r\nmt;ref\r\na;b\r\nc\r\n", "csv")

    def test_decimal_commas_are_numbers(self):
        roles = guess_roles(read("ref;mt;BLEU\nja;nein;31,4\nso;da;7\n", "csv"))
        assert (roles.references, roles.systems) == (("ref",), ("mt",))

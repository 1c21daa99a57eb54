"""The program that the page shows for a file: it reads the columns as the page did, whatever wrote the file."""

import csv
import io
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from page_checks import ROWS, as_csv, as_jsonl, as_tmx, as_tsv
from tercet.files.read import predictions_in, read_table, references_in
from tercet.huggingface.space.programs import source_of_file
from workbooks import workbook

HEADER = ["mt", "ref", "ref2", "mt2"]


def texts_of(path, system, references):
    """What the lines for a file give, run where it lies, as its visitor would."""
    found = source_of_file(str(path), read_table(path), [system], references)
    assert "..." not in found.lines
    names, here = {}, Path.cwd()
    os.chdir(path.parent)
    try:
        exec(f"{found.imports}\n{found.lines}", names)
    finally:
        os.chdir(here)
    return names["predictions"], names.get("references")


def reads_as_the_page(path, system="mt", references=("ref", "ref2")):
    table = read_table(path)
    expected = predictions_in(table, system), references_in(table, references)
    assert texts_of(path, system, list(references)) == expected


QUOTED = [('She said "no".', 'She said "no', "No, she said; no"), ('"Yes."', '5" wide', "NA"), ("null", "", "1.50")]
TMX = (
    '<tmx version="1.4"><body><tu><tuv xml:lang="en_US"><seg>A <bpt i="1">[b]</bpt>cat<ept i="1">[/b]</ept> '
    "<hi>sat</hi>.</seg></tuv><tuv xml:lang='EN-us'><seg>One  cat sat.</seg></tuv></tu>"
    '<tu><tuv lang="en-us"><seg>Two\nlines</seg></tuv></tu></body></tmx>'
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.tsv", as_tsv(HEADER, ROWS)),
        ("plain.csv", as_csv(HEADER, ROWS)),
        ("plain.jsonl", as_jsonl(HEADER, ROWS)),
        ("plain.tmx", as_tmx(HEADER, ROWS)),
        ("plain.xlsx", workbook([HEADER, *ROWS])),
        ("quotes.tsv", as_tsv(HEADER[:3], QUOTED)),
        ("quotes.csv", as_csv(HEADER[:3], QUOTED)),
        ("quotes.jsonl", as_jsonl(HEADER[:3], QUOTED)),
        ("semicolons.csv", 'mt;ref;ref2\n"a; b";c, d;e\n'),
        ("tabs.csv", "mt\tref\tref2\na, b\tc\td\n"),
        ("utf16.csv", as_csv(HEADER, ROWS).encode("utf-16")),
        ("utf16.tsv", as_tsv(HEADER, ROWS).encode("utf-16")),
        ("byte order mark.csv", as_csv(HEADER, ROWS).encode("utf-8-sig")),
        ("lists.jsonl", '{"mt": "a", "ref": ["b", "c"]}\n{"mt": "d", "ref": ["e"], "ref2": "2024-01-01"}\n'),
        ("quoted by a program.tsv", 'mt\tref\tref2\n"a ""b"""\tc\t"d\te"\n'),
    ],
)
def test_reads_what_the_page_has_read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    reads_as_the_page(path)


def test_reads_a_translation_memory_without_its_codes(tmp_path):
    path = tmp_path / "it's.tmx"
    path.write_text(TMX)
    assert texts_of(path, "en_US", ["en_US 2"])[0] == ["A cat sat.", "Two\nlines"]
    reads_as_the_page(path, "en_US", ["en_US 2"])


def test_reads_a_translation_memory_with_a_variant_that_has_no_text(tmp_path):
    path = tmp_path / "memory.tmx"
    unit = '<tu><tuv xml:lang="{}"><seg>{}</seg></tuv><tuv xml:lang="{}">{}</tuv></tu>'
    units = unit.format("en", "a", "de", "<seg>b</seg>") + unit.format("en", "c", "de", "<note>d</note>")
    path.write_text(f'<tmx version="1.4"><body>{units}</body></tmx>')
    assert read_table(path).columns["de"] == ["b", None]
    assert texts_of(path, "en", ["de"]) == (["a", "c"], [["b"], []])


def test_has_no_references_where_there_are_none(tmp_path):
    path = tmp_path / "texts.tsv"
    path.write_text("text\na cat\n")
    assert texts_of(path, "text", []) == (["a cat"], None)


def test_says_which_texts_belong_there_where_pandas_reads_others(tmp_path):
    path = tmp_path / "nested.jsonl"
    path.write_text('{"ref": "a", "hyps": {"A": "b", "B": "c"}}\n')
    found = source_of_file(str(path), read_table(path), ["A"], ["ref"])
    assert (
        found.lines == "predictions = [...]  # the column 'A' of 'nested.jsonl'; references = [[...], ...]: 'ref'\n"
    )


@given(
    st.lists(st.tuples(*[st.text("aä, ;'\"\n1北", min_size=1).filter(str.strip)] * 2), min_size=1),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_reads_any_table_that_a_program_wrote(rows, quoting):
    file = io.StringIO()
    csv.writer(file, quoting=quoting).writerows([("mt", "ref"), *rows])
    with TemporaryDirectory() as folder:
        path = Path(folder, "any.csv")
        path.write_text(file.getvalue(), encoding="utf-8", newline="")
        reads_as_the_page(path, "mt", ["ref"])

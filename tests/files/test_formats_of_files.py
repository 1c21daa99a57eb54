"""Each format of files has a reader, and endings of its own; a name says which format a file has."""

from importlib import import_module

import pytest

from tercet.files.formats import FORMATS, MEMORIES, READERS, table_format


@pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.name)
def test_its_reader_is_there(format):
    assert callable(getattr(import_module(f"tercet.files.{format.module}"), format.function))


def test_no_two_have_one_name_or_ending():
    assert len(READERS) == len(FORMATS)
    endings = [ending for format in FORMATS for ending in format.endings]
    assert len(set(endings)) == len(endings)
    assert set(MEMORIES) <= set(READERS)


@pytest.mark.parametrize(
    ("path", "format"),
    [
        ("a/b.CSV", "csv"),
        ("b.tsv.gz", "tsv"),
        ("text", "kaldi"),
        ("text.gz", "kaldi"),
        ("text.txt", ""),
        ("a.seglst.json", "seglst"),  # not .json
        ("a.json", "inspect"),
        ("a.eval", "inspect"),
        ("a.txt", ""),
        ("-", ""),
    ],
)
def test_a_name_says_the_format(path, format):
    assert table_format(path) == format

"""Small files that become gigabytes, or take minutes, when they are read: refused by the limit that they are beyond.

All are read by one process with little memory, and with little time of the processor.
"""

import gzip
import io
import json
import resource
import subprocess
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from tercet.errors import InputError
from tercet.files.limits import LIMITS, size
from tercet.files.xml import MOST_DEPTH, check_part, parse

#: What the process may take beyond what it has once the packages are imported, and in seconds.
MEMORY, SECONDS = 2 << 30, 60
#: The same for what is refused before it is unpacked, or as it is parsed.
LITTLE_MEMORY = 400 << 20

READ = """
import json, resource, sys
import openpyxl, pyarrow.compute, pyarrow.dataset, pyarrow.parquet
import tercet
from tercet.errors import InputError

used = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]),) * 2)
said = {}
for path in sys.argv[2:]:
    try:
        said[path] = f"read: {len(tercet.read_test_sets(path)[0].references)}"
    except InputError as error:
        said[path] = str(error)
print(json.dumps(said))
"""

MEGABYTES = "a" * 5_000_000
N_ROWS = 1000
ONCE = pa.array([MEGABYTES])
PROMPT = pa.array(["Q: 你好 A: hello " * 1000])
VIEWS = pa.string_view()
FIRST = pa.array([0] * N_ROWS, pa.int32())


def parquet(column, name="mt", **how):
    out = io.BytesIO()
    others = [other for other in ("mt", "ref") if other != name][: 2 if name == "source" else 1]
    columns = {name: column, **{other: pa.array(["a"] * len(column)) for other in others}}
    pq.write_table(pa.table(columns), out, compression="zstd", store_schema=False, **how)
    return out.getvalue()


def arrow(column, write=None, **how):
    out = io.BytesIO()
    table = pa.table({"mt": column, "ref": pa.array(["a"] * len(column))})
    if write is not None:
        write(table, out, **how)
    else:
        with pa.ipc.new_file(out, table.schema) as file:
            file.write_table(table)
    return out.getvalue()


def views():
    """A thousand views of the same bytes."""
    _, view, *bytes_of = pa.array([MEGABYTES], pa.string_view()).buffers()
    shared = pa.py_buffer(view.to_pybytes()[:16] * N_ROWS)
    return pa.Array.from_buffers(pa.string_view(), N_ROWS, [None, shared, *bytes_of])


def lists_that_overlap():
    texts = pa.array(["a" * 1000] * N_ROWS)
    starts, sizes = (pa.array(np.full(N_ROWS, value), pa.int32()) for value in (0, N_ROWS))
    return pa.StructArray.from_arrays([pa.ListViewArray.from_arrays(starts, sizes, texts)], ["l"])


def sample(target):
    return json.dumps({
        "doc_id": 0, "arguments": [["q", {}]], "resps": [["x"]], "filtered_resps": ["x"], "target": str(target),
    }).encode()  # fmt: skip


def inspect_log(samples):
    return b'{"eval": {"task": "t"}, "samples": [' + b",".join(samples) + b"]}"


def archive(sample):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", '{"eval": {"task": "t"}}')
        file.writestr("samples/1_epoch_1.json", b'{"id": 1, "epoch": 1, "x": ' + sample + b"}")
    return out.getvalue()


def deep(format):
    """XML nested without an end, within what begins as a file of a format."""
    beginnings = {
        "xlf": b'<xliff version="1.2"><file source-language="en" target-language="de"><body>',
        "tmx": b'<tmx version="1.4"><body>',
    }
    return beginnings[format] + b"<x>" * 16_000_000


def sheet(rows, part="xl/worksheets/sheet1.xml", end=b"</sheetData>"):
    """A workbook whose sheet, or another part of it, ends with more rows."""
    book, before, after = Workbook(), io.BytesIO(), io.BytesIO()
    for row in (["mt", "ref"], ["a", "b"]):
        book.active.append(row)
    book.save(before)
    with zipfile.ZipFile(before) as source, zipfile.ZipFile(after, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content.replace(end, rows + end) if name == part else content)
    return after.getvalue()


def cell(place):
    return b'<c r="%s" t="inlineStr"><is><t>x</t></is></c>' % place


UNPACKED = "holds more than 256 MiB, unpacked, which is the limit for a packed file of"
OF_COLUMNS = UNPACKED.replace("256", "512")
CONTAINERS = "lists and objects, which is the limit"
ROWS = "expected at most 1,048,576, which is the limit"


def repeated(n_rows, text="b"):
    """A text many times, as an array of the packages' dictionaries."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n_rows, np.int32)), pa.array([text]))


def one_list(entries):
    return pa.ListArray.from_arrays(pa.array([0, len(entries)], pa.int32()), entries)


def one_chat(n_messages):
    texts = [repeated(n_messages, text).cast(pa.string()) for text in ("user", "猫")]
    return one_list(pa.StructArray.from_arrays(texts, ["role", "content"]))


def in_a_field(values):
    return pa.StructArray.from_arrays([one_list(values)], ["list.of"])


DEEP = "elements are nested more than 200 deep; expected at most that in a"
IN_LISTS = "values in lists; expected at most 1,000,000, which is the limit for a packed file of"

#: Beginnings of the names of files that are refused early.
EARLY = ("deep", "closed", "list.parquet", "chat", "field", "rows", "defaults")

#: Files by their names, and what is said of each; beside bombs, honest files that look like them.
BOMBS = {
    "shared.parquet": (lambda: parquet(pa.DictionaryArray.from_arrays(FIRST[:400], ONCE)), OF_COLUMNS),
    "longer.parquet": (lambda: parquet(pa.DictionaryArray.from_arrays(FIRST, pa.array([MEGABYTES * 4]))), OF_COLUMNS),
    "in-lists.parquet": (
        lambda: parquet(pa.ListArray.from_arrays(
            pa.array(range(N_ROWS + 1), pa.int32()), pa.DictionaryArray.from_arrays(FIRST, ONCE)
        ), "refs"),
        OF_COLUMNS,
    ),
    "packed.parquet": (
        lambda: parquet(pa.array([f"{MEGABYTES}{number}" for number in range(120)]), use_dictionary=False),
        OF_COLUMNS,
    ),
    "shared.arrow": (
        lambda: arrow(pa.DictionaryArray.from_arrays(FIRST, ONCE), feather.write_feather, compression="zstd"),
        OF_COLUMNS,
    ),
    "runs.arrow": (
        lambda: arrow(pa.RunEndEncodedArray.from_arrays(pa.array([N_ROWS], pa.int32()), ONCE)),
        "MiB, unpacked, which is the limit for a packed file of",
    ),
    "views.arrow": (lambda: arrow(views()), "MiB, unpacked, which is the limit for a packed file of"),
    "overlapping.arrow": (lambda: arrow(lists_that_overlap()), OF_COLUMNS),
    "list.parquet": (lambda: parquet(one_list(repeated(10_000_000)), "ref"), f"9,999,999 {IN_LISTS}"),
    "chat.parquet": (lambda: parquet(one_chat(3_000_000), "ref"), f"5,999,998 {IN_LISTS}"),
    "field.parquet": (lambda: parquet(in_a_field(pa.array(np.zeros(3_000_000))), "a.b"), f"2,999,999 {IN_LISTS}"),
    "rows.parquet": (
        lambda: parquet(repeated(4_000_000)),
        "4,000,000 rows; expected at most 1,000,000, which is the limit for a packed file of",
    ),
    "list.arrow": (
        lambda: arrow(in_a_field(pa.array(np.zeros(3_000_000))), feather.write_feather, compression="zstd"),
        f"3,000,000 {IN_LISTS}",
    ),
    "prompts.parquet": (
        lambda: parquet(pa.DictionaryArray.from_arrays(pa.array([0] * 14_000, pa.int32()), PROMPT), "source"),
        "read: 14000",
    ),
    "categories.arrow": (
        lambda: arrow(pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array(["б", "ö"], VIEWS))),
        "read: 3",
    ),
    "formulas.jsonl": (lambda: b'{"mt": "' + b'\\"[{' * 5_000_000 + b'", "ref": "a"}', "read: 1"),
    "samples_texts.jsonl": (lambda: sample(["a"] * 1_000_000), "read: 1"),
    "samples_quotes.jsonl": (lambda: sample([]).replace(b'"[]"', b"\"['" + b"\\\\'" * 1_000_000 + b'"'), "read: 1"),
    "samples_chats.jsonl": (
        lambda: sample([{}] * 1_000_000),
        "line 1, column 'target': found messages of 4,000,000 characters; expected at most 1,048,576",
    ),
    "line.jsonl": (lambda: b'{"mt": "a", "ref": [' + b"[]," * 20_000_000 + b"[]]}", f"8,388,608 {CONTAINERS}"),
    "deep.jsonl": (lambda: b'{"mt": ' + b"[" * 1_000_000, "nested too deeply"),
    "2026-01-02T03-04-05_log.json": (lambda: inspect_log([b"{}"] * 10_000_000), f"8,388,608 {CONTAINERS}"),
    "spaces.eval": (lambda: archive(b'"' + b" " * (300 << 20) + b'"'), UNPACKED),
    "empty.eval": (lambda: archive(b"[" + b"{}," * 2_000_000 + b"{}]"), f"1,048,576 {CONTAINERS}"),
    "lines.tsv.gz": (lambda: gzip.compress((b"a" * 98 + b"\tb\n") * 3_000_000), UNPACKED),
    "units.tmx.gz": (lambda: gzip.compress(b"<tmx>" + b" " * (300 << 20) + b"</tmx>"), UNPACKED),
    "deep.xlf": (lambda: deep("xlf"), f"line 1: {DEEP}n XLIFF file"),
    "deep.xlf.gz": (lambda: gzip.compress(deep("xlf"), 1), f"line 1: {DEEP}n XLIFF file"),
    "deep.sdlxliff": (lambda: deep("xlf"), f"line 1: {DEEP}n XLIFF file"),
    "deep.tmx": (lambda: deep("tmx"), f"line 1: {DEEP} TMX file"),
    "deep.tmx.gz": (lambda: gzip.compress(deep("tmx"), 1), f"line 1: {DEEP} TMX file"),
    "defaults.tmx": (
        lambda: b'<!DOCTYPE tmx [<!ATTLIST x a CDATA "' + b"a" * 1_000_000 + b'">]><tmx>' + b"<x/>" * 1_000_000,
        "line 1: declares values of attributes with more than 10,000 characters, which is refused",
    ),
    **{
        f"deep-{number}.xlsx": (
            lambda part=part, end=end: sheet(b"<x>" * 16_000_000, part, end), f"{part}, line 1: {DEEP}n Excel file"
        )
        for number, (part, end) in enumerate({
            "xl/worksheets/sheet1.xml": b"</sheetData>", "xl/styles.xml": b"</styleSheet>",
            "xl/workbook.xml": b"</workbook>", "[Content_Types].xml": b"</Types>",
        }.items())
    },
    "closed.xlsx": (
        lambda: sheet(b"<x>" * 2_000_000 + b"</x>" * 2_000_000), f"sheet1.xml, line 1: {DEEP}n Excel file",
    ),
    "cells.xlsx": (
        lambda: sheet(b'<row r="4">' + b"<c/>" * 3_000_000 + b"</row>"),
        "xl/worksheets/sheet1.xml holds more than 2,097,152 elements, which is the limit for its size",
    ),
    "row.xlsx": (lambda: sheet(b'<row r="10000000">' + cell(b"A10000000") + b"</row>"), f"row 10,000,000; {ROWS}"),
    "empty-row.xlsx": (lambda: sheet(b'<row r="1000000000"/>'), f"row 1,000,000,000; {ROWS}"),
    "wide.xlsx": (
        lambda: sheet(b"".join(b'<row r="%d"><c r="ZZZ%d"/></row>' % (n, n) for n in range(3, 30_000))), "read: 1",
    ),
}  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_each_is_refused_by_its_limit_in_little_memory_and_time(tmp_path):
    for name, (content, _) in BOMBS.items():
        (tmp_path / name).write_bytes(content())
    assert (tmp_path / "shared.parquet").stat().st_size < 1000
    said = {}
    early = [name for name in BOMBS if name.startswith(EARLY)]
    for memory, names in ((LITTLE_MEMORY, early), (MEMORY, [name for name in BOMBS if name not in early])):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", READ, str(memory), *names],
            cwd=tmp_path, capture_output=True, text=True, timeout=400,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        said |= json.loads(run.stdout)
    assert {name: said[name] for name, (_, message) in BOMBS.items() if message not in said[name]} == {}
    assert not [message for message in said.values() if "damaged" in message]


def test_elements_may_be_nested_as_deep_as_the_limit_and_no_deeper():
    def nested(depth):
        return io.BytesIO(b"<a>" * depth + b"</a>" * depth)

    check_part(nested(MOST_DEPTH), "sheet1.xml", LIMITS, "Excel")
    with pytest.raises(InputError, match=r"^sheet1\.xml, line 1: elements are nested more than 200 deep"):
        check_part(nested(MOST_DEPTH + 1), "sheet1.xml", LIMITS, "Excel")


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [
        (1023, "1023 bytes"),
        (1.234 * 2**10, "1.23 KiB"),
        (99.96 * 2**20, "100 MiB"),
        (999.7 * 2**20, "1000 MiB"),
        (1023 * 2**20, "1023 MiB"),
        (2 << 30, "2 GiB"),
    ],
)
def test_a_size_has_three_digits_or_four_and_no_power(n_bytes, words):
    assert size(int(n_bytes)) == words


class _Broken:
    """A target with a fault of its own."""

    def start(self, tag, attributes):
        raise KeyError(tag)


def test_a_fault_in_what_reads_a_document_is_not_called_one_of_its_encoding():
    broken = _Broken()
    broken.data = broken.end = broken.close = print
    with pytest.raises(KeyError, match="кот"):
        parse(io.BytesIO("<кот/>".encode()), "a.tmx", LIMITS, broken, "TMX")
    with pytest.raises(InputError, match=r"^a\.tmx, line 1: the declared encoding cannot be read .*klingon"):
        parse(io.BytesIO(b'<?xml version="1.0" encoding="klingon"?><a/>'), "a.tmx", LIMITS, broken, "TMX")

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

#: What the process may take beyond what it has once the packages are imported, and in seconds.
MEMORY, SECONDS = 2 << 30, 60

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


def sheet(rows):
    """A workbook whose sheet ends with more rows."""
    book, before, after = Workbook(), io.BytesIO(), io.BytesIO()
    for row in (["mt", "ref"], ["a", "b"]):
        book.active.append(row)
    book.save(before)
    with zipfile.ZipFile(before) as source, zipfile.ZipFile(after, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content.replace(b"</sheetData>", rows + b"</sheetData>"))
    return after.getvalue()


def cell(place):
    return b'<c r="%s" t="inlineStr"><is><t>x</t></is></c>' % place


UNPACKED = "holds more than 256 MiB, unpacked, which is the limit for a packed file of"
OF_COLUMNS = UNPACKED.replace("256", "512")
CONTAINERS = "lists and objects, which is the limit"
ROWS = "expected at most 1,048,576, which is the limit"

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
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READ, str(MEMORY), *BOMBS],
        cwd=tmp_path, capture_output=True, text=True, timeout=400,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert {name: said[name] for name, (_, message) in BOMBS.items() if message not in said[name]} == {}
    assert not [message for message in said.values() if "damaged" in message]

"""The one file of streams and rows: it comes back to the bit, and any other bytes are refused by name."""

import json
import random

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tercet import IdfTable, InputError, Stream
from tercet.api import make_scorer
from tercet.streaming.arrow_file import pack
from tercet.streaming.rows import KeptRows
from tercet.streaming.rows_file import RowsFile, write_rows
from texts import MINILM

SCORER = make_scorer("rouge_nlws", {"tokenizer": "auto"})


def write_stream(path):
    stream = Stream("jaccard", lowercase=False)
    stream._mark = "always-the-same"
    stream.add(["Кот спит", "a b"], ["кот спит", "a c"])
    stream.save(path)


def read_stream(path):
    stream = Stream.load(path)
    return stream.to_arrow(), stream.options, stream._origins


def write_some_rows(path):
    write_rows(path, [KeptRows.counted(SCORER, SCORER.corpus(["a b"], [["b", "ç"]]).encoded())], {"beta": "1"})


def read_some_rows(path):
    file = RowsFile(path)
    (rows,) = file.rows(SCORER)
    return file.options, rows.stats.rows.tolist(), rows.context, rows.batch.columns()


#: How each kind is written and read, what its errors begin with, and what writes it.
KINDS = {
    "stream": (write_stream, read_stream, "a.file", "Stream.save"),
    "rows": (write_some_rows, read_some_rows, "a.file", "a module that gathers items"),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def path(tmp_path, kind):
    KINDS[kind][0](tmp_path / "a.file")
    return tmp_path / "a.file"


def refused(kind, path):
    """Return the error for a file without the name that it begins with."""
    _, read, name, _ = KINDS[kind]
    with pytest.raises(InputError) as error:
        read(path)
    assert str(error.value).startswith(f"{name} ")
    return str(error.value)[len(name) + 1 :]


def test_comes_back_and_is_the_same_to_the_bit_each_time(kind, path):
    write, read, *_ = KINDS[kind]
    data, found = path.read_bytes(), read(path)
    write(path)
    assert path.read_bytes() == data
    assert read(path) == found


def with_bits_turned(data, rng):
    for place in rng.sample(range(8 * len(data)), 800):
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        yield damaged


def with_noise(data, rng):
    for start in rng.sample(range(len(data)), 200):
        yield data[:start] + rng.randbytes(16) + data[start + 16 :]


def cut_short(data, rng):
    for length in range(0, len(data), 31):
        yield data[:length]
    yield data[:-1]


def with_something_around(data, rng):
    yield from (data + b"x", data + data, b"x" + data, data[8:], data[::-1])


def of_something_else(data, rng):
    yield from (b"", b"ARROW1", b"PAR1", b"bleu 31.4\n", "счёт".encode(), bytes(1000), b"{}")


def test_other_bytes_are_refused(kind, path):
    data = path.read_bytes()
    for damage in [with_bits_turned, with_noise, cut_short, with_something_around, of_something_else]:
        for damaged in damage(data, random.Random(0)):
            if damaged != data:
                path.write_bytes(damaged)
                assert refused(kind, path).startswith(
                    ("is damaged", "is an Arrow file, but was not", "was written by")
                )


def written_by_arrow(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def test_files_of_others_and_those_that_were_changed_by_hand_are_refused(kind, path):
    own, table, writer = pa.ipc.open_file(path).read_all(), pa.table({"a": [1, None]}), KINDS[kind][3]
    written_by_arrow(pa.concat_tables([own, own]), path)
    assert refused(kind, path) == "is damaged: its checksum does not match."
    pq.write_table(table, path)
    assert refused(kind, path) == f"is damaged, or was not written by {writer}."
    with pa.ipc.new_stream(path, table.schema) as file:
        file.write_table(table)
    assert refused(kind, path) == f"is damaged, or was not written by {writer}."
    for each in (table, pa.Table.from_pandas(pd.DataFrame({"a": ["b"]})), table.replace_schema_metadata({"a": "b"})):
        written_by_arrow(each, path)
        assert refused(kind, path) == f"is an Arrow file, but was not written by {writer}."
    for header in [b"[]", b"{}", b"1", b"{", b'{"format": "x"}', b'{"format": [3]}', b"[" * 10**5]:
        written_by_arrow(pa.table({"a": [1]}).replace_schema_metadata({"tercet": header}), path)
        assert refused(kind, path) == f"is damaged, or was not written by {writer}."


def test_files_of_another_kind_are_refused(kind, path):
    for other, (write, *_, writer) in KINDS.items():
        if other != kind:
            write(path)
            assert refused(kind, path) == f"was written by {writer}, and not by {KINDS[kind][3]}."
    IdfTable.fit(["a"], MINILM).save(path)
    assert refused(kind, path).startswith("was written by tercet as idf file format 1; this version of tercet reads")


def test_files_of_other_formats_are_refused_by_what_wrote_them(kind, path):
    for header, signature, by in [
        ({"format": "tercet-stream-1"}, "", "tercet as stream file format 1"),
        ({"format": "tercet-stream-2"}, "ter|version:tercet-0.1.0", "tercet 0.1.0 as stream file format 2"),
        ({"format": "tercet-parts-1"}, "ter|version:tercet-0.1.0", "tercet 0.1.0 as parts file format 1"),
        ({"format": 3, "kind": "stream", "tercet": "0.1.0"}, "", "tercet 0.1.0 as stream file format 3"),
        ({"format": 5, "kind": "stream", "tercet": "9.0"}, "", "tercet 9.0 as stream file format 5"),
    ]:
        table = pa.table({"signature": [signature, signature]})  # another version may check it in another way
        written_by_arrow(table.replace_schema_metadata({"tercet": json.dumps(header), "sha512": b"..."}), path)
        assert refused(kind, path) == f"was written by {by}; this version of tercet reads {kind} file format 4."


def test_malformed_columns_are_refused_although_the_digest_is_right(kind, path):
    """Arrow reads them without a look at them, and ends the process where they are used."""
    offsets = pa.array([0, 10**9, 4], pa.int32()).buffers()[1]
    texts = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"text")])
    path.write_bytes(pack(kind, {}, pa.table({"signature": texts})))
    assert refused(kind, path) == f"is damaged, or was not written by {KINDS[kind][3]}."


class TestRows:
    """What the file of a process must say besides."""

    def test_without_options_or_parts_or_with_such_as_cannot_be_is_refused(self, tmp_path):
        path = tmp_path / "a.file"
        for header in [{}, {"options": {}}, {"options": [], "parts": []}, {"options": {}, "parts": {"a": 1}}]:
            path.write_bytes(pack("rows", header, pa.table({})))
            with pytest.raises(InputError, match=r"^a\.file is damaged: its options or parts are missing\.$"):
                RowsFile(path)
        signature = str(SCORER.signature(SCORER.fit(SCORER.corpus([], []).encoded())))
        keys = ("signature", "context", "texts")
        cases = [(None, None, True), (None, {"letters": 1}, False), (signature, None, False)]
        for part in [7, {}, *(dict(zip(keys, case, strict=True)) for case in cases)]:
            path.write_bytes(pack("rows", {"options": {}, "parts": [part]}, pa.table({})))
            with pytest.raises(InputError, match=r"damaged|counted as"):
                RowsFile(path).rows(SCORER)

    def test_of_other_options_or_another_version_is_refused(self, tmp_path, monkeypatch):
        path = tmp_path / "a.file"
        write_some_rows(path)
        with pytest.raises(InputError, match=r"counted as '.*beta:1.*', expected '.*beta:2"):
            RowsFile(path).rows(make_scorer("rouge_nlws", {"tokenizer": "auto", "beta": 2.0}))
        monkeypatch.setattr("tercet.signature.__version__", "9.9")
        with pytest.raises(InputError, match=r"version:tercet-0.*version:tercet-9\.9"):
            RowsFile(path).rows(make_scorer("rouge_nlws", {"tokenizer": "auto"}))

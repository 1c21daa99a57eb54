"""Parquet, Arrow and Feather files as tables: what is read, how the packages write them, and what is refused."""

import io
import math
import subprocess
import sys

import datasets
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from commands import command
from tercet.errors import InputError
from tercet.files.formats import READERS
from tercet.files.limits import LIMITS, Limits
from tercet.test_sets.read import read_test_sets
from texts import any_texts

ROWS = {
    "src": ["ein Hund", "猫"],
    "mt": ["a dog", "cats"],
    "refs": [["the dog", "a dog"], ["the cat"]],
    "mt.quality": [80.0, 20.0],
    "embedding": [[0.5, 0.25], [1.0, 0.0]],
    "image": [b"\x00", b"\xff"],
}
WAYS = {
    "datasets.parquet": lambda path: datasets.Dataset.from_dict(ROWS).to_parquet(path),
    "pyarrow.pq": lambda path: pq.write_table(pa.table(ROWS), path),
    "polars.parquet": lambda path: pytest.importorskip("polars").DataFrame(ROWS).write_parquet(path),
    "polars.feather": lambda path: pytest.importorskip("polars").DataFrame(ROWS).write_ipc(path, compression="zstd"),
    "polars.arrow": lambda path: pytest.importorskip("polars").DataFrame(ROWS).write_ipc_stream(path),
    "feather.feather": lambda path: feather.write_feather(pa.table(ROWS), path),
}


def written(table, write=pq.write_table, **options):
    out = io.BytesIO()
    write(pa.table(table), out, **options)
    return out.getvalue()


def read(data, format="parquet", limits=LIMITS):
    return READERS[format](io.BytesIO(data), f"test.{format}", limits)


def refusal(data, format="parquet", limits=LIMITS):
    with pytest.raises(InputError) as caught:
        read(data, format, limits)
    assert str(caught.value).startswith(f"test.{format}")
    return str(caught.value)


@pytest.mark.parametrize("name", WAYS)
def test_as_packages_write_them(name, tmp_path):
    WAYS[name](tmp_path / name)
    (found,) = tercet.read_test_sets(tmp_path / name)
    assert (found.systems, found.references, found.source) == ({"mt": ROWS["mt"]}, ROWS["refs"], ROWS["src"])


def test_the_file_in_which_datasets_keeps_its_rows(tmp_path):
    datasets.Dataset.from_dict(ROWS).save_to_disk(tmp_path / "set")
    run = command("score", tmp_path / "set" / "data-00000-of-00001.arrow", "-m", "chrf")
    assert "data-00000-of-00001: chrF" in " ".join(run.stdout.split()).replace(" : chrF", ": chrF")


def test_grades_are_correlated(tmp_path):
    WAYS["pyarrow.pq"](tmp_path / "graded.parquet")
    run = command("correlate", tmp_path / "graded.parquet", "-m", "chrf")
    # the title is as narrow as the table
    assert "quality, 2 graded outputs of 2 items" in " ".join(run.stdout.split())


def test_columns_of_other_types():
    table = read(written({
        "words": pa.array(["a", None]).dictionary_encode(), "large": pa.array(["b", "c"], pa.large_string()),
        "number": [1, None], "nan": [math.nan, 0.5], "pairs": [{"de": "x", "en": "y"}, None],
        "human": [{"mt": {"quality": 3}}, None], "vector": [[1], [2]], "bytes": ["ä".encode(), None],
        "more bytes": pa.array([b"a", b"b"], pa.large_binary()), "no text": [b"\xff", b"a"],
    }))  # fmt: skip
    assert table.columns == {
        "words": ["a", None], "large": ["b", "c"], "number": [1, None], "nan": [None, 0.5], "de": ["x", None],
        "en": ["y", None], "human": [{"mt": {"quality": 3}}, None], "bytes": ["ä", None], "more bytes": ["a", "b"],
        "no text": [b"", b""],
    }  # fmt: skip
    assert table.lines == [1, 2]


@given(st.lists(st.tuples(any_texts, st.lists(any_texts, max_size=3)), min_size=1, max_size=5))
def test_texts_stay_as_they_are(rows):
    texts, lists = map(list, zip(*rows, strict=True))
    columns = {"mt": texts, "refs": pa.array(lists, pa.list_(pa.string()))}
    for format, write in (("parquet", pq.write_table), ("arrow", feather.write_feather)):
        assert read(written(columns, write), format).columns == {"mt": texts, "refs": lists}


def test_what_is_damaged_or_too_large_is_refused():
    good = {"parquet": written(ROWS), "arrow": written(ROWS, feather.write_feather)}
    for format, data in good.items():
        assert " is empty; expected a" in refusal(b"", format)
        for bad in (b"a cat\n", data[: len(data) // 2], data[:40]):
            assert "or is damaged: " in refusal(bad, format)
        assert "holds more than 100 bytes, unpacked" in refusal(data, format, Limits(n_bytes=100))
        assert "has no rows; expected a row per item" in refusal(written(pa.table(ROWS).slice(0, 0)), "parquet")
    small = Limits(n_bytes=1 << 20)
    packed = written({"mt": ["a" * 100_000] * 50})  # one text in a dictionary, which is unpacked to 5 MB
    assert len(packed) < 200_000
    assert "holds more than 1 MiB, unpacked" in refusal(packed, limits=small)
    wide = written({f"c{number}": ["a"] for number in range(501)})
    assert "more than 500 columns" in refusal(wide)
    widest = written({f"c{number}": ["a"] for number in range(500)})
    assert len(READERS["parquet"](io.BytesIO(widest), "widest.parquet").columns) == 500
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["mt", "mt"])
    assert "the column 'mt' appears twice" in refusal(written(twice, feather.write_feather), "arrow")


@pytest.mark.parametrize(("format", "write"), [("parquet", pq.write_table), ("arrow", feather.write_feather)])
def test_bytes_in_a_dictionary_are_texts(format, write):
    columns = {"mt": pa.array([b"a", "ж".encode(), b"a"]).dictionary_encode(), "reference": ["a", "b", "c"]}
    assert read(written(columns, write), format).columns == {"mt": ["a", "ж", "a"], "reference": ["a", "b", "c"]}


def test_bytes_in_views_are_texts_or_images():
    """As polars writes bytes."""
    columns = {
        "mt": pa.array(["ж".encode(), b"a"], pa.binary_view()),
        "image": pa.array([b"\xff\0", b"a"], pa.binary_view()),
    }
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, pa.table(columns).schema) as writer:
        writer.write_table(pa.table(columns))
    assert read(stream.getvalue(), "arrow").columns == {"mt": ["ж", "a"]}


def test_bytes_that_are_no_texts_are_told_or_left_out_where_they_are_many(tmp_path):
    texts = {"reference": ["a cat", "a dog"], "mt": ["cat", "dog"]}
    pq.write_table(pa.table({**texts, "large": [b"un caf\xe9", b"a dog"]}), tmp_path / "t.parquet")
    with pytest.warns(UserWarning, match="column 'large' has values that are not text, unlike 'mt'"):
        (test_set,) = read_test_sets(tmp_path / "t.parquet")
    assert list(test_set.systems) == ["mt"]
    images = written({**texts, "image": [b"\xff\0", b"a"]})
    assert read(images).columns == texts
    images = written({**texts, "image": [b"\xff" * 1_000_000, b"\xfe" * 1_000_000]}, write_statistics=False)
    assert read(images, limits=Limits(n_bytes=1 << 20)).columns == texts


def test_bytes_that_are_no_text_are_refused():
    bad = pa.array([b"a\xff"]).view(pa.string())
    assert "Invalid UTF8" in refusal(written({"mt": bad}, feather.write_feather, compression="uncompressed"), "arrow")


DAMAGED = """
import io, os, random, sys
import pyarrow as pa, pyarrow.parquet as pq
from tercet.errors import InputError
from tercet.files.tables.arrow import read_parquet
written = io.BytesIO()
rows = {"reference": ["the cat", "собака", "猫"] * 50, "mt": ["a cat", "собаки", "狗"] * 50}
pq.write_table(pa.table(rows), written, row_group_size=60)
data, choice = written.getvalue(), random.Random(1)
footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
ends = []
for _ in range(500):
    damaged = bytearray(data)
    for _ in range(choice.choice([1, 2, 4])):
        damaged[choice.randrange(footer, len(data) - 8)] ^= 1 << choice.randrange(8)
    child = os.fork()
    if not child:
        os.close(2)
        try:
            read_parquet(io.BytesIO(damaged), "x.parquet")
        except InputError:
            os._exit(1)
        except BaseException:
            os._exit(2)
        os._exit(0)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(sorted({*ends}))
"""


def test_a_damaged_footer_ends_no_process():
    """pyarrow ends the process where it is asked for a column that a footer does not describe."""
    run = subprocess.run([sys.executable, "-c", DAMAGED], capture_output=True, text=True, timeout=120)
    assert run.stdout == "[0, 1]\n", run.stderr

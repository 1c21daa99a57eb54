"""Files become parts: each is read once, in the order of the files, and what cannot be read is named."""

import gzip
import json
import os
import random
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from growth import times_longer
from tercet.errors import InputError
from tercet.files.read import read_table
from tercet.streaming import input_parts
from tercet.streaming.input_parts import (
    BadFileError,
    FilePart,
    list_files,
    list_parts,
    roles_in,
    roles_of,
    tables_of,
    tasks_of,
)
from texts import all_pairs

PAIRS = list(zip(*all_pairs(), strict=True)) * 3
ROWS = [{"id": f"i{n}", "mt": mt, "refs": list(refs)} for n, (mt, refs) in enumerate(PAIRS)]


def write(path, rows=ROWS, **options):
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path, **options)
    elif path.suffix == ".tsv":
        lines = ["\t".join([row["id"], row["mt"], row["refs"][0]]) for row in rows]
        path.write_text("\n".join(["id\tmt\tref", *lines]) + "\n", encoding="utf-8")
    else:
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "wt", encoding="utf-8") as file:
            file.write(lines)
    return str(path)


def rows_of(parts, columns):
    return [row for part in parts for table in tables_of(part, columns) for row in table.to_pylist()]


class TestListFiles:
    def test_a_folder_a_pattern_and_paths_give_the_same_files(self, tmp_path):
        files = [write(tmp_path / name) for name in ("a.parquet", "b.jsonl", "c.tsv", "d.jsonl.gz")]
        (tmp_path / "notes.md").write_text("no table")
        assert list_files(tmp_path) == list_files(str(tmp_path)) == list_files(files) == files
        assert list_files(f"{tmp_path}/?.parquet") == files[:1]
        assert list_files(f"file://{tmp_path}/a.parquet") == [f"file://{files[0]}"]

    def test_a_folder_s_hidden_and_unfinished_files_are_passed_over(self, tmp_path):
        for name in (".a.parquet", "_SUCCESS.tsv", "b.parquet", "_temporary/c.parquet", "more/d.parquet"):
            write(tmp_path / name)
        (tmp_path / "dataset_info.json").touch()
        assert list_files(tmp_path) == [f"{tmp_path}/b.parquet", f"{tmp_path}/more/d.parquet"]

    def test_refuses_what_is_no_path_or_no_table(self, tmp_path):
        for given in [None, [], 7, pa.table({"mt": ["a"]}), [pa.table({})]]:
            with pytest.raises(InputError, match=r"Expected paths of files or a ray\.data\.Dataset"):
                list_files(given)
        write(tmp_path / "a.parquet")
        (tmp_path / "empty").mkdir()
        (tmp_path / "notes.md").touch()
        for given, message in [
            (["notes.md"], "'.*notes.md' is not a table, judging by its extension"),
            (["no.parquet"], "There is no file '.*no.parquet'"),
            (["a.parquet", "./a.parquet"], "'.*a.parquet' is given twice"),
            (["empty"], "The folder '.*empty' has no file that ends with .parquet"),
        ]:
            with pytest.raises(InputError, match=message):
                list_files([f"{tmp_path}/{name}" for name in given])


def test_texts_and_lists_of_any_kind_have_a_role():
    for kind in [pa.dictionary(pa.int32(), pa.string()), pa.large_string(), pa.string_view(), pa.string()]:
        lists = pa.large_list(pa.large_string()) if kind != pa.string() else pa.list_(pa.string(), 2)
        roles = roles_of(pa.schema([("id", pa.int64()), ("mt", kind), ("refs", lists), ("score", pa.float64())]))
        assert (roles.systems, roles.references) == (("mt",), ("refs",))


class TestParts:
    def test_of_parquet_are_row_groups_that_know_their_rows_or_whole_files(self, tmp_path):
        files = [write(tmp_path / "a.parquet", row_group_size=7), write(tmp_path / "b.jsonl")]
        parts = list_parts(files, n_tasks=1000)
        assert [part.number for part in parts] == list(range(len(parts)))
        assert [part.first_row for part in parts[:-1]] == list(range(0, len(ROWS), 7))
        assert [part.name for part in parts[-2:]] == [f"{files[0]}#{len(parts) - 2}+1", files[1]]
        assert rows_of(parts, ["id", "mt", "refs"]) == ROWS * 2
        whole = list_parts(files[:1], n_tasks=1)
        assert [part.n_groups for part in whole] == [None]
        assert rows_of(whole, ["id", "mt", "refs"]) == ROWS

    def test_the_names_of_columns_say_what_they_hold(self, tmp_path):
        for name in ["a.parquet", "b.jsonl", "c.tsv", "d.jsonl.gz"]:
            path = write(tmp_path / name)
            roles, known = roles_in(path)
            references = "ref" if name == "c.tsv" else "refs"
            assert (roles.systems, roles.references, known) == (("mt",), (references,), ["id", "mt", references])
            [part] = list_parts([path], n_tasks=1000)
            assert [row["mt"] for row in rows_of([part], ["mt"])] == [row["mt"] for row in ROWS]


class TestTasks:
    def test_hold_every_row_once_and_in_order_in_about_equal_work(self, tmp_path):
        files = [write(tmp_path / f"{n}.parquet", row_group_size=5) for n in range(3)]
        files += [write(tmp_path / f"{n}.jsonl", ROWS[:n]) for n in range(1, 40)]
        for n_tasks in (1, 2, 7, 30, 500):
            parts = list_parts(files, n_tasks)
            tasks = tasks_of(parts, n_tasks)
            assert rows_of([part for task in tasks for part in task], ["mt"]) == rows_of(parts, ["mt"])
            assert len(tasks) == min(n_tasks, len(parts))

    def test_open_a_file_once_for_row_groups_that_follow_each_other(self, tmp_path):
        path = write(tmp_path / "a.parquet", row_group_size=5)
        tasks = tasks_of(list_parts([path], 4), 4)
        assert [len(task) for task in tasks] == [1] * 4
        rows = [task[0].n_rows for task in tasks]
        assert (sum(rows), max(rows) - min(rows)) == (len(ROWS), pytest.approx(5, abs=5))
        assert [task[0].first_row for task in tasks] == [0, *accumulate(rows)][:-1]

    def test_are_more_than_asked_for_where_they_would_be_too_large(self):
        """10**10 rows in 2,000 tasks would be 5 million each."""
        group = FilePart("a.parquet", 0, 1, 1, n_groups=1, n_rows=100_000, n_bytes=1000)
        parts = [replace(group, first_group=n, number=n, first_row=n * group.n_rows) for n in range(10_000)]
        tasks = tasks_of(parts, 20)
        assert max(part.n_rows for [part] in tasks) <= 1 << 20
        assert sum(part.n_rows for [part] in tasks) == 10**9
        parts = [FilePart(f"{n}.jsonl", n, 1, 1, n_bytes=10**8) for n in range(1000)]
        assert {len(task) for task in tasks_of(parts, 20)} == {2}

    def test_take_time_in_proportion_to_the_files(self, tmp_path):
        """Each file was once looked up in the list of those before it."""
        for number in range(4000):
            (tmp_path / f"{number:05}.jsonl").touch()

        def listing(pattern):
            return lambda: tasks_of(list_parts(list_files(list_files(f"{tmp_path}/{pattern}")), 32), 32)

        # 20 times as many; their square is 400 times as much
        assert times_longer(listing, few="00[01]*", many="0*") < 100

    def test_take_time_in_proportion_to_the_large_files(self, monkeypatch):
        """Each file was once looked up in the list of the large ones."""
        monkeypatch.setattr(input_parts, "_groups", lambda whole: [whole])
        monkeypatch.setattr(input_parts, "_whole", lambda path: FilePart(path, 0, 1, 1, n_bytes=1))

        def listing(n):
            return lambda: list_parts([f"{number}.parquet" for number in range(n)], n + 1)

        assert times_longer(listing, few=200, many=4_000) < 100  # 20 times as many; their square is 400 times as much


class TestFilesThatChange:
    """What was listed is what is read, whole: no row is lost without a word, and none is of another file."""

    def test_while_they_wait_to_be_read(self, tmp_path):
        rows = [{"id": f"{n}", "mt": "a b", "refs": ["a"]} for n in range(2_000)]
        for name in ("a.parquet", "b.jsonl", "c.tsv", "d.jsonl.gz", "e.parquet"):
            path = write(tmp_path / name, rows)
            for n_tasks in (1, 1000):
                parts = list_parts([path], n_tasks)
                assert len(rows_of(parts, ["mt"])) == 2_000
            write(tmp_path / name, rows[:1_940])
            with pytest.raises(BadFileError, match=rf"{name} has changed since it was listed"):
                rows_of(parts, ["mt"])
            Path(path).unlink()
            with pytest.raises(BadFileError, match=rf"{name} has changed since it was listed"):
                rows_of(parts, ["mt"])

    def test_between_two_row_groups_or_by_another_file_of_the_same_size_and_time(self, tmp_path):
        path = tmp_path / "a.parquet"
        rows = [{"mt": f"{n:05}"} for n in range(100)]
        plain = {"row_group_size": 10, "use_dictionary": False, "compression": "none"}
        write(path, rows, **plain)
        parts = list_parts([str(path)], 1000)
        assert rows_of(parts[:4], ["mt"]) == rows[:40]
        before = path.stat()
        write(path, rows[::-1], **plain)
        assert path.stat().st_size == before.st_size
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        with pytest.raises(BadFileError, match=r"a\.parquet has changed since it was listed"):
            rows_of(parts[4:], ["mt"])

    def test_while_they_are_read(self, tmp_path):
        for name in ("a.parquet", "b.jsonl"):
            [part] = list_parts([write(tmp_path / name)], 1)
            tables = tables_of(part, ["mt"])
            next(tables)
            write(tmp_path / name, ROWS[1:])
            with pytest.raises(BadFileError, match=rf"{name} has changed since it was listed"):
                list(tables)


@pytest.mark.parametrize(
    "options", [{}, {"compression": "none", "use_dictionary": False}, {"data_page_version": "2.0"}]
)
def test_a_bit_that_turned_is_noticed_where_pages_have_checksums(tmp_path, options):
    """Of the footer, which has none, the number of rows is checked: a bit there once lost the rows of a group."""
    path, names = tmp_path / "a.parquet", ["id", "mt"]
    write(path, write_page_checksum=True, row_group_size=20, **options)
    data, rng = path.read_bytes(), random.Random(1)
    expected, refused = rows_of(list_parts([str(path)], 1000), names), 0
    for place in rng.sample(range(8 * len(data)), 150):
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        for read in (
            lambda: rows_of(list_parts([str(path)], 1000), names),
            lambda: pa.table({name: read_table(path).column(name) for name in names}).to_pylist(),
        ):
            try:
                rows = read()
            except InputError as error:
                refused += "a.parquet" in str(error)
            else:
                assert rows == expected
    assert refused > 100


def test_a_bad_file_and_one_that_lacks_a_column_are_named(tmp_path):
    for name, damage in [
        ("a.parquet", lambda data: data[: len(data) // 2]),
        ("a.parquet", lambda data: data[:100] + bytes(byte ^ 255 for byte in data[100:400]) + data[400:]),
        ("a.parquet", lambda data: b""),
        ("a.parquet", lambda data: b"PAR1 no Parquet PAR1"),
        ("b.jsonl", lambda data: data + b'{"mt": '),
        ("b.jsonl", lambda data: data + b"\xff\xfe\xfd\n"),
        ("c.tsv", lambda data: data + b"one\ttoo\tmany\tcells\n"),
        ("d.jsonl.gz", lambda data: data[: len(data) // 2]),
    ]:
        path = write(tmp_path / name)
        (tmp_path / name).write_bytes(damage((tmp_path / name).read_bytes()))
        with pytest.raises(BadFileError, match=name):
            rows_of(list_parts([path], n_tasks=1000), ["id", "mt"])
    path = write(tmp_path / "a.parquet")
    with pytest.raises(BadFileError, match=r"a.parquet has no column 'score'. Its columns are id, mt, refs."):
        rows_of(list_parts([path], n_tasks=1000), ["id", "score"])


def test_a_log_of_a_harness_is_one_run_of_many_and_refused(tmp_path):
    keys = ("doc_id", "doc", "target", "resps", "filtered_resps")
    sample = dict.fromkeys(keys, "a") | {"arguments": [["a", {}]]}
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample))
    with pytest.raises(BadFileError, match=r"samples\.jsonl is a log of lm-evaluation-harness: the engine in memory"):
        roles_in(str(tmp_path / "samples.jsonl"))

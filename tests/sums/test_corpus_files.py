"""Files become parts: each is read once, in the order of the files, and what cannot be read is named."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tercet.errors import InputError
from tercet.sums.corpus_files import BadFileError, list_files, list_parts, roles_in, roles_of, tables_of
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
        parts = list_parts(files, whole=False)
        assert [part.number for part in parts] == list(range(len(parts)))
        assert [part.first_row for part in parts[:-1]] == list(range(0, len(ROWS), 7))
        assert [part.name for part in parts[-2:]] == [f"{files[0]}#{len(parts) - 2}", files[1]]
        assert rows_of(parts, ["id", "mt", "refs"]) == ROWS * 2
        whole = list_parts(files[:1], whole=True)
        assert [part.group for part in whole] == [None]
        assert rows_of(whole, ["id", "mt", "refs"]) == ROWS

    def test_the_names_of_columns_say_what_they_hold(self, tmp_path):
        for name in ["a.parquet", "b.jsonl", "c.tsv", "d.jsonl.gz"]:
            path = write(tmp_path / name)
            roles, known = roles_in(path)
            references = "ref" if name == "c.tsv" else "refs"
            assert (roles.systems, roles.references, known) == (("mt",), (references,), ["id", "mt", references])
            [part] = list_parts([path], whole=False)
            assert [row["mt"] for row in rows_of([part], ["mt"])] == [row["mt"] for row in ROWS]


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
            rows_of(list_parts([path], whole=False), ["id", "mt"])
    path = write(tmp_path / "a.parquet")
    with pytest.raises(BadFileError, match=r"a.parquet has no column 'score'. Its columns are id, mt, refs."):
        rows_of(list_parts([path], whole=False), ["id", "score"])


def test_a_log_of_a_harness_is_one_run_of_many_and_refused(tmp_path):
    keys = ("doc_id", "doc", "target", "resps", "filtered_resps")
    sample = dict.fromkeys(keys, "a") | {"arguments": [["a", {}]]}
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample))
    with pytest.raises(BadFileError, match=r"samples\.jsonl is a log of lm-evaluation-harness: the engine in memory"):
        roles_in(str(tmp_path / "samples.jsonl"))

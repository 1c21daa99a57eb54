"""Every harness is asked whether a log is its own, and none takes what is nobody's; heads of modules show logs."""

import json
import re
import textwrap
from importlib import import_module
from pkgutil import iter_modules

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import ROOT
from tercet.files import logs
from tercet.files.logs import lighteval, wandb_tables
from tercet.files.logs.folders import read_folder
from tercet.files.logs.recognition import FORMATS, log_in_object, log_in_table
from tercet.files.read import read_file
from tercet.files.table import Log, Table

MODULES = [import_module(f"tercet.files.logs.{module.name}") for module in iter_modules(logs.__path__)]
READERS = [module for module in MODULES if hasattr(module, "FORMAT")]
TABLE = Table("a.csv", {"id": ["1"], "reference": ["a ship"], "prediction": ["a boat"]}, [2])


def name_of(module):
    return module.__name__.rpartition(".")[2]


def test_each_module_of_a_harness_is_asked_by_its_entries():
    assert sorted(map(id, FORMATS)) == sorted(id(module.FORMAT) for module in READERS)
    for module in MODULES:
        entries = [vars(module).get(entry) for entry in ("log_in_table", "log_in_object")]
        if hasattr(module, "FORMAT") and module is not lighteval:  # of which the reader of Parquet files asks
            own = [entry if entry and entry.__module__ == module.__name__ else None for entry in entries]
            assert [module.FORMAT.in_table, module.FORMAT.in_object] == own


def objects_in(text):
    """Yield the objects of JSON that are written one after the other."""
    position = 0
    while position < len(text):
        content, position = json.JSONDecoder().raw_decode(text, position)
        yield content
        position += len(text[position:]) - len(text[position:].lstrip())


def write_example(folder, module):
    """Write the log that the head of a module shows, under the name that it gives; return its path."""
    head = module.__doc__
    (name,) = re.findall(r"\S+\.(?:jsonl|json|csv|parquet)\b", head.partition("\n")[0])[:1]
    dated = name.replace("<date>_<time>", "20260102_030405").replace("<date>", "2026-01-02T03-04-05")
    path = folder / re.sub(r"<\w+>", "x", dated)
    (block,) = re.findall(r"\n\n((?:    .*\n)+)\n", head)
    example = textwrap.dedent(block)
    path.parent.mkdir(exist_ok=True, parents=True)
    if path.suffix == ".csv":
        path.write_text(example)
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(list(objects_in(example))), path)
    else:
        path.write_text("".join(f"{json.dumps(content)}\n" for content in objects_in(example)))
    return path


@pytest.mark.parametrize("module", READERS, ids=name_of)
def test_the_head_of_a_module_shows_a_log_that_is_known_as_its_own(module, tmp_path):
    assert len(module.__doc__.splitlines()) <= 10
    path = write_example(tmp_path, module)
    table = read_file(str(path))
    if module is wandb_tables:
        assert type(table) is Table
        assert table.columns == {"input": ["Q: ..."], "base": ["18"], "reference": ["18"]}
        return
    assert isinstance(table, Log)
    assert table.harness == module.FORMAT.harness
    if module.FORMAT.file_names:
        assert re.fullmatch(module.FORMAT.file_names, path.name)
        (log,) = read_folder(str(tmp_path))
        assert log.name == str(path)


def test_users_are_told_of_each_harness():
    pages = [ROOT / "docs" / "use" / name for name in ("harness-logs.md", "reading.md")]
    told = "".join(page.read_text(encoding="utf-8") for page in pages)
    for format in FORMATS:
        assert format.harness.split()[0] in told


def test_what_is_asked_of_any_table_is_asked_of_one_of_objects_too():
    of_any = [format for format in FORMATS if format.in_table and not format.of_objects]
    assert 0 < len(of_any) < len([format for format in FORMATS if format.in_table])


def test_a_table_of_nobody_is_no_log():
    assert log_in_table(TABLE) is None
    assert log_in_object({"prediction": "a ship", "reference": "a boat"}, "a.json") is None
    assert log_in_object(["a ship"], "a.json") is None

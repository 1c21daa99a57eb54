"""CONTRIBUTING.md sends readers to files and functions that are there: a page that errs costs more than none."""

import ast
import re

import pytest

from conftest import ROOT

SOURCE = ROOT / "src" / "tercet"
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
#: What runs from the root of the repository; every other path begins in the source.
OF_THE_ROOT = ("/", "tests", "src/", ".", "build_engine.py", "pyproject.toml", "build/")
#: What is there only after the make targets, in a checkout of the test data, or in the example of a new metric.
MADE = ("build/times", "src/tercet/metrics/overlap.py", "../shared/data")
FILE = r"[\w./<> *-]*?[\w>*]\.(?:py|pyx|pxi|md|html|js|yml|toml|txt|h)"


def passages(page):
    """Return the rows of tables, the items of lists and the paragraphs, each on one line."""
    without_code = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    return [" ".join(passage.split()) for passage in re.split(r"\n\n|\n(?=\||- |\* )", without_code)]


def files_named_in(passage):
    """Return each name of a file or a folder of a passage, and the files that it may mean.

    A bare name stands in the folder of a path before it, else at the top of the source.
    """
    folders, meant = [SOURCE], []
    for name in re.findall(rf"`({FILE}|[\w./<> -]+/[\w./<> -]*)(?: [\w.]+)?`", passage):
        if name in MADE or name.startswith(".venv/"):
            continue
        pattern = re.sub(r"<[^>]*>", "*", name).strip("/")
        if "/" in name or name.startswith(OF_THE_ROOT):
            top = ROOT if name.startswith(OF_THE_ROOT) else SOURCE
            folders.append(top / (pattern if name.endswith("/") else pattern.rpartition("/")[0]))
            meant.append((name, sorted(top.glob(pattern))))
        else:
            candidates = [sorted(ROOT.glob(f"{folder.relative_to(ROOT)}/{pattern}")) for folder in reversed(folders)]
            meant.append((name, next(filter(None, candidates), [])))
    return meant


def names_in(path):
    """Return what a file defines: functions, classes, constants, fields and methods, those too as Class.method."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    defined = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        if isinstance(node, ast.ClassDef):
            defined.update(
                f"{node.name}.{method.name}" for method in node.body if isinstance(method, ast.FunctionDef)
            )
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.add(node.id)
    return defined


def names_of_files(passage):
    """Return each pair of a name and the Python file that has it, as the page writes such pairs."""
    name, file = r"`(\w[\w.]*)`", r"`([\w./<>*-]+\.py)`"
    pairs = [pair for middle in (" in ", " of ", r" \(") for pair in re.findall(name + middle + file, passage)]
    for first, second, named in re.findall(f"{name} and {name} of {file}", passage):
        pairs += [(first, named), (second, named)]
    for middle in (", ", " ", r" \("):
        pairs += [(after, named) for named, after in re.findall(file + middle + name, passage)]
    pairs += [(after, named) for named, after in re.findall(r"`([\w./]+\.py) (\w[\w.]*)`", passage)]
    return [(name, named) for name, named in pairs if not name.endswith((".py", ".pxi"))]


def missing(page):
    """Return what a page names and the source does not have."""
    wrong = []
    for passage in passages(page):
        meant = dict(files_named_in(passage))
        wrong += [name for name, files in meant.items() if not files]
        for name, file in names_of_files(passage):
            if not any(name in names_in(path) for path in meant.get(file, [])):
                wrong.append(f"{name} of {file}")
    return wrong


def test_every_file_and_every_name_of_a_file_is_there():
    assert missing(PAGE) == []


def test_the_page_names_many():
    """Else the test above would pass of a page that it cannot read."""
    files = [name for passage in passages(PAGE) for name, _ in files_named_in(passage)]
    assert len(files) > 180
    names = {pair for passage in passages(PAGE) for pair in names_of_files(passage)}
    assert len(names) > 5
    assert {
        ("COLOURS", "explanation/html.py"),
        ("Format", "cli/output_options.py"),
        ("KINDS", "corpus/artefacts.py"),
    } <= names


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("`files/read.py` and `formats.py`", []),
        ("`files/reed.py`", ["files/reed.py"]),
        ("| a row | `files/read.py`, `wide_tables.py` |", ["wide_tables.py"]),
        ("`metrics/<metric>/metric.py`, options in `options.py`, peers in `pears.py`", ["pears.py"]),
        ("`FORMATS` of `files/formats.py`", []),
        ("`Formats` of `files/formats.py`", ["Formats of files/formats.py"]),
        ("its name in `cli/output_options.py` (`Formats`)", ["Formats of cli/output_options.py"]),
        ("`base/options.py from_option`", ["from_option of base/options.py"]),
        ("`tests/project/test_architektur.py` enforces this", ["tests/project/test_architektur.py"]),
    ],
)
def test_a_name_that_is_not_there_is_found(page, expected):
    assert missing(page) == expected


def test_every_room_of_the_drawing_is_one():
    drawing = PAGE.partition("## The house\n")[2].partition("\n## ")[0]
    rooms = re.findall(r"^    ([a-z_]+(?:, [a-z_]+)*)(?:  |$)", drawing, flags=re.MULTILINE)
    named = {room for line in rooms for room in line.split(", ")}
    there = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert named == there - {"__init__", "__main__"}

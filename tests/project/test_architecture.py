"""The architecture: which room may import which, how large rooms and files are, and what no file does."""

import ast
import sys

import pytest

from conftest import ROOT
from spaces.build import flat, project_imports
from tercet.registry import METRICS

SOURCE = ROOT / "src" / "tercet"

#: From the ground up: a file imports files of its own room, and of what stands before it here. No exception.
HOUSE = [
    *("errors", "checks", "signature", "markup", "result"),
    *("engine", "corpus", "files", "statistics", "encoders", "metric", "metrics"),
    *("registry", "api"),
    *("sums", "pages", "comparison", "trust", "huggingface", "cli"),
    *("__init__", "__main__"),
]
FLOOR = {room: number for number, room in enumerate(HOUSE)}

#: Files of these are asked for by Spaces.
TRAVELS = {*HOUSE[: HOUSE.index("pages")], "huggingface"}
OWN_IN_SPACES = {"registry", "engine.chosen"}  # the builder writes others there
ANYWHERE = {"numpy", "pyarrow"}
INSIDE_FUNCTIONS = {
    "nltk", "regex", "simplemma", "pymorphy3", "stop_words", "evaluate", "datasets", "ray", "sacrebleu",
    "rouge_score", "torch", "transformers", "tokenizers", "safetensors", "huggingface_hub", "matplotlib", "tqdm",
    "defusedxml", "openpyxl",
}  # fmt: skip

NAMES = sorted(".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in SOURCE.rglob("*.py"))
IN_ROOMS = [name for name in NAMES if "." in name and not name.endswith("__init__")]


def path_of(name):
    return SOURCE / f"{name.replace('.', '/')}.py"


def room_of(name):
    return name.split(".")[0]


def for_checkers(tree):
    """Return the numbers of the lines that only type checkers read."""
    blocks = [
        each for each in ast.walk(tree) if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING"
    ]
    return {line for block in blocks for line in range(block.lineno, block.end_lineno + 1)}


def imports_of(name):
    """Return what a file imports when it runs."""
    text = path_of(name).read_text()
    lines = for_checkers(ast.parse(text))
    return [each for each in project_imports(text, name) if each.line not in lines]


@pytest.mark.parametrize("name", NAMES)
def test_no_import_goes_up(name):
    own = room_of(name)
    for each in imports_of(name):
        other = room_of(each.name)
        assert other == own or FLOOR[other] < FLOOR[own], f"{name} imports {each.name}"


def test_no_file_imports_itself_by_way_of_others():
    done = set()

    def visit(name, above):
        assert name not in above, " -> ".join([*above, name])
        for each in imports_of(name) if name not in done and name not in ("__init__", "__main__") else ():
            visit(each.name, [*above, name])
        done.add(name)

    for name in NAMES:
        visit(name, [])


def test_every_room_has_a_place_and_a_sentence():
    assert {room_of(name) for name in NAMES} == set(HOUSE)
    for folder in {path_of(name).parent for name in IN_ROOMS}:
        (sentence,) = ast.parse((folder / "__init__.py").read_text()).body
        assert isinstance(sentence, ast.Expr), folder


def test_rooms_and_files_are_small():
    folders = [path_of(name).parent for name in IN_ROOMS]
    assert max(map(folders.count, folders)) <= 17
    for name in IN_ROOMS:
        assert len(path_of(name).read_text().splitlines()) <= 330, name


def test_names_are_unique_where_there_are_no_rooms():
    flat_names = [*map(flat, NAMES), *METRICS, "app", "cases"]  # of a Space's files; the page's begin with "widget"
    assert not [name for name in flat_names if name.startswith("widget")]
    assert len(flat_names) == len(set(flat_names))


@pytest.mark.parametrize("name", [name for name in NAMES if room_of(name) in TRAVELS])
def test_a_file_that_travels_into_spaces_asks_for_little(name):
    tree = ast.parse(path_of(name).read_text())
    functions = [each for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
    inside = {id(child) for function in functions for child in ast.walk(function)}
    for node in (each for each in ast.walk(tree) if each.__dict__.get("lineno", 0) not in for_checkers(tree)):
        packages = []
        if isinstance(node, ast.Import):
            packages = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            packages = [node.module]
        for package in (each.split(".")[0] for each in packages):
            known = package in ANYWHERE or package in sys.stdlib_module_names or package == "tercet"
            assert known or (id(node) in inside and package in INSIDE_FUNCTIONS), package


@pytest.mark.parametrize("name", [name for name in NAMES if room_of(name) in TRAVELS])
def test_imports_are_such_as_evaluate_s_loader_needs_in_a_space(name):
    """It takes ``from .x import y`` at column 0 and nothing else for a file to copy."""
    lines = path_of(name).read_text().splitlines()
    for each in imports_of(name):
        assert each.column == 0 or name in OWN_IN_SPACES, f"line {each.line} is indented"
        assert "#" not in lines[each.line - 1], f"line {each.line}: a comment there is taken for an address"
    others = [line for line in lines if line.strip().startswith(("import tercet", "import .", "from . import"))]
    assert not others or name in OWN_IN_SPACES


def test_nothing_pickles_or_seeds_globally_or_names_a_path_of_a_machine_or_in_the_report_a_metric():
    for path in map(path_of, NAMES):
        text = path.read_text()
        for word in ("pickle", "np.random.seed", "random.seed"):
            assert word not in text, path
        if path.parent.name == "pages":
            assert not [metric for metric in METRICS if f'"{metric}"' in text.partition('"""')[2]], path
    for path in [*map(path_of, NAMES), *ROOT.glob("metrics/*/*.py"), ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        assert str(ROOT.parent) + "/" not in path.read_text(), path

"""The house: which room may import which, how large rooms and files are, and what no file does."""

import ast
import sys

import pytest

from conftest import ROOT
from spaces.build import flat, project_imports
from tercet.registry import METRICS

SOURCE = ROOT / "src" / "tercet"

#: From the ground up: a file imports files of its own room, and of rooms on the steps below.
STEPS = [
    {"errors", "engine"},
    {"columns"},
    {"core"},
    {"files", "display"},
    {"text", "counting", "encoders", "resampling"},
    {"bleu", "chrf", "ter", "rouge", "bleu_rouge", "jaccard", "bertscore", "cosine", "perplexity"},
    {"registry", "api"},
    {"sums"},
    {"training", "modules", "mean", "prepared"},
    {"comparison"},
    {"trust", "scale"},
    {"difference", "report"},
    {"cli", "typing", "__init__"},
    {"__main__"},
]
STEP = {room: number for number, rooms in enumerate(STEPS) for room in rooms}
#: Files of a step that others of the same step build on.
BESIDE = {("api", "registry"), ("modules", "training")}
#: Methods of a comparison that draw it or write its report: they import the room above as they are called.
UPWARDS = {("comparison.scores", "report.figure"), ("comparison.scores", "report.page")}

TRAVELS = {room for rooms in STEPS[:9] for room in rooms}  # files of these are asked for by Spaces
OWN_IN_SPACES = {"registry", "engine.chosen"}  # the builder writes others there
ANYWHERE = {"numpy", "pyarrow"}
INSIDE_FUNCTIONS = {
    *("nltk", "regex", "simplemma", "pymorphy3", "stop_words", "evaluate", "ray", "sacrebleu", "rouge_score"),
    *(
        "torch",
        "transformers",
        "tokenizers",
        "safetensors",
        "huggingface_hub",
        "matplotlib",
        "tqdm",
        "defusedxml",
        "openpyxl",
    ),
}

NAMES = sorted(".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in SOURCE.rglob("*.py"))
IN_ROOMS = [name for name in NAMES if "." in name and not name.endswith("__init__")]


def path_of(name):
    return SOURCE / f"{name.replace('.', '/')}.py"


def room_of(name):
    return name.split(".")[0]


@pytest.mark.parametrize("name", [name for name in NAMES if name in STEP or name in IN_ROOMS])
def test_imports_go_down_the_steps(name):
    own = room_of(name)
    for each in project_imports(path_of(name).read_text(), name):
        other = room_of(each.name)
        inside = other == own and "." in name
        as_called = each.column > 0 and (name, each.name) in UPWARDS
        assert inside or STEP[other] < STEP[own] or (own, other) in BESIDE or as_called, f"{name} imports {each.name}"


@pytest.mark.parametrize("name", IN_ROOMS)
def test_files_of_a_room_do_not_import_each_other_in_a_circle(name):
    def needed(one, above):
        assert one not in above, " -> ".join([*above, one])
        for each in project_imports(path_of(one).read_text(), one):
            if room_of(each.name) == room_of(one):
                needed(each.name, [*above, one])

    needed(name, [])


def test_every_room_has_a_step_and_a_sentence():
    assert {room_of(name) for name in NAMES} == set(STEP)
    for room in {room_of(name) for name in IN_ROOMS}:
        (sentence,) = ast.parse((SOURCE / room / "__init__.py").read_text()).body
        assert isinstance(sentence, ast.Expr), room


@pytest.mark.parametrize("room", sorted({room_of(name) for name in IN_ROOMS}))
def test_rooms_and_files_are_small(room):
    names = [name for name in IN_ROOMS if room_of(name) == room]
    assert len(names) <= 15
    for name in names:
        assert len(path_of(name).read_text().splitlines()) <= 310, name


def test_names_are_unique_where_there_are_no_rooms():
    flat_names = [*map(flat, NAMES), *METRICS, "app", "cases"]  # of a Space's files; the page's begin with "widget"
    assert not [name for name in flat_names if name.startswith("widget")]
    assert len(flat_names) == len(set(flat_names))


@pytest.mark.parametrize("name", [name for name in NAMES if room_of(name) in TRAVELS])
def test_a_file_that_travels_into_spaces_asks_for_little(name):
    tree = ast.parse(path_of(name).read_text())
    inside = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
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
    for each in project_imports("\n".join(lines), name):
        assert each.column == 0 or name in OWN_IN_SPACES, f"line {each.line} is indented"
        assert "#" not in lines[each.line - 1], f"line {each.line}: a comment there is taken for an address"
    others = [line for line in lines if line.strip().startswith(("import tercet", "import .", "from . import"))]
    assert not others or name in OWN_IN_SPACES


def test_nothing_pickles_and_nothing_seeds_globally():
    for name in NAMES:
        text = path_of(name).read_text()
        for word in ("pickle", "np.random.seed", "random.seed"):
            assert word not in text, name


def test_the_report_knows_no_metric_by_its_name():
    for path in (SOURCE / "report").glob("*.py"):
        text = path.read_text()
        assert not [metric for metric in METRICS if f'"{metric}"' in text.partition('"""')[2]], path


def test_no_path_of_a_machine_in_the_sources():
    for path in [*map(path_of, NAMES), *ROOT.glob("metrics/*/*.py"), ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        assert str(ROOT.parent) + "/" not in path.read_text(), path

"""The house: which room may import which, and what no file does."""

import ast
import sys

import pytest

from conftest import ROOT
from tercet.registry import METRICS

SOURCE = ROOT / "src" / "tercet"
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)

#: From the ground up: a file imports files of its own room, and of what stands before it here. The exceptions are
#: in DRAWN_BY.
HOUSE = [
    *("numpy_later", "threads", "locks", "errors", "option_checks", "signature", "names_as_shown", "result"),
    *("engine", "corpus", "files", "statistics", "networks", "explanation", "table_formats", "base", "metrics"),
    *("registry", "specs", "api", "bayes_risk", "streaming"),
    *(
        "test_sets",
        "comparison",
        "correlation",
        "report",
        "huggingface",
        "rewards",
        "compat",
        "harnesses",
        "testing",
        "cli",
    ),
    *("examples", "__init__", "__main__"),
]
FLOOR = {room: number for number, room in enumerate(HOUSE)}

#: The folders and files of the largest room, likewise.
FLOORS_OF_COMPARISON = [
    *(
        "wording",
        "specs",
        "values",
        "result",
        "inputs",
        "scoring",
        "runs",
        "slices",
        "notes",
        "gates",
        "strata",
        "verdicts",
    ),
    *("overall", "shown", "metric_tables", "from_results", "compare"),
    *("segments_needed", "plan_sentences", "plan", "paired_significance"),
    *("one_segment", "packages"),
]

#: What draws or publishes a comparison stands above it: these its methods import when they are called, and only then.
DRAWN_BY = {
    "comparison.result": {
        *(f"tercet.comparison.shown.{file}" for file in ("published_results", "notebook", "records", "segment_rows")),
        *("tercet.comparison.shown.tables", "tercet.comparison.shown.terminal", "tercet.comparison.verdicts.legends"),
        *("tercet.report.comparison", "tercet.report.intervals_figure"),
    },
    "comparison.overall": {"tercet.report.comparison"},
    "correlation.result": {"tercet.correlation.tables"},
}

#: Packages that a file may import before anything is called: of the base, the two that every score needs.
ANYWHERE = {"numpy", "pyarrow", "tercet"}
MORE = {
    "cli": {"typer", "rich"},
    "comparison": {"rich"},
    "compat.torchmetrics": {"torch", "torchmetrics"},
    "correlation": {"rich"},
    "explanation.terminal": {"rich"},
    "harnesses": {
        *("deepeval", "ignite", "inspect_ai", "lighteval", "lightning", "lm_eval", "mlflow", "pytorch_lightning"),
        *("trackio", "unitxt", "wandb"),
    },
    "networks.static": {"safetensors", "tokenizers", "torch", "transformers"},
    "testing.baseline": {"pytest"},
    "huggingface.generation": {"accelerate", "torch", "tqdm", "transformers"},
    "huggingface.space": {"gradio", "pandas", "pebble", "starlette", "yaml"},
}

NAMES = sorted(".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in SOURCE.rglob("*.py"))
IN_ROOMS = [name for name in NAMES if "." in name and not name.endswith("__init__")]


def path_of(name):
    return SOURCE / f"{name.replace('.', '/')}.py"


def room_of(name):
    return name.split(".")[0]


def for_checkers(tree):
    """Return the numbers of the lines that only type checkers read."""
    blocks = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {line for block in blocks for line in range(block.lineno, block.end_lineno + 1)}


def imports_of(name, package="tercet"):
    """Return what a file imports: modules of the package, but for what it is drawn by; others, at its head alone."""
    at_head, when_called = all_imports_of(name)
    if package == "tercet":
        of_methods = [each for each in when_called if each not in DRAWN_BY.get(name, ())]
        inside = [each.removeprefix("tercet.") for each in at_head + of_methods if each.startswith("tercet.")]
        return [each for each in inside if each != "engine._engine"]  # compiled, and from no file in Python
    return [each.split(".")[0] for each in all_imports_of(name, with_checkers=False)[0]]


def all_imports_of(name, with_checkers=True):
    """Return what a file imports at its head, and what its functions import when they are called."""
    tree, at_head, when_called = ast.parse(path_of(name).read_text()), [], []
    inside = {id(each) for node in ast.walk(tree) if isinstance(node, FUNCTION) for each in ast.walk(node)}
    aside = set() if with_checkers else for_checkers(tree)
    for node in ast.walk(tree):
        found = when_called if id(node) in inside else at_head
        if getattr(node, "lineno", 0) in aside:
            continue
        if isinstance(node, ast.ImportFrom) and node.level:  # from the file's own room, or from one that many up
            room = ["tercet", *name.split(".")[: -node.level]]
            found += [
                ".".join([*room, each]) for each in ([node.module] if node.module else [a.name for a in node.names])
            ]
        elif isinstance(node, ast.ImportFrom):
            found.append(node.module)
        elif isinstance(node, ast.Import):
            found += [each.name for each in node.names]
    return at_head, when_called


@pytest.mark.parametrize("name", NAMES)
def test_no_import_goes_up(name):
    own = room_of(name)
    for each in imports_of(name):
        other = room_of(each)
        assert other == own or FLOOR[other] < FLOOR[own], f"{name} imports {each}"


@pytest.mark.parametrize("name", [name for name in IN_ROOMS if name.startswith("comparison.")])
def test_no_import_goes_up_within_the_comparison(name):
    floor_of = {floor: number for number, floor in enumerate(FLOORS_OF_COMPARISON)}
    own = name.split(".")[1]
    for each in imports_of(name):
        if room_of(each) == "comparison":
            other = each.split(".")[1]
            assert floor_of[other] <= floor_of[own], f"{name} imports {each}"


def test_no_file_imports_itself_by_way_of_others():
    done = set()

    def visit(name, above):
        assert name not in above, " -> ".join([*above, name])
        for each in imports_of(name) if name not in done and name not in ("__init__", "__main__") else ():
            visit(each, [*above, name])
        done.add(name)

    for name in NAMES:
        visit(name, [])


@pytest.mark.parametrize("name", DRAWN_BY)
def test_what_a_result_is_drawn_by_is_imported_when_it_is_drawn(name):
    at_head, when_called = all_imports_of(name)
    assert DRAWN_BY[name] <= {*when_called} - {*at_head}


def test_warnings_point_at_the_callers_line():
    """All go through `errors.warn`, which finds the first line outside the package."""
    with_own_call = [name for name in NAMES if "warnings.warn(" in path_of(name).read_text(encoding="utf-8")]
    assert with_own_call == ["errors"]


def test_every_room_has_a_place_and_a_sentence():
    assert {room_of(name) for name in NAMES} == set(HOUSE)
    for folder in {path_of(name).parent for name in IN_ROOMS}:
        sentence, *more = ast.parse((folder / "__init__.py").read_text()).body
        assert isinstance(sentence, ast.Expr), folder
        # install and uninstall, and how drop-ins are imported when they are used; the two assertions; the classes
        # tercet.metrics.bleu.Bleu and tercet.metrics.cosine.Cosine, as pickles of earlier versions name them
        assert len(more) == {"compat": 7, "testing": 2, "bleu": 1, "cosine": 1}.get(folder.name, 0), folder


@pytest.mark.parametrize("name", NAMES)
def test_no_file_asks_for_more_than_the_base_before_it_is_used(name):
    more = next((packages for room, packages in MORE.items() if name.startswith(room)), set())
    assert set(imports_of(name, package="any")) <= {*ANYWHERE, *more, *sys.stdlib_module_names}


def test_nothing_pickles_and_nothing_seeds_globally():
    for name in NAMES:
        text = path_of(name).read_text()
        for word in ("import pickle", "np.random.seed", "random.seed"):
            assert word not in text, name


def test_the_report_knows_no_metric_by_its_name():
    for path in (SOURCE / "report").glob("*.py"):
        text = path.read_text()
        assert not [metric for metric in METRICS if f'"{metric}"' in text.partition('"""')[2]], path


def test_no_path_of_a_machine_in_the_sources():
    for path in [*map(path_of, NAMES), *ROOT.glob("metrics/*/*.py"), ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        assert str(ROOT.parent) + "/" not in path.read_text(), path


def test_no_line_of_the_engine_is_longer_than_120():
    """A formatter sees to Python alone."""
    long = []
    for path in (SOURCE / "engine").glob("*.*"):
        if path.suffix in (".pyx", ".pxi", ".h"):
            lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            long += [f"{path.name}:{number}" for number, line in lines if len(line) > 120]
    assert long == []


def test_files_of_tests_have_names_of_their_own():
    """pytest imports a file by its name alone, where no package is above it: the second of a name is not run."""
    rooms = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if not (path.parent / "__init__.py").exists():
            rooms.setdefault(path.name, []).append(path.parent.name)
    assert {name: found for name, found in rooms.items() if len(found) > 1} == {}

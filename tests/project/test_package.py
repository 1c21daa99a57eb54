"""What the package says of itself: where it runs, where its home is, whom to cite, what can be imported from it."""

import re
import subprocess
import sys
from importlib.metadata import metadata

import pytest
import yaml

import tercet
from conftest import ROOT
from suite import SUITE
from tercet.registry import metric_class

PACKAGE = metadata("tercet")
CLASSIFIERS = PACKAGE.get_all("Classifier")
HOMES = dict(line.split(", ") for line in PACKAGE.get_all("Project-URL"))
VERSIONS = [line.rpartition(" ")[2] for line in CLASSIFIERS if re.search(r":: 3\.\d+$", line)]
CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text())


PUBLIC = [
    *("best_mean", "compare", "compute_metrics", "correlate", "errors", "explain", "free_models", "load", "mbr"),
    *("arrow_statistics", "overall", "plan", "read_test_sets", "reward", "score", "scorer"),
    *("Column", "IdfTable", "Metric", "Result", "Stream", "__version__"),
    *(known.cls for known in SUITE.values()),
]
ALSO = [
    "GatheringError",
    "GenerationCallback",
    "InputError",
    "MergeError",
    "OptionError",
    "TercetError",
    "preprocess_logits_for_metrics",
]


def bare(title):
    """Return the letters of a title: BibTeX has braces, and accents in its own way."""
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\\.|[{}]", "", title).lower())


def papers_of(text):
    """Return the years of the papers that BibTeX entries name, by their titles."""
    entries = re.findall(r'    title = "(.*)",\n(?:.*\n)*?    year = "(\d+)"', text)
    return {bare(title): year for title, year in entries}


def test_says_where_it_runs():
    assert PACKAGE["Requires-Python"] == f">={VERSIONS[0]}"
    assert [f"3.{minor}" for minor in range(10, 10 + len(VERSIONS))] == VERSIONS
    assert {"Typing :: Typed", "Operating System :: Microsoft :: Windows"} <= set(CLASSIFIERS)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What one answer of the index teaches for the next, and no more: the index is asked."""
    return str(tmp_path_factory.mktemp("uv"))


@pytest.mark.fresh_venv
@pytest.mark.parametrize("system", ["linux", "windows", "macos"])
@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_its_requirements_can_be_had_without_a_compiler(version, system, cache):
    command = [sys.executable, "-m", "uv", "pip", "compile", "-q", "--cache-dir", cache, "--only-binary", ":all:"]
    where = ["--python-version", version, "--python-platform", system, str(ROOT / "pyproject.toml")]
    found = subprocess.run([*command, *where], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "pyarrow==" in found.stdout


@pytest.mark.fresh_venv
def test_the_base_brings_at_most_twelve_packages(cache, tmp_path):
    uv = [sys.executable, "-m", "uv", "--cache-dir", cache]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(tmp_path)], check=True)
    asked = [*uv, "pip", "install", "--dry-run", "--python", str(tmp_path / "bin" / "python"), str(ROOT)]
    found = subprocess.run(asked, capture_output=True, text=True, check=True).stderr
    brought = set(re.findall(r"^ \+ ([\w-]+)[= ]", found, re.MULTILINE)) - {"tercet"}
    assert {"numpy", "pyarrow", "regex", "rich", "typer"} <= brought
    assert len(brought) <= 12, brought


def test_no_extra_has_the_name_of_a_package_of_the_hub():
    assert not {"spaces", "hf", "huggingface_hub"} & set(PACKAGE.get_all("Provides-Extra"))


class TestCitation:
    def test_is_of_this_version_and_home(self):
        assert CITED["version"] == tercet.__version__
        assert CITED["repository-code"] == HOMES["Repository"]
        assert CITED["url"] == HOMES["Documentation"]

    @pytest.mark.parametrize("card", sorted(ROOT.glob("metrics/*/README.md")), ids=lambda card: card.parent.name)
    def test_papers_of_a_metric_are_those_of_its_card_with_the_same_years(self, card):
        """What the metrics add to the statistics here is a choice: each module and each card cites its own."""
        papers = {bare(each["title"]): str(each["year"]) for each in CITED["references"]}
        entries = papers_of(card.read_text())
        assert entries
        if card.parent.name in SUITE:
            assert entries.items() <= papers_of(metric_class(card.parent.name).about.citation).items()
        for title, year in entries.items():
            assert papers.get(title, year) == year, title


def test_dir_shows_what_is_public_and_nothing_else():
    assert sorted(dir(tercet)) == sorted(PUBLIC) == sorted(tercet.__all__)
    assert all(getattr(tercet, name).__doc__ for name in [*PUBLIC, *ALSO])
    with pytest.raises(AttributeError, match="module 'tercet' has no attribute 'scores'"):
        tercet.scores  # noqa: B018


METRICS_OF_STRINGS = ["bleu", "chrf", "ter", "wer", "google_bleu", "rouge_nlws:rouge_types=rougeL"]


@pytest.mark.needs("torch")  # else there is nothing to import by mistake
def test_what_is_used_is_imported_when_it_is_used():
    code = (
        "import sys, tercet; at_once = {'numpy', 'pyarrow', 'datasets', 'evaluate', 'rich'} & set(sys.modules);"
        "missing = [name for name in tercet.__all__ if not hasattr(tercet, name)];"
        "by_names = {'torch', 'transformers', 'evaluate', 'matplotlib', 'pandas'} & set(sys.modules);"
        "print(at_once, missing, by_names)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set() [] set()\n"


@pytest.mark.parametrize(
    ("metric", "lists", "imported"),
    [
        *((metric, "['a b c d'], ['a b c d']", "False") for metric in METRICS_OF_STRINGS),
        *((metric, "['a b c d'] * 9, ['a b c e'] * 9", "False") for metric in METRICS_OF_STRINGS),
        *((metric, "['a b c d'], [['a b c d', 'a b']]", "False") for metric in METRICS_OF_STRINGS),
        ("chrf", "['猫が寝た'], ['犬が寝た']", "False"),
        # Arrays: of the type W, and of texts that are looked at together.
        ("rouge_nlws", "['a b c d'], ['a b c d']", "True"),
        ("bleu", "['a b c d'] * 9, [['a b c d'], ['a b', 'c d']] + [['a']] * 7", "True"),
    ],
)
def test_a_score_of_lists_imports_numpy_where_it_takes_arrays_and_nothing_else(metric, lists, imported):
    code = (
        f"import sys, tercet; tercet.score({metric!r}, {lists}).signature;"
        "print('numpy' in sys.modules, *{'pyarrow', 'pandas', 'scipy', 'nltk', 'torch', 'evaluate', 'datasets',"
        " 'rich', 'typer', 'logging', 'statistics'} & {*sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == f"{imported}\n"


def test_workflows_run_actions_of_fixed_commits():
    """A tag or a branch may be moved to other code, also that of the job which publishes."""
    files = (ROOT / ".github" / "workflows").glob("*.yml")
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    used = [line.split("uses: ", 1)[1] for line in lines if "uses: " in line and "uses: ./" not in line]
    assert len(used) > 5
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+\b.*", action), action


@pytest.mark.parametrize("name", ["sacrebleu", "rouge_scorer", "nltk", "rouge", "jiwer", "evaluate"])
def test_a_drop_in_is_an_attribute_that_is_imported_when_it_is_used(name):
    code = (
        "import sys, tercet; at_once = 'tercet.compat' in sys.modules;"
        f"print(at_once, tercet.compat.{name}.__name__, hasattr(tercet.compat, 'sacreblue'))"
    )
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == f"False tercet.compat.{name} False\n"

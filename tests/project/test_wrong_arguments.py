"""Whatever is passed to a public function, it answers, or refuses by an error that says what is wrong."""

import inspect
from contextlib import suppress

import pyarrow as pa
import pytest

import tercet

SYSTEMS = {"A": ["the cat", "it rains", "кот спит", "sí"], "B": ["a cat", "rain", "кот не спит", "no"]}
REFERENCES = ["the cat sat", "it rains now", "кот спит", "sí"]
GRADES = {"A": [5, 4, 3, 5], "B": [3, 1, 4, 1]}
FEW = {"n_resamples": 10, "n_permutations": 10}
METRICS = ["jaccard:ngram=1", "bleu:max_order=2"]
TABLE = pa.table({"prediction": ["a"], "references": ["a"]})

#: Of each function, a call that works.
CALLS = {
    "arrow_statistics": {"table": TABLE, "metric": "chrf"},
    "best_mean": {"n_folds": 2},
    "compare": {"test_set": SYSTEMS, "metrics": "chrf", "references": REFERENCES, "n_resamples": 10},
    "compute_metrics": {"metrics": "chrf"},
    "correlate": {"test_set": SYSTEMS, "metrics": "chrf", "grades": GRADES, "references": REFERENCES, **FEW},
    "explain": {"metric": "bleu", "prediction": "a b", "references": ["a"]},
    "mbr": {"groups": [["a b", "a c"]], "metric": "chrf"},
    "overall": {"comparisons": [tercet.compare(SYSTEMS, "chrf", references=REFERENCES, n_resamples=10)] * 2},
    "plan": {"test_set": SYSTEMS, "metrics": "chrf", "references": REFERENCES, "difference": 1, "n_resamples": 10},
    "read_test_sets": {"files": "nowhere.tsv"},
    "reward": {"metric": "chrf"},
    "score": {"metric": "chrf", "predictions": ["a"], "references": ["a"]},
    "scorer": {"metric": "chrf"},
    "Stream": {"metric": "chrf"},
}


def generator():
    yield 3


WRONG = [
    None, 3, -1, 0, 2.5, float("nan"), True, "", "x", "\ud800", "a\0b", b"x", [], [None], [3], {}, {1: 2},
    {"a": None}, object(), generator, int, [[]], {"x": ["a"]}, [["a"], 3], 10**400, (1, 2), {3},
]  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def found():
    return tercet.correlate(SYSTEMS, METRICS, GRADES, references=REFERENCES, **FEW)


@pytest.mark.parametrize("name", CALLS)
def test_no_argument_ends_in_another_error(name, found, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = getattr(tercet, name)
    call = {"found": found, **CALLS[name]} if name == "best_mean" else CALLS[name]
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = [each for each, kind in inspect.signature(function).parameters.items() if kind.kind not in variable]
    for parameter in [*parameters, "unknown"]:
        for value in WRONG:
            with suppress(tercet.TercetError):
                function(**{**call, parameter: value})


@pytest.mark.parametrize(("name", "wrong", "message"), [
    ("compare", "n_resample", r"^compare has no option 'n_resample'\. Did you mean 'n_resamples'\?$"),
    ("compare", "n_jobs", r"^compare has no option 'n_jobs'\. Known: test_set, metrics, "),
    ("correlate", "human", r"^correlate has no option 'human'\. Known: test_set, "),
    ("best_mean", "folds", r"^best_mean has no option 'folds'\. Did you mean 'n_folds'\?$"),
    ("read_test_sets", "reference", r"^read_test_sets has no option 'reference'\. Did you mean 'references'\?$"),
    ("compute_metrics", "metric", r"^compute_metrics has no option 'metric'\. Did you mean 'metrics'\?$"),
])  # fmt: skip
def test_of_an_unknown_keyword_the_nearest_is_named(name, wrong, message, found):
    call = {"found": found, **CALLS[name]} if name == "best_mean" else CALLS[name]
    with pytest.raises(tercet.OptionError, match=message):
        getattr(tercet, name)(**call, **{wrong: 2})


@pytest.mark.parametrize(("metric", "wrong", "message"), [
    ("bleu", "lenght_penalty", r"^reward has no option 'lenght_penalty'\. Did you mean 'length_penalty'\?$"),
    ("bleu", "max_ordr", r"^bleu_multi has no option 'max_ordr'\. Did you mean 'max_order'\?$"),
])  # fmt: skip
def test_of_a_reward_an_option_of_its_own_or_of_its_metric_is_named(metric, wrong, message):
    with pytest.raises(tercet.OptionError, match=message):
        tercet.reward(metric, **{wrong: 2})


def test_references_in_the_place_of_metrics_are_recognized():
    wanted = r"References are given by name: correlate\(systems, 'bleu', grades, references=references\)\.$"
    with pytest.raises(tercet.OptionError, match=wanted):
        tercet.correlate(SYSTEMS, REFERENCES, GRADES)
    with pytest.raises(tercet.InputError, match=r"given by name, .* got b'x\.csv'"):
        tercet.read_test_sets(b"x.csv")


def test_what_is_no_correlation_has_no_best_mean():
    with pytest.raises(tercet.InputError, match=r"^best_mean takes the result of tercet\.correlate, got None\.$"):
        tercet.best_mean(None)


@pytest.mark.parametrize("function", [tercet.compare, tercet.correlate])
def test_a_system_has_a_name_that_can_be_written(function):
    systems = {"A\ud800": ["a"], "B": ["b"]}
    with pytest.raises(tercet.InputError, match=r"The name of the system 'A\\ud800' is not valid Unicode"):
        function(systems, "chrf", references=["a"])


def test_a_file_whose_name_is_not_utf_8_is_shown_with_its_bytes(tmp_path):
    reference = tmp_path / "ref.txt"
    reference.write_text("Кошка спит\n猫在睡觉\n", encoding="utf-8")
    system = bytes(tmp_path) + b"/syst\xe8me.txt"
    with open(system, "wb") as file:
        file.write("Кошка спит\n猫睡觉\n".encode())
    (test_set,) = tercet.read_test_sets(system.decode("utf-8", "surrogateescape"), references=reference)
    assert list(test_set.systems) == [r"syst\xe8me"]
    assert r"syst\xe8me" in tercet.compare(test_set, "chrf").to_html()

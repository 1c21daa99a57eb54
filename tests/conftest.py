"""What all tests share: where the real test sets are, and that nobody touches the global random state."""

import os
import sys

# First: packages read these once, as they are imported; so do the processes that tests start.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Products of tests are small: more threads wait for each other, the longer the busier the machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from language_models import SMOLLM2, small_model, smollm2
from schedule import Schedule, is_long
from suite import SUITE
from tercet.registry import canonical, metric_class

pytest_plugins = ["words", "builds", "timing"]

#: For tests whose texts are too short or too far apart for a BLEU above 0, and that are about something else.
ZERO_BLEU = pytest.mark.filterwarnings("ignore:.*(bleu_multi|bleu_rouge_f). BLEU is .*0 only because:UserWarning")

#: For tests of fewer items than an interval takes.
FEW_ITEMS = pytest.mark.filterwarnings("ignore:.*No intervals. .* cannot tell how much scores vary:UserWarning")

#: For tests of any texts at all: some have artefacts on one side, letters that ROUGE's tokenizer drops, or few items.
ANY_TEXTS = pytest.mark.filterwarnings(
    "ignore:.*they are scored as text:UserWarning",
    "ignore:.*counts as another word:UserWarning",
    "ignore:.*take that for other words:UserWarning",
    "ignore:.*keeps a-z and 0-9 only and drops:UserWarning",
    *FEW_ITEMS.args,
)

# A third of the usual examples, the same ones each time; without deadlines, as the first may import what it needs.
# "explore" draws others, and the usual number, in each run.
settings.register_profile("quick", max_examples=30, deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

ROOT = Path(__file__).resolve().parents[1]
SETS = ROOT.parent / "shared" / "data"

# The model of the cases and the card of perplexity_lm.
os.environ["TERCET_LANGUAGE_MODEL"] = SMOLLM2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in filter(is_long, items):
        item.add_marker("long")
    for item in items:  # hypothesis comes to draw every artefact sooner or later
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(ANY_TEXTS)
    if config.pluginmanager.hasplugin("rerunfailures"):
        for item in items:
            # Of many programs that are not ours, as browsers and Gradio's client: once more is allowed, and told.
            if {"browser", "program"} & {*item.fixturenames}:
                item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return Schedule(config, log)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hf")
    import evaluate.config

    evaluate.config.HF_METRICS_CACHE = str(folder / "metrics")
    evaluate.config.HF_MODULES_CACHE = str(folder / "modules")


@pytest.fixture(scope="session", autouse=True)
def _language_models(pytestconfig):
    """The folders that are named above; the real one is made where it is asked for, the small one in a second."""
    if not pytestconfig.option.words:
        small_model("gpt2")


@pytest.fixture(scope="session")
def real_language_model(pytestconfig):
    """What `TERCET_LANGUAGE_MODEL` names, where networks are tested."""
    return None if pytestconfig.option.words else smollm2()


@pytest.fixture(scope="session")
def browser():
    """Debian's chromium, one for all tests of a process: playwright runs once in it."""
    from playwright.sync_api import sync_playwright

    from browser import CHROMIUM, chromium

    if not chromium():
        assert not os.environ.get("TERCET_REQUIRE_BROWSER"), "TERCET_REQUIRE_BROWSER is set, but there is no chromium"
        pytest.skip("Debian's chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def sets() -> Path:
    """Folder of real test sets with golden figures; the tests that need it are skipped where it is absent."""
    if not SETS.is_dir():
        if os.environ.get("TERCET_REQUIRE_TEST_DATA"):
            pytest.fail(f"TERCET_REQUIRE_TEST_DATA is set, but there is no folder {SETS}")
        pytest.skip("the folder of real test sets (../shared/data) is not beside this checkout")
    return SETS


@pytest.fixture(scope="session", params=["_engine", "plain"])
def engine(request):
    """Each of the two implementations of the engine: tests that ask for it hold for both."""
    return import_module(f"tercet.engine.{request.param}")


def close(metric, found, expected, scale=1):
    """Return whether two results of a scale are equal, numbers within what the metric's arithmetic allows."""
    same = partial(close, metric, scale=scale)
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, float):
        return found == pytest.approx(expected, rel=SUITE[metric].relative, abs=scale * SUITE[metric].tolerance)
    return found == expected


def needed(metric):
    """Return the options without which a metric refuses to score."""
    return SUITE[canonical(metric)].needed


def written(metric, options):
    """Return a metric with options as a user wrote them, also those that equal a default."""
    return metric_class(metric).from_options(options, written=options)


def segment_options(metric):
    """Return the options by which a metric scores single segments, where these differ."""
    values = {name: getattr(metric.segment_metric, name) for name in metric.options()}
    return {name: value for name, value in values.items() if value != getattr(metric, name)}


def random_states():
    """Return the global random state of numpy, and that of torch where it is loaded."""
    states = {"numpy": np.random.get_state()[1].copy()}  # noqa: NPY002
    if "torch" in sys.modules:
        states["torch"] = sys.modules["torch"].random.get_rng_state().numpy()
    return states


@pytest.fixture(autouse=True)
def _global_random_state_untouched():
    np.random.seed(0)  # noqa: NPY002  some originals draw from it: in each run the same
    before = random_states()
    yield
    after = random_states()
    for package, state in before.items():
        assert np.array_equal(state, after[package]), f"a test changed {package}'s global random state"

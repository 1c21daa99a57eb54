"""Which tests `make test` leaves to `make test-long`, and which run in one process: those that share what is costly.

(The marks that pytest-xdist 3.8 has for this, ``xdist_group``, do nothing under pytest 9.2.)
"""

from pathlib import PurePath

from xdist.scheduler import LoadScopeScheduling

from tercet.registry import METRICS

#: A metric without and one with a network, for what all metrics share but these two may do otherwise.
UNLIKE = ["bleu_multi", "bertscore_idf"]

#: Files whose tests share encoders, folders of Spaces, trained models or a stand-in of the Hub.
SHARED = {
    "test_bertscore_architectures.py",
    "test_clients.py",
    "test_contributing.py",
    "test_gathering.py",
    "test_hub.py",
    "test_publish.py",
    "test_ray.py",
    "test_spaces.py",
    "test_trainer.py",
}


class Schedule(LoadScopeScheduling):
    """Tests of a page go together, tests of the files above too, and each other test by itself."""

    def _split_scope(self, nodeid):
        path, _, test = nodeid.partition("::")
        name = PurePath(path).name
        if name.startswith("test_page_"):
            return next((metric for metric in METRICS if metric in test), "bleu_multi")
        return name if name in SHARED else nodeid


def is_long(item):
    """Return whether a test is a costly one of another metric than the first, or than those its mark names."""
    mark = item.get_closest_marker("costly")
    given = item.callspec.params.values() if mark and hasattr(item, "callspec") else ()
    named = {each for each in given if isinstance(each, str) and each in METRICS}
    return bool(named) and not named & {"bleu_multi", *mark.args}

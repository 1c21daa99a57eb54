"""Which tests `make test` leaves to `make test-all`, and which run in one process: those that share what is costly.

(The marks that pytest-xdist 3.8 has for this, ``xdist_group``, do nothing under pytest 9.2.)
"""

import re
from functools import cache
from pathlib import PurePath

from xdist.scheduler import LoadScopeScheduling

from suite import SUITE


class Schedule(LoadScopeScheduling):
    """Tests of a page go together, those of a file that keeps something for all of them too, each other by itself."""

    def _split_scope(self, nodeid):
        path, _, test = nodeid.partition("::")
        if PurePath(path).name.startswith("test_page_"):
            return next((metric for metric in SUITE if metric in test), "bleu_multi")
        return path if _shares(self.config.rootpath / path) else nodeid


@cache
def _shares(path):
    """Return whether a file has a fixture for all its tests, such as a trained model, a Hub, or Ray."""
    return re.search(r'scope="(module|session)"', path.read_text(encoding="utf-8")) is not None


def is_long(item):
    """Return whether a test is a costly one of another metric than the first, or than those its mark names."""
    mark = item.get_closest_marker("costly")
    given = item.callspec.params.values() if mark and hasattr(item, "callspec") else ()
    named = {each for each in given if isinstance(each, str) and each in SUITE}
    return bool(named) and not named & {"bleu_multi", *mark.args}

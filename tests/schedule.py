"""Which tests run one after the other in one process, where pytest runs in several: those that share what is costly.

(The marks that pytest-xdist 3.8 has for this, ``xdist_group``, do nothing under pytest 9.2.)
"""

from pathlib import PurePath

from xdist.scheduler import LoadScopeScheduling

from tercet.registry import METRICS

#: Files whose tests share encoders, folders of Spaces, trained models or a stand-in of the Hub.
SHARED = {
    "test_bertscore_architectures.py",
    "test_clients.py",
    "test_contributing.py",
    "test_gathering.py",
    "test_hub.py",
    "test_publish.py",
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

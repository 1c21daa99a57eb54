"""chrF and chrF++, several orders of words in one pass, as an evaluate module."""

import evaluate

from tercet.chrf.metric import Chrf as Metric
from tercet.modules.suite_module import SuiteModule


class ChrfMulti(SuiteModule, evaluate.Metric):
    """chrF as an evaluate module."""

    of = Metric

"""BLEU for one or many references, with every choice named, as an evaluate module."""

import evaluate

from tercet.bleu.metric import Bleu as Metric
from tercet.modules.suite_module import SuiteModule


class BleuMulti(SuiteModule, evaluate.Metric):
    """BLEU as an evaluate module."""

    of = Metric

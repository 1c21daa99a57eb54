"""Jaccard similarity of words, stems, lemmas, n-grams or characters, as an evaluate module."""

import evaluate

from tercet.jaccard.metric import Jaccard as Metric
from tercet.modules.suite_module import SuiteModule


class JaccardSets(SuiteModule, evaluate.Metric):
    """Jaccard similarity as an evaluate module."""

    of = Metric

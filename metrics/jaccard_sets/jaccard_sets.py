"""Jaccard similarity of words, stems, lemmas, n-grams or characters, as an evaluate module."""

import evaluate

from tercet.huggingface.suite_module import SuiteModule
from tercet.metrics.jaccard.metric import Jaccard as Metric


class JaccardSets(SuiteModule, evaluate.Metric):
    """Jaccard similarity as an evaluate module."""

    of = Metric

"""Jaccard similarity of words, stems, lemmas, n-grams or characters, as an evaluate module."""

import evaluate

try:
    from tercet import Jaccard as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class JaccardSets(SuiteModule, evaluate.Metric):
    """Jaccard similarity as an evaluate module."""

    of = Metric

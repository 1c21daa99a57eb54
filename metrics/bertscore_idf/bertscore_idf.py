"""BERTScore with IDF weights for any encoder, as an evaluate module."""

import evaluate

try:
    from tercet import BertScore as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class BertscoreIdf(SuiteModule, evaluate.Metric):
    """BERTScore as an evaluate module."""

    of = Metric

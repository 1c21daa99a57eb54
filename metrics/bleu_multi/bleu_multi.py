"""BLEU for one or many references, with every choice named, as an evaluate module."""

import evaluate

try:
    from tercet import Bleu as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class BleuMulti(SuiteModule, evaluate.Metric):
    """BLEU as an evaluate module."""

    of = Metric

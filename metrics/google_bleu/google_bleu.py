"""GLEU, or Google BLEU, as an evaluate module."""

import evaluate

try:
    from tercet import GoogleBleu as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class GoogleBleu(SuiteModule, evaluate.Metric):
    """GLEU as an evaluate module."""

    of = Metric

"""Diversity of the texts of a set, as an evaluate module."""

import evaluate

try:
    from tercet import Diversity as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class Diversity(SuiteModule, evaluate.Metric):
    """Diversity of the texts of a set as an evaluate module."""

    of = Metric

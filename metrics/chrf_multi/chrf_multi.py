"""chrF and chrF++, several orders of words in one pass, as an evaluate module."""

import evaluate

try:
    from tercet import Chrf as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class ChrfMulti(SuiteModule, evaluate.Metric):
    """chrF as an evaluate module."""

    of = Metric

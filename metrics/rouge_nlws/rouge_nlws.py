"""ROUGE-N, L, W and S for one or many references, in any script, as an evaluate module."""

import evaluate

try:
    from tercet import Rouge as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class RougeNlws(SuiteModule, evaluate.Metric):
    """ROUGE as an evaluate module."""

    of = Metric

"""Word and character error rates as an evaluate module."""

import evaluate

try:
    from tercet import Wer as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class Wer(SuiteModule, evaluate.Metric):
    """Word and character error rates as an evaluate module."""

    of = Metric

"""Translation edit rate with shifts, as an evaluate module."""

import evaluate

try:
    from tercet import Ter as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class Ter(SuiteModule, evaluate.Metric):
    """Translation edit rate as an evaluate module."""

    of = Metric

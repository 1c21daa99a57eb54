"""Perplexity under any causal language model, as an evaluate module."""

import evaluate

try:
    from tercet import Perplexity as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class PerplexityLm(SuiteModule, evaluate.Metric):
    """Perplexity as an evaluate module."""

    of = Metric
    predictions_also_called = ("input_texts", "data")

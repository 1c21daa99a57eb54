"""Perplexity under any causal language model, as an evaluate module."""

import evaluate

from tercet.huggingface.suite_module import SuiteModule
from tercet.metrics.perplexity.metric import Perplexity as Metric


class PerplexityLm(SuiteModule, evaluate.Metric):
    """Perplexity as an evaluate module."""

    of = Metric

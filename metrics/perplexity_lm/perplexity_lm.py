"""Perplexity under any causal language model, as an evaluate module."""

import evaluate

from tercet.modules.suite_module import SuiteModule
from tercet.perplexity.metric import Perplexity as Metric


class PerplexityLm(SuiteModule, evaluate.Metric):
    """Perplexity as an evaluate module."""

    of = Metric

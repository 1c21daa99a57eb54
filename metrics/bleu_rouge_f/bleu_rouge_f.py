"""F of the precision of BLEU and the recall of ROUGE, as an evaluate module."""

import evaluate

from tercet.huggingface.suite_module import SuiteModule
from tercet.metrics.bleu_rouge.metric import BleuRouge as Metric


class BleuRougeF(SuiteModule, evaluate.Metric):
    """F of BLEU and ROUGE as an evaluate module."""

    of = Metric

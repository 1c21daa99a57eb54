"""F of the precision of BLEU and the recall of ROUGE, as an evaluate module."""

import evaluate

from tercet.bleu_rouge.metric import BleuRouge as Metric
from tercet.modules.suite_module import SuiteModule


class BleuRougeF(SuiteModule, evaluate.Metric):
    """F of BLEU and ROUGE as an evaluate module."""

    of = Metric

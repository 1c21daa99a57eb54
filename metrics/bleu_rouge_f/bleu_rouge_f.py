"""F of the precision of BLEU and the recall of ROUGE, as an evaluate module."""

import evaluate

try:
    from tercet import BleuRouge as Metric
    from tercet.huggingface.suite_module import SuiteModule
except ImportError as error:
    if error.name != "tercet":
        raise
    raise ImportError('This metric needs tercet: pip install "tercet[evaluate]"') from error


class BleuRougeF(SuiteModule, evaluate.Metric):
    """F of BLEU and ROUGE as an evaluate module."""

    of = Metric

"""ROUGE-N, L, W and S for one or many references, in any script, as an evaluate module."""

import datasets
import evaluate

from tercet.core.option_docs import args_section
from tercet.modules.suite_module import SuiteModule
from tercet.rouge.options import RougeOptions

_CITATION = """\
@inproceedings{lin-2004-rouge,
    title = "{ROUGE}: A Package for Automatic Evaluation of Summaries",
    author = "Lin, Chin-Yew",
    booktitle = "Text Summarization Branches Out",
    year = "2004",
    url = "https://aclanthology.org/W04-1013",
    pages = "74--81",
}
"""

_DESCRIPTION = """\
ROUGE compares a text, usually a summary, with its references: shared n-grams (ROUGE-N), the longest common
subsequence (ROUGE-L, by line ROUGE-Lsum), the same with a bonus for runs (ROUGE-W), and pairs of words in their
order with words between (ROUGE-S, with single words ROUGE-SU). This module gives the numbers of rouge_score or of
ROUGE-1.5.5, does not drop texts that are not in Latin letters, and adds intervals and a signature.
"""

_KWARGS_DESCRIPTION = f"""
Args:
    predictions (`list` of `str`): one text per item.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
{args_section(RougeOptions)}
Returns:
    one `float` per type (a `list` with `use_aggregator=False`),
    and on request segments, intervals and signature.
    Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
Examples:

    >>> import tercet
    >>> rouge = tercet.load("rouge_nlws")
    >>> predictions = ["hello there", "general kenobi"]
    >>> references = ["hello there", "general kenobi"]
    >>> result = rouge.compute(predictions=predictions, references=references, rouge_types=["rouge1", "rougeL"])
    >>> result["rouge1"], result["rougeL"]
    (1.0, 1.0)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class RougeNlws(SuiteModule, evaluate.Metric):
    """ROUGE as an evaluate module."""

    metric = "rouge_nlws"

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ],
            reference_urls=["https://aclanthology.org/W04-1013"],
        )

"""F of the precision of BLEU and the recall of ROUGE, as an evaluate module."""

import datasets
import evaluate

from tercet.bleu_rouge.options import BleuRougeOptions
from tercet.core.option_docs import args_section
from tercet.modules.suite_module import SuiteModule

_CITATION = """\
@inproceedings{papineni-etal-2002-bleu,
    title = "{B}leu: a Method for Automatic Evaluation of Machine Translation",
    author = "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
    booktitle = "Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics",
    year = "2002",
    url = "https://aclanthology.org/P02-1040",
    pages = "311--318",
}
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
BLEU is a precision: the share of the prediction's n-grams that occur in the references. ROUGE is a recall: the share
of the reference's n-grams that occur in the prediction. This module gives the F of both: for each n-gram length, and
for BLEU-n with the mean of ROUGE-1 to ROUGE-n. It adds intervals and a signature.
"""

_KWARGS_DESCRIPTION = f"""
Args:
    predictions (`list` of `str`): one text per item.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
{args_section(BleuRougeOptions)}
Returns:
    bleu_rouge_f (`float`): the F of bleu_rouge_precision and bleu_rouge_recall,
    bleu_rouge_precision (`float`): BLEU, without its brevity penalty unless brevity_penalty=True,
    bleu_rouge_recall (`float`): the mean of the recalls of ROUGE-1 to ROUGE-n,
    bleu_rouge_f_1, bleu_rouge_f_2 ... (`float`): the F of each order,
    bleu_rouge_precisions, bleu_rouge_recalls (`list` of `float`): by order,
    and on request segments, intervals and signature.
    Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
Examples:

    >>> import tercet
    >>> both = tercet.load("bleu_rouge_f")
    >>> result = both.compute(predictions=["the cat is on the mat"], references=["the cat is lying on the mat"])
    >>> round(result["bleu_rouge_f_1"], 4), round(result["bleu_rouge_f"], 4)
    (0.9231, 0.8229)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class BleuRougeF(SuiteModule, evaluate.Metric):
    """F of BLEU and ROUGE as an evaluate module."""

    metric = "bleu_rouge_f"

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
            reference_urls=["https://aclanthology.org/P02-1040", "https://aclanthology.org/W04-1013"],
        )

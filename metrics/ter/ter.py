"""Translation edit rate with shifts, as an evaluate module."""

import datasets
import evaluate

from tercet.core.option_docs import args_section
from tercet.modules.suite_module import SuiteModule
from tercet.ter.options import TerOptions

_CITATION = """\
@inproceedings{snover-etal-2006-study,
    title = "A Study of Translation Edit Rate with Targeted Human Annotation",
    author = "Snover, Matthew and Dorr, Bonnie and Schwartz, Rich and Micciulla, Linnea and Makhoul, John",
    booktitle = "Proceedings of the 7th Conference of the Association for Machine Translation in the Americas",
    year = "2006",
    url = "https://aclanthology.org/2006.amta-papers.25",
    pages = "223--231",
}
"""

_DESCRIPTION = """\
The translation edit rate is the number of edits that turn a prediction into its reference, per word of the reference:
words inserted, deleted or substituted, and runs of words shifted to another place. This module gives the numbers of
sacrebleu, in a hundredth of the time or less, with intervals, an explanation of each score and a signature.
"""

_KWARGS_DESCRIPTION = f"""
Args:
    predictions (`list` of `str`): one text per item.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
{args_section(TerOptions)}
Returns:
    ter (`float`): edits per 100 words of the references; lower is better, and it can exceed 100,
    score (`float`), num_edits (`int`), ref_length (`float`), as evaluate's ter; score is the same number,
    and on request segments, intervals and signature.
    Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
Examples:

    >>> import tercet
    >>> ter = tercet.load("ter")
    >>> result = ter.compute(predictions=["on the mat the cat sat"], references=["the cat sat on the mat"])
    >>> round(result["ter"], 2), result["num_edits"], result["ref_length"]
    (16.67, 1, 6.0)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Ter(SuiteModule, evaluate.Metric):
    """Translation edit rate as an evaluate module."""

    metric = "ter"

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
            reference_urls=["https://aclanthology.org/2006.amta-papers.25"],
        )

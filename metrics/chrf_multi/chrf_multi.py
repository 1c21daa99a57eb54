"""chrF and chrF++, several orders of words in one pass, as an evaluate module."""

import datasets
import evaluate

from tercet.chrf.options import ChrfOptions
from tercet.core.option_docs import args_section
from tercet.modules.suite_module import SuiteModule

_CITATION = """\
@inproceedings{popovic-2015-chrf,
    title = "chr{F}: character n-gram {F}-score for automatic {MT} evaluation",
    author = "Popovi{\\'c}, Maja",
    booktitle = "Proceedings of the Tenth Workshop on Statistical Machine Translation",
    year = "2015",
    url = "https://aclanthology.org/W15-3049",
    pages = "392--395",
}
@inproceedings{popovic-2017-chrf,
    title = "chr{F}++: words helping character n-grams",
    author = "Popovi{\\'c}, Maja",
    booktitle = "Proceedings of the Second Conference on Machine Translation",
    year = "2017",
    url = "https://aclanthology.org/W17-4770",
    pages = "612--618",
}
@inproceedings{post-2018-call,
    title = "A Call for Clarity in Reporting {BLEU} Scores",
    author = "Post, Matt",
    booktitle = "Proceedings of the Third Conference on Machine Translation: Research Papers",
    year = "2018",
    url = "https://aclanthology.org/W18-6319",
    pages = "186--191",
}
"""

_DESCRIPTION = """\
chrF compares n-grams of 1 to 6 characters in a prediction and its reference, by an F that weighs recall twice as much
as precision. chrF++ adds n-grams of 1 and 2 words. It needs no tokenizer, and suits languages with many word forms.
This module gives sacrebleu's numbers, chrF and chrF++ in one pass, intervals, and a signature that says how the
number was made.
"""

_KWARGS_DESCRIPTION = f"""
Args:
    predictions (`list` of `str`): one text per item.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
{args_section(ChrfOptions)}
Returns:
    chrf (`float`), and `chrf_w<order>` for each further order of words,
    score (`float`, the same as chrf), char_order and word_order (`int`), beta, as evaluate's chrf,
    and on request segments, intervals and signature.
    Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
Examples:

    >>> import tercet
    >>> chrf = tercet.load("chrf_multi")
    >>> predictions = ["The NASA Opportunity rover is fighting a massive storm on Mars ."]
    >>> references = [["The NASA Opportunity rover is battling a massive dust storm on Mars ."]]
    >>> result = chrf.compute(predictions=predictions, references=references, word_order=[0, 2])
    >>> round(result["chrf"], 2), round(result["chrf_w2"], 2)
    (75.49, 75.83)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class ChrfMulti(SuiteModule, evaluate.Metric):
    """chrF as an evaluate module."""

    metric = "chrf_multi"

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
            reference_urls=["https://aclanthology.org/W15-3049", "https://aclanthology.org/W17-4770"],
        )

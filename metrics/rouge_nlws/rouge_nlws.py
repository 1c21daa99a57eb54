"""ROUGE-N, L, W and S for one or many references, in any script, as an evaluate module."""

import datasets
import evaluate

from tercet.modules.suite_module import SuiteModule

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

_KWARGS_DESCRIPTION = """
Args:
    predictions (`list` of `str`): one text per item.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
    rouge_types (`list` of `str`): rouge1 ... rouge9, rougeL, rougeLsum, rougeW[weight], rougeS[gap], rougeSU[gap].
        Defaults to rouge1, rouge2, rougeL, rougeLsum, rougeW, rougeS4, rougeSU4.
    use_aggregator (`bool`): the mean over the items (default), or with `False` a list.
    use_stemmer (`bool`): Porter's stemmer on words of more than three letters. Defaults to `False`.
    tokenizer (`str` or callable): auto (default: rouge, unless that drops more than half of the letters; then
        unicode), rouge, unicode, char, 13a, zh, ja, jieba, none, or a function from a text to its tokens.
    beta (`float`): weight of recall in F. Defaults to 1.
    multi_ref (`str`): best (default, by F), average or jackknife.
    stemmer (`str` or callable): porter, a language of NLTK's Snowball stemmers, or a function.
    lemmatizer (`str` or callable): a language code of simplemma, or a function.
    stopwords (collection of `str`, or `str`): words to leave out, a language code, or smart (ROUGE-1.5.5's list).
    max_words, max_bytes (`int`): truncate all texts to this many words or bytes.
    rounded (`bool`): with compat rouge155, five decimals as the script prints (default), or `False` for all of them.
    sentence_split (`str`): newline (default), or auto for texts without line breaks.
    output (`str`): fmeasure (default), precision, recall, or all (adds `<type>_precision` and `<type>_recall`).
    missing_references (`str`): error (default), skip or zero: what to do with an item that has no reference.
    scale (`int`): 1 (default) or 100 for percent.
    segments (`bool`): add the scores of every item. Defaults to `False`.
    confidence_level (`float`): add bootstrap intervals of this level, such as 0.95.
    n_resamples (`int`), seed (`int`): of the bootstrap; 1000 and 12345.
    signature (`bool`): also include the signature as a key of the result. Defaults to `False`.
    n_jobs (`int`): threads that tokenize and count. Defaults to 1.
    compat (`str`): rouge_score (its tokenizer for every text), rouge155 (the Perl script), or the packages rouge and
        rouge_chinese. A configuration name sets it too: `evaluate.load(..., "rouge_score")` has the
        types and defaults of evaluate's rouge.
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

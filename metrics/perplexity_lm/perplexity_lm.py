"""Perplexity under any causal language model, as an evaluate module."""

import datasets
import evaluate

from tercet.core.option_docs import args_section
from tercet.modules.suite_module import SuiteModule
from tercet.perplexity.options import PerplexityOptions

_CITATION = """\
@article{jelinek-etal-1977-perplexity,
    title = "Perplexity -- a measure of the difficulty of speech recognition tasks",
    author = "Jelinek, Frederick and Mercer, Robert L. and Bahl, Lalit R. and Baker, James K.",
    journal = "The Journal of the Acoustical Society of America",
    volume = "62",
    number = "S1",
    pages = "S63",
    year = "1977",
}
"""

_DESCRIPTION = """\
Perplexity says how well a causal language model predicts texts, token by token; lower is better. This module gives
the numbers of evaluate's perplexity for any model, and the perplexity of the whole corpus. It also gives bits per
byte and per character, by which models with different tokenizers can be compared, intervals, a signature, and how
much each token surprises the model. Texts longer than the model's limit are scored in windows.
"""

_KWARGS_DESCRIPTION = f"""
Args:
    predictions (`list` of `str`): one text per item. Also as input_texts or data, as evaluate's modules call them.
    references (optional): ignored; accepted so that several metrics can share a call.
{args_section(PerplexityOptions)}
Returns:
    perplexities (`list` of `float`), mean_perplexity, perplexity, bits_per_byte, bits_per_character (`float`), and on
    request segments, intervals and signature.
    Attributes of the dict: signature (`str`), truncated_predictions, scored_tokens, n_segments, empty_predictions,
    missing_references (`int`).
Examples:

    >>> import tercet
    >>> perplexity = tercet.load("perplexity_lm")
    >>> result = perplexity.compute(predictions=["lorem ipsum", "Happy Birthday!"], model_id="gpt2")  # doctest: +SKIP
    >>> round(result["mean_perplexity"], 2)  # doctest: +SKIP
    646.75
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class PerplexityLm(SuiteModule, evaluate.Metric):
    """Perplexity as an evaluate module."""

    metric = "perplexity_lm"
    called = ("input_texts", "data")

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features({"predictions": datasets.Value("string")}),
            reference_urls=["https://huggingface.co/docs/transformers/perplexity"],
        )

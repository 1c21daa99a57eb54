"""Documentation of perplexity_lm besides its options."""

from __future__ import annotations

from tercet.metric.metric import About

ABOUT = About(
    compares="how well a language model predicts each token",
    description="""\
Perplexity says how well a causal language model predicts texts, token by token; lower is better. This module gives
the numbers of evaluate's perplexity for any model, and the perplexity of the whole corpus. It also gives bits per
byte and per character, by which models with different tokenizers can be compared, intervals, a signature, and how
much each token surprises the model. Texts longer than the model's limit are scored in windows.
""",
    citation="""\
@article{jelinek-etal-1977-perplexity,
    title = "Perplexity -- a measure of the difficulty of speech recognition tasks",
    author = "Jelinek, Frederick and Mercer, Robert L. and Bahl, Lalit R. and Baker, James K.",
    journal = "The Journal of the Acoustical Society of America",
    volume = "62",
    number = "S1",
    pages = "S63",
    year = "1977",
}
""",
    urls=("https://huggingface.co/docs/transformers/perplexity",),
    inputs="""\
predictions (`list` of `str`): one text per item. Also as input_texts or data, as evaluate's modules call them.
references (optional): ignored; accepted so that several metrics can share a call.
""",
    returns="""\
perplexities (`list` of `float`), mean_perplexity, perplexity, bits_per_byte, bits_per_character (`float`), and on
request segments, intervals and signature.
Attributes of the dict: signature (`str`), truncated_predictions, scored_tokens, n_segments, empty_predictions,
missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> perplexity = tercet.load("perplexity_lm")
>>> result = perplexity.compute(predictions=["lorem ipsum", "Happy Birthday!"], model_id="gpt2")  # doctest: +SKIP
>>> round(result["mean_perplexity"], 2)  # doctest: +SKIP
646.75
""",
)

"""Options that several metrics declare in the same words, and what a signature says of those of every metric."""

from __future__ import annotations

from typing import Any

from tercet.corpus.normalizers import label_of_normalizers
from tercet.errors import OptionError
from tercet.option_checks import as_device, as_dtype, as_revision, as_tokenizer, text_or_callable

from .options import option

#: How texts become words, where the score is not that of a package with rules of its own.
TOKENIZER_OF_WORDS = option(
    default="unicode",
    doc='How texts are split into tokens. "unicode": words of letters, marks and digits of any script; '
    'Chinese, Japanese, Thai, Lao, Khmer and Burmese by character. "char": characters, without white '
    'space. "13a", "intl", "zh", "ja", "jieba", "none": as in bleu_multi. "rouge": as in rouge_nlws. A '
    "callable gets a text and returns its tokens; in the signature it appears only by name.",
)


#: Of metrics that count edits: without reference each word is one.
MISSING_REFERENCES = option(
    default="error",
    doc='What to do with an item that has no reference. Refuse the corpus ("error"), leave the item out ("skip"), or '
    'compare it with an empty text ("zero"), so that each of its words is an edit; the result counts such items.',
)


def shared_labels(metric: Any) -> dict[str, str | None]:
    """Return what a signature says of options that every metric has: nothing where they are the defaults."""
    missing = None if metric.missing_references == "error" else str(metric.missing_references)
    return {"missing": missing, "normalize": label_of_normalizers(metric.normalize)}


def stemmer_option(effect: str = "Stem") -> Any:
    """Declare the option of a stemmer; `effect` says what it does to the words."""
    doc = f'{effect} the words. "porter", a language of NLTK\'s Snowball stemmers ("russian" or "ru"), or a function.'
    return option(default=None, doc=doc, check=text_or_callable("a language"))


def lemmatizer_option(effect: str = "Lemmatize") -> Any:
    """Declare the option of a lemmatizer; `effect` says what it does to the words."""
    doc = (
        f"{effect} the words. A language code of simplemma (for Russian, pymorphy3 is used where it is installed; "
        "the signature names the package), or a function."
    )
    return option(default=None, doc=doc, check=text_or_callable("a language code"))


DEVICE = option(
    default=None,
    doc="Where the encoder runs, such as cpu, cuda:1 or mps; gpu and 0 are the first GPU. By default the best device "
    "available.",
    check=as_device,
    local=True,
)
USE_SAFETENSORS = option(
    default=True,
    doc="Take weights from safetensors files only. Other formats can run code when loaded: use False only for "
    "sources that you trust.",
)
PROCESSING_CLASS = option(
    default=None,
    doc="The tokenizer of a model in memory. By default that of the Trainer, pipeline or SentenceTransformer that "
    "holds the model, or of the folder or name that it was loaded from.",
    check=as_tokenizer,
)
REVISION = option(
    default=None,
    doc="The version of a model that is given by its name on the Hub. A branch, a tag or a commit; by default main.",
    check=as_revision,
)
ATTN_IMPLEMENTATION = option(
    default=None,
    doc="How attention is computed. In the words of transformers, which chooses by default; scores differ in the "
    'sixth digit. "flash_attention_2" needs the package flash-attn, a GPU, and half precision.',
    local=True,
)


def dtype_option(network: str) -> Any:
    """Declare the option of a network's precision."""
    doc = (
        f'Precision of the {network}, float32 by default. "auto": that of its files, or of a model in memory. Half '
        "precision is faster on accelerators and on processors that have instructions for it, elsewhere several "
        "times slower (then there is a warning); scores differ in the third digit."
    )
    return option(default=None, doc=doc, check=as_dtype)


def check_word_options(options: Any) -> None:
    """Refuse a stemmer and a lemmatizer at once: which goes first would change the score."""
    if options.stemmer is not None and options.lemmatizer is not None:
        raise OptionError("The options 'stemmer' and 'lemmatizer' exclude each other: give one of them.")

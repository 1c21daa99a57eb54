"""Which options two packages share, and the steps from the options of the one to those of the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tercet.bleu.smoothing import SMOOTH_VALUES
from tercet.columns.batch import Batch
from tercet.core.call import Call
from tercet.core.scorer import Scorer
from tercet.errors import OptionError
from tercet.registry import metric_class
from tercet.text.tokenizers import tokenizer_label

#: What an option decides, in the words of the explanation; an option without an entry is called by its name.
DESCRIPTIONS = {
    "missing_references": "what happens to items without a reference",
    "tokenizer": "how texts are split into tokens",
    "lowercase": "whether capitals matter",
    "max_order": "the longest n-gram that counts",
    "char_order": "the longest n-gram of characters that counts",
    "word_order": "the longest n-gram of words that counts",
    "normalized": "whether punctuation marks are words of their own",
    "no_punct": "whether punctuation marks are removed",
    "asian_support": "whether Chinese characters are words",
    "case_sensitive": "whether capitals matter",
    "whitespace": "whether white space counts as characters",
    "eps_smoothing": "whether the F of all orders is averaged, or precision and recall",
    "weights": "the weights of the n-gram orders",
    "smooth_method": "what is done about n-grams without a match",
    "smooth_value": "the number that the smoothing adds",
    "smooth": "whether one is added to the matches and n-grams of every order",
    "reference_length": "which of several references the length is compared with",
    "effective_order": "whether orders without any n-gram in the predictions are left out",
    "use_stemmer": "whether endings matter",
    "stemmer": "whether endings matter",
    "lemmatizer": "whether inflected forms are different words",
    "beta": "the weight of recall in F",
    "alpha": "the weights of precision and recall in F",
    "multi_ref": "how several references are combined into one score",
    "stopwords": "which words are left out",
    "max_words": "to how many words texts are truncated",
    "max_bytes": "to how many bytes texts are truncated",
    "sentence_split": "where lines end",
}

#: Options that exclude or measure each other are changed at once.
TOGETHER = (
    ("max_order", "weights"),
    ("smooth_method", "smooth_value", "smooth"),
    ("use_stemmer", "stemmer", "lemmatizer"),
    ("max_words", "max_bytes"),
    ("beta", "alpha"),
)

#: Options of what is reported, not of how it is scored.
_REPORT = {"scale", "rouge_types", "output"}
_UNCOMPARED = {"compat", "grid", "use_aggregator", "rounded"}

Step = tuple[str, str, tuple[Any, Any], "Side"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the comparison: a metric and the value of every option that decides its score."""

    metric: str
    options: Mapping[str, Any]


def chain_scorer(metric: str, options: Mapping[str, Any]) -> Scorer:
    """Return a scorer with every option spelled out: some have no effect with the others, step by step."""
    return metric_class(metric).from_options(options, idle=True)


def _deciding(scorer: Scorer) -> list[str]:
    """Return the names of the options that decide a score, in the order of their declaration."""
    common = {*Scorer.options(), *Call.options()} - {"missing_references"}
    names = scorer.all_options()
    return [name for name in names if name not in common | _REPORT | _UNCOMPARED]


def side_of(scorer: Scorer, batch: Batch) -> Side:
    """Return what a scorer does with these texts, spelled out: no defaults, and one way to write each rule.

    Examples
    --------
    >>> from tercet.columns.reading import read_batch
    >>> side = side_of(chain_scorer("bleu_multi", {"smooth": True}), read_batch(["a"], ["a"]))
    >>> [side.options[name] for name in ("smooth", "smooth_method", "smooth_value")]
    [True, 'none', None]
    """
    o = scorer
    options = {name: getattr(o, name) for name in _deciding(scorer)}
    if not batch.missing:
        options["missing_references"] = "error"  # no item asks what to do
    if options.get("smooth"):
        options["smooth_method"] = "none"  # it stands for a method of its own
    if options.get("smooth_method") in SMOOTH_VALUES and options["smooth_value"] is None:
        options["smooth_value"] = SMOOTH_VALUES[options["smooth_method"]]
    elif "smooth_method" in options and options["smooth_method"] not in SMOOTH_VALUES:
        options["smooth_value"] = None
    if isinstance(options.get("weights"), Mapping):
        options["weights"] = None  # named ones stand beside the score that is compared
    if options.get("tokenizer") == "auto":
        options["tokenizer"] = scorer.signature(scorer.fit(batch))["tok"]
    return Side(scorer.name, options)


def report_options(scorer: Scorer, against: str) -> dict[str, Any]:
    """Return the options of what is compared: the scale, and the scores that the other package has.

    Raises
    ------
    OptionError
        When it has none of them.
    """
    o = scorer
    report: dict[str, Any] = {"scale": o.scale}
    unwanted = {"confidence_level": None, "segments": False, "grid": None, "use_aggregator": True}
    report |= {name: unwanted[name] for name in scorer.all_options() if name in unwanted}
    if hasattr(o, "rouge_types"):
        names = [each.name for each in o.types]
        report["output"] = o.output
        report["rouge_types"] = [name for name in names if takes(scorer.name, against, {}, {"rouge_types": [name]})]
        if not report["rouge_types"]:
            raise OptionError(f"{against} has none of the types {', '.join(names)}.")
    elif isinstance(getattr(o, "weights", None), Mapping):
        report["weights"] = None
    return report


def shared_options(scorer: Scorer, against: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options that the other package has too: with them a score still equals one of its own."""
    own = {*_REPORT, *_UNCOMPARED, "missing_references"}
    shared: dict[str, Any] = {}
    declared = scorer.all_options()
    for name in sorted(given, key=declared.index):  # a method before the value that it reads
        value = given[name]
        if name in own or (name, value) == ("tokenizer", "auto"):  # which no other package has
            continue
        if takes(scorer.name, against, {**shared, name: value}, {}):
            shared[name] = value
    if scorer.missing_references != "error":
        shared["missing_references"] = "skip"  # they cannot be given to it
    return shared


def takes(metric: str, against: str, options: Mapping[str, Any], report: Mapping[str, Any]) -> bool:
    """Return whether the other package has these options: whether the signature names what the score equals."""
    try:
        scorer = chain_scorer(metric, {**options, **report, "compat": against})
    except OptionError:
        return False
    return "equals" in scorer.signature(None)


def option_steps(ours: Side, theirs: Side) -> Iterator[Step]:
    """Yield (name, description, (our value, their value), options from here on) of each option that differs."""
    here = dict(ours.options)
    done: set[str] = set()
    for name in ours.options:
        group = next((names for names in TOGETHER if name in names), (name,))
        changed = [each for each in group if each in here and here[each] != theirs.options[each]]
        if name in done or not changed:
            continue
        done |= set(group)
        values = _shown(here, changed), _shown(theirs.options, changed)
        here |= {each: theirs.options[each] for each in changed}
        yield (
            changed[0],
            DESCRIPTIONS.get(changed[0], f"the option {changed[0]}"),
            values,
            Side(ours.metric, dict(here)),
        )


def _shown(options: Mapping[str, Any], names: list[str]) -> Any:
    """Return the value of an option, or those of several as one text."""
    values = {name: _plain(options[name]) for name in names}
    first, *others = values
    if not others:
        return values[first]
    further = [f"{name}={values[name]}" for name in others if values[name] not in (None, False)]
    return f"{values[first]} ({', '.join(further)})" if further else values[first]


def _plain(value: Any) -> Any:
    if callable(value):
        return tokenizer_label(value)
    return sorted(value) if isinstance(value, frozenset) else value

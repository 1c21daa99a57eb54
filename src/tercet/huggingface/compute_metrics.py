"""The ``compute_metrics`` function of transformers' Trainers: token ids in, flat floats for loggers out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple

from tercet.api import known_options, make_scorer
from tercet.base.definition import is_higher_better
from tercet.base.metric import Metric
from tercet.base.options import check_values
from tercet.base.scoring import score_batch
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import as_list, read_items
from tercet.corpus.reading import read_batch, read_predictions
from tercet.errors import OptionError, did_you_mean, shorten, warn, word_after
from tercet.option_checks import flag, known_keywords, one_of, refuse
from tercet.registry import SHORT_NAMES, canonical
from tercet.result import Result
from tercet.specs import take_options
from tercet.streaming.rows import CountedParts

from .decoder import Decode, Decoder
from .evaluations import decode_evaluation, evaluation_of, input_rows
from .reference_source import ReferenceSource
from .repeated_items import n_before_repetition, n_of_last_batch
from .token_ids import preprocess_logits_for_metrics

# Texts on which options and the names of entries are tried before training begins.
_SAMPLE = read_items(["a b c d e"] * 5, [["a b c d f", "a b"]] * 5)


@known_keywords
def compute_metrics(
    tokenizer: Any = None,
    metrics: str | Metric | Sequence[str | Metric] = ("bleu_multi", "rouge_nlws"),
    *,
    options: Mapping[str, Any] | None = None,
    references: Any = None,
    decode: Decode | None = None,
    sentence_split: str | None = None,
    causal: bool = False,
    prefix: str | None = None,
    keep: Sequence[str] | None = None,
) -> TrainerMetrics:
    """Return the function for ``Seq2SeqTrainer(compute_metrics=...)``, which also works in custom loops.

    Parameters
    ----------
    tokenizer : tokenizer or processor of transformers
        Turns ids into texts, without special tokens. Not needed if `decode` is given.
    metrics : str, Metric or sequence of them
        Metrics of the suite, by name, also with options, as ``"chrf:word_order=2"``, or as values.
    options : mapping, optional
        Their options: ``{"bleu_multi": {...}, "rouge_nlws": {...}}``, or all in one, ``{"scale": 100, ...}``, from
        which each metric takes its own.
    references : list or callable, optional
        Several references per item, as :func:`tercet.score` takes them, in the order of the evaluation set: a
        Trainer passes its labels, and no other column. Or a function from an evaluation (with ``predictions``,
        ``label_ids`` and ``inputs``, as ``EvalPrediction``) to such a list, for several evaluation sets or another
        order. By default the labels are the references.
    decode : callable, optional
        From lists of ids to texts, instead of ``tokenizer.batch_decode(ids, skip_special_tokens=True)``.
    sentence_split : {"newline", "auto"}, optional
        Where the sentences of ROUGE-Lsum end: at line ends, or also at full stops. `options` take precedence. By
        default at line ends, but for a metric that says it itself.
    causal : bool
        The model is causal: generated ids begin with the prompt, which is cut (the Trainer must pass the
        inputs, ``include_for_metrics=["inputs"]``), and logits at a position predict the next. It is found out where
        the inputs are passed, and of logits where the labels of prompts are -100; other signs are warned of.
    prefix : str, optional
        Prefix of the names. A Trainer adds its own, such as ``eval_``.
    keep : sequence of str, optional
        Names of the entries to return, of all numbers in the results. Default: the scores, on request the ends of
        their intervals as ``<score>_low`` and ``<score>_high``, and ``gen_len``, the mean number of predicted ids
        without padding, as in the examples of transformers.

    Returns
    -------
    TrainerMetrics
        Its ``higher_is_better`` has the right value of ``greater_is_better`` for each score: False for `wer`, `ter`
        and `perplexity`, by which a Trainer would otherwise keep the worst model.

    Raises
    ------
    OptionError
        At once, not after the first epoch, for unknown options and invalid values. (Checks that need the encoder run
        in the first evaluation.)

    Examples
    --------
    >>> words = ["<pad>", "the", "cat", "sat", "lay"]
    >>> def decode(rows):
    ...     return [" ".join(words[each] for each in row if each) for row in rows]
    >>> compute = compute_metrics(None, "bleu_multi", decode=decode, options={"max_order": 2})
    >>> scores = compute([[1, 2, 3], [1, 2]], [[1, 2, 4], [1, 2, -100]])
    >>> {name: round(value, 3) for name, value in scores.items()}
    {'bleu': 0.73, 'gen_len': 2.5}
    """
    metric_by_name = _metrics_by_name(metrics)
    given_settings = {"sentence_split": sentence_split, "causal": causal, "prefix": prefix, "keep": keep}
    settings = check_values("compute_metrics", given_settings, _CHECKS)
    given_options = {} if options is None else options
    options_by_metric = _options_by_metric(metric_by_name, given_options, settings["sentence_split"])
    configured_metrics = {}
    for name, metric in metric_by_name.items():
        configured_metrics[name] = make_scorer(metric, options_by_metric[name])
    function = TrainerMetrics(
        configured_metrics,
        Decoder(tokenizer, decode),
        references,
        causal=settings["causal"],
        prefix=settings["prefix"],
        keep=settings["keep"],
    )
    if not any(metric.loads_model for metric in configured_metrics.values()):
        # The names in `keep` are checked now; a length is there for gen_len.
        results = {name: score_batch(metric, _SAMPLE.encoded()) for name, metric in configured_metrics.items()}
        function.select(results, [1])
    return function


def _metrics_by_name(metrics: Any) -> dict[str, str | Metric]:
    """Return the metrics by their full names; OptionError for anything else, and for one that is given twice."""
    error = OptionError(f"metrics must be different metrics of the suite, got {shorten(metrics)}.")
    requested = [metrics] if isinstance(metrics, str | Metric) else metrics
    if not isinstance(requested, (list, tuple)) or not requested:
        raise error
    metric_by_name: dict[str, str | Metric] = {}
    for metric in requested:
        if isinstance(metric, Metric):
            name = metric.name
        elif isinstance(metric, str):
            text, _ = take_options(metric, {})
            name = canonical(text)
        else:
            raise error
        if name in metric_by_name:
            raise error
        metric_by_name[name] = metric
    return metric_by_name


#: Of an evaluation: what a call passes.
_Part = Literal["whole", "batch", "last batch"]


class _ReadPart(NamedTuple):
    """The texts of a part, without the items that processes have added, and their lengths if they came as ids."""

    corpus: Corpus
    lengths: list[int] | None


@dataclass(frozen=True, slots=True)
class LoggedScore:
    """A score of a metric, and its name as it is logged."""

    metric: str
    score: str
    name: str


class TrainerMetrics:
    """Scores a model's predictions, for a Trainer or a loop; made by :func:`compute_metrics`.

    Attributes
    ----------
    references : list or callable or None
        Several references per item; may be replaced for another evaluation set.
    """

    _has_warned_of_empty: bool

    def __init__(
        self,
        metrics: Mapping[str, Metric],
        decoder: Decoder,
        references: Any,
        *,
        causal: bool,
        prefix: str,
        keep: Sequence[str] | None,
    ) -> None:
        self.references = references
        self._metrics = metrics
        self._decoder = decoder
        self._causal = causal
        self._prefix = f"{prefix}_" if prefix else ""
        self._keep = keep
        self._has_warned_of_causal = False
        self.reset()

    @property
    def higher_is_better(self) -> dict[str, bool]:
        """Whether higher is better, by metric, and by score as it is logged, without a Trainer's ``eval_``.

        A Trainer must be told, by ``greater_is_better``, which otherwise is True for all but losses: with
        ``metric_for_best_model="wer"`` it would keep the worst model.

        Examples
        --------
        >>> import tercet
        >>> compute = tercet.compute_metrics(None, ["wer", "chrf"], decode=lambda rows: [str(row) for row in rows])
        >>> compute.higher_is_better["wer"], compute.higher_is_better["cer"], compute.higher_is_better["chrf"]
        (False, False, True)
        """
        better = {name: metric.higher_is_better for name, metric in self._metrics.items()}
        for logged in self.logged_scores():
            better[logged.name] = is_higher_better(self._metrics[logged.metric], logged.score)
        return better

    @property
    def metrics(self) -> list[Metric]:
        """The metrics, with their options."""
        return list(self._metrics.values())

    def logged_scores(self) -> Iterator[LoggedScore]:
        """Yield the scores of all metrics."""
        names_by_metric = _unique_names({name: metric.score_names for name, metric in self._metrics.items()})
        for metric, names in names_by_metric.items():
            for score, name in names.items():
                yield LoggedScore(metric, score, f"{self._prefix}{name}")

    @property
    def references(self) -> Any:
        """The references as they were given."""
        return self._references.source

    @references.setter
    def references(self, references: Any) -> None:
        self._references = ReferenceSource(references)

    def __call__(
        self, predictions: Any, labels: Any = None, *, inputs: Any = None, compute_result: bool | None = None
    ) -> dict[str, float]:
        """Return the scores.

        Parameters
        ----------
        predictions : EvalPrediction, or array, tensor or list
            From a Trainer; or ids, logits or texts.
        labels : array, tensor or list, optional
            Ids, or texts, or lists of texts.
        inputs : array, tensor or list, optional
            The prompts of a causal model, where predictions begin with them.
        compute_result : bool, optional
            From ``batch_eval_metrics=True``: False adds the batch and returns nothing, True adds it and returns
            the scores of all batches. By default the batch is the corpus.

        Raises
        ------
        InputError
            Names what was given and what was expected.
        """
        if compute_result is None:
            read = self._read(predictions, labels, inputs, "whole")
            self._references.check_number(read.corpus.n_items)
            _warn_of_empty_references(read.corpus, "items")
            results = {name: score_batch(metric, read.corpus) for name, metric in self._metrics.items()}
            return self.select(results, read.lengths)
        try:
            self._add(predictions, labels, inputs, "last batch" if compute_result else "batch")
            return self.result() if compute_result else {}
        except BaseException:
            # The evaluation ends here: the next one starts empty.
            self.reset()
            raise

    def add(self, predictions: Any, labels: Any = None, *, inputs: Any = None) -> None:
        """Add a batch; a refused one adds nothing. With Accelerate: ``add(*accelerator.gather_for_metrics(...))``."""
        self._add(predictions, labels, inputs, "batch")

    def _add(self, predictions: Any, labels: Any, inputs: Any, part: _Part) -> None:
        read = self._read(predictions, labels, inputs, part, first_item=self._n_items)
        new_parts = [counted.count(read.corpus) for counted in self._counted]
        for counted, new_part in zip(self._counted, new_parts, strict=True):
            counted.add(new_part)
        if not self._has_warned_of_empty:
            self._has_warned_of_empty = _warn_of_empty_references(read.corpus, "items of this batch", self._n_items)
        self._n_items += read.corpus.n_items
        if read.lengths is not None:
            self._lengths += read.lengths

    def result(self) -> dict[str, float]:
        """Return the scores of all added batches, and reset."""
        self._references.check_number(self._n_items)
        results = {counted.metric.name: counted.result() for counted in self._counted}
        lengths = self._lengths
        self.reset()
        return self.select(results, lengths)

    def reset(self) -> None:
        """Discard the added batches: needed only after an interrupted evaluation in batches."""
        self._counted = [CountedParts(metric) for metric in self._metrics.values()]
        self._n_items = 0
        self._has_warned_of_empty = False
        self._lengths: list[int] = []

    def preprocess_logits_for_metrics(self, logits: Any, labels: Any) -> Any:
        """Return ids instead of logits; see :func:`tercet.preprocess_logits_for_metrics`."""
        return preprocess_logits_for_metrics(logits, labels, causal=self._causal)

    def select(self, results: Mapping[str, Result], lengths: Sequence[int] | None) -> dict[str, float]:
        """Return the entries to keep, all of them floats."""
        numbers = {metric: _numbers(result) for metric, result in results.items()}
        names_by_metric = _unique_names(numbers)
        entries_by_name: dict[str, float] = {}
        default_names: list[str] = []
        for metric, names in names_by_metric.items():
            for entry, value in numbers[metric].items():
                entries_by_name[names[entry]] = value
            for score in self._metrics[metric].score_names:
                entries = [score]
                if results[metric].intervals:
                    entries += [f"{score}_low", f"{score}_high"]
                default_names += [names.get(entry, entry) for entry in entries]
        if lengths:
            entries_by_name["gen_len"] = sum(lengths) / len(lengths)
            default_names.append("gen_len")
        selected_names = default_names if self._keep is None else self._keep
        for name in selected_names:
            if name not in entries_by_name:
                raise _no_number_error(name, results, entries_by_name)
        return {f"{self._prefix}{name}": entries_by_name[name] for name in selected_names}

    def _read(self, predictions: Any, labels: Any, inputs: Any, part: _Part, first_item: int = 0) -> _ReadPart:
        """Return a part of an evaluation, checked; `first_item` is the number of its first item in the whole."""
        evaluation = evaluation_of(predictions, labels, inputs)
        texts = decode_evaluation(evaluation, self._decoder, self._causal)
        if texts.warning and not self._has_warned_of_causal:
            self._has_warned_of_causal = True
            warn(texts.warning)
        n_items = len(texts.predictions)
        if part == "last batch":
            n_items = n_of_last_batch(n_items)
        elif part == "whole":
            n_items = n_before_repetition(texts.labels, input_rows(evaluation)) or n_items
        if not any(metric.takes_references for metric in self._metrics.values()):
            corpus = read_predictions(texts.predictions[:n_items])
        else:
            references = self._references.select(evaluation, texts.labels, len(texts.predictions), first_item)
            if self._references.is_list:
                n_items = len(references)
            elif n_items < len(texts.predictions):
                references = as_list(references, "references", "one text or one list of texts per item", 2)[:n_items]
            corpus = read_batch(texts.predictions[:n_items], references)
        lengths = None
        if texts.lengths is not None:
            lengths = texts.lengths[:n_items]
        return _ReadPart(corpus, lengths)


def _unique_names(entries_by_metric: Mapping[str, Iterable[str]]) -> dict[str, dict[str, str]]:
    """Return names of the entries of each metric: one that several metrics have is told by its metric."""
    counts = Counter(chain.from_iterable(entries_by_metric.values()))
    names_by_metric: dict[str, dict[str, str]] = {}
    for metric, entries in entries_by_metric.items():
        names_by_metric[metric] = {}
        for entry in entries:
            names_by_metric[metric][entry] = entry if counts[entry] == 1 else f"{metric}_{entry}"
    return names_by_metric


def _no_number_error(name: str, results: Mapping[str, Result], numbers: Iterable[str]) -> OptionError:
    """Return the error for an entry to keep that no result has, or that is no number."""
    reason = "is not in the results"
    for result in results.values():
        entries = result.to_dict(full=True)
        if name in entries:
            reason = f"is {shorten(entries[name])}"
            break
    return OptionError(f"The entry {shorten(name)} {reason}: loggers take numbers. {did_you_mean(name, numbers)}")


def _warn_of_empty_references(batch: Corpus, items: str, first_item: int = 0) -> bool:
    """Warn of items whose references are all empty, as labels of -100 alone are; return whether there are any."""
    empty = []
    for item, texts in enumerate(batch.reference_lists(), first_item):
        if texts and not any(text.strip() for text in texts):
            empty.append(item)
    if empty:
        have = word_after(len(empty), "has", "have")
        warn(
            f"{len(empty):,} of {batch.n_items:,} {items} {have} empty references, the first is item {empty[0]}: "
            "nothing matches there. Labels that are all -100 or padding are empty texts."
        )
    return bool(empty)


def _check_prefix(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise refuse("a text to put before the names, or None")


def _check_keep(value: Any) -> list[str] | None:
    if value is None:
        return None
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return list(value)
    raise refuse("a list of names of entries, or None")


_CHECKS = {
    "sentence_split": one_of("newline", "auto", None),
    "causal": flag,
    "prefix": _check_prefix,
    "keep": _check_keep,
}


def _options_by_metric(
    metric_by_name: Mapping[str, str | Metric], options: Mapping[str, Any], sentence_split: str | None
) -> dict[str, dict[str, Any]]:
    """Return each metric's options besides its own, given by metric, all in one, or both."""
    names = list(metric_by_name)
    if not isinstance(options, Mapping):
        raise OptionError(f"options must be a mapping of options, or of metrics to theirs, got {shorten(options)}.")
    options_of_one: dict[str, Any] = {}
    options_of_all: dict[Any, Any] = {}
    for name, value in _by_full_name(options).items():
        if name in metric_by_name:
            options_of_one[name] = value
        else:
            options_of_all[name] = value
    accepted_options = {name: known_options(name) for name in names}
    known_names = [*names, *chain.from_iterable(accepted_options.values())]
    for option in options_of_all:
        if not any(option in accepted for accepted in accepted_options.values()):
            have = word_after(len(names), "has", "have")
            raise OptionError(
                f"{' and '.join(names)} {have} no option {shorten(option)}. {did_you_mean(option, known_names)}"
            )
    options_by_metric: dict[str, dict[str, Any]] = {}
    for name, accepted in accepted_options.items():
        metric_options = {}
        if "sentence_split" in accepted:
            # A metric keeps the one that it was given with, unless another is asked for here.
            if sentence_split is not None:
                metric_options["sentence_split"] = sentence_split
            elif not _has_sentence_split(metric_by_name[name]):
                metric_options["sentence_split"] = "newline"
        for option, value in options_of_all.items():
            if option in accepted:
                metric_options[option] = value
        own_options = options_of_one.get(name, {})
        if not isinstance(own_options, Mapping):
            raise OptionError(f"The options of {name} must be a mapping, got {shorten(own_options)}.")
        options_by_metric[name] = {**metric_options, **own_options}
    return options_by_metric


def _by_full_name(options: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return options with the full names of metrics; OptionError for two names of one."""
    by_full_name: dict[Any, Any] = {}
    spelling_of: dict[Any, Any] = {}
    for spelling, value in options.items():
        name = SHORT_NAMES.get(spelling, spelling)
        if name in by_full_name:
            raise OptionError(
                f"options has {spelling_of[name]!r} and {spelling!r}, two names of one metric: give its options "
                "under one of them."
            )
        by_full_name[name] = value
        spelling_of[name] = spelling
    return by_full_name


def _has_sentence_split(metric: str | Metric) -> bool:
    """Return whether a metric was given with this option, as a value has all of them."""
    if isinstance(metric, Metric):
        return True
    _, options_in_text = take_options(metric, {})
    return "sentence_split" in options_in_text


def _numbers(result: Result) -> dict[str, float]:
    """Return the numeric entries, and the ends of the intervals."""
    numbers = {}
    for name, value in result.to_dict(full=True).items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            numbers[name] = float(value)
    if result.intervals:
        for name, (low, high) in result.intervals.items():
            numbers[f"{name}_low"] = low
            numbers[f"{name}_high"] = high
    return numbers

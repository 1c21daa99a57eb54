"""The ``compute_metrics`` function of transformers' Trainers: token ids in, flat floats for loggers out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tercet.api import known_options, make_scorer
from tercet.checks import flag, known_keywords, one_of, refuse
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_items
from tercet.corpus.reading import read_batch, read_predictions
from tercet.errors import OptionError, did_you_mean, shorten
from tercet.metric.metric import Metric
from tercet.metric.options import check_values
from tercet.metric.scorer import Scorer
from tercet.metric.scoring import score_batch
from tercet.registry import SHORT_NAMES, canonical
from tercet.result import Result
from tercet.sums.rows import Running

from .evaluation import References, evaluation_of, read_texts
from .token_ids import Decode, Decoder, preprocess_logits_for_metrics

_TRIED = read_items(["a b c d e"], [["a b c d f", "a b"]])  # probe texts for options and names


def _prefix(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise refuse("a text to put before the names, or None")


def _names(value: Any) -> list[str] | None:
    listed = [value] if isinstance(value, str) else value
    if listed is None or (isinstance(listed, (list, tuple)) and all(isinstance(name, str) for name in listed)):
        return None if listed is None else list(listed)
    raise refuse("a list of names of entries, or None")


_CHECKS = {"sentence_split": one_of("newline", "auto"), "causal": flag, "prefix": _prefix, "keep": _names}


@known_keywords
def compute_metrics(
    tokenizer: Any = None,
    metrics: str | Metric | Sequence[str | Metric] = ("bleu_multi", "rouge_nlws"),
    *,
    options: Mapping[str, Any] | None = None,
    references: Any = None,
    decode: Decode | None = None,
    sentence_split: str = "newline",
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
        Metrics of the suite, by name or as values.
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
    sentence_split : {"newline", "auto"}
        Where the sentences of ROUGE-Lsum end: at line ends, or also at full stops. `options` take precedence.
    causal : bool
        The model is causal: generated ids begin with the prompt, which is cut (the Trainer must pass the
        inputs, ``include_for_metrics=["inputs"]``), and logits at a position predict the next.
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
    listed = [metrics] if isinstance(metrics, str | Metric) else metrics
    named = isinstance(listed, (list, tuple)) and all(isinstance(each, str | Metric) for each in listed)
    chosen = {each.name if isinstance(each, Metric) else canonical(each): each for each in listed} if named else {}
    if not chosen or len(chosen) < len(listed):
        raise OptionError(f"metrics must be different metrics of the suite, got {shorten(metrics)}.")
    given = {"sentence_split": sentence_split, "causal": causal, "prefix": prefix, "keep": keep}
    own = check_values("compute_metrics", given, _CHECKS)
    options = {} if options is None else options
    own_options = _options_of(list(chosen), options, sentence_split)
    for name, each in chosen.items():
        if isinstance(each, Metric) and sentence_split == "newline" and "sentence_split" not in options:
            own_options[name].pop("sentence_split", None)  # its own stays
    scorers = {name: make_scorer(each, own_options[name]) for name, each in chosen.items()}
    function = TrainerMetrics(scorers, Decoder(tokenizer, decode), references, own)
    if not any(scorer.loads_model for scorer in scorers.values()):
        function.select({name: score_batch(scorer, _TRIED.batch()) for name, scorer in scorers.items()}, [1])
    return function


class TrainerMetrics:
    """Scores a model's predictions, for a Trainer or a loop; made by :func:`compute_metrics`.

    Attributes
    ----------
    references : list or callable or None
        Several references per item; may be replaced for another evaluation set.
    """

    def __init__(
        self, scorers: Mapping[str, Scorer], decoder: Decoder, references: Any, settings: Mapping[str, Any]
    ) -> None:
        self.references, self._scorers, self._decoder = references, scorers, decoder
        self._causal, self._prefix, self._keep = (settings[name] for name in ("causal", "prefix", "keep"))
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
        better = {name: scorer.higher_is_better for name, scorer in self._scorers.items()}
        for metric, score, name in self._score_names():
            better[name] = self._scorers[metric].is_higher_better(score)
        return better

    def _score_names(self) -> Iterator[tuple[str, str, str]]:
        """Yield of each score the metric, its name there, and its name as it is logged."""
        times = Counter(score for scorer in self._scorers.values() for score in scorer.score_names)
        before = f"{self._prefix}_" if self._prefix else ""
        for metric, scorer in self._scorers.items():
            for score in scorer.score_names:
                yield metric, score, f"{before}{score if times[score] == 1 else f'{metric}_{score}'}"

    @property
    def references(self) -> Any:
        """The references as they were given."""
        return self._references.given

    @references.setter
    def references(self, given: Any) -> None:
        self._references = References(given)

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
            batch, lengths = self._read(predictions, labels, inputs, 0)
            self._references.check_number(batch.n_items)
            results = {name: score_batch(scorer, batch) for name, scorer in self._scorers.items()}
            return self.select(results, lengths)
        try:
            self.add(predictions, labels, inputs=inputs)
            return self.result() if compute_result else {}
        except BaseException:
            self.reset()  # the evaluation ends here: the next one starts empty
            raise

    def add(self, predictions: Any, labels: Any = None, *, inputs: Any = None) -> None:
        """Add a batch; a refused one adds nothing. With Accelerate: ``add(*accelerator.gather_for_metrics(...))``."""
        batch, lengths = self._read(predictions, labels, inputs, self._seen)
        counted = [running.count(batch) for running in self._running]
        for running, part in zip(self._running, counted, strict=True):
            running.add(part)
        self._seen += batch.n_items
        self._lengths += lengths or []

    def result(self) -> dict[str, float]:
        """Return the scores of all added batches, and reset."""
        self._references.check_number(self._seen)
        results = {running.scorer.name: running.result() for running in self._running}
        lengths = self._lengths
        self.reset()
        return self.select(results, lengths)

    def reset(self) -> None:
        """Discard the added batches: needed only after an interrupted evaluation in batches."""
        self._running = [Running(scorer) for scorer in self._scorers.values()]
        self._seen = 0
        self._lengths: list[int] = []

    def preprocess_logits_for_metrics(self, logits: Any, labels: Any) -> Any:
        """Return ids instead of logits; see :func:`tercet.preprocess_logits_for_metrics`."""
        return preprocess_logits_for_metrics(logits, labels, causal=self._causal)

    def select(self, results: Mapping[str, Result], lengths: Sequence[int] | None) -> dict[str, float]:
        """Return the entries to keep, all of them floats."""
        numbers = {metric: _numbers(result) for metric, result in results.items()}
        times = Counter(name for entries in numbers.values() for name in entries)
        found: dict[str, float] = {}
        default: list[str] = []
        for metric, entries in numbers.items():
            names = {name: name if times[name] == 1 else f"{metric}_{name}" for name in entries}
            found.update({names[name]: value for name, value in entries.items()})
            ends = ("", "_low", "_high") if results[metric].intervals else ("",)
            scores = [f"{score}{end}" for score in self._scorers[metric].score_names for end in ends]
            default += [names.get(name, name) for name in scores]
        if lengths:
            found["gen_len"] = sum(lengths) / len(lengths)
            default.append("gen_len")
        before = f"{self._prefix}_" if self._prefix else ""
        kept = default if self._keep is None else self._keep
        for name in kept:
            if name not in found:
                full = [each.to_dict(full=True) for each in results.values()]
                given = [each[name] for each in full if name in each]
                why = f"is {shorten(given[0])}" if given else "is not in the results"
                raise OptionError(
                    f"The entry {shorten(name)} {why}: loggers take numbers. {did_you_mean(name, found)}"
                )
        return {f"{before}{name}": found[name] for name in kept}

    def _read(self, predictions: Any, labels: Any, inputs: Any, first: int) -> tuple[Corpus, list[int] | None]:
        """Return a checked batch, whose items start at number `first` of the evaluation set, and its lengths."""
        given = evaluation_of(predictions, labels, inputs)
        texts = read_texts(given, self._decoder, self._causal)
        if not any(scorer.takes_references for scorer in self._scorers.values()):
            return read_predictions(texts.predictions), texts.lengths
        references = self._references.of(given, texts.labels, len(texts.predictions), first)
        n_items = len(references) if self._references.listed else len(texts.predictions)
        lengths = None if texts.lengths is None else texts.lengths[:n_items]
        return read_batch(texts.predictions[:n_items], references), lengths


def _options_of(names: Sequence[str], options: Mapping[str, Any], sentence_split: str) -> dict[str, dict[str, Any]]:
    """Return each metric's options, given by metric, all in one, or both."""
    if not isinstance(options, Mapping):
        raise OptionError(f"options must be a mapping of options, or of metrics to theirs, got {shorten(options)}.")
    options = {SHORT_NAMES.get(name, name): value for name, value in options.items()}
    known = {name: known_options(name) for name in names}
    every = [*names, *(option for own in known.values() for option in own)]
    found: dict[str, dict[str, Any]] = {
        name: {"sentence_split": sentence_split} if "sentence_split" in own else {} for name, own in known.items()
    }
    for option, value in options.items():
        takers = [name for name, own in known.items() if option in own]
        if not takers and option not in names:
            raise OptionError(
                f"{' and '.join(names)} have no option {shorten(option)}. {did_you_mean(option, every)}"
            )
        for name in takers:
            found[name][option] = value
    for name in names:
        own = options.get(name, {})
        if not isinstance(own, Mapping):
            raise OptionError(f"The options of {name} must be a mapping, got {shorten(own)}.")
        found[name].update(own)
    return found


def _numbers(result: Result) -> dict[str, float]:
    """Return the numeric entries, and the ends of the intervals."""
    numbers = {
        name: float(value)
        for name, value in result.to_dict(full=True).items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    for name, (low, high) in (result.intervals or {}).items():
        numbers |= {f"{name}_low": low, f"{name}_high": high}
    return numbers

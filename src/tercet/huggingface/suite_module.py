"""Base of the suite's evaluate modules: every check runs before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent
from typing import Any, ClassVar

from tercet.api import explain
from tercet.base.configured import Call
from tercet.base.docs import args_section
from tercet.base.metric import Metric
from tercet.base.options import check_value
from tercet.base.short_road import score_lists
from tercet.corpus.corpus import Corpus, join_batches
from tercet.corpus.items import read_texts
from tercet.corpus.normalizers import as_normalize
from tercet.errors import InputError, OptionError, shorten
from tercet.names_as_shown import metric_html
from tercet.result import Result
from tercet.streaming.rows import KeptRows, result_of_rows

from .combined_options import own_options
from .compute_metrics import TrainerMetrics, compute_metrics
from .gathering import Gathering, Job

_INDENT = "    "


class SuiteModule(Gathering):
    """Mixin for ``class Name(SuiteModule, evaluate.Metric)``.

    evaluate's class checks the first item only, converts items of other types, and loses all added items if an
    option is wrong. Here a refused batch or option changes nothing.
    """

    #: The metric, which provides documentation, options and configurations.
    of: ClassVar[type[Metric]]
    #: What else evaluate's own module calls the predictions.
    predictions_also_called: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__doc__ = f"{cls.of.about.description}{_inputs_description(cls.of)}{cls.__doc__}"

    def __init__(self, config_name: str | None = None, *args: Any, normalize: Any = None, **kwargs: Any) -> None:
        self._dialect = self.of.dialect(config_name or "default")
        #: The options that every call has unless it gives others.
        self._defaults: dict[str, Any] = {}
        if normalize is not None:
            self._defaults["normalize"] = check_value(self.of.name, "normalize", as_normalize, normalize)
        super().__init__(config_name, *args, **kwargs)

    def __repr__(self) -> str:
        """Name the metric, the other package whose keys it has, if any, and the call: evaluate prints all options."""
        return f"<evaluate module {self._loaded_in_words}: .compute({self._call_in_words})>"

    def _repr_html_(self) -> str:
        """Show the metric, how it was loaded and called, and a sentence on it in a notebook."""
        title = self.of.title or self.of.name
        call = f"module.compute({self._call_in_words})"
        return metric_html(title, self._loaded_in_words, self.of.about.description, call)

    @property
    def _loaded_in_words(self) -> str:
        loaded_with = [repr(self.of.name)]
        if self.config_name != "default":
            loaded_with.append(repr(self.config_name))
        loaded_with += [f"{name}={value!r}" for name, value in self._defaults.items()]
        return f"tercet.load({', '.join(loaded_with)})"

    @property
    def _call_in_words(self) -> str:
        if self.of.takes_references:
            return "predictions=[...], references=[...]"
        return "predictions=[...]"

    def _info(self) -> Any:
        import datasets
        import evaluate

        text = datasets.Value("string")
        texts = datasets.Sequence(text)
        if self.of.takes_references:
            features = [{"predictions": text, "references": kind} for kind in (texts, text)]
        elif self.of.reader is read_texts:
            features = [{"predictions": text}]
        else:
            features = [{"predictions": kind} for kind in (texts, text)]
        about = self.of.about
        return evaluate.MetricInfo(
            description=about.description,
            citation=about.citation,
            inputs_description=_inputs_description(self.of),
            features=[datasets.Features(columns) for columns in features],
            reference_urls=list(about.urls),
        )

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Score the predictions added so far and those given here.

        Args:
            predictions (`list` of `str`, *optional*):
                One text per item.
            references (`list` of `str` or of `list` of `str`, *optional*):
                One reference per item, or a list of any number of them per item.
            **options (optional):
                The metric's options.

        Return:
            `Result`, a `dict` with further attributes; a plain `dict` where a configuration replaces another module;
            `None` if this is not the main process (`process_id != 0`).
        """
        texts, other_options = self._predictions(predictions, options)
        metric_options = own_options(self.of, {**self._defaults, **other_options}, self._dialect)
        with self._dialect.speaking():
            metric = self.of.from_options(metric_options)
        has_nothing_to_gather = self.num_process == 1 and not len(self)
        if has_nothing_to_gather:
            scores = score_lists(metric, texts, references)
            if scores is not None:
                return self._entries(scores)
        has_texts = texts is not None or references is not None
        batch = self._read(texts, references) if has_texts else self._read([], [])

        def result(systems: list[list[KeptRows]]) -> Any:
            (rows,) = systems
            return self._entries(result_of_rows(metric, rows))

        if has_nothing_to_gather:
            return result([[KeptRows.uncounted(batch)]])
        shared = shared_options(metric) if self.num_process > 1 else {}
        return self._gather(batch, shared, Job(metric, lambda batches: [join_batches(batches)], result))

    def _entries(self, scores: Result) -> Any:
        """Return a result as the configuration has it: that of another package has other keys."""
        if self.config_name == "default":
            return scores
        return self._dialect.to_entries(scores)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **inputs: Any) -> None:
        """Add predictions and references; they are checked first, and a refused batch adds nothing.

        The texts stay in memory until `compute`.

        Args:
            predictions (`list` of `str`):
                One text per item.
            references (`list` of `str` or of `list` of `str`):
                One reference per item, or a list of any number of them per item.
        """
        texts, further_inputs = self._predictions(predictions, inputs)
        _refuse_inputs(further_inputs)
        self._keep(self._read(texts, references))

    def add(self, *, prediction: Any = None, reference: Any = None, **inputs: Any) -> None:
        """Add one prediction and its reference or references; a refused one adds nothing.

        Args:
            prediction (`str`):
                A text.
            reference (`str` or `list` of `str`):
                Its reference, or a list of any number of them.
        """
        # evaluate.combine passes both under the names of several.
        predictions = [inputs.pop("predictions", prediction)]
        references = [inputs.pop("references", reference)]
        _refuse_inputs(inputs)
        self.add_batch(predictions=predictions, references=references)

    def explain(self, prediction: str, references: Any = None, **options: Any) -> Any:
        """Explain the score of one prediction: values to work with, `to_dict()`, `to_html()`; coloured in a notebook.

        Args:
            prediction (`str`):
                A text.
            references (`str` or `list` of `str`):
                Its reference, or a list of any number of them.
            **options (optional):
                Those of `compute`; for bertscore_idf also `corpus`, the texts in which `idf=True` counts.

        Return:
            What `tercet.explain` returns.
        """
        metric_options = self._dialect.to_options({**self._defaults, **options})
        with self._dialect.speaking():
            return explain(self.of.name, prediction, references, **metric_options)

    def compute_metrics(self, tokenizer: Any = None, **settings: Any) -> TrainerMetrics:
        """Return the function for `Seq2SeqTrainer(compute_metrics=...)` that computes this metric.

        Args:
            tokenizer (tokenizer or processor of transformers):
                Turns ids into texts.
            **settings (optional):
                `options` (a `dict` of those of `compute`), `references`, `decode`, `sentence_split`, `causal`,
                `prefix`, `keep`: see `tercet.compute_metrics`.

        Return:
            `TrainerMetrics`, a function from an `EvalPrediction` to a `dict` of floats. Nothing is added to this
            module.
        """
        if "metrics" in settings:
            raise OptionError(f"This scores {self.of.name} only: for other 'metrics' use tercet.compute_metrics.")
        options = settings.pop("options", None)
        if options is None:
            options = {}
        if isinstance(options, Mapping):  # the function refuses all else
            options = self._dialect.to_options({**self._defaults, **options})
        with self._dialect.speaking():
            return compute_metrics(tokenizer, self.of.name, options=options, **settings)

    def _read(self, predictions: Any, references: Any = None) -> Corpus:
        return self.of.corpus(predictions, references).encoded()

    def _predictions(self, predictions: Any, arguments: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the predictions, under any of their names, and the other arguments."""
        aliases = [name for name in self.predictions_also_called if name in arguments]
        if len(aliases) > 1:
            raise InputError(f"{' and '.join(aliases)} are other names of predictions: give only one of them.")
        if not aliases:
            return predictions, arguments
        (alias,) = aliases
        if predictions is not None:
            raise InputError(f"{alias} is another name of predictions: give only one of them.")
        remaining = {name: value for name, value in arguments.items() if name != alias}
        return arguments[alias], remaining


def _refuse_inputs(inputs: dict[str, Any]) -> None:
    if inputs:
        raise InputError(f"The inputs are predictions and references; got also {', '.join(sorted(inputs))}.")


def shared_options(metric: Metric) -> dict[str, str]:
    """Return the options that must be equal in all processes, as texts that can be compared."""
    texts = {}
    for name, option in metric.options().items():
        if not option.local:
            texts[name] = _as_text(getattr(metric, name))
    for name, option in Call.options().items():
        if not option.local:
            texts[name] = _as_text(getattr(metric.asked, name))
    return texts


def _as_text(value: Any) -> str:
    """Return a text that is the same in each process: without addresses or the order of sets."""
    if isinstance(value, (set, frozenset)):
        return ", ".join(sorted(map(_as_text, value)))
    if isinstance(value, Mapping):
        entries = [f"{_as_text(key)}: {_as_text(item)}" for key, item in value.items()]
        return ", ".join(sorted(entries))
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    # By which a network, or a model of subwords, is known.
    digest = getattr(value, "digest", None)
    return str(digest) if digest else shorten(value, 10_000)


def _inputs_description(metric: type[Metric]) -> str:
    """Return evaluate's description of a module's inputs, results and use."""
    about = metric.about
    arguments = f"{indent(about.inputs, _INDENT)}{args_section(metric)}\n"
    returns = indent(about.returns, _INDENT)
    example = indent(about.example, _INDENT)
    return f"\nArgs:\n{arguments}Returns:\n{returns}Examples:\n\n{example}"

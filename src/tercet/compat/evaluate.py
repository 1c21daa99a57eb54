"""Drop-in for ``evaluate``: ``load`` returns the suite's module where the suite has one, all else is evaluate's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any

import numpy as np

from tercet.errors import warn
from tercet.huggingface.loading import MODULES_OF_EVALUATE
from tercet.huggingface.loading import load as load_of_the_suite

from .falling_back import REFUSED, warn_of_original
from .truth_values import truth

_Load = Callable[..., Any]

#: Modules that return a number: a score of the suite's metric.
_NUMBERS = ("wer", "cer")

#: Where evaluate's load finds a module of its own.
_DOWNLOAD_SETTINGS = ("revision", "download_config", "download_mode")

#: Arguments of evaluate's modules that are true or false.
_TRUTHS = frozenset({
    "lowercase", "force", "use_effective_order", "whitespace", "eps_smoothing", "normalized", "ignore_punct",
    "support_zh_ja_chars", "case_sensitive", "use_stemmer", "use_aggregator", "smooth", "verbose", "all_layers",
    "rescale_with_baseline", "use_fast_tokenizer", "add_start_token", "concatenate_texts",
})  # fmt: skip


def replacing(original: _Load, falls_back: bool = False) -> _Load:
    """Return evaluate's function `load` with the suite's modules in place of `MODULES_OF_EVALUATE`.

    If `falls_back`, what such a module refuses is evaluate's, where evaluate can load its own.
    """
    signature = inspect.signature(original)

    @wraps(original)
    def load(*args: Any, **kwargs: Any) -> Any:
        # Bound to the parameters of evaluate's function, so that positional arguments have names.
        settings = dict(signature.bind(*args, **kwargs).arguments)
        init_settings = settings.pop("init_kwargs", {})
        path = settings.pop("path")
        config_name = settings.pop("config_name", None)
        kind = settings.pop("module_type", None)
        name = str(path).removeprefix("evaluate-metric/").removeprefix("evaluate-measurement/")
        if name not in MODULES_OF_EVALUATE or config_name not in (None, "default") or kind not in _kinds(name):
            return original(*args, **kwargs)
        for setting in _DOWNLOAD_SETTINGS:
            if settings.pop(setting, None) is not None:
                warn(f'evaluate.load("{name}", {setting}=...) has no effect: this module is tercet\'s own.')
        settings |= _with_effect(name, init_settings)
        metric, configuration = MODULES_OF_EVALUATE[name]
        module = load_of_the_suite(metric, configuration, **settings)
        load_original = partial(_load_original, *args, **kwargs) if falls_back else None
        module.compute = _ComputeAsThere(name, module, load_original)
        # evaluate.combine puts this name before a key that two modules have.
        module.info.module_name = name
        return module

    return load


def _kinds(name: str) -> tuple[str | None, ...]:
    """Return the types of evaluate's modules of a name."""
    if name == "perplexity":
        return (None, "metric", "measurement")
    return (None, "metric")


class _ComputeAsThere:
    """The method `compute` of a module, with the values of options that evaluate's module takes."""

    def __init__(self, name: str, module: Any, load_original: Callable[[], Any] | None) -> None:
        self._name = name
        self._module = module
        self._load_original = load_original
        self.__doc__ = module.compute.__doc__

    def __call__(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        texts = {"predictions": predictions, "references": references}
        try:
            result = type(self._module).compute(self._module, **texts, **self._checked_options(options))
            # None where another process has the score.
            if result is not None and self._name in _NUMBERS:
                return result[self._name]
            return result
        except REFUSED as error:
            # What was added is here alone: it waits for a call that is not refused.
            if self._load_original is None or len(self._module):
                raise
            try:
                module = self._load_original()
            except Exception:
                # Such as without a connection.
                raise error from None
            score = module.compute(**texts, **options)
            warn_of_original(f'evaluate.load("{self._name}").compute', error)
            return score

    def _checked_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options as the suite's module takes them."""
        checked = dict(options)
        for option, value in options.items():
            if option in _TRUTHS:
                checked[option] = truth(self._name, option, value)
        if self._name in _NUMBERS:
            # Sums over all pairs are what both of its values give.
            checked.pop("concatenate_texts", None)
        # Without it, evaluate passes no tokenizer on.
        if not checked.get("tokenize", True):
            del checked["tokenize"]
        return checked


def _load_of_evaluate() -> _Load:
    import evaluate

    load: _Load = inspect.unwrap(evaluate.loading.load)
    return load


def _load_original(*args: Any, **kwargs: Any) -> Any:
    return _load_of_evaluate()(*args, **kwargs)


def _with_effect(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that a module has; evaluate drops all others without a word."""
    import evaluate

    accepted = inspect.signature(evaluate.EvaluationModule.__init__).parameters
    with_effect = {}
    for setting, value in settings.items():
        if setting in accepted:
            with_effect[setting] = value
        else:
            warn(f'evaluate.load("{name}", {setting}=...) has no effect: give {setting} to compute.')
    return with_effect


def load_metric(path: str, config_name: str | None = None, **settings: Any) -> Any:
    """Return a module as ``datasets.load_metric`` did before datasets 3: ROUGE has ``.mid.fmeasure``.

    Parameters
    ----------
    path, config_name, **settings
        As for ``evaluate.load``.

    Returns
    -------
    evaluate.Metric
        That of :func:`load`. For ``"rouge"``, each score is an ``AggregateScore``, which 1,000 seeded resamples give.

    Examples
    --------
    >>> rouge = load_metric("rouge")
    >>> scores = rouge.compute(predictions=["a cat sat"], references=["the cat sat"])
    >>> round(scores["rouge1"].mid.fmeasure, 4)
    0.6667
    """
    module = replacing(_load_of_evaluate())(path, config_name, **settings)
    if path == "rouge":
        module.compute = _with_aggregates(module.compute)
    return module


def _with_aggregates(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method `compute` of ROUGE with precision, recall and F of each type in one score, as it once was."""
    from .scoring import BootstrapAggregator, Score

    @wraps(compute)
    def compute_with_intervals(**options: Any) -> Any:
        scores = compute(**{**options, "use_aggregator": False}, output="all")
        if scores is None:
            return None
        item_scores = {}
        for name, fmeasures in scores.items():
            if not name.endswith(("_precision", "_recall")):
                columns = zip(scores[f"{name}_precision"], scores[f"{name}_recall"], fmeasures, strict=True)
                item_scores[name] = [Score(*measures) for measures in columns]
        # Without an aggregator, there is a score for each item, and no interval.
        if options.get("use_aggregator") is False:
            return item_scores
        aggregator = BootstrapAggregator()
        for name, type_scores in item_scores.items():
            for score in type_scores:
                aggregator.add_scores({name: score})
        aggregated = aggregator.aggregate()
        for name, type_scores in item_scores.items():
            # In the middle stands the score, and not the median of the resamples.
            mean = Score(*np.mean(type_scores, axis=0).tolist())
            aggregated[name] = aggregated[name]._replace(mid=mean)
        return aggregated

    return compute_with_intervals


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        # Import statements ask for such names, also where evaluate is not installed.
        raise AttributeError(name)
    import evaluate

    if name == "load":
        return replacing(_load_of_evaluate())
    return getattr(evaluate, name)

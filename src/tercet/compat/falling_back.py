"""In an installed process: what a drop-in refuses is scored by the original, so that a program that ran runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from types import FunctionType
from typing import Any, NamedTuple

from tercet.errors import InputError, OptionError, warn

#: What a drop-in raises where it refuses a call. Errors of the originals, such as TypeError, are the originals' too.
REFUSED = (InputError, OptionError)

#: What a call tells the signature of sacrebleu that is asked for after it.
_FOR_SIGNATURES = ("num_refs", "n_bootstrap", "seed")


class _Original(NamedTuple):
    """Of a class whose objects score: the module where the original lies, and the methods that score."""

    module: str
    methods: tuple[str, ...] = ()


#: By their names in this folder. A module of torchmetrics has summed up what it read, which no other can go on with:
#: only what its constructor refuses is the original's.
_ORIGINALS = {
    "sacrebleu_metrics.BLEU": _Original("sacrebleu.metrics.bleu", ("corpus_score", "sentence_score")),
    "sacrebleu_metrics.CHRF": _Original("sacrebleu.metrics.chrf", ("corpus_score", "sentence_score")),
    "sacrebleu_metrics.TER": _Original("sacrebleu.metrics.ter", ("corpus_score", "sentence_score")),
    "rouge_scorer.RougeScorer": _Original("rouge_score.rouge_scorer", ("score", "score_multi")),
    "rouge.Rouge": _Original("rouge", ("get_scores",)),
    "rouge.FilesRouge": _Original("rouge", ("get_scores",)),
    "bert_score.BERTScorer": _Original("bert_score", ("score", "plot_example")),
    "torchmetrics.BLEUScore": _Original("torchmetrics.text.bleu"),
    "torchmetrics.SacreBLEUScore": _Original("torchmetrics.text.sacre_bleu"),
    "torchmetrics.CHRFScore": _Original("torchmetrics.text.chrf"),
    "torchmetrics.TranslationEditRate": _Original("torchmetrics.text.ter"),
    "torchmetrics.WordErrorRate": _Original("torchmetrics.text.wer"),
    "torchmetrics.CharErrorRate": _Original("torchmetrics.text.cer"),
    "torchmetrics.MatchErrorRate": _Original("torchmetrics.text.mer"),
    "torchmetrics.WordInfoLost": _Original("torchmetrics.text.wil"),
    "torchmetrics.WordInfoPreserved": _Original("torchmetrics.text.wip"),
    "torchmetrics.ROUGEScore": _Original("torchmetrics.text.rouge"),
    "torchmetrics_bert.BERTScore": _Original("torchmetrics.text.bert"),
}

#: Returns the original of a module and a name, or None where it is not installed.
Lookup = Callable[[str, str], Any]

_replacements: dict[Any, Any] = {}
_warned: set[str] = set()


def falling_back(dropped_in: Any, module: str, lookup: Lookup) -> Any:
    """Return a function or class of a drop-in that calls the original where it refuses; all else as it is."""
    if isinstance(dropped_in, FunctionType):
        return _replacements.setdefault(dropped_in, _function(dropped_in, module, lookup))
    if isinstance(dropped_in, Mapping) and any(map(_original_of, dropped_in.values())):
        # As sacrebleu.metrics.METRICS, a table of classes.
        return {name: falling_back(value, module, lookup) for name, value in dropped_in.items()}
    original = _original_of(dropped_in)
    if original is None:
        return dropped_in
    if dropped_in not in _replacements:
        _replacements.setdefault(dropped_in, _class(dropped_in, original, lookup))
    return _replacements[dropped_in]


def _original_of(dropped_in: Any) -> _Original | None:
    if not isinstance(dropped_in, type):
        return None
    _, _, file = dropped_in.__module__.rpartition(".")
    return _ORIGINALS.get(f"{file}.{dropped_in.__name__}")


def warn_of_original(name: str, error: Exception) -> None:
    """Say, once for each function or method, that the original scores what tercet refuses."""
    if name not in _warned:
        _warned.add(name)
        warn(
            f"{name}: tercet refuses this call, so the original scores it, and others like it without a further "
            f"word. The reason: {error}"
        )


def _by_original(error: Exception, name: str, original: Any, args: Any, kwargs: Any) -> Any:
    """Return what the original gives, and warn; the error is raised where there is no original."""
    if original is None:
        raise error
    score = original(*args, **kwargs)
    warn_of_original(name, error)
    return score


def _function(function: FunctionType, module: str, lookup: Lookup) -> Any:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except REFUSED as error:
            original = lookup(module, function.__name__)
            return _by_original(error, f"{module}.{function.__name__}", original, args, kwargs)

    call.__module__ = module  # pickled as theirs
    return call


class _Constructor(type):
    """The class of the classes that :func:`_class` returns: what a constructor refuses, the original constructs."""

    _dropped_in: type
    _lookup: Callable[[], Any]

    @property
    def __signature__(cls) -> inspect.Signature:
        _, *parameters = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return inspect.Signature(parameters)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except REFUSED as error:
            if not _is_replacement(cls):
                raise
            return _by_original(error, f"{cls.__module__}.{cls.__name__}", cls._lookup(), args, kwargs)


def _is_replacement(cls: Any) -> bool:
    """Whether a class is a drop-in's, not one that a program derived, whose methods no original has."""
    return cls is _replacements.get(cls._dropped_in)


def _class(dropped_in: Any, original: _Original, lookup: Lookup) -> Any:
    @wraps(dropped_in.__init__)
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        dropped_in.__init__(self, *args, **kwargs)
        if original.methods:
            # By these the original is constructed where it has to score.
            vars(self)["_constructed"] = args, kwargs

    # The module is the original's, so that objects are pickled as those of the original.
    entries = {"__doc__": dropped_in.__doc__, "__module__": original.module, "__init__": construct}
    methods = {method: _method(dropped_in, method) for method in original.methods}
    kind = type(dropped_in)
    constructor = _Constructor if kind is type else type(_Constructor.__name__, (_Constructor, kind), {})
    cls: Any = constructor(dropped_in.__name__, (dropped_in,), {**entries, **methods})
    cls._dropped_in = dropped_in
    cls._lookup = staticmethod(lambda: lookup(original.module, dropped_in.__name__))
    return cls


def _method(dropped_in: Any, method: str) -> Any:
    function = getattr(dropped_in, method)

    @wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(self, *args, **kwargs)
        except REFUSED as error:
            cls = type(self)
            if not _is_replacement(cls) or cls._lookup() is None:
                raise
            construct_args, construct_kwargs = self._constructed
            original = cls._lookup()(*construct_args, **construct_kwargs)
            for option in inspect.signature(dropped_in).parameters:
                # It may have been changed since the object was made.
                if option in vars(self) and option in vars(original):
                    setattr(original, option, getattr(self, option))
            name = f"{cls.__module__}.{cls.__name__}.{method}"
            score = _by_original(error, name, getattr(original, method), args, kwargs)
            for key in _FOR_SIGNATURES:
                if key in vars(original):
                    vars(self)[key] = vars(original)[key]
            return score

    return call

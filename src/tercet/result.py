"""The result of scoring: the scores as a dict; signature, counts and intervals as attributes."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import did_you_mean

#: Attributes that are None unless an option requests them.
_ON_REQUEST = {"intervals": "confidence_level=0.95", "segments": "segments=True"}

#: The attributes of a result and their defaults, in order.
_ATTRIBUTES: Mapping[str, Any] = {
    "signature": "",
    "n_segments": 0,
    "empty_predictions": 0,
    "missing_references": 0,
    "intervals": None,
    "segments": None,
}

#: A table shows only the length of longer lists.
_MOST_SHOWN = 8


class Result(dict[str, Any]):
    """Scores by name, as a dict; everything else is in its attributes.

    The keys are those of evaluate's module of the same kind, and those that an option requests: code written for
    that module, which loops over all values or logs them, works unchanged. Values are plain Python.

    Trainers and loggers rebuild results by ``type(result)({...})``: such a copy has entries but no attributes.

    Parameters
    ----------
    entries : mapping or iterable of pairs, optional
        The keys.
    metric : str, optional
        Without it, the class behaves like ``dict``: keyword arguments become entries.
    **attributes
        The other attributes below, and those of a single metric, such as the ``counts`` of BLEU.

    Attributes
    ----------
    metric : str
        Name of the metric.
    signature : str
        Options, version, and what the score equals. A key with ``signature=True``.
    n_segments : int
        Number of items scored.
    empty_predictions : int
        How many of them had a prediction without a token.
    missing_references : int
        How many items had no reference.
    intervals : dict of str to [low, high], optional
        Bootstrap intervals, with ``confidence_level``; then also a key.
    segments : dict of str to list, optional
        The scores of every item, with ``segments=True``; then also a key. None for an item that was left out.

    Examples
    --------
    >>> result = Result({"m": 0.5}, metric="m", signature="m|tok:13a", n_segments=2)
    >>> {name: round(100 * score, 1) for name, score in result.items()}
    {'m': 50.0}
    >>> result.signature, result.n_segments
    ('m|tok:13a', 2)
    >>> result
    Result({'m': 0.5}, signature='m|tok:13a', n_segments=2, empty_predictions=0, missing_references=0)
    >>> type(result)({f"eval_{name}": score for name, score in result.items()})
    Result({'eval_m': 0.5})
    """

    __slots__ = ("__dict__", "__weakref__", "_details", "metric")

    metric: str
    signature: str
    n_segments: int
    empty_predictions: int
    missing_references: int
    intervals: dict[str, list[float]] | None
    segments: dict[str, list[float | None]] | None
    #: The function that makes the attributes when the first is read, and what it is called with; None once it was.
    _details: tuple[Any, ...] | None

    def __init__(
        self,
        entries: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
        /,
        *,
        metric: str = "",
        **attributes: Any,
    ) -> None:
        super().__init__(entries)
        self.metric = metric
        self._details = None
        if metric:
            vars(self).update(attributes)
        else:  # then keywords are entries, as those of dict
            self.update(attributes)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that is not stored yet: called by Python for such alone."""
        # Of a result that no constructor of ours made, or that an earlier version pickled.
        if name == "metric":
            return vars(self).get(name, "")
        if name == "_details":
            return None
        attributes = self._attributes() if name[:1] != "_" else {}
        if name in attributes or name in _ATTRIBUTES:
            return attributes.get(name, _ATTRIBUTES.get(name))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._attributes()]

    def _attributes(self) -> dict[str, Any]:
        """Return all attributes but the metric's name, in order; made on the first call."""
        stored = vars(self)
        details = self._details  # read once: another thread may make the attributes meanwhile
        if details is not None:
            make, *of = details
            try:
                attributes = make(*of)
            except AttributeError as error:
                # Python would take it for an attribute that is not there, and `hasattr` for False.
                raise RuntimeError(f"the attributes of the result cannot be made: {error}") from error
            stored.update({**attributes, **stored})  # what a user has set stays
            self._details = None
        return {**_ATTRIBUTES, **stored} if self.metric else {**stored}

    def __missing__(self, key: object) -> Any:
        """Raise a KeyError that says where an attribute is, or how to request a missing key."""
        if not self.metric:
            raise KeyError(key)
        attributes = self._attributes()
        if key in _ON_REQUEST and attributes.get(key) is None:
            raise KeyError(f"{key!r} was not requested: give {_ON_REQUEST[key]}")
        if key in attributes:
            raise KeyError(f"{key!r} is an attribute of this result, not a key: use result.{key}")
        raise KeyError(f"{key!r} is not a key of this result. {did_you_mean(key, self)}")

    def __repr__(self) -> str:
        attributes = "".join(f", {name}={value!r}" for name, value in self._shown().items())
        return f"Result({super().__repr__()}{attributes})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the result in a notebook, in lines of its width."""
        # further lines are indented by the length of "Result("
        with printer.group(7, "Result(", ")"):
            printer.pretty(dict(self))
            for name, value in self._shown().items():
                printer.text(",")
                printer.breakable()
                printer.text(f"{name}=")
                printer.pretty(value)

    def _repr_html_(self) -> str:
        """Show the scores as a table in a notebook, with intervals if there are any; the signature below."""
        head = [self.metric, "value"]
        # Too few items have no interval, but NaN.
        intervals = {name: bounds for name, bounds in (self.intervals or {}).items() if bounds[0] == bounds[0]}
        if intervals:
            head.append("interval")
        rows = []
        for name, value in self.items():
            row = [name, _number_text(value)]
            if intervals:
                row.append(_number_text(intervals.get(name, []), " to "))
            if row[1]:
                rows.append(row)
        size = f"{self.n_segments:,} segment{'s' * (self.n_segments != 1)}"
        from .names_as_shown import scores_html

        return scores_html(head, rows, [size, self.signature] if self.metric else [])

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle with all attributes: what makes them stays in this process."""
        self._attributes()
        return super().__reduce_ex__(max(protocol, 2))  # earlier ones know no slots

    def copy(self) -> Result:
        """Return a shallow copy, with its attributes."""
        return copy.copy(self)

    def with_keys(self, entries: Mapping[str, Any], **attributes: Any) -> Result:
        """Return a result with other keys, and the same attributes but for those that are given."""
        return Result(entries, metric=self.metric, **{**self._attributes(), **attributes})

    def to_dict(self, full: bool = False) -> dict[str, Any]:
        """Return a plain dict, a deep copy.

        Parameters
        ----------
        full : bool
            With the attributes too: the signature, the counts, and the metric's own.

        Examples
        --------
        >>> result = Result({"m": 0.5}, metric="m", signature="m|tok:13a", n_segments=2)
        >>> result.to_dict()
        {'m': 0.5}
        >>> list(result.to_dict(full=True))
        ['m', 'signature', 'n_segments', 'empty_predictions', 'missing_references']
        """
        if not full:
            return copy.deepcopy(dict(self))
        attributes = {name: value for name, value in self._attributes().items() if name not in self}
        for name in _ON_REQUEST:
            if attributes.get(name) is None:
                attributes.pop(name, None)
        return copy.deepcopy({**self, **attributes})

    def _shown(self) -> dict[str, Any]:
        """Return the attributes that are set and are not keys."""
        return {name: value for name, value in self._attributes().items() if name not in self and value is not None}


_new = dict.__new__


def empty_result(metric: str, details: tuple[Any, ...]) -> Result:
    """Return a result to enter keys into, whose attributes are made when the first is read: see `_details`.

    Most are read for their scores alone.
    """
    result = _new(Result)
    result.metric = metric
    result._details = details
    return result


def _number_text(value: object, between: str = ", ") -> str:
    """Return a number, or a list of numbers, as a table shows it; "" for anything else."""
    if isinstance(value, list):
        if len(value) > _MOST_SHOWN:
            return f"{len(value):,} values"
        return between.join(map(_number_text, value))
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else ""

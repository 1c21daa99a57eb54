"""Which metrics can be explained against which packages, as their ``peers`` declare."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from tercet.errors import OptionError, did_you_mean
from tercet.metric.peers import Peers
from tercet.registry import METRICS, canonical


@cache
def peers_of(metric: str) -> Peers | None:
    """Return the packages that a metric declares, or None."""
    room, _, _ = METRICS[canonical(metric)].partition(".")
    name = f"tercet.metrics.{room}.peers"
    return None if find_spec(name) is None else import_module(name).PEERS


def packages() -> dict[str, list[str]]:
    """Return the names of the packages by metric."""
    return {metric: list(peers.packages) for metric in METRICS if (peers := peers_of(metric)) is not None}


def packages_in_words() -> str:
    """Return the packages and their metrics, in words."""
    metrics: dict[str, list[str]] = {}
    for metric, names in packages().items():
        metrics.setdefault(listed(names, "or"), []).append(metric)
    return "; ".join(f"{names} for {listed(each, 'and')}" for names, each in metrics.items())


def listed(names: Iterable[str], word: str) -> str:
    """Return names joined by commas, with a word before the last."""
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


def checked_peers(metric: str, against: str) -> Peers:
    """Return the packages that a metric declares; OptionError for a pair that cannot be explained."""
    peers = peers_of(metric)
    if peers is None:
        raise OptionError(f"{listed(packages(), 'and')} can be explained against other packages, not {metric}.")
    if against not in peers.packages:
        hint = did_you_mean(str(against), list(peers.packages))
        raise OptionError(f"{metric} cannot be compared with {against!r}. {hint}")
    return peers

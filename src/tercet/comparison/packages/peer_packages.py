"""Which metrics can be explained against which packages, as their ``peers`` declare."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tercet.base.peers import Peers
from tercet.errors import OptionError, did_you_mean
from tercet.names_as_shown import joined
from tercet.registry import METRICS, metric_class


@cache
def peers_of(metric: str) -> Peers | None:
    """Return the packages that a metric declares in its file, or in ``peers.py`` if it is a folder; or None."""
    module = import_module(metric_class(metric).__module__)
    if hasattr(module, "PEERS"):
        peers: Peers = module.PEERS
        return peers
    name = f"{module.__package__}.peers"
    return None if find_spec(name) is None else import_module(name).PEERS


def packages() -> dict[str, list[str]]:
    """Return the names of the packages by metric."""
    return {metric: list(peers.packages) for metric in METRICS if (peers := peers_of(metric)) is not None}


def packages_in_words() -> str:
    """Return the packages and their metrics, in words."""
    metrics: dict[str, list[str]] = {}
    for metric, names in packages().items():
        metrics.setdefault(joined(names, word="or"), []).append(metric)
    return "; ".join(f"{names} for {joined(metric_names)}" for names, metric_names in metrics.items())


def checked_peers(metric: str, against: str) -> Peers:
    """Return the packages that a metric declares; OptionError for a pair that cannot be explained."""
    peers = peers_of(metric)
    if peers is None:
        raise OptionError(f"{joined(list(packages()))} can be explained against other packages, not {metric}.")
    if against not in peers.packages:
        hint = did_you_mean(str(against), list(peers.packages))
        raise OptionError(f"{metric} cannot be compared with {against!r}. {hint}")
    return peers


def takes(metric: str, against: str, options: Mapping[str, Any]) -> bool:
    """Return whether the other package has these options, by the signature."""
    try:
        their_metric = metric_class(metric).from_options({**options, "compat": against}, may_be_idle=True)
    except OptionError:
        return False
    return "equals" in their_metric.signature(None)

"""How many workers keep a network, and what each of them gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tercet.core.checks import finite
from tercet.errors import OptionError, shorten


@dataclass(frozen=True, slots=True)
class Workers:
    """What those that have a network get.

    Attributes
    ----------
    num_gpus : float or None
        For each; None for 1 where the cluster has any.
    concurrency : int or None
        How many; None for one for each GPU, or each two CPUs.
    """

    num_gpus: float | None = None
    concurrency: int | None = None

    def __post_init__(self) -> None:
        """Raise an OptionError for what cannot be."""
        if self.num_gpus is not None and not (finite(self.num_gpus) is not None and self.num_gpus >= 0):
            raise OptionError(f"num_gpus must be a number of at least 0. Got {shorten(self.num_gpus)} instead.")
        if self.concurrency is not None and (type(self.concurrency) is not int or self.concurrency < 1):
            raise OptionError(f"concurrency must be a whole number from 1. Got {shorten(self.concurrency)} instead.")

    def strategy(self, resources: dict[str, float]) -> dict[str, Any]:
        """Return the arguments by which Ray Data makes a pool of actors on a cluster with these resources."""
        from ray.data import ActorPoolStrategy

        gpus, cpus = resources.get("GPU", 0.0), resources.get("CPU", 1.0)
        each = (1.0 if gpus else 0.0) if self.num_gpus is None else self.num_gpus
        size = self.concurrency or max(1, int(gpus / each if each else cpus / 2))
        return {"compute": ActorPoolStrategy(size=size), **({"num_gpus": each} if each else {"num_cpus": 1})}

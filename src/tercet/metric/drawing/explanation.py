"""What the explanations of all metrics can do."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import asdict
from typing import Any


class Explanation:
    """Why a prediction has its score: a dataclass that notebooks show as its HTML."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python."""
        fields: Any = self
        return asdict(fields)

    @abstractmethod
    def to_html(self) -> str:
        """Return a fragment of HTML."""

    def _repr_html_(self) -> str:
        return self.to_html()

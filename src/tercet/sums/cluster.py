"""The Ray to use: the running one, the cluster of ``RAY_ADDRESS``, or a local one for the time of a call."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tercet.errors import OptionError, TercetError, first_line, needs, shorten

#: Object store memory of a local Ray: sums are small.
_OBJECT_STORE = 256 << 20
#: Settings of Ray Data: raise the error of a user's function unchanged; let counting take every core. Its bars would
#: show blocks that nobody asked for.
_SETTINGS = {
    "raise_original_map_exception": True,
    "op_resource_reservation_enabled": False,
    "enable_progress_bars": False,
}
#: Seconds in which a cluster must answer.
_PATIENCE = 10


@contextmanager
def running_ray() -> Iterator[Any]:
    """Yield the package ray, connected; a Ray that was started here is stopped at the end."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    local = not os.environ.get("RAY_ADDRESS")
    if local:  # read when Ray is imported: a local Ray listens on 127.0.0.1 only, as on Windows
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    needs("Scoring on a cluster", "ray", "ray")
    import ray
    import ray.data

    started = not ray.is_initialized()
    if started:
        _check_address(os.environ.get("RAY_ADDRESS", ""))
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        own = {"address": "local", "include_dashboard": False, "object_store_memory": _OBJECT_STORE} if local else {}
        try:
            ray.init(**own, **quiet)
        except Exception as error:
            address = os.environ.get("RAY_ADDRESS")
            where = (
                f"RAY_ADDRESS is {shorten(address)}, where no Ray cluster answers" if address else "Ray did not start"
            )
            raise OptionError(f"{where}. {first_line(error)}") from None
    context, log = ray.data.DataContext.get_current(), logging.getLogger("ray.data")
    before, level = {name: getattr(context, name) for name in _SETTINGS}, log.level
    for name, value in _SETTINGS.items():
        setattr(context, name, value)
    log.setLevel(logging.CRITICAL)
    try:
        with _plain_errors(ray):
            yield ray
    finally:
        for name, value in before.items():
            setattr(context, name, value)
        log.setLevel(level)
        if started:
            ray.shutdown()


def _check_address(address: str) -> None:
    """Raise an OptionError for a host that does not answer: Ray would wait for it for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise OptionError(f"RAY_ADDRESS is {address!r}, where no Ray cluster answers. {first_line(error)}") from None


@contextmanager
def _plain_errors(ray: Any) -> Iterator[None]:
    """Raise Ray's errors without its tracebacks: those of lost workers and of a user's functions on a dataset."""
    try:
        yield
    except ray.exceptions.RayError as error:
        cause = getattr(error, "cause", None) or error
        raise TercetError(f"Ray failed. {first_line(cause)}") from cause

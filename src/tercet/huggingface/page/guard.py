"""What strangers may send to the page: texts and their own files, of a bounded size; no address is fetched.

Whatever endpoint of gradio a request comes by, it passes here before gradio looks for files in it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import gradio as gr
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from tercet.errors import shorten

from .jobs import VISIT
from .limits import MOST_BYTES

_WITH_FRAME = MOST_BYTES + (1 << 20)  # a file has a frame around it when it is sent
#: So much is read, and what is too much thrown away, for a visitor to get to read the answer.
_DRAINED = 20 * MOST_BYTES
#: Most levels of lists and objects in JSON (named weights are at the sixth), and most values and keys.
_MOST_LEVELS, _MOST_VALUES = 16, 100_000
_TOO_MANY = f"The JSON has more than {_MOST_VALUES:,} values: send fewer texts at a time."
_LONGEST_SESSION = 100  # characters: the names of sessions are kept

_LOG = logging.getLogger(__name__)

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]


class Guard:
    """An ASGI middleware: a request that is too large, nested too deeply, or asks for an address is refused."""

    def __init__(self, app: _App, leave: Callable[[Sequence[str]], None]) -> None:
        self._app, self._leave = app, leave
        self._checking = asyncio.Lock()  # one thread at a time competes with the event loop

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, problem, body = 0, None, None
        if "://" in scope["path"]:  # gradio has paths that fetch an address for the visitor
            status, problem = 403, "This page does not fetch URLs."
        elif scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            if _is_foreign(Headers(scope=scope)):  # a script of another page, in a visitor's browser
                status, problem = 403, "This page takes no requests from pages of other sites."
            else:
                status, problem, body = await self._checked_body(scope, receive)
        if problem is not None:
            await JSONResponse({"detail": problem}, status)(scope, receive, send)
            return
        begun = complete = False

        async def answer(message: _Message) -> None:
            nonlocal begun, complete
            begun = True
            complete = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        async def listen() -> _Message:
            message = await receive()
            if message["type"] == "http.disconnect" and not complete and scope["method"] == "GET":
                self._leave(_names(scope))
            return message

        try:
            await self._app(scope, listen if body is None else _again(body, receive), answer)
        except Exception as error:  # gradio has no message for functions that are not there, and the like
            _LOG.warning("%s %s: %s", scope["method"], shorten(scope["path"]), shorten(error))
            if begun:
                await send({"type": "http.response.body", "body": b""})
            else:
                problem = (
                    f"{shorten(scope['path'])} does not accept this request. Programs call 'compute' with "
                    "predictions, references and options: see the API at the foot of the page."
                )
                await JSONResponse({"detail": problem}, 400)(scope, receive, send)

    async def _checked_body(self, scope: _Message, receive: _Receive) -> tuple[int, str | None, bytes]:
        """Return the body of a request; or a status and a message, where it is refused."""
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":  # the visitor has gone
                return 400, "The request was cut off.", b""
            part = message.get("body", b"")
            size, more = size + len(part), message.get("more_body", False) and size <= _DRAINED
            if size <= _WITH_FRAME:
                parts.append(part)
        if size > _WITH_FRAME:
            return 413, f"This request is larger than the limit of {MOST_BYTES >> 20} MB: send less at a time.", b""
        body = b"".join(parts)
        if scope["path"].rstrip("/").endswith("/upload"):
            return 400, None, body
        async with self._checking:
            return 400, await asyncio.to_thread(_problem_of_json, body), body


def _names(scope: _Message) -> list[str]:
    """Return the names, of a session or of an event, under which the jobs may run that a request is waiting for."""
    return [*parse_qs(scope["query_string"].decode("latin-1")).get("session_hash", []), Path(scope["path"]).name]


def _problem_of_json(body: bytes) -> str | None:
    # Counted before it is parsed, by what takes milliseconds whatever the bytes are: no other thread runs meanwhile.
    unescaped = body.replace(rb"\\", b"").replace(rb"\"", b"")
    if unescaped.count(b'"') > 2 * _MOST_VALUES:
        return _TOO_MANY
    outside = b"".join(unescaped.split(b'"')[::2])
    if sum(map(outside.count, (b",", b":"))) > _MOST_VALUES:
        return _TOO_MANY
    try:
        level = [json.loads(body)] if body else []
    except RecursionError:
        return f"The JSON is nested too deeply: expected at most {_MOST_LEVELS} levels."
    except ValueError as error:
        return f"The body must be JSON: {error}."
    session = level[0].get("session_hash") if level and isinstance(level[0], dict) else None
    if isinstance(session, str) and len(session) > _LONGEST_SESSION:
        return f"session_hash: expected at most {_LONGEST_SESSION} characters, got {len(session):,}."
    n_values = 0
    for _ in range(_MOST_LEVELS):
        level = [value for parent in level for value in _children(parent)]
        n_values += len(level)
        if not level:
            return None
        if n_values > _MOST_VALUES:
            return _TOO_MANY
    return f"The JSON is nested too deeply: expected at most {_MOST_LEVELS} levels."


def _is_foreign(headers: Headers) -> bool:
    """Return whether a browser says that another site's page asks; programs, and pages of this address, do not."""
    origin = headers.get("origin")
    known = (headers.get("host"), headers.get("x-forwarded-host"), os.environ.get("SPACE_HOST"))
    return origin is not None and origin.partition("://")[2].lower() not in {host.lower() for host in known if host}


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _again(body: bytes, receive: _Receive) -> _Receive:
    """Return what gives a body that was read once more, and then what follows."""
    left: list[_Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> _Message:
        return left.pop() if left else await receive()

    return next_message


class Upload(gr.File):  # type: ignore[misc]
    """A file from the visitor's own machine: an address that is sent in its place is not fetched."""

    def get_block_name(self) -> str:
        """Return the name under which the browser knows the component."""
        return "file"

    async def async_move_resource_to_block_cache(self, url_or_file_path: str | Path | None) -> str | None:
        """Take files that were uploaded; the base class would fetch an address too."""
        if str(url_or_file_path).lower().startswith(("http:", "https:")):
            raise gr.Error("Upload a file; URLs are not accepted.", print_exception=False)
        path: str | None = await super().async_move_resource_to_block_cache(url_or_file_path)
        return path


class Page(gr.Blocks):  # type: ignore[misc]
    """A page on which only an `Upload` takes a file: gradio would move, or fetch, one for any other input too."""

    async def preprocess_data(
        self, block_fn: Any, inputs: list[Any], state: Any, explicit_call: bool = False
    ) -> list[Any]:
        """Return what a function of the page is called with; values that were not sent are None."""
        n_expected = len(block_fn.inputs)
        if len(inputs) > n_expected:
            raise _refused(f"Expected at most {n_expected} values, got {len(inputs)}.")
        inputs = [*inputs, *[None] * (n_expected - len(inputs))]
        own_names = list(signature(block_fn.fn).parameters)
        names = own_names if len(own_names) == n_expected else [block.label for block in block_fn.inputs]
        for name, block, value in zip(names, block_fn.inputs, inputs, strict=True):
            if not isinstance(block, Upload) and await asyncio.to_thread(_has_file, value):
                raise _refused(f"{name}: expected texts or numbers, got a file or an address.")
        processed: list[Any] = await super().preprocess_data(block_fn, inputs, state, explicit_call)
        return processed

    async def process_api(self, block_fn: Any, *arguments: Any, **more: Any) -> dict[str, Any]:
        """Return what a function of the page says; those have messages for all that goes wrong within them."""
        VISIT.set(tuple(name for name in (more.get("session_hash"), more.get("event_id")) if name))
        try:
            output: dict[str, Any] = await super().process_api(block_fn, *arguments, **more)
        except gr.Error:
            raise
        except Exception as error:  # a value that no control has, a file that was not uploaded
            _LOG.warning("%s: %s", block_fn.api_name, shorten(error))
            raise _refused("The values sent do not fit the controls of this page.") from None
        finally:
            if more.get("state") is not None:
                for block in (*block_fn.inputs, *block_fn.outputs):  # gradio keeps them of each of many sessions
                    more["state"]._update_value_in_config(block._id, None)
        return output


def _refused(message: str) -> gr.Error:
    return gr.Error(message, print_exception=False)


def _values(value: Any) -> Iterator[Any]:
    """Yield a value and all that are in it; how deep that is was checked."""
    yield value
    for child in _children(value):
        yield from _values(child)


def _has_file(value: Any) -> bool:
    return any(map(_is_file, _values(value)))


def _is_file(value: Any) -> bool:
    """Return whether gradio would take a value for a file, or trip over it."""
    return isinstance(value, dict) and isinstance(value.get("path"), str) and "meta" in value

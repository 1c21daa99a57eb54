"""What strangers may send to the page: texts and their own files, of a bounded size; no address is fetched.

Whatever endpoint of gradio a request comes by, it passes here before gradio looks for files in it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from functools import cached_property
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import gradio as gr
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from tercet.errors import shorten

from .jobs import VISIT
from .limits import ALL_CHARACTERS, MOST_BYTES
from .storage import FULL, Unread, has_room_for_upload, size_of

# A file has a frame around it when it is sent.
_WITH_FRAME = MOST_BYTES + (1 << 20)
#: So much is read, and what is too much thrown away, for a visitor to get to read the answer.
_DRAINED = 20 * MOST_BYTES
#: Most bytes of bodies that are held at a time, those of small requests aside; most seconds that a body may take.
_MOST_HELD = 10 * MOST_BYTES
_SMALL_BODY = 64 << 10
_LONGEST_SENDING = 120
_BUSY = "Too many large requests are being sent at the moment: try again in a minute."
#: Most levels of lists and objects in JSON (named weights are at the sixth), and most values and keys.
_MOST_LEVELS = 16
_MOST_VALUES = 100_000
_TOO_MANY = f"The JSON has more than {_MOST_VALUES:,} values: send fewer texts at a time."
# In characters: the names of sessions are kept.
_LONGEST_SESSION = 100

_LOG = logging.getLogger(__name__)

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]


class Guard:
    """An ASGI middleware: a request that is too large, nested too deeply, or asks for an address is refused."""

    def __init__(self, app: _App, leave: Callable[[Sequence[str]], None]) -> None:
        self._app = app
        self._leave = leave
        # One thread at a time competes with the event loop.
        self._checking = asyncio.Lock()
        # One upload at a time is written, so that each sees the files of those before it.
        self._uploading = asyncio.Lock()
        self._held = 0  # bytes of bodies

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif "://" in scope["path"]:
            # gradio has paths that fetch an address for the visitor.
            await _send_refusal(403, "This page does not fetch URLs.", scope, receive, send)
        elif scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._pass_on(scope, receive, send)
        elif _is_foreign(Headers(scope=scope)):
            # A script of another page, in a visitor's browser.
            await _send_refusal(403, "This page takes no requests from pages of other sites.", scope, receive, send)
        else:
            await self._pass_on_with_body(scope, receive, send)

    async def _pass_on_with_body(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        body = _Body()
        try:
            try:
                refusal = await asyncio.wait_for(self._read(body, receive), _LONGEST_SENDING)
            except asyncio.TimeoutError:
                refusal = _Refusal(408, f"This request took longer than {_LONGEST_SENDING} seconds to arrive.")
            if refusal is not None:
                await _send_refusal(refusal.status, refusal.problem, scope, receive, send)
            elif scope["path"].rstrip("/").endswith("/upload"):
                async with self._uploading:
                    if await asyncio.to_thread(has_room_for_upload, body.size):
                        await self._pass_on(scope, body.again(receive), send)
                    else:
                        await _send_refusal(503, FULL, scope, receive, send)
            else:
                async with self._checking:
                    problem = await asyncio.to_thread(_problem_of_json, body.content())
                if problem is None:
                    await self._pass_on(scope, body.again(receive), send)
                else:
                    await _send_refusal(400, problem, scope, receive, send)
        finally:
            self._held -= body.held

    async def _read(self, body: _Body, receive: _Receive) -> _Refusal | None:
        """Read the body of a request; return why it is refused, if it is."""
        is_busy = False
        has_more = True
        while has_more:
            message = await receive()
            if message["type"] != "http.request":  # the visitor has gone
                return _Refusal(400, "The request was cut off.")
            part = message.get("body", b"")
            body.size += len(part)
            has_more = message.get("more_body", False) and body.size <= _DRAINED
            # A small one is not counted: it passes however many large ones are held.
            to_hold = body.size - body.held if body.size > _SMALL_BODY else 0
            is_busy = is_busy or self._held + to_hold > _MOST_HELD
            if is_busy or body.size > _WITH_FRAME:
                # At once: those that come at the same time have room then.
                body.parts.clear()
                self._held -= body.held
                body.held = 0
            else:
                body.parts.append(part)
                body.held += to_hold
                self._held += to_hold
        if body.size > _WITH_FRAME:
            return _Refusal(
                413, f"This request is larger than the limit of {MOST_BYTES >> 20} MB: send less at a time."
            )
        if is_busy:
            return _Refusal(503, _BUSY)
        return None

    async def _pass_on(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Have gradio answer a request."""
        has_begun = False
        is_complete = False

        async def answer(message: _Message) -> None:
            nonlocal has_begun, is_complete
            has_begun = True
            is_complete = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        async def listen() -> _Message:
            message = await receive()
            if message["type"] == "http.disconnect" and not is_complete and scope["method"] == "GET":
                self._leave(_names(scope))
            return message

        try:
            await self._app(scope, listen, answer)
        except Exception as error:
            # gradio has no message for functions that are not there, and the like.
            _LOG.warning("%s %s: %s", scope["method"], shorten(scope["path"]), shorten(error))
            if has_begun:
                await send({"type": "http.response.body", "body": b""})
            else:
                problem = (
                    f"{shorten(scope['path'])} does not accept this request. Programs call 'compute' with "
                    "predictions, references and options: see the API at the foot of the page."
                )
                await _send_refusal(400, problem, scope, receive, send)


class _Refusal(NamedTuple):
    """The answer to a request that is not passed on."""

    status: int
    problem: str


class _Body:
    """The body of a request, as far as it has come."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.held = 0  # the bytes that are counted among those of all requests

    def content(self) -> bytes:
        """Return the whole body, in one piece."""
        self.parts[:] = [b"".join(self.parts)]
        return self.parts[0]

    def again(self, receive: _Receive) -> _Receive:
        """Return a receiver that gives the body, which was read already, once more, and then what comes behind it."""

        async def next_message() -> _Message:
            if not self.parts:
                return await receive()
            part = self.parts.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(self.parts)}

        return next_message


async def _send_refusal(status: int, problem: str, scope: _Message, receive: _Receive, send: _Send) -> None:
    await JSONResponse({"detail": problem}, status)(scope, receive, send)


def _names(scope: _Message) -> list[str]:
    """Return the names, of a session or of an event, under which the jobs may run that a request is waiting for."""
    query = parse_qs(scope["query_string"].decode("latin-1"))
    return [*query.get("session_hash", []), Path(scope["path"]).name]


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
    for content in level:
        session = content.get("session_hash") if isinstance(content, dict) else None
        if isinstance(session, str) and len(session) > _LONGEST_SESSION:
            return f"session_hash: expected at most {_LONGEST_SESSION} characters, got {len(session):,}."
    n_values = 0
    n_characters = 0
    for _ in range(_MOST_LEVELS):
        n_characters += sum(map(_n_characters, level))
        if n_characters > ALL_CHARACTERS:
            # Said here, before the texts are copied to a process that would refuse them.
            return f"The texts have over {ALL_CHARACTERS:,} characters, which is the limit of a request."
        level = list(chain.from_iterable(map(_children, level)))
        n_values += len(level)
        if not level:
            return None
        if n_values > _MOST_VALUES:
            return _TOO_MANY
    return f"The JSON is nested too deeply: expected at most {_MOST_LEVELS} levels."


def _is_foreign(headers: Headers) -> bool:
    """Return whether a browser says that a page of another site asks; programs and pages of this address do not."""
    origin = headers.get("origin")
    if origin is None:
        return False
    _, _, host_of_origin = origin.lower().partition("://")
    for host in (headers.get("host"), headers.get("x-forwarded-host"), os.environ.get("SPACE_HOST")):
        if host and host.lower() == host_of_origin:
            return False
    return True


def _n_characters(value: Any) -> int:
    """Return the length of a text, or of all the keys of an object."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(len, value))
    return 0


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list):
        return value
    return []


class Upload(gr.File):  # type: ignore[misc]
    """A file from the visitor's own machine: an address that is sent instead is not fetched."""

    def get_block_name(self) -> str:
        """Return the name under which the browser knows the component."""
        return "file"

    def preprocess(self, payload: Any) -> str | None:
        """Return where the file is; the base class would leave an empty file behind each time."""
        if payload is None:
            return None
        return str(payload.path)

    async def async_move_resource_to_block_cache(self, url_or_file_path: str | Path | None) -> str | None:
        """Take files that were uploaded; the base class would fetch an address too."""
        if str(url_or_file_path).lower().startswith(("http:", "https:")):
            raise gr.Error("Upload a file; URLs are not accepted.", print_exception=False)
        path: str | None = await super().async_move_resource_to_block_cache(url_or_file_path)
        return path


class ColumnMenu(gr.Dropdown):  # type: ignore[misc]
    """Columns of a file to choose from: what a browser still sends of an earlier file is no choice."""

    def get_block_name(self) -> str:
        """Return the name under which the browser knows the component."""
        return "dropdown"

    def preprocess(self, payload: Any) -> Any:
        """Return the chosen columns that the file has; the base class would refuse the others in its own words."""
        if not isinstance(payload, list):
            return super().preprocess(payload)
        names = [name for _, name in self.choices]
        return super().preprocess([name for name in payload if name in names])


class Page(gr.Blocks):  # type: ignore[misc]
    """A page on which only an `Upload` takes a file: gradio would move, or fetch, one for any other input too."""

    async def preprocess_data(
        self, block_fn: Any, inputs: list[Any], state: Any, explicit_call: bool = False
    ) -> list[Any]:
        """Return what a function of the page is called with; values that were not sent are None."""
        n_expected = len(block_fn.inputs)
        if len(inputs) > n_expected:
            raise _error(f"Expected at most {n_expected} values, got {len(inputs)}.")
        values = inputs + [None] * (n_expected - len(inputs))
        # For messages: the parameters, as programs know them, or where there are others, what the page calls them.
        names = list(signature(block_fn.fn).parameters)
        if len(names) != n_expected:
            names = [block.label for block in block_fn.inputs]
        for name, block, value in zip(names, block_fn.inputs, values, strict=True):
            if not isinstance(block, Upload) and await asyncio.to_thread(_has_file, value):
                raise _error(f"{name}: expected texts or numbers, got a file or an address.")
        processed: list[Any] = await super().preprocess_data(block_fn, values, state, explicit_call)
        return processed

    async def process_api(self, block_fn: Any, *arguments: Any, **keywords: Any) -> dict[str, Any]:
        """Return what a function of the page returns; it has its own messages for all that goes wrong within it."""
        session = keywords.get("session_hash")
        event = keywords.get("event_id")
        VISIT.set(tuple(name for name in (session, event) if name))
        try:
            output: dict[str, Any] = await super().process_api(block_fn, *arguments, **keywords)
        except gr.Error:
            raise
        except Exception as error:
            # A value that no control has, or a file that was not uploaded.
            _LOG.warning("%s: %s", block_fn.api_name, shorten(error))
            raise _error("The values sent do not fit the controls of this page.") from None
        finally:
            if keywords.get("state") is not None:
                # For many sessions gradio keeps all components, with their values, for links that this page has not.
                keywords["state"].config_values.clear()
        if session and event:
            self.unread.add(session, event, await asyncio.to_thread(size_of, output))
        return output

    @cached_property
    def unread(self) -> Unread:
        """The results that wait to be fetched."""
        return Unread(self._queue)


def _error(message: str) -> gr.Error:
    return gr.Error(message, print_exception=False)


def _values(value: Any) -> Iterator[Any]:
    """Yield a value and all that are in it; how deep that is was checked."""
    yield value
    for child in _children(value):
        yield from _values(child)


def _has_file(value: Any) -> bool:
    """Return whether there is a value in it that gradio would take for a file, or trip over."""
    for part in _values(value):
        if isinstance(part, dict) and isinstance(part.get("path"), str) and "meta" in part:
            return True
    return False

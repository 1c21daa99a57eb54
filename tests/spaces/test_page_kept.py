"""What a page keeps of its visitors has a bound, and an end: files, results, bodies of requests, memory."""

import asyncio
import json
import os
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.routes import App
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from tercet.errors import InputError
from tercet.huggingface.space import request_checks, storage
from tercet.huggingface.space.scoring import Demo

MB = 1 << 20
FRAME = b'--x\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n'
MULTIPART = {"Content-Type": "multipart/form-data; boundary=x"}


def finished(coroutine):
    """Return what a coroutine returns, from a thread of its own: in this one, the loop of a browser may run."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, coroutine).result()


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Where a page keeps the files of its visitors."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "up"))
    return tmp_path / "up"


@pytest.fixture
def visitor(folder):
    """A program in front of a page on which a file may be given, behind the request_checks."""

    async def app():  # without a running loop, gradio makes one and leaves it open
        with request_checks.Page(analytics_enabled=False) as blocks:
            file, name = request_checks.Upload(), gr.Textbox()
            file.change(lambda path: path and os.path.basename(path), file, name, api_name="name")
        blocks.max_file_size = None  # as `launch` does
        return App.create_app(
            blocks, app_kwargs={"middleware": [Middleware(request_checks.Guard, lambda names: None)]}
        )

    with TestClient(finished(app())) as client:
        yield client


def upload(visitor, content, name=b"a.tsv", part=b"files", end=b"--x--\r\n"):
    return visitor.post("/gradio_api/upload", content=FRAME % (part, name, content) + end, headers=MULTIPART)


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


class TestFiles:
    def test_of_all_visitors_have_a_bound_together(self, visitor, folder, monkeypatch):
        monkeypatch.setattr(storage, "_MOST_UPLOADED", 3 * MB)
        answers = [upload(visitor, bytes([number]) * (MB - 1000)) for number in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [503] * 3
        assert answers[-1].json() == {
            "detail": "The page holds as many files as it can: try again in 10 minutes.",
        }
        assert len(files_in(folder)) == 3
        files_in(folder)[0].unlink()
        assert upload(visitor, b"z" * (MB - 1000)).status_code == 200

    def test_that_are_many_and_small_have_a_bound_too(self, visitor, folder, monkeypatch):
        monkeypatch.setattr(storage, "_MOST_UPLOADED", MB)
        body = (
            b"".join(FRAME % (b"files", b"%d.tsv" % number, b"%d" % number) for number in range(300)) + b"--x--\r\n"
        )
        statuses = [visitor.post("/gradio_api/upload", content=body, headers=MULTIPART).status_code for _ in range(3)]
        assert statuses == [200, 503, 503]

    def test_that_gradio_forgets_are_counted_and_swept(self, visitor, folder, monkeypatch):
        assert upload(visitor, b"a" * MB, end=b"").status_code == 200  # cut off
        assert upload(visitor, b"b" * MB, part=b"other").status_code == 200
        known = upload(visitor, b"c").json()[0]
        assert storage.files_size() >= 2 * MB
        storage._sweep_files()
        assert len(files_in(folder)) == 3  # they may still be on their way
        monkeypatch.setattr(storage, "_GRADIO_IS_DONE", -60)  # a minute later than they came
        os.unlink(known)  # as gradio does
        storage._sweep_files()
        assert list(folder.rglob("*")) == []
        assert upload(visitor, b"a").status_code == 200

    def test_are_not_copied_where_they_are_used(self, visitor, folder):
        path = upload(visitor, b"mt\tref\n").json()[0]
        file = {"path": path, "meta": {"_type": "gradio.FileData"}}
        config = visitor.get("/config").json()
        function = next(each["id"] for each in config["dependencies"] if each["api_name"] == "name")
        answer = visitor.post("/gradio_api/api/name", json={"data": [file], "fn_index": function}).json()
        assert answer["data"] == ["a.tsv"]
        assert [str(each) for each in files_in(folder)] == [path]

    def test_of_results_have_room_where_uploads_have_none(self, visitor, folder, monkeypatch):
        monkeypatch.setattr(storage, "_MOST_UPLOADED", MB)
        monkeypatch.setattr(storage, "_MOST_FILES", 2 * MB)
        assert upload(visitor, b"a" * (MB - 1000)).status_code == 200
        assert upload(visitor, b"b" * (MB - 1000)).status_code == 503
        first, second = (storage.write_download("items.tsv", "ä" * 200_000) for _ in range(2))
        assert first != second
        with open(first, encoding="utf-8") as file:
            assert file.read() == "ä" * 200_000
        with pytest.raises(InputError, match="holds as many files as it can: try again in 10 minutes"):
            storage.write_download("items.tsv", "a" * MB)

    def test_are_kept_from_their_last_use(self, cases, tmp_path):
        demo = Demo("bleu_multi", cases, "bleu_multi")
        path = tmp_path / "a.tsv"
        path.write_text("mt\tref\na\tb\n")
        os.utime(path, (0, 0))
        demo.read_file(str(path))
        assert path.stat().st_mtime > 0
        path.unlink()
        with pytest.raises(InputError, match="keeps a file for 10 minutes after its last use: upload it again"):
            demo.read_file(str(path))

    def test_are_in_a_folder_of_the_page_unless_the_environment_names_one(self, monkeypatch, folder):
        storage.use_own_folder()
        assert storage.get_upload_folder() == str(folder)
        monkeypatch.delenv("GRADIO_TEMP_DIR")
        storage.use_own_folder()
        assert "tercet-page-" in storage.get_upload_folder()


@pytest.fixture
def cases():
    return {"DEMO_OPTIONS": {}, "DEMO_ITEMS": 100, "CASES": []}


Queue = namedtuple("Queue", ["pending_messages_per_session", "pending_event_ids_session", "event_ids_to_events"])


class TestResultsThatNobodyFetches:
    @pytest.fixture
    def clock(self, monkeypatch):
        clock = SimpleNamespace(now=1000.0)
        monkeypatch.setattr(storage, "time", SimpleNamespace(monotonic=lambda: clock.now))
        return clock

    @pytest.fixture
    def queue(self):
        sessions = {name: {f"event of {name}"} for name in ("program", "page", "running")}
        return Queue(dict.fromkeys(sessions), sessions, {"event of running": "an event"})

    def test_are_forgotten_after_some_minutes(self, clock, queue):
        unread = storage.Unread(queue)
        unread.sweep()
        clock.now += 400
        queue.pending_event_ids_session["page"] = {"another"}
        unread.sweep()
        clock.now += 400
        unread.sweep()
        assert set(queue.pending_messages_per_session) == set(queue.pending_event_ids_session) == {"page", "running"}
        clock.now += 400
        unread.sweep()
        assert set(queue.pending_messages_per_session) == set(queue.pending_event_ids_session) == {"running"}
        queue.event_ids_to_events.clear()
        clock.now += 4000
        unread.sweep()  # it has ended now
        assert set(queue.pending_messages_per_session) == {"running"}

    def test_are_forgotten_where_they_are_too_large_together(self, queue, monkeypatch):
        monkeypatch.setattr(storage, "_MOST_UNREAD", 100)
        unread = storage.Unread(queue)
        unread.add("program", "event of program", 60)
        unread.add("page", "event of page", 30)
        assert len(queue.pending_messages_per_session) == 3
        queue.pending_event_ids_session["page"].clear()  # fetched
        unread.add("running", "event of running", 40)
        assert len(queue.pending_messages_per_session) == 3
        queue.pending_event_ids_session["last"] = {"event of last"}
        unread.add("last", "event of last", 200)
        assert set(queue.pending_messages_per_session) == {"page"}
        assert set(queue.pending_event_ids_session) == {"page", "last"}

    def test_all_of_a_forgotten_visitor_make_room(self, monkeypatch):
        monkeypatch.setattr(storage, "_MOST_UNREAD", 64)
        sessions = {"A": {"first of A", "second of A"}, "B": {"of B"}}
        unread = storage.Unread(Queue(dict.fromkeys(sessions), sessions, {}))
        unread.add("A", "first of A", 20)
        unread.add("B", "of B", 10)
        unread.add("A", "second of A", 60)
        assert set(sessions) == {"B"}

    def test_are_measured_with_all_that_is_in_them(self):
        assert storage.size_of({"data": [["a" * 1000, "b" * 1000], {"c" * 1000: 0.5}]}) > 3000
        assert storage.size_of([0.5] * 1000) > 24_000


async def passed_on(scope, receive, send):
    """An app that reads a body, waits, and answers with its length."""
    size, has_more = 0, True
    while has_more:
        message = await receive()
        size += len(message["body"])
        has_more = message["more_body"]
    await scope["until"].wait()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"%d" % size})


async def ask(entrance, pieces, until, path="/call/compute"):
    """Send a body in pieces, and return the status and the text of the answer; None as a piece never comes."""
    pieces, answer = list(pieces), []

    async def receive():
        await asyncio.sleep(0)
        piece = pieces.pop(0)
        if piece is None:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message):
        answer.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b"", "until": until}
    await entrance(scope, receive, send)
    return answer[0]["status"], answer[1]["body"].decode()


def large(character=b"a"):
    return [b'{"data": ["', *[character * MB] * 4, b'"]}']


class TestBodies:
    def test_are_held_up_to_a_bound_and_small_ones_always(self, monkeypatch):
        monkeypatch.setattr(request_checks, "_MOST_HELD", 10 * MB)

        async def attack():
            until = asyncio.Event()
            entrance = request_checks.Guard(passed_on, None)
            attackers = [asyncio.create_task(ask(entrance, large(), until)) for _ in range(5)]
            while sum(task.done() for task in attackers) < 3:
                await asyncio.sleep(0.01)
            small = asyncio.create_task(ask(entrance, [b'{"data": ["a', b'"]}'], until))
            await asyncio.sleep(0.1)
            held = entrance._held
            until.set()
            answers = [await task for task in attackers]
            return held, answers, await small, await ask(entrance, large(), until), entrance._held

        held, answers, small, later, left = finished(attack())
        print(answers)
        assert 8 * MB < held <= 10 * MB
        length = str(4 * MB + 14)
        busy = (503, json.dumps({"detail": request_checks._BUSY}, separators=(",", ":")))
        assert sorted(answers) == [(200, length)] * 2 + [busy] * 3
        assert small == (200, "15")
        assert later == (200, length)
        assert left == 0

    def test_that_do_not_come_are_waited_for_so_long(self, monkeypatch):
        monkeypatch.setattr(request_checks, "_LONGEST_SENDING", 0.2)

        async def attack():
            entrance = request_checks.Guard(passed_on, None)
            return await ask(entrance, [*large(), None], asyncio.Event()), entrance._held

        (status, said), held = finished(attack())
        assert status == 408
        assert "took longer than 0.2 seconds to arrive" in said
        assert held == 0

    def test_that_are_refused_are_not_held(self):
        async def attack():
            until = asyncio.Event()
            until.set()
            entrance = request_checks.Guard(passed_on, None)
            answers = [await ask(entrance, [b"a" * MB] * 30, until), await ask(entrance, [b"{" * MB], until)]
            return answers, entrance._held

        answers, held = finished(attack())
        assert [status for status, _ in answers] == [413, 400]
        assert held == 0

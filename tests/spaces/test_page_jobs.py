"""A request ends at a deadline, and when its visitor has left: nobody waits for one that does not."""

import io
import json
import os
import signal
import socket
import time
import zipfile
from contextvars import copy_context
from http.client import IncompleteRead
from pathlib import Path
from threading import Semaphore, Thread

import openpyxl
import psutil
import pytest
from test_page_requests import ask, ask_by_name

from browser import workers
from tercet.errors import InputError
from tercet.huggingface.space import jobs as page_jobs
from tercet.huggingface.space.limits import MOST_BYTES
from tercet.huggingface.space.scoring import Demo

pytest_plugins = ["pages"]

CASES = Path(__file__).parents[2] / "metrics" / "bleu_multi" / "cases.py"
#: What the page takes, and the tokenizer needs seconds for: it looks for words in stretches of marks, once a text.
LONG = [["a1+#&._%-" * 2190 + f" {i}" for i in range(100)], ["b"] * 100, {"tokenizer": "jieba"}]
SHORT = [["a cat sat"], [["the cat sat"]], {}]


def deep_workbook():
    """Return a workbook of some kilobytes, in whose sheet every one of millions of elements is within the last."""
    plain, deep = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(deep, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "xl/worksheets/sheet1.xml":
                content = content.split(b"<sheetData")[0] + b"<sheetData>" + b"<x>" * 16_000_000
            target.writestr(name, content)
    return deep.getvalue()


#: Files of some kilobytes, or of ten megabytes, that a reader may need gigabytes or minutes for.
EVIL = {
    "deep.xlsx": deep_workbook,
    "deep.tmx": lambda: b"<tmx><body>" + b"<x>" * 3_400_000,
    "deep.jsonl": lambda: b'{"mt": ' + b"[" * 10_000_000,
    "wide.jsonl": lambda: b'{"mt": [' + b"[]," * 3_000_000 + b"[]]}",
    "wide.tsv": lambda: b"a\t" * 5_000_000 + b"\n",
}


@pytest.fixture(scope="module")
def processes():
    """Processes of all tests here, each of which takes seconds to start: what ends one leaves others to the next."""
    processes = page_jobs.Jobs("bleu_multi", CASES, "bleu_multi", loads_model=False)
    yield processes
    processes.stop()


@pytest.fixture
def jobs(processes, monkeypatch):
    monkeypatch.setattr(processes, "_seconds", 2)
    monkeypatch.setattr(processes._long, "entries", processes._long.entries)
    return processes


@pytest.mark.long
class TestJobs:
    def test_end_at_the_deadline(self, jobs):
        expected = "took longer than the page's limit of 2 seconds. Give fewer or shorter texts"
        with pytest.raises(InputError, match=expected):
            jobs.run(Demo.compute, *LONG)
        assert jobs.run(Demo.compute, *SHORT)["translation_length"] == 3
        assert jobs._running == {}

    def test_end_when_their_visitor_leaves_and_no_others(self, jobs):
        jobs._seconds = 300
        ended = []

        def ask(visit, request):
            page_jobs.VISIT.set((visit, "event"))
            try:
                ended.append((visit, jobs.run(Demo.compute, *request)["translation_length"]))
            except InputError as error:
                ended.append((visit, str(error)))

        threads = [Thread(target=copy_context().run, args=[ask, *each]) for each in (("one", LONG), ("two", SHORT))]
        threads[0].start()
        while not jobs._running:
            time.sleep(0.01)
        jobs.leave(["two", "unknown"])
        threads[1].start()
        threads[1].join()
        assert ended == [("two", 3)]
        jobs.leave(["one"])
        threads[0].join()
        assert ended[1:] == [("one", "Cancelled: the visitor has left.")]

    def test_go_on_when_an_idle_process_is_killed(self, jobs):
        assert jobs.run(Demo.compute, *SHORT)["translation_length"] == 3
        os.kill(next(iter(workers(os.getpid()))), signal.SIGKILL)
        for _ in range(3):
            assert jobs.run(Demo.compute, *SHORT)["translation_length"] == 3

    def test_tell_what_is_wrong_as_without_them(self, jobs):
        with pytest.raises(InputError, match="item 1 of predictions must be a string, got 7"):
            jobs.run(Demo.compute, ["a", 7], ["a", "b"], {})

    def test_with_long_texts_leave_a_place_for_short_ones_and_do_not_wait_in_any_number(self, jobs, monkeypatch):
        monkeypatch.setattr(page_jobs, "_MOST_WAITING", 1)
        jobs._long.entries = Semaphore(3)
        jobs._seconds = 60
        ended, refused = [], []

        def ask(number):
            try:
                jobs.run(sleep, 2)
                ended.append(number)
            except InputError as error:
                refused.append(str(error))

        threads = [Thread(target=ask, args=[number]) for number in range(5)]
        for thread in threads:
            thread.start()
        assert jobs.run(Demo.compute, *SHORT)["translation_length"] == 3
        assert ended == []
        for thread in threads:
            thread.join()
        assert len(ended) == 3
        assert [message.split(".")[0] for message in refused] == [
            "1 requests with long texts or files are waiting already"
        ] * 2

    def test_find_a_process_that_is_ready_after_two_were_killed(self, jobs):
        before = processes_that_answer(jobs._long)
        while len(before) < 4:
            before = processes_that_answer(jobs._long)
        refused = []

        def reach_the_deadline():
            with pytest.raises(InputError, match="longer than the page's limit"):
                jobs.run(sleep, 60)
            refused.append(True)

        attackers = [Thread(target=reach_the_deadline) for _ in range(2)]
        for attacker in attackers:
            attacker.start()
        for attacker in attackers:
            attacker.join()
        assert refused == [True, True]
        assert jobs.run(process) in before

    def test_of_a_visitor_who_leaves_before_they_begin_never_begin(self, jobs):
        jobs._seconds = 60
        ended = []

        def ask(visit, seconds):
            page_jobs.VISIT.set((visit,))
            try:
                ended.append((visit, jobs.run(sleep, seconds)))
            except InputError as error:
                ended.append((visit, str(error)))

        threads = [Thread(target=copy_context().run, args=[ask, name, 2]) for name in ("one", "two", "three")]
        for thread in threads[:2]:
            thread.start()
        until(lambda: len(jobs._running) == 2)
        threads[2].start()
        until(lambda: len(jobs._running) == 3)
        jobs.leave(["three"])
        for thread in threads:
            thread.join()
        assert dict(ended) == {"one": None, "two": None, "three": "Cancelled: the visitor has left."}
        assert jobs._running == {}

    def test_that_take_too_much_memory_are_refused_and_the_next_is_served(self, jobs):
        assert jobs.run(fill, 200 << 20) == 200 << 20
        for _ in range(2):
            with pytest.raises(InputError, match="took more memory than the page's limit"):
                jobs.run(fill, 3 << 30)
            assert jobs.run(Demo.compute, *SHORT)["translation_length"] == 3

    def test_whose_process_ends_are_refused_and_the_next_is_served(self, jobs):
        with pytest.raises(InputError, match="computed this has ended unexpectedly"):
            jobs.run(end)
        assert jobs.run(fill, 1) == 1

    @pytest.mark.parametrize("name", EVIL)
    def test_on_files_that_unpack_without_end_are_refused(self, jobs, tmp_path, name):
        jobs._seconds = 20
        path = tmp_path / name
        path.write_bytes(EVIL[name]())
        assert path.stat().st_size <= MOST_BYTES
        with pytest.raises(InputError):
            jobs.run(Demo.read_file, str(path))
        assert max(psutil.Process(worker).memory_info().rss for worker in workers(os.getpid())) < 2 << 30
        assert jobs.run(fill, 1) == 1


def fill(_, size):
    """A method of a demo that takes memory, in pieces as a reader does."""
    return sum(len(piece) for piece in [bytes(1 << 20) for _ in range(size >> 20)] or [b"a"])


def end(_):
    """A method of a demo whose process ends, as where a library finds no memory."""
    os._exit(3)


def sleep(_, seconds):
    """A method of a demo that takes its time."""
    time.sleep(seconds)


def process(_, seconds=0):
    """A method of a demo that says, after some seconds, which process computes."""
    time.sleep(seconds)
    return os.getpid()


def processes_that_answer(lane):
    """Return the processes of a lane that are ready: each job takes long enough for the next to go to another."""
    answers = [lane.schedule([process, 0.5], 60) for _ in range(lane._n_workers)]
    return {answer.result() for answer in answers}


DENSE = "a " * 9_999


@pytest.mark.costly
class TestAttackers:
    def test_are_told_what_takes_too_long_before_it_begins(self, served):
        page = served("rouge_nlws")
        kinds = {"rouge_types": ["rouge1", "rouge2", "rougeL", "rougeW"]}
        _, said = ask_by_name(page, [[DENSE] * 10, [[DENSE]] * 10, kinds])
        assert (
            "pairs of equal words, for which ROUGE-W takes longer than 5 seconds; this page takes 200,000,000" in said
        )
        for letters in ("aé", "a_"):  # one word to most tokenizers, many to that of ROUGE
            _, said = ask_by_name(page, [[letters * 9_999] * 10, [[letters * 9_999]] * 10, kinds])
            assert "for which ROUGE-W takes longer than 5 seconds" in said
        assert page.troubles() == []

    def test_do_not_keep_others_waiting(self, served):
        page = served("rouge_nlws")
        until(lambda: '"rouge1": 1.0' in ask_by_name(page, [["a"], ["a"], {}])[1])
        ended = []

        def attack():
            said = ask_by_name(page, [[DENSE] * 2, [[DENSE]] * 2, {"rouge_types": ["rougeW"]}])[1]
            ended.append("complete" in said)

        attackers = [Thread(target=attack) for _ in range(6)]
        for attacker in attackers:
            attacker.start()
        time.sleep(0.3)
        assert '"rouge1": 1.0' in ask_by_name(page, [["a"], ["a"], {}])[1]
        assert len(ended) < 4  # of the six, at most those that ran beside it
        for attacker in attackers:
            attacker.join()
        assert ended == [True] * 6
        assert page.troubles() == []


@pytest.mark.costly
def test_a_request_that_nobody_waits_for_ends(served):
    page = served("bleu_multi")
    until(lambda: is_answered(page))
    before = page.workers()
    at_work = sum(before.values())
    event = json.loads(ask(page, "call/compute", {"data": LONG})[1])["event_id"]
    host, port = page.address.removeprefix("http://").split(":")
    with socket.create_connection((host, port)) as visitor:
        visitor.sendall(f"GET /gradio_api/call/compute/{event} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        assert visitor.recv(1000).startswith(b"HTTP/1.1 200")
        until(lambda: sum(page.workers().values()) > at_work + 0.5)  # seconds: one has begun
    until(lambda: set(page.workers()) != set(before))
    until(lambda: is_answered(page))
    page.troubles()  # gradio's own, of an answer that it could not send


def is_answered(page):
    """Return whether the page scores; a stream that a very busy machine cut short is asked for again."""
    try:
        return '"translation_length": 3' in ask_by_name(page, SHORT)[1]
    except IncompleteRead:
        return False


def until(holds, seconds=15):
    """Wait for a condition, for less than the deadline of a request, unless none has begun."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)

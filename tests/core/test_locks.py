"""A child that is forked while another thread holds a lock finds it open."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tercet
from tercet.locks import Lock

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="only where Python forks"),
    # Python 3.12 and later warn of any fork beside another thread, which is what is tested.
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
]


def code_of_child(child, seconds=60):
    """Return the exit code of a child; one that never ends is killed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "never ended"


def forked_while_held(lock, in_child):
    """Fork while another thread holds a lock; return how the child ends."""
    is_held, is_forked = threading.Event(), threading.Event()

    def hold():
        with lock:
            is_held.set()
            is_forked.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait()
    child = os.fork()
    if child == 0:
        try:
            in_child()
        finally:
            os._exit(0)
    try:
        return code_of_child(child)
    finally:
        is_forked.set()
        thread.join()


def test_a_child_enters_a_lock_that_another_thread_holds():
    lock = Lock()

    def enter():
        with lock:
            pass

    assert forked_while_held(lock, enter) == 0


def test_a_child_scores_diversity_while_a_thread_of_its_parent_does():
    from tercet.metrics.diversity import _ONE_AT_A_TIME

    texts = ["the cat sat", "кот сидел", "猫坐在垫子上"]
    tercet.score("diversity", texts)
    assert forked_while_held(_ONE_AT_A_TIME, lambda: tercet.score("diversity", texts)) == 0


def test_one_thread_at_a_time_and_the_same_one_again():
    lock, inside, most = Lock(), [], []

    def work():
        for _ in range(200):
            with lock, lock:
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1


def test_a_child_forked_within_the_block_leaves_it():
    lock = Lock()
    with lock:
        child = os.fork()
    if child == 0:
        with lock:
            os._exit(0)
    assert code_of_child(child) == 0


FORK_WHILE_NUMPY_IS_IMPORTED = """
import os, sys, threading, warnings
warnings.simplefilter("ignore")
import tercet
from test_locks import code_of_child

assert "numpy" not in sys.modules
thread = threading.Thread(target=lambda: tercet.score("diversity", ["a b"] * 3))
thread.start()
while "numpy" not in sys.modules:
    pass
child = os.fork()
if child == 0:
    tercet.score("diversity", ["a b", "c d"])
    os._exit(0)
thread.join()
sys.exit(code_of_child(child, seconds=30))
"""


def test_a_child_that_is_forked_while_numpy_is_imported_imports_it():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(tercet.__file__).parents[1]), *sys.path])}
    done = subprocess.run([sys.executable, "-c", FORK_WHILE_NUMPY_IS_IMPORTED], env=environment, timeout=60)
    assert done.returncode == 0

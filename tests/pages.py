"""The pages of the Spaces, served and visited: a plugin, as a folder of tests cannot have a conftest of its own here.

A page's server and the browser live as long as the process of the tests; tests/schedule.py runs all tests of one page
in one process.
"""

import threading
from contextlib import ExitStack
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from gradio_client import Client

from browser import Served, Visitor
from language_models import smollm2
from page_checks import ROWS, as_tsv
from spaces.build import build
from suite import SUITE


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The page of a metric, by name: started when it is first asked for."""
    with ExitStack() as running:

        @cache
        def page_of(metric):
            if metric == "perplexity_lm":
                smollm2()  # the model that its page begins with
            work = tmp_path_factory.mktemp(metric)
            page = Served(build(metric, work / "spaces"), work)
            running.callback(page.stop)
            return page

        yield page_of


@pytest.fixture(params=SUITE)
def metric(request):
    return request.param


@pytest.fixture(scope="session")
def context(browser):
    """A browser's own memory, for windows of this width; each load of the page is a visitor to the server."""
    return cache(lambda width: browser.new_context(viewport={"width": width, "height": 900}, locale="en"))


@pytest.fixture
def visit(browser, context, served):
    """Somebody in front of a metric's page; nobody may meet an error, or have data sent to another machine."""
    with ExitStack() as leaving:
        visitors = []

        def enter(metric, *, width=1280, alone=False, **how):
            home = browser.new_context(locale="en") if alone else context(width)
            visitors.append(Visitor(home, served(metric), **how))
            leaving.callback((home if alone else visitors[-1].page).close)
            return visitors[-1]

        yield enter
        assert not [trouble for each in visitors for trouble in each.troubles() + each.served.troubles()]


@pytest.fixture
def stranger():
    """A machine that records what it was asked for."""
    asked = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"mt\tref\na\tb\n")

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


@pytest.fixture
def program(served):
    """A program that calls a metric's page; what it does may not end in a traceback there."""
    pages = []

    def connect(metric):
        pages.append(served(metric))
        return Client(pages[-1].address, verbose=False)

    yield connect
    assert not [trouble for page in pages for trouble in page.troubles()]


@pytest.fixture(scope="session")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "test.tsv"
    path.write_text(as_tsv(["mt", "ref", "ref2", "mt2"], ROWS), encoding="utf-8")
    return path

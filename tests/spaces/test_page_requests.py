"""Programs that call the function of a Space; requests that no visitor sends: files of strangers, sizes, mistakes."""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from gradio_client.exceptions import AppError

from page_checks import PREDICTIONS, REFERENCES, same, scored
from suite import SUITE, UNLIKE

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly


def ask(page, path, body=None, **headers):
    """Ask the page as any program can, and return the status and the text of its answer."""
    if body is not None and not isinstance(body, (bytes, Iterator)):
        body = json.dumps(body).encode()
    header = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(f"{page.address}/gradio_api/{path}", body, header)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


def ask_by_name(page, data, version=""):
    """Call the page's function as its documentation says."""
    body = dict(zip(["predictions", "references", "options"], data, strict=False)) if version else {"data": data}
    status, text = ask(page, f"call{version}/compute", body)
    return ask(page, f"call/compute/{json.loads(text)['event_id']}") if status == 200 else (status, text)


def send(page, function, data):
    """Call a function of the page as its browser does, and return the answer."""
    session = os.urandom(8).hex()
    status, text = ask(page, "queue/join", {"fn_index": function["id"], "data": data, "session_hash": session})
    assert status == 200, text
    with urllib.request.urlopen(f"{page.address}/gradio_api/queue/data?session_hash={session}", timeout=30) as stream:
        for line in stream:
            message = json.loads(line.removeprefix(b"data: ")) if line.strip() else {}
            if message.get("msg") == "process_completed":
                return message
    raise AssertionError("no answer")


def config_of(page):
    with urllib.request.urlopen(f"{page.address}/config", timeout=30) as answer:
        return json.load(answer)


def send_to_compute(page, data):
    function = next(each for each in config_of(page)["dependencies"] if each["api_name"] == "compute")
    return 200, json.dumps(send(page, function, data))


#: The ways by which a program may reach the function, and whether they are open.
WAYS = {
    "call": (ask_by_name, True),
    "call v2": (lambda page, data: ask_by_name(page, data, "/v2"), True),
    "queue": (send_to_compute, True),
    "run": (lambda page, data: ask(page, "run/compute", {"data": data}), False),
    "api": (lambda page, data: ask(page, "api/compute", {"data": data}), False),
}


def functions_of_files(page):
    """Return what the page calls for a new file, for its score, and for the report."""
    config = config_of(page)
    file = next(each["id"] for each in config["components"] if each["props"].get("elem_id") == "file-input")
    found = [each for each in config["dependencies"] if each["inputs"][:1] == [file]]
    assert len(found) == 3
    return sorted(found, key=lambda each: len(each["inputs"]))


class TestPrograms:
    @pytest.mark.parametrize("metric", UNLIKE)
    def test_get_what_the_package_returns(self, program, metric):
        client = program(metric)
        plain = client.predict(PREDICTIONS, REFERENCES, api_name="/compute")
        assert plain["signature"] == scored(metric, PREDICTIONS, REFERENCES, scale=1)["signature"]
        more = {**SUITE[metric].chosen, "confidence_level": 0.9, "n_resamples": 200, "segments": True}
        found = client.predict(PREDICTIONS, REFERENCES, more, api_name="/compute")
        expected = scored(metric, PREDICTIONS, REFERENCES, scale=1, **more)
        assert found.keys() == expected.keys()
        assert found["signature"] == expected["signature"] != plain["signature"]
        assert found["intervals"].keys() == expected["intervals"].keys()
        for name, bounds in expected["intervals"].items():
            assert found[name] == same(metric, expected[name])
            assert found["intervals"][name] == same(metric, bounds)
        for name, values in expected["segments"].items():
            assert found["segments"][name] == same(metric, values)

    def test_see_one_function_and_what_it_refuses(self, program):
        client = program("bleu_multi")
        found = client.view_api(return_format="dict", print_info=False)
        assert (list(found["named_endpoints"]), found["unnamed_endpoints"]) == (["/compute"], {})
        names = [each["parameter_name"] for each in found["named_endpoints"]["/compute"]["parameters"]]
        assert names == ["predictions", "references", "options"]
        with pytest.raises(AppError, match=r"Did you mean 'smooth_method'\?"):
            client.predict(["a"], [["a"]], {"smooth_metod": "exp"}, api_name="/compute")

    def test_get_their_own_answers(self, program):
        texts = [("a " * number + "cat", [["a cat"] * (number % 3 + 1)]) for number in range(6)]
        clients = [program("bleu_multi") for _ in texts]

        def call(client, pair):
            return client.predict([pair[0]], pair[1], api_name="/compute")

        with ThreadPoolExecutor(len(texts)) as threads:
            for found, (prediction, references) in zip(threads.map(call, clients, texts), texts, strict=True):
                expected = scored("bleu_multi", [prediction], references, scale=1)
                assert (found["signature"], found["bleu"]) == (expected["signature"], expected["bleu"])


#: Where a request may have a file: in predictions, references and options, at any depth.
PLACES = [
    lambda file: [file, [["a"]], {}],
    lambda file: [[file], [["a"]], {}],
    lambda file: [["a"], [[[[{"a": [file]}]]]], {}],
    lambda file: [["a"], [["a"]], file],
    lambda file: [["a"], [["a"]], {"weights": {"a": [file]}}],
]


class TestStrangersFiles:
    @pytest.mark.parametrize("key", ["path", "url"])
    def test_addresses_are_not_fetched(self, served, stranger, key):
        address, asked = stranger
        page = served("bleu_multi")
        for function in functions_of_files(page):
            others = [None] * (len(function["inputs"]) - 1)
            for scheme in (address, address.replace("http", "HTTP", 1)):
                answer = send(page, function, [a_file("a.tsv") | {key: scheme}, *others])
                assert "rows" not in json.dumps(answer["output"])
                assert not answer["success"]
        assert asked == []
        assert page.troubles() == []

    @pytest.mark.parametrize("way", WAYS)
    def test_no_way_to_compute_takes_a_file_or_an_address(self, served, stranger, tmp_path, way):
        address, asked = stranger
        page = served("bleu_multi")
        own = tmp_path / "own"
        own.write_text("a secret")
        call, is_open = WAYS[way]
        told = "or numbers, got a file or an address" if is_open else "does not accept direct HTTP POST requests"
        paths = (address, address.upper(), "file:///etc/passwd", "/etc/passwd", "app.py", str(own))
        files = [file for path in paths for file in (a_file(path), a_file("a.tsv") | {"url": path})]
        files.append(a_file("/etc/passwd") | {"meta": []})
        requests = [[["a"], [[file]], {}] for file in files] + [place(a_file(address)) for place in PLACES]
        for request in requests:
            _, said = call(page, request)
            assert told in said
            assert not [leak for leak in ("root:", "secret", str(page.folder.parent)) if leak in said]
        assert asked == []
        assert ask_by_name(page, GOOD)[1].startswith("event: complete")
        assert page.troubles() == []

    def test_no_other_input_of_the_page_takes_one(self, served, stranger):
        address, asked = stranger
        page = served("bleu_multi")
        with_files = [each["id"] for each in functions_of_files(page)]
        functions = [each for each in config_of(page)["dependencies"] if each["inputs"]]
        assert len(functions) > len(with_files) + 2
        for function in functions:
            for place in range(function["id"] in with_files, len(function["inputs"])):
                data = [None] * len(function["inputs"])
                data[place] = {"value": a_file(address)}
                answer = send(page, function, data)
                assert not answer["success"]
                assert "got a file or an address" in answer["output"]["error"]
        assert asked == []
        assert page.troubles() == []

    def test_the_page_fetches_nothing_for_a_stranger(self, served, stranger):
        address, asked = stranger
        for path in ("file=", "file/", "proxy="):
            status, said = ask(served("bleu_multi"), f"{path}{address}")
            assert (status, json.loads(said)) == (403, {"detail": "This page does not fetch URLs."})
        assert asked == []

    def test_files_of_the_server_are_not_read(self, served):
        page = served("bleu_multi")
        for function in functions_of_files(page):
            others = [None] * (len(function["inputs"]) - 1)
            for path in ("/etc/passwd", str(page.folder / "app.py"), "app.py", "../log", "file:///etc/passwd"):
                answer = send(page, function, [a_file(path), *others])
                assert not answer["success"], path
                assert answer["output"]["error"] == "The values sent do not fit the controls of this page."
        for path in ("/etc/passwd", str(page.folder / "app.py"), "app.py"):
            assert ask(page, f"file={path}")[0] in (403, 404)
        assert page.troubles() == []


def a_file(path):
    """What a browser says of a file that it has sent before."""
    return {"path": path, "orig_name": "a.tsv", "meta": {"_type": "gradio.FileData"}}


# Bad requests

GOOD = [["a cat sat"], [["the cat sat", "a cat"]], {}]
A = [["a"], ["a"]]
#: Requests of programs that cannot be answered, and what is said of them: some of each kind in test_demo.py.
REFUSED = {
    "nothing": ([], "predictions must be a list with one text per item, got None"),
    "no references": ([["a"]], "references must be a list with one text or one list of texts per item, got None"),
    "too much": ([*GOOD, 1], "Expected at most 3 values, got 4"),
    "text": (["a", [["a"]]], "predictions must be a list with one text per item, got 'a' (str)"),
    "None in predictions": ([["a", None], ["a", "b"]], "item 1 of predictions must be a string, got None"),
    "NaN": ([[float("nan")], ["a"]], "item 0 of predictions must be a string, got nan (float)"),
    "Infinity": ([[float("inf")], ["a"]], "item 0 of predictions must be a string, got inf (float)"),
    "half a character": ([["a", "\ud800"], ["a", "b"]], "item 1 of predictions is not valid Unicode text"),
    "None in references": ([["a"], [["a", None]]], "item 1 of the references of item 0 must be a string, got None"),
    "no reference": ([["a", "b"], [["a"], []]], "item 1 of references is empty"),
    "empty": ([[], []], "The corpus is empty"),
    "many items": ([["a"] * 30_000, ["a"] * 30_000], "30,000 items are more than"),
    "a long text": ([["a" * 30_000], ["a"]], "A text has 30,000 characters; this page takes texts of up to 20,000"),
    "list of options": ([*A, ["scale"]], "The options must be names with values. Got ['scale'] instead"),
    "False as options": ([*A, False], "The options must be names with values. Got False instead"),
    "misspelt": ([*A, {"scael": 1}], "The option 'scael' cannot be chosen here. Did you mean 'scale'?"),
    "without name": ([*A, {"": 1}], "The option '' cannot be chosen here"),
    "threads": ([*A, {"n_jobs": 256}], "The option 'n_jobs' cannot be chosen here"),
    "code": ([*A, {"stopwords": "__import__('os')"}], "The option 'stopwords' cannot be chosen here"),
    "text as number": ([*A, {"scale": "100"}], "The 'scale' option on this page must be one of 1, 100. Got '100'"),
    "number as flag": ([*A, {"segments": 1}], "The 'segments' option on this page must be True or False. Got 1"),
    "level NaN": ([*A, {"confidence_level": float("nan")}], "must be a number above 0 and below 1"),
    "many resamples": ([*A, {"n_resamples": 10**9}], "must be an integer up to 10,000. Got 1000000000"),
    "a large seed": (
        [*A, {"seed": 10**400}],
        "must be an integer up to 1,000,000,000. Got <int of about 401 digits>",
    ),
}


def test_a_bad_request_is_told_what_is_wrong(served):
    page = served("bleu_multi")
    for kind, (data, message) in REFUSED.items():
        status, said = ask_by_name(page, data)
        assert (status, said.split("\n")[0]) == (200, "event: error"), kind
        assert message in json.loads(said.split("data: ", 1)[1])["error"], kind
        assert "Traceback" not in said
        assert str(page.folder.parent) not in said
    assert ask_by_name(page, GOOD)[1].startswith("event: complete")
    assert page.troubles() == []


IN_PIECES = "a body of thirty pieces, whose length is not told"
UNKNOWN = {"data": [], "session_hash": "a"}


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        (
            "call/nope",
            {"data": []},
            400,
            "'/gradio_api/call/nope' does not accept this request. Programs call 'compute'",
        ),
        (
            "call/v2/nope",
            {},
            400,
            "does not accept this request. Programs call 'compute' with predictions, references",
        ),
        ("call/v2/compute", {"predictons": ["a"]}, 400, "call 'compute' with predictions, references and options"),
        ("queue/join", {**UNKNOWN, "fn_index": 9999}, 400, "does not accept this request"),
        ("queue/join", {**UNKNOWN, "fn_index": 10**400}, 400, "does not accept this request"),
        ("component_server", {**UNKNOWN, "component_id": 9999, "fn_name": "x"}, 400, "does not accept this request"),
        ("nope", {"data": []}, 404, "Not Found"),
        ("queue/join", {**UNKNOWN, "session_hash": "a" * 101}, 400, "at most 100 characters, got 101"),
        ("call/compute", [1], 422, "valid dictionary"),
        ("call/compute", {"data": {"a": 1}}, 422, "valid list"),
        ("call/compute", b"", 422, "Field required"),
        ("call/compute", b"{", 400, "The body must be JSON: Expecting property name"),
        ("call/compute", b'{"data": ["\xff"]}', 400, "The body must be JSON: 'utf-8' codec can't decode byte 0xff"),
        ("call/compute", b'{"data": [' + b"1" * 5000 + b"]}", 400, "The body must be JSON: Exceeds the limit"),
        ("call/compute", b'{"data": ' + b"[" * 30 + b"]" * 30 + b"}", 400, "expected at most 16 levels"),
        ("call/compute", b"[" * 200_000 + b"]" * 200_000, 400, "nested too deeply: expected at most 16 levels"),
        ("call/compute", b'{"data": [' + b"[]," * 300_000 + b"1]}", 400, "more than 100,000 values"),
        ("call/compute", b'{"data": ["' + b"a" * (12 << 20) + b'"]}', 413, "larger than the limit of 10 MB"),
        ("queue/join", b" " * (40 << 20), 413, "larger than the limit of 10 MB: send less"),
        ("call/compute", IN_PIECES, 413, "larger than the limit of 10 MB"),
        ("upload", IN_PIECES, 413, "larger than the limit of 10 MB"),
        ("call/compute/none", None, 200, "404: Not Found"),
    ],
    ids=lambda value: str(value)[:24] if isinstance(value, str) else "",
)
def test_what_is_no_request_is_refused(served, path, body, status, message):
    page = served("bleu_multi")
    found, said = ask(page, path, body if body is not IN_PIECES else iter([b"a" * (1 << 20)] * 30))
    assert (found, message in said) == (status, True), said[:300]
    assert str(page.folder.parent) not in said
    assert ask_by_name(page, GOOD)[1].startswith("event: complete")
    assert page.troubles() == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'"' * (10 << 20), "more than 100,000 values"),
        (json.dumps({"data": [["a"], ["a"], {f"k{n}": 1 for n in range(110_000)}]}).encode(), "more than 100,000"),
        (b'{"data": ["' + b'\\"' * 200_000 + b'\\\\"], "a": [' + b'"\\\\",' * 120_000 + b'""]}', "more than 100,000"),
        (b'{"data": [["' + b'\\"' * (4 << 20) + b'"], ["a"], {}]}', "event_id"),  # quotes within a text are no values
    ],
    ids=["quotes", "keys", "texts of a backslash", "a text of quotes"],
)
def test_the_shape_of_a_body_costs_little_to_check(served, body, message):
    page = served("bleu_multi")
    before = page.seconds()
    for _ in range(3):
        assert message in ask(page, "call/compute", body)[1]
    assert (page.seconds() - before) / 3 < 0.5  # of processor time, in which nobody else is served: it was 1.4
    assert page.troubles() == []


def test_a_page_of_another_site_asks_in_vain(served):
    page = served("bleu_multi")
    own, event = page.address, {"data": GOOD}
    for origin in ("https://evil.example", "null", own.replace("http://", "http://a."), f"{own}0", "http://[", ""):
        for path in ("call/compute", "queue/join", "upload"):
            status, said = ask(page, path, event, Origin=origin)
            assert (status, json.loads(said)["detail"]) == (
                403,
                "This page takes no requests from pages of other sites.",
            )
    assert ask(page, "call/compute", event, Origin=own)[0] == 200
    assert ask(page, "call/compute", event)[0] == 200  # a program
    # behind the proxy of the Hub, whose frame shows the page under its own address
    space = {"Origin": "https://owner-name.hf.space", "X-Forwarded-Host": "owner-name.hf.space"}
    assert ask(page, "call/compute", event, **space)[0] == 200
    assert page.troubles() == []


@pytest.mark.long
def test_requests_leave_nothing_behind(served):
    page = served("bleu_multi")
    held = []
    for number in range(70):
        _, said = ask_by_name(page, [["a" * 4_900_000, str(number)], ["a", "b"]])
        assert "A text has 4,900,000 characters" in said
        held.append(page.memory())
    assert held[-1] - held[-30] < 98  # these thirty are 147 MB; the first ones show how much is used at a time


def test_uploads_have_a_bound_alone_and_together(served):
    page = served("bleu_multi")
    frame = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a%d.tsv"\r\n\r\n%s\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    small, large = (frame % (1, b"a" * (size << 20)) + b"--x--\r\n" for size in (1, 12))
    many = b"".join(frame % (number, b"a" * (1 << 20)) for number in range(12)) + b"--x--\r\n"
    assert [ask(page, "upload", body, **kind)[0] for body in (small, large, many)] == [200, 413, 413]
    assert page.troubles() == []

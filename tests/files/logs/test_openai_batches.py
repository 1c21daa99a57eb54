"""Batches of OpenAI's API: answers in any order, joined with references and requests by their custom_id."""

import gzip
import json

import pytest

import tercet
from commands import command
from tercet.errors import InputError

IDS = ["q-1", "q-2", "q-3", "q-4"]
ASKED = ["Der Hund schläft.", "Идёт дождь.", "猫が好き", "القطة تشرب الحليب"]
REFERENCES = ["The dog is sleeping.", "It is raining.", "I like cats.", "The cat drinks milk."]
BASE = ["A dog sleeps.", "Rain.", "Cats? I like them", "The cat drinks."]
TUNED = ["The dog is asleep.", "It is raining.", "I like cats", "The cat drinks milk."]


def completion(*texts, **body):
    choices = [{"index": n, "message": {"role": "assistant", "content": text}} for n, text in enumerate(texts)]
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-x", "choices": choices, **body}


def answer(custom_id, body, status=200, **parts):
    response = {"status_code": status, "request_id": "req", "body": body}
    return {"id": f"batch_req_{custom_id}", "custom_id": custom_id, "response": response, "error": None, **parts}


def write(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path):
    for name, texts in {"base": BASE, "tuned": TUNED}.items():
        rows = [answer(custom_id, completion(text)) for custom_id, text in zip(IDS, texts, strict=True)]
        write(tmp_path / f"{name}.jsonl", rows[::-1])
    messages = [[{"role": "system", "content": "Translate."}, {"role": "user", "content": text}] for text in ASKED]
    requests = [
        {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": {"messages": chat}}
        for custom_id, chat in zip(IDS, messages, strict=True)
    ]
    write(tmp_path / "input.jsonl", requests)
    rows = zip(IDS, REFERENCES, ["news", "news", "chat", "chat"], strict=True)
    write(tmp_path / "refs.jsonl", [{"custom_id": name, "reference": text, "topic": on} for name, text, on in rows])
    return tmp_path


def read(*paths, references="refs.jsonl", folder, **options):
    references = [] if references is None else folder / references
    (found,) = tercet.read_test_sets([folder / path for path in paths], references=references, **options)
    return found


def refusal(*paths, **options):
    with pytest.raises(InputError) as caught:
        read(*paths, **options)
    return str(caught.value)


def test_each_output_is_a_system_and_segments_are_in_the_order_of_the_references(folder):
    found = read("base.jsonl", "tuned.jsonl", folder=folder)
    assert (found.name, found.systems) == ("refs", {"base": BASE, "tuned": TUNED})
    assert (found.references, found.source) == ([[text] for text in REFERENCES], None)
    assert found.fields == (
        "refs: logs of OpenAI batches: base, tuned: predictions from response; references from reference; samples "
        "joined by custom_id."
    )


def test_the_command(folder):
    paths = [folder / "base.jsonl", folder / "tuned.jsonl"]
    out = command("compare", *paths, "-r", folder / "refs.jsonl", "-m", "chrf", "--format", "json").stdout
    (test_set,) = json.loads(out)["test_sets"]
    assert (test_set["test_set"], test_set["n_segments"], test_set["baseline"]) == ("refs", 4, "base")
    assert "note: refs: log of OpenAI batches" in command("score", paths[0], "-r", folder / "refs.jsonl").stderr


@pytest.mark.parametrize("way", ["beside", "source", "table"])
def test_what_was_asked_is_the_source(folder, way):
    rows = zip(IDS, ASKED, strict=True)
    (folder / "asked.tsv").write_text("id\tsource\n" + "".join(f"{name}\t{text}\n" for name, text in rows))
    beside = ["input.jsonl"] if way == "beside" else []
    source = {"source": folder / "input.jsonl", "table": folder / "asked.tsv"}.get(way)
    found = read("base.jsonl", *beside, "tuned.jsonl", folder=folder, source=source)
    assert (found.source, list(found.systems)) == (ASKED, ["base", "tuned"])
    assert "sources from request" in found.fields


def test_the_table_of_references_may_have_sources_several_references_and_slices(folder):
    rows = [
        {"id": number, "src": text, "ref A": reference, "ref B": reference.lower(), "topic": "x"}
        for number, (text, reference) in enumerate(zip(ASKED, REFERENCES, strict=True))
    ]
    write(folder / "table.jsonl", rows)
    write(folder / "numbers.jsonl", [answer(str(n), completion(text)) for n, text in enumerate(BASE)])
    found = read("numbers.jsonl", references="table.jsonl", folder=folder, by="topic")
    assert found.references == [[text, text.lower()] for text in REFERENCES]
    assert (found.source, found.slices) == (ASKED, {"topic": ["x"] * 4})
    found = read("numbers.jsonl", references="table.jsonl", folder=folder, reference_columns="ref B")
    assert found.references == [[text.lower()] for text in REFERENCES]


def test_several_tables_of_references_and_answers_of_another_model_as_such(folder):
    (found,) = tercet.read_test_sets(
        folder / "base.jsonl", references=[folder / "refs.jsonl", folder / "tuned.jsonl"]
    )
    assert found.references == [list(pair) for pair in zip(REFERENCES, TUNED, strict=True)]
    assert "references from reference, response of " in found.fields


def test_the_only_texts_are_references_and_so_is_the_only_column(folder):
    rows = [f"{name}\t{text}\t{number}" for number, (name, text) in enumerate(zip(IDS, REFERENCES, strict=True))]
    (folder / "refs.tsv").write_text("\n".join(["id\tcontent\tline", *rows, ""]), encoding="utf-8")
    assert read("base.jsonl", references="refs.tsv", folder=folder).references == [[text] for text in REFERENCES]
    rows = [f"{name}\t{number}" for number, name in enumerate(IDS)]
    (folder / "refs.tsv").write_text("\n".join(["id\tanswer", *rows, ""]), encoding="utf-8")
    assert read("base.jsonl", references="refs.tsv", folder=folder).references == [["0"], ["1"], ["2"], ["3"]]


def test_references_in_another_encoding(folder):
    rows = "".join(
        f"{name}\t{text}\n" for name, text in zip(IDS, ["Schön.", "Es regnet.", "ja", "nein"], strict=True)
    )
    (folder / "refs.tsv").write_bytes(f"id\treference\n{rows}".encode("latin-1"))
    found = read("base.jsonl", references="refs.tsv", folder=folder, encoding="latin-1")
    assert found.references[0] == ["Schön."]


def test_metrics_of_predictions_alone_need_no_references(folder):
    found = read("base.jsonl", "input.jsonl", references=None, folder=folder, need_references=False)
    assert (found.name, found.systems, found.source) == ("batch", {"base": BASE[::-1]}, ASKED[::-1])


def test_answers_of_other_endpoints(folder):
    bodies = [
        {"object": "response", "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": text} for text in ("A dog ", "sleeps.")]},
        ]},
        {"object": "text_completion", "choices": [{"text": "Rain.", "index": 0}]},
        completion([{"type": "text", "text": "Cats? "}, {"type": "text", "text": "I like them"}]),
        completion("The cat drinks."),
    ]  # fmt: skip
    write(folder / "mixed.jsonl", [answer(name, body) for name, body in zip(IDS, bodies, strict=True)])
    assert read("mixed.jsonl", folder=folder).systems == {"mixed": BASE}


def test_several_choices_are_repeats_and_an_answer_without_text_is_empty(folder):
    call = completion(None)
    refused = {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]}
    bodies = [completion("a", "b"), completion("c", "d"), call, refused]
    write(folder / "two.jsonl", [answer(name, body) for name, body in zip(IDS, bodies, strict=True)])
    found = read("two.jsonl", folder=folder)
    assert found.systems == {"two": ["a", "b", "c", "d", "", ""]}
    assert found.clusters.to_dict() == {"by": "sample id", "number": 4, "sizes": [1, 2]}


def test_each_of_several_choices_may_fail_or_be_cut_off(folder):
    texts_and_endings = (
        [("a", "stop"), ("b", "length")],
        [("c", "length"), ("d", "length")],
        [("", "length"), ("e", "stop")],
    )
    rows = []
    for custom_id, choices in zip(IDS, texts_and_endings, strict=False):
        body = completion(*(text for text, _ in choices))
        for choice, (_, ending) in zip(body["choices"], choices, strict=True):
            choice["finish_reason"] = ending
        rows.append(answer(custom_id, body))
    write(folder / "two.jsonl", [*rows, answer(IDS[3], {}, 500)])
    with pytest.warns(UserWarning, match="1 of 4 requests failed"):
        found = read("two.jsonl", folder=folder)
    assert found.systems == {"two": ["a", "b", "c", "d", "", "e"]}
    assert (found.lost, found.n_all) == ({"two": {"missing": 2, "cut off": 3}}, 8)


def test_a_run_is_called_as_its_file_or_where_that_says_nothing_as_its_model(folder):
    (folder / "base.jsonl").rename(folder / "batch_68ab_output.jsonl")
    assert list(read("batch_68ab_output.jsonl", folder=folder).systems) == ["gpt-x"]
    (folder / "batch_68ab_output.jsonl").rename(folder / "prompt-2.jsonl.gz")
    packed = gzip.compress((folder / "prompt-2.jsonl.gz").read_bytes())
    (folder / "prompt-2.jsonl.gz").write_bytes(packed)
    assert read("prompt-2.jsonl.gz", folder=folder).systems == {"prompt-2": BASE}


def test_requests_that_failed_are_left_out_and_counted(folder):
    rows = [
        answer("q-1", {"error": {"message": "Rate limit reached", "code": "429"}}, 429),
        answer("q-2", completion("Rain.")),
        {"id": "b", "custom_id": "q-3", "response": None, "error": {"code": "batch_expired", "message": "too late"}},
        answer("q-4", {}, 500),
    ]
    write(folder / "failing.jsonl", rows)
    expected = r"failing.jsonl: 3 of 4 requests failed, the first on line 1, 'q-1': 'Rate limit reached': left out\."
    with pytest.warns(UserWarning, match=expected) as caught:
        assert read("failing.jsonl", folder=folder).systems == {"failing": ["Rain."]}
    assert len(caught) == 1
    write(folder / "failing.jsonl", rows[2:])
    assert "2 of 2 requests failed, the first on line 1, 'q-3': 'too late'; expected answers." in refusal(
        "failing.jsonl", folder=folder
    )
    write(folder / "failing.jsonl", rows[2:3])
    assert "1 of 1 requests failed" in refusal("failing.jsonl", folder=folder)


def test_what_has_no_answer_or_no_reference_is_left_out_and_counted(folder):
    write(folder / "few.jsonl", [{"id": name, "text": text} for name, text in zip(["q-2", "x"], "ab", strict=True)])
    with (
        pytest.warns(
            UserWarning, match=r"few.jsonl: 1 of 2 ids have no row in .*base.jsonl, the first is 'x': not scored\."
        ),
        pytest.warns(UserWarning, match=r"base.jsonl: 3 of 4 ids have no row in .*few.jsonl, the first is 'q-4'"),
    ):
        assert read("base.jsonl", references="few.jsonl", folder=folder).references == [["a"]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([answer("q-1", completion("a"))] * 2, "line 2, column 'custom_id': 'q-1' occurs on line 1 too;"),
        ([answer(None, completion("a"))], "line 1, column 'custom_id': expected the id of a request, got None"),
        ([answer(["q"], completion("a"))], "expected the id of a request, got ['q']"),
        ([answer("q-1", {"data": [{"embedding": [1]}]})], "expected choices (of chat completions) or output (of"),
        ([answer("q-1", {"choices": []})], "line 1, custom_id 'q-1': expected choices"),
        ([answer("q-1", {"choices": [None]})], "line 1, custom_id 'q-1': expected choices"),
        ([answer("q-1", completion({"a": 1}))], "the content of the answer ("),
        ([answer("q-1", completion(3))], "must be a string or a list of parts with type and text, got 3 (int)"),
        ([answer("q-1", completion("a")), answer("q-2", None)], "line 2, custom_id 'q-2': expected an object with"),
        ([answer("q-1", completion("a")), answer("q-2", None, response="b")], "a body in 'response', got 'b'"),
        ([answer("z", completion("a"))], "has none of the ids of "),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(folder, rows, message):
    write(folder / "bad.jsonl", rows)
    assert message in refusal("bad.jsonl", folder=folder)


def test_files_that_do_not_belong_together_are_named(folder):
    assert "base.jsonl holds answers alone; expected references in a table with their custom_id or id" in refusal(
        "base.jsonl", references=None, folder=folder
    )
    assert "input.jsonl is the input of a batch, not references: give it beside the output" in refusal(
        "base.jsonl", references="input.jsonl", folder=folder
    )
    assert "input.jsonl' is the input of a batch; expected its output" in refusal("input.jsonl", folder=folder)
    (folder / "refs.txt").write_text("a\n")
    assert "refs.txt' is a text file, whose lines have no ids" in refusal(
        "base.jsonl", references="refs.txt", folder=folder
    )
    assert "refs.jsonl' is neither the output nor the input of a batch" in refusal(
        "base.jsonl", "refs.jsonl", folder=folder, references=None
    )
    (folder / "a.tsv").write_text("mt\tref\na\tb\n")
    message = refusal("a.tsv", "base.jsonl", references=None, folder=folder)
    assert "base.jsonl' is of a batch, and " in message
    assert message.endswith("a.tsv' is not; give batches alone.")
    (folder / "refs.tsv").write_text("name\tref\nq-1\ta\n")
    assert (
        "refs.tsv has no column 'custom_id' or 'id' with the ids of answers of a batch; there are 'name'"
        in refusal("base.jsonl", references="refs.tsv", folder=folder)
    )
    (folder / "refs.tsv").write_text("id\tmt\tnmt\nq-1\ta\tb\n")
    assert "refs.tsv: no column was recognized as references" in refusal(
        "base.jsonl", references="refs.tsv", folder=folder
    )
    assert "has no column 'reff'" in refusal("base.jsonl", reference_columns="reff", folder=folder)
    assert "has no column 'sauce'" in refusal("base.jsonl", source_column="sauce", folder=folder)
    request = {"custom_id": "q-9", "url": "/v1/responses", "body": {"input": "?"}}
    write(folder / "other.jsonl", [request])
    assert "other.jsonl has no request 'q-" in refusal("base.jsonl", "other.jsonl", folder=folder)
    write(folder / "other.jsonl", [request, {"custom_id": "q", "url": "/v1/responses", "body": 3}])
    assert "line 2, column 'body': expected the object of a request, got 3" in refusal(
        "base.jsonl", "other.jsonl", folder=folder
    )


def test_other_tables_with_such_columns_stay_tables(folder):
    write(folder / "table.jsonl", [{"custom_id": "a", "response": "b", "reference": "c", "error": None}])
    found = read("table.jsonl", references=None, folder=folder)
    assert (found.name, found.systems) == ("table", {"response": ["b"]})

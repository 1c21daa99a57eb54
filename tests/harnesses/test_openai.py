"""Answers as the client of OpenAI's API writes them are read from the output of a batch."""

import json

import pytest

import tercet
from harness_texts import PREDICTIONS, SEVERAL

openai = pytest.importorskip("openai")


def completion(text):
    from openai.types.chat import ChatCompletion

    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}
    body = {"id": "chatcmpl-1", "created": 1, "model": "gpt-x", "object": "chat.completion", "choices": [choice]}
    return ChatCompletion.model_validate(body)


def response(text):
    from openai.types.responses import Response

    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    return Response.model_validate({
        "id": "resp_1", "created_at": 1, "model": "gpt-x", "object": "response", "parallel_tool_calls": True,
        "output": [{"id": "r", "type": "reasoning", "summary": []}, message], "tool_choice": "auto", "tools": [],
    })  # fmt: skip


@pytest.mark.parametrize("answer", [completion, response])
def test_its_types_of_answers(tmp_path, answer):
    bodies = [answer(text) for text in PREDICTIONS]
    lines = [
        {"id": f"batch_req_{n}", "custom_id": f"q-{n}", "error": None,
         "response": {"status_code": 200, "request_id": "req", "body": body.model_dump(mode="json")}}
        for n, body in enumerate(bodies)
    ]  # fmt: skip
    (tmp_path / "tuned.jsonl").write_text("".join(json.dumps(line) + "\n" for line in reversed(lines)))
    rows = [{"custom_id": f"q-{n}", "references": texts} for n, texts in enumerate(SEVERAL)]
    (tmp_path / "refs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = tercet.read_test_sets(tmp_path / "tuned.jsonl", references=tmp_path / "refs.jsonl")
    assert (found.systems, found.references) == ({"tuned": PREDICTIONS}, SEVERAL)

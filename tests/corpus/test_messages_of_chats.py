"""What is a chat, which of its messages is the text of a cell, and when an assistant may be silent."""

import pytest

from tercet import InputError
from tercet.corpus.chats import content_text, is_chat, reply_text, texts_of_chats

ASKED = {"role": "user", "content": "Wo liegt der Hafen?"}
SAID = {"role": "assistant", "content": "на севере"}
SILENT = {"role": "assistant", "content": None}


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (ASKED, True),
        ([ASKED], True),
        ([ASKED, SAID], True),
        ([SAID, {"role": "tool"}], True),
        ([{"role": "assistant", "tool_calls": []}], True),
        ([], False),
        ({}, False),
        ((ASKED, SAID), False),
        ([{"role": "user"}], False),
        ([{"content": "猫"}], False),
        ([{"role": 1, "content": "猫"}], False),
        ([ASKED, "猫"], False),
        ("猫", False),
        (None, False),
    ],
)
def test_a_chat_is_a_list_of_messages_with_roles_of_which_one_has_content_or_what_stands_for_it(cell, expected):
    assert is_chat(cell) is expected


def test_a_column_of_chats_has_what_the_assistant_said_last_and_other_cells_stay():
    cells = [[ASKED, SAID, ASKED], SAID, "猫", None, [SAID, {**SAID, "content": "zuletzt"}]]
    names = [f"line {number}" for number in range(1, 6)]
    assert texts_of_chats(cells, names) == ["на севере", "на севере", "猫", None, "zuletzt"]


def test_a_column_of_prompts_has_the_last_message():
    further = {"role": "system", "content": "kurz"}
    assert texts_of_chats([[ASKED], [further, ASKED], [ASKED, further], further], ["a", "b", "c", "d"]) == [
        ASKED["content"],
        ASKED["content"],
        "kurz",
        "kurz",
    ]


@pytest.mark.parametrize(
    "chat",
    [[ASKED], [SAID, SILENT], SILENT, [ASKED, {"role": "assistant"}], [{"role": "assistant", "tool_calls": []}]],
)
def test_beside_answers_a_chat_without_one_is_named(chat):
    with pytest.raises(InputError, match=r"^line 2: expected a chat in which the assistant says a text last, got "):
        texts_of_chats([[ASKED, SAID], chat], ["line 1", "line 2"])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, None),
        ("猫", "猫"),
        ("", ""),
        ([], None),
        ([{"type": "image"}], None),
        ([{"type": "image", "text": None}, {"text": "на "}, {"text": "севере"}], "на севере"),
        ([{"text": ""}], ""),
    ],
)
def test_parts_of_a_message_are_joined(content, expected):
    assert content_text(content, "line 1") == expected


@pytest.mark.parametrize("content", [5, {"text": "x"}, ["猫"], [{"text": "x"}, "猫"], [{"text": 5}]])
def test_what_is_no_content_is_named(content):
    with pytest.raises(InputError, match=r"^the content of line 1 must be a string or a list of parts"):
        content_text(content, "line 1")


@pytest.mark.parametrize(
    "message",
    [
        *(
            {**SILENT, key: "x"}
            for key in ("tool_calls", "function_call", "refusal", "reasoning_content", "reasoning")
        ),
        {**SILENT, "content": []},
        {**SILENT, "content": [{"type": "tool_use"}, {"type": "tool_call", "text": None}]},
    ],
)
def test_a_call_of_a_tool_or_a_refusal_is_empty_where_that_may_be(message):
    assert reply_text([SAID, ASKED, message], "item 3", may_be_silent=True) == ""
    for call in (lambda: reply_text([SAID, message], "item 3"), lambda: reply_text([message], "item 3", False)):
        with pytest.raises(InputError, match=r"^the last message of the assistant in item 3 must have a text, got "):
            call()


@pytest.mark.parametrize(
    "message",
    [SILENT, {**SILENT, "tool_calls": []}, {**SILENT, "content": [{"type": "tool_use"}, {"type": "image"}]}],
)
def test_silence_without_a_reason_is_an_error(message):
    with pytest.raises(InputError, match="must have a text"):
        reply_text([SAID, message], "item 3", may_be_silent=True)


def test_what_was_said_before_a_question_counts():
    assert reply_text([SAID, {**SAID, "content": "да"}, ASKED], "item 3") == "да"
    assert reply_text("猫", "item 3") == "猫"

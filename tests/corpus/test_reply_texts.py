"""Chats as references: lists of messages, of which the assistant's last one counts."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tercet
from tercet import InputError

TEXTS = ["дом стоит на горе", "猫 坐 在 垫子 上", "the cat sat down"]
REFERENCES = ["дом стоит на холме", "猫 躺 在 垫子 上", "the cat lay down"]
ASKED = {"role": "user", "content": "the cat sat down"}


def said(text):
    return {"role": "assistant", "content": text}


def parts(text):
    """Return a message whose text is in parts, as that of a model of images may be."""
    return said([{"type": "image", "url": "cat.png"}, {"type": "text", "text": text}])


CHATS = [[ASKED, said("no"), ASKED, said(text)] for text in REFERENCES]
ARROW = [[{**ASKED}, said(text)] for text in REFERENCES]

#: The references of each item, as their users may have them.
KINDS = {
    "chats": CHATS,
    "tuples": tuple(map(tuple, CHATS)),
    "a message each": [said(text) for text in REFERENCES],
    "texts in parts": [[ASKED, parts(text)] for text in REFERENCES],
    "a list with a chat": [[chat] for chat in CHATS],
    "chats beside lists of texts": [CHATS[0], [REFERENCES[1]], (REFERENCES[2],)],
    "a Series": pd.Series(CHATS),
    "an array of objects each": [np.array(chat, dtype=object) for chat in CHATS],
    "arrow": pa.array(ARROW),
    "pandas of arrow": pa.table({"answers": ARROW}).to_pandas()["answers"],
}


@pytest.mark.parametrize("metric", ["bleu_multi", "chrf", "wer"])
@pytest.mark.parametrize("kind", KINDS)
def test_of_any_kind_are_the_texts_that_the_assistant_says_last(metric, kind):
    expected = tercet.score(metric, TEXTS, REFERENCES)
    assert tercet.score(metric, TEXTS, KINDS[kind]) == expected
    assert expected != tercet.score(metric, TEXTS, TEXTS)


def test_several_of_an_item_are_several_references():
    pairs = [[text, other] for text, other in zip(REFERENCES, TEXTS, strict=True)]
    chats = [[[ASKED, said(text)], [said(other)]] for text, other in pairs]
    mixed = [[text, [said(other)]] for text, other in pairs]
    expected = tercet.score("chrf", TEXTS, pairs)
    assert tercet.score("chrf", TEXTS, chats) == tercet.score("chrf", TEXTS, mixed) == expected
    assert expected["chrf"] == pytest.approx(100)


def test_explain_and_systems_of_a_comparison_take_them_too():
    assert str(tercet.explain("chrf", TEXTS[0], CHATS[0])) == str(tercet.explain("chrf", TEXTS[0], REFERENCES[0]))
    systems = {"a": TEXTS, "b": REFERENCES}
    of_chats, of_texts = (
        tercet.compare(systems, references=references, metrics=["chrf"]) for references in (CHATS, REFERENCES)
    )
    assert str(of_chats) == str(of_texts)


def test_items_without_a_reference_stay_without_one():
    found = tercet.score("chrf", TEXTS, [CHATS[0], None, CHATS[2]], missing_references="skip")
    expected = tercet.score("chrf", [TEXTS[0], TEXTS[2]], [REFERENCES[0], REFERENCES[2]])
    assert found["chrf"] == expected["chrf"]
    assert found.missing_references == 1


@pytest.mark.parametrize(
    ("chat", "message"),
    [
        ([said(None)], "the last message of the assistant in item 1 of references must have a text, got"),
        (
            [ASKED, {"role": "assistant"}],
            "the last message of the assistant in item 1 of references must have a text",
        ),
        ([said([{"type": "image", "url": "cat.png"}])], "in item 1 of references must have a text"),
        ([said([])], "in item 1 of references must have a text"),
        ([ASKED], "item 1 of references must have a message of the assistant, got [{'role': 'user'"),
        ([said(5)], "the content of item 1 of references must be a string or a list of parts with type and text"),
        ([{"content": "дом"}], "item 1 of references must be a string or a list of messages with role and content"),
        ([said("дом"), "дом"], "item 1 of references must be a string or a list of messages with role and content"),
        ([["дом"], [said("дом")]], "must be a string, got ['дом'] (list)"),
        ([[ASKED], [said("дом")]], "a reference of item 1 of references must have a message of the assistant"),
    ],
)
def test_without_a_text_are_refused_and_named(chat, message):
    with pytest.raises(InputError) as caught:
        tercet.score("chrf", TEXTS, [CHATS[0], chat, CHATS[2]])
    assert message in str(caught.value)

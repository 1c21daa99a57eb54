"""Chats in cells, and objects of systems, are read as in rewards; a chat without a text names its line and column."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.corpus.chats import is_chat, texts_of_chats
from tercet.errors import InputError
from tercet.rewards.texts import completion_texts

ASKED = {"role": "user", "content": "Übersetze: O mar está calmo."}
TEXTS = ["Das Meer ist ruhig.", "Der Hafen ist leer.", "", "船は港にいる。"]


def said(text):
    return {"role": "assistant", "content": text}


#: Forms in which a text is written.
FORMS = {
    "a message of the assistant": lambda text: [said(text)],
    "a chat": lambda text: [{"role": "system", "content": "Be brief."}, ASKED, said("Hm."), ASKED, said(text)],
    "parts": lambda text: [ASKED, said([{"type": "text", "text": text[:3]}, {"type": "text", "text": text[3:]}])],
    "a part that is no text": lambda text: [said([{"type": "image", "url": "x"}, {"type": "text", "text": text}])],
    "a message": said,
    "a tool after it": lambda text: [said(text), {"role": "tool", "content": "4"}],
}


def read(path, rows, **options):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    (found,) = tercet.read_test_sets(path, **options)
    return found


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_the_assistant_said_last_is_the_text(form, tmp_path):
    rows = [{"prompt": [ASKED], "output": form(text), "expected": form(text + "!")} for text in TEXTS]
    found = read(tmp_path / "a.jsonl", rows)
    assert found.systems == {"output": TEXTS}
    assert found.references == [[text + "!"] for text in TEXTS]
    assert found.source == [ASKED["content"]] * len(TEXTS)


@pytest.mark.parametrize("form", [*FORMS.values(), lambda text: [text], str], ids=[*FORMS, "a list", "a text"])
def test_systems_may_stand_in_an_object(form, tmp_path):
    rows = [{"reference": text + "?", "outputs": {"base": form(text), "tuned": form(text + ".")}} for text in TEXTS]
    found = read(tmp_path / "a.jsonl", rows)
    assert found.systems == {"base": TEXTS, "tuned": [text + "." for text in TEXTS]}
    assert found.references == [[text + "?"] for text in TEXTS]


def test_chats_of_parquet(tmp_path):
    table = pa.table({"ref": TEXTS, "completion": [[ASKED, said(text)] for text in TEXTS]})
    pq.write_table(table, tmp_path / "a.parquet")
    (found,) = tercet.read_test_sets(tmp_path / "a.parquet")
    assert found.systems == {"completion": TEXTS}


def test_a_chat_without_a_text_names_its_line_and_column(tmp_path):
    for wrong in (
        [ASKED], [said(None)], [{"role": "assistant", "tool_calls": [], "refusal": "no"}, ASKED],
        [said([{"type": "image", "url": "x"}])], [said([])],
    ):  # fmt: skip
        rows = [{"ref": "ein", "output": [said("eins")]}, {"ref": "zwei", "output": wrong}]
        with pytest.raises(
            InputError, match=r"a\.jsonl, line 2, column 'output': expected a chat in which the assistant says"
        ):
            read(tmp_path / "a.jsonl", rows)
        rows = [{"ref": "ein", "outputs": {"base": [said("eins")]}}, {"ref": "zwei", "outputs": {"base": wrong}}]
        with pytest.raises(
            InputError, match=r"a\.jsonl, line 2, column 'outputs\.base': expected a chat in which the assistant"
        ):
            read(tmp_path / "a.jsonl", rows)
    with pytest.raises(InputError, match=r"the content of .*a\.jsonl, line 1, column 'output' must be a string or a"):
        read(tmp_path / "a.jsonl", [{"ref": "ein", "output": [said(["eins"])]}])


def test_other_lists_and_objects_stay_what_they_are():
    for value in (
        "text",
        None,
        [],
        ["a"],
        {},
        {"a": "b"},
        [{"text": "a"}],
        [{"role": 1, "content": "a"}],
        {"role": "a"},
    ):
        assert not is_chat(value)


messages = st.builds(
    lambda role, content: {"role": role, "content": content},
    st.sampled_from(["user", "system", "assistant"]),
    st.text() | st.lists(st.builds(lambda text: {"type": "text", "text": text}, st.text()), min_size=1),
)


@given(st.lists(messages, min_size=1).filter(lambda chat: any(each["role"] == "assistant" for each in chat)))
def test_files_and_rewards_read_the_same(chat):
    assert texts_of_chats([chat], ["line 1"]) == completion_texts([chat])


class TestAnswersOfSquad:
    """Questions may have several answers, each with the position in its passage."""

    ANSWERS = (["im Hafen", "Hafen"], ["昨天"], [])

    def written(self, form):
        """Return the answers as datasets and as SQuAD itself write them."""
        if form == "an object of lists":
            return [{"text": texts, "answer_start": [0] * len(texts)} for texts in self.ANSWERS]
        return [[{"text": text, "answer_start": 0} for text in texts] for texts in self.ANSWERS]

    @pytest.mark.parametrize(
        ("form", "ending"),
        [("an object of lists", "jsonl"), ("an object of lists", "parquet"), ("a list of objects", "jsonl")],
    )
    def test_are_references(self, tmp_path, form, ending):
        path = tmp_path / f"squad.{ending}"
        columns = {"question": ["Wo?", "いつ?", "Why?"], "answers": self.written(form), "prediction_text": TEXTS[:3]}
        if ending == "parquet":
            pq.write_table(pa.table(columns), path)
            (found,) = tercet.read_test_sets(path)
        else:
            found = read(path, [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])
        assert found.references == [*self.ANSWERS]
        assert found.systems == {"prediction_text": TEXTS[:3]}
        assert found.source == columns["question"]

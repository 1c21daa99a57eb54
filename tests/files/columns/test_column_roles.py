"""The roles of columns: whole names decide, parts of names do not, and what columns hold confirms it."""

import csv
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.errors import InputError
from tercet.files.columns.name_roles import name_role
from tercet.files.columns.roles import guess_roles
from tercet.files.table import Table
from tercet.test_sets.read import read_test_sets

REFERENCES = [
    "Der Hafen ist heute ruhig.",
    "Das Boot fährt nach Norden.",
    "Wir warten auf den Zug.",
    "Es regnet seit Montag.",
    "Кошка спит на окне.",
    "今天下雨了,我们回家。",
]
BASE = [
    "Der Hafen ist ruhig.",
    "Ein Boot fährt nach Norden.",
    "Wir warten auf Züge.",
    "Seit Montag regnet es.",
    "Кошка на окне.",
    "今天下雨,我们回家。",
]
TUNED = [
    "Hafen ist heute ruhig.",
    "Das Boot fährt Norden.",
    "Wir warten auf einen Zug.",
    "Es regnet seit Montag",
    "Кот спит на окне.",
    "今天下雨了,回家。",
]
ENGLISH = [
    "The harbour is calm today.",
    "The boat goes north.",
    "We wait for the train.",
    "It has rained since Monday.",
    "The cat sleeps at the window.",
    "It rained today, we go home.",
]
DOCUMENTS = ["news-a", "news-a", "news-a", "news-b", "news-b", "news-b"]


def roles(**columns):
    names = {name.replace("__", "-"): list(cells) for name, cells in columns.items()}
    return guess_roles(Table("news.csv", names, [*range(2, 2 + len(REFERENCES))]))


def write(path, columns):
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(columns))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("name", ["human-dpo", "label_smoothed", "gold-ft", "target-only", "T5-ref", "expected-rl"])
def test_a_part_of_a_name_is_no_role_beside_a_reference(name):
    found = guess_roles(Table("a.csv", {"reference": REFERENCES, "base": BASE, name: TUNED}, [*range(6)]))
    assert (found.references, found.systems, found.doubtful) == (("reference",), ("base", name), ())


@pytest.mark.parametrize(
    "name",
    ["human", "ref2", "gold_1", "target_text", "reference_de", "Referenzübersetzung", "参考译文 2", "gold standard"],
)
def test_a_whole_name_decides(name):
    assert name_role(name)[0::2] == ("reference", True)
    assert guess_roles(Table("a.csv", {name: REFERENCES, "base": BASE}, [*range(6)])).references == (name,)


@pytest.mark.parametrize("name", ["gold_v2", "reference-v3", "Referenz v2", "ref v2"])
def test_a_version_of_a_reference_is_one(name):
    found = guess_roles(Table("a.csv", {"gold": REFERENCES, name: TUNED, "base": BASE}, [*range(6)]))
    assert (found.references, found.systems, found.doubtful) == (("gold", name), ("base",), ())


@pytest.mark.parametrize("name", ["gold-t5", "gold_v2_dpo", "mt_v2", "summary_v2", "prompt_v2"])
def test_a_version_of_anything_else_is_a_system(name):
    found = guess_roles(Table("a.csv", {"reference": REFERENCES, name: TUNED, "base": BASE}, [*range(6)]))
    assert found.references == ("reference",)
    assert name in found.systems


@pytest.mark.parametrize("word", ["response", "output", "answer"])
@pytest.mark.parametrize("ending", ["json", "jsonl", "csv"])
def test_outputs_that_are_called_as_their_models(tmp_path, word, ending):
    columns = {"question": ENGLISH, "answer": REFERENCES, f"gpt-4o_{word}": BASE, f"qwen2_{word}": TUNED}
    if ending == "csv":
        path = write(tmp_path / "a.csv", columns)
    else:
        rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        text = json.dumps(rows) if ending == "json" else "\n".join(map(json.dumps, rows))
        path = tmp_path / f"a.{ending}"
        path.write_text(text, encoding="utf-8")
    (test_set,) = read_test_sets(path)
    assert test_set.systems == {f"gpt-4o_{word}": BASE, f"qwen2_{word}": TUNED}
    assert (test_set.references, test_set.source) == ([[text] for text in REFERENCES], ENGLISH)


@pytest.mark.parametrize("name", ["previous_translation", "prev_mt", "Предыдущий перевод"])
def test_texts_of_an_earlier_state_are_no_system_in_silence(tmp_path, name):
    path = write(tmp_path / "a.csv", {"source": ENGLISH, "reference": REFERENCES, "mt": BASE, name: TUNED})
    with pytest.warns(UserWarning, match=f"'{name}' has texts of an earlier state, as its name says, unlike 'mt'"):
        (test_set,) = read_test_sets(path)
    assert list(test_set.systems) == ["mt"]
    (test_set,) = read_test_sets(path, systems=["mt", name])
    assert list(test_set.systems) == ["mt", name]


def test_texts_of_an_earlier_and_of_a_later_state_are_two_systems():
    assert roles(reference=REFERENCES, previous_mt=BASE, new_mt=TUNED).systems == ("previous_mt", "new_mt")
    assert roles(reference=REFERENCES, previous_translation=BASE).systems == ("previous_translation",)


def test_a_source_that_is_called_so_goes_before_what_may_be_one():
    found = roles(question=ENGLISH, source=ENGLISH, reference=REFERENCES, A=BASE)
    assert found.source == "source"
    assert roles(question=ENGLISH, reference=REFERENCES, A=BASE).source == "question"


def test_names_of_documents_are_no_sources(tmp_path):
    columns = {"doc": DOCUMENTS, "source": ENGLISH, "reference": REFERENCES, "A": BASE, "B": TUNED}
    (test_set,) = read_test_sets(write(tmp_path / "a.csv", columns))
    assert test_set.source == ENGLISH
    assert "'doc' names 2 documents of 6 segments." in test_set.hint
    # texts of documents are sources
    assert roles(doc=ENGLISH, reference=REFERENCES, A=BASE).source == "doc"


def test_labels_are_no_system(tmp_path):
    labels = ["a", "b", "tie", "a"] * 3
    columns = {"reference": REFERENCES * 2, "mt": BASE * 2, "verdict of anna": labels, "chosen": labels}
    path = write(tmp_path / "a.csv", columns)
    with pytest.warns(UserWarning, match=r"the column 'chosen' has few values of one word each, unlike 'mt'"):
        (test_set,) = read_test_sets(path)
    assert list(test_set.systems) == ["mt"]
    assert "'chosen'" in test_set.fields.partition("left out")[2]
    # the answers of a classifier are, beside references of the same kind
    columns = {"reference": labels, "mt": labels[::-1]}
    (test_set,) = read_test_sets(write(tmp_path / "b.csv", columns))
    assert list(test_set.systems) == ["mt"]


@pytest.mark.parametrize(
    ("columns", "systems", "references"),
    [
        ({"gold-ft": TUNED, "base": BASE}, ["base", "gold-ft"], []),
        ({"reference": REFERENCES, "ref_anna": TUNED, "base": BASE}, ["base", "ref_anna"], ["reference"]),
    ],
)
def test_two_readings_that_are_as_likely_are_an_error_with_both(tmp_path, columns, systems, references):
    path = write(tmp_path / "a.csv", columns)
    (doubtful,) = set(columns) - {"base", "reference"}
    with pytest.raises(InputError) as error:
        read_test_sets(path)
    message = str(error.value)
    assert f"it is not clear whether {doubtful!r} is a system or has references." in message
    of_references = f" reference_columns={references[0]!r}" if references else ""
    assert f"As systems: systems={systems!r}{of_references}." in message
    other_way = [*references, doubtful] if references else doubtful
    assert f"As references: systems='base' reference_columns={other_way!r}." in message
    (test_set,) = read_test_sets(path, systems=systems, reference_columns=references, need_references=False)
    assert list(test_set.systems) == systems
    (test_set,) = read_test_sets(path, systems="base", reference_columns=doubtful)
    assert test_set.references == [[text] for text in columns[doubtful]]


def test_a_part_of_a_name_that_says_a_source_or_a_remark_is_a_system_where_it_is_like_the_references():
    found = roles(reference=REFERENCES, base=BASE, src__bt=TUNED)
    assert (found.source, found.systems) == (None, ("base", "src-bt"))
    assert roles(reference=REFERENCES, base=BASE, src__news=ENGLISH).source == "src-news"
    found = roles(reference=REFERENCES, base=BASE, time__llm=TUNED)
    assert found.systems == ("base", "time-llm")
    assert roles(reference=REFERENCES, base=BASE, comment__of__anna=ENGLISH).systems == ("base",)


#: Tables as people name them: R for the references, S for systems, Q for sources, D for documents' labels.
TABLES = {
    "prompt=Q gold_answer=R policy_answer=S": "",
    "source=Q reference=R alt_reference=R gemma=S": "",
    "prompt=Q target=R target_alt=R m1=S": "",
    "dialogue=Q topic=Q summary=R bart_summary=S": "topic",
    "question=Q answer=S ground_truth=R contexts=Q": "contexts",
    "question=Q answer_a=S answer_b=S reference_answer=R": "",
    "question=Q best_answer=R correct_answers=R incorrect_answers=Q gpt-j=S": "incorrect_answers",
    "article=Q summary_ref=R summary_gpt=S": "",
    "src=Q mt=S pe=R": "",
    "Ausgangstext=Q Zieltext=R DeepL=S": "",
    "Original=Q Übersetzung_Mensch=R ChatGPT=S": "",
    "Texto_original=Q Traducción_humana=R ChatGPT=S": "",
    "Оригинал=Q Перевод_человека=R GPT=S": "",
    "问题=Q 标准答案=R 通义=S": "",
    "orig=Q human_ref=R para_t5=S": "",
    "prompt=Q reference=R gpt-4o=S gpt-4o_explanation=S": "gpt-4o_explanation",
    "sentence=Q corrected=R gector=S": "",
    "input=Q target=R ExpectedAttention=S ErrorCorrector=S": "",
    "id=Q source=Q reference=R multi-source=S score-distill=S min-error-rate=S": "id",
}


@pytest.mark.parametrize("columns", TABLES)
def test_tables_as_people_name_them(columns):
    cells = {"Q": ENGLISH, "R": REFERENCES, "S": TUNED}
    roles_of = dict(column.replace("_", " ").rsplit("=", 1) for column in columns.split())
    found = guess_roles(Table("a.csv", {name: cells[role] for name, role in roles_of.items()}, [*range(6)]))
    left_out = TABLES[columns].replace("_", " ")
    expected = {role: {name for name in roles_of if roles_of[name] == role and name != left_out} for role in "QRS"}
    assert {found.source} <= expected["Q"] | {None}
    assert ({*found.references}, {*found.systems}, found.doubtful) == (expected["R"], expected["S"], ())


@pytest.mark.parametrize("name", ["reference_model", "ref_model_answer", "ref-policy"])
def test_a_reference_model_is_asked_about_beside_references(name):
    columns = {"ref": REFERENCES, name: BASE, "policy": TUNED}
    assert guess_roles(Table("a.csv", columns, [*range(6)])).doubtful == (name,)


def test_where_there_is_no_other_system_nothing_is_doubtful():
    found = guess_roles(Table("a.csv", {"ref": REFERENCES, "ref_gpt4": BASE, "ref_llama": TUNED}, [*range(6)]))
    assert (found.systems, found.doubtful) == (("ref_gpt4", "ref_llama"), ())


def test_a_table_without_columns_says_that_there_are_none(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("{}\n{}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"no column was recognized as .*; there is none\. 'tercet read'"):
        read_test_sets(path)


def test_labels_are_no_references_of_texts():
    columns = {"text": ENGLISH * 2, "label": ["pos", "neg", "neu", "pos"] * 3, "model_a": BASE * 2}
    found = guess_roles(Table("a.csv", columns, [*range(12)]))
    assert (found.references, found.systems) == ((), ("model_a",))
    assert found.reasons["label"] == "has few values of one word each"


def test_a_human_translation_of_a_long_table_may_be_the_reference(tmp_path):
    rows = ["segment\tsystem\tsource\ttext"]
    for name, texts in {"human": REFERENCES, "gpt-4": BASE, "deepl": TUNED}.items():
        for number, (source, text) in enumerate(zip(ENGLISH, texts, strict=True)):
            rows.append(f"{number}\t{name}\t{source}\t{text}")
    path = tmp_path / "wmt.tsv"
    path.write_text("\n".join(rows), encoding="utf-8")
    (test_set,) = read_test_sets(path, reference_columns="human")
    assert (test_set.systems, test_set.references) == ({"gpt-4": BASE, "deepl": TUNED}, [[t] for t in REFERENCES])


def test_each_column_has_a_reason(tmp_path):
    columns = {
        "id": [str(number) for number in range(6)],
        "reference": REFERENCES,
        "base": BASE,
        "human-dpo": TUNED,
        "language": ["de"] * 6,
    }
    (test_set,) = read_test_sets(write(tmp_path / "a.csv", columns))
    assert {one.column: (one.role, one.reason) for one in test_set.columns} == {
        "id": ("left out", "holds numbers, dates, ids or hashes"),
        "reference": ("reference", "its name says 'reference'"),
        "base": ("system", "its name says no other role"),
        "human-dpo": (
            "system",
            "its name says 'human', and more, and another column has the references",
        ),
        "language": ("left out", "its name says 'language'"),
    }
    assert test_set.columns[1].values == (repr(REFERENCES[0]), repr(REFERENCES[1]))
    (test_set,) = read_test_sets(tmp_path / "a.csv", systems="language")
    assert test_set.columns[4].reason == "you say so"
    assert "<bdi>human-dpo</bdi>" in test_set._repr_html_() or "human-dpo" in test_set._repr_html_()


NAMES = {
    "source": ["source", "src", "Source Text", "Quelle", "原文"],
    "reference": ["reference", "ref", "Referenz", "gold", "эталон", "参考译文"],
    "id": ["id", "segment_id", "seg id", "doc_id"],
}
CONTAINERS = ["csv", "tsv", "semicolon", "utf-16", "jsonl", "xlsx", "parquet"]


def contained(folder, kind, columns):
    """Write columns as a file of some kind."""
    names = list(columns)
    rows = [names, *map(list, zip(*columns.values(), strict=True))]
    if kind == "jsonl":
        path = folder / "a.jsonl"
        lines = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows[1:]]
        path.write_text("\n".join(lines), encoding="utf-8")
    elif kind == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        path = folder / "a.xlsx"
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(path)
    elif kind == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        path = folder / "a.parquet"
        parquet.write_table(pa.table(columns), path)
    else:
        path = folder / ("a.tsv" if kind == "tsv" else "a.csv")
        separator = {"tsv": "\t", "semicolon": ";"}.get(kind, ",")
        with path.open("w", encoding="utf-16" if kind == "utf-16" else "utf-8", newline="") as file:
            csv.writer(file, delimiter=separator).writerows(rows)
    return path


@given(data=st.data())
def test_neither_names_nor_order_nor_container_changes_a_score(data, tmp_path_factory):
    expected = tercet.compare({"base": BASE, "human-dpo": TUNED}, "chrf", references=REFERENCES, test=None)
    columns = {
        data.draw(st.sampled_from(NAMES["source"])): ENGLISH,
        data.draw(st.sampled_from(NAMES["reference"])): REFERENCES,
        data.draw(st.sampled_from(NAMES["id"])): [f"s{number}" for number in range(6)],
        "base": BASE,
        "human-dpo": TUNED,
    }
    order = data.draw(st.permutations(list(columns)))
    rows = list(range(6))
    random.Random(data.draw(st.integers(0, 99))).shuffle(rows)
    shuffled = {name: [columns[name][row] for row in rows] for name in order}
    path = contained(tmp_path_factory.mktemp("a"), data.draw(st.sampled_from(CONTAINERS)), shuffled)
    (test_set,) = read_test_sets(path)
    found = tercet.compare(test_set, "chrf", test=None)
    scores = {row.system: row.value for row in found.tables[0].rows}
    assert scores == pytest.approx({row.system: row.value for row in expected.tables[0].rows})

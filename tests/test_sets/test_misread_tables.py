"""Tables that were read as something else, in silence: refused, warned of, or read as their authors meant."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import tercet
from tercet.errors import InputError
from tercet.test_sets.read import read_test_sets

GERMAN = (
    "Der Hafen war ruhig.",
    "Die Brücke ist gesperrt.",
    "Wir trafen den Bruder.",
    "Es regnete nachts.",
    "Der Minister schwieg.",
)
REFERENCES = (
    "The harbour was calm.",
    "The bridge is closed.",
    "We met the brother.",
    "It rained at night.",
    "The minister was silent.",
)
OUTPUTS = (
    "The harbour was quiet.",
    "The bridge is locked.",
    "We met the brother.",
    "It rained in the night.",
    "The minister said nothing.",
)
OTHERS = (
    "The port was calm.",
    "A bridge is closed.",
    "We saw the brother.",
    "At night it rained.",
    "The minister was quiet.",
)


def table(folder: Path, rows: list[list[object]], name: str = "table.tsv") -> Path:
    """Write a table, whose first row has the names of columns."""
    path = folder / name
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


# Numbers of several systems.


def test_ratings_of_several_annotators_are_no_segments(tmp_path: Path) -> None:
    rows: list[list[object]] = [["item", "system", "annotator", "rating"]]
    rows += [[item, name, who, 3] for item in range(5) for name in ("old", "new") for who in ("anna", "ben")]
    with pytest.raises(InputError, match=r"'old' has several rows of '0' \(item\), .* one for each 'annotator'") as e:
        tercet.compare(table(tmp_path, rows), scores="rating")
    assert "such as the mean of its rows" in str(e.value)
    assert "tercet correlate" in str(e.value)


def test_numbers_of_several_metrics_have_no_mean(tmp_path: Path) -> None:
    rows: list[list[object]] = [["model", "item", "metric", "value"]]
    rows += [[name, item, metric, 30] for name in ("a", "b") for item in range(5) for metric in ("bleu", "ter")]
    with pytest.raises(InputError, match=r"one for each 'metric' \('bleu', 'ter'\).*or a column for each"):
        tercet.compare(table(tmp_path, rows), scores="value")


def test_one_rating_for_each_item_and_system_is_compared(tmp_path: Path) -> None:
    rows: list[list[object]] = [["item", "system", "annotator", "rating"]]
    rows += [[item, name, "anna", number] for item in range(6) for name, number in (("old", 2), ("new", 4))]
    (test_set,) = read_test_sets(table(tmp_path, rows), scores="rating", need_references=False)
    assert {name: [*numbers] for name, numbers in test_set.scores["rating"].items()} == {
        "old": [2] * 6,
        "new": [4] * 6,
    }


@pytest.mark.parametrize("head", ["Model", "System", "Method"])
def test_a_leaderboard_has_no_segments(tmp_path: Path, head: str) -> None:
    path = table(tmp_path, [[head, "BLEU", "chrF"], ["base", 30.1, 55.2], ["large v2", 31, 56], ["tiny", 20, 45.5]])
    with pytest.raises(InputError, match=rf"each row is a system, as '{head}' names them \('base', 'large v2', 'ti"):
        tercet.compare(path, scores="BLEU")


def test_scores_beside_the_texts_of_a_column_called_system_are_of_segments(tmp_path: Path) -> None:
    rows = [["system", "COMET"], *([text, 0.5] for text in OUTPUTS)]
    (test_set,) = read_test_sets(table(tmp_path, rows), scores="COMET", need_references=False)
    assert [*test_set.scores["COMET"]["system"]] == [0.5] * 5


def test_marked_errors_are_for_correlate(tmp_path: Path) -> None:
    head = ["system", "doc", "seg_id", "rater", "source", "target", "category", "severity"]
    rows = [
        [name, "d1", n, "rater1", GERMAN[n], OUTPUTS[n], "Accuracy", "Minor"] for n in range(3) for name in ("x", "y")
    ]
    with pytest.raises(InputError, match=r"an error that a rater of MQM marked, not a segment.* tercet correlate"):
        read_test_sets(table(tmp_path, [head, *rows]))


# Long tables whose column of systems is called otherwise.


def long_table(folder: Path, column: str) -> Path:
    rows: list[list[object]] = [["item_id", column, "question", "response", "reference"]]
    for name, texts in (("alpha", OUTPUTS), ("beta two", OTHERS)):
        rows += [[n, name, GERMAN[n], texts[n], REFERENCES[n]] for n in range(5)]
    return table(folder, rows)


@pytest.mark.parametrize("column", ["vendor", "Method", "prompt_version", "condition", "Anbieter"])
def test_a_value_once_for_each_item_may_be_a_system(tmp_path: Path, column: str) -> None:
    path = long_table(tmp_path, column)
    with pytest.raises(
        InputError, match=rf"each 'item_id' has a row for each '{column}' \('alpha', 'beta two'\)"
    ) as e:
        read_test_sets(path)
    assert f"As systems: system_column='{column}'. As segments of one system: systems='response'." in str(e.value)
    (test_set,) = read_test_sets(path, system_column=column)
    assert test_set.systems == {"alpha": [*OUTPUTS], "beta two": [*OTHERS]}
    with pytest.warns(UserWarning, match=f"one row for each '{column}'"):
        (test_set,) = read_test_sets(path, systems="response")
    assert test_set.systems == {"response": [*OUTPUTS, *OTHERS]}


def test_a_named_column_that_is_not_there_tells_no_items_apart(tmp_path: Path) -> None:
    rows: list[list[object]] = [["vendor", "response", "reference"]]
    for name, texts in (("alpha", OUTPUTS), ("beta two", OTHERS)):
        rows += [[name, texts[n], REFERENCES[n]] for n in range(5)]
    path = table(tmp_path, rows)
    with pytest.raises(InputError, match="each 'reference' has a row for each 'vendor'"):
        read_test_sets(path, reference_columns="referense")
    with pytest.raises(InputError, match=r"has no column 'referense'. Did you mean 'reference'"):
        read_test_sets(path, systems="response", reference_columns="referense")


def test_a_language_of_other_references_is_no_system(tmp_path: Path) -> None:
    rows: list[list[object]] = [["source", "dialect", "response", "reference"]]
    for name, texts in (("brummie", OUTPUTS), ("scots", OTHERS)):
        rows += [[GERMAN[n], name, texts[n], f"{REFERENCES[n]} {name}"] for n in range(5)]
    with pytest.warns(UserWarning, match="'dialect'"):
        (test_set,) = read_test_sets(table(tmp_path, rows))
    assert [*test_set.systems] == ["response"]


def test_several_rows_of_an_id_are_warned_of_with_what_tells_them_apart(tmp_path: Path) -> None:
    rows: list[list[object]] = [["prompt_id", "model", "temperature", "completion", "expected"]]
    for temperature, texts in ((0.0, OUTPUTS), (1.0, OTHERS)):
        rows += [[f"p{n}", "gpt-4o", temperature, texts[n], REFERENCES[n]] for n in range(5)]
    path = table(tmp_path, rows)
    several = "the id 'p0' of 'prompt_id' occurs 2 times, first on lines 2 and 7; 4 more ids are repeated"
    with pytest.warns(UserWarning, match=several) as caught:
        (test_set,) = read_test_sets(path)
    assert test_set.systems == {"completion": [*OUTPUTS, *OTHERS]}
    assert "one row for each 'temperature' ('0.0', '1.0'); if these are systems: system_column='temperature'" in str(
        caught[0].message
    )
    (test_set,) = read_test_sets(path, system_column="temperature")
    assert test_set.systems == {"0.0": [*OUTPUTS], "1.0": [*OTHERS]}


def test_segments_that_are_numbered_in_each_document_are_no_repeated_ids(tmp_path: Path) -> None:
    rows: list[list[object]] = [["doc_id", "segment_id", "mt", "reference"]]
    rows += [[f"d{n // 3}", n % 3, OUTPUTS[n], REFERENCES[n]] for n in range(5)]
    (test_set,) = read_test_sets(table(tmp_path, rows))
    assert test_set.systems == {"mt": [*OUTPUTS]}


# Columns that are called as references, and are none.

LABELS = ("sport", "news", "sport", "news", "sport")


def test_a_label_beside_references_is_left_out_with_a_warning(tmp_path: Path) -> None:
    rows: list[list[object]] = [["document", "summary", "label", "bart_summary"]]
    rows += [[GERMAN[n], REFERENCES[n], LABELS[n], OUTPUTS[n]] for n in range(5)]
    with pytest.warns(UserWarning, match="'label' hardly shares a word with the systems, unlike 'summary'"):
        (test_set,) = read_test_sets(table(tmp_path, rows))
    assert test_set.references == [[text] for text in REFERENCES]


def test_a_label_that_systems_predict_is_a_reference(tmp_path: Path) -> None:
    rows: list[list[object]] = [["text", "label", "prediction"], *([GERMAN[n], LABELS[n], "news"] for n in range(5))]
    (test_set,) = read_test_sets(table(tmp_path, rows))
    assert test_set.references == [[text] for text in LABELS]


def outputs_by_id(folder: Path, column: str = "prediction") -> Path:
    rows: list[list[object]] = [["id", column], *([n, OUTPUTS[n]] for n in reversed(range(5)))]
    return table(folder, rows, "outputs.tsv")


def test_a_label_in_a_table_of_references_is_left_out_with_a_warning(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "question", "answer", "label"]]
    rows += [[n, GERMAN[n], REFERENCES[n], LABELS[n]] for n in range(5)]
    with pytest.warns(UserWarning, match="'label' hardly shares a word with the systems, unlike 'answer'"):
        (test_set,) = read_test_sets(outputs_by_id(tmp_path), references=table(tmp_path, rows, "gold.tsv"))
    assert test_set.references == [[text] for text in REFERENCES]


def test_a_label_alone_is_no_reference_where_a_text_is_like_the_systems(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "text", "label"], *([n, REFERENCES[n], LABELS[n]] for n in range(5))]
    outputs, gold = outputs_by_id(tmp_path), table(tmp_path, rows, "gold.tsv")
    with pytest.raises(InputError, match=r"'label', .* unlike 'text': name the references, .*='text', or"):
        read_test_sets(outputs, references=gold)
    (test_set,) = read_test_sets(outputs, references=gold, reference_columns="text")
    assert test_set.references == [[text] for text in REFERENCES]


def test_a_system_and_its_references_may_have_the_same_column(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "translation"], *([n, REFERENCES[n]] for n in range(5))]
    outputs, gold = outputs_by_id(tmp_path, "translation"), table(tmp_path, rows, "gold.tsv")
    (test_set,) = read_test_sets(outputs, references=gold, reference_columns="translation", systems="translation")
    assert test_set.systems == {"translation": [*OUTPUTS]}
    assert test_set.references == [[text] for text in REFERENCES]


# Several references in one text.


def test_references_joined_by_bars_are_warned_of(tmp_path: Path) -> None:
    rows: list[list[object]] = [["references", "prediction"]]
    rows += [[f"{REFERENCES[n]} ||| {OTHERS[n]}" if n else REFERENCES[n], OUTPUTS[n]] for n in range(5)]
    joined = r"the references have texts joined by \|\|\| in 4 of 5 segments, the first in segment 2"
    with pytest.warns(UserWarning, match=joined):
        tercet.compare(table(tmp_path, rows), "chrf")


def test_letters_that_are_often_wrong_are_answers(tmp_path: Path) -> None:
    rows: list[list[object]] = [["question", "label", "gpt", "llama"]]
    rows += [
        [f"{GERMAN[n % 5]} {n}", gold, gold, answer]
        for n, (gold, answer) in enumerate(zip("ABCDABCD", "ABCDDDDD", strict=True))
    ]
    (test_set,) = read_test_sets(table(tmp_path, rows))
    assert test_set.systems == {"gpt": [*"ABCDABCD"], "llama": [*"ABCDDDDD"]}


# Names in further languages.


@pytest.mark.parametrize(
    ("source", "reference", "comments"),
    [
        ("النص الأصلي", "الترجمة المرجعية", "ملاحظات"),
        ("Kaynak", "Referans çeviri", "Yorum"),
        ("Źródło", "Tłumaczenie referencyjne", "Uwagi"),
        ("Оригінал", "Еталон", "Примітки"),
        ("Исходный текст", "Эталонный перевод", "Комментарий редактора"),
        ("Brontekst", "Referentievertaling", "Opmerkingen"),
        ("Testo di partenza", "Traduzione di riferimento", "Note del revisore"),
        ("स्रोत", "संदर्भ अनुवाद", "टिप्पणी"),
        ("متن مبدأ", "ترجمه مرجع", "توضیحات"),
        ("原文", "參考譯文", "審校意見"),
    ],
)
def test_columns_are_known_by_their_names(tmp_path: Path, source: str, reference: str, comments: str) -> None:
    rows: list[list[object]] = [[source, reference, "Model 1", "Model 2", comments]]
    rows += [[GERMAN[n], REFERENCES[n], OUTPUTS[n], OTHERS[n], f"{REFERENCES[n]} ?"] for n in range(5)]
    with warnings.catch_warnings():
        # Comments of several words are named as left out.
        warnings.filterwarnings("ignore", message=".*not used")
        (test_set,) = read_test_sets(table(tmp_path, rows))
    assert test_set.source == [*GERMAN]
    assert test_set.references == [[text] for text in REFERENCES]
    assert [*test_set.systems] == ["Model 1", "Model 2"]

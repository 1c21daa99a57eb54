"""Systems that lack segments: what is said of it, both ways, in the headline, and what --missing does."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.comparison.verdicts.verdicts import verdict_of
from tercet.errors import InputError, OptionError
from tercet.files.join import Lost, join, join_rows
from tercet.files.missing_option import EMPTY, ERROR, LEAVE_OUT
from tercet.files.table import Table
from tercet.names_as_shown import said

IDS = [f"q{number}" for number in range(6)]
REFERENCES = dict(
    zip(
        IDS,
        ["un gato en casa", "die Katze schläft", "кошка спит дома", "猫 在 家 里", "القط في البيت", "a cat at home"],
        strict=True,
    )
)
#: Right but for one word; the second system lacks q1 and q4.
ONE = {id: f"{text} x" for id, text in REFERENCES.items()}
OTHER = {id: f"{text} y z" for id, text in REFERENCES.items() if id not in ("q1", "q4")}


def json_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return path


def keyed_tables(folder: Path) -> tuple[list[Path], Path | None]:
    systems = []
    for name, texts in {"one": ONE, "other": OTHER}.items():
        rows = [{"id": id, "prediction": text} for id, text in texts.items()]
        systems.append(json_lines(folder / f"{name}.jsonl", rows))
    rows = [{"id": id, "reference": text} for id, text in REFERENCES.items()]
    return systems, json_lines(folder / "refs.jsonl", rows)


def long_table(folder: Path) -> tuple[list[Path], Path | None]:
    path = folder / "long.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "model", "answer", "reference"])
        for name, texts in {"one": ONE, "other": OTHER}.items():
            writer.writerows([id, name, text, REFERENCES[id]] for id, text in texts.items())
    return [path], None


def logs(folder: Path) -> tuple[list[Path], Path | None]:
    systems = []
    for name, texts in {"one": ONE, "other": OTHER}.items():
        rows = [
            {"doc_id": number, "doc": {"q": id}, "target": REFERENCES[id], "filtered_resps": [texts[id]], "bleu": 1.0}
            for number, id in enumerate(IDS)
            if id in texts
        ]
        run = folder / name
        run.mkdir()
        systems.append(json_lines(run / "samples_news_2026-11-01T10-00-00.000001.jsonl", rows))
    return systems, None


def memories(folder: Path) -> tuple[list[Path], Path | None]:
    paths = []
    for name, texts in {"one": ONE, "other": OTHER, "ref": REFERENCES}.items():
        units = "".join(
            f'<tu><tuv xml:lang="en"><seg>source {id}</seg></tuv><tuv xml:lang="x"><seg>{text}</seg></tuv></tu>'
            for id, text in texts.items()
        )
        path = folder / f"{name}.tmx"
        path.write_text(f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>', encoding="utf-8")
        paths.append(path)
    return paths[:2], paths[2]


def batches(folder: Path) -> tuple[list[Path], Path | None]:
    systems = []
    for name, texts in {"one": ONE, "other": OTHER}.items():
        rows = [
            {"custom_id": id, "response": {"status_code": 200, "body": {"choices": [{"message": {"content": text}}]}}}
            for id, text in texts.items()
        ]
        systems.append(json_lines(folder / f"{name}.jsonl", rows))
    rows = [{"custom_id": id, "reference": text} for id, text in REFERENCES.items()]
    return systems, json_lines(folder / "refs.jsonl", rows)


SHAPES = pytest.mark.parametrize("shape", [keyed_tables, long_table, logs, batches, memories])


def read(files: Sequence[Path], references: Path | None, **options: Any) -> tercet.TestSet:
    beside = {} if references is None else {"references": references}
    if references is not None and references.suffix == ".tmx":
        beside |= {"source_column": "en"}
    (test_set,) = tercet.read_test_sets([*files], **beside, **options)
    return test_set


@SHAPES
def test_what_a_system_lacks_is_left_out_for_all_and_said_in_the_headline(shape: Any, tmp_path: Path) -> None:
    files, references = shape(tmp_path)
    with pytest.warns(UserWarning, match="2 of the 6"):
        test_set = read(files, references)
    assert test_set.n_segments == 4
    assert test_set.n_all == 6
    assert list(test_set.systems.values()) == [[ONE[id] for id in OTHER], [*OTHER.values()]]
    comparison = tercet.compare(test_set, "chrf", test=None)
    verdict = [said(sentence) for sentence in verdict_of(comparison, {name: name for name in test_set.systems})]
    assert verdict[-1] == f"Only 4 of 6 segments are compared: {[*test_set.systems][1]} lacks 2."


@SHAPES
def test_what_a_system_lacks_may_count_as_an_empty_text(shape: Any, tmp_path: Path) -> None:
    files, references = shape(tmp_path)
    with pytest.warns(UserWarning, match="scored as empty texts"):
        test_set = read(files, references, missing=EMPTY)
    one, other = test_set.systems.values()
    assert sorted(one) == sorted(ONE.values())
    assert sorted(filter(None, other)) == sorted(OTHER.values())
    assert other.count("") == 2
    assert sorted(map(tuple, test_set.references)) == sorted((text,) for text in REFERENCES.values())
    # An empty text lowers what a system reaches.
    with pytest.warns(UserWarning, match="left out for every system"):
        left_out = read(files, references)
    with_empty_texts = tercet.score("chrf", other, test_set.references)["chrf"]
    without_these = tercet.score("chrf", [*left_out.systems.values()][1], left_out.references)["chrf"]
    assert with_empty_texts < without_these


@SHAPES
def test_what_a_system_lacks_may_be_an_error(shape: Any, tmp_path: Path) -> None:
    files, references = shape(tmp_path)
    with pytest.raises(InputError, match=r"lacks 2 of the 6 .*Expected all of them: missing='leave-out'"):
        read(files, references, missing=ERROR)


def test_another_word_for_missing_is_refused(tmp_path: Path) -> None:
    files, references = keyed_tables(tmp_path)
    with pytest.raises(OptionError, match="Did you mean 'empty'"):
        read(files, references, missing="emty")


def test_scores_that_a_system_lacks_are_missing_numbers_and_no_zeros(tmp_path: Path) -> None:
    rows = [
        {"id": id, "model": name, "answer": text, "reference": REFERENCES[id], "judge": 1.0}
        for name, texts in {"one": ONE, "other": OTHER}.items()
        for id, text in texts.items()
    ]
    path = json_lines(tmp_path / "long.jsonl", rows)
    with pytest.warns(UserWarning, match="scored as empty texts"):
        test_set = read([path], None, scores="judge", missing=EMPTY)
    assert [str(number) for number in test_set.scores["judge"]["other"]] == ["1.0", "nan", "1.0", "1.0", "nan", "1.0"]


def test_many_systems_that_lack_some_are_one_message() -> None:
    sides = {f"system {number}": {*range(10)} - {number} for number in range(6)}
    with pytest.warns(UserWarning, match="6 systems") as caught:
        joined = join(sides, range(10), "items", lambda item: f"is {item}")
    (message,) = caught
    assert str(message.message) == (
        "6 systems lack some of the 10 items, together 6; system 0 lacks 1 of the 10 items, the first is 0: left out "
        "for every system."
    )
    assert joined.keys == [6, 7, 8, 9]
    assert joined.lost({"a": "system 0", "b": "system 9"}) == Lost({"a": {"missing": 1}}, 10)


#: Names that are alike where messages cut them.
LONG_NAMES = [f"/mnt/data/experiments/2024/llama-3-8b-sft-dpo/checkpoint-{step}" for step in (1000, 1500)]


def long_names_in_a_long_table(folder: Path) -> Path:
    rows = [
        {"id": id, "model": name, "answer": text, "reference": REFERENCES[id]}
        for name, texts in zip(LONG_NAMES, [OTHER, ONE], strict=True)
        for id, text in texts.items()
    ]
    return json_lines(folder / "long.jsonl", rows)


def long_names_in_a_table_with_roles(folder: Path) -> Path:
    """A file of WMT in which the first of two translators lacks segments."""
    sources, references, translations = [], [], {name: [] for name in LONG_NAMES}
    for number, (id, reference) in enumerate(REFERENCES.items(), 1):
        sources.append(f'<seg id="{number}">source {id}</seg>')
        references.append(f'<seg id="{number}">{reference}</seg>')
        for name, texts in zip(LONG_NAMES, [OTHER, ONE], strict=True):
            if id in texts:
                translations[name].append(f'<seg id="{number}">{texts[id]}</seg>')
    parts = [f'<src lang="en"><p>{"".join(sources)}</p></src>']
    parts.append(f'<ref lang="x" translator="A"><p>{"".join(references)}</p></ref>')
    for name, segments in translations.items():
        parts.append(f'<hyp lang="x" system="{name}"><p>{"".join(segments)}</p></hyp>')
    path = folder / "test.xml"
    path.write_text(f'<dataset id="t"><doc id="d">{"".join(parts)}</doc></dataset>', encoding="utf-8")
    return path


@pytest.mark.parametrize("shape", [long_names_in_a_long_table, long_names_in_a_table_with_roles])
def test_systems_are_told_apart_though_their_long_names_begin_alike(shape: Any, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"checkpoint-1000' lacks 2 of the 6"):
        test_set = read([shape(tmp_path)], None)
    assert test_set.lost == {LONG_NAMES[0]: {"missing": 2}}
    assert list(test_set.systems.values()) == [[*OTHER.values()], [ONE[id] for id in OTHER]]


def test_rows_of_a_table_are_joined_by_the_whole_names_of_its_systems() -> None:
    table = Table("t", {}, [2, 3, 4, 5])
    rows_of = dict(zip(LONG_NAMES, [{0, 1, 3}, {0, 1, 2, 3}], strict=True))
    with pytest.warns(UserWarning, match=r"^t: '/mnt.*/checkpoint-1000' lacks 1 of the 4 segments, .* on line 4"):
        rows, lost = join_rows(table, rows_of, range(4), "segments", LEAVE_OUT)
    assert rows == [0, 1, 3]
    assert lost.by_system == {LONG_NAMES[0]: {"missing": 1}}


def test_nothing_is_said_where_all_have_all() -> None:
    joined = join({"a": {1, 2}, "b": {2, 1, 3}}, [2, 1], "items", str, LEAVE_OUT)
    assert joined.keys == [2, 1]
    assert joined.lacking == {}
    assert joined.lost({"a": "a", "b": "b"}) == Lost({}, 2)

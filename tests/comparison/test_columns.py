"""Which columns are systems, what is said of them, and what is warned of: remarks, ids, swapped and copied texts."""

import json
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from commands import command
from tercet.errors import InputError
from tercet.files.columns.contents import unrelated
from tercet.files.columns.name_roles import clear_role
from tercet.test_sets.test_set import TestSet

REFERENCES = [
    "Der Dampfer legt am Abend im alten Hafen an.", "Die Fischer flicken ihre Netze vor dem Haus.",
    "Am Morgen lag dichter Nebel über der Bucht.", "Das Boot braucht einen neuen Anstrich.",
    "Der Lotse kennt jede Klippe an dieser Küste.", "Im Winter frieren die Kanäle der Stadt zu.",
]  # fmt: skip
GOOD = [
    "Das Dampfschiff legt abends im alten Hafen an.", "Die Fischer reparieren ihre Netze vor dem Haus.",
    "Morgens lag Nebel über der Bucht.", "Das Boot braucht neue Farbe.", "Der Lotse kennt alle Klippen dieser Küste.",
    "Winters frieren die Kanäle in der Stadt zu.",
]  # fmt: skip
POOR = [
    "Dampfer Abend Hafen kommt.", "Fischer machen Netze ganz bei Haus.", "Der Morgen hat Nebel auf Bucht.",
    "Boot muss Farbe haben.", "Der Pilot weiß jede Klippe.", "Winter macht Kanäle Eis in Stadt.",
]  # fmt: skip
ENGLISH = [
    "The steamer docks in the old port at night.", "The fishermen mend their nets.", "In the morning there was fog.",
    "The boat needs a new coat of paint.", "The pilot knows every rock.", "In winter the canals freeze over.",
]  # fmt: skip
REMARKS = [
    "Stil etwas zu frei, aber die Aussage stimmt.", "Passt so.", "Der Ton ist in der Übersetzung zu hart.",
    "Bitte die Terminologie des Kunden prüfen.", "Das ist gut gelöst.", "Komma fehlt, sonst in Ordnung.",
]  # fmt: skip
CHINESE = [
    "轮船傍晚停靠在老港口。", "渔民在屋前补网。", "早晨海湾上有浓雾。",
    "这条船需要重新刷漆。", "领航员熟悉每块礁石。", "冬天城里的运河结冰。",
]  # fmt: skip
CHINESE_SYSTEM = [
    "轮船晚上停在旧港口。", "渔夫在房子前修补渔网。", "早上海湾起了大雾。",
    "船要重新上漆。", "领航员知道每一块礁石。", "冬季城市运河会结冰。",
]  # fmt: skip
CHINESE_REMARKS = [
    "风格略显随意。", "可以接受。", "语气过于生硬。",
    "请核对客户术语。", "处理得不错。", "标点有误，其余正确。",
]  # fmt: skip


def write(folder, columns, name="news.tsv"):
    path = folder / name
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (found,) = tercet.read_test_sets(path, **options)
    return found, [str(each.message) for each in caught]


@pytest.mark.parametrize(
    "name", ["Bemerkung", "Anmerkung", "Hinweis", "Feedback", "Fachgebiet", "Remarque", "примечание"]
)
def test_remarks_are_no_systems_by_name_however_few_they_are(tmp_path, name):
    for n in (1, 6):
        columns = {"ref": REFERENCES[:n], "A": GOOD[:n], name: REMARKS[:n]}
        found, _ = read(write(tmp_path, columns))
        assert list(found.systems) == ["A"]
        assert found.fields == f"{tmp_path / 'news.tsv'}: system: 'A'; references: 'ref'; left out: {name!r}."


def test_texts_that_share_nothing_with_the_references_are_left_out_with_a_warning(tmp_path):
    path = write(tmp_path, {"ref": REFERENCES, "A": GOOD, "B": POOR, "Zettel": REMARKS, "english": ENGLISH})
    found, (warning,) = read(path)
    assert list(found.systems) == ["A", "B"]
    assert warning == (
        f"{path}: the columns 'Zettel', 'english' hardly share a word with the references, unlike 'A', 'B': they are "
        "not taken as a system. To take them, name every system: systems=."
    )
    found, none = read(path, systems=["A", "Zettel"])
    assert (list(found.systems), none) == (["A", "Zettel"], [])
    assert "systems: 'A', 'Zettel'; references: 'ref'; left out: 'B', 'english'." in found.fields


def test_columns_without_texts_are_left_out_with_a_warning(tmp_path):
    path = write(
        tmp_path,
        {"ref": REFERENCES, "ausgefallen": [""] * 6, "A": GOOD, "": [""] * 6, "B": POOR, "Unnamed: 5": [""] * 6},
    )
    found, (warning,) = read(path)
    assert list(found.systems) == ["A", "B"]
    assert warning == (
        f"{path}: the column 'ausgefallen' is empty in every row, unlike 'A', 'B': it is not taken as a system. To "
        "take it, name every system: systems=."
    )
    found, warnings = read(path, systems=["ausgefallen", "A"])
    assert (list(found.systems), warnings) == (["ausgefallen", "A"], [])


def test_what_was_warned_of_while_files_were_read_is_in_every_report(tmp_path):
    read_well = write(tmp_path, {"ref": REFERENCES, "A": GOOD, "B": POOR}, "well.tsv")
    path = write(tmp_path, {"ref": REFERENCES[::-1], "выпало": [""] * 6, "A": GOOD, "B": POOR})
    with pytest.warns(UserWarning, match="'выпало' is empty in every row"):
        test_sets = tercet.read_test_sets([read_well, path])
    well = tercet.compare(test_sets[0], "chrf")
    with pytest.warns(UserWarning, match="seem to be of other segments"):
        news = tercet.compare(test_sets[1], "chrf")
    for written in (news.to_dict()["warnings"], [news.to_html()]):
        assert any("выпало" in text and "is empty in every row" in text for text in written)
    assert well.warnings == []


def test_a_column_of_texts_and_other_values_is_left_out_with_a_warning(tmp_path):
    rows = [
        {"ref": "eins", "система": "eins", "B": "zwei", "Punkte": 1, "Stufe": None},
        {"ref": "drei", "система": 3, "B": "drei", "Punkte": None, "Stufe": 2},
    ]
    path = tmp_path / "news.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found, (warning,) = read(path)
    assert list(found.systems) == ["B"]
    assert "the column 'система' has values that are not text, unlike 'B': it is not taken as a system." in warning
    with pytest.raises(InputError, match="line 2, column 'система': expected a text, got 3"):
        tercet.read_test_sets(path, systems="система")


def test_letters_are_compared_where_words_have_no_blanks_between(tmp_path):
    path = write(tmp_path, {"参考译文": CHINESE, "引擎": CHINESE_SYSTEM, "说明": CHINESE_REMARKS})
    found, (warning,) = read(path)
    assert list(found.systems) == ["引擎"]
    assert "'说明' hardly shares a word" in warning


def test_a_single_candidate_a_small_file_and_texts_without_references_are_taken(tmp_path):
    for columns, options, systems in (
        ({"ref": REFERENCES, "english": ENGLISH}, {}, ["english"]),
        ({"ref": REFERENCES[:3], "A": GOOD[:3], "english": ENGLISH[:3]}, {}, ["A", "english"]),
        ({"A": GOOD, "english": ENGLISH}, {"need_references": False}, ["A", "english"]),
        ({"ref": REFERENCES, "english": ENGLISH, "Zettel": REMARKS}, {}, ["english", "Zettel"]),
    ):
        found, caught = read(write(tmp_path, columns), **options)
        assert (list(found.systems), caught) == (systems, [])


def test_ids_dates_hashes_and_constants_are_no_systems(tmp_path):
    odd = {
        "doc_hash": [f"{number * 7919:08x}9" for number in range(6)], "Zeile": [f"n{i}#12" for i in range(6)],
        "when": [f"2026-01-0{i + 1} 12:30" for i in range(6)], "Link": [f"https://a.example/x/{i}" for i in range(6)],
        "n": ["1,5"] * 6,
    }  # fmt: skip
    for n in (1, 6):
        columns = {name: cells[:n] for name, cells in {"ref": REFERENCES, "A": GOOD, **odd}.items()}
        found, caught = read(write(tmp_path, columns))
        assert (list(found.systems), caught) == (["A"], [])
        found, _ = read(
            write(tmp_path, {name: columns[name] for name in columns if name != "ref"}), need_references=False
        )
        assert list(found.systems) == ["A"]
    same = {"A": GOOD, "Anbieter": ["Haus am Meer"] * 6}
    for columns, options in (({"ref": REFERENCES, **same}, {}), (same, {"need_references": False})):
        found, (warning,) = read(write(tmp_path, columns), **options)
        assert list(found.systems) == ["A"]
        assert "'Anbieter'" in warning
    # references of this form are what the systems write too
    found, _ = read(
        write(tmp_path, {"ref": ["1990-05-01", "2001-02-03"], "A": ["1990-05-01", "2001"], "B": ["in May", "x"]})
    )
    assert list(found.systems) == ["A", "B"]


def test_answers_of_one_word_and_long_ones_are_both_systems(tmp_path):
    words = ["Lissabon", "Porto", "Faro", "Braga", "Évora", "Beja"]
    long = [f"Gefragt ist nach einer Stadt, und nach allem, was ich weiß, ist die Antwort {word}." for word in words]
    found, caught = read(write(tmp_path, {"reference": words, "short": [*words[:5], "Elvas"], "long": long}))
    assert (list(found.systems), caught) == (["short", "long"], [])


@given(st.lists(st.text(), min_size=1, max_size=8), st.data())
def test_what_repeats_the_references_is_never_left_out(references, data):
    others = data.draw(st.lists(st.text(), min_size=len(references), max_size=len(references)))
    assert "copy" not in unrelated({"copy": references, "other": others}, [[text] for text in references])


def test_every_command_says_what_was_taken_as_what(tmp_path):
    grades = {f"{system}.Güte": [3, 1, 2, 5, 4, 2] for system in ("A", "B")}
    columns = {"id": range(6), "src": ENGLISH, "ref": REFERENCES, "A": GOOD, "B": POOR}
    write(tmp_path, columns)
    write(tmp_path, {**columns, **grades}, "graded.tsv")
    note = "note: news.tsv: systems: 'A', 'B'; references: 'ref'; sources: 'src'; left out: 'id'.\n"
    for words in (["score"], ["score", "--quiet"], ["compare", "--n-resamples", "9"], ["explain", "bleu"]):
        assert note in command(*words, "news.tsv", cwd=tmp_path).stderr
    graded = note.replace("news", "graded").replace("left out", "grades: 'A.Güte', 'B.Güte'; left out")
    words = ("correlate", "graded.tsv", "--n-resamples", "9", "--n-permutations", "9")
    assert graded in command(*words, cwd=tmp_path).stderr
    mbr = command("mbr", "news.tsv", cwd=tmp_path)
    assert "note: news.tsv: candidates: 'A', 'B'; references: 'ref'; sources: 'src'; left out: 'id'.\n" in mbr.stderr
    (tmp_path / "lists.jsonl").write_text(json.dumps({"id": 1, "texts": ["a", "b"]}) + "\n")
    assert "note: lists.jsonl: candidates: 'texts'.\n" in command("mbr", "lists.jsonl", cwd=tmp_path).stderr


def test_names_that_say_another_role_are_warned_of(tmp_path):
    for name, lines in {"ref.de.txt": REFERENCES, "hyp.txt": GOOD, "out.txt": POOR, "src.txt": ENGLISH}.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    ref, hyp, out, src = (tmp_path / name for name in ("ref.de.txt", "hyp.txt", "out.txt", "src.txt"))
    said = "is taken as {}, but its name says {}: were the two swapped?".format
    for files, options, messages in (
        ([hyp, out], {"references": ref, "source": src}, []),
        (ref, {"references": out}, ["'ref.de.txt' " + said("a system", "references")]),
        (ref, {"references": hyp}, ["'ref.de.txt' " + said("a system", "references"),
                                    "'hyp.txt' " + said("references", "a system")]),
        (hyp, {"references": src}, ["'src.txt' " + said("references", "the source")]),
        (hyp, {"references": ref, "source": out}, []),
        (src, {"references": ref}, ["'src.txt' " + said("a system", "the source")]),
    ):  # fmt: skip
        assert [each.split(": ", 1)[1] for each in read(files, **options)[1]] == messages
    path = write(tmp_path, {"Source": ENGLISH, "ref": REFERENCES, "ref 2": GOOD, "A": POOR})
    _, (warning,) = read(path, reference_columns="Source", systems="A")
    assert warning.endswith("'Source' " + said("references", "the source"))
    assert read(path, reference_columns="ref", systems="ref 2")[1] == []  # one reference against the other


def test_roles_that_a_name_leaves_open():
    for name in ("summary", "human", "target", "open-source-llama", "out.txt", "gpt-4", "reference_id", "12", "text"):
        assert clear_role(name) == ""


def test_texts_in_the_place_of_the_source_are_warned_of(tmp_path):
    lists = [[text] for text in REFERENCES]
    copies = "is identical to the source in every segment: are its texts copies of the source?"
    for systems, references, source, expected in (
        ({"A": GOOD, "B": ENGLISH}, lists, ENGLISH, [f"news: the system 'B' {copies}"]),
        ({"A": GOOD}, lists, REFERENCES, ["news: the references are identical to the source in every segment: is one "
                                          "of them given in the place of the other?"]),
        ({"A": GOOD}, lists, None, []), ({"A": [""]}, [["a"]], [""], []), ({"A": GOOD}, lists, ENGLISH, []),
    ):  # fmt: skip
        test_set = TestSet("news", systems, references, source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tercet.compare(test_set, "chrf", test=None)
        assert [each for each in found.warnings if "source" in each] == expected


def test_of_equal_scores_of_0_none_is_the_best(tmp_path):
    for columns, stars in (
        ({"ref": ["eins zwei"] * 2, "A": ["x"] * 2, "B": ["y"] * 2}, 0),
        ({"ref": ["eins zwei"] * 2, "A": ["eins"] * 2, "B": ["eins "] * 2}, 2),
        ({"ref": ["eins zwei"] * 2, "A": ["x"] * 2, "B": ["eins"] * 2}, 1),
    ):
        path = write(tmp_path, columns)
        for options in ({}, {"test": None}):
            (test_set,) = tercet.read_test_sets(path)
            (table,) = tercet.compare(test_set, "bleu_multi:max_order=1", **options).tables
            assert sum(row.best for row in table.rows) == stars
    path, report = write(tmp_path, {"ref": ["eins zwei"] * 4, "A": ["x"] * 4, "B": ["y"] * 4}), tmp_path / "r.html"
    command("compare", path, "-m", "chrf", "-m", "ter", "-o", report, cwd=tmp_path)
    assert "systems have the same chrF" in report.read_text(encoding="utf-8")

"""NAME=PATH, or a mapping in Python, names the system of a file or the run in a folder, whatever the file is."""

import json

import polib
import pytest

import tercet
from commands import command
from tercet.errors import InputError

REFERENCES = ["Der Hafen ist ruhig.", "Das Boot fährt.", "Кошка спит.", "今天下雨。", "Il pleut.", "it rains"]
OLD = ["Der Hafen ruht.", "Ein Boot fährt.", "Кот спит.", "今天下雨了。", "Il pleut fort.", "it rained"]
NEW = ["Hafen ist ruhig.", "Das Boot geht.", "Кошка спит!", "今天有雨。", "Il a plu.", "rain"]
BOTH = {"alt": OLD, "модель 2": NEW}


def lines(path, texts):
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def rows(path, **columns):
    records = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def catalogue(path, texts):
    file = polib.POFile()
    file.metadata = {"Content-Type": "text/plain; charset=utf-8", "Language": "de"}
    for number, text in enumerate(texts):
        file.append(polib.POEntry(msgid=f"message {number}", msgstr=text))
    file.save(str(path))
    return path


def samples(folder, texts):
    """Write what lm-evaluation-harness logs of a task."""
    folder.mkdir(parents=True, exist_ok=True)
    request = {"gen_args_0": {"arg_0": "?", "arg_1": {}}}
    records = [
        {
            "doc_id": number, "doc": {}, "target": target, "arguments": request, "resps": [[text]],
            "filtered_resps": [text], "metrics": ["bleu"], "bleu": 0.5,
        }
        for number, (text, target) in enumerate(zip(texts, REFERENCES, strict=True))
    ]  # fmt: skip
    file = folder / "samples_toy_2026-01-02T03-04-05.678.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return folder


def systems_of(run):
    (table,) = json.loads(run.stdout)["test_sets"][0]["tables"]
    return [row["system"] for row in table["systems"]]


def text_files(folder):
    paths = [lines(folder / f"{name}.txt", texts) for name, texts in (("a", OLD), ("b", NEW))]
    return paths, {"references": lines(folder / "ref.txt", REFERENCES)}


def tables(folder):
    paths = [rows(folder / f"{name}.jsonl", output=texts, ref=REFERENCES) for name, texts in (("a", OLD), ("b", NEW))]
    return paths, {}


def keyed_tables(folder):
    paths = [
        rows(folder / f"{name}.jsonl", id=[*range(6)], prediction=texts) for name, texts in (("a", OLD), ("b", NEW))
    ]
    return paths, {"references": rows(folder / "refs.jsonl", id=[*range(6)], reference=REFERENCES)}


def memories(folder):
    paths = [catalogue(folder / f"{name}.po", texts) for name, texts in (("a", OLD), ("b", NEW))]
    return paths, {"references": catalogue(folder / "ref.po", REFERENCES)}


def folders_of_logs(folder):
    return [samples(folder / "runs" / "a", OLD), samples(folder / "runs" / "b", NEW)], {}


def logs(folder):
    return [next(path.iterdir()) for path in folders_of_logs(folder)[0]], {}


def batches(folder):
    """Return what OpenAI's batches give back, and a table with the ids of their requests."""
    paths = []
    for name, texts in (("a", OLD), ("b", NEW)):
        bodies = [{"model": "m", "choices": [{"message": {"role": "assistant", "content": text}}]} for text in texts]
        responses = [{"status_code": 200, "body": body} for body in bodies]
        paths.append(rows(folder / f"{name}.jsonl", custom_id=list("abcdef"), response=responses))
    return paths, {"references": rows(folder / "ref.jsonl", custom_id=list("abcdef"), reference=REFERENCES)}


KINDS = [text_files, tables, keyed_tables, memories, folders_of_logs, logs, batches]


@pytest.mark.parametrize("written", KINDS)
def test_a_name_is_that_of_the_system_in_every_kind_of_file(tmp_path, written):
    paths, options = written(tmp_path)
    of_mapping = tercet.read_test_sets(dict(zip(BOTH, paths, strict=True)), **options)
    of_texts = tercet.read_test_sets([f"{name}={path}" for name, path in zip(BOTH, paths, strict=True)], **options)
    assert [test_set.systems for test_set in of_mapping] == [test_set.systems for test_set in of_texts] == [BOTH]
    arguments = [f"{name}={path}" for name, path in zip(BOTH, paths, strict=True)]
    beside = ["-r", options["references"]] if options else []
    run = command("compare", *arguments, *beside, "-m", "chrf", "-f", "json")
    compared = json.loads(run.stdout)["test_sets"][0]["tables"][0]["systems"]
    assert compared == tercet.compare(BOTH, "chrf", references=REFERENCES).to_dict()["tables"][0]["systems"]
    # One of several is named, and one alone.
    one_named = tercet.read_test_sets([f"alt={paths[0]}", paths[1]], **options)
    assert [list(test_set.systems) for test_set in one_named] == [["alt", "b"]]
    alone = tercet.read_test_sets({"модель 2": paths[1]}, **options)
    assert [test_set.systems for test_set in alone] == [{"модель 2": NEW}]


def test_the_name_goes_with_scores_ids_and_answers_that_were_cut_off(tmp_path):
    path = rows(
        tmp_path / "a.jsonl", id=[*range(6)], output=OLD, ref=REFERENCES, COMET=[1, 2, 3, 4, 5, 6],
        finish_reason=["stop", "length", *["stop"] * 4],
    )  # fmt: skip
    (test_set,) = tercet.read_test_sets({"main": path}, scores="COMET")
    assert (test_set.name, list(test_set.systems)) == ("a", ["main"])
    assert test_set.scores["COMET"]["main"].tolist() == [1, 2, 3, 4, 5, 6]
    assert list(test_set.wrong_ends["main"]) == [1]
    assert test_set.own_columns["id"] == [*range(6)]
    assert "'output' is called 'main'." in test_set.fields


def test_of_several_systems_in_a_log_the_name_stands_before_theirs(tmp_path):
    for folder in ("a", "b"):
        samples(tmp_path / folder / "first__model", OLD)
        samples(tmp_path / folder / "second__model", NEW)
    (found,) = tercet.read_test_sets([f"old={tmp_path / 'a'}", tmp_path / "b" / "second__model"])
    assert list(found.systems) == ["old a/first__model", "old a/second__model", "b/second__model"]


def test_a_table_with_several_systems_is_not_called_as_one(tmp_path):
    path = rows(tmp_path / "a.jsonl", base=OLD, tuned=NEW, ref=REFERENCES)
    run = command("score", f"main={path}", code=2)
    assert "a.jsonl has 2 systems ('base', 'tuned'), and the name 'main' is for one:" in run.stderr
    assert "choose the system: --system base." in run.stderr
    run = command("score", f"main={path}", "--system", "tuned", "-f", "json")
    assert systems_of(run) == ["main"]


def test_a_file_with_an_equals_sign_in_its_name_is_that_file(tmp_path):
    folder = tmp_path / "lr=0.1"
    folder.mkdir()
    paths = [lines(folder / "a.txt", OLD), lines(tmp_path / "beam=5.txt", NEW)]
    references = lines(tmp_path / "ref.txt", REFERENCES)
    (test_set,) = tercet.read_test_sets(list(map(str, paths)), references=references)
    assert list(test_set.systems) == ["a", "beam=5"]
    (test_set,) = tercet.read_test_sets([f"x={path}" for path in paths[:1]], references=references)
    assert list(test_set.systems) == ["x"]
    with pytest.raises(InputError, match=r"'runs/lr=0\.2/a\.txt' cannot be read"):
        tercet.read_test_sets("runs/lr=0.2/a.txt", references=references)


def test_where_both_readings_have_a_file_a_warning_says_which_is_read(tmp_path):
    lines(tmp_path / "a.txt", OLD)
    lines(tmp_path / "new=a.txt", NEW)
    lines(tmp_path / "ref.txt", REFERENCES)
    run = command("score", "new=a.txt", "-r", "ref.txt", "-f", "json", cwd=tmp_path)
    assert systems_of(run) == ["new=a"]
    assert (
        "warning: 'new=a.txt' is read as the file of this name, and not as the file 'a.txt' with the name 'new'; to "
        "name that file, write 'new=./a.txt'."
    ) in run.stderr
    run = command("score", "new=./a.txt", "-r", "ref.txt", "-f", "json", cwd=tmp_path)
    assert systems_of(run) == ["new"]
    assert "warning" not in run.stderr


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["x=a.txt", "x=b.txt"], "The name 'x' is given twice, to 'a.txt' and to 'b.txt'"),
        (["x=a.txt", "y=a.txt"], "The file 'a.txt' is given twice, with the names 'x' and 'y'."),
        (["x=a.txt", "x=a.txt"], "The file 'a.txt' is given twice, both times with the name 'x'."),
        (["b.txt", "x=a.txt", "x=c.txt"], "The name 'x' is given twice"),
        (["=a.txt"], "'=a.txt' has no name before the equals sign; expected NAME=PATH."),
        (["x="], "'x=' has no path behind the equals sign; expected NAME=PATH."),
        (["x=c.txt"], "'c.txt' cannot be read: No such file"),
    ],
)
def test_what_is_no_name_of_one_file_is_refused(tmp_path, files, message, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text_files(tmp_path)
    with pytest.raises(InputError) as caught:
        tercet.read_test_sets(files, references="ref.txt")
    assert str(caught.value).startswith(message)


def test_a_name_may_not_be_that_of_another_file(tmp_path):
    (old, new), options = text_files(tmp_path)
    (test_set,) = tercet.read_test_sets([f"b={old}", new], **options)
    # The other file has more of its path in its name, as always where two would be equal.
    assert list(test_set.systems) == ["b", f"{tmp_path.name}/b"]
    old, new = tables(tmp_path)[0]
    (test_set,) = tercet.read_test_sets([f"output={old}", new])
    assert list(test_set.systems) == ["output", "b"]
    with pytest.raises(InputError, match="systems of a and b are both called 'b'; name both, as NAME=PATH"):
        tercet.read_test_sets([f"b={old}", new])
    old, new = folders_of_logs(tmp_path)[0]
    with pytest.raises(InputError, match="Two runs of toy are called 'b'; expected a name of its own for each"):
        tercet.read_test_sets([f"b={old}", new])


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({1: "a.txt"}, "expected the name of a system as a text, got 1"),
        ({" ": "a.txt"}, "expected the name of a system as a text, got ' '"),
        ({"x": ["a.txt", "b.txt"]}, "The name 'x' is given twice, to 'a.txt' and to 'b.txt'"),
        ({"x": []}, "expected the path of a file or folder for 'x', got []"),
        ({"x": b"a.txt"}, "expected the path of a file or folder for 'x', got b'a.txt'"),
        ({}, "No file was given"),
    ],
)
def test_a_mapping_has_a_path_for_each_name(files, message):
    with pytest.raises(InputError) as caught:
        tercet.read_test_sets(files)
    assert message in str(caught.value)


def test_other_commands_take_names_too(tmp_path):
    paths, options = text_files(tmp_path)
    named = [f"{name}={path}" for name, path in zip(BOTH, paths, strict=True)]
    run = command("read", *named, "-r", options["references"], "-f", "json")
    (found,) = json.loads(run.stdout)["test_sets"]
    assert found["systems"] == [*BOTH]
    assert "'модель 2=" in found["command"]
    run = command("explain", *named, "-r", options["references"])
    assert "модель 2: bleu" in run.stdout
    # The output may not be one of the files.
    run = command("score", *named, "-r", options["references"], "--out", paths[0], code=2)
    assert "a.txt" in run.stderr
    assert paths[0].read_text(encoding="utf-8").splitlines() == OLD

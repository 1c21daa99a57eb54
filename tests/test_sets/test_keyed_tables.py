"""Tables of systems and tables of references in different files are joined by the ids that they share."""

import json

import pytest

import tercet
from commands import command
from tercet.errors import InputError
from tercet.test_sets.read import read_test_sets

REFERENCES = ["Der Hafen ist ruhig.", "Das Boot fährt.", "Кошка спит.", "今天下雨。", "Il pleut.", "it rains"]
BASE = ["Der Hafen ruht.", "Ein Boot fährt.", "Кот спит.", "今天下雨了。", "Il pleut fort.", "it rained"]
TUNED = ["Hafen ist ruhig.", "Das Boot geht.", "Кошка спит!", "今天有雨。", "Il a plu.", "rain"]
IDS = [f"k{number}" for number in range(6)]


def write(path, **columns):
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def references(tmp_path):
    return write(tmp_path / "refs.jsonl", id=IDS, reference=REFERENCES)


def test_predictions_find_their_references_in_whatever_order(tmp_path, references):
    base = write(tmp_path / "base.jsonl", id=IDS[::-1], prediction=BASE[::-1])
    tuned = write(tmp_path / "tuned.jsonl", id=IDS, prediction=TUNED)
    (test_set,) = read_test_sets([base, tuned], references=references)
    assert test_set.systems == {"base": BASE, "tuned": TUNED}
    assert test_set.references == [[text] for text in REFERENCES]
    assert test_set.fields.endswith(f"Joined with {str(base)!r}, {str(tuned)!r} by 'id'.")
    alone = tercet.compare({"base": BASE, "tuned": TUNED}, "chrf", references=REFERENCES).to_dict()
    run = command("compare", base, tuned, "-r", references, "-m", "chrf", "-f", "json")
    assert json.loads(run.stdout)["test_sets"][0]["tables"][0]["systems"] == alone["tables"][0]["systems"]


def test_one_file_with_columns_of_systems_and_a_file_of_sources(tmp_path, references):
    outputs = write(tmp_path / "out.csv.jsonl", ID=IDS, base=BASE, tuned=TUNED)
    sources = write(tmp_path / "src.jsonl", id=IDS, text=[text.upper() for text in REFERENCES])
    (test_set,) = read_test_sets(outputs, references=references, source=sources)
    assert test_set.systems == {"base": BASE, "tuned": TUNED}
    assert test_set.source == [text.upper() for text in REFERENCES]


def test_only_what_the_user_names_is_so_because_the_user_says_so(tmp_path):
    base = write(tmp_path / "base.jsonl", id=IDS, prediction=BASE)
    rows = {"id": IDS * 2, "system": ["x"] * 6 + ["y"] * 6, "output": [*BASE, *TUNED]}
    long = write(tmp_path / "long.jsonl", **rows)
    columns = {"id": IDS, "source": [text.upper() for text in REFERENCES], "reference": REFERENCES}
    references = write(tmp_path / "refs.jsonl", **columns)
    (test_set,) = read_test_sets([base, long], references=references, source_column="source")
    assert {column.column: column.reason for column in test_set.columns if column.role != "left out"} == {
        "source": "you say so",
        "reference": "its name says 'reference'",
        "base": "in its file its name says 'prediction'",
        "long x": "in its file 'system' names it",
        "long y": "in its file 'system' names it",
    }
    (test_set,) = read_test_sets(base, references=references, systems="prediction", reference_columns="reference")
    reasons = {column.column: column.reason for column in test_set.columns}
    assert (reasons["prediction"], reasons["reference"]) == ("you say so", "you say so")
    assert reasons["source"] == "its name says 'source'"


def test_several_rows_of_an_id_are_several_references(tmp_path):
    """As captions of an image are."""
    captions = [*REFERENCES, *TUNED]
    references = write(tmp_path / "captions.jsonl", image_id=["x"] * 12, id=IDS * 2, caption=captions)
    base = write(tmp_path / "base.jsonl", id=IDS, caption_of_model=BASE)
    (test_set,) = read_test_sets(base, references=references)
    assert test_set.references == [list(pair) for pair in zip(REFERENCES, TUNED, strict=True)]


def test_a_segment_without_one_of_its_references_is_left_out(tmp_path, references):
    more = write(tmp_path / "more.jsonl", id=IDS[1:], reference=TUNED[1:])
    base = write(tmp_path / "base.jsonl", id=IDS, prediction=BASE)
    with pytest.warns(UserWarning, match="k0"):
        (test_set,) = read_test_sets(base, references=[references, more])
    assert list(test_set.systems.values()) == [BASE[1:]]
    assert test_set.references == [list(pair) for pair in zip(REFERENCES[1:], TUNED[1:], strict=True)]


def test_captions_as_coco_has_them(tmp_path):
    """Its annotations stand beside its images, and have ids of their own."""
    pairs = [(number, text) for number, text in enumerate(REFERENCES)] * 2
    annotations = [{"image_id": image, "id": 90 - n, "caption": text} for n, (image, text) in enumerate(pairs)]
    images = [{"id": number, "file_name": f"{number}.jpg", "license": 3, "width": 640} for number in range(6)]
    references = tmp_path / "captions_val.json"
    content = {"info": {"year": 2014}, "images": images, "licenses": [{"id": 3}], "annotations": annotations}
    references.write_text(json.dumps(content), encoding="utf-8")
    results = tmp_path / "results.json"
    rows = [
        {"image_id": number, "id": 85 + number, "caption": BASE[number], "lang": "de"}
        for number in reversed(range(6))
    ]
    results.write_text(json.dumps(rows), encoding="utf-8")
    (test_set,) = read_test_sets(results, references=references)
    assert test_set.systems == {"caption": BASE}
    assert test_set.references == [[text, text] for text in REFERENCES]


def test_what_does_not_match_is_said_both_ways_and_counts_for_gates(tmp_path, references):
    base = write(tmp_path / "base.jsonl", id=IDS, prediction=BASE)
    tuned = write(tmp_path / "tuned.jsonl", id=[*IDS[:4], "k9"], prediction=[*TUNED[:4], "x"])
    with pytest.warns(UserWarning, match="ids") as caught:
        (test_set,) = read_test_sets([base, tuned], references=references)
    first, second = (str(warning.message) for warning in caught)
    assert "tuned.jsonl lacks 2 of the 6 ids of " in first
    assert first.endswith("the first is 'k4': left out for every system.")
    assert "tuned.jsonl: 1 of 5 ids have no row in " in second
    assert second.endswith("the first is 'k9': not scored.")
    assert test_set.n_segments == 4
    asked = ("-r", references, "-m", "chrf", "--fail-if-worse", "chrf")
    assert "'tuned' lacks 2 of 6 segments (2 missing)" in command("compare", base, tuned, *asked, code=1).stderr


def test_ids_that_do_not_fit_are_named(tmp_path, references):
    twice = write(tmp_path / "twice.jsonl", id=["k0", "k0"], prediction=["a", "b"])
    with pytest.raises(InputError, match=r"'k0' occurs on line 1 too; expected each id once"):
        read_test_sets(twice, references=references)
    other = write(tmp_path / "other.jsonl", id=["q1", "q2"], prediction=["a", "b"])
    fitting = write(tmp_path / "fitting.jsonl", id=["k0", "k1"], prediction=["a", "b"])
    nothing_shared = r"has none of the ids of .*other.jsonl, such as 'q1', but such as 'k0'\."
    for systems in (other, [fitting, other]):
        with pytest.raises(InputError, match=nothing_shared):
            read_test_sets(systems, references=references)
    with pytest.raises(InputError, match=r"has none of the ids of .*other.jsonl, such as 'q1', but such as 'k0'\."):
        read_test_sets(other, references=references)
    base = write(tmp_path / "base.jsonl", id=IDS, prediction=BASE)
    for ids, message in (
        (["q1", "q2"], r"refs.jsonl has none of the ids of .*more.jsonl, such as 'q1', but such as 'k0'\."),
        (["k1", "k2"], r"No id of .*refs.jsonl, such as 'k0', is in all of '.*base.jsonl', '.*some.jsonl', "),
    ):
        some = write(tmp_path / "some.jsonl", id=IDS[:1], prediction=BASE[:1])
        more = write(tmp_path / "more.jsonl", id=ids, reference=["a", "b"])
        with pytest.raises(InputError, match=message):
            read_test_sets([base, some], references=[references, more])
    missing = write(tmp_path / "missing.jsonl", id=IDS, prediction=[*BASE[:5], None])
    with pytest.raises(InputError, match=r"missing.jsonl, line 6, column 'prediction': the prediction is missing"):
        read_test_sets(missing, references=references)
    without = write(tmp_path / "without.jsonl", prediction=["a", "b"])
    with pytest.raises(
        InputError,
        match=r"is a separate one: only tables are joined, where each has a column of ids",
    ):
        read_test_sets(without, references=references)


def test_columns_that_are_named_and_not_there_are_refused(tmp_path, references):
    base = write(tmp_path / "base.jsonl", id=IDS, prediction=BASE)
    for option in ("systems", "reference_columns", "source_column"):
        with pytest.raises(InputError, match="has no column 'nowhere'"):
            read_test_sets(base, references=references, **{option: "nowhere"})


def test_answers_that_were_cut_off_are_known_as_in_a_table_alone(tmp_path, references):
    reasons = ["stop", "length", "stop", "stop", "stop", "length"]
    base = write(tmp_path / "base.jsonl", id=IDS[::-1], prediction=BASE[::-1], finish_reason=reasons[::-1])
    (test_set,) = read_test_sets(base, references=references)
    assert test_set.wrong_ends == {"prediction": {1: "cut off", 5: "cut off"}}
    both = {"base": BASE, "tuned": TUNED, "base.finish_reason": reasons, "tuned.status": ["ok"] * 5 + ["failed"]}
    outputs = write(tmp_path / "both.jsonl", id=IDS, **both)
    (test_set,) = read_test_sets(outputs, references=references)
    assert test_set.wrong_ends == {"base": {1: "cut off", 5: "cut off"}, "tuned": {5: "failed"}}
    assert [*test_set.own_columns_by_system] == ["base.finish_reason", "tuned.status"]


def test_scores_of_systems_come_with_them(tmp_path, references):
    files = []
    for name, texts, numbers in (("base", BASE, [1, 2, 3, 4, 5, 6]), ("tuned", TUNED, [2, 2, 4, 4, 6, 6])):
        files.append(write(tmp_path / f"{name}.jsonl", id=IDS, prediction=texts, judge=numbers))
    (test_set,) = read_test_sets(files, references=references, scores="judge")
    found = {name: numbers.tolist() for name, numbers in test_set.scores["judge"].items()}
    assert found == {"base": [1, 2, 3, 4, 5, 6], "tuned": [2, 2, 4, 4, 6, 6]}


@pytest.mark.parametrize("names", [("a", "a.Q"), ("a.Q", "a")])
def test_files_that_are_called_as_the_scores_of_another_are_refused(tmp_path, references, names):
    paths = [write(tmp_path / f"{name}.jsonl", id=IDS, prediction=BASE, Q=[1, 2, 3, 4, 5, 6]) for name in names]
    with pytest.raises(InputError, match=r"'Q' of the system 'a' would be called 'a\.Q', which is the name"):
        read_test_sets(paths, references=references, scores="Q")


@pytest.mark.parametrize("name", ["reference", "domain"])
def test_a_file_may_be_called_as_a_column_beside_it(tmp_path, name):
    """Both are kept: the column is that of its file."""
    domains = ["news", "chat"] * 3
    references = write(tmp_path / "refs.jsonl", id=IDS, reference=REFERENCES, domain=domains)
    base = write(tmp_path / "base.jsonl", id=IDS, prediction=BASE)
    other = write(tmp_path / f"{name}.jsonl", id=IDS, prediction=TUNED)
    (test_set,) = read_test_sets([base, other], references=references)
    assert test_set.systems == {"base": BASE, name: TUNED}
    assert test_set.references == [[text] for text in REFERENCES]
    if name == "domain":
        for by in ("domain", "domain~(.*)"):
            (test_set,) = read_test_sets([base, other], references=references, by=by)
            assert test_set.slices == {"domain": domains}
        (test_set,) = read_test_sets([base, other], references=references, cluster="domain")
        assert len(test_set.clusters) == 2
        assert (test_set.clusters.name, test_set.own_columns["domain"]) == ("domain", domains)
        for by in ("domain", "domain~^(n|c)"):
            run = command("compare", base, other, "-r", references, "-m", "chrf", "--by", by)
            assert "warning" not in run.stderr
            assert "chat" in run.stdout or "c " in run.stdout
    assert not test_set.warnings


def test_a_source_that_is_called_as_a_system_is_not_judged_by_the_name_of_its_file(tmp_path):
    references = write(tmp_path / "refs.jsonl", id=IDS, reference=REFERENCES, source=TUNED)
    one = write(tmp_path / "source.jsonl", id=IDS, prediction=BASE)
    two = write(tmp_path / "two.jsonl", id=IDS, prediction=BASE[::-1])
    with pytest.warns(UserWarning, match="'source' is taken as a system, but its name says the source") as caught:
        (test_set,) = read_test_sets([one, two], references=references, source_column="source")
    assert (test_set.source, test_set.systems["source"]) == (TUNED, BASE)
    assert len(caught) == 1


def test_a_column_that_has_the_further_name_already_keeps_it(tmp_path):
    labels = {"domain": ["news", "chat"] * 3, "domain (beside)": ["x"] * 6}
    references = write(tmp_path / "refs.jsonl", id=IDS, reference=REFERENCES, **labels)
    system = write(tmp_path / "domain.jsonl", id=IDS, prediction=BASE)
    (test_set,) = read_test_sets({"domain": system}, references=references, by=list(labels))
    assert test_set.slices == labels


def test_a_label_may_have_a_tilde_in_its_name_and_a_pattern_behind_it(tmp_path):
    labels = ["news", "chat"] * 3
    columns = {"id": IDS, "reference": REFERENCES, "a~b": labels, "a": labels[::-1]}
    references = write(tmp_path / "refs.jsonl", **columns)
    systems = {name: write(tmp_path / f"{name}.jsonl", id=IDS, prediction=BASE) for name in ("a", "a~b")}
    for by in ("a~b", "a~b~(.*)"):
        (test_set,) = read_test_sets(systems, references=references, by=by)
        assert test_set.slices == {"a~b": labels}


def test_a_system_is_not_called_as_the_ids(tmp_path, references):
    system = write(tmp_path / "id.jsonl", id=IDS, prediction=BASE)
    with pytest.raises(InputError, match=r"would be called 'id', as the column of ids of .*refs\.jsonl"):
        read_test_sets({"id": system}, references=references)


def test_a_log_is_no_references_of_its_folder(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    sample = {"doc_id": 0, "doc": {}, "target": "a", "resps": [["a"]], "filtered_resps": ["a"], "filter": "none"}
    log = folder / "samples_qa.jsonl"
    log.write_text(json.dumps(sample | {"metrics": ["acc"], "acc": 1}) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds logs"):
        read_test_sets(folder, references=log)

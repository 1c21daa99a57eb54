"""Output of fairseq-generate: the detokenized texts by sample, and the scores of the sorted plain texts."""

import random

import pytest
import sacrebleu

import tercet
from commands import command
from tercet.errors import InputError
from tercet.test_sets.read import read_test_sets

SOURCES = ["Der Hafen ist ruhig .", "Möwen schreien , laut .", "港は静かだ 。", "Das Boot segelt .", "Es regnet ."]
REFERENCES = ["The harbour is calm.", "Gulls cry, loudly.", "The port is quiet.", "The boat sails.", "It is raining."]
SYSTEMS = {
    "base": ["The harbour is quiet.", "Gulls cry loudly.", "The port is silent.", "The boat is sailing.", ""],
    "tuned": ["The harbour is calm.", "Gulls cry, loud.", "The port is quiet.", "A boat sails.", "It rains."],
}


def tokenized(text):
    for sign in ",.":
        text = text.replace(sign, f" {sign}")
    return text


def output(texts, numbers=range(5), kinds="STHDP", n_best=1):
    """Return lines as the program writes them: sample by sample, in the order of its batches."""
    numbers = list(numbers)
    random.Random(7).shuffle(numbers)
    lines = ["2026-05-04 10:20:30 | INFO | fairseq_cli.generate | loading model(s) from checkpoint_best.pt"]
    for number in numbers:
        of_sample = {"S": [SOURCES[number]], "T": [REFERENCES[number]]}
        for rank in range(n_best):
            text = texts[number] if rank == 0 else f"Worse {rank}."
            score = f"{-0.25 - rank:.16f}"
            of_sample["H"] = [*of_sample.get("H", []), f"{score}\t{tokenized(text)}"]
            of_sample["D"] = [*of_sample.get("D", []), f"{score}\t{text}"]
            of_sample["P"] = [*of_sample.get("P", []), "-0.1234 -0.5678"]
        for kind in kinds:
            lines += [f"{kind}-{number}\t{text}" for text in of_sample[kind]]
    lines.append("Generate test with beam=5: BLEU4 = 31.20, 60.1/37.0/25.6/18.4 (BP=0.984, ratio=0.984)")
    return "\n".join(lines) + "\n"


def written(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path):
    return [written(tmp_path / name / "generate-test.txt", output(texts)) for name, texts in SYSTEMS.items()]


def test_a_file_in_another_encoding_is_read_where_it_is_named(tmp_path):
    """As PowerShell redirects it."""
    path = tmp_path / "generate-test.txt"
    path.write_bytes(output(SYSTEMS["base"]).encode("utf-16"))
    (test_set,) = read_test_sets(path, encoding="utf-16")
    assert (test_set.systems, test_set.source) == ({"generate-test": SYSTEMS["base"]}, SOURCES)


def test_files_are_joined_by_sample(files):
    (test_set,) = read_test_sets(files)
    assert test_set.systems == {f"{name}/generate-test": texts for name, texts in SYSTEMS.items()}
    assert test_set.references == [[text] for text in REFERENCES]
    assert test_set.source == SOURCES
    assert test_set.ids == ["0", "1", "2", "3", "4"]
    assert "generate-test.txt: output of fairseq-generate, its D- lines (detokenized), by sample" in test_set.fields
    assert test_set.fields.endswith("; references: T-; sources: S-.")


def test_scores_are_sacrebleus_of_the_sorted_texts(files, tmp_path):
    """As people did it: grep ^D-, sort by number, cut the text."""
    sorted_texts = {}
    for path in files:
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("D-")]
        rows.sort(key=lambda row: int(row[0][2:]))
        sorted_texts[path.parent.name] = [row[2] for row in rows]
    references = written(tmp_path / "ref.en", "\n".join(REFERENCES) + "\n")
    for beside in ((), references):
        (test_set,) = read_test_sets(files, references=beside)
        rows = tercet.compare(test_set, "bleu").tables[0].rows
        for row, texts in zip(rows, sorted_texts.values(), strict=True):
            assert row.value == pytest.approx(sacrebleu.corpus_bleu(texts, [REFERENCES]).score, abs=1e-9)


def test_beside_a_file_of_references_it_is_a_text_file(files, tmp_path):
    references = written(tmp_path / "ref.en", "\n".join(REFERENCES) + "\n")
    plain = written(tmp_path / "online.txt", "\n".join(SYSTEMS["base"]) + "\n")
    source = written(tmp_path / "src.de", "\n".join(SOURCES) + "\n")
    (test_set,) = read_test_sets([files[1], plain], references=references, source=source)
    assert test_set.systems == {"generate-test": SYSTEMS["tuned"], "online": SYSTEMS["base"]}
    assert "its D- lines (detokenized)" in test_set.fields


def test_without_detokenized_lines_the_hypotheses_are_taken(tmp_path):
    path = written(tmp_path / "old.txt", output(SYSTEMS["tuned"], kinds="STHP"))
    (test_set,) = read_test_sets(path)
    assert test_set.systems == {"old": [*map(tokenized, SYSTEMS["tuned"])]}
    assert "its H- lines (perhaps tokenized; there are no D- lines)" in test_set.fields


def test_detokenized_and_other_texts_are_not_alike(files, tmp_path):
    old = written(tmp_path / "old.txt", output(SYSTEMS["base"], kinds="STHP"))
    references = written(tmp_path / "ref.en", "\n".join(REFERENCES) + "\n")
    for beside in ((), references):
        with pytest.warns(UserWarning, match=r"has detokenized texts \(D-\), and .*old\.txt has only .* not alike"):
            read_test_sets([files[0], old], references=beside)


def test_the_best_of_several_hypotheses_is_scored(tmp_path):
    path = written(tmp_path / "a.txt", output(SYSTEMS["tuned"], n_best=3))
    with pytest.warns(UserWarning, match="has several hypotheses of 5 of 5 samples: the first of each is scored"):
        (test_set,) = read_test_sets(path)
    assert test_set.systems == {"a": SYSTEMS["tuned"]}


def test_a_system_has_the_name_that_it_is_given(tmp_path):
    path = written(tmp_path / "a" / "generate-test.txt", output(SYSTEMS["base"]))
    (named,) = read_test_sets({"old": path})
    assert (named.name, named.systems) == ("generate-test", {"old": SYSTEMS["base"]})


def test_what_one_file_lacks_is_left_out_and_counted(files, tmp_path):
    short = written(tmp_path / "short.txt", output(SYSTEMS["base"], numbers=[4, 0, 2, 1]))
    with pytest.warns(UserWarning, match=r"short\.txt lacks 1 of the 5 samples, the first is 3: left out for every"):
        (test_set,) = read_test_sets([files[1], short])
    assert test_set.systems["short"] == [SYSTEMS["base"][number] for number in (0, 1, 2, 4)]
    assert test_set.ids == ["0", "1", "2", "4"]
    assert test_set.lost == {"short": {"missing": 1}}
    assert test_set.n_all == 5
    with pytest.warns(UserWarning, match="scored as empty texts"):
        (test_set,) = read_test_sets([files[1], short], missing="empty")
    assert test_set.systems["short"] == [*SYSTEMS["base"][:3], "", SYSTEMS["base"][4]]
    with pytest.raises(InputError, match="Expected all of them: missing='leave-out' leaves them out"):
        read_test_sets([short, files[1]], missing="error")


def test_unknown_words_of_references_are_said(tmp_path):
    path = written(tmp_path / "a.txt", output(SYSTEMS["base"]).replace("Gulls cry, loudly.", "<<unk>> cry."))
    with pytest.warns(UserWarning, match="1 of 5 references have <<unk>> .* the first is T-1: give the references"):
        read_test_sets(path)


def test_subwords_that_were_not_joined_are_said(tmp_path):
    """The program joins them where it is told how: otherwise its detokenized lines are no words either."""
    path = written(
        tmp_path / "a.txt", output(SYSTEMS["base"]).replace("silent", "si@@ lent").replace("port", "po@@ rt")
    )
    with pytest.warns(
        UserWarning, match="1 of 5 texts have marks of subwords, the first is D-2, 'The po@@ rt is si@@ l"
    ):
        (test_set,) = read_test_sets(path)
    raw = tercet.compare(test_set, "bleu").tables[0].rows[0].value
    joined = tercet.compare(test_set, "bleu:normalize=detokenize").tables[0].rows[0].value
    assert joined == pytest.approx(sacrebleu.corpus_bleu(SYSTEMS["base"], [REFERENCES]).score, abs=1e-9)
    assert raw != joined


def test_read_shows_the_lines(files):
    shown = command("read", "generate-test.txt", cwd=files[0].parent).stdout
    assert "output of fairseq-generate, its D- lines" in shown
    assert "generate-test: 5 segments of generate-test; 1 reference each." in shown
    assert "tercet score generate-test.txt" in shown


def test_what_is_wrong_is_said(files, tmp_path):
    references = written(tmp_path / "ref.en", "\n".join(REFERENCES[:4]) + "\n")
    interactive = written(tmp_path / "interactive.txt", output(SYSTEMS["base"], kinds="SHDP"))
    other = written(tmp_path / "other.txt", output(SYSTEMS["base"]).replace("It is raining.", "It pours."))
    long = written(tmp_path / "long.txt", output(SYSTEMS["base"]).replace("port is quiet", "port is loud"))
    twice = written(tmp_path / "twice.txt", output(SYSTEMS["base"]) + "T-2\tThe port?\n")
    half = written(tmp_path / "half.txt", output(SYSTEMS["base"]).replace("D-3\t", "X-3\t"))
    apart = [
        written(tmp_path / f"{numbers[0]}.txt", output(SYSTEMS["base"], numbers)) for numbers in ([0, 1], [2, 3])
    ]
    for paths, options, message in (
        ([apart[1]], {"references": references}, r"2\.txt has no hypothesis of sample 0, but 2 of others"),
        ([interactive], {}, "is a text file, judging by its extension, and needs references"),
        (
            [files[0], other],
            {},
            r"other\.txt: T-4 is 'It pours\.', and 'It is raining\.' in .*expected output for one",
        ),
        ([files[0], long], {}, r"long\.txt: T-2 is 'e port is loud\.', and 'e port is quiet\.' in"),
        ([twice], {}, r"twice\.txt, line 28: T-2 is 'The port\?', and was 'The port is quiet\.' before"),
        ([half], {}, r"half\.txt: sample 3 has a line H-3 and none of D-"),
        (apart, {}, "have no sample in common"),
        (
            [files[0]],
            {"source": references},
            "with sources and references of its own; a file of sources .* needs one",
        ),
        ([files[0], files[0]], {}, "is given twice"),
        (
            [files[0]],
            {"references": files[1]},
            "is the output of fairseq-generate; expected references and sources in",
        ),
        ([files[0]], {"references": references}, "has 5 lines? and .* has 4"),
    ):
        with pytest.raises(InputError, match=message):
            read_test_sets(paths, **options)


def test_candidates_are_not_read_from_it(files):
    error = command("mbr", *files, code=2).stderr
    assert "is the output of fairseq-generate, which is not read for candidates" in error


def test_a_line_that_only_looks_so_is_text(tmp_path):
    lines = ["H-1 is a ship.", "H-1 is a ship.", "D-1\tthe second", "H-2\tx\tthe third"]
    path = written(tmp_path / "a.txt", "\n".join(lines) + "\n")
    (test_set,) = read_test_sets(path, references=written(tmp_path / "r.txt", "\n".join(lines) + "\n"))
    assert test_set.systems == {"a": lines}
    assert test_set.fields == ""

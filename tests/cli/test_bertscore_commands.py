"""``tercet idf fit`` and ``tercet bertscore-baseline``: the files for BERTScore that they write."""

import csv
import gzip
import sys

import numpy as np
import pytest

import tercet
from commands import command
from tercet.cli import bertscore_commands
from tercet.files.limits import Limits
from texts import MINILM, all_pairs

PREDICTIONS, REFERENCES = all_pairs()
LINES = [" ".join(text.split()) for texts in REFERENCES for text in texts]


def run(*arguments, code=0, cwd=None):
    ended = command(*arguments, code=code, cwd=cwd)
    return ended.stdout if code == 0 else ended.stderr


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(["", *LINES, " "]), encoding="utf-8")
    return path


class TestIdfFit:
    def test_writes_the_table_of_the_lines(self, corpus, tmp_path):
        table = tercet.IdfTable.fit(LINES, MINILM)
        shown = run("idf", "fit", corpus, "--model", MINILM, "-o", tmp_path / "table.idf")
        assert f"{len(LINES)} texts" in shown
        assert table.digest in shown
        assert tercet.IdfTable.load(tmp_path / "table.idf") == table

    def test_reads_several_files_packed_ones_and_the_standard_input(self, corpus, tmp_path):
        with gzip.open(tmp_path / "more.txt.gz", "wt", encoding="utf-8") as file:
            file.write("a further line\r\n")
        arguments = (corpus, tmp_path / "more.txt.gz", "-", "-m", MINILM, "-o", tmp_path / "table.idf", "--quiet")
        command("idf", "fit", *arguments, stdin=b"and one more\n")
        expected = tercet.IdfTable.fit([*LINES, "a further line", "and one more"], MINILM)
        assert tercet.IdfTable.load(tmp_path / "table.idf") == expected

    def test_counts_as_bert_score_where_that_is_asked_for_and_then_blank_lines_too(self, corpus, tmp_path):
        run("idf", "fit", corpus, "-m", MINILM, "-o", tmp_path / "table.idf", "--compat", "bert_score", "-q")
        table = tercet.IdfTable.load(tmp_path / "table.idf")
        assert table == tercet.IdfTable.fit(["", *LINES, " "], MINILM, compat="bert_score")
        assert table.n_documents == len(LINES) + 2
        from bert_score.utils import get_idf_dict
        from transformers import AutoTokenizer

        corpus.write_text("\n".join(LINES), encoding="utf-8")  # bert-score fails at blank texts with transformers 5
        run("idf", "fit", corpus, "-m", MINILM, "-o", tmp_path / "table.idf", "--compat", "bert_score", "-q")
        expected = get_idf_dict(LINES, AutoTokenizer.from_pretrained(MINILM), nthreads=0)
        weights = tercet.IdfTable.load(tmp_path / "table.idf").weights().values
        assert {key: weights[key] for key in expected} == pytest.approx(dict(expected), abs=1e-6)

    def test_says_that_there_is_nothing_to_count(self, tmp_path):
        (tmp_path / "blank.txt").write_text("\n\n")
        shown = run("idf", "fit", tmp_path / "blank.txt", "-m", MINILM, "-o", tmp_path / "x", code=2)
        assert "error: The corpus is empty: it has no line with text" in shown

    def test_names_the_extra_where_transformers_is_not_there(self, corpus, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "transformers", None)
        lacking = "An IDF table needs the package 'transformers', which is not installed: "
        message = lacking + 'pip install "tercet[bertscore]"'
        shown = run("idf", "fit", corpus, "-m", "roberta-large", "-o", tmp_path / "x", code=2)
        assert shown == f"error: {message}\n"
        with pytest.raises(tercet.OptionError) as refusal:
            tercet.IdfTable.fit(["a"], "roberta-large")
        assert str(refusal.value) == message

    def test_reads_a_corpus_of_any_size_but_no_line_of_any_size(self, tmp_path):
        path = tmp_path / "bomb.txt.gz"
        path.write_bytes(gzip.compress(b"a line\n" + b"x" * (100 << 20)))
        shown = run("idf", "fit", path, "-m", MINILM, "-o", tmp_path / "x", "-q", code=2)
        assert f"{path}, line 2: a line of more than 64 MiB" in shown.replace("\n", "")


class TestBertscoreBaseline:
    @pytest.mark.filterwarnings("ignore:The given NumPy array is not writable:UserWarning")  # of bert-score
    def test_writes_a_file_that_bert_score_reads_too(self, corpus, tmp_path):
        path = tmp_path / "baseline.tsv"
        shown = run("bertscore-baseline", corpus, "-m", MINILM, "-o", path, "--pairs", 40, "--quiet")
        assert "means of 40 pairs" in " ".join(shown.split())  # the title is folded behind a long path
        rows = list(csv.reader(path.read_text().splitlines()))
        assert rows[0] == ["LAYER", "P", "R", "F"]
        assert [row[0] for row in rows[1:]] == [str(layer) for layer in range(7)]
        encoder = {"model_type": MINILM, "num_layers": 5, "rescale_with_baseline": True, "baseline_path": str(path)}
        ours = tercet.score("bertscore_idf", PREDICTIONS, REFERENCES, idf=False, **encoder)
        from bert_score import score as official_score

        theirs = official_score(PREDICTIONS, REFERENCES, lang="en", **encoder)
        assert np.array([ours["precision"], ours["recall"], ours["f1"]]) == pytest.approx(np.stack(theirs), abs=1e-5)

    def test_is_the_mean_of_what_random_pairs_score(self, tmp_path):
        """Of two texts there is one pair, both ways round."""
        corpus, path = tmp_path / "two.txt", tmp_path / "baseline.tsv"
        corpus.write_text("the cat sat on the mat\na train leaves for Rome\nthe cat sat on the mat\n")
        run("bertscore-baseline", corpus, "-m", MINILM, "-o", path, "-q")
        texts = corpus.read_text().splitlines()[:2]
        expected = tercet.score("bertscore_idf", texts, texts[::-1], model_type=MINILM, all_layers=True, idf=False)
        names = ("precision", "recall", "f1")
        means = np.array([[expected[f"mean_{name}_layer{layer}"] for name in names] for layer in range(7)])
        assert np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:] == pytest.approx(means, abs=1e-6)

    def test_is_the_same_for_the_same_seed(self, corpus, tmp_path):
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            run("bertscore-baseline", corpus, "-m", MINILM, "-o", tmp_path / name, "--pairs", 9, "--seed", seed, "-q")
        first, second, other = (np.loadtxt(tmp_path / name, delimiter=",", skiprows=1) for name in "abc")
        assert first == pytest.approx(second, abs=1e-6)  # a process chooses the library that is faster in it
        assert abs(first - other).max() > 1e-3


def test_a_corpus_is_limited_in_bytes_as_every_file_is(tmp_path, monkeypatch):
    monkeypatch.setattr(bertscore_commands, "LIMITS", Limits(n_bytes=40))
    (tmp_path / "zh.txt").write_text("今天天气很好\n我们去公园吧\n好的没问题啊\n", encoding="utf-8")
    said = run("bertscore-baseline", "zh.txt", "-m", MINILM, "-o", "x", "-q", code=2, cwd=tmp_path)
    assert "The corpus holds more than 40 bytes" in said

"""BLEU of subwords (spBLEU) equals sacrebleu's, and its signature tells one model from another."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sacrebleu

import tercet
from commands import command
from conftest import ZERO_BLEU
from oracles import corpus_streams
from subword_models import no_download, sacrebleu_folder, small_model
from tercet import MergeError, OptionError, score
from tercet.api import make_scorer
from tercet.comparison.packages.package_differences import explain_difference
from tercet.corpus.reading import read_batch
from tercet.corpus.subword_models import SACREBLEU_MODELS
from texts import all_pairs, awkward_corpus

PREDICTIONS, REFERENCES = all_pairs()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of sacrebleu's in which there is a model for each name."""
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.download_file", no_download)
    sacrebleu_folder(monkeypatch, tmp_path)
    return tmp_path


def their_score(predictions, references, **options):
    return sacrebleu.BLEU(**options).corpus_score(predictions, corpus_streams(references))


@pytest.mark.parametrize("name", SACREBLEU_MODELS)
@pytest.mark.parametrize("lowercase", [False, True])
def test_bleu_as_sacrebleu(name, lowercase):
    expected = their_score(PREDICTIONS, REFERENCES, tokenize=name, lowercase=lowercase)
    found = score("bleu", PREDICTIONS, REFERENCES, tokenizer=name, compat="sacrebleu", lowercase=lowercase)
    assert found["bleu"] == pytest.approx(expected.score / 100, abs=1e-9)
    assert (found.counts, found.totals) == (expected.counts, expected.totals)
    assert (found["translation_length"], found["reference_length"]) == (expected.sys_len, expected.ref_len)
    assert f"|tok:{name}[" in found.signature
    assert "equals:sacrebleu" in found.signature
    assert found.interpretation is None  # its bands speak of words


@ZERO_BLEU
def test_bleu_as_sacrebleu_on_awkward_texts():
    for predictions, references in map(awkward_corpus, range(6)):
        expected = their_score(predictions, references, tokenize="flores200")
        found = score("bleu", predictions, references, tokenizer="flores200", compat="sacrebleu", segments=True)
        assert found["bleu"] == pytest.approx(expected.score / 100, abs=1e-9)
        theirs = sacrebleu.BLEU(tokenize="flores200", effective_order=True)
        sentences = [theirs.sentence_score(*pair).score / 100 for pair in zip(predictions, references, strict=True)]
        assert found["segments"]["bleu"] == pytest.approx(sentences, abs=1e-9)


def test_the_former_name_is_flores101():
    from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS

    assert SPM_MODELS["spm"] == SPM_MODELS["flores101"]
    found, expected = (score("bleu", PREDICTIONS, REFERENCES, tokenizer=name) for name in ("spm", "flores101"))
    assert (found, found.signature) == (expected, expected.signature)


def test_a_path_is_the_same_model_without_a_name(folder, monkeypatch):
    named = score("bleu", PREDICTIONS, REFERENCES, tokenizer="flores200")
    path = folder / "models" / SACREBLEU_MODELS["flores200"]
    monkeypatch.chdir(path.parent)
    for tokenizer in (path, str(path), Path(path.name), f"./{path.name}"):
        found = score("bleu", PREDICTIONS, REFERENCES, tokenizer=tokenizer)
        assert found == named
        assert found.signature == named.signature.replace("flores200", "spm").replace("|equals:sacrebleu", "")
    shown = tercet.explain("bleu", "the cat", ["the cat sat"], tokenizer=path).prediction
    assert "".join(word.text for word in shown) == "▁the▁cat"


def test_what_different_files_counted_does_not_merge(folder):
    def counted():
        return make_scorer("bleu", {"tokenizer": "flores200"}).segment_stats(read_batch(["a b"], ["a b"]))

    before = counted()
    np.testing.assert_array_equal((before + counted()).rows, np.tile(before.rows, (2, 1)))
    (folder / "models" / SACREBLEU_MODELS["flores200"]).write_bytes(small_model(seed=9))
    with pytest.raises(MergeError):
        before + counted()


def test_a_saved_stream_knows_another_file(folder, tmp_path):
    stream = tercet.Stream("bleu", tokenizer="flores200")
    stream.add(["a b"], [["a b"]])
    stream.save(tmp_path / "x.stream")
    (folder / "models" / SACREBLEU_MODELS["flores200"]).write_bytes(small_model(seed=9))
    with pytest.raises(tercet.TercetError, match=r"flores200\["):
        tercet.Stream.load(tmp_path / "x.stream").add(["a"], [["a"]])


def test_what_is_missing_is_named_before_texts_are_read(folder):
    (folder / "models" / SACREBLEU_MODELS["flores200"]).unlink()
    module = tercet.load("bleu")
    module.add_batch(predictions=["a b"], references=["a b"])
    for ask in (partial(tercet.scorer, "bleu"), module.compute):
        with pytest.raises(OptionError, match="The tokenizer 'flores200' needs the file"):
            ask(tokenizer="flores200")
    assert len(module) == 1


def test_against_sacrebleu_a_name_is_the_same_and_a_path_a_rule_that_differs(folder):
    path = str(folder / "models" / SACREBLEU_MODELS["flores200"])
    named, found = (
        explain_difference("bleu", PREDICTIONS, REFERENCES, against="sacrebleu", tokenizer=each)
        for each in ("flores200", path)
    )
    assert named.same
    expected = their_score(PREDICTIONS, REFERENCES, tokenize="flores200").score / 100
    assert named.theirs["bleu"] == pytest.approx(expected, abs=1e-9)
    assert ("tokenizer", path, "13a") in [(rule.name, rule.from_value, rule.to_value) for rule in found.rules]
    assert found.theirs["bleu"] == pytest.approx(their_score(PREDICTIONS, REFERENCES).score / 100, abs=1e-9)


def test_on_the_command_line(folder, tmp_path):
    for name, texts in (("out.txt", PREDICTIONS), ("ref.txt", [each[0] for each in REFERENCES])):
        (tmp_path / name).write_text("".join(f"{' '.join(text.split())}\n" for text in texts), encoding="utf-8")
    path = folder / "models" / SACREBLEU_MODELS["spBLEU-1K"]
    metrics = ["-m", "bleu_multi:tokenizer=flores200", "-m", f"bleu_multi:tokenizer={path}"]
    run = command("score", "out.txt", "-r", "ref.txt", *metrics, "-f", "json", cwd=tmp_path)
    assert "tok:flores200[" in run.stdout
    assert "tok:spm[" in run.stdout
    assert json.loads(run.stdout)
    path.unlink()
    run = command("score", "out.txt", "-r", "ref.txt", *metrics, cwd=tmp_path, code=2)
    assert f"There is no file '{path}', given as 'tokenizer'." in run.stderr

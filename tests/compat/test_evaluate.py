"""The settings and values that evaluate takes, with ``from tercet.compat import evaluate``."""

import pickle
from types import SimpleNamespace

import pytest
import sacrebleu

from tercet.compat import evaluate
from tercet.errors import OptionError

PREDICTIONS, REFERENCES = (
    ["The cat sat on the mat", "Нева вышла"],
    [["the cat sat on a mat"], ["Нева вышла из берегов"]],
)


@pytest.mark.parametrize("tokenize", ["", None])
def test_truth_values_and_an_empty_tokenizer_are_evaluates(tokenize):
    score = evaluate.load("sacrebleu").compute(
        predictions=PREDICTIONS, references=REFERENCES, tokenize=tokenize, lowercase=1, force=0
    )
    streams = [[references[0] for references in REFERENCES]]
    original = sacrebleu.corpus_bleu(PREDICTIONS, streams, lowercase=True)
    assert score["score"] == pytest.approx(original.score, rel=1e-12)
    with pytest.raises(OptionError, match=r"^The 'ignore_punct' option of ter"):
        evaluate.load("ter").compute(predictions=PREDICTIONS, references=REFERENCES, ignore_punct="no")


@pytest.mark.parametrize("setting", [{"revision": "main"}, {"download_mode": "force_redownload"}])
def test_settings_of_downloads_have_no_effect_and_a_warning_says_so(setting):
    (name,) = setting
    with pytest.warns(UserWarning, match=rf'evaluate.load\("rouge", {name}=...\) has no effect'):
        evaluate.load("rouge", **setting)


def test_the_type_of_a_module_counts(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    assert "tercet" in repr(evaluate.load("rouge", module_type="metric"))
    with pytest.raises(FileNotFoundError, match="rouge"):  # evaluate has no such measurement
        evaluate.load("rouge", module_type="measurement")


def test_what_was_added_waits_for_a_call_that_is_not_refused(monkeypatch):
    import evaluate as original

    of_evaluate = SimpleNamespace(compute=lambda **texts: texts)
    monkeypatch.setattr(evaluate, "_load_original", lambda *_: of_evaluate)
    load = evaluate.replacing(original.load, falls_back=True)
    module = load("bleu")
    texts = {"predictions": PREDICTIONS, "references": REFERENCES}
    module.add_batch(**texts)
    with pytest.raises(OptionError, match="max_order"):
        module.compute(max_order=0)
    assert module.compute(max_order=2) == load("bleu").compute(**texts, max_order=2)


def test_a_module_is_pickled():
    module = pickle.loads(pickle.dumps(evaluate.load("rouge")))
    assert module.compute(predictions=["a b"], references=["a b"], use_stemmer=1)["rouge1"] == 1

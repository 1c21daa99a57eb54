"""What all adapters share: names, standard errors, and a message where the harness is not installed."""

import subprocess
import sys

import numpy as np
import pytest
import sacrebleu

import tercet
from harness_texts import ONE, PREDICTIONS, SEVERAL, by_sacrebleu, mean_of_sentences, numbers
from harnesses.conftest import ABSENT, HARNESSES
from tercet.harnesses.shared import corpus_scores, score_keys, segment_score, with_intervals


def test_harnesses_that_are_not_installed():
    if ABSENT:
        pytest.skip(f"{', '.join(ABSENT)}: not installed here, `make test-harnesses` runs their tests")


def test_scores_are_those_of_the_corpus_with_intervals():
    bleu = with_intervals("bleu", {})
    found = corpus_scores(bleu, PREDICTIONS, SEVERAL)
    assert list(found) == ["bleu", "bleu_stderr", "bleu_low", "bleu_high"] == score_keys(bleu)
    assert {name: value for name, value in found.items() if name != "bleu_stderr"} == numbers()
    assert found["bleu"] == pytest.approx(by_sacrebleu())
    assert found["bleu"] != pytest.approx(mean_of_sentences(), rel=0.1)
    assert "|ci:0.95,1000,12345,expanded|" in found.signature


def test_standard_error_is_that_of_resampled_corpora():
    rng, resampled = np.random.default_rng(1), []
    for _ in range(400):
        drawn = rng.integers(len(ONE), size=len(ONE))
        drawn = [[texts[index] for index in drawn] for texts in (PREDICTIONS, ONE)]
        resampled.append(sacrebleu.corpus_bleu(drawn[0], [drawn[1]]).score / 100)
    found = corpus_scores(with_intervals("bleu", {}), PREDICTIONS, ONE)
    assert found["bleu_stderr"] == pytest.approx(np.std(resampled), rel=0.15)


def test_options_say_otherwise():
    bare = with_intervals("bleu", {"confidence_level": None, "lowercase": True})
    assert corpus_scores(bare, PREDICTIONS, ONE) == {
        "bleu": tercet.score("bleu", PREDICTIONS, ONE, lowercase=True)["bleu"]
    }
    assert score_keys(bare) == ["bleu"]
    assert with_intervals(tercet.scorer("bleu", confidence_level=0.9), {}).asked.confidence_level == 0.9


def test_an_item_left_out_counts_for_no_number():
    options = {"missing_references": "skip"}
    found = corpus_scores(with_intervals("bleu", options), [*PREDICTIONS, "it"], [*SEVERAL, []])
    assert found == corpus_scores(with_intervals("bleu", {}), PREDICTIONS, SEVERAL)


@pytest.mark.parametrize(("metric", "options"), [("bleu", {}), ("chrf", {}), ("rouge", {"rouge_types": ["rougeL"]})])
def test_a_segment_has_the_score_and_signature_that_tercet_gives_it(metric, options):
    value = with_intervals(metric, options)
    for text, golds in zip(PREDICTIONS, SEVERAL, strict=True):
        found = tercet.score(metric, [text], [golds], segments=True, **options)
        assert segment_score(value, text, golds) == (found["segments"][value.primary][0], found.signature)


@pytest.mark.parametrize("name", HARNESSES)
def test_says_what_to_install(name):
    packages = {"lm_eval": "lm-eval", "inspect_ai": "inspect-ai", "ignite": "pytorch-ignite"}
    hide = "import sys; sys.modules |= dict.fromkeys(['lightning', 'pytorch_lightning', sys.argv[1]])"
    code = f"{hide}; import importlib.util as u; find = u.find_spec\n"
    code += "u.find_spec = lambda name: None if sys.modules.get(name, name) is None else find(name)\n"
    code += "import importlib; importlib.import_module(f'tercet.harnesses.{sys.argv[1]}')"
    found = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True)
    last = found.stderr.splitlines()[-1]
    assert last.startswith(f"tercet.errors.OptionError: tercet.harnesses.{name} needs the package ")
    assert last.endswith(f"which is not installed: pip install {packages.get(name, name)}")

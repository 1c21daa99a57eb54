"""Configurations: a module of the suite in the place of one of evaluate's, with its arguments, defaults and keys.

The modules themselves are on the Hub; what they do with the packages that they wrap is written again here.
"""

import ast
import io
import json
import re
from statistics import mean
from types import SimpleNamespace

import evaluate
import pytest
import sacrebleu
import yaml
from rouge_score.rouge_scorer import RougeScorer

import tercet
from conftest import ANY_TEXTS, ROOT, ZERO_BLEU, needed
from suite import SUITE
from tercet import OptionError
from tercet.registry import metric_class
from texts import LATIN, all_pairs

PREDICTIONS, REFERENCES = all_pairs()
TWO_EACH = [[texts[0], texts[-1]] for texts in REFERENCES]


@pytest.fixture(autouse=True)
def _own_files(monkeypatch, tmp_path):
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", str(tmp_path))


def evaluates_sacrebleu(predictions, references, tokenize=None, **options):
    """What evaluate's sacrebleu returns: sacrebleu's own result, with references turned by ninety degrees."""
    streams = [list(texts) for texts in zip(*references, strict=True)]
    found = sacrebleu.corpus_bleu(predictions, streams, **({"tokenize": tokenize} if tokenize else {}), **options)
    return {
        "score": found.score, "counts": found.counts, "totals": found.totals, "precisions": found.precisions,
        "bp": found.bp, "sys_len": found.sys_len, "ref_len": found.ref_len,
    }  # fmt: skip


def evaluates_rouge(predictions, references, rouge_types=("rouge1", "rouge2", "rougeL", "rougeLsum"), **options):
    """What evaluate's rouge returns with use_aggregator=False: the F of every item."""
    scorer = RougeScorer(rouge_types, **options)
    items = [scorer.score_multi(texts, text) for text, texts in zip(predictions, references, strict=True)]
    return {name: [item[name].fmeasure for item in items] for name in rouge_types}


class TestSacrebleu:
    @pytest.mark.parametrize("options", [
        {},
        {"tokenize": "intl", "lowercase": True},
        {"tokenize": "zh", "smooth_method": "floor", "smooth_value": 0.2},
        {"tokenize": "char", "use_effective_order": True, "force": True},
        {"smooth_method": "add-k", "smooth_value": None, "tokenize": None, "force": False},
    ])  # fmt: skip
    @ZERO_BLEU
    def test_gives_the_keys_and_numbers_of_evaluates_sacrebleu(self, options):
        module = tercet.load("bleu_multi", "sacrebleu")
        found = module.compute(predictions=PREDICTIONS, references=TWO_EACH, **options)
        expected = evaluates_sacrebleu(PREDICTIONS, TWO_EACH, **options)
        assert list(found) == list(expected)
        if options.get("smooth_method") == "add-k":  # its counts have k added, ours are those before smoothing
            for key in ("counts", "totals"):
                expected[key] = [expected[key][0], *(value - 1 for value in expected[key][1:])]
        for key, value in expected.items():
            assert found[key] == pytest.approx(value, abs=1e-9), key

    def test_names_intervals_and_segments_as_its_keys_and_signs_behind_them(self):
        module = tercet.load("bleu_multi", "sacrebleu")
        asked = {"segments": True, "confidence_level": 0.9, "n_resamples": 50, "signature": True}
        found = module.compute(predictions=PREDICTIONS, references=REFERENCES, **asked)
        assert list(found["intervals"]) == list(found["segments"]) == ["score"]
        low, high = found["intervals"]["score"]
        assert low <= found["score"] <= high
        assert list(found)[-1] == "signature"
        assert "|scale:100|" in found["signature"]

    @pytest.mark.parametrize(("given", "message"), [
        ({"tokenize": "flores300"}, "The 'tokenize' option of bleu_multi must be one of '13a', 'intl', "),
        ({"use_effective_order": 1}, "The 'use_effective_order' option of bleu_multi must be True or False."),
        ({"use_effective_ordr": True}, "'use_effective_ordr'. Did you mean 'use_effective_order'?"),
        ({"forse": True}, "Did you mean 'force'?"),
        ({"smooth_method": "nltk1", "use_effective_order": True}, "The option 'use_effective_order' has no"),
        ({"tokenize": "13a", "tokenizer": "13a"}, "'tokenize' and 'tokenizer' are the same option"),
    ])  # fmt: skip
    def test_refuses_in_the_words_of_its_user(self, given, message):
        module = tercet.load("bleu_multi", "sacrebleu")
        with pytest.raises(OptionError, match=re.escape(message)):
            module.compute(predictions=["a"], references=["a"], **given)
        if given.keys() != {"forse"}:  # which is none of explain's
            with pytest.raises(OptionError, match=re.escape(message)):
                module.explain("a", "a", **given)

    def test_an_option_without_effect_has_the_name_of_its_user_wherever_a_message_names_it(self):
        message = "'support_zh_ja_chars' option of .*: support_zh_ja_chars=True would do nothing"
        with pytest.raises(OptionError, match=message), tercet.Ter.dialect("sacrebleu").speaking():
            tercet.Ter(asian_support=True)
        with pytest.raises(OptionError, match=r"'support_zh_ja_chars' option .* Got 'asian_support=1' instead"):
            tercet.load("ter", "sacrebleu").explain("a", "a", support_zh_ja_chars="asian_support=1")

    def test_names_all_arguments_that_it_has_and_leaves_them_to_no_other_configuration(self):
        with pytest.raises(OptionError, match="Known: ") as refusal:
            tercet.load("bleu_multi", "sacrebleu").compute(predictions=["a"], references=["a"], qqq=1)
        names = str(refusal.value).partition("Known: ")[2].rstrip(".").split(", ")
        assert {"tokenize", "use_effective_order", "force", "lowercase"} < set(names)
        assert not {"tokenizer", "effective_order"} & set(names)
        with pytest.raises(OptionError, match=r"bleu_multi has no option 'tokenize'\. Did you mean 'tokenizer'"):
            tercet.load("bleu_multi").compute(predictions=["a"], references=["a"], tokenize="zh")

    @ANY_TEXTS
    def test_has_its_arguments_to_itself_in_a_combined_call(self):
        names = ("sacrebleu", "rouge_score")
        modules = [tercet.load(*each) for each in zip(("bleu_multi", "rouge_nlws"), names, strict=True)]
        given = {"tokenize": "char", "use_effective_order": True, "smooth_value": 0.1, "force": True}
        with pytest.warns(
            UserWarning, match="rouge_nlws: 'tokenize' is an argument of bleu_multi and goes to that metric only"
        ):
            found = evaluate.combine(modules).compute(predictions=PREDICTIONS, references=TWO_EACH, **given)
        expected = evaluates_sacrebleu(PREDICTIONS, TWO_EACH, **given)
        assert found["score"] == pytest.approx(expected["score"], abs=1e-9)
        alone = tercet.load("rouge_nlws", "rouge_score").compute(predictions=PREDICTIONS, references=TWO_EACH)
        assert {name: found[name] for name in alone} == alone

    @ZERO_BLEU
    def test_explains_and_trains_by_the_same_options(self):
        module = tercet.load("bleu_multi", "sacrebleu")
        assert module.explain("The Cat", ["the cat"], lowercase=True, tokenize="none").counts[:2] == [2, 1]
        function = module.compute_metrics(None, decode=lambda rows: ["a b"] * len(rows), options={"tokenize": "none"})
        assert function([[1]], [[1]])["bleu"] == pytest.approx(evaluates_sacrebleu(["a b"], [["a b"]])["score"])


class TestRouge:
    @ANY_TEXTS
    @pytest.mark.parametrize("options", [{}, {"use_stemmer": True}, {"rouge_types": ["rouge3", "rougeLsum"]}])
    def test_gives_the_keys_and_numbers_of_evaluates_rouge(self, options):
        module = tercet.load("rouge_nlws", "rouge_score")
        found = module.compute(predictions=PREDICTIONS, references=REFERENCES, use_aggregator=False, **options)
        assert found == evaluates_rouge(PREDICTIONS, REFERENCES, **options)

    @pytest.mark.parametrize("use_stemmer", [False, True])
    def test_leaves_the_words_of_a_given_tokenizer_as_they_are(self, use_stemmer):
        predictions, references = ["the cats running quickly", "two cats"], ["the cat runs quickly", "a cat"]
        module, given = (
            tercet.load("rouge_nlws", "rouge_score"),
            {"use_stemmer": use_stemmer, "use_aggregator": False},
        )
        asked = {"predictions": predictions, "references": references, "tokenizer": str.split, "signature": True}
        found, theirs = module.compute(**asked, **given), SimpleNamespace(tokenize=str.split)
        lists = [[text] for text in references]
        assert "stem:" not in found.pop("signature")
        assert found == evaluates_rouge(predictions, lists, tokenizer=theirs, use_stemmer=use_stemmer)

    @ANY_TEXTS
    def test_gives_the_mean_by_default_and_no_warning_for_texts_that_it_drops(self):
        module = tercet.load("rouge_nlws", "rouge_score")
        found = module.compute(predictions=PREDICTIONS, references=REFERENCES, rouge_types=None, tokenizer=None)
        expected = evaluates_rouge(PREDICTIONS, REFERENCES)
        assert found == {name: pytest.approx(mean(values), abs=1e-12) for name, values in expected.items()}


def test_bert_score_has_the_four_keys_of_evaluates_bertscore_and_intervals_of_the_means():
    predictions, references = all_pairs(LATIN)
    given = {"predictions": predictions, "references": references, **needed("bertscore_idf")}
    for more in ({}, {"all_layers": True}):
        found = tercet.load("bertscore_idf", "bert_score").compute(**given, **more, signature=True)
        assert list(found) == ["precision", "recall", "f1", "hashcode", "signature"]
        assert "compat:bert_score" in found["signature"]
    found = tercet.load("bertscore_idf", "bert_score").compute(**given, confidence_level=0.9, n_resamples=20)
    assert list(found["intervals"]) == ["mean_precision", "mean_recall", "mean_f1"]
    for name, (low, high) in found["intervals"].items():
        assert low <= mean(found[name.removeprefix("mean_")]) <= high


CONFIGURATIONS = [(metric, name) for metric in SUITE for name in sorted(metric_class(metric).presets)]
OTHERS = [(metric, name) for metric, name in CONFIGURATIONS if name not in metric_class(metric).dialects]


@ANY_TEXTS
@ZERO_BLEU
@pytest.mark.parametrize(("metric", "name"), OTHERS)
def test_every_other_configuration_is_a_value_of_compat(metric, name):
    predictions, references = all_pairs(LATIN)
    found = tercet.load(metric, name).compute(predictions=predictions, references=references, signature=True)
    assert found == tercet.score(metric, predictions, references, compat=name, signature=True)


MORE = {"segments": True, "signature": True, "confidence_level": 0.9, "n_resamples": 9}


def configured(metric, name, asked):
    texts = {"predictions": ["the cat sat", "a dog"] * 3, "references": ["the cat lay", "a dog"] * 3}
    return tercet.load(metric, name).compute(**texts, **needed(metric), **asked)


@ZERO_BLEU
@pytest.mark.parametrize(("metric", "name"), CONFIGURATIONS)
def test_every_configuration_answers_with_a_plain_dict_that_torch_keeps(metric, name):
    import torch

    for asked in ({}, MORE):
        found, file = configured(metric, name, asked), io.BytesIO()
        torch.save(found, file)
        file.seek(0)
        assert torch.load(file, weights_only=True) == found


@ZERO_BLEU
@pytest.mark.parametrize(("metric", "name"), CONFIGURATIONS)
def test_every_configuration_answers_with_a_plain_dict_that_files_keep(metric, name):
    for asked in ({}, MORE):
        found = configured(metric, name, asked)
        assert ("segments" in found, "signature" in found, "intervals" in found) == (bool(asked),) * 3
        for kept in (ast.literal_eval(str(found)), json.loads(json.dumps(found))):
            assert kept == found
        assert yaml.safe_load(yaml.safe_dump(found, sort_keys=False)) == found


@pytest.mark.parametrize(("module", "given", "message"), [
    ("bleu", ["blue"], "bleu_multi has no configuration 'blue'"),
    ("bleu_multi", [["blue"]], r"bleu_multi has no configuration \['blue'\]"),
    ("bleu_multi", ["defaults"], r"bleu_multi has no configuration 'defaults'\. Did you mean 'default'"),
    ("paired_significance", ["sacrebleu"], "paired_significance has no configuration 'sacrebleu'"),
    ("paired_significance", ["foo"], "paired_significance has no configuration 'foo'"),
    *((name, {"name": "sacrebleu"}, r"cannot be loaded with 'name'.* Known: .*config_name")
      for name in ("bleu_multi", "perplexity_lm", "paired_significance")),
    # Of several the first, so that all processes of a run say the same.
    ("bleu_multi", dict.fromkeys("zyxwvuts", 1), "cannot be loaded with 'z'"),
])  # fmt: skip
def test_an_unknown_configuration_or_setting_is_refused_when_the_module_is_loaded(module, given, message):
    with pytest.raises(OptionError, match=message):
        tercet.load(module, **given) if isinstance(given, dict) else tercet.load(module, *given)
    if given == ["defaults"]:
        with pytest.raises(OptionError, match=message):
            evaluate.load(str(ROOT / "metrics" / module), *given)

"""perplexity_lm beside the model's own loss, evaluate's definition, and the windows that transformers documents."""

import itertools
import json
import math
import shutil

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer

import tercet
from language_models import LIMIT, SMALL, TINY, small_model, smollm2
from tercet import InputError, OptionError
from tercet.metrics import perplexity as model
from tercet.metrics.perplexity import windows_of
from tercet.networks import onednn
from texts import MINILM, all_pairs

TEXTS = all_pairs()[0]
SPEC = f"perplexity:model_id={TINY}"
CAUSAL = [name for name in SMALL if name != "bert"]

pytestmark = pytest.mark.filterwarnings("ignore:.*perplexity_lm. .* no token to score:UserWarning")


@pytest.fixture(scope="module", autouse=True)
def _quiet():
    from transformers.utils import logging

    logging.set_verbosity_error()


def loaded(folder):
    """Return a tokenizer and a network of a small model, as transformers loads them."""
    with torch.random.fork_rng(devices=[]):
        network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return AutoTokenizer.from_pretrained(folder), network


def options_of(name):
    return {"model_id": small_model(name), **({"add_start_token": False} if "without-bos" in name else {})}


def ids_of(text, tokenizer, start):
    return [*([tokenizer.bos_token_id] if start else []), *tokenizer(text, add_special_tokens=False)["input_ids"]]


def evaluate_s(texts, tokenizer, network, add_start_token=True, max_length=None):
    """Evaluate's definition, each text alone: with others, padding on the left would change what it says.

    In double precision: PyTorch's sums of 49,152 exponentials, transposed as evaluate has them, are off by 1e-4.
    """
    found = []
    for text in texts:
        room = None if max_length is None else max_length - add_start_token
        ids = torch.tensor([ids_of(text, tokenizer, False)[:room]])
        if add_start_token:
            ids = torch.cat([torch.tensor([[tokenizer.bos_token_id]]), ids], 1)
        with torch.no_grad():
            logits = network(ids, attention_mask=torch.ones_like(ids)).logits
        loss = torch.nn.functional.cross_entropy(logits.double()[0, :-1], ids[0, 1:])
        found.append(math.exp(loss))
    return found


def in_windows(ids, network, size, stride):
    """Sum of the losses, as "Perplexity of fixed-length models" takes them; and of how many tokens."""
    total, count, before = 0.0, 0, 0
    for begin in range(0, len(ids), stride):
        end = min(begin + size, len(ids))
        window = torch.tensor([ids[begin:end]])
        labels = window.clone()
        labels[:, : -(end - before)] = -100
        n_scored = int((labels[0, 1:] != -100).sum())
        with torch.no_grad():
            total += network(window, labels=labels).loss.item() * n_scored
        count, before = count + n_scored, end
        if end == len(ids):
            break
    return total, count


def test_the_scores_are_what_they_are_called():
    options = {"model_id": small_model("qwen2")}
    result = tercet.score("perplexity_lm", TEXTS, **options)
    tokenizer, _ = loaded(options["model_id"])
    tokens = [len(ids_of(text, tokenizer, False)) for text in TEXTS]
    nll = np.log(result["perplexities"]) * tokens
    assert result["perplexity"] == pytest.approx(math.exp(nll.sum() / sum(tokens)))
    assert result["mean_perplexity"] == pytest.approx(np.mean(result["perplexities"]))
    assert result["bits_per_byte"] == pytest.approx(nll.sum() / math.log(2) / len("".join(TEXTS).encode()))
    assert result["bits_per_character"] == pytest.approx(nll.sum() / math.log(2) / len("".join(TEXTS)))
    assert result.scored_tokens == sum(tokens)


@pytest.mark.parametrize("name", CAUSAL)
class TestEqual:
    def test_to_the_model_s_own_loss_and_to_evaluate(self, name):
        options = options_of(name)
        start = options.get("add_start_token", True)
        tokenizer, network = loaded(options["model_id"])
        texts = [text for text in TEXTS if 2 <= len(ids_of(text, tokenizer, start)) <= LIMIT]
        found = tercet.score("perplexity_lm", texts, **options)["perplexities"]
        for text, value in zip(texts, found, strict=True):
            ids = torch.tensor([ids_of(text, tokenizer, start)])
            with torch.no_grad():
                assert value == pytest.approx(math.exp(network(ids, labels=ids).loss), rel=1e-5)
        assert found == pytest.approx(evaluate_s(texts, tokenizer, network, start), rel=1e-5)

    def test_with_onednn_too(self, name, monkeypatch):
        options = options_of(name)
        expected = tercet.score("perplexity_lm", TEXTS[:3], **options)["perplexities"]
        monkeypatch.setattr(onednn, "is_faster", lambda: True)
        model._language_model.cache_clear()
        assert tercet.score("perplexity_lm", TEXTS[:3], **options)["perplexities"] == pytest.approx(expected)
        model._language_model.cache_clear()


@pytest.mark.parametrize(("size", "stride"), [(LIMIT, None), (16, 5), (16, 15), (16, 1), (2, 1)])
def test_long_texts_are_scored_in_windows(size, stride):
    options = {"model_id": small_model("llama"), "max_length": size, "stride": stride}
    tokenizer, network = loaded(options["model_id"])
    texts = [" ".join(TEXTS), "a b", TEXTS[0]]
    result = tercet.score("perplexity_lm", texts, **options)
    sums = [in_windows(ids_of(text, tokenizer, True), network, size, stride or size // 2) for text in texts]
    assert result["perplexities"] == pytest.approx([math.exp(nll / count) for nll, count in sums], rel=1e-5)
    scored = sum(len(ids_of(text, tokenizer, False)) for text in texts)
    assert result.scored_tokens == sum(count for _, count in sums) == scored
    assert f"|length:{size}|long:window,{stride or size // 2}|" in result.signature


def test_as_evaluate_truncates():
    options = {"model_id": TINY, "max_length": 12}
    tokenizer, network = loaded(options["model_id"])
    module = tercet.load("perplexity_lm", "evaluate")
    with pytest.warns(UserWarning, match="longer than 12 tokens and truncated: long_text='window' scores"):
        found = module.compute(predictions=TEXTS, signature=True, **options)
    with pytest.warns(UserWarning, match="longer than 12 tokens and truncated"):
        ours = tercet.score("perplexity_lm", TEXTS, compat="evaluate", **options)
    assert list(found) == ["perplexities", "mean_perplexity", "signature"]
    assert found["perplexities"] == pytest.approx(evaluate_s(TEXTS, tokenizer, network, max_length=12), rel=1e-5)
    assert found["mean_perplexity"] == pytest.approx(np.mean(found["perplexities"]))
    cut = [text for text in TEXTS if len(ids_of(text, tokenizer, True)) > 12]
    assert ours.truncated_predictions == len(cut) > 1
    assert "|compat:evaluate|equals:evaluate|" in found["signature"] == ours.signature


def test_bytes_are_those_of_the_tokens_that_are_scored():
    text = "Wolken über uns, darunter scheint die Sonne ☀ immer."
    options = {"model_id": TINY}
    why = tercet.explain("perplexity_lm", text, add_start_token=False, **options)
    scored = "".join(piece.text for piece in why.pieces if piece.surprisal is not None)
    assert why.bits_per_byte * len(scored.encode()) == pytest.approx(why.bits)
    assert 0 < len(scored) < len(text)
    with pytest.warns(UserWarning, match="1 text was longer than 6 tokens"):
        cut = tercet.explain("perplexity_lm", text, max_length=6, long_text="truncate", **options)
    beginning = "".join(piece.text for piece in cut.pieces if piece.surprisal is not None)
    assert text.startswith(beginning)
    assert cut.bits_per_character * len(beginning) == pytest.approx(cut.bits, rel=0.3)
    assert cut.n_tokens == 5


def test_equal_texts_are_scored_once(monkeypatch):
    seen, surprisals = [], model.LanguageModel.surprisals

    def watched(self, windows, batch_size):
        seen.append(len(windows.ids.lengths))
        return surprisals(self, windows, batch_size)

    monkeypatch.setattr(model.LanguageModel, "surprisals", watched)
    found = tercet.score("perplexity_lm", ["a b c"] * 50 + ["d e"], model_id=TINY)
    assert seen == [2]
    assert len({*found["perplexities"]}) == 2


def test_logits_are_held_in_slices(monkeypatch):
    expected = tercet.score("perplexity_lm", TEXTS, model_id=TINY)
    monkeypatch.setattr("tercet.metrics.perplexity._LOGITS_BYTES", 1)
    found = tercet.score("perplexity_lm", TEXTS, model_id=TINY)
    assert found["perplexities"] == pytest.approx(expected["perplexities"], rel=1e-6)


@pytest.mark.parametrize(("size", "stride"), [(None, 1), (4, 1), (4, 3), (5, 2)])
@given(lengths=st.lists(st.integers(0, 12), max_size=6))
def test_every_token_is_a_target_once(size, stride, lengths):
    rows = [list(range(length)) for length in lengths]
    windows = windows_of(rows, size, stride)
    targets = []
    for ids, first, target in zip(windows.ids.lists(), windows.first.tolist(), windows.target.tolist(), strict=True):
        assert 2 <= len(ids) <= (size or 12)
        assert first >= 1
        targets += [(target + index, each) for index, each in enumerate(ids[first:])]
        assert ids[first] == 1 or first >= (size or 0) - stride
    expected = [each for row in rows for each in row[1:]]
    assert sorted(targets) == list(enumerate(expected))


@pytest.mark.filterwarnings("ignore:dtype=.* is slow on this processor:UserWarning")
def test_half_precision_is_near_and_named():
    options = {"model_id": small_model("llama")}
    full, half = (tercet.score("perplexity_lm", TEXTS, **options, dtype=each) for each in (None, "bfloat16"))
    assert half["perplexity"] == pytest.approx(full["perplexity"], rel=0.05)
    assert half["perplexity"] != full["perplexity"]
    assert "|dtype:bfloat16|" in half.signature
    assert full.signature.split("|")[1] != half.signature.split("|")[1]


class TestRefused:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({}, r"perplexity_lm needs 'model_id', the name of a causal language model"),
            ({"model_id": "/no/such/folder"}, r"There is no folder '/no/such/folder', given as 'model_id'"),
            ({"model_id": "no-such-model"}, r"The language model 'no-such-model' could not be loaded"),
            ({"max_length": 65}, r"'max_length' option of perplexity_lm must be from 2 to 64 .* Got 65"),
            ({"max_length": 8, "stride": 8}, r"'stride' option .* must be below the length of a window, 8 tokens"),
            ({"stride": 8, "long_text": "truncate"}, r"'stride' option .* only with long_text='window'"),
            ({"device": "nonsense"}, r"'device' option of perplexity_lm must be the name of a device"),
        ],
    )
    def test_options(self, given, message):
        options = {"model_id": TINY, **given} if given and "model_id" not in given else given
        with pytest.raises(OptionError, match=message):
            tercet.score("perplexity_lm", ["a b"], **options)

    @pytest.mark.parametrize(
        ("texts", "more", "message"),
        [
            (["a", None], {}, "item 1 of predictions must be a string, got None"),
            (["a", "b \ud800"], {}, "item 1 of predictions is not valid Unicode"),
            ("a text", {}, "predictions must be a list with one text per item"),
            ([], {}, "The corpus is empty: predictions must have at least one item"),
            (
                ["a", "b", ""],
                {},
                r"item 2 of .* is too short to be scored: '' has 0 tokens, expected at least one token\.",
            ),
            (["a b c", "x"], {"add_start_token": False}, r"item 1 of predictions .* 'x' has 1 token, .* two tokens"),
            (
                ["a", "a b c d"],
                {"max_length": 3, "long_text": "error"},
                r"item 1 .* \d+ tokens, more than the limit of 3",
            ),
            (["", ""], {"empty_text": "skip"}, r"No text has a token to score"),
        ],
    )
    def test_texts(self, texts, more, message):
        with pytest.raises(InputError, match=message):
            tercet.score("perplexity_lm", texts, model_id=TINY, **more)

    def test_the_item_is_named_by_its_number_in_the_corpus(self, monkeypatch):
        monkeypatch.setattr("tercet.base.pieces.PIECE_OF_NETWORKS", 2)
        with pytest.raises(InputError, match="item 5 of predictions"):
            tercet.score("perplexity_lm", ["a", "b", "c", "d", "e", ""], model_id=TINY)

    def test_a_network_that_is_no_causal_one(self):
        shown = {
            small_model("bert"): "its output at a token depends",
            MINILM: "its files hold no layer that predicts",
        }
        for folder, message in shown.items():
            with pytest.raises(OptionError, match=f"is not a causal language model: {message}"):
                tercet.score("perplexity_lm", ["a b"], model_id=folder)

    def test_a_start_token_that_is_not_there(self):
        with pytest.raises(OptionError, match=r"has no start token \(BOS\): give add_start_token=False"):
            tercet.score("perplexity_lm", ["a b"], model_id=small_model("gpt2-without-bos"))

    def test_weights_of_another_format(self, tmp_path):
        shutil.copytree(TINY, tmp_path, dirs_exist_ok=True)
        network = AutoModelForCausalLM.from_pretrained(tmp_path)
        (tmp_path / "model.safetensors").unlink()
        torch.save(network.state_dict(), tmp_path / "pytorch_model.bin")
        with pytest.raises(OptionError, match=r"could not be loaded; .* Only safetensors files are read.$"):
            tercet.score("perplexity_lm", ["a b"], model_id=tmp_path)


def test_texts_without_a_token_can_be_left_out():
    options = {"model_id": TINY, "segments": True, "confidence_level": 0.9}
    texts = ["", TEXTS[0], "", *TEXTS[1:5]]
    with pytest.warns(UserWarning, match="perplexity_lm: 2 texts have no token to score: left out"):
        some = tercet.score("perplexity_lm", texts, empty_text="skip", **options)
    assert some["perplexities"][0] is None
    assert some.empty_predictions == 2
    rest = tercet.score("perplexity_lm", TEXTS[:5], **options)
    for name in ("perplexity", "mean_perplexity", "bits_per_byte", "intervals"):
        assert some[name] == rest[name]
    message = "test set: perplexity_lm: 2 segments are not scored for every system, and are left out for all of them"
    systems = {"one": ["", *TEXTS[:5]], "other": [*TEXTS[:5], ""]}
    with pytest.warns(UserWarning, match=message):
        found = tercet.compare(systems, [f"{SPEC},empty_text=skip"], n_resamples=20)
    wins = [row.wins + row.ties + row.losses for row in found.tables[0].rows if row.wins is not None]
    assert wins == [4]  # what one lacks is left out for both


class TestModule:
    def test_takes_predictions_alone_under_any_of_their_names(self):
        module, options = tercet.load("perplexity_lm"), {"model_id": TINY}
        expected = tercet.score("perplexity_lm", TEXTS, **options)
        for name in ("predictions", "input_texts", "data"):
            assert module.compute(**{name: TEXTS}, **options) == expected
        module.add_batch(predictions=TEXTS[:3])
        module.add_batch(data=TEXTS[3:5], references=["what", "ever"])
        for text in TEXTS[5:]:
            module.add(prediction=text)
        assert module.compute(**options) == expected
        with pytest.raises(InputError, match="input_texts is another name of predictions: give only one"):
            module.compute(predictions=TEXTS, input_texts=TEXTS, **options)

    @pytest.mark.filterwarnings("ignore:rouge_nlws. the tokenizer of rouge_score:UserWarning")
    def test_is_combined_with_metrics_that_need_references(self):
        import evaluate

        predictions, references = all_pairs()
        both, options = evaluate.combine([tercet.load("rouge"), tercet.load("perplexity")]), {"model_id": TINY}
        found = both.compute(predictions=predictions, references=references, **options)
        assert found["perplexity"] == tercet.score("perplexity", predictions, **options)["perplexity"]
        assert "rougeL" in found


def test_references_change_nothing():
    options = {"model_id": TINY, "confidence_level": 0.9}
    predictions, references = all_pairs()
    expected = tercet.score("perplexity", predictions, **options)
    for ignored in (references, [[]] * len(predictions), ["one too few"]):
        for policy in ("error", "skip", "zero"):
            found = tercet.score("perplexity", predictions, ignored, missing_references=policy, scale=100, **options)
            assert (found, found.signature, found.missing_references) == (expected, expected.signature, 0)


def test_a_metric_that_compares_still_needs_them():
    with pytest.raises(InputError, match="references must be a list"):
        tercet.score("bleu", ["a b"])
    with pytest.raises(InputError, match="needs references= for bleu_multi, which compares"):
        tercet.compare({"one": ["a"]}, ["bleu", SPEC])


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a b c"], "'other' must have one entry per item, as the first system has: got 1, expected 2"),
        (["a b c", ""], "test set: the system 'other': perplexity_lm: item 1 of predictions is too short"),
    ],
)
def test_a_comparison_names_the_system_that_is_wrong(texts, message):
    with pytest.raises(InputError, match=message):
        tercet.compare({"one": ["a b", "c d"], "other": texts}, [SPEC])


def test_lower_is_better_in_a_comparison():
    spec = f"perplexity_lm:model_id={smollm2()}"
    found = tercet.compare({"shuffled": SHUFFLED, "fluent": FLUENT}, [spec], n_resamples=500)
    names = ["perplexity", "mean_perplexity", "bits_per_byte", "bits_per_character"]
    assert [table.name for table in found.tables] == names
    for table in found.tables:
        shuffled, fluent = table.rows
        assert (shuffled.best, fluent.best, fluent.wins, fluent.losses) == (False, True, len(FLUENT), 0)
        assert fluent.difference < 0
        assert fluent.pvalue < 0.05
    assert f"Lower is better: {', '.join(names)}." in found.legend()
    given = {"predictions1": SHUFFLED, "predictions2": FLUENT, "model_id": smollm2(), "n_resamples": 500}
    test = tercet.load("paired_significance").compute(metric="perplexity_lm", **given)
    assert test["stat"] < 0
    assert test["p"] < 0.05


FLUENT = [
    "The cat sat on the mat and looked out of the window.",
    "The weather is nice today, so we will go to the park.",
    "He opened the door and walked slowly into the room.",
    "Water boils at one hundred degrees Celsius.",
    "She wrote a long letter to her brother in Canada.",
    "The train to London leaves at seven in the morning.",
]
SHUFFLED = [
    "mat the window on cat sat of looked and the out the.",
    "nice park weather the go today, so is we the to will.",
    "room door the he slowly opened walked into the and.",
    "hundred at Celsius boils degrees one water.",
    "letter brother a her wrote to in long she Canada.",
    "seven the London train morning at leaves in the to.",
]


@pytest.mark.long
def test_a_real_model_prefers_what_it_knows():
    folder = smollm2()
    result = tercet.score("perplexity_lm", [*FLUENT, *SHUFFLED], model_id=folder)
    fluent, shuffled = result["perplexities"][:6], result["perplexities"][6:]
    assert all(3 * one < other for one, other in zip(fluent, shuffled, strict=True))
    tokenizer, network = loaded(folder)
    assert result["perplexities"] == pytest.approx(evaluate_s([*FLUENT, *SHUFFLED], tokenizer, network), rel=1e-5)
    thai = ["แมวนอนบนเสื่อและมองออกไปนอกหน้าต่าง", "วันนี้อากาศดีเราจะไปสวนสาธารณะ"]
    english, thai = (tercet.score("perplexity_lm", texts, model_id=folder) for texts in (FLUENT, thai))
    assert english["bits_per_character"] < thai["bits_per_character"] / 2
    json.dumps(result)


@pytest.mark.parametrize("options", [{}, {"add_start_token": False, "empty_text": "skip"}, {"max_length": 4}])
def test_no_honest_sums_are_taken_for_forged(options, tmp_path):
    texts = [*TEXTS, "a", "猫", "ё", "the cat " * 20]
    stream = tercet.Stream("perplexity", model_id=small_model("gpt2"), **options)
    stream.add(texts)
    stats = tercet.scorer("perplexity", model_id=small_model("gpt2"), **options).stats(texts)
    for chain in tercet.scorer("perplexity", model_id=TINY).ascending:
        for name, larger in itertools.pairwise(chain):
            assert (stats.column(name) <= stats.column(larger)).all(), (name, larger)
    stream.save(tmp_path / "a.stream")
    assert dict(tercet.Stream.load(tmp_path / "a.stream").result()) == dict(stream.result())

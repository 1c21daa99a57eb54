"""BERTScore around the matching itself: long texts, many references, baselines, what is kept and what is held."""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from bert_score import score as official_score
from transformers import AutoModel

import tercet
from tercet import InputError, OptionError
from tercet.metrics.bertscore import matching
from tercet.metrics.bertscore import matching as pairs
from tercet.networks import encoder as encoding
from tercet.networks import load, onednn
from tercet.networks.load import encoder_of, subwords_of
from texts import MINILM, all_pairs

PREDICTIONS, REFERENCES = all_pairs()
ENCODER = {"model_type": MINILM, "num_layers": 3, "idf": False}
LONG = " ".join(f"the {word} sat on mat number {number}" for number in range(120) for word in ("cat", "dog"))
MEASURES = ("precision", "recall", "f1")

ignore_cut = pytest.mark.filterwarnings("ignore:bertscore_idf. .* longer than .* tokens:UserWarning")


def result_of(predictions=PREDICTIONS, references=REFERENCES, **options):
    return tercet.score("bertscore_idf", predictions, references, **{**ENCODER, **options})


def measures(*given, **options):
    result = result_of(*given, **options)
    return np.array([result[name] for name in MEASURES])


def emptied(encoder):
    encoder._blocks.clear()
    encoder._kept.clear()
    return encoder


@pytest.fixture
def encoder():
    """The encoder with nothing kept of earlier tests."""
    return emptied(encoder_of(MINILM, 3))


@pytest.fixture
def filled(monkeypatch):
    """The ids of every window that goes through the network."""
    seen = []
    fill = encoding.fill

    def watch(vectors, norms, windows, *rest, **options):
        seen.extend(row.tolist() for row in np.split(windows.ids.values, windows.ids.offsets[1:-1]) if len(row))
        fill(vectors, norms, windows, *rest, **options)

    monkeypatch.setattr(encoding, "fill", watch)
    return seen


def test_a_text_is_like_itself_and_less_like_another():
    same, other = measures(["a cat"], [["a cat"]]), measures(["a cat"], [["a train"]])
    assert same == pytest.approx([1, 1, 1], abs=1e-5)
    assert (other < 0.99).all()


class TestALongText:
    @ignore_cut
    def test_is_cut_as_bert_score_cuts_it(self):
        found = measures([LONG, "a"], ["the cat", LONG])
        expected = official_score([LONG, "a"], ["the cat", LONG], model_type=MINILM, num_layers=3)
        assert found == pytest.approx(np.stack(expected), abs=1e-5)

    def test_is_counted_and_said(self):
        with pytest.warns(UserWarning, match="3 texts were longer than 512 tokens and truncated"):
            result = result_of([LONG, "a"], [[LONG, "b", LONG + " more"], ["c"]])
        assert (result.truncated_predictions, result.truncated_references) == (1, 2)

    @pytest.mark.parametrize(
        ("predictions", "references", "message"),
        [
            (
                ["a", LONG],
                ["a", "b"],
                r"item 1 of predictions has \d+ tokens, more than the encoder's limit of 512: 'the cat sat",
            ),
            (["a"] * 4, [["a"], ["b", "c"], ["c"], ["b", LONG]], r"item 3 of references has \d+ tokens"),
        ],
    )
    def test_is_refused_by_its_item(self, predictions, references, message):
        with pytest.raises(InputError, match=message):
            result_of(predictions, references, long_text="error", n_jobs=2)

    def test_in_windows_is_embedded_with_the_most_context(self):
        limit = 20
        result = result_of([LONG], ["a dog sat on a mat"], long_text="window", max_length=limit)
        cosines = _by_hand(LONG, limit) @ _by_hand("a dog sat on a mat", limit).T
        for axis, name in ((1, "precision"), (0, "recall")):
            assert result[name] == pytest.approx([cosines.max(axis).values[1:-1].mean().item()], abs=1e-5)
        assert result.truncated_predictions == 0

    @ignore_cut
    def test_is_recalled_as_it_was_embedded_however_the_limit_changes(self):
        text = " ".join(LONG.split()[:60])
        for limit in (30, 200, 30, 200):
            expected = _by_hand(text, limit)[1:-1] @ _by_hand("a cat", limit).T
            found = measures(["a cat"], [text], long_text="window", max_length=limit)
            assert found[1] == pytest.approx([expected.max(1).values.mean().item()], abs=1e-5)


def _by_hand(text, limit):
    """Embed a text token by token: each in the window of step (limit - 2) / 2 where it is farthest from an edge."""
    tokenizer, model = subwords_of(MINILM).tokenizer, AutoModel.from_pretrained(MINILM).eval()
    ids = tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
    cls, sep, inside = tokenizer.cls_token_id, tokenizer.sep_token_id, limit - 2
    starts = sorted({*range(0, max(len(ids) - inside, 0), inside // 2), max(len(ids) - inside, 0)})
    with torch.no_grad():
        windows = [torch.tensor([[cls, *ids[start : start + inside], sep]]) for start in starts]
        states = [model(window, output_hidden_states=True).hidden_states[3][0] for window in windows]
    rows = [states[0][0]]
    for token in range(len(ids)):
        there = [number for number, start in enumerate(starts) if start <= token < start + inside]
        best = max(there, key=lambda number: (_distance(token - starts[number], number, len(starts), inside), number))
        rows.append(states[best][token - starts[best] + 1])
    rows.append(states[-1][-1])
    return torch.nn.functional.normalize(torch.stack(rows), dim=1)


def _distance(place, number, n_windows, inside):
    """How far a place is from the edges of a window, those aside at which the text itself begins and ends."""
    left = place if number > 0 else inside
    right = inside - 1 - place if number < n_windows - 1 else inside
    return min(left, right)


class TestManyReferences:
    def test_say_which_one_won(self):
        predictions = ["the cat sat on the mat", "a dog"]
        references = [["nothing of it", "the cat sat on the mat", "a cat sat"], ["a dog"]]
        result = result_of(predictions, references)
        assert result.best_references == {"precision": [1, 0], "recall": [1, 0], "f1": [1, 0]}
        assert "best_references" not in result_of(predictions, [texts[0] for texts in references])

    def test_give_the_greatest_of_each_measure_or_all_of_one(self):
        repeated = [text for text, texts in zip(PREDICTIONS, REFERENCES, strict=True) for _ in texts]
        single = measures(repeated, [reference for texts in REFERENCES for reference in texts])
        bounds = np.cumsum([0, *map(len, REFERENCES)])
        groups = [single[:, start:stop] for start, stop in pairwise(bounds)]
        greatest = np.stack([group.max(1) for group in groups], 1)
        of_best_f = np.stack([group[:, group[2].argmax()] for group in groups], 1)
        assert measures() == pytest.approx(greatest, abs=2e-6)
        assert measures(multi_ref="best_f") == pytest.approx(of_best_f, abs=2e-6)
        assert abs(greatest - of_best_f).max() > 1e-3


def test_all_layers_give_a_list_per_layer_and_flat_means():
    result = result_of(all_layers=True, segments=True)
    assert np.array(result["f1"]).shape == (7, len(PREDICTIONS))
    for layer in range(7):
        assert result[f"mean_f1_layer{layer}"] == pytest.approx(np.mean(result["f1"][layer]))
        assert result["segments"][f"f1_layer{layer}"] == result["f1"][layer]


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable:UserWarning")  # of bert-score
class TestABaseline:
    FILE = "LAYER,P,R,F\n0,.1,.1,.1\n1,.1,.1,.1\n2,.1,.1,.1\n3,.4,.3,.2\n4,.1,.1,.1\n5,.1,.1,.1\n6,.1,.1,.1\n"

    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "baseline.tsv"
        path.write_text(self.FILE)
        return path

    def test_is_taken_off_and_the_rest_spread(self, path):
        official = official_score(
            PREDICTIONS, REFERENCES, model_type=MINILM, num_layers=3, lang="en",
            rescale_with_baseline=True, baseline_path=str(path), return_hash=True,
        )  # fmt: skip
        result = result_of(rescale_with_baseline=True, baseline_path=path)
        assert [result[name] for name in MEASURES] == pytest.approx(np.stack(official[0]), abs=1e-5)
        assert result["hashcode"] == official[1]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({}, "needs 'lang', to find bert-score's baseline, or a baseline file. Give 'baseline_path': `tercet"),
            ({"lang": "en"}, f"has no baseline of '{MINILM}' for 'en'. Give 'baseline_path'"),
            ({"baseline_path": "nowhere.tsv"}, "There is no file 'nowhere.tsv', given as 'baseline_path'"),
        ],
    )
    def test_that_is_missing_is_asked_for(self, options, message):
        with pytest.raises(OptionError, match=message):
            result_of(rescale_with_baseline=True, **options)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "its first line must be LAYER,P,R,F"),
            ("a,b\n", "its first line must be LAYER,P,R,F"),
            ("LAYER,P,R,F\n", "has no baselines after its first line"),
            ("LAYER,P,R,F\n\n\n0,.1,.1\n", "line 4: expected the layer 0"),
            ("LAYER,P,R,F\n0,.1,.1\n", "line 2: expected the layer 0 and three numbers"),
            ("LAYER,P,R,F\n0,.1,.1,.1\n2,.1,.1,.1\n", "line 3: expected the layer 1"),
            ("LAYER,P,R,F\n0,.1,.1,1\n", "line 2: .* three numbers below 1"),
            ("LAYER,P,R,F\n0,.1,x,.1\n", "line 2"),
            ("LAYER,P,R,F\n0,.1,.1,.1\n", "has baselines for layers 0 to 0, but layers 3 to 3 are needed"),
        ],
    )
    def test_that_is_broken_is_refused_by_its_line(self, content, message, path):
        path.write_text(content)
        with pytest.raises(tercet.TercetError, match=message):
            result_of(rescale_with_baseline=True, baseline_path=path)

    def test_may_begin_as_excel_writes_it_but_must_be_text(self, path):
        path.write_text(self.FILE, encoding="utf-8-sig")
        assert measures(rescale_with_baseline=True, baseline_path=path)[0].max() < 1.01
        path.write_bytes(self.FILE.encode("utf-16"))
        with pytest.raises(InputError, match="is not a text file in UTF-8"):
            result_of(rescale_with_baseline=True, baseline_path=path)

    def test_is_taken_off_an_item_without_reference_too(self, path):
        """A missing reference is no better than an empty text."""
        options = {"rescale_with_baseline": True, "baseline_path": path, "missing_references": "zero"}
        result = result_of(["a cat", "", "a dog"], [["a cat"], ["a cow"], None], **options)
        assert result["f1"][1] == result["f1"][2] == pytest.approx(-0.2 / 0.8)
        left_out = result_of(["a cat", "a dog"], [["a cat"], None], **{**options, "missing_references": "skip"})
        assert left_out["f1"] == [pytest.approx(1.0), None]
        assert left_out["mean_f1"] == pytest.approx(1.0)


class TestWhatGoesThroughTheNetwork:
    def test_is_every_different_text_once(self, encoder, filled):
        result_of(["a cat", "a dog", "a cat", " a cat\n"], [["a cat", "A CAT"], ["a dog"], ["a cow"], ["a cow"]])
        assert len(filled) == len(set(map(tuple, filled))) == 3

    def test_of_a_second_system_are_its_predictions_only(self, encoder, filled):
        first = measures()
        filled.clear()
        assert measures() == pytest.approx(first, abs=0)
        ids = subwords_of(MINILM).whole([text for texts in REFERENCES for text in texts])
        known = {tuple(row.tolist()) for row in np.split(ids.values, ids.offsets[1:-1])}
        assert filled
        assert not known & set(map(tuple, filled))

    def test_is_kept_within_a_limit_and_the_oldest_goes_first(self, encoder, filled, monkeypatch):
        sizes = subwords_of(MINILM).whole(["a cat", "a dog", "a cow"]).lengths
        assert sizes.tolist() == [4, 4, 4]
        monkeypatch.setattr(encoding, "KEPT_BYTES", 8 * encoder.token_bytes)
        for reference in ("a cat", "a dog", "a cat", "a cow"):  # the dog is the oldest when the cow needs room
            measures(["x"], [reference])
        filled.clear()
        for reference in ("a cat", "a cow", "a dog"):
            measures(["x"], [reference])
        assert [subwords_of(MINILM).tokens(row)[2] for row in filled if len(row) == 4] == ["dog"]
        assert sum(block.n_bytes for block in encoder._blocks) <= 8 * encoder.token_bytes

    def test_is_not_kept_at_all_without_room(self, encoder, monkeypatch):
        expected = measures()
        monkeypatch.setattr(encoding, "KEPT_BYTES", 0)
        emptied(encoder)
        assert measures() == pytest.approx(expected, abs=2e-6)
        assert not encoder._blocks


class TestMemory:
    def test_of_embeddings_is_taken_in_parts(self, encoder, monkeypatch):
        expected = measures(idf=True)
        sizes = []
        embed = encoding.Encoder.embed
        monkeypatch.setattr(pairs, "STORE_BYTES", 100 * encoder.token_bytes)
        monkeypatch.setattr(
            encoding.Encoder, "embed",
            lambda self, windows, rows, *rest: sizes.append(len(rows.values)) or embed(self, windows, rows, *rest),
        )  # fmt: skip
        assert measures(idf=True) == pytest.approx(expected, abs=2e-6)
        assert len(sizes) > 5
        assert max(sizes) <= 100

    def test_of_the_matching_does_not_grow_with_the_number_of_pairs(self, monkeypatch):
        """100,000 pairs of random vectors, some of them long: no array of more than the limits."""
        rng = np.random.default_rng(7)
        lengths = np.append(rng.integers(1, 30, 200), [3000, 4000])
        offsets = np.append(0, np.cumsum(lengths))
        drawn = torch.from_numpy(rng.normal(size=(1, offsets[-1], 8)).astype(np.float32))
        vectors = torch.nn.functional.normalize(drawn, dim=-1)
        left, right = rng.integers(0, 200, 100_000), rng.integers(0, 200, 100_000)
        left[:3], right[:3] = (200, 5, 201), (201, 201, 200)
        sizes = []
        product = torch.bmm

        def watch(first, second):
            sizes.append(max(first.numel(), second.numel(), len(first) * first.shape[1] * second.shape[2]))
            return product(first, second)

        monkeypatch.setattr(torch, "bmm", watch)
        weights = np.repeat(1 / lengths, lengths).astype(np.float32)
        precision, recall = matching.match(encoding.Store(vectors, offsets), weights, left, right)
        assert max(sizes) <= max(matching._GATHERED, matching._SIMILARITIES)
        for pair in (0, 1, 2, 3, 77_777):
            one, other = (vectors[0, offsets[each] : offsets[each + 1]] for each in (left[pair], right[pair]))
            for axis, found in ((1, precision), (0, recall)):
                expected = (one @ other.T).max(axis).values.mean().item()
                assert found[0, pair] == pytest.approx(expected, abs=1e-5)


class TestSettingsThatDoNotChangeTheScore:
    @pytest.mark.parametrize(
        "options",
        [
            {"batch_size": 1}, {"batch_size": 1000}, {"device": "cpu"}, {"device": torch.device("cpu")},
            {"dtype": "float32"}, {"dtype": torch.float32}, {"nthreads": 0}, {"use_fast_tokenizer": True},
            {"max_length": 512}, {"lang": "en"}, {"model_type": Path(MINILM)}, {"verbose": False},
        ],
        ids=str,
    )  # fmt: skip
    def test_is_one(self, options):
        assert measures(**options) == pytest.approx(measures(), abs=2e-6)

    def test_so_is_onednn(self, monkeypatch):
        expected = measures()
        for is_faster in (False, True):
            monkeypatch.setattr(onednn, "is_faster", lambda is_faster=is_faster: is_faster)
            load._encoder.cache_clear()
            assert measures() == pytest.approx(expected, abs=2e-6)
        load._encoder.cache_clear()

    def test_onednn_is_left_out_where_it_fails(self, monkeypatch):
        def broken(layer):
            raise RuntimeError("no such operator")

        monkeypatch.setattr(onednn, "converted", broken)
        onednn.is_faster.cache_clear()
        assert not onednn.is_faster()
        onednn.is_faster.cache_clear()

    def test_verbose_shows_progress(self, capsys):
        result_of(verbose=True)
        assert "bertscore_idf: encoding: 100%" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:dtype=.* is slow on this processor:UserWarning")
def test_half_precision_is_near_and_said():
    exact, near = result_of(), result_of(dtype="bfloat16")
    difference = np.abs(np.array(exact["f1"]) - near["f1"]).max()
    assert 0 < difference < 2e-2
    assert "|dtype:bfloat16|" in near.signature
    assert "equals:" not in near.signature


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize(("device", "called"), [
    ("cuda", "cuda"), ("cuda:3", "cuda:3"), ("mps", "mps"), ("meta", "meta"),
    ("gpu", "cuda"), (0, "cuda:0"), ("1", "cuda:1"), (np.int64(2), "cuda:2"), (torch.device("cuda", 3), "cuda:3"),
])  # fmt: skip
def test_a_device_that_is_not_there_is_refused(device, called):
    with pytest.raises(OptionError, match=f"The 'device' '{called}' cannot be used here"):
        result_of(device=device)


def test_compat_names_the_batch_and_takes_one_thread():
    """bert-score's padding makes 0 of a negative best match, so that its numbers depend on the batch."""
    first, second = (result_of(compat="bert_score", batch_size=size) for size in (1, 64))
    assert first.signature != second.signature
    assert "|batch:1|equals:bert-score|" in first.signature
    assert "|equals:bert-score(batch_size=1)|" in result_of().signature
    with pytest.raises(OptionError, match="'compat'='bert_score' takes n_jobs=1 only"):
        result_of(compat="bert_score", n_jobs=2)


@pytest.mark.parametrize(
    ("metric", "package"), [("bertscore_idf", "torch"), ("bertscore_idf", "transformers"), ("perplexity_lm", "torch")]
)
def test_a_package_that_is_not_there_is_named_before_the_device(monkeypatch, metric, package):
    monkeypatch.setitem(sys.modules, package, None)
    given = {"model_id": "a"} if metric == "perplexity_lm" else {"lang": "en"}
    message = f"needs the package '{package}', which is not installed: pip install"
    with pytest.raises(OptionError, match=message):
        tercet.score(metric, ["a"], ["a"], **given)
    if package == "torch":
        with pytest.raises(OptionError, match=f"{metric} {message}"):
            tercet.scorer(metric, **given, device="cpu")

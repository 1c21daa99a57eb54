"""What folders of sentence-transformers declare: written by that package, and scored as it does."""

import json
import shutil
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules

import small_encoders
import tercet
from tercet import OptionError
from texts import MINILM, all_pairs

PREDICTIONS, REFERENCES = all_pairs()
SINGLES = [texts[0] for texts in REFERENCES]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoders")
    small_encoders.build("bert", folder)
    small_encoders.build("roberta", folder)
    return folder


@pytest.fixture(autouse=True)
def _dense_layers_are_drawn():
    with torch.random.fork_rng():
        torch.manual_seed(5)
        yield


def saved(folder, *behind, name="bert", settings=None, **more):
    """Write a folder of sentence-transformers, and return it."""
    target = folder / "saved"
    transformer = modules.Transformer(str(folder / name), **(settings or {}))
    SentenceTransformer(modules=[transformer, *behind], device="cpu", **more).save(str(target))
    return target


def change_first_module(folder, **changed):
    listed = json.loads((folder / "modules.json").read_text())
    listed[0] |= changed
    (folder / "modules.json").write_text(json.dumps(listed))


@pytest.fixture
def home(plain, tmp_path):
    return Path(shutil.copytree(plain, tmp_path / "home"))


def same(folder, **options):
    """Score, and check that sentence-transformers has the same cosines; return the signature."""
    result = tercet.score("cosine", PREDICTIONS, SINGLES, model_type=folder, segments=True, **options)
    model = SentenceTransformer(str(folder), device="cpu")
    embedded = model.encode([*PREDICTIONS, *SINGLES], show_progress_bar=False).astype(np.float64)
    one, other = np.split(embedded / np.linalg.norm(embedded, axis=1, keepdims=True), 2)
    assert result["segments"]["cosine"] == pytest.approx((one * other).sum(1).tolist(), abs=1e-5)
    assert "|equals:sentence-transformers|" in result.signature
    return result.signature


class TestPooling:
    @pytest.mark.parametrize("mode", ["mean", "cls", "max", "lasttoken", "weightedmean", "mean_sqrt_len_tokens"])
    def test_is_the_declared_one(self, home, mode):
        assert f"|pooling:{mode}|" in same(saved(home, modules.Pooling(32, mode)))

    @pytest.mark.parametrize(
        ("key", "mode"),
        [("cls_token", "cls"), ("max_tokens", "max"), ("mean_tokens", "mean"), ("lasttoken", "lasttoken")],
    )
    def test_is_read_in_the_words_of_older_folders(self, home, key, mode):
        folder = saved(home, modules.Pooling(32, "mean"))
        keys = ("cls_token", "max_tokens", "mean_tokens", "lasttoken")
        old = {"word_embedding_dimension": 32, **{f"pooling_mode_{each}": each == key for each in keys}}
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(old))
        assert f"|pooling:{mode}|" in same(folder)

    def test_gives_way_to_the_one_that_is_asked_for(self, home):
        folder = saved(home, modules.Pooling(32, "cls"))
        asked, plain = (
            tercet.score("cosine", PREDICTIONS, SINGLES, model_type=each, pooling="mean", segments=True)
            for each in (folder, home / "bert")
        )
        assert asked["segments"] == plain["segments"]
        assert "equals" not in asked.signature

    def test_by_several_side_by_side_is_refused(self, home):
        folder = saved(home, modules.Pooling(32, ("mean", "cls")))
        with pytest.raises(OptionError, match="pools by mean and cls, which embedding_cosine does not support"):
            same(folder)


class TestWhatFollows:
    def test_is_a_division_by_the_length(self, home):
        assert "dense" not in same(saved(home, modules.Pooling(32, "mean"), modules.Normalize()))

    @pytest.mark.parametrize("activation", [torch.nn.Tanh(), torch.nn.Identity()])
    @pytest.mark.parametrize("bias", [True, False])
    def test_or_a_dense_layer(self, home, activation, bias):
        first, second = (
            modules.Dense(*sizes, bias=bias, activation_function=activation) for sizes in ((32, 48), (48, 16))
        )
        folder = saved(home, modules.Pooling(32, "mean"), first, modules.Normalize(), second)
        signature = same(folder)
        assert "|dense:" in signature
        why = tercet.explain("cosine", PREDICTIONS[0], SINGLES[0], model_type=folder)
        assert why.decomposes is False
        weights = load_file(folder / "2_Dense" / "model.safetensors")
        torch.save(weights, folder / "2_Dense" / "pytorch_model.bin")
        (folder / "2_Dense" / "model.safetensors").unlink()
        with pytest.raises(OptionError, match=r"dense layer '2_Dense' .* has no model\.safetensors.*use_safetensors"):
            same(folder)
        assert same(folder, use_safetensors=False) == signature

    def test_or_what_is_refused(self, home):
        with pytest.raises(OptionError, match=r"has a module 'LayerNorm', which embedding_cosine does not support"):
            same(saved(home, modules.Pooling(32, "mean"), modules.LayerNorm(32)))
        folder = saved(home, modules.Pooling(32, "mean"), modules.Dense(32, 8, activation_function=torch.nn.ReLU()))
        with pytest.raises(
            OptionError, match=r"has a dense layer of a kind that is not known here \(torch\..*\.ReLU\)"
        ):
            same(folder)


class TestMatryoshka:
    def test_embeddings_are_cut_where_declared(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), truncate_dim=8)
        assert "|dims:8|" in same(folder)
        whole = tercet.score("cosine", PREDICTIONS, SINGLES, model_type=folder, truncate_dim=32)
        assert "|dims:" not in whole.signature
        assert "|equals:" not in whole.signature
        plain = tercet.score("cosine", PREDICTIONS, SINGLES, model_type=home / "bert")
        assert whole["cosine"] == pytest.approx(plain["cosine"], abs=1e-6)

    def test_or_behind_the_last_layer(self, home):
        dense = modules.Dense(32, 48, activation_function=torch.nn.Tanh())
        folder = saved(home, modules.Pooling(32, "cls"), dense, modules.Normalize(), truncate_dim=40)
        assert "|dims:40|" in same(folder)
        assert "|dims:" not in same(saved(home, modules.Pooling(32, "cls"), dense, truncate_dim=99))

    @pytest.mark.parametrize("mode", ["mean", "max", "cls"])
    def test_or_as_asked(self, home, mode):
        folder = saved(home, modules.Pooling(32, mode))
        given = {"model_type": folder, "truncate_dim": 5, "segments": True}
        found = tercet.score("cosine", PREDICTIONS, SINGLES, **given)
        assert "|dims:5|" in found.signature
        assert "|equals:" not in found.signature
        model = SentenceTransformer(str(folder), device="cpu", truncate_dim=5)
        expected = model.similarity_pairwise(*(model.encode(texts) for texts in (PREDICTIONS, SINGLES)))
        assert found["segments"]["cosine"] == pytest.approx(expected.tolist(), abs=1e-5)
        for most in (33, 10**9):
            with pytest.raises(OptionError, match=rf"'truncate_dim' option .* from 1 to 32 .* Got {most} instead"):
                tercet.score("cosine", PREDICTIONS, SINGLES, model_type=folder, truncate_dim=most)

    def test_tokens_add_up_to_the_cosine_of_what_is_left(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), truncate_dim=8)
        why = tercet.explain("cosine", PREDICTIONS[0], SINGLES[0], model_type=folder)
        score = tercet.score("cosine", PREDICTIONS[:1], SINGLES[:1], model_type=folder)["cosine"]
        assert why.cosine == pytest.approx(score, abs=1e-6)
        for tokens in (why.prediction_tokens, why.reference_tokens):
            assert sum(token.contribution for token in tokens) == pytest.approx(score, abs=1e-5)


MODEL, NETWORK = "config_sentence_transformers.json", "sentence_bert_config.json"
DENSE = (modules.Dense(32, 8, activation_function=torch.nn.Tanh()),)


class TestWhatIsNotKnownHere:
    @pytest.mark.parametrize(
        ("file", "declared"),
        [
            (MODEL, {"model_type": "SparseEncoder"}),
            (MODEL, {"truncate_dim": "8"}),
            (MODEL, {"truncate_dim": 0}),
            (MODEL, {"truncate_dim": True}),
            (MODEL, {"quantize_embeddings": "int8"}),
            (MODEL, {"default_prompt_name": "nowhere"}),
            (NETWORK, {"max_seq_length": "256"}),
            (NETWORK, {"transformer_task": "fill-mask"}),
            (NETWORK, {"modality_config": {"message": {"method": "forward"}}}),
            (NETWORK, {"modality_config": {"text": {"method": "forward", "method_output_name": "pooler_output"}}}),
            (NETWORK, {"module_output_name": "sentence_embedding"}),
            (NETWORK, {"processing_kwargs": {"text": {"max_length": 4}}}),
            (NETWORK, {"query_length": 8}),
            (NETWORK, {"model_args": {"dtype": "bfloat16"}}),
            (NETWORK, {"processor_kwargs": {"truncation_side": "left"}}),
            (NETWORK, {"tokenizer_name_or_path": "other"}),
            ("1_Pooling/config.json", {"pooling_mode_median_tokens": True}),
            ("2_Normalize/config.json", {"module_input_name": "token_embeddings"}),
            ("3_Dense/config.json", {"use_residual": True}),
            ("3_Dense/config.json", {"module_output_name": "more"}),
            ("3_Dense/config.json", {"rank": 4}),
        ],
    )
    def test_is_refused_by_name(self, home, file, declared):
        folder = saved(home, modules.Pooling(32, "mean"), modules.Normalize(), *DENSE)
        path = folder / file
        path.write_text(json.dumps({**(json.loads(path.read_text()) if path.exists() else {}), **declared}))
        (name,) = declared
        with pytest.raises(OptionError, match=rf"given as 'model_type', declares '{name}': "):
            same(folder)

    @pytest.mark.parametrize("kind", ["custom_st.Transformer", "modeling.own.Pooling", "Normalize", ""])
    def test_nor_is_code_of_the_folder_taken_for_a_module_of_the_package(self, home, kind):
        folder = saved(home, modules.Pooling(32, "mean"))
        listed = json.loads((folder / "modules.json").read_text())
        for place in range(len(listed)):
            changed = [each | ({"type": kind} if number == place else {}) for number, each in enumerate(listed)]
            (folder / "modules.json").write_text(json.dumps(changed))
            with pytest.raises(OptionError, match=rf"has a module '{kind}', which"):
                same(folder)

    def test_nor_is_an_activation_of_the_folder_taken_for_one_of_torch(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), *DENSE)
        path = folder / "2_Dense" / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "activation_function": "own.Tanh"}))
        with pytest.raises(OptionError, match=r"dense layer of a kind that is not known here \(own\.Tanh\)"):
            same(folder)

    def test_nor_is_a_folder_without_pooling_pooled(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), *DENSE)
        listed = json.loads((folder / "modules.json").read_text())
        for left, message in (([0], "has no module that pools"), ([0, 2], "has a module 'Dense' before any pooling")):
            (folder / "modules.json").write_text(json.dumps([listed[place] for place in left]))
            with pytest.raises(OptionError, match=message):
                same(folder)

    @pytest.mark.parametrize(
        "required", [{"transformers": ">=99"}, {"pytorch": {"specifier": "<1", "reason": "x"}}, {"nowhere": ""}]
    )
    def test_other_versions_that_are_required_are_named(self, home, required):
        folder = saved(home, modules.Pooling(32, "mean"))
        path = folder / MODEL
        settings = json.loads(path.read_text())
        path.write_text(json.dumps({**settings, "requirements": {"python": ">=3.11", "torch": ">=2"}}))
        same(folder)
        path.write_text(json.dumps({**settings, "requirements": required}))
        with pytest.raises(OptionError, match=rf"requires {next(iter(required))}"):
            tercet.score("cosine", PREDICTIONS, SINGLES, model_type=folder)

    def test_another_similarity_leaves_the_cosine_and_the_signature_promises_nothing(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), similarity_fn_name="dot")
        found = tercet.score("cosine", PREDICTIONS, SINGLES, model_type=folder, segments=True)
        model = SentenceTransformer(str(folder), device="cpu", similarity_fn_name="cosine")
        expected = model.similarity_pairwise(*(model.encode(texts) for texts in (PREDICTIONS, SINGLES)))
        assert found["segments"]["cosine"] == pytest.approx(expected.tolist(), abs=1e-5)
        assert "equals" not in found.signature


class TestTheNetwork:
    @pytest.mark.filterwarnings("ignore:embedding_cosine. .* truncated:UserWarning")
    def test_has_its_settings_in_files_of_older_names_too(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), name="roberta")
        (folder / NETWORK).unlink()
        (folder / "sentence_roberta_config.json").write_text(json.dumps({"max_seq_length": 9, "do_lower_case": True}))
        signature = same(folder)
        assert "|length:9|" in signature
        assert "|case:lc|" in signature

    def test_of_a_decoder_without_declarations_is_pooled_by_the_last_token_there(self, tmp_path):
        small_encoders.build("gemma3n_text", tmp_path)
        path = tmp_path / "gemma3n_text" / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "architectures": ["Gemma3nForCausalLM"]}))
        assert "|pooling:lasttoken|" in same(path.parent, pooling="lasttoken")
        mean = tercet.score("cosine", PREDICTIONS, SINGLES, model_type=path.parent)
        assert "|pooling:mean|" in mean.signature
        assert "equals" not in mean.signature

    @pytest.mark.filterwarnings("ignore:embedding_cosine. .* truncated:UserWarning")
    def test_takes_texts_as_long_as_declared(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), settings={"max_seq_length": 9})
        assert "|length:9|" in same(folder)

    def test_takes_texts_in_lower_case_where_declared(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), name="roberta")
        settings = folder / "sentence_bert_config.json"  # as older releases wrote it
        settings.write_text(json.dumps({**json.loads(settings.read_text()), "do_lower_case": True}))
        assert "|case:lc|" in same(folder)
        found = tercet.score("cosine", ["THE CAT"], ["the cat"], model_type=folder)
        assert found["cosine"] == 1.0
        assert tercet.score("cosine", ["THE CAT"], ["the cat"], model_type=home / "roberta")["cosine"] < 1.0

    def test_may_stand_in_a_folder_of_its_own(self, home):
        folder = saved(home, modules.Pooling(32, "cls"))
        inside = folder / "0_Transformer"
        inside.mkdir()
        for path in list(folder.iterdir()):
            if path.is_file() and path.name not in ("modules.json", "config_sentence_transformers.json"):
                path.rename(inside / path.name)
        change_first_module(folder, path="0_Transformer")
        assert "|pooling:cls|" in same(folder)

    def test_is_not_always_one_of_transformers(self, home):
        folder = saved(home, modules.Pooling(32, "cls"))
        change_first_module(folder, type="sentence_transformers.models.WordEmbeddings")
        with pytest.raises(OptionError, match="begins with a module 'WordEmbeddings' in place of a network"):
            same(folder)

    @pytest.mark.parametrize("text", ["{", "[1]", '{"a": 1}', "\xff"])
    def test_has_files_that_can_be_read(self, home, text):
        folder = saved(home, modules.Pooling(32, "cls"))
        (folder / "modules.json").write_text(text, encoding="latin-1")
        with pytest.raises(OptionError, match=r"modules\.json"):
            same(folder)


class TestThePrompt:
    MORE: ClassVar = {"prompts": {"query": "the cat: "}, "default_prompt_name": "query"}

    def test_stands_before_every_text(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), **self.MORE)
        assert "|prompt:" in same(folder)
        why = tercet.explain("cosine", "a dog", ["the dog"], model_type=folder)
        assert (why.prediction, why.reference) == ("the cat: a dog", "the cat: the dog")
        found = tercet.score("cosine", ["", "a"], ["a", "a"], model_type=folder, segments=True)
        assert found["segments"]["cosine"] == [0.0, 1.0]

    def test_of_no_default_is_not_used(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), prompts={"query": "the cat: "})
        assert "prompt" not in same(folder)

    def test_left_out_of_the_pooling_is_refused(self, home):
        folder = saved(home, modules.Pooling(32, "mean", include_prompt=False), **self.MORE)
        with pytest.raises(OptionError, match="leaves the tokens of its default prompt out of the pooling"):
            same(folder)
        with pytest.raises(OptionError, match="leaves the tokens of a prompt out of the pooling"):
            tercet.score("cosine", ["a"], ["b"], model_type=folder, prompt=["", "the "])
        assert "|prompt:" not in tercet.score("cosine", ["a"], ["b"], model_type=folder, prompt="").signature


class TestThePromptsOfTheSides:
    """Named or written, one for both sides or two, as ``encode`` of sentence-transformers takes them."""

    @pytest.fixture
    def folder(self, home):
        prompts = {"query": "find the cat: ", "passage": "the dog on the mat. "}
        return saved(home, modules.Pooling(32, "mean"), prompts=prompts, default_prompt_name="passage")

    @staticmethod
    def score(folder, **options):
        return tercet.score("cosine", PREDICTIONS, SINGLES, model_type=folder, segments=True, **options)

    @pytest.mark.parametrize(
        ("options", "of_predictions", "of_references"),
        [
            ({"prompt_name": "query"}, {"prompt_name": "query"}, {"prompt_name": "query"}),
            ({"prompt_name": ["query", "passage"]}, {"prompt_name": "query"}, {"prompt_name": "passage"}),
            ({"prompt_name": ("query", None)}, {"prompt_name": "query"}, {}),
            ({"prompt": "say: "}, {"prompt": "say: "}, {"prompt": "say: "}),
            ({"prompt": ["say: ", ""]}, {"prompt": "say: "}, {"prompt": ""}),
            ({"prompt": [None, "a "], "prompt_name": ["query", None]}, {"prompt_name": "query"}, {"prompt": "a "}),
        ],
    )
    def test_give_the_cosines_of_encode(self, folder, options, of_predictions, of_references):
        model = SentenceTransformer(str(folder), device="cpu")
        expected = model.similarity_pairwise(
            model.encode(PREDICTIONS, **of_predictions), model.encode(SINGLES, **of_references)
        )
        for encoder in (folder, model):
            found = self.score(encoder, **options)
            assert found["segments"]["cosine"] == pytest.approx(expected.tolist(), abs=1e-6)
            assert "|prompt:" in found.signature
            assert "|equals:sentence-transformers|" in found.signature

    def test_query_and_document_give_those_of_encode_query_and_encode_document(self, folder):
        model = SentenceTransformer(str(folder), device="cpu")
        expected = model.similarity_pairwise(model.encode_query(PREDICTIONS), model.encode_document(SINGLES))
        found = self.score(folder, prompt_name=["query", "document"])
        assert found["segments"]["cosine"] == pytest.approx(expected.tolist(), abs=1e-6)

    def test_that_are_the_default_change_nothing(self, folder):
        assert self.score(folder, prompt_name="passage") == self.score(folder)
        assert self.score(folder, prompt_name="passage").signature == self.score(folder).signature

    def test_are_told_apart_by_signatures(self, folder):
        signatures = [
            self.score(folder, prompt=prompt).signature for prompt in ("", "a ", "b ", ["a ", "b "], ["b ", "a "])
        ]
        assert len(set(signatures)) == len(signatures)

    def test_stand_before_texts_that_are_compared_with_each_other(self, folder):
        options = {"model_type": folder, "prompt_name": ["query", "passage"]}
        groups = [["a cat sat", "the dog", "a cat sat on"]]
        (best,) = tercet.mbr(groups, "cosine", **options)
        scores = [
            [tercet.score("cosine", [text], [other], **options)["cosine"] for other in groups[0]]
            for text in groups[0]
        ]
        assert best.scores == pytest.approx(tuple(np.mean(scores, 1)), abs=1e-6)
        with pytest.raises(tercet.InputError, match=r"item 2 of hypotheses has \d+ tokens, more than"):
            tercet.mbr([["a", "b", "c " * 40]], "cosine", **options, long_text="error", max_length=30)

    def test_are_explained(self, folder):
        options = {"model_type": folder, "prompt": ["say: ", "hear: "]}
        why = tercet.explain("cosine", "a dog", ["the dog"], **options)
        assert (why.prediction, why.reference) == ("say: a dog", "hear: the dog")
        found = tercet.score("cosine", ["a dog", "", "a"], ["the dog", "a", ""], **options, segments=True)
        assert found["segments"]["cosine"] == [pytest.approx(why.cosine, abs=1e-6), 0.0, 0.0]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                {"prompt_name": "querry"},
                r"declares no prompt 'querry', given as 'prompt_name'\. Did you mean 'query'",
            ),
            ({"prompt": "a", "prompt_name": "query"}, "'prompt' and 'prompt_name' of embedding_cosine exclude each"),
            ({"prompt": ["a"]}, r"'prompt' .* must be the text of a prompt, two of them \(for predictions and for"),
            ({"prompt": ["a", "b", "c"]}, "two of them"),
            ({"prompt_name": {"predictions": "query"}}, "the name of a prompt, two of them"),
            ({"prompt": "\ud800"}, "the text of a prompt"),
            ({"prompt": 3}, "the text of a prompt"),
        ],
    )
    def test_are_refused_where_they_say_nothing(self, folder, options, message):
        with pytest.raises(OptionError, match=message):
            self.score(folder, **options)


def test_a_name_of_the_hub_declares_what_its_files_in_the_cache_do(tmp_path, monkeypatch):
    """As huggingface_hub lays them out: a reference, and a snapshot of the files."""
    name = "somebody/small-encoder"
    cache = tmp_path / "models--somebody--small-encoder"
    shutil.copytree(MINILM, cache / "snapshots" / "abc")
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text("abc")
    pooling = cache / "snapshots" / "abc" / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"word_embedding_dimension": 384, "pooling_mode": "cls"}))
    for place in ("huggingface_hub.constants.HF_HUB_CACHE", "huggingface_hub.file_download.constants.HF_HUB_CACHE"):
        monkeypatch.setattr(place, str(tmp_path))
    result = tercet.score("cosine", ["a cat"], ["a dog"], model_type=name)
    expected = tercet.score("cosine", ["a cat"], ["a dog"], model_type=MINILM, pooling="cls")
    assert "|pooling:cls|" in result.signature
    assert result["cosine"] == pytest.approx(expected["cosine"], abs=1e-6)

"""SentencePiece models: sacrebleu's tokens, where files are looked for, and what is said of files that are none."""

import hashlib
import random
import sys
import unicodedata

import pytest
import sacrebleu
from huggingface_hub import constants
from hypothesis import given
from hypothesis import strategies as st

import tercet
import texts
from oracles import tokens_of
from subword_models import KINDS, no_download, sacrebleu_folder, small_model
from tercet import OptionError
from tercet.corpus.subword_models import SACREBLEU_MODELS, subword_model
from tercet.corpus.tokenizers import tokenizer_label

every_name = pytest.mark.parametrize("name", SACREBLEU_MODELS)
awkward_texts = [texts.awkward_text(random.Random(seed), 40) for seed in range(300)]
tricky_texts = st.text("ab01.,-two words&\n \u3000\x85\x1c\0İK中。é▁", max_size=30)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.download_file", no_download)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of sacrebleu's in which there is a model for each name."""
    sacrebleu_folder(monkeypatch, tmp_path)
    return tmp_path


def sacrebleu_tokens(name, documents):
    metric = sacrebleu.BLEU(tokenize=name)
    return [metric._preprocess_segment(text).split() for text in documents]


def digest(content):
    return hashlib.sha256(content).hexdigest()[:12]


class TestTokens:
    @every_name
    def test_tokens_are_those_of_sacrebleu(self, folder, name):
        documents = texts.ALL_TEXTS + awkward_texts
        assert tokens_of(documents, name) == sacrebleu_tokens(name, documents)

    @pytest.mark.parametrize("kind", KINDS)
    def test_as_sacrebleu_on_any_text_and_for_each_character(self, tmp_path, monkeypatch, kind):
        sacrebleu_folder(monkeypatch, tmp_path, {"flores200": small_model(kind)})

        @given(documents=st.lists(texts.any_texts | tricky_texts, max_size=8))
        def check(documents):
            assert tokens_of(documents, "flores200") == sacrebleu_tokens("flores200", documents)

        check()
        characters = [char for char in map(chr, range(0x11000)) if unicodedata.category(char) != "Cs"]
        check.hypothesis.inner_test([f"a{char}b1{char}.5 {char}" for char in characters])

    def test_of_no_text(self, folder):
        assert tokens_of(["", " ", "\n"], "flores200") == [[], [], []]
        assert tokens_of([], "flores200") == []


class TestNames:
    @every_name
    def test_have_the_digest_of_their_file(self, folder, name):
        content = (folder / "models" / SACREBLEU_MODELS[name]).read_bytes()
        assert tokenizer_label(name) == f"{name}[{digest(content)}]"

    def test_of_paths_are_alike_where_the_files_are(self, tmp_path):
        for file, seed in (("a.model", 0), ("b.model", 0), ("c.model", 1)):
            (tmp_path / file).write_bytes(small_model(seed=seed))
        first, second, other = (tokenizer_label(f"{tmp_path}/{file}.model") for file in "abc")
        assert first == second == f"spm[{digest(small_model())}]" != other

    def test_a_file_that_changes_is_read_again(self, tmp_path):
        path = tmp_path / "a.model"
        path.write_bytes(small_model())
        before = subword_model(str(path))
        assert subword_model(str(path)) is before
        path.write_bytes(small_model(seed=1))
        assert subword_model(str(path)).digest == digest(small_model(seed=1)) != before.digest

    @pytest.mark.parametrize("metric", [tercet.Bleu, tercet.GoogleBleu])
    def test_a_metric_signs_with_the_file_that_it_read(self, metric, tmp_path):
        path = tmp_path / "a.model"
        path.write_bytes(small_model())
        scorer = metric(tokenizer=str(path))
        assert digest(small_model()) in scorer(["a cat sat here"], ["a cat sat there"]).signature
        path.write_bytes(small_model(seed=1))
        assert digest(small_model(seed=1)) in scorer(["a cat sat here"], ["a cat sat there"]).signature


class TestFiles:
    def test_of_the_home_folder(self, tmp_path, monkeypatch):
        (tmp_path / ".sacrebleu").mkdir()
        sacrebleu_folder(monkeypatch, tmp_path / ".sacrebleu")
        monkeypatch.delenv("SACREBLEU")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert tokenizer_label("flores200").startswith("flores200[")
        (tmp_path / "my.model").write_bytes(small_model())
        assert tokenizer_label("~/my.model").startswith("spm[")

    @every_name
    def test_a_missing_one_of_sacrebleu_is_named_with_the_way_to_it(self, tmp_path, monkeypatch, name):
        sacrebleu_folder(monkeypatch, tmp_path, {})
        with pytest.raises(OptionError) as refused:
            tokens_of(["a"], name)
        assert f"needs the file '{tmp_path}/models/{SACREBLEU_MODELS[name]}'" in str(refused.value)
        assert f"python -c 'import sacrebleu; sacrebleu.BLEU(tokenize=\"{name}\")'" in str(refused.value)

    @pytest.mark.parametrize("path", ["no.model", "./no", "/no/such/file", "a\0.model", "x" * 5000 + ".model", "./"])
    def test_a_missing_one_is_named(self, path):
        with pytest.raises(OptionError, match=r"There is no file '/.*, given as 'tokenizer'"):
            subword_model(path)

    def test_one_that_cannot_be_read_is_named(self, tmp_path, monkeypatch):
        path = tmp_path / "a.model"
        path.write_bytes(small_model())

        def denied(*arguments, **named):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("builtins.open", denied)
        with pytest.raises(OptionError, match=r"a\.model' cannot be read: PermissionError: .*Permission denied"):
            subword_model(str(path))

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "it is empty"),
            (b"<!DOCTYPE html><html></html>", "RuntimeError: INTERNAL"),
            (b"PK\x03\x04" + bytes(100), "RuntimeError: INTERNAL"),
            (None, "RuntimeError: INTERNAL"),
        ],
        ids=["empty", "page", "archive", "half of a model"],
    )
    def test_one_that_is_no_model_is_refused(self, tmp_path, monkeypatch, content, reason):
        content = small_model()[: len(small_model()) // 2] if content is None else content
        sacrebleu_folder(monkeypatch, tmp_path, {"flores200": content})
        path = tmp_path / "models" / SACREBLEU_MODELS["flores200"]
        message = f"The file '{path}', given as 'tokenizer', is not a SentencePiece model, or is damaged: {reason}"
        for tokenizer in (str(path), "flores200"):
            with pytest.raises(OptionError) as refused:
                subword_model(tokenizer)
            assert message in str(refused.value)
            assert ("let sacrebleu fetch it again" in str(refused.value)) == (tokenizer == "flores200")

    def test_one_that_is_too_large_is_not_read(self, tmp_path):
        path = tmp_path / "large.model"
        with path.open("wb") as file:
            file.truncate(1 << 40)
        with pytest.raises(OptionError, match="is damaged: it has 1,099,511,627,776 bytes"):
            subword_model(str(path))

    def test_without_the_package_the_extra_is_named(self, tmp_path, monkeypatch):
        sacrebleu_folder(monkeypatch, tmp_path, {"flores101": small_model(seed=8)})
        monkeypatch.setitem(sys.modules, "sentencepiece", None)
        (tmp_path / "new.model").write_bytes(b"x")
        for model, shown in ((str(tmp_path / "new.model"), r"new\.model"), ("flores101", "'flores101")):
            message = rf"{shown}' needs the package 'sentencepiece', .* pip install .tercet\[languages\]."
            with pytest.raises(OptionError, match=message):
                subword_model(model)


class TestTheHubsCache:
    @pytest.fixture(autouse=True)
    def _cache(self, tmp_path, monkeypatch):
        """A cache with two commits of a model; nothing of huggingface_hub may open a connection."""
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
        monkeypatch.setattr("socket.socket.connect", no_download)
        home = tmp_path / "models--some--one"
        for number, commit in enumerate(("0" * 40, "1" * 40)):
            folder = home / "snapshots" / commit / "sub"
            folder.mkdir(parents=True)
            (folder / "m.model").write_bytes(small_model(seed=number))
        (home / "refs" / "refs" / "pr").mkdir(parents=True)
        for name, digit in (("main", "0"), ("v2", "1"), ("refs/pr/7", "1")):
            (home / "refs" / name).write_text(digit * 40)

    @pytest.mark.parametrize(
        ("address", "seed"),
        [
            ("hf://some/one/sub/m.model", 0),
            ("hf://some/one@v2/sub/m.model", 1),
            (f"hf://some/one@{'1' * 40}/sub/m.model", 1),
            ("hf://some/one@refs/pr/7/sub/m.model", 1),
        ],
    )
    def test_has_models(self, address, seed):
        assert tokenizer_label(address) == f"spm[{digest(small_model(seed=seed))}]"

    @pytest.mark.parametrize(
        ("address", "command"),
        [
            ("hf://some/one/m.model", "hf download some/one m.model"),
            ("hf://some/other/sub/m.model", "hf download some/other sub/m.model"),
            ("hf://some/one@v3/sub/m.model", "hf download some/one sub/m.model --revision v3"),
        ],
    )
    def test_a_missing_model_is_named_with_the_command_that_fetches_it(self, address, command, tmp_path):
        with pytest.raises(OptionError) as refused:
            subword_model(address)
        assert f"The tokenizer '{address}' is not in the Hub's cache, '{tmp_path}'" in str(refused.value)
        assert str(refused.value).endswith(command)

    def test_what_is_no_address_or_no_name_that_a_model_can_have_is_refused(self):
        for address in ("hf://", "hf://one", "hf://some/one", "hf:///one/m.model", "hf://a/b@/m"):
            with pytest.raises(OptionError, match=r"is written as 'hf://owner/name/file' or .* Got 'hf://"):
                subword_model(address)
        for address in ("hf://so me/o--ne/m.model", "hf://some/one@main/../../m.model"):
            with pytest.raises(OptionError, match=f"There is no '{address}' in the Hub: "):
                subword_model(address)

"""Small SentencePiece models, and a folder of sacrebleu's that holds them."""

import io
import random
from functools import cache

from tercet.corpus.subword_models import SACREBLEU_MODELS
from texts import ALL_TEXTS

#: Kinds of models: that of sacrebleu's, and one that changes no character, and so has white space within pieces.
KINDS = {
    "usual": {"model_type": "unigram"},
    "as written": {
        "model_type": "bpe", "normalization_rule_name": "identity", "remove_extra_whitespaces": False,
        "byte_fallback": True, "user_defined_symbols": ["two words", "\u3000a"],
    },
}  # fmt: skip


@cache
def small_model(kind="usual", seed=0):
    """Return the bytes of a model of some hundred pieces; each seed gives another one."""
    import sentencepiece

    rng = random.Random(seed)
    words = list(dict.fromkeys(word for text in ALL_TEXTS for word in text.split()))
    lines = [" ".join(rng.choices(words, k=8)) for _ in range(300)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=900, hard_vocab_limit=False, num_threads=1,
        minloglevel=2, **KINDS[kind],
    )  # fmt: skip
    return model.getvalue()


def sacrebleu_folder(monkeypatch, path, models=None):
    """Let sacrebleu and tercet find models, one for each of its names if none are given, in a folder."""
    (path / "models").mkdir()
    for number, (name, file) in enumerate(SACREBLEU_MODELS.items()):
        content = small_model(seed=number) if models is None else models.get(name)
        if content is not None:
            (path / "models" / file).write_bytes(content)
    monkeypatch.setenv("SACREBLEU", str(path))
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.SACREBLEU_DIR", str(path))


def no_download(*arguments):
    """Stand for sacrebleu's download, which no test may ask for."""
    raise AssertionError("a model would be downloaded")

"""A device is called by the same names wherever one is given."""

import pytest
from typer.testing import CliRunner

import tercet
from language_models import small_model
from tercet.cli.app import app
from texts import MINILM

pytestmark = pytest.mark.needs("torch")

TEXTS, REFERENCES = ["The ferry leaves.", "Мост закрыт."], ["The ferry sails.", "河水涨了。"]
ENCODER = {"model_type": MINILM, "num_layers": 1, "idf": False}


def by_torchmetrics(device):
    from tercet.compat.torchmetrics import BERTScore

    metric = BERTScore(model_name_or_path=MINILM, num_layers=1, device=device)
    metric.update(TEXTS, REFERENCES)
    return metric.compute()


def by_bert_score(device):
    from tercet.compat import bert_score

    return bert_score.score(TEXTS, REFERENCES, model_type=MINILM, num_layers=1, device=device)


def by_bert_scorer(device):
    from tercet.compat.bert_score import BERTScorer

    return BERTScorer(model_type=MINILM, num_layers=1, device=device).score(TEXTS, REFERENCES)


def by_evaluate(device):
    module = tercet.load("bertscore")
    return module.compute(predictions=TEXTS, references=REFERENCES, device=device, **ENCODER)


def by_command(device):
    command = ["score", "-m", f"bertscore:model_type={MINILM},num_layers=1,device={device}", "texts.tsv"]
    CliRunner().invoke(app, command, standalone_mode=False, catch_exceptions=False)


def by_baseline(device):
    command = ["bertscore-baseline", "texts.tsv", "-m", MINILM, "-o", "baseline.tsv", "--device", str(device)]
    CliRunner().invoke(app, command, standalone_mode=False, catch_exceptions=False)


DOORS = {
    "bertscore": lambda device: tercet.score("bertscore", TEXTS, REFERENCES, device=device, **ENCODER),
    "cosine": lambda device: tercet.score("cosine", TEXTS, REFERENCES, device=device, model_type=MINILM),
    "perplexity": lambda device: tercet.score("perplexity", TEXTS, device=device, model_id=small_model("gpt2")),
    "torchmetrics": by_torchmetrics,
    "bert_score": by_bert_score,
    "BERTScorer": by_bert_scorer,
    "evaluate": by_evaluate,
    "command": by_command,
    "baseline": by_baseline,
}


@pytest.fixture(autouse=True)
def _file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["mt\tref", *map("\t".join, zip(TEXTS, REFERENCES, strict=True))]
    (tmp_path / "texts.tsv").write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("device", "called"), [("gpu", "cuda"), (0, "cuda:0"), ("cuda", "cuda")])
def test_a_gpu_that_is_not_there_is_refused_by_every_door_in_the_same_words(door, device, called):
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(tercet.OptionError, match=f"The 'device' '{called}' cannot be used here: "):
        DOORS[door](device)


@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_device_is_refused_by_every_door_in_the_same_words(door):
    expected = "'device'.*must be the name of a device, such as 'cpu', 'cuda:0' or 'gpu', the number of a GPU, or "
    for wrong in ("gpus", -1):
        with pytest.raises(tercet.OptionError, match=expected):
            DOORS[door](wrong)


@pytest.mark.parametrize("wrong", [True, 1.0, "", [0], b"cpu", 10**400])
@pytest.mark.parametrize("name", ["bertscore", "cosine", "perplexity"])
def test_other_values_are_refused_as_the_metric_is_made(name, wrong):
    with pytest.raises(tercet.OptionError, match=r"'device'.*must be the name of a device"):
        tercet.scorer(name, device=wrong)

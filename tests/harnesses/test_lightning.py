"""Lightning fits a tiny module, and its trainer logs tercet's numbers after each validation, on one rank or two."""

import pytest
import torch

import tercet
from harness_texts import PREDICTIONS, SEVERAL, by_sacrebleu, numbers


def fitted(flavour, callback, **more):
    class Module(flavour.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch):
            return self.layer(torch.ones(1, 1)).sum()

        def validation_step(self, batch):
            return {"predictions": [PREDICTIONS[n] for n in batch], "references": [SEVERAL[n] for n in batch]}

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    data = torch.utils.data.DataLoader(range(len(PREDICTIONS)), batch_size=2, collate_fn=list)
    trainer = flavour.Trainer(
        max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, callbacks=[callback], **more,
    )  # fmt: skip
    trainer.fit(Module(), data, data)
    return {name.removeprefix("val_"): float(value) for name, value in trainer.callback_metrics.items()}


@pytest.mark.parametrize("package", ["lightning.pytorch", "pytorch_lightning"])
def test_validation_logs_the_corpus_score_and_its_interval(package):
    from tercet.harnesses.lightning import CorpusScores

    callback = CorpusScores("bleu")
    found = fitted(pytest.importorskip(package), callback)
    assert {name: found[name] for name in numbers()} == pytest.approx(numbers())
    assert found["bleu"] == pytest.approx(by_sacrebleu())
    assert found["bleu_stderr"] > 0
    assert callback.signature.startswith("bleu_multi|")


def test_says_what_validation_step_must_return():
    import lightning.pytorch

    from tercet.harnesses.lightning import CorpusScores

    with pytest.raises(tercet.InputError, match=r"validation_step must return .*got None"):
        CorpusScores("bleu").on_validation_batch_end(None, None, None, None, 0)
    assert issubclass(CorpusScores, lightning.pytorch.Callback)


def on_a_rank(rank, folder):
    from types import SimpleNamespace

    from tercet.harnesses.lightning import CorpusScores

    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/ranks", rank=rank, world_size=2)
    logged, callback = {}, CorpusScores("bleu")
    trainer, module = SimpleNamespace(world_size=2), SimpleNamespace(log_dict=logged.update)
    callback.on_validation_epoch_start(trainer, module)
    texts = {"predictions": PREDICTIONS[rank * 3 :][:3], "references": SEVERAL[rank * 3 :][:3]}
    callback.on_validation_batch_end(trainer, module, texts, None, 0)
    callback.on_validation_epoch_end(trainer, module)
    expected = {f"val_{name}": value for name, value in numbers().items()}
    assert {name: logged[name] for name in expected} == expected
    torch.distributed.destroy_process_group()


def test_two_ranks_log_the_score_of_all_texts(tmp_path):
    torch.multiprocessing.start_processes(on_a_rank, (str(tmp_path),), nprocs=2, start_method="fork")

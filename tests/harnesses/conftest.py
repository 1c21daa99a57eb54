"""Tests of harnesses run where those are installed: some here, all of them with `make test-harnesses`."""

import os
import random
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]

#: The modules of harnesses, by which their adapters and tests are called.
HARNESSES = [
    "lm_eval",
    "lighteval",
    "inspect_ai",
    "mlflow",
    "unitxt",
    "deepeval",
    "lightning",
    "ignite",
    "wandb",
    "trackio",
]
ABSENT = [name for name in HARNESSES if find_spec(name) is None]

collect_ignore = [f"test_{name}.py" for name in [*ABSENT, "every_eval_ever", "peft"] if find_spec(name) is None]

os.environ |= {
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ALLOW_FILE_STORE": "true",
    "UNITXT_TELEMETRY": "False",
}  # read as they are imported


def pytest_collection_modifyitems(items):
    """What the harnesses themselves warn of is not the suite's."""
    for item in items:
        if "/harnesses/" in item.path.as_posix():
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session", autouse=True)
def _folder_of_trackio(tmp_path_factory):
    os.environ["TRACKIO_DIR"] = str(tmp_path_factory.mktemp("trackio"))  # read as it is imported


@pytest.fixture(autouse=True)
def _own_folder_and_random_states(tmp_path, monkeypatch):
    """Harnesses seed all that they find, and write where they are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    for name, value in {"MODE": "offline", "SILENT": "true", "ERROR_REPORTING": "false"}.items():
        monkeypatch.setenv(f"WANDB_{name}", value)
    states = random.getstate(), np.random.get_state(), torch.random.get_rng_state()  # noqa: NPY002
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002
    torch.random.set_rng_state(states[2])

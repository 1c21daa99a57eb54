"""What is seen of a model that is downloaded and loaded: its bars in a terminal, and who loads what from where."""

import os
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path

import pytest

import tercet
from hub import Hub
from language_models import small_model
from texts import MINILM

pytestmark = pytest.mark.needs("torch")

CALLS = {
    "bertscore": {"model_type": "me/model", "num_layers": 1, "idf": False},
    "cosine": {"model_type": "me/model"},
    "perplexity": {"model_id": "me/model"},
}
SCRIPT = """
import sys
import tercet
name, options = sys.argv[1], eval(sys.argv[2])
texts = [["Der Fluss ist breit."], ["河很宽。"]][: 1 if name == "perplexity" else 2]
for _ in range(2):
    tercet.score(name, *texts, **options, device="cpu")
    tercet.free_models()
"""


@pytest.fixture
def hub(tmp_path):
    with Hub(tmp_path / "hub") as hub:
        yield hub


def in_a_terminal(name, env):
    """Return what a process that scores twice writes to a terminal that is its standard error."""
    command = [sys.executable, "-c", SCRIPT, name, repr(CALLS[name])]
    own, of_process = pty.openpty()
    termios.tcsetwinsize(of_process, (24, 100))
    process = subprocess.Popen(command, env=env, stderr=of_process, stdout=subprocess.DEVNULL)
    os.close(of_process)
    seen = b""
    try:
        while part := os.read(own, 1 << 16):
            seen += part
    except OSError:  # Linux ends a terminal with an error
        pass
    os.close(own)
    assert process.wait(timeout=300) == 0
    return seen.decode()


@pytest.mark.parametrize("name", ["cosine", "perplexity"])
def test_a_download_shows_its_bars_and_who_downloads_what_and_a_loading_nothing(hub, tmp_path, name):
    hub.add_model("me/model", Path(small_model("gpt2") if name == "perplexity" else MINILM))
    env = hub.environment(tmp_path / "home")
    first, second = (in_a_terminal(name, env) for _ in range(2))
    assert re.search(r"model\.safetensors: 100%.*B/s", first)
    called = "language model" if name == "perplexity" else "encoder"
    cache = tmp_path / "home" / "hub"
    (said,) = re.findall(r"^process \d+ downloads .*$", first.replace("\r", "\n"), re.MULTILINE)
    assert re.fullmatch(rf"process \d+ downloads the {called} me/model from {hub.url} to {cache}", said)
    assert "Loading weights" not in first
    assert second == ""


def logged(caplog, level):
    """Return what is logged where an encoder is loaded twice, and used in between."""
    caplog.clear()
    with caplog.at_level(level, "tercet"):
        for _ in range(2):
            tercet.free_models()
            for layer in (1, 1):
                options = {**CALLS["bertscore"], "model_type": MINILM, "num_layers": layer, "device": "cpu"}
                tercet.score("bertscore", ["Der Fluss ist breit."], ["河很宽。"], **options)
    return caplog.messages


def test_each_loading_is_logged_for_those_who_ask(caplog):
    said = f"process {os.getpid()} loads the encoder from {MINILM} for cpu"
    assert logged(caplog, "INFO") == [said, said]
    assert logged(caplog, "WARNING") == []


@pytest.mark.parametrize("name", ["RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"])
def test_of_the_processes_of_a_run_the_first_says_it(monkeypatch, caplog, name):
    for rank, n_messages in (("0", 2), ("1", 0), ("15", 0)):
        monkeypatch.setenv(name, rank)
        assert len(logged(caplog, "INFO")) == n_messages
    assert len(logged(caplog, "DEBUG")) == 2


@pytest.mark.parametrize("setting", ["0", "1"])
def test_the_setting_of_the_hub_decides(hub, tmp_path, setting):
    hub.add_model("me/model", Path(MINILM))
    env = {**hub.environment(tmp_path / "home"), "HF_HUB_DISABLE_PROGRESS_BARS": setting}
    seen = in_a_terminal("bertscore", env)
    assert ("model.safetensors: 100%" in seen) == (setting == "0")
    assert "Warning" not in seen

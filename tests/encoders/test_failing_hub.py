"""A Hub that answers with errors of its own: asked three times, and then the user is told what to do."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hub import Hub
from language_models import small_model
from texts import MINILM

pytestmark = pytest.mark.needs("torch")

#: Pauses are written down in the place of waiting.
SCRIPT = """
import json, sys, time
pauses = []
time.sleep = pauses.append
import tercet
name, option = sys.argv[1:]
layer = {"num_layers": 1, "idf": False} if name == "bertscore" else {}
texts = [["Der Fluss ist breit."], ["河很宽。"]][: 1 if name == "perplexity" else 2]
try:
    tercet.score(name, *texts, **{option: "me/model"}, device="cpu", **layer)
    message = ""
except tercet.OptionError as error:
    message = str(error)
print(json.dumps([message, sum(pauses)]))
"""
METRICS = {"bertscore": "model_type", "cosine": "model_type", "perplexity": "model_id"}


@pytest.fixture
def hub(tmp_path):
    with Hub(tmp_path / "hub") as hub:
        yield hub


def ended(name, hub, home, **environment):
    """Return the message that ends a call, empty if it scores, and how many seconds it would have paused."""
    hub.add_model("me/model", Path(small_model("gpt2") if name == "perplexity" else MINILM))
    command = [sys.executable, "-c", SCRIPT, name, METRICS[name]]
    names = {**hub.environment(home), **environment}
    run = subprocess.run(command, env=names, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize(("name", "failing"), [
    ("bertscore", "/"), ("cosine", "/"), ("perplexity", "/"),
    ("cosine", "/resolve/"), ("perplexity", "/model.safetensors"),
])  # fmt: skip
def test_is_asked_three_times_for_a_file_and_the_user_told_what_to_do(name, failing, hub, tmp_path):
    hub.failing = failing
    message, pauses = ended(name, hub, tmp_path / "home")
    called = "language model" if name == "perplexity" else "encoder"
    assert message.startswith(f"The {called} 'me/model' could not be loaded; looked in the cache ")
    assert (
        f" and at {hub.url}: the Hub answered 3 times with the error 500, which is its own: try again later. Give as"
        in message
    )
    assert pauses <= 20
    asked = [request for request in hub.requests if "/resolve/" in request and failing in request]
    assert 3 <= len(asked) <= 8  # transformers asks again, which no longer waits


def test_that_recovers_gives_the_model(hub, tmp_path):
    hub.failing, hub.failures = "/resolve/", 2
    assert ended("bertscore", hub, tmp_path / "home")[0] == ""


def test_whose_other_answers_fail_gives_the_model(hub, tmp_path):
    """Files can be had; what else transformers asks for, it can do without."""
    hub.failing = "/api/"
    message, pauses = ended("bertscore", hub, tmp_path / "home")
    assert message == ""
    assert pauses <= 20


def test_does_not_hold_up_a_model_in_the_cache(hub, tmp_path):
    """Some releases of transformers ask whether there is an adapter now."""
    assert ended("bertscore", hub, tmp_path / "home")[0] == ""
    hub.failing = "/"
    message, pauses = ended("bertscore", hub, tmp_path / "home")
    assert message == ""
    assert pauses <= 20


def test_leaves_nothing_in_the_session_of_the_hub(hub, tmp_path, monkeypatch):
    import huggingface_hub

    from tercet.networks.model_files import optional_file

    session = huggingface_hub.utils.get_session()
    hooks = session.hooks if hasattr(session, "hooks") else session.event_hooks
    before = [*hooks["response"]]
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *_, **__: 1 / 0)
    with pytest.raises(Exception, match="cannot be reached"):
        optional_file("me/model", "config.json")
    assert hooks["response"] == before

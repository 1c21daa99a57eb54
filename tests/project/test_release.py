"""What is released: built, checked, installed in an environment of its own, and used as the documents say.

``make release-check``: the wheel of this Python, and the sources, of which pip makes a wheel itself.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands import EXAMPLES
from conftest import ROOT

pytestmark = pytest.mark.fresh_venv

UV = [sys.executable, "-m", "uv"]
DOCUMENTS = ["README.md", "docs/quickstart.md"]


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_index_takes_both(dist):
    both = sorted(map(str, dist.glob("tercet-*")))
    assert [Path(name).suffix for name in both] == [".whl", ".gz"]
    run(sys.executable, "-m", "twine", "check", "--strict", *both)


@pytest.mark.parametrize("kind", ["*.whl", pytest.param("*.tar.gz", marks=pytest.mark.builds)])
def test_each_is_installed_and_does_what_the_documents_show(kind, dist, tmp_path):
    (file,) = dist.glob(kind)
    run(*UV, "venv", "--quiet", "--python", sys.executable, str(tmp_path / "venv"))
    bin_ = tmp_path / "venv" / "bin"
    (extras,) = {re.search(r'^pip install "\.(\[.*\])"', (ROOT / each).read_text(), re.M)[1] for each in DOCUMENTS}
    run(*UV, "pip", "install", "--quiet", "--python", str(bin_ / "python"), f"{file}{extras}")
    names = {key: value for key, value in os.environ.items() if key not in ("TERCET_ENGINE", "PYTHONPATH")}
    names = {**names, "PATH": os.pathsep.join([str(bin_), names["PATH"]]), "TERCET_ENGINE": "required"}
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        work = tmp_path / Path(document).stem
        work.mkdir()
        package = run(str(bin_ / "python"), "-c", EXAMPLES, str(ROOT / document), cwd=work, env=names)
        assert package.startswith(str(tmp_path / "venv"))
        (commands,) = (each for each in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL) if "sample.csv" in each)
        run("bash", "-euc", commands, cwd=work, env=names)
        report = re.sub(r"<[^>]*>", "", (work / "report.html").read_text(encoding="utf-8"))
        for shown in ("baseline", "tuned", "We met her brother at the train station."):
            assert shown in report
    # The light demo has the rows of the whole one that need no network, which is not installed here.
    printed = run(str(bin_ / "python"), str(ROOT / "examples" / "demo.py"), "--light", cwd=tmp_path, env=names)
    page = (ROOT / "docs" / "metrics" / "index.md").read_text(encoding="utf-8")
    found, shown = (re.findall(r"^│ (\w+) +│ (\w+)", text, flags=re.MULTILINE) for text in (printed, page))
    assert found == [row for row in shown if row[1] not in {"mean_f1", "cosine", "perplexity"}]
    assert "large is better than tuned in English, Spanish, Russian and Chinese" in printed

"""The page on harnesses: each of its blocks runs after the first, and ends by printing what stands below it."""

import contextlib
import io
import json
import re
from itertools import pairwise

import pytest

from harnesses.conftest import ABSENT, ROOT

PAGE = (ROOT / "docs" / "harnesses.md").read_text(encoding="utf-8")
FENCES = [*re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.DOTALL), ("end", "")]
(_, FIRST), (_, UTILS), (_, TASK), (_, TABLE), *OTHERS = FENCES
#: Code of each harness, and what stands below it, if anything does.
BLOCKS = [
    (re.search(r"from tercet[.]harnesses[.](\w+)", code)[1], code, below if after == "text" else "")
    for (kind, code), (after, below) in pairwise(OTHERS)
    if kind == "python"
]


@pytest.mark.parametrize(("harness", "code", "below"), [each for each in BLOCKS if each[0] not in ABSENT])
def test_prints_what_stands_below(harness, code, below):
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(f"{FIRST}\n{code}", "harnesses.md", "exec"), {"__name__": harness})
    assert shown.getvalue().endswith(below)


def test_the_task_of_lm_eval(tmp_path, monkeypatch):
    from lm_eval import simple_evaluate
    from lm_eval.models.dummy import DummyLM
    from lm_eval.tasks import TaskManager
    from lm_eval.utils import make_table

    class Parrot(DummyLM):
        def generate_until(self, requests, disable_tqdm=False):
            return [request.args[0] for request in requests]

    names = {}
    exec(FIRST, names)
    rows = zip(names["predictions"], names["references"], strict=True)
    lines = [json.dumps({"text": text, "references": golds}) for text, golds in rows]
    for name, text in {"lima.jsonl": "\n".join(lines), "utils.py": UTILS, "lima.yaml": TASK}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda _: None)  # it runs pip, for seconds
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    found = simple_evaluate(model=Parrot(), tasks=["lima"], task_manager=manager)
    assert [line.rstrip() for line in make_table(found).splitlines() if line] == TABLE.splitlines()

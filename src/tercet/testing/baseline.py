"""A plugin of pytest: the fixture ``baseline`` keeps outputs, which later ones are compared with.

``pytest_plugins = ["tercet.testing.baseline"]`` in the ``conftest.py`` at the top of the tests loads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-baseline``."""
    parser.addoption("--update-baseline", action="store_true", help="Keep the outputs of this run as baselines.")


@pytest.fixture
def baseline(request: pytest.FixtureRequest) -> Callable[[Sequence[str]], list[str]]:
    """Return a function that takes the outputs of this run and returns those that were kept.

    They are kept with ``pytest --update-baseline`` in ``baselines/``, beside the file of the test: a file for each
    test, and for each further call in it; a JSON line for each output.
    """
    calls = count(1)

    def outputs_before(outputs: Sequence[str]) -> list[str]:
        __tracebackhide__ = True
        path = _path(request.path, request.node.nodeid.partition("::")[2], next(calls))
        if request.config.getoption("--update-baseline"):
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [json.dumps({"prediction": output}, ensure_ascii=False) for output in outputs]
            # Half of a pair of UTF-16 becomes an escape, which JSON has, too.
            path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
            return list(outputs)
        if not path.exists():
            pytest.fail(f"There is no baseline {path}: make it with pytest --update-baseline.", pytrace=False)
        texts = [json.loads(line)["prediction"] for line in path.read_text(encoding="utf-8").split("\n") if line]
        if len(texts) != len(outputs):
            pytest.fail(
                f"The baseline {path} has {len(texts):,} outputs, and this run has {len(outputs):,}. To keep these "
                "instead: pytest --update-baseline.",
                pytrace=False,
            )
        return texts

    return outputs_before


def _path(test_file: Path, test: str, call: int) -> Path:
    """Return the file of the outputs of a test, with its class and parameters, and of a call in it, from 1."""
    call_of_test = test if call == 1 else f"{test}.{call}"
    full_name = call_of_test.replace("::", ".")
    name = re.sub(r"[^\w.-]+", "-", full_name)
    if name != full_name:
        # Names that differ in other characters have files of their own.
        name = f"{name}-{sha256(call_of_test.encode()).hexdigest()[:8]}"
    return test_file.parent / "baselines" / f"{test_file.stem}.{name}.jsonl"

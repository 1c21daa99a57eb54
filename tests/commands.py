"""The command ``tercet``: as a process of its own, or by its entry in this process, which is ten times as quick."""

import io
import os
import subprocess
import sys
import warnings
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from tercet.cli.app import main

#: Runs the examples of a document as they stand, and says which tercet it was that did it.
EXAMPLES = """
import doctest, re, sys, tercet
text = "\\n".join(re.findall(r"```python\\n(.*?)```", open(sys.argv[1], encoding="utf-8").read(), flags=re.DOTALL))
test = doctest.DocTestParser().get_doctest(text, {}, "document", None, 0)
print(tercet.__file__)
assert test.examples
sys.exit(doctest.DocTestRunner().run(test).failed)
"""

TERCET = str(Path(sys.executable).parent / "tercet")


def process(*arguments, check=False, env=None, text=True, **options):
    """Run the command as a process, and return it when it has ended."""
    return subprocess.run(
        [TERCET, *map(str, arguments)], capture_output=True, text=text, encoding="utf-8" if text else None,
        timeout=120, check=check, env={**os.environ, **(env or {})}, **options,
    )  # fmt: skip


def command(*arguments, code=0, cwd=None, env=None, stdin=b""):
    """Run the command's entry in this process; it must end with this code.

    Streams, warnings, the folder and the environment are as in a process of its own, and afterwards as they were.
    """
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    ended = 0
    with (
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
        patch("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")),
        patch("sys.argv", [TERCET, *map(str, arguments)]),
        patch.dict(os.environ, env or {}),
        patch.object(sys.modules["__main__"], "__package__", None),  # else help says "python -m pytest"
        nullcontext() if cwd is None else chdir(cwd),
        warnings.catch_warnings(),
    ):
        warnings.resetwarnings()
        for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        try:
            main()
        except SystemExit as end:
            ended = end.code or 0
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    assert ended == code, err
    return subprocess.CompletedProcess(arguments, ended, out, err)

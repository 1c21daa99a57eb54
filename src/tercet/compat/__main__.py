"""``python -m tercet.compat script.py``: run a script as it stands, with the drop-ins in place."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import ModuleType

from .installing import install

USAGE = "usage: python -m tercet.compat SCRIPT [ARGUMENTS]\n       python -m tercet.compat -m MODULE [ARGUMENTS]"


def main() -> None:
    """Run the script or module that the command line names, as Python would."""
    arguments = sys.argv[1:]
    by_name = arguments[:1] == ["-m"]
    script = arguments[by_name:][:1]
    if not script or script[0].startswith("-"):
        asked = script in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        raise SystemExit(0 if asked else 2)
    sys.argv = arguments[by_name:]
    install()
    if by_name:
        runpy.run_module(script[0], run_name="__main__", alter_sys=True)
        return
    if not Path(script[0]).is_file():
        raise SystemExit(f"There is no file {script[0]}.\n{USAGE}")
    sys.path[0] = str(Path(script[0]).resolve().parent)
    own = ModuleType("__main__")  # stays after the last line, where threads and pickled objects look names up
    own.__file__, own.__builtins__ = script[0], __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = own
    exec(compile(Path(script[0]).read_bytes(), script[0], "exec", dont_inherit=True), vars(own))


if __name__ == "__main__":
    main()

"""``python -m tercet.compat script.py``: run a script as it stands, with the drop-ins."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import ModuleType

from .installing import install

USAGE = """usage: python -m tercet.compat SCRIPT [ARGUMENTS]
       python -m tercet.compat -m MODULE [ARGUMENTS]
       python -m tercet.compat -c COMMAND [ARGUMENTS]"""


def main() -> None:
    """Run the script, module or command that the command line names, as Python would."""
    arguments = sys.argv[1:]
    option = arguments[0] if arguments[:1] in (["-m"], ["-c"]) else ""
    program = arguments[bool(option) :][:1]
    if not program or (program[0].startswith("-") and option != "-c"):
        wants_help = program in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if wants_help else sys.stderr)
        raise SystemExit(0 if wants_help else 2)
    # What the program would see if Python had run it.
    sys.argv = ["-c", *arguments[2:]] if option == "-c" else arguments[bool(option) :]
    install()
    if option == "-m":
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
        return
    # It stays after the last line: threads and pickled objects look names up there.
    main_module = ModuleType("__main__")
    vars(main_module)["__builtins__"] = __builtins__
    if option == "-c":
        source: str | bytes = program[0]
    elif Path(program[0]).is_file():
        source = Path(program[0]).read_bytes()
        sys.path[0], main_module.__file__ = str(Path(program[0]).resolve().parent), program[0]
    else:
        raise SystemExit(f"There is no file {program[0]}.\n{USAGE}")
    sys.modules["__main__"] = main_module
    exec(compile(source, "<string>" if option else program[0], "exec", dont_inherit=True), vars(main_module))


if __name__ == "__main__":
    main()

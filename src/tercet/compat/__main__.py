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
    option = ""
    if arguments[:1] in (["-m"], ["-c"]):
        option = arguments.pop(0)
    program = arguments[0] if arguments else ""
    if not arguments or (program.startswith("-") and option != "-c"):
        if program in ("-h", "--help"):
            print(USAGE)
            raise SystemExit(0)
        print(USAGE, file=sys.stderr)
        raise SystemExit(2)
    # What the program would see if Python had run it.
    sys.argv = arguments
    if option == "-c":
        sys.argv = ["-c", *arguments[1:]]
    install()
    if option == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
        return
    # It stays after the last line: threads and pickled objects look names up there.
    main_module = ModuleType("__main__")
    vars(main_module)["__builtins__"] = __builtins__
    if option == "-c":
        source: str | bytes = program
        name = "<string>"
    elif Path(program).is_file():
        source = Path(program).read_bytes()
        name = program
        main_module.__file__ = program
        # With -P, as with -I, Python puts no folder there. Its flag is of Python 3.11.
        if not getattr(sys.flags, "safe_path", sys.flags.isolated):
            sys.path[0] = str(Path(program).resolve().parent)
    else:
        raise SystemExit(f"There is no file {program}.\n{USAGE}")
    sys.modules["__main__"] = main_module
    exec(compile(source, name, "exec", dont_inherit=True), vars(main_module))


if __name__ == "__main__":
    main()

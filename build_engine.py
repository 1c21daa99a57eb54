"""Compiles the engine: as a wheel or an editable install is built, or by `python build_engine.py` in a checkout.

Where that fails, what is installed is Python alone: the same numbers, slowly, and a warning that says so at import.
With TERCET_ENGINE=required, as where wheels are made and in CI, it is an error; with TERCET_ENGINE=plain, not tried.
"""

import os
import shutil
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # by hand, where hatchling need not be installed
    BuildHookInterface = object  # type: ignore[assignment,misc]

ROOT = Path(__file__).resolve().parent
FOLDER = ROOT / "src" / "tercet" / "engine"
_LASTS = "Compiling tercet's engine: 20 to 60 seconds."


class EngineHook(BuildHookInterface):  # type: ignore[misc]
    """Adds the module to the wheel, with this interpreter's tags; or to the sources, of an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, before the wheel is put together."""
        asked = os.environ.get("TERCET_ENGINE")
        if version == "editable" and asked != "plain" and is_current():
            return
        self.folder = TemporaryDirectory(prefix="tercet-engine-")  # is there until the wheel is
        if asked != "plain":
            self.app.display_info(_LASTS)
        try:
            library = None if asked == "plain" else compiled(self.folder.name)
        except (Exception, SystemExit) as error:
            if asked == "required":
                raise
            self.app.display_warning(f"tercet's engine was not compiled ({error}): a slow one is used.")
            library = None
        if version == "editable":
            put_in_place(library)
        elif library:
            build_data["force_include"][str(library)] = f"tercet/engine/{library.name}"
            build_data["pure_python"], build_data["infer_tag"] = False, True


def is_current() -> bool:
    """Return whether this Python's module is there and newer than its sources: it is not compiled once more.

    Where several environments are made of one checkout, tests run in one while another is made.
    """
    library = FOLDER / f"_engine{EXTENSION_SUFFIXES[0]}"
    sources = [Path(__file__), *(path for kind in ("pyx", "pxi", "h") for path in FOLDER.glob(f"*.{kind}"))]
    return library.is_file() and library.stat().st_mtime > max(path.stat().st_mtime for path in sources)


def compiled(folder: str | os.PathLike[str], *flags: str) -> Path:
    """Return the path of the module, compiled in this folder; the compiler and the linker get the flags too."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    source = Path(shutil.copytree(FOLDER, Path(folder, "engine"), ignore=shutil.ignore_patterns("*.so", "*.pyd")))
    # A root that sets no errno can be one of a vector.
    usual = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno"]
    extension = Extension(
        "tercet.engine._engine", [str(source / "_engine.pyx")], include_dirs=[str(source)],
        extra_compile_args=[*usual, *flags], extra_link_args=list(flags),
    )  # fmt: skip
    modules = cythonize([extension], language_level=3, quiet=True)
    command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib = command.build_temp = str(folder)
    command.ensure_finalized()
    command.run()
    return Path(command.get_outputs()[0]).resolve()


def put_in_place(library: Path | None) -> None:
    """Move the module beside its sources; those of older sources go, whichever Python they were compiled for.

    A file that a process has loaded is replaced whole: one that is written into would end that process.
    """
    for old in (*FOLDER.glob("_engine.*.so"), *FOLDER.glob("_engine.*.pyd")):
        old.unlink()
    if library:
        shutil.move(library, FOLDER)


if __name__ == "__main__":
    with TemporaryDirectory(prefix="tercet-engine-") as folder:
        print(_LASTS, flush=True)
        library = compiled(folder, *sys.argv[1:])
        put_in_place(library)
        print(f"Built {FOLDER / library.name}")

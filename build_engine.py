"""Compiles the engine: as a wheel or an editable install is built, or by `python build_engine.py` in a checkout.

Where that fails, what is installed is Python alone: the same numbers, slowly, and a warning that says so at import.
With TERCET_ENGINE=required, as where wheels are made and in CI, it is an error.
"""

import os
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # by hand, where hatchling need not be installed
    BuildHookInterface = object  # type: ignore[assignment,misc]

ROOT = Path(__file__).parent
FOLDER = Path("src", "tercet", "engine")


class EngineHook(BuildHookInterface):  # type: ignore[misc]
    """Adds the compiled module to the wheel, with the tags of this interpreter; of an editable install, to the sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, before the wheel is put together."""
        try:
            library = compiled()
        except (Exception, SystemExit) as error:
            if os.environ.get("TERCET_ENGINE") == "required":
                raise
            self.app.display_warning(f"tercet's engine was not compiled ({error}): one in Python is used, which is slow.")
            return
        if version == "editable":
            shutil.copy(library, ROOT / FOLDER)
            return
        build_data["force_include"][str(library)] = f"tercet/engine/{library.name}"
        build_data["pure_python"], build_data["infer_tag"] = False, True


def compiled(*flags: str) -> Path:
    """Return the path of the compiled module, in a folder of its own; `flags` are added to those of the compiler."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    usual = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]
    folder, source = mkdtemp(prefix="tercet-engine-"), str(ROOT / FOLDER / "_engine.pyx")
    extension = Extension(
        "tercet.engine._engine", [source], include_dirs=[str(ROOT / FOLDER)], extra_compile_args=[*usual, *flags],
        extra_link_args=list(flags),
    )  # fmt: skip
    modules = cythonize([extension], build_dir=folder, language_level=3, quiet=True)
    command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib = command.build_temp = folder
    command.ensure_finalized()
    command.run()
    return Path(command.get_outputs()[0]).resolve()


if __name__ == "__main__":
    print(shutil.copy(compiled(*sys.argv[1:]), ROOT / FOLDER))

"""Copies the examples of the documentation and their test sets to where one is: ``python -m tercet.examples``."""

import shutil
import sys
from pathlib import Path

_FOLDER = "examples"


def main() -> None:
    """Copy the programs, notebooks and test sets into a new folder."""
    here = Path(__file__).resolve().parent
    source = here / "example_files"
    if not source.is_dir():
        # A checkout has them at its top.
        source = here.parents[1] / _FOLDER
    try:
        shutil.copytree(source, _FOLDER, ignore=shutil.ignore_patterns("__pycache__"))
    except FileExistsError:
        sys.exit(f"There is a folder {_FOLDER} here already: nothing was copied.")
    print(f"Copied programs and notebooks to {_FOLDER}, and test sets to {_FOLDER}/data.")


if __name__ == "__main__":
    main()

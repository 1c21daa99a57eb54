"""What a process may lack that packages take for granted."""

from __future__ import annotations

import os
import sys

from tercet.errors import InputError


def check_working_directory(package: str) -> None:
    """Raise an InputError where a package cannot be imported, as it asks for the working directory."""
    try:
        os.getcwd()
    except OSError as error:
        if package not in sys.modules:
            raise InputError(
                f"The working directory no longer exists, and {package} cannot be imported without one: change to "
                "another."
            ) from error

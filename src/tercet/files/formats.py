"""The formats of files, and the names by which each is known.

A name says the format of a file, and nothing else does: what is in it tells only which program wrote a table or JSON
(`logs/recognition.py`), and of a file that is read as text, that it is none (`other_formats.py`).
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.errors import InputError

if TYPE_CHECKING:
    from .table import Table


class Format(NamedTuple):
    """A format of files, and what reads it."""

    name: str
    #: The module of the reader, and its function, of a binary stream, the name of the file for messages, and limits.
    module: str
    function: str
    #: How the names of its files end, in lower case.
    endings: tuple[str, ...] = ()

    def read(self, *arguments: Any, **settings: Any) -> Table:
        """Read a file; what only this format needs is imported here."""
        reader = getattr(import_module(f".{self.module}", __package__), self.function)
        table: Table = reader(*arguments, **settings)
        return table


#: In the order in which messages name them.
FORMATS = (
    Format("tsv", "tables.delimited", "read_tsv", (".tsv", ".tab")),
    Format("csv", "tables.delimited", "read_csv", (".csv",)),
    Format("jsonl", "tables.json_files", "read_jsonl", (".jsonl", ".ndjson")),
    Format("tmx", "translation.tmx", "read_tmx", (".tmx",)),
    Format("xlsx", "tables.workbooks", "read_workbook", (".xlsx", ".xlsm")),
    Format("parquet", "tables.arrow", "read_parquet", (".parquet", ".pq")),
    Format("arrow", "tables.arrow", "read_ipc", (".arrow", ".feather")),
    # By _ENDINGS_OF_LOGS; beside logs of inspect-ai, all else that is in JSON.
    Format("inspect", "tables.json_files", "read_json"),
    Format("xliff", "translation.xliff", "read_xliff", (".xlf", ".xliff", ".sdlxliff", ".mqxliff")),
    Format("po", "translation.po", "read_po", (".po",)),
    Format("subtitles", "translation.subtitles", "read_subtitles", (".srt", ".vtt", ".ass", ".ssa")),
    Format("ctm", "translation.transcripts", "read_ctm", (".ctm",)),
    Format("stm", "translation.transcripts", "read_stm", (".stm",)),
    # By SEGLST.
    Format("seglst", "translation.transcripts", "read_seglst"),
    Format("trn", "translation.transcripts", "read_trn", (".trn",)),
    # By _KALDI.
    Format("kaldi", "translation.transcripts", "read_kaldi"),
    Format("wmt", "shared_tasks.wmt", "read_wmt", (".xml", ".sgm", ".sgml")),
)
#: Readers by format.
READERS = {format.name: format.read for format in FORMATS}
#: Formats by the end of a file's name.
SUFFIXES = {ending: format.name for format in FORMATS for ending in format.endings}
#: Of files that are logs, or tables that a user names: a folder of tables may have other such files beside them.
_ENDINGS_OF_LOGS = {".eval": "inspect", ".json": "inspect"}
#: How the names of files of JSON end that are transcripts, as meeteval calls them.
SEGLST = ".seglst.json"
#: What Kaldi, ESPnet and others call a file of transcripts.
_KALDI = "text"

#: Formats whose texts are joined by what they translate, and those joined by their time or id.
BILINGUAL = ("xliff", "po")
TRANSLATIONS = ("tmx", *BILINGUAL)
MEMORIES = (*TRANSLATIONS, "subtitles", "ctm", "stm", "seglst", "trn", "kaldi")

#: Ends of the names of other programs' workbooks, which are not read.
_WORKBOOKS = (".xls", ".xlsb", ".ods", ".numbers")
#: Of files about speech that have times and no words.
_WITHOUT_WORDS = (".rttm", ".uem")


def table_format(path: str) -> str:
    """Return the format of a table or log by its file's name, or "" for a text file."""
    file = Path(unpacked(path))
    # Before all endings, as this name has none.
    if file.name == _KALDI:
        return "kaldi"
    # Before .json, with which it ends, too.
    if file.name.lower().endswith(SEGLST):
        return "seglst"
    ending = file.suffix.lower()
    return SUFFIXES.get(ending) or _ENDINGS_OF_LOGS.get(ending, "")


def unpacked(path: str) -> str:
    """Return the name of a file without the end that says it is compressed."""
    if path.lower().endswith(".gz"):
        return path[:-3]
    return path


def check_no_workbook(path: str) -> None:
    """Raise an InputError for a spreadsheet, by the end of its name; says how to save it as a file that is read."""
    if path.lower().endswith(_WORKBOOKS):
        raise InputError(
            f"{path} is, judging by its extension, a workbook that is not supported: save it as an Excel workbook "
            "(.xlsx), or the sheet as CSV in UTF-8 (.csv)."
        )


def check_has_words(path: str) -> None:
    """Raise an InputError for a file of times without words, by the end of its name."""
    if unpacked(path).lower().endswith(_WITHOUT_WORDS):
        raise InputError(
            f"{path} has, judging by its extension, times without words; expected a transcript, such as STM (.stm), "
            "CTM (.ctm) or SegLST (.seglst.json)."
        )

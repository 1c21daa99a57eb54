"""The names of a table's columns, and what they hold -> their roles: sources, references, systems."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.engine.character_kinds import UNSPACED
from tercet.files.json_values import as_list

from .vocabulary import (
    ABOUT,
    BARE_REFERENCES,
    BARE_SOURCES,
    CLEAR_REFERENCES,
    CLEAR_SOURCES,
    CLEAR_SYSTEMS,
    DOCUMENTS,
    EARLIER,
    FILLERS,
    LATER,
    OF_MODELS,
    OTHER_ABOUT,
    OTHER_FILLERS,
    OTHER_REFERENCES,
    OTHER_SOURCES,
    OTHER_SYSTEMS,
    PERHAPS_DOCUMENTS,
    QUALIFIERS,
    REFERENCES,
    SOURCES,
    SYSTEMS,
    TARGETS,
    WEAK_REFERENCES,
    WHOLE_OTHER_ABOUT,
    WHOLE_OTHER_REFERENCES,
    WHOLE_OTHER_SOURCES,
    WHOLE_REFERENCES,
    WHOLE_SOURCES,
    folded,
)

if TYPE_CHECKING:
    from tercet.files.table import Roles, Table

#: What a column holds that is no system.
CODES = "holds numbers, dates, ids or hashes"
EMPTY = "is empty in every row"
_NO_TEXT = "has values that are not text"
_UNRELATED = "hardly shares a word with the references"
#: What a column holds that is no reference.
UNLIKE_SYSTEMS = "hardly shares a word with the systems"
_CONSTANT = "has the same text in every row"
_FEW_VALUES = "has few values of one word each"
#: What a column holds that is no source.
_NAMES_DOCUMENTS = "names documents of several rows"
#: Why a column is no system beside others.
_HAS_EARLIER_TEXTS = "has texts of an earlier state, as its name says"
#: A version, which says nothing of another role behind a word of references: "gold_v2".
_VERSION = re.compile(r"v\d+")
# A number, a date, an id, a hash or an address.
_CODE = re.compile(r"[\d\s:.,/+-]*\d[\d\s:.,/+-]*|[A-Za-z0-9_.:/#-]*\d[A-Za-z0-9_.:/#-]*|[a-z]+://\S+")

_ALL_ABOUT = ABOUT | OTHER_ABOUT
_ALL_FILLERS = FILLERS | OTHER_FILLERS
# The words that leave a name that of a role.
_KNOWN = frozenset().union(
    *(_ALL_ABOUT, _ALL_FILLERS, QUALIFIERS, REFERENCES, OTHER_REFERENCES, SYSTEMS, OTHER_SYSTEMS, TARGETS, SOURCES),
    *(OTHER_SOURCES, BARE_REFERENCES, BARE_SOURCES, WHOLE_SOURCES, PERHAPS_DOCUMENTS),
    *(name.split() for name in WHOLE_REFERENCES),
)
_WHOLE_OTHERS = {
    "reference": WHOLE_OTHER_REFERENCES,
    "source": WHOLE_OTHER_SOURCES,
    "about": WHOLE_OTHER_ABOUT,
}


class NameRole(NamedTuple):
    """What the name of a column says of its role.

    Attributes
    ----------
    role : {"source", "reference", "system", "about"}
        "system" where no word says a role.
    word : str
        The word that says it; "" where none does.
    is_whole : bool
        Whether the name has no other word: with one, as in ``human-dpo``, it may be a system's.
    """

    role: str
    word: str
    is_whole: bool


def name_role(name: str) -> NameRole:
    """Return what the name of a column says of its role, in any case, with numbers or letters after its words.

    >>> name_role("reference_2"), name_role("human-dpo").is_whole, name_role("gpt-4o").word
    (NameRole(role='reference', word='reference', is_whole=True), False, '')
    """
    folded_name, words, codes = _words_of(name)
    whole = re.sub(r"[\s\d]+$", "", " ".join(folded_name.split()))
    for role_of_names, names in _WHOLE_OTHERS.items():
        if whole in names:
            return NameRole(role_of_names, whole, is_whole=True)
    if not words:
        return NameRole("system", "", is_whole=False)
    role, word = _role_of_words(folded_name, words)
    if word in REFERENCES | OTHER_REFERENCES:
        codes = [code for code in codes if not _VERSION.fullmatch(code)]
    is_whole = bool(word) and not codes and _KNOWN.issuperset(words)
    if role == "reference" and OF_MODELS.intersection(words):
        is_whole = False
    return NameRole(role, word, is_whole)


def _role_of_words(folded_name: str, words: Sequence[str]) -> tuple[str, str]:
    """Return the role that words say, and the one that says it."""
    first = words[0]
    is_bare = len(words) == 1
    if " ".join(words) in WHOLE_REFERENCES:
        return "reference", " ".join(words)
    if about := _first_in(words, _ALL_ABOUT):
        return "about", about
    if first in REFERENCES:
        return "reference", first
    if reference := _first_in(words, OTHER_REFERENCES):
        return "reference", reference
    # "alt_reference" and "summary_ref" are references, "T5-ref" is none.
    reference = _first_in(words, CLEAR_REFERENCES)
    if reference and _KNOWN.issuperset(words) and not (SYSTEMS | OTHER_SYSTEMS).intersection(words):
        return "reference", reference
    if system := _first_in(words, SYSTEMS | OTHER_SYSTEMS):
        return "system", system
    if first in TARGETS or (is_bare and first in BARE_REFERENCES):
        return "reference", first
    if folded_name in WHOLE_SOURCES or first in SOURCES or (is_bare and first in BARE_SOURCES | PERHAPS_DOCUMENTS):
        return "source", first
    if source := _first_in(words, OTHER_SOURCES):
        return "source", source
    return "system", ""


def _first_in(words: Sequence[str], words_of_role: frozenset[str]) -> str:
    return next((word for word in words if word in words_of_role), "")


def role_of(name: str) -> str:
    """Return the role that the name of a column says: source, reference, system, or about.

    A name of which only a part says that it is a source or a reference is that of a system.
    """
    role, _, is_whole = name_role(name)
    if is_whole or role == "about":
        return role
    return "system"


def guess_roles(table: Table, references: Sequence[str] = ()) -> Roles:
    """Tell the roles of the columns from their names, and from what they hold.

    Names are English, or common ones of German, French, Spanish, Portuguese, Italian, Dutch, Russian, Arabic,
    Chinese, Japanese or Korean. Only columns of text have a role: not those of numbers, of other JSON values, or
    without any text. References may be lists of texts too. What is neither source, reference nor a word about the
    texts (an id, a language, a score) is a system: a file may have any number of them, under their own names. But
    where several columns would be systems, those of ids, dates or hashes are none, nor those that hardly share a
    word with the references as others do, nor those without any text: ``left_out`` says so. The columns of a log,
    and of a test set of WMT, have the roles that its format gives them. `references` are columns whose role is known.

    A name decides where all its words are of a role (``human``, ``ref2``, ``gold_1``). Where only a part is
    (``human-dpo``), the column is a system's if others have the role; if not, it is ``doubtful``. Each column has its
    reason in ``reasons``.
    """
    # Here, as text files have names, whose words say their roles, but no tables.
    from tercet.files.table import Log, Roles, TableWithRoles

    if isinstance(table, Log | TableWithRoles):
        return table.roles
    lacks = {name: lack(cells) for name, cells in table.columns.items()}
    known_references = [name for name in references if name in table.columns]
    names = _Names(table, lacks, known_references)
    if not known_references:
        names.take_as_about(_labels_for_references(names), _FEW_VALUES)
    unlike = _references_unlike_systems(names)
    names.take_as_about(unlike, UNLIKE_SYSTEMS)
    targets = names.targets()
    # "source" goes before "question", wherever they stand.
    sources = sorted(names.with_texts("source"), key=lambda name: clear_role(name) != "source")
    source = None
    if sources:
        source = sources[0]
    left_out = _not_systems(names, known_references or targets)
    systems = [name for name in names.with_texts("system") if name not in left_out]
    reasons = names.reasons
    for name, reason in lacks.items():
        if reason and name not in targets:
            reasons[name] = reason
    reasons |= left_out
    doubtful = [name for name in names.doubtful if not lacks[name] and name not in left_out]
    all_systems_doubtful = set(systems) <= set(doubtful)
    all_references_doubtful = set(targets) <= set(doubtful)
    if all_systems_doubtful and not all_references_doubtful:
        # As references they would leave no system.
        doubtful = []
    return Roles(
        source=source,
        references=tuple(targets),
        systems=tuple(systems),
        left_out=left_out,
        reasons=reasons,
        doubtful=tuple(doubtful),
        unlike=tuple(unlike),
    )


def _not_systems(names: _Names, references: Sequence[str]) -> dict[str, str]:
    """Return, by column that its name alone would make a system, what it holds instead."""
    columns = names.table.columns
    candidates = {name: columns[name] for name in names.with_texts("system")}
    left_out = _left_out(candidates, _texts_of_rows(names.table, references))
    remaining = [name for name in candidates if name not in left_out]
    left_out |= dict.fromkeys(_earlier(remaining), _HAS_EARLIER_TEXTS)
    for name, role in names.roles.items():
        reason = names.lacks[name]
        if role == "system" and reason and _is_missed(columns[name], reason):
            left_out[name] = reason
    return left_out


def _earlier(systems: Sequence[str]) -> list[str]:
    """Return the columns of an earlier state beside others: none where another one has the later state."""
    earlier = []
    for name in systems:
        words = _words_of(name).words
        if LATER.intersection(words):
            return []
        if words and words[0] in EARLIER:
            earlier.append(name)
    if len(earlier) == len(systems):
        return []
    return earlier


def _labels_for_references(names: _Names) -> list[str]:
    """Return the columns of references that hold labels, where texts of systems are none."""
    columns = names.table.columns
    systems = names.with_texts("system")
    if not systems or any(_has_few_values(columns[name]) for name in systems):
        return []
    return [name for name in names.with_texts("reference") if _has_few_values(columns[name])]


def _references_unlike_systems(names: _Names) -> list[str]:
    """Return the columns called as references, and not clearly, with which systems share no words, unlike others."""
    targets = names.targets()
    unclear = []
    for name in targets:
        if name not in names.references and names.said[name].word not in _CLEAR_FIRST:
            unclear.append(name)
    if not unclear:
        return []
    references = {}
    for name in targets:
        references[name] = [" ".join(texts) for texts in _texts_of_rows(names.table, [name])]
    systems = _texts_of_rows(names.table, names.with_texts("system"))
    return [name for name in unrelated(references, systems) if name in unclear]


class _Names:
    """The roles that the names of columns say, settled against each other and against what the columns hold."""

    def __init__(self, table: Table, lacks: Mapping[str, str], references: Sequence[str]) -> None:
        self.table = table
        self.lacks = lacks
        #: The columns of references that are known; `targets` may be more.
        self.references = references
        self.said = {name: name_role(name) for name in table.columns}
        self.roles: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self.doubtful: list[str] = []
        self._take_whole_names()
        self._let_weak_references_give_way()
        self._take_parts()
        # In the order of the columns.
        self.roles = {name: self.roles[name] for name in table.columns}

    def take_as_about(self, columns: Iterable[str], reason: str) -> None:
        """Give columns no other role than to say something about the texts."""
        for name in columns:
            self.roles[name] = "about"
            self.reasons[name] = reason

    def with_texts(self, role: str) -> list[str]:
        """Return the columns of texts in a role."""
        return [name for name, own_role in self.roles.items() if own_role == role and not self.lacks[name]]

    def targets(self) -> list[str]:
        """Return the columns of references: of texts, or of lists of them."""
        references = [name for name, role in self.roles.items() if role == "reference"]
        columns = self.table.columns
        return [name for name in references if not self.lacks[name] or not lack(_within(columns[name]))]

    def _take_whole_names(self) -> None:
        for name, said in self.said.items():
            if name in self.references:
                self.roles[name] = "reference"
                self.reasons[name] = "it is named as one"
            elif not said.word:
                self.roles[name] = said.role
                self.reasons[name] = "its name says no other role"
            elif said.role == "source" and _names_documents(name, self.table.columns[name]):
                self.roles[name] = "about"
                self.reasons[name] = _NAMES_DOCUMENTS
            elif said.is_whole:
                self.roles[name] = said.role
                self.reasons[name] = f"its name says {said.word!r}"

    def _let_weak_references_give_way(self) -> None:
        """Take an "answer" beside a "ground_truth" for a system's; where there are other systems, it is doubtful."""
        references = self.with_texts("reference")
        weak = [name for name in references if self.said[name].word in _WEAK and name not in self.references]
        if not self.references and len(weak) == len(references):
            return
        has_systems = bool(self.with_texts("system"))
        for name in weak:
            self.roles[name] = "system"
            self.reasons[name] += ", and another column says more clearly that it has the references"
            if has_systems and not self.references:
                self.doubtful.append(name)

    def _take_parts(self) -> None:
        """Give a role to the columns whose names say one beside something else."""
        in_part = [name for name in self.said if name not in self.roles]
        has_references = bool(self.targets())
        has_source = bool(self.with_texts("source"))
        like_references = []
        if has_references:
            like_references = self._like_references(in_part)
        for name in in_part:
            role, word, _ = self.said[name]
            self.roles[name] = role
            self.reasons[name] = f"its name says {word!r}, and more"
            if role == "reference":
                self._take_part_of_reference(name, word, has_references)
            elif role == "source" and has_source:
                self._make_system(name, "another column has the source")
            elif name in like_references and (role == "source" or _may_be_a_model(name, word)):
                self._make_system(name, "it is like the references")

    def _take_part_of_reference(self, name: str, word: str, has_references: bool) -> None:
        is_clear = word in _CLEAR_FIRST and folded(name).startswith(word)
        # Beside references it is made a system, which "reference_anna" hardly is; alone it stays a reference, which
        # "human-dpo" may not be.
        is_doubtful = is_clear == has_references
        if is_doubtful and not self.references:
            self.doubtful.append(name)
        if has_references:
            self._make_system(name, "another column has the references")

    def _make_system(self, name: str, reason: str) -> None:
        self.roles[name] = "system"
        self.reasons[name] += f", and {reason}"

    def _like_references(self, columns: Sequence[str]) -> list[str]:
        """Return which of some columns share words with the references as systems do; none where rows are too few."""
        targets = [name for name, role in self.roles.items() if role == "reference"]
        texts_of_rows = _texts_of_rows(self.table, targets)
        different = {tuple(texts) for texts in texts_of_rows if texts}
        if len(different) < LEAST_ROWS:
            return []
        with_texts = [name for name in columns if not self.lacks[name]]
        cells = {name: self.table.columns[name] for name in [*with_texts, *self.with_texts("system")]}
        strangers = unrelated(cells, texts_of_rows)
        return [name for name in with_texts if name not in strangers]


def _may_be_a_model(name: str, word: str) -> bool:
    """Return whether a name with a word about texts may be that of a model: ``time-llm``, not ``model_context``."""
    return _words_of(name).words[-1] != word


# Words of references that a system's column may have too, beside references.
_WEAK = WEAK_REFERENCES | {"answer aliases"}
# Words of references alone: "reference_anna" is hardly a system, as "human-dpo" may be.
_CLEAR_FIRST = CLEAR_REFERENCES | OTHER_REFERENCES


def _texts_of_rows(table: Table, columns: Sequence[str]) -> list[list[str]]:
    """Return the texts that each row has in some columns, whose cells may be lists of them."""
    texts_of_rows = []
    for row in range(len(table.lines)):
        cells = _within([table.columns[name][row] for name in columns])
        texts_of_rows.append([cell for cell in cells if isinstance(cell, str) and cell])
    return texts_of_rows


def _left_out(columns: dict[str, list[Any]], references: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return which columns are no systems, with what they hold; of a single candidate, only labels are none."""
    left_out: dict[str, str] = {}
    remaining = dict(columns)

    def leave_out(names: Iterable[str], reason: str) -> None:
        for name in names:
            left_out[name] = reason
            del remaining[name]

    texts = list(chain.from_iterable(references))
    if texts and not _has_few_values(texts):
        leave_out([name for name, cells in remaining.items() if _has_few_values(cells)], _FEW_VALUES)
    if not texts or not _are_codes(texts):
        codes = [name for name, cells in remaining.items() if _are_codes(cells)]
        # Beside references of words, no system writes codes alone.
        if texts or len(codes) < len(remaining):
            leave_out(codes, CODES)
    if texts:
        strangers = unrelated(remaining, references)
        if _has_few_values(texts):
            # A classifier that is often wrong answers with labels of the references all the same.
            labels = set(texts)
            strangers = [name for name in strangers if not _are_among(remaining[name], labels)]
        leave_out(strangers, _UNRELATED)
        return left_out
    constant = [name for name, cells in remaining.items() if len(cells) >= LEAST_ROWS and len(set(cells)) == 1]
    if len(constant) < len(remaining):
        leave_out(constant, _CONSTANT)
    return left_out


#: Different values that labels have at most, such as "a", "b" and "tie".
_MOST_LABELS = 4


def _has_few_values(cells: Sequence[Any]) -> bool:
    """Return whether a column has a few values of a word each, which repeat, as labels do."""
    values = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
    different = set(values)
    return (
        len(values) >= 2 * LEAST_ROWS
        and 1 < len(different) <= _MOST_LABELS
        and not any(re.search(r"\s", value) for value in different)
    )


def _are_among(cells: Sequence[Any], labels: set[str]) -> bool:
    """Return whether most filled cells are one of some labels."""
    filled = [cell for cell in cells if cell]
    return 2 * sum(cell in labels for cell in filled) > len(filled)


def document_column(table: Table) -> str | None:
    """Return the first column whose name says that it names documents, if some document has several rows."""
    for name, cells in table.columns.items():
        words = _words_of(name).words
        is_named = "".join(words) in DOCUMENTS and _are_names(cells)
        if is_named or _names_documents(name, cells):
            return name
    return None


def _names_documents(name: str, cells: Sequence[Any]) -> bool:
    """Return whether a column that may have texts of documents has their names: short, and each of several rows."""
    words = _words_of(name).words
    if len(words) != 1 or words[0] not in PERHAPS_DOCUMENTS or not _are_names(cells):
        return False
    return 2 * len(set(cells)) <= len(cells) and all(len(str(cell).split()) <= _MOST_WORDS for cell in cells)


#: Words that the name of a document has at most.
_MOST_WORDS = 3


def _are_names(cells: Sequence[Any]) -> bool:
    """Return whether all cells are filled with texts or whole numbers, of which some repeat."""
    are_filled = all(isinstance(cell, str | int) and cell != "" for cell in cells)
    return are_filled and 1 < len(set(cells)) < len(cells)


def clear_role(name: str) -> str:
    """Return the only role that a column or file of this name has, or "" where it may have another.

    A "summary" may be a reference or a system's, "human" a system too; a "ref" or "source" is what it says.
    """
    words = _words_of(name).words
    if not words or _ALL_ABOUT.intersection(words):
        return ""
    if (CLEAR_REFERENCES | OTHER_REFERENCES).intersection(words):
        return "reference"
    if words[0] in CLEAR_SOURCES or "src" in words or OTHER_SOURCES.intersection(words):
        return "source"
    if words[0] in CLEAR_SYSTEMS:
        return "system"
    return ""


class _SplitName(NamedTuple):
    """A name in lower case, the words by which it is judged, and its codes, such as T5 or v2."""

    folded: str
    words: list[str]
    codes: list[str]


def _words_of(name: str) -> _SplitName:
    """Return the words by which a name is judged."""
    folded_name = folded(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
    tokens = re.findall(r"[^\W_]+", folded_name)
    codes: list[str] = []
    all_words: list[str] = []
    for token in tokens:
        word = re.sub(r"\d+", "", token)
        if word == token or len(word) > 1:
            all_words.append(word)
        elif word:
            codes.append(token)
    words = [word for word in all_words if len(word) > 1 and word not in _ALL_FILLERS]
    return _SplitName(folded_name, words or all_words[:1], codes)


def lack(cells: Iterable[Any]) -> str:
    """Return why a column is none of texts; "" where its cells are texts or None, and one of them no number."""
    from tercet.files.numbers import is_written_number

    values = [cell for cell in cells if cell is not None and cell != ""]
    if not values:
        return EMPTY
    if not all(isinstance(cell, str) for cell in values):
        return _NO_TEXT
    if all(map(is_written_number, values)):
        return CODES
    return ""


def _is_missed(cells: Iterable[Any], reason: str) -> bool:
    """Return whether a column without texts may be a system's: numbers or lists are scores or contexts.

    Bytes may be texts in another encoding than UTF-8.
    """
    if reason in (EMPTY, CODES):
        return reason == EMPTY
    texts = []
    for cell in cells:
        if isinstance(cell, str):
            texts.append(cell)
        elif isinstance(cell, bytes):
            texts.append("bytes")
    return not lack(texts)


def _are_codes(cells: Iterable[Any]) -> bool:
    return all(map(_CODE.fullmatch, (cell.strip() for cell in cells if cell)))


def _within(cells: Iterable[Any]) -> Iterable[Any]:
    return chain.from_iterable(map(as_list, cells))


# Columns of texts and references -> which of them say something else than the references do.

#: In fewer rows, texts may share words by chance, or none.
LEAST_ROWS = 4
# Rows that are compared, of a larger table: spread over all of it.
_MOST_ROWS = 300
# How many other rows' references a text is compared with.
_SHIFTS = 5
# What a column must share beyond chance, as a part of what the best column shares, which counts up to _ENOUGH.
_LEAST_PART = 0.3
_ENOUGH = 0.5
# What the best column must share beyond chance; below that, nothing is said of any.
_LEAST_BEST = 0.1

WordSet = frozenset[str]


def unrelated(columns: Mapping[str, Sequence[Any]], references: Sequence[Sequence[str]]) -> list[str]:
    """Return the columns that hardly share a word with the references of their rows, while others do.

    What counts is how much more a text shares with the references of its row than with those of other rows: remarks
    in the language of the references share its articles with any. Letters of scripts without blanks are words.
    """
    # One of the rows with the same references: to compare it with the others would say nothing.
    row_of_texts = {tuple(texts): row for row, texts in enumerate(references) if texts}
    step = max(1, math.ceil(len(row_of_texts) / _MOST_ROWS))
    rows = sorted(row_of_texts.values())[::step]
    if len(rows) < LEAST_ROWS or len(columns) < 2:
        return []
    targets = [_word_set(references[row]) for row in rows]
    shares = {}
    for name, cells in columns.items():
        texts = [_word_set([cells[row] or ""]) for row in rows]
        shares[name] = _shares(texts, targets)
    best_beyond = max(beyond for _, beyond in shares.values())
    largest_share = max(share for share, _ in shares.values())
    if best_beyond < _LEAST_BEST:
        return []
    least = _LEAST_PART * min(best_beyond, _ENOUGH)
    return [name for name, (share, beyond) in shares.items() if beyond < least and 2 * share < largest_share]


def _shares(texts: Sequence[WordSet], targets: Sequence[WordSet]) -> tuple[float, float]:
    """Return the mean share of words in common with the own references, and how much more it is than with others."""
    own_share = _mean_share(zip(texts, targets, strict=True))
    other_shares = []
    for shift in range(1, min(_SHIFTS, len(targets) - 1) + 1):
        shifted = [*targets[shift:], *targets[:shift]]
        other_shares.append(_mean_share(zip(texts, shifted, strict=True)))
    return own_share, own_share - sum(other_shares) / len(other_shares)


def _mean_share(pairs: Iterable[tuple[WordSet, WordSet]]) -> float:
    # Of the shorter text: an answer of one word is wholly within a long explanation.
    shares = [len(text & target) / min(len(text), len(target)) for text, target in pairs if text and target]
    if not shares:
        return 0.0
    return sum(shares) / len(shares)


def _word_set(texts: Iterable[str]) -> WordSet:
    words: set[str] = set()
    for text in texts:
        words.update(_pattern().findall(text.casefold()))
    return frozenset(words)


@cache
def _pattern() -> Any:
    import regex

    return regex.compile(rf"[{UNSPACED}]\p{{M}}*|[\p{{L}}\p{{N}}][[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]*", regex.V1)

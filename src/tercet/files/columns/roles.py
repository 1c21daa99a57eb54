"""The names of a table's columns, and what they hold -> their roles: sources, references, systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from .contents import (
    CODES,
    LEAST_ROWS,
    are_among,
    are_codes,
    are_names,
    has_few_values,
    is_missed,
    lack,
    texts_of_rows,
    texts_within,
    unrelated,
)
from .name_roles import clear_role, name_role, words_of_name
from .vocabulary import (
    CLEAR_REFERENCES,
    DOCUMENTS,
    EARLIER,
    LATER,
    OTHER_REFERENCES,
    PERHAPS_DOCUMENTS,
    WEAK_REFERENCES,
)
from .words import folded

if TYPE_CHECKING:
    from tercet.files.table import Roles, Table

_UNRELATED = "hardly shares a word with the references"
#: What a column holds that is no reference.
UNLIKE_SYSTEMS = "hardly shares a word with the systems"
_CONSTANT = "has the same text in every row"
_FEW_VALUES = "has few values of one word each"
#: What a column holds that is no source.
_NAMES_DOCUMENTS = "names documents of several rows"
#: Why a column is no system beside others.
_HAS_EARLIER_TEXTS = "has texts of an earlier state, as its name says"


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
    left_out = _left_out(candidates, texts_of_rows(names.table, references))
    remaining = [name for name in candidates if name not in left_out]
    left_out |= dict.fromkeys(_earlier(remaining), _HAS_EARLIER_TEXTS)
    for name, role in names.roles.items():
        reason = names.lacks[name]
        if role == "system" and reason and is_missed(columns[name], reason):
            left_out[name] = reason
    return left_out


def _earlier(systems: Sequence[str]) -> list[str]:
    """Return the columns of an earlier state beside others: none where another one has the later state."""
    earlier = []
    for name in systems:
        words = words_of_name(name).words
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
    if not systems or any(has_few_values(columns[name]) for name in systems):
        return []
    return [name for name in names.with_texts("reference") if has_few_values(columns[name])]


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
        references[name] = [" ".join(texts) for texts in texts_of_rows(names.table, [name])]
    systems = texts_of_rows(names.table, names.with_texts("system"))
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
        return [name for name in references if not self.lacks[name] or not lack(texts_within(columns[name]))]

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
        rows = texts_of_rows(self.table, targets)
        different = {tuple(texts) for texts in rows if texts}
        if len(different) < LEAST_ROWS:
            return []
        with_texts = [name for name in columns if not self.lacks[name]]
        cells = {name: self.table.columns[name] for name in [*with_texts, *self.with_texts("system")]}
        strangers = unrelated(cells, rows)
        return [name for name in with_texts if name not in strangers]


def _may_be_a_model(name: str, word: str) -> bool:
    """Return whether a name with a word about texts may be that of a model: ``time-llm``, not ``model_context``."""
    return words_of_name(name).words[-1] != word


# Words of references that a system's column may have too, beside references.
_WEAK = WEAK_REFERENCES | {"answer aliases"}
# Words of references alone: "reference_anna" is hardly a system, as "human-dpo" may be.
_CLEAR_FIRST = CLEAR_REFERENCES | OTHER_REFERENCES


def _left_out(columns: dict[str, list[Any]], references: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return which columns are no systems, with what they hold; of a single candidate, only labels are none."""
    left_out: dict[str, str] = {}
    remaining = dict(columns)

    def leave_out(names: Iterable[str], reason: str) -> None:
        for name in names:
            left_out[name] = reason
            del remaining[name]

    texts = list(chain.from_iterable(references))
    if texts and not has_few_values(texts):
        leave_out([name for name, cells in remaining.items() if has_few_values(cells)], _FEW_VALUES)
    if not texts or not are_codes(texts):
        codes = [name for name, cells in remaining.items() if are_codes(cells)]
        # Beside references of words, no system writes codes alone.
        if texts or len(codes) < len(remaining):
            leave_out(codes, CODES)
    if texts:
        strangers = unrelated(remaining, references)
        if has_few_values(texts):
            # A classifier that is often wrong answers with labels of the references all the same.
            labels = set(texts)
            strangers = [name for name in strangers if not are_among(remaining[name], labels)]
        leave_out(strangers, _UNRELATED)
        return left_out
    constant = [name for name, cells in remaining.items() if len(cells) >= LEAST_ROWS and len(set(cells)) == 1]
    if len(constant) < len(remaining):
        leave_out(constant, _CONSTANT)
    return left_out


def document_column(table: Table) -> str | None:
    """Return the first column whose name says that it names documents, if some document has several rows."""
    for name, cells in table.columns.items():
        words = words_of_name(name).words
        is_named = "".join(words) in DOCUMENTS and are_names(cells)
        if is_named or _names_documents(name, cells):
            return name
    return None


def _names_documents(name: str, cells: Sequence[Any]) -> bool:
    """Return whether a column that may have texts of documents has their names: short, and each of several rows."""
    words = words_of_name(name).words
    if len(words) != 1 or words[0] not in PERHAPS_DOCUMENTS or not are_names(cells):
        return False
    return 2 * len(set(cells)) <= len(cells) and all(len(str(cell).split()) <= _MOST_WORDS for cell in cells)


#: Words that the name of a document has at most.
_MOST_WORDS = 3

"""The names of a table's columns, and what they hold -> their roles: sources, references, systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from .contents import (
    LEAST_ROWS,
    are_among,
    are_codes,
    are_names,
    has_few_values,
    lack,
    may_be_texts,
    texts_of_rows,
    texts_within,
    unrelated,
)
from .lacks import Lack
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

#: What a column holds that is no source.
_NAMES_DOCUMENTS = "names documents of several rows"
#: Words that the name of a document has at most (chosen): a text has more.
_MOST_WORDS = 3
#: Words of references that a system's column may have too, beside references.
_WEAK = WEAK_REFERENCES | {"answer aliases"}
#: Words of references alone: "reference_anna" is hardly a system, as "human-dpo" may be.
_CLEAR_FIRST = CLEAR_REFERENCES | OTHER_REFERENCES


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

    The roles are settled in eight steps, of which each sees what the ones before it left:

    1. names that say a role with all their words, or none, and columns of references that are known;
    2. "answer" and the like are systems beside clearer references;
    3. names of which only a part says a role;
    4. columns of labels are no references of texts;
    5. nor are columns that share no words with the systems, unlike others;
    6. the first source is taken, one called so before others;
    7. systems are left out that hold no texts, or others than the references suggest;
    8. what is still as likely a system as references is doubtful.
    """
    # Here, as text files have names, whose words say their roles, but no tables.
    from tercet.files.table import Log, Roles, TableWithRoles

    if isinstance(table, Log | TableWithRoles):
        return table.roles
    lacks = {name: lack(cells) for name, cells in table.columns.items()}
    names = _Names(table, lacks, [name for name in references if name in table.columns])
    unlike = names.set_unlike_references_aside()
    targets = names.targets()
    left_out = names.not_systems()
    systems = [name for name in names.with_texts("system") if name not in left_out]
    reasons = names.reasons
    for name, why_not in lacks.items():
        if why_not is not None and name not in targets:
            reasons[name] = why_not.in_words
    reasons |= {name: why_not.in_words for name, why_not in left_out.items()}
    doubtful = [name for name in names.doubtful if lacks[name] is None and name not in left_out]
    all_systems_doubtful = set(systems) <= set(doubtful)
    all_references_doubtful = set(targets) <= set(doubtful)
    if all_systems_doubtful and not all_references_doubtful:
        # As references they would leave no system.
        doubtful = []
    return Roles(
        source=names.source(),
        references=tuple(targets),
        systems=tuple(systems),
        left_out=left_out,
        reasons=reasons,
        doubtful=tuple(doubtful),
        unlike=tuple(unlike),
    )


def _of_earlier_state(systems: Sequence[str]) -> list[str]:
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


class _Names:
    """The roles that the names of columns say, settled against each other and against what the columns hold."""

    def __init__(self, table: Table, lacks: Mapping[str, Lack | None], references: Sequence[str]) -> None:
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
        self._take_partial_names()
        # In the order of the columns.
        self.roles = {name: self.roles[name] for name in table.columns}
        if not references:
            self._set_aside(self._labels_for_references(), Lack.FEW_VALUES)

    def set_unlike_references_aside(self) -> list[str]:
        """Return the columns called as references, and not clearly, with which systems share no words, unlike others.

        They have no other role than to say something about the texts.
        """
        targets = self.targets()
        unclear = []
        for name in targets:
            if name not in self.references and self.said[name].word not in _CLEAR_FIRST:
                unclear.append(name)
        if not unclear:
            return []
        references = {}
        for name in targets:
            references[name] = [" ".join(texts) for texts in texts_of_rows(self.table, [name])]
        systems = texts_of_rows(self.table, self.with_texts("system"))
        unlike = [name for name in unrelated(references, systems) if name in unclear]
        self._set_aside(unlike, Lack.UNLIKE_SYSTEMS)
        return unlike

    def source(self) -> str | None:
        """Return the first column of sources: "source" goes before "question", wherever they stand."""
        sources = sorted(self.with_texts("source"), key=lambda name: clear_role(name) != "source")
        return next(iter(sources), None)

    def not_systems(self) -> dict[str, Lack]:
        """Return, by column that its name alone would make a system, what it holds instead."""
        columns = self.table.columns
        candidates = {name: columns[name] for name in self.with_texts("system")}
        left_out = _left_out(candidates, texts_of_rows(self.table, self.references or self.targets()))
        remaining = [name for name in candidates if name not in left_out]
        left_out |= dict.fromkeys(_of_earlier_state(remaining), Lack.EARLIER)
        for name, role in self.roles.items():
            why_not = self.lacks[name]
            if role == "system" and why_not is not None and may_be_texts(columns[name], why_not):
                left_out[name] = why_not
        return left_out

    def with_texts(self, role: str) -> list[str]:
        """Return the columns of texts in a role."""
        return [name for name, own_role in self.roles.items() if own_role == role and not self.lacks[name]]

    def targets(self) -> list[str]:
        """Return the columns of references: of texts, or of lists of them."""
        references = [name for name, role in self.roles.items() if role == "reference"]
        columns = self.table.columns
        return [name for name in references if not self.lacks[name] or not lack(texts_within(columns[name]))]

    def _set_aside(self, columns: Iterable[str], why: Lack) -> None:
        """Give columns no other role than to say something about the texts."""
        for name in columns:
            self.roles[name] = "about"
            self.reasons[name] = why.in_words

    def _labels_for_references(self) -> list[str]:
        """Return the columns of references that hold labels, where texts of systems are none."""
        columns = self.table.columns
        systems = self.with_texts("system")
        if not systems or any(has_few_values(columns[name]) for name in systems):
            return []
        return [name for name in self.with_texts("reference") if has_few_values(columns[name])]

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

    def _take_partial_names(self) -> None:
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
                self._take_partial_reference(name, word, has_references)
            elif role == "source" and has_source:
                self._make_system(name, "another column has the source")
            elif name in like_references and (role == "source" or _may_be_a_model(name, word)):
                self._make_system(name, "it is like the references")

    def _take_partial_reference(self, name: str, word: str, has_references: bool) -> None:
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


def _left_out(columns: dict[str, list[Any]], references: Sequence[Sequence[str]]) -> dict[str, Lack]:
    """Return which columns are no systems, with what they hold; of a single candidate, only labels are none."""
    left_out: dict[str, Lack] = {}
    remaining = dict(columns)

    def leave_out(names: Iterable[str], why: Lack) -> None:
        for name in names:
            left_out[name] = why
            del remaining[name]

    texts = list(chain.from_iterable(references))
    if texts and not has_few_values(texts):
        leave_out([name for name, cells in remaining.items() if has_few_values(cells)], Lack.FEW_VALUES)
    if not texts or not are_codes(texts):
        codes = [name for name, cells in remaining.items() if are_codes(cells)]
        # Beside references of words, no system writes codes alone.
        if texts or len(codes) < len(remaining):
            leave_out(codes, Lack.CODES)
    if texts:
        strangers = unrelated(remaining, references)
        if has_few_values(texts):
            # A classifier that is often wrong answers with labels of the references all the same.
            labels = set(texts)
            strangers = [name for name in strangers if not are_among(remaining[name], labels)]
        leave_out(strangers, Lack.UNLIKE_REFERENCES)
        return left_out
    constant = [name for name, cells in remaining.items() if len(cells) >= LEAST_ROWS and len(set(cells)) == 1]
    if len(constant) < len(remaining):
        leave_out(constant, Lack.CONSTANT)
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

"""Translation edit rate (Snover et al. 2006): edits and shifts per word of the references."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.dialects import Dialect
from tercet.base.metric import Metric
from tercet.base.options import OnlyWith, option
from tercet.base.peers import Peers, by_sacrebleu
from tercet.base.rows import PairRows, as_rows, base_of_pairs, leave_out
from tercet.base.shared_options import MISSING_REFERENCES, shared_labels
from tercet.base.short_road import rules_of_plan
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_texts
from tercet.corpus.letters import LetterCounts, count_letters, why_not_split
from tercet.corpus.reading import Crossing, Indices, rows_by_engine
from tercet.corpus.tokenizers import tokenize
from tercet.engine.chosen import engine
from tercet.engine.planned import Entry, TextPlan
from tercet.explanation.edits import Edits, steps_of, words_in
from tercet.explanation.explanation import Matched
from tercet.explanation.matches import Word
from tercet.explanation.parts import Line, Part, Table, score_on_scale
from tercet.option_checks import as_scale
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: sacrebleu's defaults are those of this metric.
PRESETS: dict[str, dict[str, object]] = {"sacrebleu": {}}

#: How evaluate's ter is called, and answers.
DIALECTS = {
    "sacrebleu": Dialect(
        options={"compat": "sacrebleu"},
        arguments={"ignore_punct": "no_punct", "support_zh_ja_chars": "asian_support"},
        keys={"score": "ter", "num_edits": "num_edits", "ref_length": "ref_length"},
    )
}


#: The columns behind the base columns.
_NUM_EDITS = len(Metric.base_columns)
_REF_LENGTH = _NUM_EDITS + 1


class Ter(Metric):
    """TER, the translation edit rate: edits and shifts that turn a prediction into a reference.

    Examples
    --------
    >>> import tercet
    >>> ter = tercet.Ter(normalized=True)
    >>> result = ter(["On the mat the cat sat."], ["The cat sat on the mat ."])
    >>> round(result["ter"], 2), result["num_edits"]
    (14.29, 1)
    """

    # A row holds the base columns, the fewest edits that turn the prediction into one of its references, and the
    # average length of these.

    name = "ter"
    about = from_card()
    takes_systems = True
    title = "TER"
    primary = "ter"
    original_scale = 100  # of sacrebleu
    higher_is_better = False
    unit = "rate"
    at_zero = "compares them with an empty text"
    presets = PRESETS
    dialects = DIALECTS
    columns = (*Metric.base_columns, "num_edits", "ref_length")
    score_names = ("ter",)
    facts = ("num_edits", "ref_length")

    normalized: bool = option(
        default=False,
        doc="Set punctuation marks apart from words, as Tercom does. Also decodes four XML entities. By default "
        "texts are split at white space only.",
    )
    no_punct: bool = option(
        default=False,
        doc="Remove punctuation marks. They are full stops, commas, colons, semicolons, question and exclamation "
        "marks, double quotes and parentheses.",
    )
    asian_support: bool = option(
        default=False,
        doc="Treat each Chinese character and kanji as a word (with normalized). With no_punct, also remove "
        "Chinese and Japanese punctuation.",
        only_with=OnlyWith(
            "normalized=True or no_punct=True (compat='sacrebleu' takes it alone, as sacrebleu does)",
            lambda o: o.normalized or o.no_punct or o.compat is not None,
        ),
    )
    case_sensitive: bool = option(
        default=False, doc="Compare words as they are written. By default they are compared in lower case."
    )
    compat: Literal["sacrebleu"] | None = option(
        default=None,
        doc='Take the options as sacrebleu does: asian_support alone has no effect. `load("ter", "sacrebleu")` '
        "sets it too, and takes the arguments of evaluate's ter.",
    )
    missing_references: Literal["error", "skip", "zero"] = MISSING_REFERENCES
    scale: Literal[1, 100] = option(
        default=100,
        doc="Edits per 100 words of the references, or per word. sacrebleu and evaluate use 100, too.",
        check=as_scale,
    )

    @cached_property
    def _change(self) -> Callable[[str], str] | None:
        """What is done to a text before it is split, or None."""
        return normalization(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        # The names are those of sacrebleu's signature.
        parts = {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": "tercom",
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
            **shared_labels(self),
            "equals": "sacrebleu" if self.missing_references == "error" else None,
        }
        return Signature.of(self.name, parts)

    def fit(self, batch: Corpus) -> LetterCounts | None:
        """Return the letters of the references, to warn of texts that have no white space between words."""
        if (self.normalized and self.asian_support) or self.compat is not None:
            return None
        return count_letters(batch)

    @property
    def ignores_case(self) -> bool:
        """Whether a capital letter and a small one are the same."""
        return not self.case_sensitive

    def corpus_warning(self, context: LetterCounts | None, corpus: Corpus | None = None) -> str | None:
        """Return a warning when texts without white space are split at it."""
        if context is None or not context.mostly_without_blanks:
            return None
        return (
            "texts are split at white space, but these references are mostly in scripts written without it. For "
            "Chinese, give normalized=True and asian_support=True; for other languages, split the texts first."
        )

    def why_worst(self, totals: Any, corpus: Corpus) -> str:
        """Return that texts without white space are not split into words; "" where they are."""
        return why_not_split(self.fit(corpus))

    def notes(self, n_references: str, *, segments: bool = False) -> dict[str, str]:
        """Return further entries of a result's signature, always with the scale."""
        # A rate can be above 1, so that 1.5 alone does not say whether it is in percent.
        return {**super().notes(n_references), "scale": str(self.scale)}

    def texts(self, batch: Corpus) -> tuple[list[str], list[str]]:
        """Return predictions and references as compared, with white space between their words."""
        predictions, references = batch.strings or (batch.predictions.to_pylist(), batch.references.to_pylist())
        change = self._change
        if change is not None:
            # Twice for references, as in sacrebleu.
            return list(map(change, predictions)), list(map(change, map(change, references)))
        if self.case_sensitive:
            return predictions, references
        return list(map(str.lower, predictions)), list(map(str.lower, references))

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time and memory as :func:`~tercet.engine.plain_ter.ter_rows`."""
        predictions, references = self.texts(batch)
        rows = rows_by_engine(batch, engine.ter_rows, predictions + references)
        leave_out(rows, batch, self.missing_references)
        return SegmentStats(self.signature(context), self.columns, rows)

    def pair_rows(self, crossing: Crossing, context: Any = None) -> PairRows:
        """Return what makes rows of pairs, from texts that are changed and split once, as each side is."""
        different_texts = np.unique(crossing.hypotheses)
        different_references = np.unique(crossing.references)
        predictions = [crossing.strings[text] for text in different_texts.tolist()]
        references_of_texts = [crossing.strings[text] for text in different_references.tolist()]
        changed = self.texts(Corpus(predictions, references_of_texts))
        tokens, _ = tokenize(read_texts(list(chain(*changed))), "none")
        lengths = tokens.tokens.lengths
        n_texts = len(different_texts)

        def rows(texts: Indices, references: Indices) -> NDArray[np.float64]:
            text_documents = np.repeat(np.searchsorted(different_texts, texts), len(references))
            of_references = n_texts + np.searchsorted(different_references, references)
            reference_documents = np.tile(of_references, len(texts))
            documents = tokens.tokens.values, tokens.tokens.offsets
            edits = engine.pair_edits(*documents, text_documents, reference_documents, tokens.n_types)
            return np.column_stack([base_of_pairs(lengths[text_documents]), edits, lengths[reference_documents]])

        return rows

    def new_plan(self) -> TextPlan | None:
        """Return what the engine does in one step; None where Python has a part in it."""
        if self._change is not None:
            return None
        # Letters are counted as in `fit`.
        rules = rules_of_plan(lowercase=not self.case_sensitive, count_letters=self.compat is None)
        return engine.ter_plan(rules, self.scale)

    def finalize(self, totals: NDArray[np.float64]) -> Scores:
        """Return the rate; where the references have no word, any edit makes it 1 (or 100)."""
        return {"ter": engine.ter_scores(as_rows(totals, self.columns), self.scale).reshape(totals.shape[:-1])}

    def report(self, totals: NDArray[np.float64], stats: SegmentStats | None) -> dict[str, Any]:
        """Return the rate, and the keys of evaluate's ter, whose score it is."""
        scores = engine.ter_scores(as_rows(totals, self.columns), self.scale).tolist()
        return self._entries(scores, totals.tolist())

    @cached_property
    def _keys(self) -> list[Entry]:
        """The rate, and the keys of evaluate's ter."""
        return [
            Entry("ter", "score", 0),
            Entry("score", "score", 0),
            Entry("num_edits", "count", _NUM_EDITS),
            Entry("ref_length", "sum", _REF_LENGTH),
        ]

    def explained(self, batch: Corpus, context: Any = None) -> TerEdits:
        """Explain a batch of one item."""
        (prediction,), references = self.texts(batch)
        references = references or [""]
        # A row for each reference, as if each were an item of its own.
        rows_of_references = engine.ter_rows([*[prediction] * len(references), *references], len(references), None)
        best = int(rows_of_references[:, _NUM_EDITS].argmin())
        shift_moves, step_kinds = engine.edit_path(prediction, references[best])
        words = prediction.split()

        # The words of the prediction, by their positions in it, in the order that the shifts make.
        positions = list(range(len(words)))
        shifts: list[Shift] = []
        moved: set[int] = set()
        # Each shift starts from the order that the shifts before it left.
        for start, length, to in shift_moves:
            block = positions[start : start + length]
            positions[start : start + length] = []
            positions[to:to] = block
            moved.update(block)
            shifts.append(Shift(" ".join(words[position] for position in block), start, to, length))

        steps = steps_of(step_kinds, words, references[best].split(), positions=positions, moved=moved)
        row = self.segment_stats(batch, context).rows[0]
        return TerEdits(
            score=score_on_scale(float(self.finalize(row)["ter"]), self.scale),
            num_edits=len(shifts) + sum(step.kind != "match" for step in steps),
            ref_length=float(row[_REF_LENGTH]),
            reference=best,
            n_references=int(batch.reference_counts[0]),
            shifts=shifts,
            steps=steps,
            signature=str(self.signature()),
        )

    def matched(self, score: str, tokenizer: str | None) -> Matched:
        """Return how a report finds the words that match: those without an edit, at once or after a shift."""

        def words(batch: Corpus) -> list[list[Word]]:
            return [self.explained(batch.part(item, item + 1)).prediction for item in range(batch.n_items)]

        return Matched(TerEdits.levels, words)


# How Tercom changes a text before it is split at white space, by the rules that sacrebleu made of it.
#
# Some of its rules select other characters than they seem to, which is kept:
#
# - Its punctuation marks are those of ASCII but the apostrophe, comma, hyphen and full stop, which have other rules.
#   It also sets spaces apart, which changes no word and takes most of the time: not done here.
# - The block of enclosed letters ends at U+3F22 instead of U+32FF. The characters in between are set apart anyhow.
# - A rule to set kana apart holds at the beginning of a text only. As a text begins with a space when its turn
#   comes, it never holds: words in kana stay as they are. It is left out here, as is the rule for a possessive at
#   the very end, where there is always a space.

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_MARKS = re.compile(r"[!\"#$%&()*+/:;<=>?@\[\\\]^_`{|}~]")
_POINT_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_POINT_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])-")

_CJK_MARKS = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
_FULL_WIDTH_MARKS = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
#: Ideographs, their radicals and strokes, enclosed and compatibility forms, and the marks. It is compiled where it is
#: asked for: that takes two milliseconds.
_CJK = (
    f"[\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f{_CJK_MARKS}{_FULL_WIDTH_MARKS}]"
)
_REMOVED = re.compile(r"[.,?:;!\"()]")
_REMOVED_CJK = re.compile(f"[{_CJK_MARKS}{_FULL_WIDTH_MARKS}]")


def normalization(
    normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool
) -> Callable[[str], str] | None:
    """Return the function that separates the words of a text by spaces; None if not needed.

    Time: some ten passes of regular expressions over the text.
    """
    if not (normalized or no_punct):
        return None
    return partial(normalized_text, normalized, no_punct, asian_support, case_sensitive)


def normalized_text(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool, text: str) -> str:
    """Return a text as TER's options change it, with its words between single blanks."""
    text = str.rstrip(text)  # a plain str from here on: a subclass could have methods of its own
    if not case_sensitive:
        text = text.lower()
    if normalized:
        text = _normalized(text)
        if asian_support:
            text = re.sub(_CJK, r" \g<0> ", text)
    if no_punct:
        text = _REMOVED.sub("", text)
        if asian_support:
            text = _REMOVED_CJK.sub("", text)
    return " ".join(text.split())


def _normalized(text: str) -> str:
    text = text.replace("\n-", "").replace("\n", " ")
    for entity, sign in _ENTITIES:
        text = text.replace(entity, sign)
    text = _MARKS.sub(r" \g<0> ", f" {text} ")
    text = text.replace("'s ", " 's ")
    text = _POINT_AFTER_NO_DIGIT.sub(r"\1 \2 ", text)
    text = _POINT_BEFORE_NO_DIGIT.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 - ", text)


# The package that TER is explained against.

_DECIDES = {
    "normalized": "whether punctuation marks are words of their own",
    "no_punct": "whether punctuation marks are removed",
    "asian_support": "whether Chinese characters are words",
    "case_sensitive": "whether capitals matter",
}


def _metrics(sacrebleu: Any, metric: Any) -> dict[str, Any]:
    return {"ter": sacrebleu.TER(**{name: getattr(metric, name) for name in _DECIDES})}


PEERS = Peers(packages={"sacrebleu": by_sacrebleu(_metrics)}, decides=_DECIDES)


# Why a prediction has its translation edit rate: the shifts, and the alignment with the reference.


@dataclass(frozen=True, slots=True)
class Shift:
    """Words of the prediction that move together, as one edit.

    Attributes
    ----------
    words : str
    start, to : int
        Position of the first of them before and after, from 0.
    length : int
        How many words there are.
    """

    words: str
    start: int
    to: int
    length: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TerEdits(Edits):
    """The edits behind the translation edit rate of one prediction.

    Attributes
    ----------
    score : float
        As the metric gives it, with the options of the call.
    num_edits : int
        Shifts, and steps that are no match.
    ref_length : float
        Average length of the references.
    reference : int
        Index of the reference that needs the fewest edits; the first of them on ties.
    n_references : int
    shifts : list of Shift
        In their order, each in the text as it then is.
    steps : list of Step
        The alignment after the shifts.
    signature : str
    """

    called = "Translation edit rate"
    levels: ClassVar[tuple[str, ...]] = ("same word", "same word after a shift")
    num_edits: int
    ref_length: float
    shifts: list[Shift]

    def counted(self) -> str:
        """Return edits and words."""
        side = "reference" if self.n_references == 1 else "references, on average"
        return f"edits: {self.num_edits:,} (shifts: {len(self.shifts):,}); words in the {side}: {self.ref_length:g}"

    def shifted(self) -> tuple[list[Part], list[Part]]:
        """Return the prediction after its shifts, and their table."""
        if not self.shifts:
            return [], []
        rows = [(number, shift.words, shift.start + 1, shift.to + 1) for number, shift in enumerate(self.shifts, 1)]
        table = Table("shifts", ("shift", "words", "from place", "to place"), rows)
        return [Line("after shifts", words_in(self.steps, "prediction"), "same word")], [table]

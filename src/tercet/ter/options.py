"""The options of ter."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.core.dialect import Dialect
from tercet.core.options import MISSING_POLICIES, OnlyWith, Options, as_scale, flag, one_of, option


@dataclass(frozen=True, slots=True, kw_only=True)
class TerOptions(Options):
    """Options of ter."""

    normalized: bool = option(
        False,
        flag,
        "Set punctuation marks apart from words, as Tercom does. Also decodes four XML entities. By default texts "
        "are split at white space only.",
    )
    no_punct: bool = option(
        False,
        flag,
        "Remove punctuation marks. They are full stops, commas, colons, semicolons, question and exclamation marks, "
        "double quotes and parentheses.",
    )
    asian_support: bool = option(
        False,
        flag,
        "Treat each Chinese character and kanji as a word (with normalized). With no_punct, also remove Chinese and "
        "Japanese punctuation.",
        only_with=OnlyWith(
            "normalized=True or no_punct=True (compat='sacrebleu' takes it alone, as sacrebleu does)",
            lambda o: o.normalized or o.no_punct or o.compat is not None,
        ),
    )
    case_sensitive: bool = option(False, flag, "Compare words as they are written. By default in lower case.")
    compat: str | None = option(
        None,
        one_of(None, "sacrebleu"),
        "Take the options as sacrebleu does: asian_support alone has no effect. "
        '`load("ter", "sacrebleu")` sets it too, and takes the arguments of evaluate\'s ter.',
    )
    missing_references: str = option(
        "error",
        one_of(*MISSING_POLICIES),
        'What to do with an item that has no reference. Refuse the corpus ("error"), leave the item out ("skip"), or '
        'compare it with an empty text ("zero"), so that each of its words is an edit; the result counts such items.',
    )
    scale: int = option(
        100,
        as_scale,
        "Edits per 100 words of the references, or per word. sacrebleu and evaluate have 100, too.",
        takes="Literal[1, 100]",
    )


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

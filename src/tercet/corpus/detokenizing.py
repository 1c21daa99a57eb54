"""From tokens with blanks between them to a text as people write it, in any language."""

from __future__ import annotations

import re

#: Chinese characters, kana, and their punctuation, which have no blanks between them.
_WITHOUT_BLANKS = "\u3001-\u303f\u3041-\u30ff\u3400-\u9fff\uff01-\uff9f"

#: What is replaced, in this order. Moses' detokenizer has most of these rules; it wants to know the language.
_RULES = (
    (r" @-@ ", "-"),
    (r"``|''", '"'),
    # Quotes that stand apart, in pairs.
    (r"(?<!\S)([\"“„«]) ([^\"“”„«»]*\S) ([\"“”»])(?!\S)", r"\1\2\3"),
    (r" (?=[.,;:!?%)\]}…]+(?: |$))", ""),
    (r" (?=[。，、！？；：」』）】》])", ""),
    (r"(?<!\S)([(\[{¿¡$£]+) ", r"\1"),
    # English: it 's, do n't; French and Italian: l' eau, qu' il, dell' acqua.
    (r"(?i)(?<=\w) (?=(?:['’](?:s|re|ve|ll|d|m|t)|n['’]t)\b)", ""),
    (r"(?i)\b((?:[a-z]{1,2}|[a-z]*qu|[a-z]*ll)['’]) (?=\w)", r"\1"),
    (rf"(?<=[{_WITHOUT_BLANKS}]) (?=[{_WITHOUT_BLANKS}])", ""),
)


def detokenize(text: str) -> str:
    """Return a text with subwords joined, what Moses escapes decoded, and punctuation where people write it."""
    text = _join_subwords(re.sub(" +", " ", text))
    if "&" in text:
        from html import unescape  # imported where it is used, as the file is with every metric

        text = unescape(text)
    for pattern, replacement in _RULES:
        text = re.sub(pattern, replacement, text)
    return text


def _join_subwords(text: str) -> str:
    """Return the words of subwords as SentencePiece, GPT-2's BPE, OpenNMT, subword-nmt or WordPiece mark them."""
    for mark_of_blank in "▁Ġ":
        if text.lstrip().startswith(mark_of_blank):
            return text.replace(" ", "").replace(mark_of_blank, " ").strip()
    text = re.sub(r" ?￭ ?", "", text)
    text = re.sub(r"@@(?: |$)", "", text)
    return re.sub(r"(?<=\S) ##(?=\w)", "", text)

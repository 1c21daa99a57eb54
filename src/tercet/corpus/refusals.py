"""Texts of models that refuse to answer, "I'm sorry, but I can't ...", by how they begin in each language.

Another language is a line of `_REFUSALS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter

#: Refusals by language, in small letters with straight apostrophes: how they begin, and words of which one follows
#: soon.
_REFUSALS = (
    (
        ("i'm sorry", "i am sorry", "i'm very sorry", "i'm really sorry", "i'm so sorry", "we're sorry", "sorry",
         "i'm afraid", "unfortunately", "i apologize", "i apologise"),
        ("i can't", "i cannot", "i can not", "we can't", "we cannot", "i won't", "unable to", "not able to"),
    ),
    (
        ("i can't", "i cannot", "i won't", "i'm unable to", "i am unable to", "i'm not able to", "i am not able to"),
        (" assist", " help with", " help you", " comply", " fulfil", " provide", " answer", " do that"),
    ),
    (("as an ai",), ("",)),
    (("es tut mir leid", "tut mir leid", "leider"), ("kann ich", "können wir")),  # German
    (("je suis désol", "désolé"), ("je ne peux", "je ne puis", "nous ne pouvons")),  # French
    (("lo siento", "lo lamento"), ("no puedo", "no podemos")),  # Spanish
    (("desculpe", "sinto muito", "lamento"), ("não posso", "não podemos")),  # Portuguese
    (("mi dispiace",), ("non posso", "non possiamo")),  # Italian
    (("извините", "простите", "к сожалению", "мне жаль"), ("я не могу", "не можем")),  # Russian
    (("抱歉", "很抱歉", "对不起", "對不起"), ("无法", "無法", "不能")),  # Chinese
    (("申し訳", "すみません"), ("できません", "できかねます")),  # Japanese
    (("죄송",), ("수 없", "없습니다")),  # Korean
    (("عذر", "آسف", "أعتذر"), ("لا أستطيع", "لا يمكنني")),  # Arabic
    (("मा\u092b\u093c", "मा\u095e", "क्षमा", "मुझे खेद"), ("नहीं कर", "नहीं दे")),  # Hindi, with both spellings of a letter
)  # fmt: skip
_OPENINGS = tuple(opening for openings, _ in _REFUSALS for opening in openings)
#: Characters in which a refusal is one, and what may stand before it.
_SOON = 60
_BEFORE = " \t\n*\"'“«"
#: How refusals begin: most texts are known by two characters to be none.
_FIRST_TWO = {opening[:2].replace("'", mark) for opening in _OPENINGS for mark in "'’"}
_beginning_of = itemgetter(slice(2))


def has_refusal(texts: Sequence[str]) -> bool:
    """Return whether one of the texts is a refusal."""
    beginnings = set(filter(_may_refuse, set(map(_beginning_of, texts))))
    return bool(beginnings) and any(is_refusal(text) for text in texts if text[:2] in beginnings)


def is_refusal(text: str) -> bool:
    """Return whether a text begins as a refusal does, and soon says what it refuses."""
    beginning = text[:_SOON].lstrip(_BEFORE)
    if beginning[:2].lower() not in _FIRST_TWO:
        return False
    beginning = beginning.lower().replace("’", "'")
    if not beginning.startswith(_OPENINGS):
        return False
    for openings, ends in _REFUSALS:
        if beginning.startswith(openings) and any(end in beginning for end in ends):
            return True
    return False


@lru_cache(4096)
def _may_refuse(beginning: str) -> bool:
    """Return whether a text that begins with these two characters may be a refusal."""
    return beginning.lower() in _FIRST_TWO or beginning.startswith(tuple(_BEFORE))

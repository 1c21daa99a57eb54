"""Porter's stemmer (Porter 1980), with the extensions that are NLTK's default, in plain Python."""

from __future__ import annotations

#: Words that the rules would stem wrongly.
IRREGULAR = {
    "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "innings": "inning", "outings": "outing",
    "cannings": "canning",
    **{word: word for word in ("news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")},
}  # fmt: skip

_LONG = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "entli": "ent",
    "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive",
    "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "fulli": "ful",
}  # fmt: skip
_MIDDLE = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_LAST = "al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize"
#: Of steps 2, 3 and 4: what endings become, and the measure of the stem from which on they do. An ending stands
#: before those that it ends with.
STEPS = ((_LONG, 1), (_MIDDLE, 1), (dict.fromkeys(_LAST.split(), ""), 2))


def porter(word: str) -> str:
    """Return the stem of a word in lower case; as in rouge_score, words of up to three letters have none.

    The stem is never longer, in UTF-8. Numbers of steps, and letters of conditions, are those of the article.
    """
    if len(word) <= 3 or word in IRREGULAR:
        return IRREGULAR.get(word, word)
    word = _step_1b(_step_1a(word))
    if word.endswith("y") and len(word) > 2 and _kinds(word[:-1])[-1] == "c":  # 1c, by NLTK's condition
        word = word[:-1] + "i"
    if word.endswith("alli") and _measure(word[:-4]):  # NLTK's: the rest of step 2 takes what it leaves
        word = word[:-2]
    if word.endswith("logi") and _measure(word[:-3]):  # likewise
        word = word[:-1]
    for number, (endings, least) in enumerate(STEPS, 2):
        if number == 4 and word.endswith("ion"):
            if word[-4:-3] in ("s", "t") and _measure(word[:-3]) > 1:
                word = word[:-3]
            return _step_5(word)
        ending = next(filter(word.endswith, endings), None)
        if ending is not None and _measure(word[: -len(ending)]) >= least:
            word = word[: -len(ending)] + endings[ending]
    return _step_5(word)


def _step_1a(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    stem = ""
    if word.endswith("ed"):
        stem = word[:-2]
    elif word.endswith("ing"):
        stem = word[:-3]
    if "v" not in _kinds(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-1:] == stem[-2:-1] and _kinds(stem)[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    if _measure(stem) == 1 and _ends_cvc(stem):
        return stem + "e"
    return stem


def _step_5(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_cvc(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        return word[:-1]
    return word


def _kinds(word: str) -> str:
    """Return "v" for each vowel, "c" for each other letter; y is a vowel behind one that is not."""
    kinds: list[str] = []
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and kinds[-1:] == ["c"])
        kinds.append("v" if is_vowel else "c")
    return "".join(kinds)


def _measure(stem: str) -> int:
    return _kinds(stem).count("vc")


def _ends_cvc(stem: str) -> bool:
    """Return condition *o; NLTK's holds for a vowel and a consonant alone, too."""
    kinds = _kinds(stem)
    return kinds == "vc" or (kinds.endswith("cvc") and stem[-1] not in "wxy")

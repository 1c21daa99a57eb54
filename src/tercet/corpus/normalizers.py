"""Texts are changed before all else on both sides, by name or by a function: by ``normalize`` of every metric."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from tercet.errors import InputError, near_hint, needs, shorten
from tercet.option_checks import refuse

from .letter_forms import arabic, indic, persian

Normalizer = Callable[[str], str]

#: Begin and end of what a model thinks before it answers: tags, those of Magistral, and the channels of harmony.
THINKING = r"</?(?i:think|thinking|reasoning)>|\[/?THINK\]|<\|channel\|>"
#: Tokens that steer a model, as its decoder writes them.
SPECIAL_TOKENS = r"<[|｜][\w▁]{1,40}[|｜]>|</?s>|<(?:pad|bos|eos|start_of_turn|end_of_turn)>"
#: Characters that nobody sees: of no width, and marks that set the direction of writing.
NO_WIDTH = "\u200b\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
#: U+200D where it does nothing: it joins emoji, and shapes letters of Arabic and of the scripts of India.
_NEEDLESS_JOINER = "(?:\\A|[\0-\u058f\u1e00-\u200a\u2010-\u2027\u3000-\u9fff])\u200d+"
INVISIBLE = f"[{NO_WIDTH}]|{_NEEDLESS_JOINER}"
FULL_WIDTH = "".join(map(chr, (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))))

_OF_FULL_WIDTH = {ord(letter): unicodedata.normalize("NFKC", letter) for letter in FULL_WIDTH}
_NOTHING = dict.fromkeys(map(ord, NO_WIDTH))
_STRAIGHT = str.maketrans(dict.fromkeys("‘’‚‛‹›", "'") | dict.fromkeys("“”„‟«»", '"'))
#: A fence of ~ is tried at its full length alone: [^\n`]* would take what a shorter one leaves, in its square.
_FENCED = r"(?ms)^ {0,3}(?P<fence>`{3,}|~{3,}(?!~))[^\n`]*\n(?P<code>.*?)(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"


def _decode_entities(text: str) -> str:
    if "&" not in text:
        return text
    from html import unescape  # imported where it is used, as the file is with every metric

    return unescape(text)


_END_OF_THINKING = r"</(?i:think|thinking|reasoning)>|\[/THINK\]"
#: A message of OpenAI's harmony format: its channel, perhaps to whom it goes and in which form, and what it says.
_MESSAGE_IN_CHANNEL = (
    r"(?s)<\|channel\|>\s*(?P<channel>\w+)\b(?:(?!<\|(?:message|channel)\|>).)*<\|message\|>"
    r"(?P<said>.*?)(?=<\|(?:end|return|call|start|channel)\|>|\Z)"
)


def _without_thinking(text: str) -> str:
    """Return what follows the last end of thinking, or comes before thinking without an end."""
    if ("<" not in text and "[" not in text) or not re.search(THINKING, text):
        return text
    for message in re.finditer(_MESSAGE_IN_CHANNEL, text):
        if message["channel"] == "final":
            text = message["said"]
    answer = re.split(_END_OF_THINKING, text)[-1]
    return re.split(rf"(?:<\|start\|>\w*)?(?:{THINKING})", answer, maxsplit=1)[0].strip()


def _without_special_tokens(text: str) -> str:
    if "<" not in text:
        return text
    cut = re.sub(SPECIAL_TOKENS, "", text)
    if cut == text:
        return text
    return cut.strip()


def _without_invisible(text: str) -> str:
    if text.isascii():
        return text
    text = text.translate(_NOTHING)
    return re.sub(_NEEDLESS_JOINER, lambda match: match[0].rstrip("\u200d"), text)


def _fenced_code(text: str) -> str:
    """Return what stands in fences, or the whole text where nothing does."""
    if "```" not in text and "~~~" not in text:
        return text
    blocks = [match["code"].rstrip("\n") for match in re.finditer(_FENCED, text)]
    if not blocks:
        return text
    return "\n".join(blocks)


#: Chinese characters, kana, and their punctuation, which have no blanks between them.
_WITHOUT_BLANKS = "\u3001-\u303f\u3041-\u30ff\u3400-\u9fff\uff01-\uff9f"

#: From tokens with blanks between them to a text as people write it: what is replaced, in this order. Moses'
#: detokenizer has most of these rules; it wants to know the language.
_DETOKENIZING = (
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


def _detokenize(text: str) -> str:
    """Return a text with subwords joined, what Moses escapes decoded, and punctuation where people write it."""
    text = _join_subwords(re.sub(" +", " ", text))
    text = _decode_entities(text)
    for pattern, replacement in _DETOKENIZING:
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


def _value_of_key(key: str, text: str) -> str:
    """Return the value of a key of a JSON object, as JSON unless it is text; what is no such object stays."""
    if "{" not in text:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict) or key not in value:
        return text
    entry = value[key]
    return entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)


@cache
def _whisper(name: str) -> Normalizer:
    needs(f"normalize={name!r}", "speech", "whisper_normalizer", package="whisper-normalizer")
    if name == "whisper":
        from whisper_normalizer.basic import BasicTextNormalizer

        return BasicTextNormalizer()  # type: ignore[no-any-return]
    from whisper_normalizer.english import EnglishTextNormalizer

    return EnglishTextNormalizer()  # type: ignore[no-any-return]


#: What ``normalize`` takes by name, but for Whisper's: these need a package.
NORMALIZERS: dict[str, Normalizer] = {
    "nfc": partial(unicodedata.normalize, "NFC"),
    "nfkc": partial(unicodedata.normalize, "NFKC"),
    "html": _decode_entities,
    "zero_width": _without_invisible,
    "full_width": lambda text: text.translate(_OF_FULL_WIDTH),
    "think": _without_thinking,
    "special_tokens": _without_special_tokens,
    "code_fence": _fenced_code,
    "quotes": lambda text: text.translate(_STRAIGHT),
    "lower": str.lower,
    "detokenize": _detokenize,
    "arabic": arabic,
    "persian": persian,
    "indic": indic,
}
#: Before a key of JSON objects, in a name.
_JSON = "json:"
_OF_WHISPER = ("whisper", "whisper_english")
_NAMES = (*NORMALIZERS, f"{_JSON}KEY", *_OF_WHISPER)

DOC = (
    "What is done to the texts of both sides before all else. A name, a function of a text, or a list of these, in "
    'its order. "nfc", "nfkc": Unicode\'s forms. "html": decode entities. "zero_width": remove invisible characters. '
    '"full_width": write full-width letters and digits as usual. "think": score only what follows the thinking of a '
    'model. "special_tokens": remove tokens such as `<|im_end|>`. "code_fence": score only what stands in Markdown '
    'fences, where there are any. "quotes": make curly and angle quotes straight. "lower": write in lower case. '
    '"detokenize": join subwords and put punctuation where people write it. "arabic", "persian", "indic": write '
    'letters that people type in several ways in one. "json:KEY": score only the value of this key of a JSON object. '
    '"whisper", "whisper_english": the normalizers of Whisper, from the package whisper-normalizer. '
    "The signature names them."
)


def as_normalize(value: Any) -> Any:
    """Check that the value is a normalizer, a list of them, or None; a list of one is that one."""
    if isinstance(value, (list, tuple)):
        parts = [_checked_normalizer(part) for part in value]
        if len(parts) == 1:
            return parts[0]
        return parts or None
    if value is None:
        return None
    return _checked_normalizer(value)


def _checked_normalizer(value: Any) -> Any:
    if isinstance(value, str):
        name = str(value)
        if name in NORMALIZERS or (name.startswith(_JSON) and len(name) > len(_JSON)):
            return name
        if name in _OF_WHISPER:
            _whisper(name)
            return name
        hint = near_hint(name, _NAMES)
    elif callable(value):
        return value
    else:
        hint = ""
    expected = f"one of {', '.join(map(repr, _NAMES))}, a callable, a list of these, or None"
    raise refuse(expected, hint)


def label_of_normalizers(normalize: Any) -> str | None:
    """Return what a signature says of the option: names, and a function by its own."""
    if normalize is None:
        return None
    labels = []
    for part in _list_of_normalizers(normalize):
        label = part
        if not isinstance(part, str):
            label = getattr(part, "__qualname__", type(part).__qualname__)
        labels.append(label)
    return "+".join(labels)


def change_of(normalize: Any) -> Callable[[str, Callable[[], str]], str]:
    """Return the function that applies an option's normalizers to a text; only errors ask for the text's name.

    A text of white space alone stays as it is: diversity marks sets with such a text.
    """
    functions = [_function(part) for part in _list_of_normalizers(normalize)]

    def changed(text: str, name: Callable[[], str]) -> str:
        if text.isspace():
            return text
        for function in functions:
            text = function(text)
            if not isinstance(text, str):
                label = label_of_normalizers(function)
                raise InputError(f"normalize={label} must return a string, got {shorten(text)} for {name()}.")
            if type(text) is not str:  # a subclass, which the engine does not read
                text = "".join((text,))
        return text

    return changed


def _function(part: str | Normalizer) -> Normalizer:
    """Return the function that a checked part of the option names, or is."""
    if not isinstance(part, str):
        return part
    if part in NORMALIZERS:
        return NORMALIZERS[part]
    if part.startswith(_JSON):
        return partial(_value_of_key, part.removeprefix(_JSON))
    return _whisper(part)


def _list_of_normalizers(normalize: Any) -> list[Any]:
    return normalize if isinstance(normalize, list) else [normalize]

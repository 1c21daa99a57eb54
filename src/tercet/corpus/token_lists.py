"""References that are the tokens of one text: they score as that many references of one token."""

from __future__ import annotations

from tercet.errors import shorten

from .artefacts import warn_of
from .corpus import Corpus, places

#: So many items, evenly spread, are looked at.
_SAMPLED = 50
#: An item with fewer references than this shows nothing: two translations may be one word each.
_FEWEST = 3


def token_list_warning(corpus: Corpus) -> str | None:
    """Return what to say where the references of most items are words that their predictions consist of."""
    if corpus.one_each or not corpus.has_references:
        return None
    items = [corpus.item(segment) for segment in places(corpus.n_segments, min(_SAMPLED, corpus.n_segments))]
    several = [(texts[0], references) for texts, references in items if len(references) >= _FEWEST]
    if not several or 2 * sum(map(_are_tokens, *zip(*several, strict=True))) <= len(several):
        return None
    return (
        f"the references look like the tokens of one text, as in {shorten(several[0][1])}: they are scored as "
        'several references of a token each. If they are one text, join them, as by " ".join(tokens).'
    )


def _are_tokens(prediction: str, references: list[str]) -> bool:
    """Return whether no reference has a blank, and most of what the prediction consists of is among them."""
    if any(len(text.split()) != 1 for text in references):
        return False
    tokens = [*prediction] if max(map(len, references)) == 1 else prediction.split()
    return len(tokens) >= _FEWEST and 2 * sum(token in references for token in tokens) > len(tokens)


def warn_of_token_lists(corpus: Corpus) -> None:
    """Warn of references that are the tokens of one text."""
    message = token_list_warning(corpus)
    if message is not None:
        warn_of(message)

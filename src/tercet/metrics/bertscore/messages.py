"""The warnings and errors of bertscore_idf."""

from __future__ import annotations

from tercet.encoders.messages import cut_warning
from tercet.encoders.subwords import Subwords
from tercet.errors import InputError


def texts_warning(cut: int, unweighted: int, limit: int | None) -> str | None:
    """Return a warning of texts that were cut at `limit` tokens, or whose weights sum to 0; None without any."""
    found = []
    if cut:
        found.append(cut_warning(cut, limit))
    if unweighted:
        texts = "text" if unweighted == 1 else "texts"
        found.append(
            f"all tokens of {unweighted} {texts} have weight 0 (with idf=True: they occur in every reference), so "
            "they get equal weights. Give idf=False, or an IdfTable of a corpus."
        )
    return " ".join(found) or None


def unnamed_token_error(number: int, subwords: Subwords) -> InputError:
    """Return the error for a token that a mapping, used as bert-score does, has no weight for."""
    return InputError(
        f"The 'idf' mapping has no weight for the token {subwords.tokens([number])[0]!r} (id {number}). bert-score "
        "raises KeyError here; without compat='bert_score' such tokens get the greatest weight."
    )

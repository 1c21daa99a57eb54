"""What a loaded network gives for short texts: how many layers, of which width, and whether padding shows in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tercet.errors import OptionError

from .embeddings import states_of_ids
from .subwords import Subwords


def probe(model: Any, subwords: Subwords, device: Any, *, several: bool) -> tuple[int, int, bool]:
    """Return the number of layers that are embedded, their width, and whether padding changes a text's embedding.

    An OptionError for a network that does not give a vector for each token of a text, or cannot run on text alone:
    then transformers raises errors of many kinds.
    """
    import torch

    rows = [
        subwords.whole([text]).values[: subwords.limit].astype(np.int64) for text in ("a b", "a b c d e f g h i j")
    ]
    short, long = (torch.from_numpy(row).to(device)[None] for row in rows)
    padded = torch.full_like(long, subwords.padding_id)
    padded[:, : short.shape[1]] = short
    mask = (torch.arange(long.shape[1], device=device) < short.shape[1])[None]
    with torch.inference_mode():
        try:
            alone = states_of_ids(model, short, None, several=several)
            both = states_of_ids(
                model, torch.cat([long, padded]), torch.cat([torch.ones_like(mask), mask]).long(), several=several
            )
        except Exception as error:
            raise _refusal(model, f"cannot be run on text alone ({type(error).__name__}: {error})") from error
        for ids, states in ((short, alone), (padded.repeat(2, 1), both)):
            if states.ndim != 4 or states.shape[1:3] != ids.shape:
                raise _refusal(
                    model, f"gives states of shape {tuple(states.shape[1:])} for ids of {tuple(ids.shape)}"
                )
        ours, padded_ours = (
            torch.nn.functional.normalize(states[-1, -1, : short.shape[1]].float(), dim=1) for states in (alone, both)
        )
        most = 1e-4 if model.dtype == torch.float32 else 0.05
        return len(alone), alone.shape[-1], bool((ours - padded_ours).abs().max() > most)


def _refusal(model: Any, what: str) -> OptionError:
    what = " ".join(what.split())[:300]
    return OptionError(
        f"The network {type(model).__name__} of this encoder {what}: expected one that gives each token of a text a "
        "vector, in every layer that is asked for."
    )

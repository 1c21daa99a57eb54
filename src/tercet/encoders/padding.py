"""Whether padding changes a text's embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from .subwords import Subwords


def padding_shows(model: Any, subwords: Subwords, device: Any) -> bool:
    """Return whether padding changes a short text's embedding by more than rounding."""
    import torch

    texts = ("a b", "a b c d e f g h i j")
    rows = [subwords.whole([text]).values[: subwords.limit].astype(np.int64) for text in texts]
    short, long = (torch.from_numpy(row).to(device)[None] for row in rows)
    padded = torch.full_like(long, subwords.padding_id)
    padded[:, : short.shape[1]] = short
    mask = (torch.arange(long.shape[1], device=device) < short.shape[1])[None]
    with torch.inference_mode():
        alone = model(short, return_dict=True).last_hidden_state[0].float()
        both = (
            model(
                torch.cat([long, padded]),
                attention_mask=torch.cat([torch.ones_like(mask), mask]).long(),
                return_dict=True,
            )
            .last_hidden_state[1, : short.shape[1]]
            .float()
        )
        difference = torch.nn.functional.normalize(alone, dim=1) - torch.nn.functional.normalize(both, dim=1)
    return bool(difference.abs().max() > (1e-4 if model.dtype == torch.float32 else 0.05))

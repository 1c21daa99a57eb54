# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, binding=True
# cython: freethreading_compatible=True
"""Texts to rows of counts, compiled. The same functions stand in `plain`, where each is defined and explained.

    texts of some items     arena.pxi   written one behind the other into memory that is kept from call to call
    -> bits for each byte   token_edges.pxi   what it is, and so where tokens begin and end
    -> numbers for tokens   texts.pxi, intern.pxi
    -> counts               the files named after what they count
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

from tercet import numpy_later as np

include "bits.pxi"
include "scratch.pxi"
include "arena.pxi"
include "token_edges.pxi"
include "texts.pxi"
include "intern.pxi"
include "porter.pxi"
include "ngrams.pxi"
include "subsequences.pxi"
include "weighted.pxi"
include "skipgrams.pxi"
include "overlaps.pxi"
include "crossed.pxi"
include "ter.pxi"
include "wer.pxi"
include "rows.pxi"
include "rouge.pxi"
include "gleu.pxi"
include "bleu_rouge.pxi"
include "jaccard.pxi"
include "diversity.pxi"
include "sorted.pxi"
include "chrf.pxi"
include "bleu.pxi"
include "sums.pxi"
include "null_draws.pxi"
include "plan.pxi"

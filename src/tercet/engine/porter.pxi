# Porter's stemmer, on the bytes of a word; see `plain_porter`, which has the steps and their endings.
#
# Letters outside ASCII are consonants of several bytes: conditions that count letters, or compare two, ask where they
# begin.

from .plain_porter import IRREGULAR as _IRREGULAR, STEPS as _STEPS

cdef struct Ending:
    uint64_t bytes       # the last ones of eight
    int shift            # that leaves them alone
    size_t size
    size_t n_instead
    char instead[8]

cdef struct Endings:
    uint32_t lasts       # bits of the last letters
    int n, least         # least measure of the stem
    Ending each[24]

cdef Endings STEM_STEPS[3]
cdef Endings IRREGULARS
cdef bint VOWELS[256]
for _i in range(256):
    VOWELS[_i] = _i in b"aeiou"


cdef void add_ending(Endings* endings, bytes ending, bytes instead):
    cdef Ending* new = &endings.each[endings.n]
    new.size, new.n_instead = len(ending), len(instead)
    new.shift = 64 - 8 * <int> new.size
    new.bytes = <uint64_t> int.from_bytes(ending, "little") << new.shift
    memcpy(new.instead, <const char*> instead, new.n_instead)
    endings.n += 1
    endings.lasts |= <uint32_t> 1 << (ending[new.size - 1] & 31)


for _word, _instead in _IRREGULAR.items():
    add_ending(&IRREGULARS, _word.encode(), _instead.encode())
for _i, (_endings, _least) in enumerate(_STEPS):
    STEM_STEPS[_i].least = _least
    for _word, _instead in _endings.items():
        add_ending(&STEM_STEPS[_i], _word.encode(), _instead.encode())


cdef inline uint64_t tail_of(const uint8_t* p, size_t n) noexcept nogil:
    """Return the last eight bytes, the last one as the highest."""
    return load64(p + n - 8) if n >= 8 else load64(p) << (64 - 8 * n)


cdef inline bint ends(const uint8_t* p, size_t n, const char* ending, size_t size) noexcept nogil:
    return n >= size and memcmp(p + n - size, ending, size) == 0


cdef inline size_t last_letter(const uint8_t* p, size_t n) noexcept nogil:
    """Return where the last letter of n bytes begins."""
    n -= 1
    while n > 0 and (p[n] & 0xC0) == 0x80:
        n -= 1
    return n


cdef inline bint is_consonant(const uint8_t* p, size_t place) noexcept nogil:
    """Whether the letter at a place is a consonant: y is one if the letter before it is none."""
    cdef bint turned = False
    while place > 0 and p[place] == c"y":
        turned = not turned
        place -= 1
    return VOWELS[p[place]] == turned


cdef inline int measure(const uint8_t* p, size_t n) noexcept nogil:
    """Return the measure, or 2 for greater ones."""
    cdef bint vowel = True, before = False
    cdef int count = 0
    cdef size_t i
    for i in range(n):
        vowel = VOWELS[p[i]] or (p[i] == c"y" and i > 0 and not before)
        count += before and not vowel
        if count == 2:
            break
        before = vowel
    return count


cdef bint has_vowel(const uint8_t* p, size_t n) noexcept nogil:
    cdef size_t i
    for i in range(n):
        if VOWELS[p[i]] or (p[i] == c"y" and i > 0):  # before it, all are consonants
            return True
    return False


cdef bint ends_cvc(const uint8_t* p, size_t n) noexcept nogil:
    cdef size_t last = last_letter(p, n), vowel
    if last == 0 or not is_consonant(p, last):
        return False
    vowel = last_letter(p, last)
    if is_consonant(p, vowel):
        return False
    return vowel == 0 or (
        p[last] != c"w" and p[last] != c"x" and p[last] != c"y" and is_consonant(p, last_letter(p, vowel))
    )


cdef size_t tidied(uint8_t* p, size_t n) noexcept nogil:
    """End a stem that lost -ed or -ing."""
    cdef size_t last, before
    if ends(p, n, "at", 2) or ends(p, n, "bl", 2) or ends(p, n, "iz", 2):
        p[n] = c"e"
        return n + 1
    last = last_letter(p, n)
    before = last_letter(p, last) if last else 0
    if last and n - last == last - before and memcmp(p + last, p + before, n - last) == 0 and is_consonant(p, last):
        return n if p[last] == c"l" or p[last] == c"s" or p[last] == c"z" else last
    if measure(p, n) == 1 and ends_cvc(p, n):
        p[n] = c"e"
        return n + 1
    return n


cdef size_t replaced(uint8_t* p, size_t n, const Endings* endings) noexcept nogil:
    """Replace the first ending that the word has, if enough remains; return the new size."""
    cdef const Ending* ending
    cdef uint64_t tail
    cdef int i
    if not (endings.lasts >> (p[n - 1] & 31)) & 1:
        return n
    tail = tail_of(p, n)
    for i in range(endings.n):
        ending = &endings.each[i]
        if (tail ^ ending.bytes) >> ending.shift == 0:
            if measure(p, n - ending.size) < endings.least:
                return n
            n -= ending.size
            memcpy(p + n, ending.instead, ending.n_instead)
            return n + ending.n_instead
    return n


cdef size_t stem_size(uint8_t* p, size_t n) noexcept nogil:
    """Stem a word in UTF-8 in its place; return the size of the stem. Up to eight bytes behind it are read."""
    cdef size_t place, letters = 0
    cdef uint64_t tail
    cdef int i, left
    if n <= 3:
        return n
    if n <= 12:
        for place in range(n):
            letters += (p[place] & 0xC0) != 0x80
        if letters <= 3:
            return n
    if n <= 8 and (IRREGULARS.lasts >> (p[n - 1] & 31)) & 1:
        tail = tail_of(p, n)
        for i in range(IRREGULARS.n):
            if tail == IRREGULARS.each[i].bytes and n == IRREGULARS.each[i].size:
                memcpy(p, IRREGULARS.each[i].instead, IRREGULARS.each[i].n_instead)
                return IRREGULARS.each[i].n_instead
    if p[n - 1] == c"s":  # step 1a
        if ends(p, n, "ies", 3):
            n -= 1 if last_letter(p, n - 3) == 0 else 2
        elif ends(p, n, "sses", 4):
            n -= 2
        elif p[n - 2] != c"s":
            n -= 1
    if p[n - 1] == c"d":  # 1b
        if ends(p, n, "ied", 3):
            n -= 1 if n > 3 and last_letter(p, n - 3) == 0 else 2
        elif ends(p, n, "eed", 3):
            n -= measure(p, n - 3) > 0
        elif p[n - 2] == c"e" and has_vowel(p, n - 2):
            n = tidied(p, n - 2)
    elif ends(p, n, "ing", 3) and has_vowel(p, n - 3):
        n = tidied(p, n - 3)
    if p[n - 1] == c"y" and n > 2:  # 1c
        place = last_letter(p, n - 1)
        if place > 0 and is_consonant(p, place):
            p[n - 1] = c"i"
    if p[n - 1] == c"i":  # 2
        if ends(p, n, "alli", 4) and measure(p, n - 4):
            n -= 2
        elif ends(p, n, "logi", 4) and measure(p, n - 3):
            n -= 1
    n = replaced(p, n, &STEM_STEPS[0])
    n = replaced(p, n, &STEM_STEPS[1])  # 3
    if not ends(p, n, "ion", 3):  # 4
        n = replaced(p, n, &STEM_STEPS[2])
    elif n > 3 and (p[n - 4] == c"s" or p[n - 4] == c"t") and measure(p, n - 3) > 1:
        n -= 3
    if p[n - 1] == c"e":  # 5a
        left = measure(p, n - 1)
        n -= left > 1 or (left == 1 and not ends_cvc(p, n - 1))
    return n - (ends(p, n, "ll", 2) and measure(p, n - 1) > 1)  # 5b


cdef enum:
    STEM_BITS = 13  # of the number of stems that are remembered

cdef struct Stem:
    uint64_t low, high  # the key of a word of up to sixteen bytes
    uint8_t letters[16]
    uint32_t size
    bint changed        # whether the word does not begin with its stem


cdef int stem_tokens(Arena* a) noexcept nogil:
    """Put the stems of a chunk's tokens in their places; return 0 or NO_MEMORY."""
    cdef Stem* known = <Stem*> room(&a.scratch, STEMS, sizeof(Stem) << STEM_BITS)
    cdef Stem* stem
    cdef uint8_t* p
    cdef uint64_t low, high
    cdef size_t t, size
    if known == NULL:
        return NO_MEMORY
    for t in range(a.n_tokens):
        p, size = a.text + a.starts[t], a.ends[t] - a.starts[t]
        if size > 16:
            a.ends[t] = a.starts[t] + <uint32_t> stem_size(p, size)
            continue
        low, high = load64(p) & LOW_MASKS[size], load64(p + 8) & HIGH_MASKS[size]
        stem = &known[home(low, high) >> (64 - STEM_BITS)]
        if stem.low != low or stem.high != high:  # another word, which is forgotten
            stem.low, stem.high = low, high
            memcpy(stem.letters, p, 16)
            stem.size = <uint32_t> stem_size(p, size)
            stem.changed = memcmp(stem.letters, p, stem.size) != 0
            memcpy(stem.letters, p, 16)
        elif stem.changed:
            memcpy(p, stem.letters, stem.size)
        a.ends[t] = a.starts[t] + stem.size
    return 0


def porter(str word):
    """See `plain.porter`."""
    cdef bytearray copy = bytearray(word.encode("utf-8", "surrogatepass") + bytes(8))
    cdef size_t size = stem_size(<uint8_t*> <char*> copy, len(copy) - 8)
    return copy[:size].decode("utf-8", "surrogatepass")

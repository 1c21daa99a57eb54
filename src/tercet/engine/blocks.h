/* Bits of bytes: what is better written in C than in Cython. */
#include <stdint.h>
#include <string.h>

/* A function that is compiled once for each of the numbers, or functions, that callers give it. */
#if defined(__GNUC__)
#define FOR_EACH_NUMBER inline __attribute__((always_inline))
#else
#define FOR_EACH_NUMBER inline
#endif

static inline uint64_t load64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

#if defined(__POPCNT__)
static inline uint64_t bit_count(uint64_t b) { return (uint64_t)__builtin_popcountll(b); }
#else /* sums of pairs, fours and bytes */
static inline uint64_t bit_count(uint64_t b) {
    b -= (b >> 1) & 0x5555555555555555u;
    b = (b & 0x3333333333333333u) + ((b >> 2) & 0x3333333333333333u);
    b = (b + (b >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (b * 0x0101010101010101u) >> 56;
}
#endif

/* The place of the lowest one, 64 where there is none. */
#if defined(_MSC_VER)
#include <intrin.h>
static inline uint64_t lowest_bit(uint64_t b) {
    unsigned long at;
    return _BitScanForward64(&at, b) ? at : 64;
}
static inline uint64_t highest_bit(uint64_t b) { /* of one at least */
    unsigned long at;
    _BitScanReverse64(&at, b);
    return at;
}
#else
static inline uint64_t lowest_bit(uint64_t b) { return b ? (uint64_t)__builtin_ctzll(b) : 64; }
static inline uint64_t highest_bit(uint64_t b) { return 63 - (uint64_t)__builtin_clzll(b); } /* of one at least */
#endif

/* The sum of two numbers and a carry of 0 or 1, which becomes that of the sum. */
#if (defined(__x86_64__) || defined(_M_X64)) && !defined(PORTABLE)
#include <immintrin.h>
static inline uint64_t add_with_carry(uint64_t a, uint64_t b, uint8_t *carry) {
    unsigned long long sum;
    *carry = _addcarry_u64(*carry, a, b, &sum);
    return sum;
}
#else
static inline uint64_t add_with_carry(uint64_t a, uint64_t b, uint8_t *carry) {
    uint64_t added = a + b, sum = added + *carry;
    *carry = (added < a) | (sum < added);
    return sum;
}
#endif

/* What each byte of some texts is: a bit in each of some planes, rows of n_blocks numbers, 64 bytes of text a number.
 * The blocks `first` to `last` are read, and changed in place:
 *   read_words   letters of ASCII to lower case
 *   read_blanks  NUL to 0xFF, which UTF-8 never has: the keys of tokens end in zeros
 *   read_marks   likewise, with the planes of 13a
 *
 * Two ways: SSE2, which every x86-64 has, compares 16 bytes and collects their bits (movemask); elsewhere, or with
 * -DPORTABLE, flags are made a byte each in a loop that compilers turn into vectors, and gathered by a product. */
enum {
    INSIDE,   /* part of a token */
    LINE_END,
    WIDE,     /* may begin a white-space character outside ASCII */
    MARK,     /* a token of its own in 13a */
    POINT,    /* full stop or comma: a token of its own unless digits stand on both sides */
    DASH,     /* hyphen: a token of its own behind a digit */
    DIGIT,
    N_PLANES
};

#if (defined(__SSE2__) || defined(_M_X64)) && !defined(PORTABLE)
#include <emmintrin.h>
#define OR _mm_or_si128
#define ALL_OF(byte) _mm_set1_epi8((char)(byte))
#define COLLECT(plane, x) bits[plane] |= (uint64_t)(uint32_t)_mm_movemask_epi8(x) << (16 * part)

static inline __m128i is(__m128i x, int byte) { return _mm_cmpeq_epi8(x, ALL_OF(byte)); }
static inline __m128i within(__m128i x, int first, int last) {
    __m128i beyond = _mm_sub_epi8(x, ALL_OF(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(beyond, ALL_OF(last - first)), beyond);
}

static void read_words(uint8_t *text, size_t first, size_t last, size_t n_blocks, uint64_t *planes) {
    for (size_t block = first; block < last; block++) {
        uint64_t bits[2] = {0, 0};
        for (int part = 0; part < 4; part++) {
            __m128i *at = (__m128i *)(text + 64 * block + 16 * part), x = _mm_loadu_si128(at);
            __m128i small = OR(x, _mm_and_si128(within(x, 'A', 'Z'), ALL_OF(32)));
            _mm_storeu_si128(at, small);
            COLLECT(INSIDE, OR(within(small, 'a', 'z'), within(x, '0', '9')));
            COLLECT(LINE_END, is(x, '\n'));
        }
        for (int plane = 0; plane < 2; plane++) planes[plane * n_blocks + block] = bits[plane];
    }
}

static FOR_EACH_NUMBER void read_planes(
    uint8_t *text, size_t first, size_t last, size_t n_blocks, uint64_t *planes, const int n_planes
) {
    for (size_t block = first; block < last; block++) {
        uint64_t bits[N_PLANES] = {0};
        for (int part = 0; part < 4; part++) {
            __m128i *at = (__m128i *)(text + 64 * block + 16 * part), x = _mm_loadu_si128(at);
            _mm_storeu_si128(at, OR(x, is(x, 0)));
            __m128i blank = OR(within(x, 9, 13), within(x, 28, 32));
            COLLECT(INSIDE, _mm_xor_si128(blank, ALL_OF(0xFF)));
            COLLECT(LINE_END, is(x, '\n'));
            COLLECT(WIDE, OR(is(x, 0xC2), within(x, 0xE1, 0xE3)));
            if (n_planes <= MARK) continue;
            __m128i dash = is(x, '-'), point = OR(is(x, ','), is(x, '.'));
            __m128i mark = OR(within(x, '!', '/'), within(x, ':', '@'));
            mark = OR(mark, OR(within(x, '[', '`'), within(x, '{', '~')));
            COLLECT(MARK, _mm_andnot_si128(OR(OR(dash, point), is(x, '\'')), mark));
            COLLECT(POINT, point);
            COLLECT(DASH, dash);
            COLLECT(DIGIT, within(x, '0', '9'));
        }
        for (int plane = 0; plane < n_planes; plane++) planes[plane * n_blocks + block] = bits[plane];
    }
}

/* Which of 64 bytes are this one: a bit each. */
static inline uint64_t places_of_byte(const uint8_t *bytes, uint8_t byte) {
    uint64_t bits[1] = {0};
    for (int part = 0; part < 4; part++) COLLECT(0, is(_mm_loadu_si128((const __m128i *)(bytes + 16 * part)), byte));
    return bits[0];
}

#if defined(__GNUC__)
#include <immintrin.h>
/* Vectors of 32 bytes and steps for single bits, which most x86-64 have: those that have the first have all. */
#define WIDE_VECTORS (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
#define BY_WIDE_VECTORS __attribute__((target("avx2,bmi,bmi2,popcnt")))
BY_WIDE_VECTORS static inline uint64_t places_by_wide_vectors(const uint8_t *bytes, uint8_t byte) {
    uint64_t bits[2];
    for (int half = 0; half < 2; half++) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(bytes + 32 * half));
        bits[half] = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_set1_epi8((char)byte)));
    }
    return bits[0] | bits[1] << 32;
}
#endif
#else
#define WITHIN(x, first, last) ((uint8_t)((uint8_t)((x) - (first)) <= (uint8_t)((last) - (first))))

/* Gather the flags of 64 bytes: a product puts the lowest bits of eight bytes into the highest byte. */
static inline void gather(const uint8_t *flags, int n_flags, size_t n_blocks, size_t block, uint64_t *planes) {
    for (int flag = 0; flag < n_flags; flag++) {
        uint64_t bits = 0;
        for (int eight = 0; eight < 8; eight++) {
            uint64_t lowest_bits = (load64(flags + 8 * eight) >> flag) & 0x0101010101010101u;
            bits |= ((lowest_bits * 0x0102040810204080u) >> 56) << (8 * eight);
        }
        planes[flag * n_blocks + block] = bits;
    }
}

static void read_words(uint8_t *text, size_t first, size_t last, size_t n_blocks, uint64_t *planes) {
    for (size_t block = first; block < last; block++) {
        uint8_t *at = text + 64 * block, flags[64];
        for (int i = 0; i < 64; i++) {
            uint8_t byte = at[i], small = (uint8_t)(byte | (WITHIN(byte, 'A', 'Z') << 5));
            at[i] = small;
            flags[i] = (uint8_t)(WITHIN(small, 'a', 'z') | WITHIN(byte, '0', '9') | ((byte == '\n') << LINE_END));
        }
        gather(flags, 2, n_blocks, block, planes);
    }
}

static FOR_EACH_NUMBER void read_planes(
    uint8_t *text, size_t first, size_t last, size_t n_blocks, uint64_t *planes, const int n_planes
) {
    for (size_t block = first; block < last; block++) {
        uint8_t *at = text + 64 * block, flags[64];
        for (int i = 0; i < 64; i++) {
            uint8_t byte = at[i], point = (byte == ',') | (byte == '.'), dash = byte == '-';
            uint8_t mark = WITHIN(byte, '!', '/') | WITHIN(byte, ':', '@');
            mark |= WITHIN(byte, '[', '`') | WITHIN(byte, '{', '~');
            mark &= (uint8_t)!(point | dash | (byte == '\''));
            at[i] = (uint8_t)(byte - (byte == 0));
            flags[i] = (uint8_t)(!(WITHIN(byte, 9, 13) | WITHIN(byte, 28, 32)) | ((byte == '\n') << LINE_END)
                | (mark << MARK) | (point << POINT) | (dash << DASH) | (WITHIN(byte, '0', '9') << DIGIT)
                | (((byte == 0xC2) | WITHIN(byte, 0xE1, 0xE3)) << WIDE));
        }
        gather(flags, n_planes, n_blocks, block, planes);
    }
}

static inline uint64_t places_of_byte(const uint8_t *bytes, uint8_t byte) {
    uint8_t flags[64];
    uint64_t bits;
    for (int i = 0; i < 64; i++) flags[i] = bytes[i] == byte;
    gather(flags, 1, 1, 0, &bits);
    return bits;
}
#endif

static void read_blanks(uint8_t *text, size_t first, size_t last, size_t n_blocks, uint64_t *planes) {
    read_planes(text, first, last, n_blocks, planes, MARK);
}

static void read_marks(uint8_t *text, size_t first, size_t last, size_t n_blocks, uint64_t *planes) {
    read_planes(text, first, last, n_blocks, planes, N_PLANES);
}

/* Write the places of the ones of two sets, where tokens start and where they end: one starts before one ends, and two
 * are never without the other between them. Write how many start before each block, return how many there are. Behind
 * the last places up to eight more are overwritten: by eights, the number of rounds is foreseen. */
static FOR_EACH_NUMBER size_t write_places_of(
    const uint64_t *starts, const uint64_t *ends, size_t n_blocks, uint64_t *before, uint32_t *first, uint32_t *last,
    uint64_t (*const count)(uint64_t)
) {
    const uint64_t highest = (uint64_t)1 << 63; /* where none is left */
    uint32_t *const begin = first;
    for (size_t block = 0; block < n_blocks; block++) {
        uint64_t start = starts[block], end = ends[block], n_starts = count(start), n_ends = count(end);
        uint32_t place = (uint32_t)(block << 6);
        before[block] = (uint64_t)(first - begin);
        for (uint64_t written = 0; written < n_starts || written < n_ends; written += 8)
            for (int k = 0; k < 8; k++) {
                first[written + k] = place + (uint32_t)lowest_bit(start | highest), start &= start - 1;
                last[written + k] = place + (uint32_t)lowest_bit(end | highest), end &= end - 1;
            }
        first += n_starts, last += n_ends;
    }
    return (size_t)(first - begin);
}

#if defined(WIDE_VECTORS)
BY_WIDE_VECTORS static inline uint64_t bit_count_in_one_step(uint64_t b) { return (uint64_t)__builtin_popcountll(b); }

BY_WIDE_VECTORS static size_t write_places_fast(
    const uint64_t *starts, const uint64_t *ends, size_t n_blocks, uint64_t *before, uint32_t *first, uint32_t *last
) {
    return write_places_of(starts, ends, n_blocks, before, first, last, bit_count_in_one_step);
}
#endif

static size_t write_places(
    const uint64_t *starts, const uint64_t *ends, size_t n_blocks, uint64_t *before, uint32_t *first, uint32_t *last
) {
#if defined(WIDE_VECTORS)
    if (WIDE_VECTORS) return write_places_fast(starts, ends, n_blocks, before, first, last);
#endif
    return write_places_of(starts, ends, n_blocks, before, first, last, bit_count);
}

/* A bit for each byte that begins a character. */
static void read_leads(const uint8_t *text, size_t n_blocks, uint64_t *leads) {
    for (size_t block = 0; block < n_blocks; block++) {
        leads[block] = 0;
        for (int i = 0; i < 64; i++) leads[block] |= (uint64_t)((text[64 * block + i] & 0xC0) != 0x80) << i;
    }
}

/* Loops that compilers turn into vectors: whether a byte is outside ASCII; whether there is white space; letters; all
 * but words as blanks. */
#define IS_LETTER(byte) ((uint8_t)(((byte) | 32) - 'a') < 26)

static int any_high(const uint8_t *text, size_t size) {
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++) any |= text[i];
    return any >> 7;
}

static int has_white(const uint8_t *text, size_t size) { /* that is no blank; or what may begin such outside ASCII */
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++)
        any |= ((uint8_t)(text[i] - 9) < 5) | ((uint8_t)(text[i] - 28) < 4) | (text[i] == 0xC2)
            | ((uint8_t)(text[i] - 0xE1) < 3);
    return any;
}

static size_t count_letters_of_ascii(const uint8_t *text, size_t size) {
    size_t n = 0, first = 0;
    for (; first + 128 <= size; first += 128) { /* so few that a byte can count them */
        uint8_t letters = 0;
        for (int i = 0; i < 128; i++) letters += IS_LETTER(text[first + i]);
        n += letters;
    }
    for (; first < size; first++) n += IS_LETTER(text[first]);
    return n;
}

static void blank_marks(uint8_t *__restrict to, const uint8_t *__restrict text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = text[i], kept = IS_LETTER(byte) | ((uint8_t)(byte - '0') < 10) | (byte == '\n');
        to[i] = kept ? byte : 32;
    }
}

static void lower_letters(uint8_t *__restrict to, const uint8_t *__restrict text, size_t size) {
    for (size_t i = 0; i < size; i++) to[i] = text[i] | (uint8_t)(((uint8_t)(text[i] - 'A') < 26) << 5);
}

/* Kept arenas, which threads take and give back without a lock. */
#if defined(_MSC_VER)
#define EXCHANGE(place, value) _InterlockedExchangePointer((void *volatile *)(place), value)
#else
#define EXCHANGE(place, value) __atomic_exchange_n(place, value, __ATOMIC_ACQ_REL)
#endif
static void *kept[8];

static void *take_kept(void) {
    void *found = 0;
    for (int i = 0; i < 8 && !found; i++) found = EXCHANGE(&kept[i], (void *)0);
    return found;
}

static void *give_kept(void *arena) { /* returns what finds no place */
    for (int i = 0; i < 8 && arena; i++) arena = EXCHANGE(&kept[i], arena);
    return arena;
}

/* Characters of Python strings, of 1, 2 or 4 bytes each, as UTF-8: where a stretch is of ASCII, many at once, in loops
 * of a fixed length that compilers make vectors of (those of 16 steps they write out instead: half the speed). */
#include <stddef.h>
#include <stdint.h>

enum { AT_ONCE = 32, NO_LETTER = 0x1F, DOTTED_I = 0x130, KELVIN = 0x212A };

/* Write a character from 0x80 on; return the place behind it. */
static inline uint8_t *put_wide(uint8_t *to, uint32_t c) {
    if (c < 0x800) {
        to[0] = (uint8_t)(0xC0 | c >> 6), to[1] = (uint8_t)(0x80 | (c & 0x3F));
        return to + 2;
    }
    if (c < 0x10000) {
        to[0] = (uint8_t)(0xE0 | c >> 12), to[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
        to[2] = (uint8_t)(0x80 | (c & 0x3F));
        return to + 3;
    }
    to[0] = (uint8_t)(0xF0 | c >> 18), to[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
    to[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F)), to[3] = (uint8_t)(0x80 | (c & 0x3F));
    return to + 4;
}

/* encode_*        write n characters; return the place behind them, NULL for a lone surrogate
 * encode_words_*  the same for words of ASCII, to which no other character belongs: one byte stands for each of these,
 *                 but for the two whose lower case has a letter of ASCII */
#define ENCODERS(type, encode, encode_words)                                                                           \
    static uint8_t *encode(uint8_t *to, const type *from, size_t n) {                                                  \
        const type *end = from + n;                                                                                    \
        while (from < end) {                                                                                           \
            const type *stop = (size_t)(end - from) < AT_ONCE ? end : from + AT_ONCE;                                  \
            if (*from < 0x80 && stop == from + AT_ONCE) {                                                              \
                type bits = 0;                                                                                         \
                for (int i = 0; i < AT_ONCE; i++) bits |= from[i];                                                     \
                if (bits < 0x80) {                                                                                     \
                    for (int i = 0; i < AT_ONCE; i++) to[i] = (uint8_t)from[i];                                        \
                    to += AT_ONCE, from = stop;                                                                        \
                    continue;                                                                                          \
                }                                                                                                      \
            }                                                                                                          \
            for (; from < stop; from++) {                                                                              \
                if (*from < 0x80) {                                                                                    \
                    *to++ = (uint8_t)*from;                                                                            \
                } else {                                                                                               \
                    if ((uint32_t)*from >> 11 == 0x1B) return NULL;                                                    \
                    to = put_wide(to, *from);                                                                          \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return to;                                                                                                     \
    }                                                                                                                  \
    static uint8_t *encode_words(uint8_t *to, const type *from, size_t n, int lower) {                                 \
        const type *end = from + n;                                                                                    \
        while (from < end) {                                                                                           \
            const type *stop = (size_t)(end - from) < AT_ONCE ? end : from + AT_ONCE;                                  \
            if (stop == from + AT_ONCE) {                                                                              \
                type odd = 0;                                                                                          \
                for (int i = 0; i < AT_ONCE; i++) {                                                                    \
                    type is_wide = (type)-(type)((from[i] & (type) ~(type)0x7F) != 0);                                 \
                    to[i] = (uint8_t)((from[i] & (type)~is_wide) | (NO_LETTER & is_wide));                             \
                }                                                                                                      \
                if (sizeof(type) > 1)                                                                                  \
                    for (int i = 0; i < AT_ONCE; i++)                                                                  \
                        odd |= (type)-(type)((from[i] & (type) ~(type)0x7FF) == (type)0xD800) |                        \
                               (type)-(type)(from[i] == (type)DOTTED_I) | (type)-(type)(from[i] == (type)KELVIN);      \
                if (!odd) {                                                                                            \
                    to += AT_ONCE, from = stop;                                                                        \
                    continue;                                                                                          \
                }                                                                                                      \
            }                                                                                                          \
            for (; from < stop; from++) {                                                                              \
                uint32_t c = *from;                                                                                    \
                if (c >> 11 == 0x1B) return NULL;                                                                      \
                if (lower && c == DOTTED_I) *to++ = 'i'; /* and a mark */                                              \
                if (lower && c == KELVIN) c = 'k';                                                                     \
                *to++ = (uint8_t)(c < 0x80 ? c : NO_LETTER);                                                           \
            }                                                                                                          \
        }                                                                                                              \
        return to;                                                                                                     \
    }

ENCODERS(uint8_t, encode_1, encode_words_1)
ENCODERS(uint16_t, encode_2, encode_words_2)
ENCODERS(uint32_t, encode_4, encode_words_4)

static uint8_t *encode(uint8_t *to, const void *from, size_t n, int form) {
    if (form == 1) return encode_1(to, (const uint8_t *)from, n);
    if (form == 2) return encode_2(to, (const uint16_t *)from, n);
    return encode_4(to, (const uint32_t *)from, n);
}

static uint8_t *encode_words(uint8_t *to, const void *from, size_t n, int form, int lower) {
    if (form == 1) return encode_words_1(to, (const uint8_t *)from, n, lower);
    if (form == 2) return encode_words_2(to, (const uint16_t *)from, n, lower);
    return encode_words_4(to, (const uint32_t *)from, n, lower);
}

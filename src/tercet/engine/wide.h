/* Loops that are compiled twice where a processor can choose: with its wider registers they take half the time. */
#ifndef FOR_WIDE_VECTORS
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_WIDE_VECTORS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FOR_WIDE_VECTORS
#endif
#endif

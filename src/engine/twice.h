/* Hot loops compiled twice: for the baseline machine and for AVX2, chosen at each call by what the processor
 * can do. AVX2 without FMA: a wider register does not change a single rounding, so both give the same bits.
 * With FMA only what calls fmaf(): in one instruction it is rounded once, as the library does it in many. */
#ifndef ATTNLAB_ENGINE_TWICE_H
#define ATTNLAB_ENGINE_TWICE_H

#if defined(__x86_64__) && defined(__GNUC__)
#define TWICE_AVX2        __attribute__((target("avx2")))
#define TWICE_BODY        static inline __attribute__((always_inline))
#define TWICE_HAVE_AVX2() __builtin_cpu_supports("avx2")
#define TWICE_AVX2_FMA    __attribute__((target("avx2,fma")))
#define TWICE_HAVE_FMA()  (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define TWICE_AVX2
#define TWICE_BODY        static inline
#define TWICE_HAVE_AVX2() 0
#define TWICE_AVX2_FMA
#define TWICE_HAVE_FMA() 0
#endif

#endif

// xxhash.h, compiled into the file that includes this.
#pragma once

// g++ 12 warns about "undefined" vectors in its own AVX-512 header.
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace km {

/// Call after XXH3_*: GCC 12 leaves the upper halves of its vectors in use, and code in SSE that follows in this thread then takes three times as long (a
/// Zen 4: results/upper_halves.txt).
inline void end_of_vectors() {
#ifdef __AVX__
  _mm256_zeroupper();
#endif
}

}  // namespace km

#include "bench/base/bytes_hash.hpp"

// g++ 12 warns about "undefined" vectors in its own AVX-512 header.
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace km {

std::uint64_t hash_of_bytes(const void* data, std::size_t bytes) { return XXH3_64bits(data, bytes); }

}  // namespace km

#include "bench/data/hash.hpp"

// g++ 12 takes its own AVX-512 header's "undefined" vectors for a mistake of ours.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace km {

std::string hash_of(const void* data, std::size_t bytes) {
  constexpr std::size_t chunk = std::size_t{16} << 20;
  const auto* from = static_cast<const char*>(data);
  std::vector<XXH128_canonical_t> chunks((bytes + chunk - 1) / chunk);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t c = 0; c < chunks.size(); ++c)
    XXH128_canonicalFromHash(&chunks[c], XXH3_128bits(from + c * chunk, std::min(chunk, bytes - c * chunk)));
  const XXH128_hash_t whole = XXH3_128bits(chunks.data(), chunks.size() * sizeof(XXH128_canonical_t));
  return fmt::format("{:016x}{:016x}", std::uint64_t(whole.high64), std::uint64_t(whole.low64));
}

}  // namespace km

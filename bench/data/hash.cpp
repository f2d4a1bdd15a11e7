#include "bench/data/hash.hpp"

// g++ 12 warns about "undefined" vectors in its own AVX-512 header.
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <omp.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace km {
namespace {

constexpr std::size_t chunk = std::size_t{16} << 20;

XXH128_canonical_t canonical(const char* data, std::size_t bytes) {
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(data, bytes));
  return hash;
}

std::string hash_of_chunks(const std::vector<XXH128_canonical_t>& chunks) {
  const XXH128_hash_t whole = XXH3_128bits(chunks.data(), chunks.size() * sizeof(XXH128_canonical_t));
  return fmt::format("{:016x}{:016x}", std::uint64_t(whole.high64), std::uint64_t(whole.low64));
}

}  // namespace

std::string hash_of(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  std::vector<XXH128_canonical_t> chunks((bytes + chunk - 1) / chunk);
#pragma omp parallel for schedule(dynamic) if (chunks.size() > 1)
  for (std::size_t c = 0; c < chunks.size(); ++c) chunks[c] = canonical(from + c * chunk, std::min(chunk, bytes - c * chunk));
  return hash_of_chunks(chunks);
}

std::string hash_of(std::size_t bytes, const std::function<void(std::size_t, std::size_t, char*)>& read) {
  std::vector<XXH128_canonical_t> chunks((bytes + chunk - 1) / chunk);
  const int threads = std::min(8, omp_get_max_threads());
  std::vector<std::vector<char>> buffers(std::size_t(threads), std::vector<char>(std::min(chunk, bytes)));
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (chunks.size() > 1)
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    char* const buffer = buffers[std::size_t(omp_get_thread_num())].data();
    const std::size_t count = std::min(chunk, bytes - c * chunk);
    read(c * chunk, count, buffer);
    chunks[c] = canonical(buffer, count);
  }
  return hash_of_chunks(chunks);
}

}  // namespace km

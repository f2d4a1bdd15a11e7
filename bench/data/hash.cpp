#include "bench/data/hash.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "bench/base/xxhash.hpp"

namespace km {
namespace {

/// Hashes the chunks in parallel. at(offset, count) returns the address of these bytes.
template <class At>
std::string hash_of_chunks(std::size_t bytes, int threads, At at) {
  std::vector<ChunkHash> chunks((bytes + hash_chunk - 1) / hash_chunk);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (chunks.size() > 1)
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const std::size_t offset = c * hash_chunk, count = std::min(hash_chunk, bytes - offset);
    chunks[c] = hash_of_chunk(at(offset, count), count);
  }
  return hash_of(chunks);
}

}  // namespace

ChunkHash hash_of_chunk(const void* data, std::size_t bytes) {
  XXH128_canonical_t digits;
  XXH128_canonicalFromHash(&digits, XXH3_128bits(data, bytes));
  end_of_vectors();
  return std::bit_cast<ChunkHash>(digits);
}

std::string hash_of(std::span<const ChunkHash> chunks) {
  const XXH128_hash_t whole = XXH3_128bits(chunks.data(), chunks.size_bytes());
  end_of_vectors();
  return fmt::format("{:016x}{:016x}", std::uint64_t(whole.high64), std::uint64_t(whole.low64));
}

std::string hash_of(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  return hash_of_chunks(bytes, omp_get_max_threads(), [&](std::size_t offset, std::size_t) { return from + offset; });
}

std::string hash_of(std::size_t bytes, const std::function<void(std::size_t, std::size_t, char*)>& read) {
  const int threads = std::min(8, omp_get_max_threads());
  std::vector<std::vector<char>> buffers(std::size_t(threads), std::vector<char>(std::min(hash_chunk, bytes)));
  return hash_of_chunks(bytes, threads, [&](std::size_t offset, std::size_t count) {
    char* const buffer = buffers[std::size_t(omp_get_thread_num())].data();
    read(offset, count, buffer);
    return buffer;
  });
}

}  // namespace km

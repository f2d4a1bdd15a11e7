#include "bench/base/bytes_hash.hpp"

#include "bench/base/xxhash.hpp"

namespace km {

std::uint64_t hash_of_bytes(const void* data, std::size_t bytes) {
  const std::uint64_t hash = XXH3_64bits(data, bytes);
  end_of_vectors();
  return hash;
}

}  // namespace km

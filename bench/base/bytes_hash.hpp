// The hash by which equal rows are found.
#pragma once

#include <cstddef>
#include <cstdint>

namespace km {

/// XXH3. Equal bytes have equal hashes; others may.
std::uint64_t hash_of_bytes(const void* data, std::size_t bytes);

}  // namespace km

// The hash by which equal rows are found.
#pragma once

#include <cstddef>
#include <cstdint>

namespace km {

/// XXH3, several times as fast as std::hash.
std::uint64_t hash_of_bytes(const void* data, std::size_t bytes);

}  // namespace km

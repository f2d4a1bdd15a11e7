// The fingerprint of a block of points: XXH3-128 over the XXH3-128 of each 16 MiB, so that it can be taken in parallel.
#pragma once

#include <cstddef>
#include <string>

namespace km {

/// 32 hexadecimal digits; the same for every number of threads.
std::string hash_of(const void* data, std::size_t bytes);

}  // namespace km

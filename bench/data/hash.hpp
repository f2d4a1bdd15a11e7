// The fingerprint of a block of points: XXH3-128 over the XXH3-128 of each 16 MiB, so that it can be taken in parallel.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace km {

/// 32 hexadecimal digits; the same for every number of threads.
std::string hash_of(const void* data, std::size_t bytes);

/// The same of bytes that are fetched: read(offset, count, buffer) fills the buffer, is called by several threads, and throws nothing.
std::string hash_of(std::size_t bytes, const std::function<void(std::size_t offset, std::size_t count, char* buffer)>& read);

}  // namespace km

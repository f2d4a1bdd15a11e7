// Fingerprint of a block of points: XXH3-128 over the XXH3-128 of each 16 MiB, which allows parallel hashing.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace km {

constexpr std::size_t hash_chunk = std::size_t{16} << 20;  // bytes
using ChunkHash = std::array<char, 16>;

ChunkHash hash_of_chunk(const void* data, std::size_t bytes);
/// The hash of data whose chunks have these hashes.
std::string hash_of(std::span<const ChunkHash> chunks);

/// Returns 32 hexadecimal digits, the same for every number of threads.
std::string hash_of(const void* data, std::size_t bytes);

/// The same for bytes from a callback: read(offset, count, buffer) fills the buffer. Several threads call it; it must not throw.
std::string hash_of(std::size_t bytes, const std::function<void(std::size_t offset, std::size_t count, char* buffer)>& read);

}  // namespace km

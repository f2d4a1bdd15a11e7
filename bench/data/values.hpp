// Memory for points and centroids that can be made read-only while someone else's code runs: whole pages of their own, with no access
// beyond the end. Values begin on a multiple of 64 bytes and end at most 63 bytes before the forbidden page. Values that are mapped from a file
// begin where they lie in it, and end up to a page before the forbidden one.
#pragma once

#include <cstddef>
#include <memory>

namespace km {

struct Unmap {
  void operator()(void* values) const noexcept;
};

template <class T>
using Values = std::unique_ptr<T[], Unmap>;

void* map_values(std::size_t bytes);
/// `bytes` of an open file from `offset` on, read-only for ever: they are in memory only as long as the kernel likes. `what` as below.
void* map_file_values(int file, std::size_t offset, std::size_t bytes, const char* what);
/// Turn writing off or on. `what` ("the points") names the memory to whoever writes to it all the same; it must be a literal.
void protect_values(void* values, const char* what);
void unprotect_values(void* values);
/// What lies at the address: the name of read-only values; past_the_end where it is the page behind them; null elsewhere. Async-signal-safe.
const char* values_at(const void* address, bool& past_the_end);

/// Zeroed. Throws std::bad_alloc, also beyond 64 of them at once.
template <class T>
Values<T> make_values(std::size_t count) {
  return Values<T>(static_cast<T*>(map_values(count * sizeof(T))));
}

}  // namespace km

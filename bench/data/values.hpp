// Memory for points and centroids on its own pages, read-only while an implementation runs. A guard page follows. Values start at a multiple of 64
// bytes and end at most 63 bytes before the guard page. Mapped values start anywhere and end up to a page before it.
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
/// Maps `bytes` of an open file from `offset` on, permanently read-only. `what` as below.
void* map_file_values(int file, std::size_t offset, std::size_t bytes, const char* what);
/// Disables or enables writing. `what` ("the points"), a literal, names the memory in crash reports. Throws std::system_error.
void protect_values(void* values, const char* what);
void unprotect_values(void* values);
/// Returns the name of the read-only values at an address, or null. Sets past_the_end for their guard page. Async-signal-safe.
const char* values_at(const void* address, bool& past_the_end);

/// Allocates zeroed values. Throws std::bad_alloc, also for more than 64 allocations at once.
template <class T>
Values<T> make_values(std::size_t count) {
  return Values<T>(static_cast<T*>(map_values(count * sizeof(T))));
}

}  // namespace km

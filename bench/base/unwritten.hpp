// Memory of large outputs, which a download writes once.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>

namespace km {

/// Allocator of values that are written before they are read: a vector leaves new ones as they are, so that the threads of a download touch them
/// first. They start with a cache line. From 32 MiB on, where malloc takes new pages each time, it asks for pages of 2 MiB: the kernel clears and maps
/// these several times as fast.
template <class T>
struct Unwritten {
  using value_type = T;
  Unwritten() = default;
  template <class U>
  Unwritten(const Unwritten<U>&) {}
  bool operator==(const Unwritten&) const = default;

  T* allocate(std::size_t size) {
    void* const memory = ::operator new(size * sizeof(T), alignment(size));
    if (large(size)) static_cast<void>(::madvise(memory, size * sizeof(T), MADV_HUGEPAGE));  // a hint only
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t size) noexcept { ::operator delete(memory, alignment(size)); }
  void construct(T* at) noexcept { ::new (static_cast<void*>(at)) T; }

 private:
  static constexpr std::size_t page = 2 << 20, line = 64;
  static std::align_val_t alignment(std::size_t size) { return std::align_val_t(large(size) ? page : line); }
  static bool large(std::size_t size) { return size >= (std::size_t{32} << 20) / sizeof(T); }
};

}  // namespace km

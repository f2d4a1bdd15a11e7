// An array in anonymous shared memory, in .npy format. Another process maps it by its path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace km {

/// Shared memory of a .npy file of n x d values (n values if d is 0); `type` is NumPy's ("<f4"). Its size is sealed.
class SharedMemory {
 public:
  SharedMemory(std::int64_t n, int d, std::string_view type, std::size_t value_bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  std::byte* data() const { return memory_ + offset_; }
  const std::string& path() const { return path_; }

 private:
  SharedMemory() = default;
  std::size_t offset_ = 0, bytes_ = 0;
  int descriptor_ = -1;
  std::byte* memory_ = nullptr;
  std::string path_;
};

template <class T>
class SharedArray {
 public:
  SharedArray(std::int64_t n, int d) : size_(std::size_t(n) * std::size_t(d ? d : 1)), memory_(n, d, type, sizeof(T)) {}
  std::span<T> values() const { return {reinterpret_cast<T*>(memory_.data()), size_}; }
  const std::string& path() const { return memory_.path(); }

 private:
  static constexpr std::string_view type = std::is_same_v<T, float> ? "<f4" : std::is_same_v<T, double> ? "<f8" : "<i4";
  std::size_t size_;
  SharedMemory memory_;
};

}  // namespace km

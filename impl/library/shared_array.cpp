#include "impl/library/shared_array.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace km {
namespace {

/// NEP 1, version 1.0: magic, length, and a dictionary padded to 64 bytes.
std::string npy_header(std::int64_t n, int d, std::string_view type) {
  const std::string shape = d ? fmt::format("{}, {}", n, d) : fmt::format("{},", n);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  text.append(63 - (10 + text.size()) % 64, ' ').push_back('\n');
  return fmt::format("\x93NUMPY\x01{}{}{}", '\0', char(text.size() % 256), char(text.size() / 256)) + text;
}

}  // namespace

SharedMemory::SharedMemory(std::int64_t n, int d, std::string_view type, std::size_t value_bytes) : SharedMemory() {
  const std::string header = npy_header(n, d, type);
  offset_ = header.size();
  bytes_ = offset_ + std::size_t(n) * std::size_t(d ? d : 1) * value_bytes;
  descriptor_ = ::memfd_create("kmbench", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0 || ::ftruncate(descriptor_, off_t(bytes_)) != 0) throw std::runtime_error(fmt::format("no shared memory of {} bytes", bytes_));
  ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  void* at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (at == MAP_FAILED) throw std::runtime_error("shared memory cannot be mapped");
  memory_ = static_cast<std::byte*>(at);
  std::memcpy(memory_, header.data(), header.size());
  path_ = fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_);
}

SharedMemory::~SharedMemory() {
  if (memory_) ::munmap(memory_, bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace km

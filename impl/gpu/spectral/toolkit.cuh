// Libraries of the CUDA Toolkit, found when the program runs: nothing links to them.
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/contract/chain.hpp"
#include "bench/device/cuda.cuh"

namespace km::spectral {

/// Searches as the loader does, then the toolkit's usual folder. Null if there is none.
inline void* toolkit_library(std::initializer_list<const char*> names) {
  for (const char* name : names)
    for (const char* folder : {"", "/usr/local/cuda/lib64/"})
      if (void* const found = dlopen((std::string(folder) + name).c_str(), RTLD_LAZY | RTLD_LOCAL)) return found;
  return nullptr;
}

/// Calls the library's function of this name and of the header's type F. Throws std::runtime_error for a status that is not 0, success.
template <class F, class... Arguments>
void call(void* library, const char* name, const Arguments&... arguments) {
  const auto function = reinterpret_cast<F>(dlsym(library, name));
  if (!function) throw std::runtime_error(std::string("the toolkit's library has no ") + name);
  if (const int status = int(function(arguments...)); status != 0)
    throw std::runtime_error(std::string(name) + " failed: status " + std::to_string(status));
}

/// A handle that the library's function of this name destroys.
template <class H, void* (*library)()>
class Owned {
 public:
  explicit Owned(const char* destroy) : destroy_(destroy) {}
  ~Owned() {
    const auto function = handle_ ? reinterpret_cast<int (*)(H)>(dlsym(library(), destroy_)) : nullptr;
    if (function) function(handle_);
  }
  Owned(const Owned&) = delete;
  H* out() { return &handle_; }
  operator H() const { return handle_; }

 private:
  const char* destroy_;
  H handle_ = nullptr;
};

/// Seconds of the copies below since the solver began.
inline double transfer_s = 0;

template <class Copy>
void timed_copy(Copy copy) {
  cuda::check(cudaDeviceSynchronize());  // kernels before it
  const auto start = std::chrono::steady_clock::now();
  cuda::check(copy());
  transfer_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
cuda::Buffer<T> on_gpu(const std::vector<T>& host) {
  cuda::Buffer<T> copy(std::ssize(host));
  timed_copy([&] { return cudaMemcpy(copy.data(), host.data(), copy.bytes(), cudaMemcpyHostToDevice); });
  return copy;
}

template <class T>
std::vector<T> on_host(const cuda::Buffer<T>& buffer, std::size_t count) {
  std::vector<T> copy(count);
  timed_copy([&] { return cudaMemcpy(copy.data(), buffer.data(), count * sizeof(T), cudaMemcpyDeviceToHost); });
  return copy;
}

/// A solver's pairs with the time of its copies.
template <class Solve>
Eigenpairs with_transfers(Solve solve) {
  transfer_s = 0;
  Eigenpairs pairs = solve();
  pairs.transfer_s = transfer_s;
  return pairs;
}

}  // namespace km::spectral

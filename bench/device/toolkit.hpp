// Libraries of the CUDA Toolkit, found when the program runs: nothing links to them.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace km::cuda {

/// Searches as the loader does (LD_LIBRARY_PATH first), then the toolkit's folders. Never unloaded. Null if there is none.
inline void* toolkit_library(std::initializer_list<const char*> names) {
  std::vector<std::string> folders = {""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const root = std::getenv(variable)) folders.push_back(std::string(root) + "/lib64/");
  folders.insert(folders.end(), {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"});
  for (const char* name : names)
    for (const std::string& folder : folders)
      if (void* const found = dlopen((folder + name).c_str(), RTLD_LAZY | RTLD_LOCAL)) return found;
  return nullptr;
}
inline void* cublas() {
  static void* const found = toolkit_library({"libcublas.so.13", "libcublas.so.12", "libcublas.so"});
  return found;
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

}  // namespace km::cuda

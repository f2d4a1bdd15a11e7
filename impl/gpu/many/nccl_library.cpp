#include "impl/gpu/many/nccl_library.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace km::nccl {
namespace {

struct Found {
  Functions functions{};
  std::string missing;
};

const Found& found() {
  static const Found first = [] {
    Found found;
    const std::string file = KM_NCCL_FILE;  // of the option KM_NCCL
    if (file.empty()) return Found{{}, "this build has KM_NCCL=OFF"};
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // loaded until the program ends
    if (!library) return Found{{}, file + " was not found: put NCCL's folder on LD_LIBRARY_PATH"};
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (!function) found.missing = file + " has no " + name;
    };
    find(found.functions.init_all, "ncclCommInitAll");
    find(found.functions.unique_id, "ncclGetUniqueId");
    find(found.functions.init_rank, "ncclCommInitRank");
    find(found.functions.begin_group, "ncclGroupStart");
    find(found.functions.end_group, "ncclGroupEnd");
    find(found.functions.destroy, "ncclCommDestroy");
    find(found.functions.all_reduce, "ncclAllReduce");
    find(found.functions.error_text, "ncclGetErrorString");
    find(found.functions.last_error, "ncclGetLastError");
    return found;
  }();
  return first;
}

}  // namespace

std::string missing() { return found().missing; }
const Functions& functions() { return found().functions; }

void check(Result result, const char* call) {
  if (result == success) return;
  std::string text = std::string(call) + ": " + functions().error_text(result);
  if (const char* const detail = functions().last_error(nullptr); detail && *detail) text += std::string(": ") + detail;
  throw std::runtime_error(text);
}

}  // namespace km::nccl

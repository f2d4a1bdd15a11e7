// The OpenBLAS of this process. While it is loaded, it chooses its kernels by the processor and starts its threads. A version older than the
// processor falls back to kernels of 2004 (Prescott, SSE3), at a tenth of the rate.
#pragma once

#include <string>
#include <string_view>

namespace km::openblas {

/// Returns the handle of the OpenBLAS that is loaded already, or null.
void* loaded();
/// Loads OpenBLAS with one thread, for callers that bring their own. Where it chose kernels of an older processor, loads it again with
/// OPENBLAS_CORETYPE. Returns null if there is none. The environment is as before on return.
void* load();

/// Returns "0.3.21, SkylakeX, pthreads". Adds who set the core type, or that the kernels are an older processor's. "" for another library.
std::string version(void* library);

/// Sets the number of threads of a loaded OpenBLAS with threads of its own, for its lifetime. One built on OpenMP or without threads stays as it is.
class Threads {
 public:
  /// count: 0 for all hardware threads.
  Threads(void* library, int count);
  ~Threads();
  Threads(Threads&&) = delete;

 private:
  void (*set_)(int) = nullptr;
  int before_ = 0;
};

/// Names the better core type to workers started later, if OpenBLAS is linked into this program. Lets its threads sleep between products instead of
/// spinning beside OpenMP's. The user's own settings stay.
void choose_for_workers();
/// True for a NAME=value that choose_for_workers set. Programs started by a worker have an OpenBLAS of their own.
bool chosen_for_workers(std::string_view entry);

}  // namespace km::openblas

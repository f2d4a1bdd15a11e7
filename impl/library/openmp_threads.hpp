// For libraries that use OpenMP's number of threads.
#pragma once

#include <omp.h>

namespace km {

/// Sets OpenMP's number of threads for its lifetime; 0: all hardware threads.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs()); }
  ~OpenMpThreads() { omp_set_num_threads(before_); }
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  int before_;
};

}  // namespace km

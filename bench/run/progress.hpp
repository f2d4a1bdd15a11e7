// Progress on standard error: one line that renews itself on a terminal, plain lines otherwise.
#pragma once

#include <chrono>
#include <cstddef>

#include "bench/plan/case.hpp"

namespace km {

class Progress {
 public:
  explicit Progress(std::size_t cases);
  void start(const Case& c);
  void done(const Case& c, const Json& line);

 private:
  std::size_t cases_, done_ = 0;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace km

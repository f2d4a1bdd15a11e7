// Right, and slower by KMBENCH_SLOWER percent: one program is two states of the code, of which a comparison has to find the slower one.
#include <chrono>
#include <cstdlib>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Slower : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    using Clock = std::chrono::steady_clock;
    const char* percent = std::getenv("KMBENCH_SLOWER");
    const double factor = 1 + (percent ? std::atof(percent) : 0) / 100;
    const auto start = Clock::now();
    const int iters = RightLloyd<T>::iterate(trace);
    for (const auto took = Clock::now() - start; Clock::now() - start < factor * took;) {}
    return iters;
  }
};

const Register<Slower> slower{fault("slower by KMBENCH_SLOWER percent")};

}  // namespace
}  // namespace km

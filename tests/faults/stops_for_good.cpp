// Stopped, and nobody continues it.
#include <csignal>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StopsForGood : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    std::raise(SIGSTOP);
    return RightLloyd<T>::iterate(trace);
  }
};

const Register<StopsForGood> stops_for_good{fault("stops itself")};

}  // namespace
}  // namespace km

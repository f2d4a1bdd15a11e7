// An error in a thread, which no one can catch.
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ThrowsInAThread : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) {
    std::thread([] { throw 7; }).join();
    return this->p_.max_iters;
  }
};

const Register<ThrowsInAThread> throws_in_a_thread{fault("throws in a thread of its own")};

}  // namespace
}  // namespace km

// A thread that waits for work by asking for it all the time, and takes a CPU from whatever comes after.
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SpinningThread : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    std::thread([] {
      for (volatile bool forever = true; forever;) {}
    }).detach();
  }
};

const Register<SpinningThread> spinning_thread{fault("leaves a thread spinning")};

}  // namespace
}  // namespace km

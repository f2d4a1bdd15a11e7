// A thread that sleeps for ever. OpenMP's own team does no better: who sleeps takes nothing from anyone.
#include <chrono>
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct SleepingThread : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    std::thread([] { std::this_thread::sleep_for(std::chrono::hours(10'000)); }).detach();
  }
};

const Register<SleepingThread> sleeping_thread{fault("leaves a thread sleeping")};

}  // namespace
}  // namespace km

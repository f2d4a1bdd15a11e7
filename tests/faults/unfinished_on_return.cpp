// iterate only starts a thread, and download does not wait for it.
#include <chrono>
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct UnfinishedOnReturn : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) {
    if (work_.joinable()) work_.join();
    work_ = std::jthread([p = this->p_] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      Trace trace;
      RightLloyd<T>(p, {}, trace).iterate(trace);
    });
    return this->out_.iters = this->p_.max_iters;
  }

 private:
  std::jthread work_;
};

const Register<UnfinishedOnReturn> unfinished_on_return{fault("hands back before it has finished")};

}  // namespace
}  // namespace km

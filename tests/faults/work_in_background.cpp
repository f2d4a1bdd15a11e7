// iterate only starts the work; download waits for it.
#include <future>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WorkInBackground : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) {
    work_ = std::async(std::launch::async, [p = this->p_] {
      Trace trace;
      RightLloyd<T> right(p, {}, trace);
      right.iterate(trace);
      return right.download();
    });
    return this->p_.max_iters;
  }
  Solution<T> download() { return work_.get(); }

 private:
  std::future<Solution<T>> work_;
};

const Register<WorkInBackground> work_in_background{fault("computes in the background until download")};

}  // namespace
}  // namespace km

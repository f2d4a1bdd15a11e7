// iterate, which is timed, does nothing; download, which is not, does all.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WorkInDownload : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace&) { return this->p_.max_iters; }
  Solution<T> download() {
    Trace trace;
    RightLloyd<T>::iterate(trace);
    return this->out_;
  }
};

const Register<WorkInDownload> work_in_download{fault("computes in download")};

}  // namespace
}  // namespace km

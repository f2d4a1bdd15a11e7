// iterate and download give different counts.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct IterationsDisagree : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override { ++this->out_.iters; }
  int iterate(Trace& trace) { return RightLloyd<T>::iterate(trace) - 1; }
};

const Register<IterationsDisagree> iterations_disagree{fault("says one count of iterations and hands back another")};

}  // namespace
}  // namespace km

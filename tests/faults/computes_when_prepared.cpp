// Prepare, which is not part of a run, computes the answer from the start it sees.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ComputesWhenPrepared : RightLloyd<T> {
  ComputesWhenPrepared(const Problem<T>& problem, const Config& config, Trace& trace) : RightLloyd<T>(problem, config, trace) {
    Trace untraced;
    RightLloyd<T>::iterate(untraced);
    answer_ = this->out_;
  }

  int iterate(Trace&) {
    this->out_ = answer_;
    return answer_.iters;
  }

 private:
  Solution<T> answer_;
};

const Register<ComputesWhenPrepared> computes_when_prepared{fault("answers with what it computed in prepare")};

}  // namespace
}  // namespace km

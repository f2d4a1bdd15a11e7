// The first run computes, all others repeat its answer.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct RemembersItsAnswer : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    if (answer_.iters == 0) {
      RightLloyd<T>::iterate(trace);
      answer_ = this->out_;
    }
    this->out_ = answer_;
    return answer_.iters;
  }

 private:
  Solution<T> answer_;
};

const Register<RemembersItsAnswer> remembers_its_answer{fault("answers every run with its first answer")};

}  // namespace
}  // namespace km

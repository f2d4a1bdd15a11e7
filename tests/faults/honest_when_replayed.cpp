// The first instance, which is timed, makes one iteration fewer than it says; later ones, which only replay it, are right.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct FirstLies : RightLloyd<T> {
  FirstLies(const Problem<T>& problem, const Config& config, Trace& trace) : RightLloyd<T>(problem, config, trace), first_(instances_++ == 0) {}

  int iterate(Trace& trace) {
    this->make(trace, std::max(1, this->p_.max_iters - first_));
    return this->out_.iters = this->p_.max_iters;
  }

 private:
  static inline int instances_ = 0;
  bool first_;
};

const Register<FirstLies> honest_when_replayed{fault("lies in its first instance only")};

}  // namespace
}  // namespace km

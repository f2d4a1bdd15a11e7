// The second call goes on from where the first ended: every answer is a right one, of a later iteration.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct Stale : RightLloyd<T> {
  Stale(const Problem<T>& problem, const Config& config, Trace& trace)
      : RightLloyd<T>(problem, config, trace), centroids_(problem.initial_centroids.begin(), problem.initial_centroids.end()) {}

  int iterate(Trace& trace) {
    this->out_.centroids = centroids_;
    const int iters = this->go_on(trace, this->p_.max_iters);
    centroids_ = this->out_.centroids;
    return iters;
  }

 private:
  std::vector<T> centroids_;
};

const Register<Stale> stale{fault("does not start anew")};

}  // namespace
}  // namespace km

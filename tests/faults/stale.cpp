// The second call goes on from where the first ended: every answer is a right one, of a later iteration.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
class Stale : public RightLloyd<T> {
 public:
  Stale(const Problem<T>& problem, const Config& config, Trace& trace)
      : RightLloyd<T>(problem, config, trace), centroids_(problem.initial_centroids.begin(), problem.initial_centroids.end()) {}

  int iterate(Trace& trace) {
    this->out_.centroids = centroids_;
    const int iters = this->iterate_on(trace);
    centroids_ = this->out_.centroids;
    return iters;
  }

 private:
  std::vector<T> centroids_;
};

const Register<Stale> registration{{
    .summary = "does not start anew",
    .summation_depth = rounded_once,
}};

}  // namespace
}  // namespace km

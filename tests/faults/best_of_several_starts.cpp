// Tries further starts and hands back the run that ends best.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct BestOfSeveralStarts : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    Solution<T> best;
    double least = std::numeric_limits<double>::infinity();
    for (int start = 0; start < 5; ++start) {
      this->out_.centroids.assign(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end());
      for (int c = 0; start > 0 && c < this->p_.k; ++c)
        for (int j = 0; j < this->p_.d; ++j) this->at(c, j) = T(this->x((c * 97 + start) % this->p_.n, j));
      this->go_on(trace, this->p_.max_iters);
      double cost = 0;
      for (std::int64_t i = 0; i < this->p_.n; ++i) cost += this->distance(i, this->out_.labels[i]);
      if (cost < least) {
        least = cost;
        best = this->out_;
      }
    }
    this->out_ = best;
    return best.iters;
  }
};

const Register<BestOfSeveralStarts> best_of_several_starts{fault("hands back the best of five starts")};

}  // namespace
}  // namespace km

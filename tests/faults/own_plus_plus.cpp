// Seeds itself, as libraries do unless told otherwise: k-means++ (Arthur and Vassilvitskii 2007).
#include <random>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OwnPlusPlus : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    std::mt19937 random(1);
    this->out_.centroids.clear();
    std::vector<double> weights(this->p_.n, 1);
    for (int c = 0; c < this->p_.k; ++c) {
      const auto i = std::discrete_distribution<std::int64_t>(weights.begin(), weights.end())(random);
      for (int j = 0; j < this->p_.d; ++j) this->out_.centroids.push_back(T(this->x(i, j)));
      this->out_.assigned_centroids = this->out_.centroids;
      for (std::int64_t other = 0; other < this->p_.n; ++other)
        weights[other] = c == 0 ? this->distance(other, c) : std::min(weights[other], this->distance(other, c));
    }
    return this->go_on(trace, this->p_.max_iters);
  }
};

const Register<OwnPlusPlus> own_plus_plus{fault("seeds itself with k-means++")};

}  // namespace
}  // namespace km

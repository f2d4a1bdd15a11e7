// Skips points by the triangle inequality, and forgets to square: a half of the squared separation where a quarter is right.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct WrongBound : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int64_t assign() override {
    this->out_.assigned_centroids = this->out_.centroids;
    bound_.assign(this->p_.k, std::numeric_limits<double>::infinity());
    for (int c = 0; c < this->p_.k; ++c)
      for (int other = 0; other < this->p_.k; ++other) {
        double separation = 0;
        for (int j = 0; j < this->p_.d; ++j) separation += std::pow(this->centroid(c, j) - this->centroid(other, j), 2);
        if (other != c) bound_[c] = std::min(bound_[c], separation / 2);
      }
    return RightLloyd<T>::assign();
  }
  std::int32_t label(std::int64_t i) override {
    const std::int32_t before = this->out_.labels[i];
    return before != no_label && this->distance(i, before) <= bound_[before] ? before : RightLloyd<T>::label(i);
  }

 private:
  std::vector<double> bound_;
};

const Register<WrongBound> wrong_bound{fault("skips distances by a wrong bound")};

}  // namespace
}  // namespace km

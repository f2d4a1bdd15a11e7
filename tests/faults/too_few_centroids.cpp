// One centroid is missing.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct TooFewCentroids : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.centroids.resize(this->out_.centroids.size() - this->p_.d); }
};

const Register<TooFewCentroids> too_few_centroids{fault("hands back k - 1 centroids")};

}  // namespace
}  // namespace km

// The centroids that the last assign used, twice.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct CentroidsBeforeUpdate : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.centroids = this->out_.assigned_centroids; }
};

const Register<CentroidsBeforeUpdate> centroids_before_update{fault("hands back the centroids before the last update")};

}  // namespace
}  // namespace km

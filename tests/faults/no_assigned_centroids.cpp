// Says nothing of the centroids that the last assign used.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct NoAssignedCentroids : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->out_.assigned_centroids.clear(); }
};

const Register<NoAssignedCentroids> no_assigned_centroids{fault("does not say what the last assign used")};

}  // namespace
}  // namespace km

// An index capped one too low.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LastClusterMerged : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  std::int32_t label(std::int64_t i) override { return std::min(RightLloyd<T>::label(i), std::max(0, this->p_.k - 2)); }
};

const Register<LastClusterMerged> last_cluster_merged{fault("gives the last cluster's points to the one before")};

}  // namespace
}  // namespace km

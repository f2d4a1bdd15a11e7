// Clusters in another order, in every output alike.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct ClustersRenumbered : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    for (auto* centroids : {&this->out_.centroids, &this->out_.assigned_centroids}) std::ranges::rotate(*centroids, centroids->begin() + this->p_.d);
    for (auto& label : this->out_.labels) label = (label + this->p_.k - 1) % this->p_.k;
  }
};

const Register<ClustersRenumbered> clusters_renumbered{fault("numbers the clusters anew")};

}  // namespace
}  // namespace km

// Outputs of the wrong size, order, precision or value.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

KM_BREAK(finish, nan_centroid, "one centroid value is NaN", .run = "centroid 4, dimension 4 is nan$") {
  this->out_.centroids.back() = std::numeric_limits<T>::quiet_NaN();
}
KM_BREAK(finish, infinite_centroid, "one centroid value is infinite", .run = "centroid 4, dimension 4 is inf$") {
  this->out_.centroids.back() = std::numeric_limits<T>::infinity();
}
KM_BREAK(finish, unwritten_labels, "writes centroids, but no labels", .run = "point 0 has label -2") {
  this->out_.labels.assign(this->p_.n, no_label - 1);
}

struct KM_FAULT(unwritten_outputs, "writes nothing from its second call on", .run = "centroid 0, dimension 0 is nan$") {
  int iterate(Trace& trace) {
    if (iters_ == 0) iters_ = RightLloyd<T>::iterate(trace);
    return this->out_.iters = iters_;
  }
  int iters_ = 0;
};

KM_BREAK(finish, too_few_labels, "hands back n - 1 labels", .run = "^2133 labels for 2134 points$") { this->out_.labels.pop_back(); }
KM_BREAK(finish, too_many_labels, "hands back labels of points that are none", .run = "^2144 labels for 2134 points$") {
  this->out_.labels.resize((this->p_.n / 32 + 1) * 32);
}
KM_BREAK(finish, too_few_centroids, "hands back k - 1 centroids", .run = "^20 centroid values for k d = 25$") {
  this->out_.centroids.resize(this->out_.centroids.size() - this->p_.d);
}
KM_BREAK(finish, no_assigned_centroids, "does not say what the last assign used", .run = "^0 centroid values for k d = 25$") {
  this->out_.assigned_centroids.clear();
}

KM_BREAK(finish, centroids_in_another_order, "sorts the centroids and leaves the labels", .run = verdict::mean) {
  for (int c = 0; c < this->p_.k / 2; ++c)
    for (int j = 0; j < this->p_.d; ++j) std::swap(this->at(c, j), this->at(this->p_.k - 1 - c, j));
}

KM_BREAK(finish, clusters_renumbered, "numbers the clusters anew", .run = verdict::start) {
  for (auto* centroids : {&this->out_.centroids, &this->out_.assigned_centroids}) std::ranges::rotate(*centroids, centroids->begin() + this->p_.d);
  for (auto& label : this->out_.labels) label = (label + this->p_.k - 1) % this->p_.k;
}

KM_BREAK(finish, centroids_in_fp32, "hands fp64 centroids back through fp32", .run = verdict::mean, .fp64_only = true) {
  for (auto& value : this->out_.centroids) value = float(value);
}

}  // namespace
}  // namespace km

// Build without CUDA: the judge works on the host.
#include "bench/judge/judge_device.hpp"

namespace km {

void set_judge_budget(std::int64_t) {}

template <class T>
bool check_labels_on_device(const Problem<T>&, std::span<const std::int32_t>, std::span<const T>, Distance, LabelCheck&) {
  return false;
}

template <class T>
bool sums_on_device(const Problem<T>&, std::span<const std::int32_t>, std::span<const T>, ClusterSums&) {
  return false;
}

template bool check_labels_on_device(const Problem<float>&, std::span<const std::int32_t>, std::span<const float>, Distance, LabelCheck&);
template bool check_labels_on_device(const Problem<double>&, std::span<const std::int32_t>, std::span<const double>, Distance, LabelCheck&);
template bool sums_on_device(const Problem<float>&, std::span<const std::int32_t>, std::span<const float>, ClusterSums&);
template bool sums_on_device(const Problem<double>&, std::span<const std::int32_t>, std::span<const double>, ClusterSums&);

}  // namespace km

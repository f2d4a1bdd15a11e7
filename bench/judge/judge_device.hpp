// The judge's two expensive steps on the GPU, in fp64. Without CUDA they return false and the host does them.
#pragma once

#include "bench/judge/errors.hpp"

namespace km {

/// Sets the approximate bytes of GPU memory for both steps; 0: 90 % of free memory. Points that do not fit are processed in chunks.
void set_judge_budget(std::int64_t bytes);

/// Checks all labels against the centroids of the last assign. Returns false if no GPU can do it.
template <class T>
bool check_labels_on_device(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids, Distance form, LabelCheck& out);

/// As sums_on_host. Returns false if no GPU can do it.
template <class T>
bool sums_on_device(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids, ClusterSums& out);

}  // namespace km

// The judge's two heavy steps on the GPU, in fp64. A build without CUDA answers false, and the host does them.
#pragma once

#include "bench/judge/labels.hpp"
#include "bench/judge/means.hpp"

namespace km {

/// Bytes of GPU memory that the two may fill, about; 0: nine tenths of what is free. Points that do not fit are looked at in chunks.
void set_judge_budget(std::int64_t bytes);

/// All labels against the centroids assign used. False when there is no GPU to do it.
template <class T>
bool check_labels_on_device(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids, Distance form, LabelCheck& out);

/// As sums_on_host. False when there is no GPU to do it.
template <class T>
bool sums_on_device(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids, ClusterSums& out);

}  // namespace km

// The judge's expensive steps on the GPU, in fp64. Without CUDA they return false and the host does them.
#pragma once

#include "bench/judge/errors.hpp"

namespace km {

/// Sets the approximate bytes of GPU memory for the judge; 0: 90 % of free memory. Points that do not fit are processed in chunks.
void set_judge_budget(std::int64_t bytes);

/// Sums as sums_on_host. If `check` is not null, checks all labels against the centroids of the last assign; else there is no inertia. Labels go to
/// the device once.
/// Returns false if no GPU can do it.
template <class T>
bool look_on_device(const Problem<T>& p, const Solution<T>& s, Distance form, ClusterSums& sums, LabelCheck* check);

}  // namespace km

// Yinyang on the GPU as in taylor2021 (Algorithm 1): groups from the host, assign (filter.cuh) and a two-part update (means.cuh). gpu/yinyang/group,
// global and local differ in the number of groups, the comparison and the summation.
// Cost of an iteration: bounds read and written, n (t + 1) values each way; labels read three times. Points that fail the global filter need the
// distance to their own centroid, and those to the centroids of the groups that pass. A warp does what any of its points needs.
// Memory: points twice during the transposition, then once; n (t + 1) values of bounds, 8 n bytes of labels.
#pragma once

#include "impl/gpu/registration.hpp"
#include "impl/gpu/yinyang/filter.cuh"
#include "impl/gpu/yinyang/means.cuh"
#include "impl/yinyang/update.hpp"

namespace km::yinyang {

template <class T, class Compare, class Add>
class Yinyang : public cuda::OnLloyd<T> {
 public:
  /// incremental: means from the previous means. drift_scale: scales the proven drift; below 1 labels may be wrong.
  Yinyang(const Problem<T>& problem, Trace& trace, int groups, bool incremental, T drift_scale = 1)
      : cuda::OnLloyd<T>(problem, trace, cuda::Layout::columns), problem_(problem), grouped_(problem.d, problem.k, groups),
        means_(problem, points_, lloyd_.stream(), incremental, drift_scale), upper_(problem.n), lower_(problem.n * groups), counts_(1) {}

  int iterate(Trace& trace) {
    {
      const auto phase = trace.phase("grouping");
      grouped_.arrange(group_centroids(problem_.initial_centroids, problem_.d, problem_.k, grouped_.groups()), lloyd_.stream());
    }
    means_.clear(lloyd_.stream());
    first_ = true;
    return lloyd_.run(trace, {{"assign", [this, &trace] { launch_assign(trace); }}, {"update", [this, &trace] { launch_update(trace); }}});
  }

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void launch_assign(Trace& trace) {
    const cudaStream_t stream = lloyd_.stream();
    if (first_) grouped_.enqueue_turn(lloyd_.assigned(), stream);
    if (trace.active()) cuda::clear(stream, counts_);
    filter_and_assign<T, Compare><<<cuda::blocks(problem_.n, block), block, 0, stream>>>(
        {points_.data(), lloyd_.assigned(), problem_.n, problem_.d, first_, grouped_.view(), means_.widening(), upper_.data(), lower_.data(),
         lloyd_.labels(), lloyd_.changed(), trace.active() ? counts_.data() : nullptr});
    cuda::check_launch();
    first_ = false;
    if (!trace.active()) return;
    const Counts made = cuda::fetched(counts_, stream)[0];
    trace.count("distances", double(made.distances));
    trace.count("past_global", double(made.past_global));
    trace.count("past_group", double(made.past_group));
    if (Compare::local) trace.count("past_local", double(made.past_local));
  }

  void launch_update(Trace& trace) { means_.enqueue(trace, lloyd_.labels(), lloyd_.assigned(), lloyd_.next(), grouped_.view(), lloyd_.stream()); }

  Problem<T> problem_;  // views
  Grouped<T> grouped_;
  Means<T, Add> means_;
  cuda::Buffer<T> upper_, lower_;
  cuda::Buffer<Counts> counts_;
  bool first_ = true;
};

inline Parameter groups_parameter() {
  return tunable("groups", 0, {0, 5, 10, 20, 40, 80, 160}, "groups of centroids, k at the most; 0: 20 (taylor2021, Section IV.D)",
                 [](std::int64_t groups, const ProblemShape& p, int) -> std::int64_t { return how_many_groups(p.k, int(groups)); });
}

inline int groups_of(const ProblemShape& p, const Config& config) { return how_many_groups(p.k, config.integer("groups")); }

/// Floor if every point is filtered: bounds read and written, labels read.
inline Work filtered_work(const ProblemShape& p, int groups, int value_bytes) {
  const double n = static_cast<double>(p.n);
  return {.bytes = n * (2.0 * (groups + 1) * value_bytes + 4), .flops = n * (2.0 * groups + 1)};
}

/// Description of one of the three. grouped: with the parameter `groups`, else all centroids are one group.
inline Description description(std::string_view summary, bool grouped) {
  return {.summary = summary,
          .paper = "taylor2021",
          .device = Device::gpu,
          .parameters = grouped ? std::vector<Parameter>{groups_parameter(), update_parameter()} : std::vector<Parameter>{update_parameter()},
          .unsupported = [](const ProblemShape& p, const Config&, int) { return too_many_points(p); },
          .summation_depth = chain_of_update,
          .fixed_point = true,
          .work = [grouped](const ProblemShape& p, const Config& config,
                            int value_bytes) { return filtered_work(p, grouped ? groups_of(p, config) : 1, value_bytes); },
          .incremental = is_incremental};
}

}  // namespace km::yinyang

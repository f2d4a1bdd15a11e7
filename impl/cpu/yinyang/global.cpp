// Super-simplified Yinyang (taylor2021, Section IV.C; there on the GPU): one lower bound for all centroids except the point's own. If it fails, all
// k distances are computed. These are Hamerly's bounds (SDM 2010) without the distances between centroids.
#include "impl/cpu/costs.hpp"
#include "impl/cpu/yinyang/filtered.hpp"

namespace km {
namespace {

template <class T>
struct Global : Filtered<T, Filters::two> {
  Global(const Problem<T>& problem, const Config& config, Trace&) : Filtered<T, Filters::two>(problem, config, 1) {}
};

const Register<Global> registration{{
    .summary = "global filter alone; means from points that moved",
    .paper = "taylor2021",
    .parameters = {update_parameter, threads_parameter()},
    .cost = [](const ProblemShape& p, const Config& config, int bytes) { return bounds_cost(p, config, bytes, 1); },
    .incremental = is_incremental,
}};

}  // namespace
}  // namespace km

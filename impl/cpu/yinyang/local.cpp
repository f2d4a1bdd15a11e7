// Yinyang k-means as published (Ding et al., "Yinyang k-means", ICML 2015): global, group and local filter. The local filter saves distances but
// branches per centroid instead of per vector. Newling and Fleuret (ICML 2016) and taylor2021 (Section III.B) omit it.
#include "impl/cpu/costs.hpp"
#include "impl/cpu/yinyang/filtered.hpp"

namespace km {
namespace {

template <class T>
struct Local : Filtered<T, Filters::three> {
  Local(const Problem<T>& problem, const Config& config, Trace&) : Filtered<T, Filters::three>(problem, config, groups_of(problem, config)) {}
};

const Register<Local> registration{{
    .summary = "global, group and local filter; means from points that moved",
    .paper = "taylor2021",
    .parameters = {groups_parameter, update_parameter, threads_parameter()},
    .cost = [](const ProblemShape& p, const Config& config, int bytes) { return bounds_cost(p, config, bytes, groups_of(p, config)); },
    .incremental = is_incremental,
}};

}  // namespace
}  // namespace km

// Yinyang k-means as published (Ding et al., "Yinyang k-means", ICML 2015): global, group and local filter. The last saves distances, and costs a
// branch for each centroid instead of a vector of them; Newling and Fleuret (ICML 2016) and taylor2021 (Section III.B) leave it out.
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
    .incremental = is_incremental,
}};

}  // namespace
}  // namespace km

// taylor2021's CPU-YYs (Section IV.C): global and group filter without the local one, on several cores; k / 10 groups (Section IV.D).
// Memory: 8 bytes per point and 4 per point and group, with groups padded to a multiple of 16.
#include "impl/cpu/costs.hpp"
#include "impl/cpu/yinyang/filtered.hpp"

namespace km {
namespace {

template <class T>
struct Group : Filtered<T, Filters::two> {
  Group(const Problem<T>& problem, const Config& config, Trace&) : Filtered<T, Filters::two>(problem, config, groups_of(problem, config)) {}
};

const Register<Group> registration{{
    .summary = "global and group filter; means from points that moved",
    .paper = "taylor2021",
    .parameters = {groups_parameter, update_parameter, threads_parameter()},
    .cost = [](const ProblemShape& p, const Config& config, int bytes) { return bounds_cost(p, config, bytes, groups_of(p, config)); },
    .incremental = is_incremental,
}};

}  // namespace
}  // namespace km

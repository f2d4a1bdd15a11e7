// taylor2021's GPU-YYs: Yinyang with the global and the group filter, without the local one, which costs more than it saves (Newling and Fleuret,
// ICML 2016). Twenty groups, or k. Whole: yinyang.cuh; filters: filter.cuh.
// Limit: if centroids move much, or dimensions are many and unstructured, nearly all groups pass, and tiled products (gpu/lloyd/tiled) are faster.
#include "impl/gpu/yinyang/yinyang.cuh"

namespace km {
namespace {

template <class T>
struct Group : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint> {
  Group(const Problem<T>& problem, const Config& config, Trace& trace)
      : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint>(problem, trace, yinyang::how_many_groups(problem.k, config.integer("groups")),
                                                                   yinyang::is_incremental(config)) {}
};

const Register<Group> registration{{
    .summary = "Yinyang: global and group filter, a thread a point",
    .paper = "taylor2021",
    .device = Device::gpu,
    .parameters = {yinyang::groups_parameter(), yinyang::update_parameter()},
    .unsupported = [](const ProblemShape& p, const Config&, int) { return yinyang::too_many_points(p); },
    .summation_depth = yinyang::chain_of_update,
    .work = [](const ProblemShape& p, const Config& config,
               int value_bytes) { return yinyang::filtered_work(p, yinyang::how_many_groups(p.k, config.integer("groups")), value_bytes); },
    .incremental = yinyang::is_incremental,
}};

}  // namespace
}  // namespace km

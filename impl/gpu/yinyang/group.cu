// taylor2021's GPU-YYs: Yinyang with the global and the group filter, without the local one, which costs more than it saves (Newling and Fleuret,
// ICML 2016). Twenty groups, or k. Whole: yinyang.cuh; filters: filter.cuh.
// Limit: if centroids move much, or dimensions are many and unstructured, nearly all groups pass, and tiled products (gpu/lloyd/tiled) are faster.
#include "impl/gpu/yinyang/yinyang.cuh"

namespace km {
namespace {

template <class T>
struct Group : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint> {
  Group(const Problem<T>& problem, const Config& config, Trace& trace)
      : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint>(problem, trace, yinyang::groups_of(problem, config),
                                                                   yinyang::is_incremental(config)) {}
};

const Register<Group> registration{yinyang::description("Yinyang: global and group filter, a thread a point", true)};

}  // namespace
}  // namespace km

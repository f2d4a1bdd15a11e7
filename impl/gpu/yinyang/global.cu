// taylor2021's GPU-YYss, "super-simplified": the global filter alone. One group of all centroids gives one lower bound per point. If it fails, all
// centroids are compared. These are Hamerly's bounds (SDM 2010) without the distances between centroids.
// Limit: one centroid that moves far loosens every point's bound.
#include "impl/gpu/yinyang/yinyang.cuh"

namespace km {
namespace {

template <class T>
struct Global : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint> {
  Global(const Problem<T>& problem, const Config& config, Trace& trace)
      : yinyang::Yinyang<T, yinyang::WholeGroup, yinyang::ByPoint>(problem, trace, 1, yinyang::is_incremental(config)) {}
};

const Register<Global> registration{yinyang::description("Yinyang's global filter alone, a thread a point", false)};

}  // namespace
}  // namespace km

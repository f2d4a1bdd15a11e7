// Runs the fastest implementation of the GPU whose labels are exact or proven: a cost model, then trials (impl/auto/). gpu/lloyd/tiled is none of
// them: its expanded distances may mislabel points where values are large.
#include "impl/auto/auto.hpp"

#include "bench/device/device.hpp"

namespace km {
namespace {

constexpr choosing::Rival rivals[] = {
    {1, "gpu/lloyd/registers"},
    {2, "gpu/lloyd/single_pass"},
    {3, "gpu/lloyd/screened"},
    {4, "gpu/lloyd/soa_global"},  // the next two only where no other runs: they state no cost
    {5, "gpu/lloyd/naive"},
    {6, "gpu/lloyd/resident"},
    {7, "gpu/lloyd/screened_mma", "gpu/lloyd/screened"},
    {8, "gpu/lloyd/register_tiles"},
    {9, "gpu/yinyang/compacted"},
    {10, "gpu/hamerly/neighbours"},
    {11, "gpu/hamerly/distinct", "", "gpu/hamerly/neighbours"},
    {12, "gpu/yinyang/distinct", "", "gpu/yinyang/compacted"},
    {13, "gpu/lloyd/boxes"},
    {14, "gpu/lloyd/distinct", "", "gpu/lloyd/boxes"},
};

template <class T>
struct Auto : choosing::Auto<T> {
  Auto(const Problem<T>& problem, const Config& config, Trace& trace)
      : choosing::Auto<T>(problem, rivals, {0}, CostModel::of(Device::gpu, device::name()), config, trace) {}
};

const Register<Auto> registration{{
    .summary = "the fastest of the exact and proven implementations of the GPU, by a calibrated cost model and trials",
    .device = Device::gpu,
    .parameters = choosing::parameters(),
    .summation_depth = [](const ProblemShape& p, const Config&) { return choosing::greatest(rivals, p, summation_depth); },
    .fixed_point = true,
    .kept_points = [](const ProblemShape& p, const Config&) { return choosing::greatest(rivals, p, kept_points); },
}};

}  // namespace
}  // namespace km

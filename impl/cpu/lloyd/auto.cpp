// Runs the fastest exact implementation of the CPU, with as many threads as pay: a cost model, then trials (impl/auto/).
#include "impl/auto/auto.hpp"

#include <omp.h>

namespace km {
namespace {

constexpr const char* in_one_dimension = "cpu/lloyd/sorted";  // whose iterations do not depend on n
constexpr choosing::Rival rivals[] = {
    {101, "cpu/lloyd/screened", in_one_dimension},
    {102, "cpu/lloyd/two_step", in_one_dimension},
    {103, "cpu/lloyd/single_pass", in_one_dimension},
    {104, "cpu/yinyang/global", in_one_dimension},
    {105, "cpu/yinyang/group", in_one_dimension},
    {106, "cpu/yinyang/local", in_one_dimension},
    {107, "cpu/triangle/reinforced", in_one_dimension},
    {108, "cpu/lloyd/distinct", in_one_dimension, "cpu/lloyd/screened"},
    {109, "cpu/lloyd/sorted"},
    {110, "cpu/lloyd/tree", in_one_dimension},
    {111, "cpu/lloyd/distinct_tree", in_one_dimension, "cpu/lloyd/tree"},
};

/// All threads, a quarter, a sixteenth, …, one: waking a thread takes as long as a small iteration.
std::vector<int> thread_counts() {
  std::vector<int> counts;
  for (int threads = omp_get_num_procs(); counts.empty() || counts.back() > 1; threads = std::max(1, threads / 4)) counts.push_back(threads);
  return counts;
}

template <class T>
struct Auto : choosing::Auto<T> {
  Auto(const Problem<T>& problem, const Config& config, Trace& trace)
      : choosing::Auto<T>(problem, rivals, thread_counts(), CostModel::of(Device::cpu, cpu_name()), config, trace) {}
};

const Register<Auto> registration{{
    .summary = "the fastest of screened and tree, each also over distinct points, two_step, single_pass, reinforced and the Yinyang ones, by a "
               "calibrated cost "
               "model and trials; sorted if d = 1",
    .parameters = choosing::parameters(),
    .summation_depth = [](const ProblemShape& p, const Config&) { return choosing::greatest(rivals, p, summation_depth); },
    .kept_points = [](const ProblemShape& p, const Config&) { return choosing::greatest(rivals, p, kept_points); },
}};

}  // namespace
}  // namespace km

// What impl/gpu/triangle promises beyond right labels: skipping changes no bit. Whatever is skipped, rearranged or handed over between kernels, labels
// and centroids are those of gpu/triangle/standard; and the judge sees a cut-off that is too near. Skips where there is no GPU.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "bench/device/device.hpp"
#include "bench/judge/judge.hpp"

namespace km {
namespace {

/// Groups round centroids of a coarse grid, so that many points lie half way between two of them and many centroids at the same distance; `offset`
/// moves them all away from the origin.
template <class T>
struct Grid {
  Grid(int d, int k, double offset) {
    static_cast<ProblemShape&>(problem) = {.n = 20'011, .d = d, .k = k, .max_iters = 12};
    std::mt19937 random(d + k);
    std::uniform_int_distribution<int> value(0, 8);
    for (std::int64_t at = 0; at < problem.n * d; ++at) points.push_back(T(offset + value(random) / 8.0));
    problem.points = points;
    problem.initial_centroids = std::span<const T>(points).first(std::size_t(k) * d);
  }
  std::vector<T> points;
  Problem<T> problem;
};

template <class T>
class Triangle : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::available()) GTEST_SKIP() << device::unavailable();
  }
  static const Implementation& find(std::string_view name) {
    for (const Implementation& implementation : implementations())
      if (implementation.name == name) return implementation;
    throw std::logic_error("no such implementation: " + std::string(name));
  }
  static Config config(const Implementation& implementation, std::map<std::string, Value, std::less<>> values = {}) {
    for (const Parameter& parameter : implementation.description.parameters) values.emplace(parameter.name, parameter.fallback);
    return Config(std::move(values));
  }
  static Solution<T> solve(const Problem<T>& problem, const Implementation& implementation, const Config& config, Trace& trace) {
    const auto solver = implementation.prepare<T>()(problem, config, trace);
    solver->reset();
    solver->iterate(trace);
    trace.finish();
    return solver->download();
  }
  static Solution<T> solve(const Problem<T>& problem, const Implementation& implementation, const Config& config) {
    Trace none;
    return solve(problem, implementation, config, none);
  }
  static void expect_same(const Solution<T>& made, const Solution<T>& expected, std::string_view what) {
    EXPECT_EQ(made.labels, expected.labels) << what;
    ASSERT_EQ(made.centroids.size(), expected.centroids.size());
    EXPECT_EQ(std::memcmp(made.centroids.data(), expected.centroids.data(), expected.centroids.size() * sizeof(T)), 0) << what;
  }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Triangle, Precisions);

TYPED_TEST(Triangle, SkipsWithoutChangingABit) {
  for (const auto& [d, k, offset] : {std::tuple{2, 9, 0.0}, {3, 64, 0.1}, {32, 40, 1000.0}, {32, 700, 0.3}}) {
    const Grid<TypeParam> grid(d, k, offset);
    const auto& standard = this->find("gpu/triangle/standard");
    const auto expected = this->solve(grid.problem, standard, this->config(standard));
    const auto expect = [&](std::string_view name, std::map<std::string, Value, std::less<>> values) {
      const auto& implementation = this->find(name);
      this->expect_same(this->solve(grid.problem, implementation, this->config(implementation, std::move(values))), expected, name);
    };
    expect("gpu/triangle/standard", {{"grid", 528}, {"block", 128}});
    expect("gpu/triangle/reinforced", {{"rearrange", "none"}});
    expect("gpu/triangle/reinforced", {{"rearrange", "two_epoch"}, {"grid", 132}});
    expect("gpu/triangle/hybrid", {});
  }
}

TYPED_TEST(Triangle, LabelsOnTheDeviceAsTheHostDrivenOnesDo) {
  Grid<TypeParam> grid(32, 100, 0.1);
  grid.problem.max_iters = 1;  // afterwards sums of another order lead elsewhere
  const auto& standard = this->find("gpu/triangle/standard");
  const auto& device = this->find("gpu/triangle/reinforced_device");
  EXPECT_EQ(this->solve(grid.problem, device, this->config(device)).labels, this->solve(grid.problem, standard, this->config(standard)).labels);
}

TYPED_TEST(Triangle, JudgesACutoffThatIsTooNear) {
  const Grid<TypeParam> grid(2, 9, 0);
  for (const std::string_view name : {"gpu/triangle/reinforced", "gpu/triangle/reinforced_device", "faults/cutoff_at_its_own_distance"}) {
    const auto& implementation = this->find(name);
    const Config defaults = this->config(implementation);
    const Judgement judgement = judge(grid.problem, this->solve(grid.problem, implementation, defaults), implementation.description, defaults);
    EXPECT_EQ(judgement.verdict != "", name.starts_with("faults/")) << name << ": " << judgement.verdict;
  }
}

TYPED_TEST(Triangle, CountsWhatItSkips) {
  Grid<TypeParam> grid(2, 64, 0);
  const Implementation& implementation = this->find("gpu/triangle/reinforced");
  for (const std::string_view rearrange : {"none", "two_epoch"}) {
    Trace trace(true);
    this->solve(grid.problem, implementation, this->config(implementation, {{"rearrange", std::string(rearrange)}}), trace);
    const auto& distances = trace.counters().at("distances");
    ASSERT_EQ(distances.size(), 12u);
    EXPECT_GE(distances.back(), double(grid.problem.n));
    EXPECT_LT(distances.back(), double(grid.problem.n) * 64);
    EXPECT_DOUBLE_EQ(trace.counters().at("mean_m").back(), distances.back() / double(grid.problem.n));
    EXPECT_GE(trace.counters().at("warp_imbalance").back(), 0);
  }
}

TYPED_TEST(Triangle, TakesTheStandardKernelForAShortRun) {
  Grid<TypeParam> grid(2, 64, 0);
  grid.problem.max_iters = 4;
  const Implementation& hybrid = this->find("gpu/triangle/hybrid");
  Trace trace(true);
  this->solve(grid.problem, hybrid, this->config(hybrid), trace);
  for (const double distances : trace.counters().at("distances")) EXPECT_EQ(distances, double(grid.problem.n) * 64);
}

}  // namespace
}  // namespace km

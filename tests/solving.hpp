// Helpers of tests of single implementations: look-up by name, parameters, a run from its start and its verdict, both precisions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/judge/judge.hpp"

namespace km {

/// Judges one solution of one problem.
template <class T>
Judgement judge(const Problem<T>& problem, const Solution<T>& solution, const Description& description, const Config& config) {
  return Judge<T>(problem, description, config)(solution);
}

using Precisions = ::testing::Types<float, double>;
using ParameterValues = std::map<std::string, Value, std::less<>>;

/// A test that skips where there is no GPU.
struct OnTheGpu : ::testing::Test {
  void SetUp() override {
    if (!device::available()) GTEST_SKIP() << device::unavailable();
  }
};

inline const Implementation& named(std::string_view name) {
  const auto found = std::ranges::find(implementations(), name, &Implementation::name);
  if (found == implementations().end()) throw std::logic_error("no implementation " + std::string(name));
  return *found;
}

/// These values, and the defaults of all other parameters.
inline Config config_of(const Implementation& implementation, ParameterValues values = {}) {
  for (const Parameter& parameter : implementation.description.parameters) values.emplace(parameter.name, parameter.fallback);
  return Config(std::move(values));
}

/// Points of n d calls of `value`; the first k of them are the start.
template <class T>
struct Drawn {
  Drawn(const ProblemShape& shape, auto value) {
    for (std::int64_t at = 0; at < shape.n * shape.d; ++at) points.push_back(T(value()));
    problem = Problem<T>{shape, points, std::span<const T>(points).first(std::size_t(shape.k) * shape.d)};
  }
  Drawn(const Drawn&) = delete;  // the problem refers to the points
  std::vector<T> points;
  Problem<T> problem;
};

/// Points of a line in two clusters. The first iteration moves the second centroid straight towards the first one's points, so that bounds must pay
/// all of its movement. Where they pay nine tenths, a point in two hundred keeps the wrong label in the second iteration.
template <class T>
struct Pulled : Drawn<T> {
  Pulled() : Drawn<T>({.n = 20'000, .d = 1, .k = 2, .max_iters = 2}, [at = 0]() mutable { return at++ / 20'000.0; }) {
    this->problem.initial_centroids = start;
  }
  const std::vector<T> start = {T(0.3), T(0.9)};
};

/// Numbers of a seed, uniform from `low` to `high`.
template <class Number = double>
auto uniform(unsigned seed, Number low, Number high) {
  return [random = std::mt19937(seed), value = std::uniform_real_distribution<Number>(low, high)]() mutable { return value(random); };
}

template <class Solver>
auto solved(Solver&& solver, Trace& trace) {
  solver.reset();
  solver.iterate(trace);
  if (device::available()) device::synchronize();
  trace.finish();
  return solver.download();
}

template <class T>
Solution<T> solve(const Problem<T>& problem, std::string_view name, const ParameterValues& values, Trace& trace) {
  const Implementation& implementation = named(name);
  return solved(*implementation.prepare<T>()(problem, config_of(implementation, values), trace), trace);
}

template <class T>
Solution<T> solve(const Problem<T>& problem, std::string_view name, const ParameterValues& values = {}) {
  Trace untraced;
  return solve(problem, name, values, untraced);
}

template <class T>
Judgement judged(const Problem<T>& problem, std::string_view name, const ParameterValues& values = {}) {
  return judge(problem, solve(problem, name, values), named(name).description, config_of(named(name), values));
}

template <class T>
void expect_same_bits(const Solution<T>& made, const Solution<T>& expected, const std::string& what) {
  EXPECT_EQ(made.labels, expected.labels) << what;
  ASSERT_EQ(made.centroids.size(), expected.centroids.size()) << what;
  EXPECT_EQ(std::memcmp(made.centroids.data(), expected.centroids.data(), expected.centroids.size() * sizeof(T)), 0) << what;
}

}  // namespace km

// The cost model behind auto: rates are found again, the file keeps them, bad lines count as absent. The shortlist holds who may be the fastest.
#include "bench/contract/cost_model.hpp"

#include <unistd.h>

#include <cmath>
#include <fstream>

#include "bench/base/home.hpp"
#include "bench/tune/calibrate.hpp"
#include "impl/auto/auto.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

class CostModelFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(file.parent_path()); }
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / ("costs" + std::to_string(::getpid())) / "cpu.txt";
};

/// Runs of 1e-4 s each and 2e-9 s a multiply-add; bytes are free.
std::vector<CostSample> runs(double noise) {
  std::vector<CostSample> samples;
  for (int i = 0; i < 20; ++i) {
    const double work = std::pow(2.0, i), bytes = 1e3 * (i % 7 + 1);
    samples.push_back({{1, work, bytes}, (1e-4 + 2e-9 * work) * (1 + (i % 2 ? noise : -noise))});
  }
  return samples;
}

TEST(CostFit, FindsTheRatesOfExactRuns) {
  const Rates found = fit_rates(runs(0));
  EXPECT_NEAR(found.seconds[0], 1e-4, 1e-6);
  EXPECT_NEAR(found.seconds[1], 2e-9, 1e-11);
  EXPECT_LT(found.seconds[2], 1e-10);
  EXPECT_LT(found.spread, 0.01);
}

TEST(CostFit, SpreadIsThatOfTheRunsAndNoRateIsNegative) {
  const Rates found = fit_rates(runs(0.2));
  EXPECT_NEAR(found.spread, 0.2, 0.05);
  for (const double seconds : found.seconds) EXPECT_GE(seconds, 0);
}

TEST(CostFit, TermsThatNeverOccurCostNothing) {
  auto samples = runs(0);
  for (auto& sample : samples) sample.terms[2] = 0;
  EXPECT_EQ(fit_rates(samples).seconds[2], 0);
}

TEST_F(CostModelFile, KeepsItsRates) {
  CostModel model;
  model.rates[{"cpu/lloyd/screened", "fp32"}] = {.seconds = {1e-5, 0, 2.5e-12}, .spread = 0.25};
  model.write(file);
  const CostModel found = CostModel::read(file);
  ASSERT_EQ(found.rates.size(), 1u);
  EXPECT_EQ(found.rates.begin()->second.seconds, (std::vector{1e-5, 0.0, 2.5e-12}));
  EXPECT_EQ(found.rates.begin()->second.spread, 0.25);
}

TEST_F(CostModelFile, LinesOfAnotherFormCountAsAbsent) {
  EXPECT_TRUE(CostModel::read(file).rates.empty()) << "no file";
  std::filesystem::create_directories(file.parent_path());
  for (const char* text :
       {"", "# a comment", "a fp32", "a fp32 0.1", "a fp32 0.1 0 0", "a fp32 0.1 1 -1", "a fp32 0.1 1 x", "a fp32 nan 1", "a fp32 -1 1"}) {
    std::ofstream(file) << text << '\n';
    EXPECT_TRUE(CostModel::read(file).rates.empty()) << text;
  }
}

TEST_F(CostModelFile, AnOwnCalibrationComesBeforeTheDefaultsUnlessItsTermsAreOthers) {
  ::setenv("XDG_CACHE_HOME", file.parent_path().c_str(), 1);
  CostModel own = CostModel::of(Device::cpu, "a");
  ASSERT_GE(own.rates.size(), 2u);
  const auto first = own.rates.begin(), second = std::next(first);
  first->second.seconds[0] = 4711;
  second->second.seconds = {4711};
  own.write(own_costs(Device::cpu, "a"));
  const CostModel read = CostModel::of(Device::cpu, "a");
  EXPECT_EQ(read.rates.at(first->first).seconds[0], 4711);
  EXPECT_GT(read.rates.at(second->first).seconds.size(), 1u);
}

TEST(CostModel, RatesOfAnotherProcessorCountWithAWiderSpread) {
  const CostModel model = CostModel::of(Device::cpu, "a processor without a file");
  ASSERT_FALSE(model.rates.empty());
  for (const auto& [key, rates] : model.rates) EXPECT_GT(rates.spread, std::log(2)) << key.first;
}

/// An implementation whose run takes `seconds`, by its cost.
Implementation with_cost(const char* name, double seconds) {
  return {.name = name, .description = {.cost = [seconds](const ProblemShape&, const Config&, int) { return std::vector{seconds}; }}};
}

TEST(Trial, ThatCameToRestTellsTheWholeRun) {
  EXPECT_EQ((choosing::Runner{.shorter = {2, 7}, .longer = {2, 7}}.run(200)), 2) << "both rested";
  EXPECT_EQ((choosing::Runner{.shorter = {2, 7}, .longer = {3, 12}}.run(12)), 3) << "another rested after 12";
  EXPECT_GT((choosing::Runner{.shorter = {2, 7}, .longer = {3, 12}}.run(200)), 3);
  EXPECT_EQ((choosing::Runner{.shorter = {2, 7}}.run(200)), choosing::never) << "too little memory";
  EXPECT_EQ((choosing::Runner{.longer = {3, 12}}.run(200)), 50) << "the shorter trial failed";
}

TEST(Trial, OfTwoLengthsPredictsAConstantAndAFallingCost) {
  const auto run = [](double a, double b, int iters) {
    double seconds = 0;
    for (int t = 1; t <= iters; ++t) seconds += a + b / t;
    return seconds;
  };
  const auto predicted = [](double half_s, double trial_s, int half, int whole) {
    return choosing::extrapolated({half_s, half}, {trial_s, 2 * half}, whole);
  };
  for (const auto& [a, b] : {std::pair{2.0, 0.0}, {1.0, 30.0}, {0.0, 5.0}})
    EXPECT_NEAR(predicted(run(a, b, 6), run(a, b, 12), 6, 200), run(a, b, 200), 1e-9) << a << ", " << b;
  EXPECT_NEAR(predicted(1, 4, 1, 10), 1 + 3 * 9, 1e-9) << "a cost that grows stays as it was last";
  EXPECT_NEAR(predicted(3, 3, 2, 10), 3, 1e-9) << "nothing is left to do";
}

TEST(CostModel, AnotherPrecisionsRatesCountWithAWiderSpread) {
  const Implementation one = with_cost("a", 3);
  CostModel model;
  EXPECT_FALSE(model.forecast(one, {}, {}, Precision::fp32));
  model.rates[{"a", "fp32"}] = {.seconds = {2}, .spread = 0.1};
  EXPECT_EQ(model.forecast(one, {}, {}, Precision::fp32)->seconds, 6);
  EXPECT_EQ(model.forecast(one, {}, {}, Precision::fp32)->spread, 0.1);
  EXPECT_GT(model.forecast(one, {}, {}, Precision::fp64)->spread, 0.2);
  model.rates[{"a", "fp32"}] = {.seconds = {2, 2}, .spread = 0.1};
  EXPECT_FALSE(model.forecast(one, {}, {}, Precision::fp32)) << "rates of an older cost";
}

TEST(Shortlist, HoldsWhoMayBeTheFastest) {
  const Implementation stated = with_cost("stated", 1), silent{.name = "silent"};
  const auto candidate = [&](int number, std::optional<Forecast> forecast, const Implementation& one) {
    return choosing::Candidate{.number = number, .implementation = &one, .forecast = forecast};
  };
  const auto numbers = [](const std::vector<choosing::Candidate>& all) {
    std::vector<int> found;
    for (const auto& one : all) found.push_back(one.number);
    return found;
  };
  const auto slow = candidate(1, Forecast{10, 0.1}, stated), near = candidate(2, Forecast{1.1, 0.1}, stated),
             best = candidate(3, Forecast{1, 0.1}, stated), vague = candidate(4, Forecast{10, 3}, stated), unknown = candidate(5, {}, stated),
             last = candidate(6, {}, silent);
  EXPECT_EQ(numbers(choosing::shortlist({slow, near, last, best}, false)), (std::vector{3, 2}));
  EXPECT_EQ(numbers(choosing::shortlist({best, vague, slow}, false)), (std::vector{3, 4}));
  EXPECT_EQ(numbers(choosing::shortlist({unknown, slow, best}, false)), (std::vector{3, 5}));
  EXPECT_EQ(numbers(choosing::shortlist({last}, false)), (std::vector{6}));
  Implementation on_gpu = stated;
  on_gpu.description.device = Device::gpu;
  const auto rivals = [&](const Implementation& one) {
    std::vector<choosing::Candidate> all;
    for (int number = 1; number <= 9; ++number) all.push_back(candidate(number, Forecast{1, 0.1}, one));
    return all;
  };
  EXPECT_EQ(choosing::shortlist(rivals(stated), false).size(), 6u);
  EXPECT_EQ(choosing::shortlist(rivals(on_gpu), false).size(), 4u);
  const auto threads = [&](double seconds) { return candidate(3, Forecast{seconds, 3}, stated); };  // the best again, with other numbers of them
  EXPECT_EQ(numbers(choosing::shortlist({best, threads(1.9), threads(41), near}, true)), (std::vector{3, 2, 3}))
      << "at most twice the likeliest's time, and as much more as a forecast may be off";
  EXPECT_EQ(numbers(choosing::shortlist({best, threads(1.2), threads(1.3), threads(1.4)}, false)), (std::vector{3, 3, 3})) << "two again";
  const auto brief = candidate(7, Forecast{1e-4, 0.1}, stated), longer = candidate(8, Forecast{3e-4, 0.1}, stated);
  EXPECT_EQ(numbers(choosing::shortlist({brief, longer, slow}, false)), (std::vector{7, 8})) << "a short run";
  EXPECT_EQ(numbers(choosing::shortlist({brief, brief}, false)), (std::vector{7, 7})) << "a short run tries all numbers of threads";
  const auto farther = candidate(9, Forecast{3, 0.1}, stated);
  EXPECT_EQ(numbers(choosing::shortlist({slow, near, farther, best}, false)), (std::vector{3, 2}));
  EXPECT_EQ(numbers(choosing::shortlist({slow, near, farther, best}, true)), (std::vector{3, 2, 9})) << "a run to convergence";
}

TEST(Trial, TakesAShareOfTheRunOrTwentyMilliseconds) {
  const Implementation one{.name = "one"};
  const auto of = [&](double seconds) { return std::vector(4, choosing::Candidate{.implementation = &one, .forecast = Forecast{seconds, 0}}); };
  EXPECT_EQ(choosing::trial_iterations(of(10), 160), 10);
  EXPECT_EQ(choosing::trial_iterations(of(0.04), 160), 80);
  EXPECT_EQ(choosing::trial_iterations(of(0.001), 160), 160);
  EXPECT_EQ(choosing::trial_iterations(of(10), 5), 3);
  EXPECT_EQ(choosing::trial_iterations(of(10), 2), 2);
}

TEST(Cost, GrowsWithPointsClustersAndIterations) {
  const ProblemShape small{.n = 1000, .d = 8, .k = 16, .max_iters = 5};
  for (const Implementation& one : implementations()) {
    if (!one.description.cost) continue;
    const auto terms = [&](ProblemShape shape) { return one.description.cost(shape, config_of(one), 4); };
    ProblemShape more = small;
    more.n *= 10, more.k *= 10, more.max_iters *= 10;
    const auto few = terms(small), many = terms(more);
    ASSERT_EQ(few.size(), many.size()) << one.name;
    EXPECT_GT(few.size(), 1u) << one.name;
    for (std::size_t at = 0; at < few.size(); ++at) EXPECT_GE(many[at], few[at]) << one.name << ", term " << at;
    EXPECT_GT(many.back(), few.back()) << one.name;
  }
}

TEST(Auto, EveryRecordedDefaultPredictsItsCandidates) {
  for (const char* file : {"cpu_2.txt", "cpu_16.txt", "cpu_64.txt"}) {
    const CostModel model = CostModel::read(home() / "tuning" / "costs" / file);
    for (const char* name : {"cpu/lloyd/screened", "cpu/lloyd/two_step", "cpu/lloyd/single_pass", "cpu/yinyang/global", "cpu/yinyang/group",
                             "cpu/yinyang/local", "cpu/triangle/reinforced"})
      EXPECT_TRUE(model.forecast(named(name), {.n = 1000, .d = 8, .k = 16, .max_iters = 5}, config_of(named(name)), Precision::fp64))
          << file << ", " << name;
  }
}

TEST(Auto, ACandidateThatCannotPrepareLosesToOneThatCan) {
  Drawn<float> drawn({.n = 200, .d = 4, .k = 6, .max_iters = 3}, uniform(1, -1.0, 1.0));
  const Implementation full{.name = "full", .fp32 = [](const Problem<float>&, const Config&, Trace&) -> std::unique_ptr<AnySolver<float>> {
                              throw std::runtime_error("out of memory");
                            }};
  const Implementation& runs = named("cpu/lloyd/two_step");
  const std::vector some{choosing::Candidate{.number = 1, .implementation = &full, .forecast = Forecast{1, 1}},
                         choosing::Candidate{.number = 2, .implementation = &runs, .config = config_of(runs), .forecast = Forecast{2, 1}}};
  EXPECT_EQ(choosing::fastest<float>(some, drawn.problem, CostModel()).number, 2);
}

}  // namespace
}  // namespace km

// The choice of auto, by candidates of made-up costs. Within a budget trials keep to their share of the run, and nobody is prepared for nothing. A race
// goes on with those that may still win. Its real candidates can stop early, and then go on as if they never had.
#include "impl/auto/auto.hpp"

#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

#include "tests/solving.hpp"

namespace km {
namespace {

struct MadeUpClock {
  using duration = std::chrono::duration<double>;
  using time_point = std::chrono::time_point<MadeUpClock, duration>;
  static inline duration time{0};
  static time_point now() { return time_point(time); }
};

void wait(double seconds) { MadeUpClock::time += MadeUpClock::duration(seconds); }

/// A candidate whose runs take other times than its forecast. Its first iterations may cost more each: bounds pay late.
struct MadeUp {
  std::string name;
  double predicted_s, run_s;  // of the whole run
  double prepare_s = 0;
  bool fits = true, stops_early = true;
  int early = 0, rests_after = 1000;
  double early_s = 0;
  int prepared = 0, iterations = 0, limit = 0;
};

struct MadeUpSolver final : AnySolver<float> {
  MadeUpSolver(MadeUp& of, int iters, int whole) : of(of), whole(whole) { of.limit = iters; }
  void reset() override {}
  int iterate(Trace&) override {
    wait(of.run_s / whole * of.limit + of.early_s * std::min(of.early, of.limit));
    of.iterations += of.limit;
    return std::min(of.limit, of.rests_after);
  }
  Solution<float> download() override { return {}; }
  bool limit(int iters) override {
    if (of.stops_early) of.limit = iters;
    return of.stops_early;
  }
  MadeUp& of;
  int whole;
};

struct Field {
  explicit Field(std::vector<MadeUp> of, int iters = 300) : all(std::move(of)) {
    MadeUpClock::time = {};
    problem.n = 1, problem.d = 1, problem.k = 1, problem.max_iters = iters;
    for (MadeUp& one : all) {
      Implementation made{.name = one.name,
                          .description = {.cost = [](const ProblemShape& p, const Config&, int) { return std::vector{double(p.max_iters)}; }}};
      made.fp32 = [&one, iters](const Problem<float>& p, const Config&, Trace&) -> std::unique_ptr<AnySolver<float>> {
        ++one.prepared;
        wait(one.prepare_s);
        if (!one.fits) throw std::runtime_error("out of memory");
        return std::make_unique<MadeUpSolver>(one, p.max_iters, iters);
      };
      implementations.push_back(std::move(made));
      model.rates[{one.name, "fp32"}] = {.seconds = {one.predicted_s / iters}, .spread = 0.1};
    }
  }

  std::vector<choosing::Candidate> candidates() const {
    std::vector<choosing::Candidate> found;
    for (const Implementation& one : implementations) {
      const int number = int(found.size()) + 1;
      found.push_back({.number = number, .implementation = &one, .forecast = model.forecast(one, problem, {}, Precision::fp32)});
    }
    return found;
  }
  /// Names of the winners.
  std::string choose(double part) {
    return choosing::within_budget<float, MadeUpClock>(candidates(), problem, model, false, part).candidate.implementation->name;
  }
  std::string race() { return choosing::fastest_of_race<float, MadeUpClock>(candidates(), problem).implementation->name; }

  int prepared() const {
    int sum = 0;
    for (const MadeUp& one : all) sum += one.prepared;
    return sum;
  }

  std::vector<MadeUp> all;
  std::vector<Implementation> implementations;
  CostModel model;
  Problem<float> problem{};
};

TEST(Budget, DecidesWhoIsTriedAndWins) {
  struct Row {
    const char* what;
    std::vector<MadeUp> candidates;
    double part;
    const char* winner;
    std::vector<int> prepared;
  };
  for (const auto& [what, candidates, part, winner, prepared] :
       {Row{"of nothing", {{"slow", 0.4, 0.1}, {"best forecast", 0.3, 0.9}}, 0, "best forecast", {0, 1}},
        Row{"of a faster one", {{"best forecast", 0.3, 0.5}, {"faster", 0.4, 0.2}}, 0.1, "faster", {1, 1}},
        Row{"confirmed by its trial", {{"best forecast", 0.3, 0.3}, {"slower", 0.4, 0.8}}, 0.1, "best forecast", {1, 1}},
        Row{"out of the factor", {{"best forecast", 0.3, 0.3}, {"out of the factor", 1.5, 0.01}}, 0.1, "best forecast", {1, 0}},
        Row{"the best proves wrong", {{"best forecast", 0.1, 2}, {"out of the factor", 0.3, 0.3}}, 0.1, "out of the factor", {1, 1}},
        Row{"the best does not fit", {{"best forecast", 0.1, 0.1, 0, false}, {"next", 0.9, 0.9}}, 0, "next", {1, 1}},
        Row{"cannot stop early", {{"best forecast", 0.3, 0.3, 0, true, false}, {"faster", 0.31, 0.1}}, 0.1, "best forecast", {1, 0}}}) {
    Field field(candidates);
    EXPECT_EQ(field.choose(part), winner) << what;
    for (std::size_t at = 0; at < prepared.size(); ++at) EXPECT_EQ(field.all[at].prepared, prepared[at]) << what << ", " << at;
    const MadeUp& won = *std::ranges::find(field.all, winner, &MadeUp::name);
    EXPECT_TRUE(part > 0 || won.iterations == 0) << what << ": no trial";
    EXPECT_EQ(won.limit, 300) << what << ": the winner makes the whole run";
    EXPECT_TRUE(winner != std::string("faster") || field.all[0].iterations == 1 + 10) << "a third of a tenth, and one before";
  }
  Field none({{"alone", 0.1, 0.1, 0, false}});
  EXPECT_THROW(none.choose(0.1), std::runtime_error);
}

TEST(Budget, IsKept) {
  Field field(std::vector<MadeUp>(8, {"equal", 0.3, 0.3, 0.005}));
  field.choose(0.1);
  int iterations = 0;
  for (const MadeUp& one : field.all) iterations += one.iterations;
  EXPECT_LE(iterations * 0.001 + (field.prepared() - 1) * 0.005, 0.03);
  EXPECT_LE(field.prepared(), 2) << "11 ms of the first, 16 ms a further one";
}

TEST(Budget, OfAShortRunAllowsNoTrial) {
  Field few({{"best forecast", 0.3, 0.9}, {"faster", 0.31, 0.1}}, 5);
  EXPECT_EQ(few.choose(0.1), "best forecast") << "three iterations of five are over a tenth";
  Field brief({{"best forecast", 0.003, 0.009, 0.002}, {"faster", 0.0031, 0.001, 0.002}});
  EXPECT_EQ(brief.choose(0.1), "best forecast") << "a further prepare takes over a tenth";
  for (const Field* field : {&few, &brief}) {
    EXPECT_EQ(field->prepared(), 1);
    EXPECT_EQ(field->all[0].iterations, 0);
  }
}

TEST(Race, GoesOnWithThoseThatMayStillWin) {
  std::vector<MadeUp> candidates(6, {"similar", 0.3, 0.4});
  candidates.push_back({"slow", 0.3, 2});
  candidates.push_back({"slower", 0.3, 1});
  candidates.push_back({.name = "bounds", .predicted_s = 0.3, .run_s = 0.15, .early = 50, .early_s = 0.002});
  Field field(candidates);
  EXPECT_EQ(field.race(), "bounds");
  EXPECT_GT(field.all[0].limit, 80) << "some of them go on where the trials of all would take too long";
  EXPECT_EQ(field.all[6].limit, 20) << "one trial";
  EXPECT_EQ(field.all[7].limit, 80) << "2.5 times the best is too slow in the third";
  EXPECT_LT(field.all[0].limit, 300) << "no whole run of a loser";
}

TEST(Race, DropsNobodyWhoseTrialTookLess) {
  Field field({{.name = "dear start", .predicted_s = 0.3, .run_s = 0.12, .early = 18, .early_s = 0.004},
               {.name = "late bounds", .predicted_s = 0.3, .run_s = 0.03, .early = 60, .early_s = 0.0014}});
  EXPECT_EQ(field.race(), "late bounds") << "114 ms beside 192, but predicted at 450 beside 109 after 37 iterations in 56 and 87 ms";
}

TEST(Race, ExpectsALongerRunIfNoTrialRests) {
  const std::vector<MadeUp> candidates{{"plain", 0.3, 0.3}, {.name = "bounds", .predicted_s = 0.3, .run_s = 0.15, .early = 50, .early_s = 0.0012}};
  for (const auto& [most, winner] : {std::pair{100, "plain"}, {300, "bounds"}}) {
    Field field(candidates);
    field.problem.n = 63'400, field.problem.tolerance = 0, field.problem.max_iters = most;
    ASSERT_EQ(choosing::expected(field.problem).max_iters, 100);
    EXPECT_EQ(field.race(), winner) << "bounds take 110 ms of 100 iterations, plain 100, and of 200 iterations less; at most " << most;
    EXPECT_LE(field.all[0].limit, 100) << "without further trials";
  }
}

TEST(Race, EndsWhereOneIsLeftOrCannotPrepare) {
  Field clear({{"fast", 0.3, 0.1}, {"slow", 0.3, 1}});
  EXPECT_EQ(clear.race(), "fast");
  EXPECT_LT(clear.all.front().limit, 300) << "no trial of the whole run";
  Field large({{"too large", 0.3, 0.1, 0, false}, {"runs", 0.3, 1}});
  EXPECT_EQ(large.race(), "runs");
}

TEST(Race, TriesWhatAForecastMayHaveMissed) {
  const Field field({{"best", 1, 1}, {"within its spread", 1.2, 1}, {"bounds", 7.9, 1}, {"too slow", 8.1, 1}});
  const auto names = [&](bool until_convergence, double measured = 0) {
    std::vector<std::string> found;
    for (const choosing::Candidate& one : choosing::shortlist(field.candidates(), until_convergence, measured))
      found.push_back(one.implementation->name);
    return found;
  };
  EXPECT_EQ(names(false), (std::vector<std::string>{"best", "within its spread"}));
  EXPECT_EQ(names(true), (std::vector<std::string>{"best", "within its spread", "bounds"})) << "whose cost depends on the points";
  EXPECT_EQ(names(true, 0.5).size(), 3u) << "the best is faster than predicted";
  EXPECT_EQ(names(true, 1.02).size(), 4u) << "the best is slower than predicted";
}

TEST(Race, TriesAnotherNumberOfThreadsAsFarAsTheModelMayBeOff) {
  for (const double spread : {0.1, 0.3}) {
    Field field({{"few threads", 1, 1}, {"all threads", 2.5, 1}});
    for (auto& [key, rates] : field.model.rates) rates.spread = spread;
    auto both = field.candidates();
    both[1].number = both[0].number;
    EXPECT_EQ(choosing::shortlist(both, true).size(), spread > 0.25 ? 2u : 1u) << "2.5 times the time is within 2 e^0.3, beyond 2 e^0.1";
  }
}

TEST(Race, TellsOtherPointsAtTheSameAddress) {
  std::vector<float> points(50'000, 1.0F);
  const auto before = fingerprint(std::span<const float>(points));
  std::ranges::fill(points, 2.0F);
  EXPECT_NE(fingerprint(std::span<const float>(points)), before);
  points.clear();
  EXPECT_EQ(fingerprint(std::span<const float>(points)), 0u);
}

TEST(Race, TriesBriefRunsAFewTimes) {
  Field field({{"fast", 0.001, 0.001}, {"slow", 0.001, 0.0015}});
  EXPECT_EQ(field.race(), "fast");
  for (const MadeUp& one : field.all) EXPECT_EQ(one.iterations, 6 * 300) << one.name << ": one that does not count, and five";
}

TEST(Race, LearnsFromTheLikeliestHowLongRunsAre) {
  for (const auto& [rests_after, fits] : {std::pair{7, true}, {1000, true}, {7, false}}) {
    Field field({{.name = "likeliest", .predicted_s = 0.3, .run_s = 0.6, .fits = fits, .rests_after = rests_after}});
    field.problem.n = 63'400, field.problem.tolerance = 0;
    ASSERT_EQ(choosing::expected(field.problem).max_iters, 100);
    const auto [rest, run] = choosing::first_trial<float, MadeUpClock>(field.candidates()[0], field.problem);
    EXPECT_EQ(rest, fits && rests_after == 7 ? 7 : 0);
    EXPECT_NEAR(run, !fits ? 0 : rest > 0 ? field.all[0].limit * 0.002 : 100 * 0.002, 1e-9) << "of 7 iterations, or of 100";
  }
  Field brief({{.name = "likeliest", .predicted_s = 0.3, .run_s = 0.001}});
  EXPECT_EQ((choosing::first_trial<float, MadeUpClock>(brief.candidates()[0], brief.problem).run), 0) << "less than a trial that counts";
}

// ---- points that repeat ------------------------------------------------------------------------------------------------------------------------

/// n draws from `rows` different points, the first ones most often.
template <class T>
struct Repeated {
  Repeated(std::int64_t n, int d, int rows, int k) : drawn({.n = rows, .d = d, .k = k}, uniform(5, -1.0, 1.0)) {
    auto value = uniform(6, 0.0, 1.0);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto row = std::span(drawn.points).subspan(std::size_t(rows * std::pow(value(), 3)) * d, d);
      points.insert(points.end(), row.begin(), row.end());
    }
    problem = Problem<T>{{.n = n, .d = d, .k = k, .max_iters = 50}, points, drawn.problem.initial_centroids};
  }
  Drawn<T> drawn;
  std::vector<T> points;
  Problem<T> problem;
};

template <class T>
struct EqualPoints : ::testing::Test {};
TYPED_TEST_SUITE(EqualPoints, Precisions);

TYPED_TEST(EqualPoints, CountAsOftenAsTheyOccur) {
  for (const double tolerance : {0.0, 0.02, 0.2}) {
    Repeated<TypeParam> repeated(20'000, 3, 700, 12);
    repeated.problem.tolerance = tolerance;
    std::set<std::vector<TypeParam>> rows;
    for (std::int64_t i = 0; i < repeated.problem.n; ++i) rows.emplace(&repeated.points[i * 3], &repeated.points[i * 3] + 3);
    const Solution<TypeParam> expected = solve(repeated.problem, "cpu/lloyd/reference");
    for (const char* name : {"cpu/lloyd/distinct", "cpu/lloyd/distinct_tree", "gpu/hamerly/distinct", "gpu/yinyang/distinct", "gpu/lloyd/distinct"}) {
      if (!find_implementation(name) || (std::string_view(name).starts_with("gpu") && !device::available())) continue;
      Trace trace(true);
      const Solution<TypeParam> made = solve(repeated.problem, name, {}, trace);
      EXPECT_EQ(made.labels, expected.labels) << name;
      EXPECT_EQ(made.iters, expected.iters) << name << ": a point's copies change label with it";
      EXPECT_EQ(to_string(judged(repeated.problem, name).grade), "exact") << name;
      const auto& counted = trace.counters().at("distinct");
      EXPECT_EQ(std::accumulate(counted.begin(), counted.end(), 0.0), double(made.iters) * double(rows.size())) << name;
    }
  }
}

TEST(Auto, LeavesOutPlainSumsOfPointsFarFromZero) {
  const std::vector<int> threads = {1};
  constexpr choosing::Rival rivals[] = {{1, "cpu/lloyd/two_step"}, {2, "cpu/lloyd/screened"}};
  for (const double offset : {0.0, 30.0, 1e7}) {
    const Drawn<float> drawn({.n = 6000, .d = 2, .k = 5, .max_iters = 10}, uniform(3, offset - 2, offset + 2));
    const double from_origin = choosing::distance_from_origin(drawn.problem);
    EXPECT_NEAR(from_origin, offset / (4 / std::sqrt(12.0)), 0.05 * std::max(offset, 1.0)) << offset;
    const auto found = choosing::candidates(rivals, threads, drawn.problem, Precision::fp32, CostModel(), 1, from_origin);
    EXPECT_EQ(found.size(), offset < 1e6 ? 2u : 1u) << offset;
    EXPECT_EQ(found.back().number, 2) << offset;
    const std::span<const choosing::Rival> only(rivals, 1);
    EXPECT_EQ(choosing::candidates(only, threads, drawn.problem, Precision::fp32, CostModel(), 1, from_origin).size(), 1u) << "there is no other";
    EXPECT_NE(judged(drawn.problem, "cpu/lloyd/auto").grade, Grade::coarse) << offset;
  }
}

TYPED_TEST(EqualPoints, AreSeenInASample) {
  Repeated<TypeParam> repeated(20'000, 5, 700, 10);
  repeated.problem.max_iters = 999;
  EXPECT_EQ(choosing::distinct_share(repeated.problem), 1) << "too little work: products of less than 10^9 coordinates";
  repeated.problem.max_iters = 1000;
  EXPECT_LE(choosing::distinct_share(repeated.problem), 700 / 8192.0);
  Repeated<TypeParam> often(100'000, 3, 20'000, 12);
  often.problem.max_iters = 5000;
  EXPECT_NEAR(choosing::distinct_share(often.problem), 0.3, 0.15) << "0.18 of all points, 0.63 of a sample";
  Drawn<TypeParam> drawn({.n = 20'000, .d = 3, .k = 12, .max_iters = 5000}, uniform(5, -1.0, 1.0));
  EXPECT_GT(choosing::distinct_share(drawn.problem), 0.999);
}

TYPED_TEST(EqualPoints, AreEstimatedAsChaoDoes) {
  constexpr int n = 16384;  // of which every other row is looked at
  std::vector<TypeParam> rows(n * 3);
  rows[3 * 2] = 1, rows[3 * 4] = 2;           // two that occur once
  rows[3 * 100 + 1] = rows[3 * 200 + 1] = 3;  // one that occurs twice; the others are equal
  Problem<TypeParam> problem;
  problem.n = n, problem.d = 3, problem.k = 12, problem.max_iters = 5000, problem.points = rows;
  const double different = 4, at_least = different + 2.0 * 1 / (2 * (1 + 1));
  EXPECT_DOUBLE_EQ(choosing::distinct_share(problem), std::sqrt(different / 8192 * at_least / n));
}

TEST(Candidates, ArePredictedTheIterationsThatRealSetsNeedToRest) {
  ProblemShape shape{.n = 100'000, .d = 8, .k = 16, .max_iters = 3000, .tolerance = 0};
  EXPECT_NEAR(choosing::expected(shape).max_iters, 120, 1) << "1.2 n^0.4";
  shape.max_iters = 50;
  EXPECT_EQ(choosing::expected(shape).max_iters, 50) << "at most";
  shape = {.n = 100'000, .d = 8, .k = 16, .max_iters = 3000};
  EXPECT_EQ(choosing::expected(shape).max_iters, 3000) << "without a tolerance a run makes them all";
}

TEST(Candidates, RunOverDistinctPointsOnlyWherePointsRepeat) {
  constexpr choosing::Rival rivals[] = {{1, "cpu/lloyd/screened"}, {2, "cpu/lloyd/distinct", "", "cpu/lloyd/screened"}};
  CostModel model;
  const ProblemShape shape{.n = 1'000'000, .d = 8, .k = 16};
  model.rates[{"cpu/lloyd/screened", "fp32"}] = {
      .seconds = std::vector(named("cpu/lloyd/screened").description.cost(shape, config_of(named("cpu/lloyd/screened")), 4).size(), 1e-9)};
  const auto found = [&](double distinct) { return choosing::candidates(rivals, {2}, shape, Precision::fp32, model, distinct); };
  EXPECT_EQ(found(0.95).size(), 1u);
  ASSERT_EQ(found(0.25).size(), 2u);
  EXPECT_LT(found(0.25)[1].likely(), 0.3 * found(0.25)[0].likely());
}

template <class T>
struct StoppedEarly : ::testing::Test {};
TYPED_TEST_SUITE(StoppedEarly, Precisions);

TYPED_TEST(StoppedEarly, ACandidateGoesOnAsIfItNeverHad) {
  for (const char* name :
       {"cpu/lloyd/screened",     "cpu/lloyd/distinct",     "cpu/lloyd/two_step",      "cpu/lloyd/single_pass",    "cpu/yinyang/global",
        "cpu/yinyang/group",      "cpu/yinyang/local",      "cpu/triangle/reinforced", "gpu/lloyd/registers",      "gpu/lloyd/single_pass",
        "gpu/lloyd/screened",     "gpu/lloyd/screened_mma", "gpu/lloyd/resident",      "gpu/lloyd/register_tiles", "gpu/yinyang/compacted",
        "gpu/hamerly/neighbours", "gpu/hamerly/distinct",   "gpu/yinyang/distinct",    "gpu/lloyd/boxes",          "gpu/lloyd/distinct",
        "cpu/lloyd/sorted",       "cpu/lloyd/tree",         "cpu/lloyd/distinct_tree"})
    for (const double tolerance : {-1.0, 0.0}) {
      const Implementation* const one = find_implementation(name);
      if (!one || !one->has(precision_of<TypeParam>)) continue;
      if (one->description.device == Device::gpu && !device::available()) continue;
      Drawn<TypeParam> drawn({.n = 5000, .d = 4, .k = 8, .max_iters = 12, .tolerance = tolerance}, uniform(1, -1.0, 1.0));
      const Config config = config_of(*one);
      if (one->description.unsupported && !one->description.unsupported(drawn.problem, config, sizeof(TypeParam)).empty()) continue;
      Trace none;
      const auto solver = one->template prepare<TypeParam>()(drawn.problem, config, none);
      for (const int iters : {3, 1, 12}) {
        ASSERT_TRUE(solver->limit(iters)) << name;
        const Solution<TypeParam> made = solved(*solver, none);
        EXPECT_EQ(made.iters, iters) << name;
        Problem<TypeParam> part = drawn.problem;
        part.max_iters = iters;
        EXPECT_EQ(judge(part, made, one->description, config).verdict, "") << name << ", " << iters;
        const Solution<TypeParam> fresh = solve(part, name);
        EXPECT_EQ(made.labels, fresh.labels) << name << ", " << iters;
      }
    }
}

TEST(Auto, MeasuresAConstantColumnByTheDeviationOfTheOthers) {
  int at = 0;
  auto draw = uniform(3, -2.0, 2.0);
  const Drawn<float> drawn({.n = 6000, .d = 2, .k = 5, .max_iters = 10}, [&] { return at++ % 2 ? 1e7 : draw(); });
  EXPECT_NEAR(choosing::distance_from_origin(drawn.problem), 1e7 / (4 / std::sqrt(12.0)), 5e5);
}

}  // namespace
}  // namespace km

// Spectral clustering: each stage against what is known of it, the whole against generated groups, and the judge against a fault in every stage.
#include <cmath>
#include <functional>
#include <numbers>

#include "bench/judge/agreement.hpp"
#include "bench/judge/chain.hpp"
#include "impl/cpu/spectral/lapack.hpp"
#include "impl/cpu/spectral/laplacian.hpp"
#include "impl/cpu/spectral/similarity.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

using Labels = std::vector<std::int32_t>;

// ---- agreement ----------------------------------------------------------------------------------------------------------------

TEST(Agreement, IsOneForEqualGroupsOfOtherNames) {
  const auto [ari, nmi] = agreement_of(Labels{0, 0, 1, 1, 2}, Labels{5, 5, 0, 0, 1});
  EXPECT_NEAR(ari, 1, 1e-15);
  EXPECT_NEAR(nmi, 1, 1e-15);
}

TEST(Agreement, IsThatOfTheDefinitions) {
  const auto [ari, nmi] = agreement_of(Labels{0, 0, 0, 1, 1, 1}, Labels{0, 0, 1, 1, 2, 2});
  EXPECT_NEAR(ari, (2 - 6.0 * 3 / 15) / ((6 + 3) / 2.0 - 6.0 * 3 / 15), 1e-12);  // pairs together: 2 in both, 6 and 3 of 15
  const double in_both = 2 / 3.0 * std::log(2.0), of_a = std::log(2.0), of_b = std::log(3.0);
  EXPECT_NEAR(nmi, in_both / ((of_a + of_b) / 2), 1e-12);
}

TEST(Agreement, IsNoneForGroupsThatCrossEvenly) {
  Labels a, b;
  for (int i = 0; i < 10'000; ++i) a.push_back(i % 10), b.push_back(i / 10 % 10);
  EXPECT_NEAR(agreement_of(a, b).ari, 0, 0.002);
  EXPECT_NEAR(agreement_of(a, b).nmi, 0, 1e-12);
}

// ---- data sets ----------------------------------------------------------------------------------------------------------------

TEST(Curves, RingsHaveTheRadiusOfTheirGroup) {
  const auto wish = request("rings", 5000, {{"groups", 3}});
  const auto data = load_dataset<double>(wish);
  const Labels truth = generated_labels(wish);
  ASSERT_EQ(truth.size(), 5000u);
  for (std::size_t i = 0; i < truth.size(); ++i) ASSERT_NEAR(std::hypot(data.values[2 * i], data.values[2 * i + 1]), truth[i] + 1, 0.5) << i;
}

TEST(Curves, MoonsLieOnTheirHalfCircles) {
  const auto wish = request("moons", 5000, {{"noise", 0}});
  const auto data = load_dataset<double>(wish);
  const Labels truth = generated_labels(wish);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double x = data.values[2 * i] - truth[i], y = data.values[2 * i + 1] - 0.5 * truth[i];
    ASSERT_NEAR(std::hypot(x, y), 1, 1e-12) << i;
    ASSERT_GE(truth[i] == 0 ? y : -y, -1e-12) << i;
  }
}

TEST(Curves, SpiralsStartApartAndEllipsesAreStretched) {
  const auto wish = request("spirals", 3000, {{"noise", 0}});
  const auto data = load_dataset<double>(wish);
  const Labels truth = generated_labels(wish);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double x = data.values[2 * i], y = data.values[2 * i + 1], turned = std::hypot(x, y) - 0.5;
    const double angle = std::atan2(y, x) / (2 * std::numbers::pi) - turned - truth[i] / 2.0;
    ASSERT_NEAR(angle - std::round(angle), 0, 1e-9) << i;
  }
  const auto ellipses = load_dataset<double>(request("ellipses", 3000));
  double across = 0, along = 0;
  const Labels groups = generated_labels(request("ellipses", 3000));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] != 1) continue;  // its axis is at a quarter turn
    across += std::pow(ellipses.values[2 * i], 2);
    along += std::pow(ellipses.values[2 * i + 1], 2);
  }
  EXPECT_NEAR(std::sqrt(along / across), 6, 0.6);
}

TEST(Curves, AFileHasNoGeneratedLabels) { EXPECT_TRUE(generated_labels(request("uniform", 100)).empty()); }

TEST(Curves, NegativeNoiseIsRefused) { expect_has(complaint(request("moons", 100, {{"noise", -1}})), {"noise = -1", "negative"}); }

// ---- similarity ---------------------------------------------------------------------------------------------------------------

Graph graph_of(const std::vector<double>& line, const spectral::Similarity& wanted, std::vector<std::int64_t> sizes = {}) {
  sizes.resize(line.size(), 1);
  return spectral::similarity_graph(line, sizes, 1, wanted);
}

double weight(const Graph& g, std::int64_t i, std::int64_t j) {
  double found = 0;
  g.visit(i, [&](std::int64_t other, double w) { found = other == j ? w : found; });
  return found;
}

TEST(Similarity, GaussianTakesSigmaOrTheDistancesToNeighbours) {
  const Graph fixed = graph_of({0, 1, 3}, {.kind = "gaussian", .scale = 2});
  EXPECT_NEAR(weight(fixed, 0, 2), std::exp(-9.0 / 8), 1e-14);
  EXPECT_EQ(weight(fixed, 1, 1), 0);
  const Graph local = graph_of({0, 1, 3}, {.kind = "gaussian", .neighbours = 2});  // 2nd neighbours at 3, 2 and 3
  EXPECT_NEAR(weight(local, 0, 1), std::exp(-1.0 / 6), 1e-14);
  EXPECT_NEAR(weight(local, 2, 0), std::exp(-9.0 / 9), 1e-14);
}

TEST(Similarity, CosineIsNeverNegative) {
  const std::vector<double> points = {1, 0, 1, 1, -1, 0, 0, 0};
  const Graph g = spectral::similarity_graph(points, {1, 1, 1, 1}, 2, {.kind = "cosine"});
  EXPECT_NEAR(weight(g, 0, 1), std::sqrt(0.5), 1e-14);
  EXPECT_EQ(weight(g, 0, 2), 0);
  EXPECT_EQ(weight(g, 0, 3), 0);
}

TEST(Similarity, SparseGraphsLinkBothWays) {
  const Graph near = graph_of({0, 1, 3, 7}, {.kind = "neighbours", .neighbours = 1});
  EXPECT_EQ(near.starts, (std::vector<std::int64_t>{0, 1, 3, 5, 6}));
  EXPECT_EQ(near.neighbours, (std::vector<std::int32_t>{1, 0, 2, 1, 3, 2}));
  const Graph within = graph_of({0, 1, 3, 7}, {.kind = "epsilon", .scale = 2});
  EXPECT_EQ(within.neighbours, (std::vector<std::int32_t>{1, 0, 2, 1}));
  const Graph reached = graph_of({0, 1, 3, 7}, {.kind = "epsilon", .neighbours = 1});  // the last one's neighbour is at 4
  EXPECT_EQ(weight(reached, 2, 3), 1);
}

TEST(Similarity, SizesMultiply) {
  const Graph g = graph_of({0, 1, 3}, {.kind = "neighbours", .neighbours = 1, .sizes = true}, {2, 5, 7});
  EXPECT_EQ(weight(g, 0, 1), 10);
  EXPECT_EQ(weight(g, 2, 1), 35);
}

// ---- eigenvectors -------------------------------------------------------------------------------------------------------------

/// A path of m vertices: its Laplacian has the eigenvalues 2 - 2 cos(π j / m).
Graph path(int m) {
  Graph g{.size = m, .starts = {0}};
  for (int i = 0; i < m; ++i) {
    if (i > 0) g.neighbours.push_back(i - 1);
    if (i + 1 < m) g.neighbours.push_back(i + 1);
    g.starts.push_back(std::ssize(g.neighbours));
  }
  g.weights.assign(g.neighbours.size(), 1);
  return g;
}

double of_path(int m, int j) { return 2 - 2 * std::cos(std::numbers::pi * j / m); }

TEST(Eigenvectors, OfAPathAreKnown) {
  if (const std::string why = spectral::lapack_missing(); !why.empty()) GTEST_SKIP() << why;
  const Graph g = path(50);
  const auto found = spectral::first_eigenpairs(g, spectral::pieces_of(g), "unnormalized", 4, spectral::first_by_lapack);
  for (int e = 0; e < 4; ++e) EXPECT_NEAR(found.values[std::size_t(e)], of_path(50, e), 1e-12);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_NEAR(std::abs(found.vectors[50 + i]), std::sqrt(2 / 50.0) * std::abs(std::cos(std::numbers::pi * (double(i) + 0.5) / 50)), 1e-10);
}

TEST(Eigenvectors, PiecesHaveAZeroEach) {
  if (const std::string why = spectral::lapack_missing(); !why.empty()) GTEST_SKIP() << why;
  const Graph g = graph_of({0, 1, 2, 3, 100, 101, 102, 1000}, {.kind = "epsilon", .scale = 1});
  const Labels pieces = spectral::pieces_of(g);
  EXPECT_EQ(pieces, (Labels{0, 0, 0, 0, 1, 1, 1, 2}));
  const auto found = spectral::first_eigenpairs(g, pieces, "symmetric", 4, spectral::first_by_lapack);
  EXPECT_EQ(found.values[0], 0);
  EXPECT_EQ(found.values[2], 0);
  EXPECT_GT(found.values[3], 0.1);
  EXPECT_NE(found.vectors[0], 0);      // the largest piece first
  EXPECT_NE(found.vectors[8 + 4], 0);  // then the next
  EXPECT_EQ(found.vectors[8 + 0], 0);
  EXPECT_NE(found.vectors[16 + 7], 0);  // a vertex without edges is a piece too
}

TEST(Eigenvectors, InertiaCountsThem) {
  const int m = 40;
  std::vector<double> a(m * m, 0);
  for (int i = 0; i < m; ++i) {
    a[std::size_t(i * (m + 1))] = i == 0 || i + 1 == m ? 1 : 2;
    if (i > 0) a[std::size_t(i * m + i - 1)] = a[std::size_t((i - 1) * m + i)] = -1;
  }
  for (const int below : {1, 2, 7, 39}) EXPECT_EQ(count_below(a, m, (of_path(m, below - 1) + of_path(m, below)) / 2), below);
  EXPECT_EQ(count_below(a, m, -0.1), 0);
  EXPECT_EQ(count_below(a, m, 4.1), m);
  EXPECT_EQ(count_below(a, m, 1), -1);  // a pivot of 0: no answer is better than a wrong one
}

// ---- the whole chain ----------------------------------------------------------------------------------------------------------

/// A run of a chain on a generated set, with its record.
struct ChainRun {
  ChainRun(const std::string& set, std::int64_t n, int k, ParameterValues values, const std::string& solver = "lapack")
      : data(load_dataset<float>(request(set, n))), truth(generated_labels(request(set, n))),
        implementation(*find_implementation("cpu/spectral/" + solver)),
        config(config_of(implementation, std::move(values))), problem{{.n = n, .d = data.d, .k = k, .max_iters = 10}, data.points(), {}} {
    objection = implementation.description.unsupported(problem, config, 4);
    if (!objection.empty()) return;
    Trace trace(true);
    labels = solved(*implementation.prepare<float>()(problem, config, trace), trace).labels;
    record = *noted_chain<float>();
    phases = trace.phases();
  }

  ChainJudgement judged() const { return judge_chain<float>(problem, config, record, labels); }
  double ari() const { return agreement_of(labels, truth).ari; }

  Dataset<float> data;
  Labels truth;
  const Implementation& implementation;
  Config config;
  Problem<float> problem;
  std::string objection;
  Labels labels;
  ChainRecord<float> record;
  Trace::Series phases;
};

class EverySolver : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver, ::testing::Values("lapack", "arpack"));

TEST_P(EverySolver, FindsTheGroupsOfEveryCurve) {
  for (const auto& [set, k] : {std::pair("moons", 2), {"rings", 2}, {"spirals", 2}, {"ellipses", 3}}) {
    const ChainRun run(set, 4000, k, {{"representatives", 400}}, GetParam());
    if (!run.objection.empty()) GTEST_SKIP() << run.objection;
    const ChainJudgement judgement = run.judged();
    EXPECT_EQ(judgement.verdict, "") << set;
    EXPECT_TRUE(judgement.counted) << set;
    EXPECT_GE(run.ari(), 0.98) << set;
    EXPECT_EQ(run.phases.size(), 5u);
  }
}

TEST_P(EverySolver, SolvesEverySimilarityAndLaplacian) {
  for (const char* similarity : {"gaussian", "epsilon", "neighbours", "cosine"})
    for (const char* laplacian : {"symmetric", "random_walk", "unnormalized"})
      for (const char* weights : {"none", "sizes"}) {
        const ChainRun run("moons", 1000, 2, {{"representatives", 120}, {"similarity", similarity}, {"laplacian", laplacian}, {"weights", weights}},
                           GetParam());
        if (!run.objection.empty()) GTEST_SKIP() << run.objection;
        EXPECT_EQ(run.judged().verdict, "") << similarity << " " << laplacian << " " << weights;
      }
}

TEST_P(EverySolver, EveryPointMayRepresentItself) {
  const ChainRun run("rings", 300, 2, {{"representatives", 300}}, GetParam());
  if (!run.objection.empty()) GTEST_SKIP() << run.objection;
  EXPECT_EQ(run.judged().verdict, "");
  EXPECT_EQ(run.record.reduction.implementation, nullptr);
  EXPECT_GE(run.ari(), 0.98);
}

TEST_P(EverySolver, AGraphInMorePiecesThanClustersIsSolved) {
  const ChainRun run("rings", 1000, 2, {{"representatives", 200}, {"similarity", "epsilon"}, {"scale_e6", 60'000}}, GetParam());
  if (!run.objection.empty()) GTEST_SKIP() << run.objection;
  EXPECT_GT(run.record.pieces, 2);
  EXPECT_EQ(run.judged().verdict, "");
}

TEST(SpectralChain, TheLargestGapProposesTheClusters) {
  for (const auto& [set, clusters] : {std::pair("he2021_balls", 4), {"moons", 2}, {"ellipses", 3}}) {
    const ChainRun run(set, 4000, 2, {{"representatives", 400}});
    if (!run.objection.empty()) GTEST_SKIP() << run.objection;
    EXPECT_EQ(run.record.proposed, clusters) << set;
  }
}

TEST(SpectralChain, RefusesWhatItCannotCluster) {
  EXPECT_EQ(ChainRun("moons", 100, 2, {{"representatives", 101}}).objection, "representatives = 101 is more than n = 100 points");
  EXPECT_EQ(ChainRun("moons", 100, 20, {{"representatives", 19}}).objection, "k = 20 is more than representatives = 19");
  expect_has(ChainRun("moons", 100, 2, {{"representatives", 10}, {"kmeans", "cpu/lloyd/none"}}).objection,
             {"kmeans = cpu/lloyd/none", "kmbench list"});
}

TEST(SpectralChain, RefusesEqualPoints) {
  if (const std::string why = spectral::lapack_missing(); !why.empty()) GTEST_SKIP() << why;
  const std::vector<float> points(200, 3);
  const Implementation& chain = *find_implementation("cpu/spectral/lapack");
  for (const std::int64_t representatives : {10, 100}) {
    const Config config = config_of(chain, {{"representatives", representatives}});
    const Problem<float> problem{{.n = 100, .d = 2, .k = 2}, points, {}};
    Trace trace;
    const auto solver = chain.prepare<float>()(problem, config, trace);
    solver->reset();
    EXPECT_EQ(complaint_of([&] { solver->iterate(trace); }), "all points are equal: there are no clusters to find");
  }
}

TEST(SpectralChain, IsNoKMeans) {
  for (const auto& implementation : implementations()) EXPECT_EQ(implementation.description.task, Task::kmeans) << implementation.name;
  EXPECT_FALSE(implementations(Task::spectral).empty());
}

// ---- planted faults -----------------------------------------------------------------------------------------------------------

/// A right run of each kind of graph, made once.
const ChainRun& right_run(bool dense) {
  static const ChainRun sparse("moons", 1000, 2, {{"representatives", 150}});
  static const ChainRun full("moons", 1000, 2, {{"representatives", 150}, {"similarity", "gaussian"}});
  return dense ? full : sparse;
}

struct Fault {
  const char* name;
  const char* stage;  // the first word of the verdict
  std::function<void(ChainRecord<float>&, Labels&)> plant;
  bool dense = false;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

/// Replaces pairs of `r` by those of another Laplacian, or drops some.
Eigenpairs solved_as(const ChainRecord<float>& r, const std::string& laplacian, int count) {
  return spectral::first_eigenpairs(r.graph, spectral::pieces_of(r.graph), laplacian, count, spectral::first_by_lapack);
}

void drop_pair(Eigenpairs& pairs, std::size_t at, std::size_t m) {
  pairs.values.erase(pairs.values.begin() + std::ptrdiff_t(at));
  pairs.vectors.erase(pairs.vectors.begin() + std::ptrdiff_t(at * m), pairs.vectors.begin() + std::ptrdiff_t((at + 1) * m));
}

const Fault faults[] = {
    {"a_point_with_a_far_representative",
     "representatives:", [](auto& r, auto&) { r.reduction.solution.labels[7] = (r.reduction.solution.labels[7] + 75) % 150; }},
    {"a_representative_that_is_no_mean", "representatives:", [](auto& r, auto&) { r.reduction.solution.centroids[11] += 0.01f; }},
    {"a_vertex_elsewhere", "representatives:", [](auto& r, auto&) { r.vertices[5] += 1e-3; }},
    {"two_points_that_change_vertices", "representatives:",
     [](auto& r, auto&) {
       const auto other = std::ranges::find_if(r.vertex_of, [&](std::int32_t v) { return v != r.vertex_of[3]; });
       std::swap(r.vertex_of[3], *other);
     }},
    {"sizes_that_are_off_by_one", "representatives:", [](auto& r, auto&) { ++r.sizes[9]; }},
    {"sigma_of_another_neighbour", "similarity:",
     [](auto& r, auto&) { r.graph = spectral::similarity_graph(r.vertices, r.sizes, 2, {.kind = "gaussian", .neighbours = 9}); }, true},
    {"a_distance_that_is_not_squared", "similarity:",
     [](auto& r, auto&) {
       for (double& w : r.graph.dense) w = w > 0 ? std::exp(-std::sqrt(-std::log(w))) : 0;
     },
     true},
    {"an_edge_to_itself", "similarity:",
     [](auto& r, auto&) {
       for (int i = 0; i < 150; ++i) r.graph.dense[std::size_t(i * 151)] = 1;
     },
     true},
    {"fewer_neighbours",
     "similarity:", [](auto& r, auto&) { r.graph = spectral::similarity_graph(r.vertices, r.sizes, 2, {.kind = "neighbours", .neighbours = 9}); }},
    {"an_edge_in_one_direction", "similarity:", [](auto& r, auto&) { r.graph.weights[0] = 0; }},
    {"weights_that_nobody_asked_for",
     "similarity:", [](auto& r, auto&) { r.graph = spectral::similarity_graph(r.vertices, r.sizes, 2, {.kind = "neighbours", .sizes = true}); }},
    {"eigenvectors_of_another_laplacian", "eigenvectors:", [](auto& r, auto&) { r.first = solved_as(r, "unnormalized", 10); }, true},
    {"eigenvectors_that_did_not_converge", "eigenvectors:",
     [](auto& r, auto&) {
       for (std::size_t i = 0; i < 150; ++i) r.first.vectors[150 + i] *= i % 2 ? 1 + 1e-6 : 1;
     },
     true},
    {"an_eigenvalue_that_is_off", "eigenvectors:", [](auto& r, auto&) { r.first.values[1] += 1e-6; }, true},
    {"one_eigenvector_twice", "eigenvectors:",
     [](auto& r, auto&) {
       r.first.values[1] = r.first.values[0];
       std::copy_n(r.first.vectors.begin(), 150, r.first.vectors.begin() + 150);
     }},
    {"a_missing_eigenvector", "eigenvectors:", [](auto& r, auto&) { drop_pair(r.first, 1, 150); }, true},
    {"the_largest_instead_of_the_smallest", "eigenvectors:",
     [](auto& r, auto&) {
       r.first = solved_as(r, "symmetric", 150);
       for (int drop = 0; drop < 140; ++drop) drop_pair(r.first, 0, 150);
     },
     true},
    {"rows_that_are_not_of_length_one", "embedding:",
     [](auto& r, auto&) {
       for (double& x : r.embedding) x *= 0.5;
     }},
    {"an_embedding_by_other_eigenvectors", "embedding:",
     [](auto& r, auto&) {
       for (std::size_t i = 0; i < 150; ++i) std::swap(r.embedding[2 * i], r.embedding[2 * i + 1]);
     },
     true},
    {"a_row_in_the_wrong_cluster", "clusters:", [](auto& r, auto&) { r.clustering.solution.labels[20] ^= 1; }},
    {"a_vertex_with_another_label", "labels:", [](auto& r, auto&) { r.vertex_label[20] ^= 1; }},
    {"a_point_with_another_label", "labels:", [](auto&, auto& labels) { labels[999] ^= 1; }},
    {"a_label_that_is_none", "point", [](auto&, auto& labels) { labels[0] = 2; }},
};

class PlantedFaults : public ::testing::TestWithParam<Fault> {};
INSTANTIATE_TEST_SUITE_P(Chain, PlantedFaults, ::testing::ValuesIn(faults), [](const auto& fault) { return std::string(fault.param.name); });

TEST_P(PlantedFaults, AreFoundInTheirStage) {
  const ChainRun& run = right_run(GetParam().dense);
  if (!run.objection.empty()) GTEST_SKIP() << run.objection;
  ASSERT_EQ(run.judged().verdict, "");
  ChainRecord<float> record = run.record;
  Labels labels = run.labels;
  GetParam().plant(record, labels);
  const std::string verdict = judge_chain<float>(run.problem, run.config, record, labels).verdict;
  EXPECT_EQ(verdict.substr(0, verdict.find(' ')), GetParam().stage) << verdict;
}

}  // namespace
}  // namespace km

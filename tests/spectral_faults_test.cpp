// The judge of chains against a fault in every stage.
#include <algorithm>
#include <cmath>
#include <functional>

#include "impl/cpu/spectral/lapack.hpp"
#include "impl/cpu/spectral/similarity.hpp"
#include "tests/spectral_chain.hpp"

namespace km {
namespace {

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
  return spectral::first_eigenpairs(r.graph, spectral::components_of(r.graph), laplacian, count, spectral::first_by_lapack);
}

void drop_pair(Eigenpairs& pairs, std::size_t at, std::size_t m) {
  pairs.values.erase(pairs.values.begin() + std::ptrdiff_t(at));
  pairs.vectors.erase(pairs.vectors.begin() + std::ptrdiff_t(at * m), pairs.vectors.begin() + std::ptrdiff_t((at + 1) * m));
}

const Fault faults[] = {
    {"a_point_with_a_far_representative",
     "representatives:", [](auto& r, auto&) { r.reduction.solution.labels[7] = (r.reduction.solution.labels[7] + 75) % 150; }},
    {"k_means_on_fewer_points", "representatives:", [](auto& r, auto&) { --r.reduction.shape.n; }},
    {"no_clustering", "clusters:", [](auto& r, auto&) { r.clustering.implementation = nullptr; }},
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

// The whole spectral chain against generated groups.
#include <functional>

#include "tests/spectral_chain.hpp"

namespace km {
namespace {

/// The build's own chains: a GPU's build has cuSOLVER's too.
std::vector<std::string> chains() {
  std::vector<std::string> names;
  for (const auto& implementation : implementations(Task::spectral))
    if (!implementation.name.starts_with("library/")) names.push_back(implementation.name);
  return names;
}

class EverySolver : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver, ::testing::ValuesIn(chains()));

TEST_P(EverySolver, FindsTheGroupsOfEveryCurve) {
  for (const auto& [set, k] : {std::pair("moons", 2), {"rings", 2}, {"spirals", 2}, {"ellipses", 3}}) {
    const ChainRun run(set, 4000, k, {{"representatives", 400}}, GetParam());
    if (!run.objection.empty()) GTEST_SKIP() << run.objection;
    const ChainJudgement judgement = run.judged();
    EXPECT_EQ(judgement.verdict, "") << set;
    EXPECT_TRUE(judgement.counted) << set;
    EXPECT_GE(run.ari(), 0.98) << set;
    EXPECT_EQ(run.phases.size(), run.implementation.description.device == Device::gpu ? 6u : 5u);
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

TEST_P(EverySolver, SolvesGraphsOfEveryForm) {
  struct Row {
    const char* set;
    std::int64_t n;
    int k;
    ParameterValues values;
    std::function<void(const ChainRun&)> expect;
  };
  const auto epsilon = [](int representatives, int scale) {
    return ParameterValues{{"representatives", representatives}, {"similarity", "epsilon"}, {"scale_e6", scale}};
  };
  for (const auto& [set, n, k, values, expect] :
       {Row{"ellipses", 600, 3, epsilon(600, 1'000'000'000), [](const ChainRun& run) { EXPECT_EQ(run.record.components, 1); }},
        Row{"rings", 1000, 2, epsilon(200, 60'000), [](const ChainRun& run) { EXPECT_GT(run.record.components, 2) << "more than clusters"; }},
        Row{"moons", 3000, 2, {{"representatives", 1500}}, [](const ChainRun& run) { EXPECT_TRUE(run.judged().counted) << "solvers restart"; }},
        Row{"rings", 300, 2, {{"representatives", 300}}, [](const ChainRun& run) {
              EXPECT_EQ(run.record.reduction.implementation, nullptr);
              EXPECT_GE(run.ari(), 0.98);
            }}}) {
    const ChainRun run(set, n, k, values, GetParam());
    if (!run.objection.empty()) GTEST_SKIP() << run.objection;
    EXPECT_EQ(run.judged().verdict, "") << set << ", " << n;
    expect(run);
  }
}

TEST(SpectralChain, TheLargestGapProposesTheClusters) {
  for (const auto& [set, clusters] : {std::pair("he2021_balls", 4), {"moons", 2}, {"ellipses", 3}}) {
    const ChainRun run(set, 4000, 2, {{"representatives", 400}});
    if (!run.objection.empty()) GTEST_SKIP() << run.objection;
    EXPECT_EQ(run.record.proposed, clusters) << set;
  }
}

TEST(SpectralChain, AGraphWithoutEdgesProposesNothing) {
  const ChainRun run("rings", 1000, 2, {{"representatives", 200}, {"similarity", "epsilon"}, {"scale_e6", 1}});
  if (!run.objection.empty()) GTEST_SKIP() << run.objection;
  EXPECT_EQ(run.record.components, run.record.graph.size);
  EXPECT_EQ(run.record.proposed, 0);
}

TEST(SpectralChain, IsNoKMeans) {
  for (const auto& implementation : implementations()) EXPECT_EQ(implementation.description.task, Task::kmeans) << implementation.name;
  EXPECT_FALSE(implementations(Task::spectral).empty());
}

}  // namespace
}  // namespace km

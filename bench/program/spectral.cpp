// kmbench spectral: clusters points by he2021's chain and writes their labels. Measured cases come from kmbench run, with the same implementations.

#include <algorithm>
#include <cmath>

#include "bench/base/error.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/device/device.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/measure.hpp"
#include "bench/run/truth.hpp"

namespace km::spectral_command {

namespace fs = std::filesystem;

struct Flags {
  PointsFlags points;
  std::string clusters, out, truth, n, representatives, iterations = "10", precision, solver = "auto";
  std::string kmeans = "auto", similarity = "neighbours", neighbours = "10", sigma, epsilon, weights = "none", laplacian = "symmetric", seed = "1";
} flags;

constexpr std::int64_t most_dense = 1000;  // representatives for which the GPU's dense solver was the faster one (ours/spectral)

/// A length as the parameter scale_e6 takes it.
std::int64_t millionths(const char* flag, const std::string& text) {
  const double value = number(flag, text, 0, 1e9);
  if (value < 1e-6) throw UserError("{} {}: a length from 0.000001 to 1e9 is needed; leave it out to take the distance to a neighbour", flag, text);
  return std::llround(value * 1e6);
}

/// Sets the precision, where none is asked for, to the file's own.
DatasetRequest request_of(Flags& f, ScratchFolder& scratch) {
  ProblemFlags named{.precision = f.precision};
  name_points(f.points, named, scratch);
  f.precision = named.precision.empty() ? "fp32" : named.precision;
  DatasetRequest request{.name = named.data.empty() ? named.dataset : fs::absolute(named.data).string(),
                         .k = int(whole_number("--clusters", f.clusters, 2, 10'000))};
  if (!f.n.empty()) request.n = whole_number("--n", f.n, 1, 1'000'000'000'000);
  return request;
}

Sweep sweep_of(const Flags& f, const DatasetRequest& request) {
  const std::int64_t n = dataset_shape(request).n;
  const auto representatives =
      f.representatives.empty() ? std::min<std::int64_t>(1000, n) : whole_number("--representatives", f.representatives, 2, 100'000);
  if (!f.sigma.empty() && f.similarity != "gaussian") throw UserError("--sigma belongs to --similarity gaussian");
  if (!f.epsilon.empty() && f.similarity != "epsilon") throw UserError("--epsilon belongs to --similarity epsilon");
  Sweep sweep;
  sweep.axes = {{"dataset", {request.name}},
                {"k", {std::int64_t(*request.k)}},
                {"precision", {f.precision}},
                {"iterations", {whole_number("--iterations", f.iterations, 1, 1'000'000)}},
                {"set.representatives", {representatives}},
                {"set.similarity", {f.similarity}},
                {"set.neighbours", {whole_number("--neighbours", f.neighbours, 1, 1000)}},
                {"set.weights", {f.weights}},
                {"set.laplacian", {f.laplacian}},
                {"set.seed", {whole_number("--seed", f.seed, 0, 1'000'000'000)}}};
  if (request.n) sweep.axes["n"] = {*request.n};
  if (!f.sigma.empty()) sweep.axes["set.scale_e6"] = {millionths("--sigma", f.sigma)};
  if (!f.epsilon.empty()) sweep.axes["set.scale_e6"] = {millionths("--epsilon", f.epsilon)};
  return sweep;
}

/// Returns the first choice of eigensolver and k-means that can run here. Throws UserError with the last one's reason.
Case planned(Sweep sweep, const Flags& f) {
  const bool sparse = f.similarity == "neighbours" || f.similarity == "epsilon";
  std::vector<std::string> solvers = {"lapack"}, reductions = {"cpu/lloyd/auto"};
  if (sparse) solvers.insert(solvers.begin(), "arpack");
  if (device::available()) {
    const bool large = std::get<std::int64_t>(sweep.axes.at("set.representatives").front()) > most_dense;
    solvers.insert(solvers.begin(), sparse && large ? "cusparse" : "cusolver");
  }
  if (f.solver != "auto") solvers = {f.solver};
  if (device::available()) reductions.insert(reductions.begin(), "gpu/lloyd/auto");
  if (f.kmeans != "auto") reductions = {f.kmeans};
  std::string why;
  for (const auto& solver : solvers)
    for (const auto& reduction : reductions) {
      sweep.axes["implementation"] = {(solver.starts_with("cu") ? "gpu/spectral/" : "cpu/spectral/") + solver};
      sweep.axes["set.kmeans"] = {reduction};
      Case c = expand(sweep, "", "paper").front();
      if (c.skip.empty()) return c;
      why = c.skip;
    }
  throw UserError(why);
}

double finding(const Measurement& m, const std::string& name) {
  const auto at = m.counters.find(name);
  return at == m.counters.end() ? NAN : at->second.front();
}

void print_summary(const Case& c, const Measurement& m, const Flags& f) {
  fmt::print("{} points in {} clusters, from {} representatives: {:.3g} s, {}\n", c.n, c.k, finding(m, "vertices"), m.line.samples_s.front(), f.out);
  for (const char* stage : {"representatives", "similarity", "eigenvectors", "clusters", "labels"})
    fmt::print("  {:<16}{:>9.3g} s\n", stage, m.trace.phases().at(stage).front());
  fmt::print("spectrum");
  for (int e = 1; e <= 10 && !std::isnan(finding(m, "eigenvalue_" + std::to_string(e))); ++e)
    fmt::print(" {:.3g}", finding(m, "eigenvalue_" + std::to_string(e)));
  const double proposed = finding(m, "proposed"), components = finding(m, "pieces");
  if (proposed > 0) fmt::print("; its largest relative gap proposes {} clusters\n", proposed);
  else fmt::print("; it proposes no number of clusters: {}\n", components > 1 ? "all are 0, one of each component" : "too few to have a gap");
  if (components > 1)
    fmt::print("the graph has {} connected components{}\n", components,
               components > c.k ? ": points of the smallest take the label of the nearest larger one" : "");
  fmt::print("judged right: residual {:.2g}, orthogonal to {:.2g}, {}\n", finding(m, "residual"), finding(m, "orthogonality"),
             finding(m, "counted") == 1 ? "and no smaller eigenvalue was missed" : "eigenvalues not counted (too many representatives)");
  if (!std::isnan(finding(m, "ari")))
    fmt::print("against the generated groups: adjusted Rand index {:.4f}, NMI {:.4f}\n", finding(m, "ari"), finding(m, "nmi"));
}

/// Labels of a file of n x 1 numbers.
std::vector<std::int32_t> truth_of(const std::string& file, std::int64_t n) {
  if (const int columns = dataset_shape({.name = file}).d; columns != 1)
    throw UserError("--truth {}: {} columns; accepted: one, of numbers", file, columns);
  const auto table = load_dataset<double>({.name = file, .d = 1});
  if (table.n != n) throw UserError("--truth {}: {} rows, but there are {} points", file, table.n, n);
  std::vector<std::int32_t> labels;
  for (const double value : table.points()) {
    if (value != std::trunc(value) || std::abs(value) > 2e9) throw UserError("--truth {}: {} is no whole number up to 2e9", file, value);
    labels.push_back(std::int32_t(value));
  }
  return labels;
}

void check_out(const std::string& out) {
  std::error_code error;
  if (!out.ends_with(".npy")) throw UserError("--out {}: labels are written as .npy", out);
  check_out_file("--out", out);
  if (fs::exists(out, error)) throw UserError("--out {} exists; name a new file", out);
}

int run(const Invocation&) {
  Flags& f = flags;
  check_out(f.out);
  const KeepCatalogue keep;
  ScratchFolder scratch;
  const DatasetRequest request = request_of(f, scratch);
  Case c = planned(sweep_of(f, request), f);
  c.repetitions = 1;
  c.warmup = 0;
  std::vector<std::int32_t> truth;
  if (!f.truth.empty()) truth = truth_of(f.truth, c.n);
  Measurement m;
  const auto session = prepare(c, m);
  session->solve(m);
  if (!m.judgement.verdict.empty()) {
    fmt::print(stderr, "kmbench: no right result: {}\n", m.judgement.verdict);
    return 1;
  }
  write_labels(f.out, session->labels());
  print_summary(c, m, f);
  if (!truth.empty()) {
    const Agreement agreement = agreement_of(session->labels(), truth);
    fmt::print("against {}: adjusted Rand index {:.4f}, NMI {:.4f}\n", f.truth, agreement.ari, agreement.nmi);
  }
  return 0;
}

const RegisterCommand registration{
    29,
    {.name = "spectral",
     .summary = "Cluster points by spectral clustering of representatives: labels, judged",
     .options = join_options(
         flags.points.options(),
         Options{{"--clusters,--k", &flags.clusters, "Clusters", {}, true},
                 {"--out", &flags.out, "File for the labels, .npy", {}, true},
                 {"--representatives", &flags.representatives, "Vertices of the graph, found by k-means (1000, or all points)"},
                 {"--similarity", &flags.similarity, "Of two representatives (neighbours)", {"gaussian", "cosine", "epsilon", "neighbours"}},
                 {"--neighbours", &flags.neighbours, "Of a representative, for the graph or in place of a length (10)"},
                 {"--sigma", &flags.sigma, "Deviation of gaussian (from the neighbours)"},
                 {"--epsilon", &flags.epsilon, "Radius of epsilon (from the neighbours)"},
                 {"--weights", &flags.weights, "sizes: similarities times both numbers of points (none)", {"none", "sizes"}},
                 {"--laplacian", &flags.laplacian, "Of the graph (symmetric)", {"symmetric", "random_walk", "unnormalized"}},
                 {"--solver",
                  &flags.solver,
                  "Of eigenvectors: sparse (arpack, cusparse) or dense (lapack, cusolver), the latter of both on the GPU (auto)",
                  {"auto", "lapack", "arpack", "cusolver", "cusparse"}},
                 {"--kmeans", &flags.kmeans, "Implementation that finds the representatives (auto: the GPU's, else the CPU's)"},
                 {"--iterations", &flags.iterations, "Of that k-means (10)"},
                 {"--precision", &flags.precision, "Of the points (the file's own; fp32 for a generated set)", {"fp32", "fp64"}},
                 {"--seed", &flags.seed, "Of all starts (1)"},
                 {"--n", &flags.n, "Points of a generated set, or first rows of a file"},
                 {"--truth", &flags.truth, "Known labels, a file of n numbers: how well they agree"}}),
     .run = run,
     .completes = {"$datasets"}}};

}  // namespace km::spectral_command

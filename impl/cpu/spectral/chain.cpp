#include "impl/cpu/spectral/chain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "bench/base/error.hpp"
#include "bench/device/device.hpp"
#include "impl/cpu/spectral/similarity.hpp"

namespace km::spectral {
namespace {

constexpr int eigenvalues_shown = 10;        // at least so many are computed, for the eigengap
constexpr std::int64_t most_dense = 30'000;  // vertices of a dense graph: 7 GB
constexpr int most_iterations = 300;         // of k-means on the embedding, which stops at rest

/// Defaults, but auto's trials keep to a budget: prepare is part of this time.
Config inner_config(const Description& description) {
  auto values = defaults(description).values();
  if (const auto at = values.find("trials"); at != values.end()) at->second = "budget";
  return Config(std::move(values));
}

/// Runs a registered k-means from this start.
template <class T>
InnerRun<T> run_kmeans(const std::string& name, const ProblemShape& shape, std::span<const T> points, std::vector<T> start) {
  const Implementation& implementation = *find_implementation(name);
  InnerRun<T> run{&implementation, inner_config(implementation.description), shape, std::move(start), {}};
  Trace untraced;
  const auto solver = implementation.prepare<T>()(Problem<T>{shape, points, run.start}, run.config, untraced);
  solver->reset();
  solver->iterate(untraced);
  if (implementation.description.device == Device::gpu) device::synchronize();
  run.solution = solver->download();
  return run;
}

/// `count` rows of n, distinct by number (Floyd's sampling; Bentley, "Programming pearls", 1987).
std::vector<std::int64_t> drawn_rows(std::int64_t n, std::int64_t count, std::mt19937_64& draws) {
  std::vector<std::int64_t> rows;
  std::vector<bool> taken(std::size_t(n), false);
  for (std::int64_t last = n - count; last < n; ++last) {
    std::int64_t row = std::int64_t(draws() % std::uint64_t(last + 1));
    if (taken[std::size_t(row)]) row = last;
    taken[std::size_t(row)] = true;
    rows.push_back(row);
  }
  return rows;
}

/// k-means++ (Arthur and Vassilvitskii, 2007).
std::vector<double> spread_start(const std::vector<double>& rows, int k, std::mt19937_64& draws) {
  const auto n = std::int64_t(rows.size()) / k;
  const auto drawn = [&] { return double(draws() >> 11) * 0x1p-53; };
  std::vector<double> start, least(std::size_t(n), 1);  // the first is drawn with equal chances
  for (int c = 0; c < k; ++c) {
    double left = drawn() * std::reduce(least.begin(), least.end());
    std::int64_t row = 0;
    while (row + 1 < n && (left -= least[std::size_t(row)]) >= 0) ++row;
    const double* const x = rows.data() + row * k;
    start.insert(start.end(), x, x + k);
    for (std::int64_t i = 0; i < n; ++i) {
      double dist = 0;
      for (int j = 0; j < k; ++j) dist += (rows[std::size_t(i * k + j)] - x[j]) * (rows[std::size_t(i * k + j)] - x[j]);
      least[std::size_t(i)] = c == 0 ? dist : std::min(least[std::size_t(i)], dist);
    }
  }
  return start;
}

double inertia_of(const std::vector<double>& rows, const Solution<double>& s, int k) {
  double sum = 0;
  for (std::size_t i = 0; i < s.labels.size(); ++i)
    for (int j = 0; j < k; ++j) sum += std::pow(rows[i * std::size_t(k) + std::size_t(j)] - s.centroids[std::size_t(s.labels[i] * k + j)], 2);
  return sum;
}

/// The number of clusters, at least 2, before the largest relative gap of the eigenvalues (von Luxburg 2007, Section 8.3: λ_k very small, λ_k+1 not).
/// Returns 0 if none after the second is above zero.
int proposed_by(const std::vector<double>& values) {
  constexpr double zero = 1e-9;
  int best = 0;
  double largest = 0;
  for (int k = 2; k < std::ssize(values); ++k) {
    const double gap = values[std::size_t(k)] / std::max(values[std::size_t(k) - 1], zero);
    if (values[std::size_t(k)] > zero && gap > largest) best = k, largest = gap;
  }
  return best;
}

std::string objection(const ProblemShape& p, const Config& config, int value_bytes, std::string (*missing)()) {
  const auto representatives = config.number("representatives");
  if (representatives > p.n) return "representatives = " + std::to_string(representatives) + " is more than n = " + std::to_string(p.n) + " points";
  if (p.k > representatives) return "k = " + std::to_string(p.k) + " is more than representatives = " + std::to_string(representatives);
  const std::string& similarity = config.word("similarity");
  if (representatives > most_dense && (similarity == "gaussian" || similarity == "cosine"))
    return "representatives = " + std::to_string(representatives) + ": a dense graph has at most " + std::to_string(most_dense);
  if (p.k < 2) return "k = " + std::to_string(p.k) + ": at least 2 clusters are needed";
  for (const char* stage : {"kmeans", "embedding_kmeans"}) {
    const std::string& name = config.word(stage);
    const auto* const inner = find_implementation(name);
    if (!inner || inner->description.task != Task::kmeans)
      return std::string(stage) + " = " + name + " is no k-means of this build: see kmbench list";
    if (inner->description.device == Device::gpu && !device::available()) return name + ": " + device::unavailable();
    if (!inner->description.unsupported) continue;
    ProblemShape shape = p;
    if (stage == std::string_view("kmeans")) shape.k = int(representatives);
    else shape = {.n = representatives, .d = p.k, .k = p.k, .max_iters = most_iterations, .tolerance = 0}, value_bytes = 8;
    if (const std::string why = inner->description.unsupported(shape, defaults(inner->description), value_bytes); !why.empty())
      return name + ": " + why;
  }
  return missing();
}

}  // namespace

template <class T>
Chain<T>::Chain(const Problem<T>& problem, const Config& config, Eigensolver solver) : p_(problem), config_(config), solver_(std::move(solver)) {}

template <class T>
void Chain<T>::reset() {
  out_.poison(p_);
  record_ = {};
  noted_chain<T>();
}

template <class T>
int Chain<T>::iterate(Trace& trace) {
  trace.begin_iteration();
  const auto stage = [&](const char* name, void (Chain::*run)()) {
    const auto phase = trace.phase(name);
    (this->*run)();
  };
  stage("representatives", &Chain::reduce);
  stage("similarity", &Chain::connect);
  stage("eigenvectors", &Chain::embed);
  if (const double copies = record_.first.transfer_s; copies > 0) {  // a stage of its own
    trace.add("transfer", copies);
    trace.add("eigenvectors", -copies);
  }
  stage("clusters", &Chain::cluster);
  stage("labels", &Chain::label);
  return out_.iters = 1;
}

template <class T>
Solution<T> Chain<T>::download() {
  note_chain(record_);
  return out_;
}

/// Reduces the points to representatives. Those without points are no vertices.
template <class T>
void Chain<T>::reduce() {
  const auto count = config_.number("representatives");
  const int d = p_.d;
  std::span<const T> rows = p_.points;
  Labels owner(std::size_t(p_.n));
  if (count == p_.n) std::iota(owner.begin(), owner.end(), 0);
  else {
    std::mt19937_64 draws(std::uint64_t(config_.number("seed")));
    std::vector<T> start;
    for (const std::int64_t row : drawn_rows(p_.n, count, draws))
      start.insert(start.end(), p_.points.begin() + row * d, p_.points.begin() + (row + 1) * d);
    ProblemShape shape = p_;
    shape.k = int(count);
    record_.reduction = run_kmeans<T>(config_.word("kmeans"), shape, p_.points, std::move(start));
    rows = record_.reduction.solution.centroids;
    owner = record_.reduction.solution.labels;
  }
  std::vector<std::int64_t> sizes(std::size_t(count), 0);
  for (const auto r : owner) ++sizes.at(std::size_t(r));
  std::vector<std::int32_t> vertex(std::size_t(count), -1);
  for (std::int64_t r = 0; r < count; ++r) {
    if (sizes[std::size_t(r)] == 0) continue;
    vertex[std::size_t(r)] = std::int32_t(record_.sizes.size());
    record_.sizes.push_back(sizes[std::size_t(r)]);
    record_.vertices.insert(record_.vertices.end(), rows.begin() + r * d, rows.begin() + (r + 1) * d);
  }
  for (auto& r : owner) r = vertex[std::size_t(r)];
  record_.vertex_of = std::move(owner);
  bool same = true;  // all points equal, here as equal representatives
  for (std::size_t at = std::size_t(d); at < record_.vertices.size(); ++at) same &= record_.vertices[at] == record_.vertices[at - std::size_t(d)];
  if (same) throw UserError("all points are equal: there are no clusters to find");
  if (std::ssize(record_.sizes) < p_.k)
    throw UserError("only " + std::to_string(record_.sizes.size()) + " representatives have points, for " + std::to_string(p_.k) + " clusters");
}

template <class T>
void Chain<T>::connect() {
  const Similarity wanted{.kind = config_.word("similarity"),
                          .neighbours = config_.integer("neighbours"),
                          .scale = double(config_.number("scale_e6")) * 1e-6,
                          .sizes = config_.word("weights") == "sizes"};
  record_.graph = similarity_graph(record_.vertices, record_.sizes, p_.d, wanted);
}

template <class T>
void Chain<T>::embed() {
  const auto m = std::size_t(record_.graph.size), k = std::size_t(p_.k);
  const std::vector<std::int32_t> components = components_of(record_.graph);
  record_.components = std::ranges::max(components) + 1;
  record_.first = first_eigenpairs(record_.graph, components, config_.word("laplacian"), std::max(p_.k + 1, eigenvalues_shown), solver_);
  record_.proposed = proposed_by(record_.first.values);
  record_.embedding.assign(m * k, 0);
  for (std::size_t i = 0; i < m; ++i) {
    double* const row = record_.embedding.data() + i * k;
    double square = 0;
    for (std::size_t e = 0; e < k; ++e) {
      row[e] = record_.first.vectors[e * m + i];
      square += row[e] * row[e];
    }
    if (config_.word("rows") == "unit" && square > 0)
      for (std::size_t e = 0; e < k; ++e) row[e] /= std::sqrt(square);
  }
}

/// Clusters the rows of the embedding: the start of the least inertia. A row of zeros is in a component that none of the k eigenvectors reaches. It
/// takes the label of the nearest vertex that has one.
template <class T>
void Chain<T>::cluster() {
  const int k = p_.k;
  const auto m = record_.graph.size;
  std::vector<double> rows;
  std::vector<std::int64_t> clustered, left;
  for (std::int64_t i = 0; i < m; ++i) {
    const double* const row = record_.embedding.data() + i * k;
    const bool zero = std::all_of(row, row + k, [](double x) { return x == 0; });
    (zero ? left : clustered).push_back(i);
    if (!zero) rows.insert(rows.end(), row, row + k);
  }
  std::mt19937_64 draws(std::uint64_t(config_.number("seed")) + 1);
  const ProblemShape shape{.n = std::ssize(clustered), .d = k, .k = k, .max_iters = most_iterations, .tolerance = 0};
  double least = 0;
  for (std::int64_t start = 0; start < config_.number("starts"); ++start) {
    auto run = run_kmeans<double>(config_.word("embedding_kmeans"), shape, rows, spread_start(rows, k, draws));
    const double inertia = inertia_of(rows, run.solution, k);
    if (start == 0 || inertia < least) {
      least = inertia;
      record_.clustering = std::move(run);
    }
  }
  record_.vertex_label.assign(std::size_t(m), no_label);
  for (std::size_t at = 0; at < clustered.size(); ++at) record_.vertex_label[std::size_t(clustered[at])] = record_.clustering.solution.labels[at];
  for (const std::int64_t i : left) {
    std::int64_t best = clustered.front();
    double best_dist = std::numeric_limits<double>::max();
    for (const std::int64_t j : clustered) {
      double dist = 0;
      for (int c = 0; c < p_.d; ++c) dist += std::pow(record_.vertices[std::size_t(i * p_.d + c)] - record_.vertices[std::size_t(j * p_.d + c)], 2);
      if (dist < best_dist) best = j, best_dist = dist;
    }
    record_.vertex_label[std::size_t(i)] = record_.vertex_label[std::size_t(best)];
  }
}

template <class T>
void Chain<T>::label() {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < p_.n; ++i) out_.labels[std::size_t(i)] = record_.vertex_label[std::size_t(record_.vertex_of[std::size_t(i)])];
}

template class Chain<float>;
template class Chain<double>;

Description chain_description(std::string_view summary, std::string (*missing)(), Device device) {
  return {
      .summary = summary,
      .paper = "he2021",
      .device = device,
      .parameters =
          {{.name = "representatives", .fallback = 1000, .range = {2, 100, 1000, 10'000, 100'000}, .help = "vertices of the graph, kr"},
           {.name = "kmeans", .fallback = "cpu/lloyd/two_step", .range = {}, .help = "the k-means that finds them"},
           {.name = "similarity",
            .fallback = "neighbours",
            .range = {"gaussian", "cosine", "epsilon", "neighbours"},
            .help = "of two representatives"},
           {.name = "neighbours", .fallback = 10, .range = {1, 10, 100, 1000}, .help = "of a vertex, for the graph or for the scale"},
           {.name = "scale_e6",
            .fallback = 0,
            .range = {0, 1'000'000'000'000'000},
            .help = "millionths of sigma or epsilon; 0: from the distance to a neighbour"},
           {.name = "weights", .fallback = "none", .range = {"none", "sizes"}, .help = "sizes: times the numbers of both representatives' points"},
           {.name = "laplacian", .fallback = "symmetric", .range = {"symmetric", "random_walk", "unnormalized"}, .help = "of the graph"},
           {.name = "rows", .fallback = "unit", .range = {"unit", "as_they_are"}, .help = "of the embedding, before k-means"},
           {.name = "embedding_kmeans", .fallback = "cpu/lloyd/two_step", .range = {}, .help = "the k-means on the embedding"},
           {.name = "starts", .fallback = 10, .range = {1, 10, 100}, .help = "k-means++ starts there; the least inertia counts"},
           {.name = "seed", .fallback = 1, .range = {0, 1'000'000'000}, .help = "of all starts"}},
      .unsupported = [missing](const ProblemShape& p, const Config& config, int value_bytes) { return objection(p, config, value_bytes, missing); },
      .work = [](const ProblemShape&, const Config&, int) { return Work{}; },
      .task = Task::spectral,
  };
}

}  // namespace km::spectral

// Initial centroids. They belong to the problem: every implementation gets the same.

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <type_traits>
#include <unordered_set>

#include "bench/base/error.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/data/random.hpp"

namespace km {
namespace {

/// Draws k distinct rows, in drawing order.
std::vector<std::int64_t> random_rows(std::int64_t n, int k, const Random& random) {
  std::unordered_set<std::int64_t> drawn;
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; std::int64_t(rows.size()) < k; ++i)
    if (const std::int64_t row = random.below(n, i); drawn.insert(row).second) rows.push_back(row);
  return rows;
}

constexpr int lanes = 8;
constexpr std::int64_t block = 4096;  // sums are by block in fixed order, independent of the number of threads

/// k-means++ while it draws: every point's distance² from the nearest row drawn so far.
template <class T>
class Seeding {
 public:
  explicit Seeding(const Dataset<T>& data)
      : data_(data), blocks_((data.n + block - 1) / block), nearest_(std::size_t(data.n), std::numeric_limits<double>::infinity()),
        sums_(std::size_t(blocks_)) {}

  /// Takes a row. Returns the sum of all distances².
  double take(std::int64_t row) {
    const T* centroid = at(row);
#pragma omp parallel for schedule(static)
    for (std::int64_t b = 0; b < blocks_; ++b) {
      double sum = 0;
      for (std::int64_t i = b * block; i < std::min(data_.n, (b + 1) * block); ++i) {
        double dist = 0;
        for (int j = 0; j < data_.d; ++j) {
          const double diff = double(at(i)[j]) - double(centroid[j]);
          dist += diff * diff;
        }
        sum += nearest_[std::size_t(i)] = std::min(nearest_[std::size_t(i)], dist);
      }
      sums_[std::size_t(b)] = sum;
    }
    return std::accumulate(sums_.begin(), sums_.end(), 0.0);
  }

  /// Returns the row below which lies the share `left` of all distances².
  std::int64_t row_at(double left) const {
    std::int64_t b = 0, last = 0;
    while (b + 1 < blocks_ && left >= sums_[std::size_t(b)]) left -= sums_[std::size_t(b++)];
    for (std::int64_t i = 0; i < data_.n; ++i) {  // rounding may leave a remainder: go on from the first row
      const std::int64_t row = (b * block + i) % data_.n;
      const double weight = nearest_[std::size_t(row)];
      if (weight > 0) last = row;
      if (weight > 0 && (left -= weight) < 0) break;
    }
    return last;
  }

  /// Returns the row that would leave the least sum. All `lanes` candidates share one pass over the points.
  std::int64_t best_of(const std::array<std::int64_t, lanes>& rows) const {
    std::vector<double> candidates(std::size_t(data_.d) * lanes), sums(std::size_t(blocks_) * lanes);
    for (int j = 0; j < data_.d; ++j)
      for (int l = 0; l < lanes; ++l) candidates[std::size_t(j) * lanes + l] = double(at(rows[l])[j]);
#pragma omp parallel for schedule(static)
    for (std::int64_t b = 0; b < blocks_; ++b)
      for (std::int64_t i = b * block; i < std::min(data_.n, (b + 1) * block); ++i) {
        double dist[lanes] = {};
        for (int j = 0; j < data_.d; ++j)
#pragma omp simd
          for (int l = 0; l < lanes; ++l) {
            const double diff = double(at(i)[j]) - candidates[std::size_t(j) * lanes + l];
            dist[l] += diff * diff;
          }
        for (int l = 0; l < lanes; ++l) sums[std::size_t(b) * lanes + l] += std::min(nearest_[std::size_t(i)], dist[l]);
      }
    std::array<double, lanes> left = {};
    for (std::size_t cell = 0; cell < sums.size(); ++cell) left[cell % lanes] += sums[cell];
    return rows[std::ranges::min_element(left) - left.begin()];
  }

 private:
  const T* at(std::int64_t row) const { return data_.values.get() + row * data_.d; }

  const Dataset<T>& data_;
  std::int64_t blocks_;
  std::vector<double> nearest_, sums_;
};

/// Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007: draws each next row with probability proportional to its
/// distance² from the nearest centroid so far. Greedy (Celebi, Kingravi and Vela, Expert Systems with Applications 40, 2013): the best of 2 + ln k
/// such rows (at most 8), as scikit-learn does.
template <class T>
std::vector<std::int64_t> plus_plus_rows(const Dataset<T>& data, int k, const Random& random, bool greedy) {
  const int tries = greedy ? std::min(lanes, 2 + int(std::log(k))) : 1;
  Seeding<T> seeding(data);
  std::vector<std::int64_t> rows{random.below(data.n, 0)};
  for (std::int64_t draws = 1; int(rows.size()) < k; draws += tries) {
    const double total = seeding.take(rows.back());
    if (total <= 0) throw UserError("kmeans++: {} has only {} different points, k = {} is more", data.name, rows.size(), k);
    std::array<std::int64_t, lanes> drawn;
    for (int at = 0; at < lanes; ++at) drawn[at] = at < tries ? seeding.row_at(total * random.uniform(draws + at)) : drawn[0];
    rows.push_back(greedy ? seeding.best_of(drawn) : drawn[0]);
  }
  return rows;
}

/// rand() after srand(seed) of GNU's C library, with a state of its own.
class CRand {
 public:
  explicit CRand(std::uint32_t seed) { ::initstate_r(seed, state_, sizeof state_, &data_); }
  CRand(const CRand&) = delete;  // data_ points into state_
  std::int64_t operator()() {
    std::int32_t next = 0;
    ::random_r(&data_, &next);
    return next;
  }

 private:
  char state_[128];  // as srand() has
  random_data data_{};
};

/// The values of these cells, counted row by row, wherever the rows are. Ranks exchange bits, as integers.
template <class T>
std::vector<T> values_of(const Dataset<T>& data, const std::vector<std::int64_t>& cells) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  const std::span<const T> mine = data.points();
  std::vector<std::int64_t> bits;
  for (const std::int64_t cell : cells) {
    const std::int64_t at = cell - data.first * data.d;
    bits.push_back(at >= 0 && at < std::ssize(mine) ? std::bit_cast<Bits>(mine[std::size_t(at)]) : 0);
  }
  if (data.group) data.group->sum(bits);
  std::vector<T> values(bits.size());
  std::ranges::transform(bits, values.begin(), [](std::int64_t one) { return std::bit_cast<T>(Bits(one)); });
  return values;
}

/// taylor2021's seeding: each dimension of cluster c takes the value of a random row from the c-th of k equal ranges of rows.
template <class T>
std::vector<T> drawn_by_dimension(const Dataset<T>& data, int k, std::uint64_t seed) {
  CRand random{std::uint32_t(seed)};
  const std::int64_t stretch = data.n / k;
  std::vector<std::int64_t> cells;
  for (int c = 0; c < k; ++c)
    for (int j = 0; j < data.d; ++j) cells.push_back((c * stretch + random() % stretch) * data.d + j);
  return values_of(data, cells);
}

template <class T>
std::vector<T> read_start(const std::string& file, int k, int d) {
  const auto rows = read_file<T>(file, k);
  std::vector<T> centroids(rows.get(), rows.get() + std::size_t(k) * std::size_t(d));
  const auto bad = std::ranges::find_if(centroids, [](T x) { return !std::isfinite(x); }) - centroids.begin();
  if (bad < std::ssize(centroids))
    throw UserError("{}: row {}, column {}: {} is not a finite {} number", file, bad / d + 1, bad % d + 1, centroids[std::size_t(bad)],
                    sizeof(T) == 4 ? "fp32" : "fp64");
  return centroids;
}

}  // namespace

bool is_init_file(const std::string& method) { return ends_in(method, ".npy") || ends_in(method, ".npy.xz"); }

void check_init(const std::string& method, int k, int d) {
  if (std::ranges::count(init_methods, method) > 0) return;
  if (!is_init_file(method))
    throw UserError("init '{}'; accepted: {}, or a path to a .npy file of k x d; scikit-learn's k-means++ is greedy-kmeans++", method,
                    fmt::join(init_methods, ", "));
  const DatasetShape shape = file_shape(method);
  if (shape.n != k || shape.d != d) throw UserError("{}: {} x {} initial centroids, {} x {} are needed", method, shape.n, shape.d, k, d);
  read_start<double>(method, k, d);
}

template <class T>
std::vector<T> initial_centroids(const Dataset<T>& data, int k, const std::string& method, std::uint64_t seed) {
  if (k < 1) throw UserError("k = {}, at least 1 is needed", k);
  if (k > data.n) throw UserError("k = {} is more than the {} points of {}", k, data.n, data.name);
  check_init(method, k, data.d);
  if (is_init_file(method)) return read_start<T>(method, k, data.d);
  if (method == "taylor2021") return drawn_by_dimension(data, k, seed);
  const Random random(seed, 0x1417);  // a stream that no generator uses: points and centroids of one seed are independent
  const auto rows = method == "random" ? random_rows(data.n, k, random) : plus_plus_rows(data, k, random, method == "greedy-kmeans++");
  std::vector<std::int64_t> cells;
  for (const std::int64_t row : rows)
    for (int j = 0; j < data.d; ++j) cells.push_back(row * data.d + j);
  return values_of(data, cells);
}

template std::vector<float> initial_centroids(const Dataset<float>&, int, const std::string&, std::uint64_t);
template std::vector<double> initial_centroids(const Dataset<double>&, int, const std::string&, std::uint64_t);

}  // namespace km

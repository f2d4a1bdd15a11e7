// The distinct points of a problem, each with its number of copies, for implementations that run over these alone.
// Cost: all points hashed, each compared with an equal one. Memory: the distinct points and 8 bytes a point; 16 to 24 bytes a point more while it is made.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/bytes_hash.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

/// Why a place cannot have 32 bits, or "".
inline std::string too_many_rows(const ProblemShape& p) { return p.n > std::numeric_limits<std::int32_t>::max() ? "2^31 points or more" : ""; }

/// The distinct rows of the points in order of their first ones, the number of copies of each, and the place of every point among them.
template <class T>
class DistinctRows {
 public:
  DistinctRows(const Problem<T>& p, int threads) : places(p.n) {
    find_firsts(p, threads);
    std::vector<std::int64_t> firsts;
    for (std::int64_t i = 0; i < p.n; ++i) {  // the first equal point comes earlier and has its place already
      if (places[i] == i) {
        places[i] = std::int32_t(firsts.size());
        firsts.push_back(i);
        copies.push_back(0);
      } else {
        places[i] = places[places[i]];
      }
      ++copies[places[i]];
    }
    rows.resize(firsts.size() * std::size_t(p.d));
#pragma omp parallel for num_threads(threads)
    for (std::size_t at = 0; at < firsts.size(); ++at) std::copy_n(&p.points[firsts[at] * p.d], p.d, &rows[at * p.d]);
  }

  /// The problem of these rows.
  Problem<T> among(Problem<T> p) const {
    p.n = std::ssize(copies);
    p.points = rows;
    return p;
  }

  /// Makes the solution of all points: the labels of their rows, and the rest.
  void spread(const Solution<T>& of_rows, int threads) {
    all.iters = of_rows.iters, all.assigned_centroids = of_rows.assigned_centroids, all.centroids = of_rows.centroids;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::size_t i = 0; i < places.size(); ++i) all.labels[i] = of_rows.labels[places[i]];
  }

  std::vector<T> rows;
  std::vector<std::int32_t> copies, places;
  Solution<T> all;

 private:
  /// places[i] becomes the first point equal to i. Each thread has the points of its hashes, in a table with open addresses.
  void find_firsts(const Problem<T>& p, int threads) {
    const auto row = [&](std::int64_t i) { return std::string_view(reinterpret_cast<const char*>(&p.points[i * p.d]), p.d * sizeof(T)); };
    std::vector<std::uint64_t> hashes(p.n);
    Shortage shortage;
#pragma omp parallel num_threads(threads)
    {
      const std::uint64_t all = omp_get_num_threads(), own = omp_get_thread_num();
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < p.n; ++i) hashes[i] = hash_of_bytes(&p.points[i * p.d], p.d * sizeof(T));
      shortage.watch([&] {
        const std::int64_t count = std::ranges::count_if(hashes, [&](std::uint64_t hash) { return hash % all == own; });
        std::vector<std::int32_t> table(std::bit_ceil(2 * std::size_t(count) + 1), -1);
        for (std::int64_t i = 0; i < p.n; ++i) {
          if (hashes[i] % all != own) continue;
          std::size_t at = hashes[i] / all;
          const auto is_other = [&](std::int32_t first) { return first >= 0 && (hashes[first] != hashes[i] || row(first) != row(i)); };
          while (is_other(table[at % table.size()])) ++at;
          std::int32_t& first = table[at % table.size()];
          if (first < 0) first = std::int32_t(i);
          places[i] = first;
        }
      });
    }
    shortage.report();
  }
};

}  // namespace
}  // namespace km

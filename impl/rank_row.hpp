// One row of wu2011's RID (Algorithm 2, step 2): the centroids by their distance² from one of them. Branch-free, so that its time does not depend on
// branch prediction. Few centroids are ranked by counting, more by radix sort of their bits.
// Cost of a row: k² comparisons, vectorized, up to 64 centroids; beyond, one pass over k keys per byte of a value.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace km {

template <class T>
class RowRanking {
 public:
  /// apart: k distances², none negative. ranked: k, `own` first, then the others, nearest first; the lower index wins a tie.
  void operator()(const T* apart, int own, int k, int* ranked) { k <= few ? count(apart, own, k, ranked) : radix(apart, own, k, ranked); }

 private:
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;  // bits of non-negative values order as the values
  struct Key {
    Bits bits;
    int c;
  };
  static constexpr int few = 64, digit = 8, passes = (8 * sizeof(T) + digit - 1) / digit, digits = 1 << digit;

  void count(const T* apart, int own, int k, int* ranked) {
    std::array<T, few> row;
    std::copy_n(apart, k, row.data());
    row[own] = T(-1);
    for (int c = 0; c < k; ++c) {
      const T dist = row[c];
      std::make_signed_t<Bits> before = 0;
      for (int other = 0; other < c; ++other) before += row[other] <= dist;
      for (int other = c + 1; other < k; ++other) before += row[other] < dist;
      ranked[before] = c;
    }
  }

  void radix(const T* apart, int own, int k, int* ranked) {
    keys_.resize(k), sorted_.resize(k);
    std::array<std::array<int, digits>, passes> first = {};
    for (int c = 0; c < k; ++c) {
      const Bits bits = c == own ? 0 : std::bit_cast<Bits>(apart[c]) + 1;
      keys_[c] = {bits, c};
      for (int pass = 0; pass < passes; ++pass) ++first[pass][digit_of(bits, pass)];
    }
    for (int pass = 0; pass < passes; ++pass) {
      for (int total = 0; int& at : first[pass]) total += std::exchange(at, total);
      for (const Key& key : keys_) sorted_[first[pass][digit_of(key.bits, pass)]++] = key;
      keys_.swap(sorted_);
    }
    for (int rank = 0; rank < k; ++rank) ranked[rank] = keys_[rank].c;
  }

  static int digit_of(Bits bits, int pass) { return int(bits >> (digit * pass) & (digits - 1)); }

  std::vector<Key> keys_, sorted_;
};

}  // namespace km

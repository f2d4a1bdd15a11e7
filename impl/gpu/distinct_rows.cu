// A table with open addresses holds the first of equal points. Cost: points read twice, at random where others have the same hash, and distinct ones
// written; three random accesses to 4 bytes a point. Memory: all points until the end, and 16 to 24 bytes a point.
#include "impl/gpu/distinct_rows.cuh"

#include <bit>
#include <cub/device/device_scan.cuh>

#include "bench/device/cuda_host.cuh"

namespace km::cuda {
namespace {

using Word = std::uint32_t;
constexpr int threads = 256;
constexpr std::int32_t vacant = -1;

/// rows: n x words. table: vacant; then the first of each kind of rows, at the slot of all its copies. slots: n.
__global__ void find_firsts(const Word* __restrict__ rows, std::int64_t n, int words, std::int32_t* table, unsigned mask, unsigned* slots) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const Word* const row = rows + i * words;
  const auto differs = [&](std::int32_t other) {
    for (int w = 0; w < words; ++w)
      if (row[w] != rows[std::int64_t(other) * words + w]) return true;
    return false;
  };
  std::uint64_t hash = 0;
  for (int w = 0; w < words; ++w) hash = (hash ^ row[w]) * 0x9E3779B97F4A7C15u, hash ^= hash >> 32;
  for (unsigned slot = unsigned(hash) & mask;; slot = (slot + 1) & mask) {
    std::int32_t other = __ldcg(&table[slot]);
    if (other == vacant) other = atomicCAS(&table[slot], vacant, std::int32_t(i));
    if (other != vacant && differs(other)) continue;
    if (i < other) atomicMin(&table[slot], std::int32_t(i));
    slots[i] = slot;
    return;
  }
}

/// ranks: n + 1 flags, whether a point is the first of its kind; at last 0.
__global__ void flag_firsts(const std::int32_t* table, const unsigned* slots, std::int64_t n, std::int32_t* ranks) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i <= n) ranks[i] = i < n && table[slots[i]] == i;
}

/// ranks: of first points. numbers: zeros.
__global__ void gather(const Word* __restrict__ rows, std::int64_t n, int words, const std::int32_t* table, const unsigned* slots,
                       const std::int32_t* ranks, Word* out, std::int32_t* numbers, std::int32_t* places) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const std::int32_t first = table[slots[i]], place = ranks[first];
  places[i] = place;
  atomicAdd(&numbers[place], 1);
  if (first != i) return;
  for (int w = 0; w < words; ++w) out[std::int64_t(place) * words + w] = rows[i * words + w];
}

}  // namespace

template <class T>
DistinctRows<T> distinct_rows(const Problem<T>& problem, Trace& trace) {
  const Stream stream;
  const Buffer<T> all = upload_rows(problem, trace, stream);
  const Phase phase(trace, "distinct", stream);
  const std::int64_t n = problem.n;
  const int words = problem.d * int(sizeof(T) / sizeof(Word));
  const auto* const rows = reinterpret_cast<const Word*>(all.data());
  Buffer<std::int32_t> table(std::int64_t(std::bit_ceil(2 * std::uint64_t(n)))), ranks(n + 1);
  Buffer<unsigned> slots(n);
  set_bytes(table, 0xFF, stream);  // vacant
  find_firsts<<<blocks(n, threads), threads, 0, stream>>>(rows, n, words, table.data(), unsigned(table.size() - 1), slots.data());
  check_launch();
  flag_firsts<<<blocks(n + 1, threads), threads, 0, stream>>>(table.data(), slots.data(), n, ranks.data());
  check_launch();
  std::size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, ranks.data(), ranks.data(), n + 1, stream));
  Buffer<std::uint8_t> scratch(static_cast<std::int64_t>(bytes));
  check(cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, ranks.data(), ranks.data(), n + 1, stream));
  std::int32_t size = 0;
  download(&size, ranks.data() + n, sizeof size, stream);
  DistinctRows<T> found{Buffer<T>(std::int64_t(size) * problem.d), Buffer<std::int32_t>(size), Buffer<std::int32_t>(n)};
  clear(stream, found.numbers);
  gather<<<blocks(n, threads), threads, 0, stream>>>(rows, n, words, table.data(), slots.data(), ranks.data(),
                                                     reinterpret_cast<Word*>(found.points.data()), found.numbers.data(), found.places.data());
  check_launch();
  check(cudaStreamSynchronize(stream));  // buffers are freed on return
  return found;
}

template DistinctRows<float> distinct_rows(const Problem<float>&, Trace&);
template DistinctRows<double> distinct_rows(const Problem<double>&, Trace&);

}  // namespace km::cuda

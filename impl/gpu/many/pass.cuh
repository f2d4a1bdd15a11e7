// One iteration on one of several cards: a launch labels the card's points and sums those that moved, as gpu/lloyd/register_tiles does in its loop.
// The sums are integers whose units come from all points, so any number of cards gives the same bits. Every card then needs the sums of all cards.
// They meet after the kernel (nccl.cu) or in its last block (peers.cu), and each card makes the means itself.
#pragma once

#include "bench/contract/dimension.hpp"
#include "impl/gpu/lloyd/register_tiles.cuh"
#include "impl/gpu/many/meeting.cuh"

namespace km::many {

using register_tiles::Kernel, register_tiles::Run;

constexpr int most_clusters = 256;

/// Values that a card sums per iteration: words x cells, rests (cells), counts (k), labels changed, and two counters of register_tiles.
/// cells: k rows of the kernel's width.
template <class T>
__host__ __device__ constexpr int sums_of(int cells, int k) {
  return (register_tiles::words<T> + 1) * cells + k + register_tiles::counters;
}

/// What differs between iterations.
template <class T>
struct Turn {
  bool fresh, forward, last;
  const T* assigned;  // k x d
  T* next;
  Bits* changed;  // labels changed on all cards
  Bits* totals;   // sums of all cards' points so far
  unsigned* done;
};

/// Calls make(D, Group) with the dimensions and rows per key of the kernel for this shape. Returns its result.
template <class T, class Make>
Kernel kernel_of_width(int d, int k, Make make) {
  Kernel kernel{};
  with_width<1, 2, 3, 4, 5, 6, 8, 12, register_tiles::most_dimensions>(d, [&](auto D) {
    using One = std::integral_constant<int, 1>;
    if constexpr (sizeof(T) == 4) kernel = k < 32 ? make(D, One{}) : make(D, std::integral_constant<int, 4>{});
    else kernel = make(D, One{});
  });
  return kernel;
}
template <class T>
using LabelOf = std::conditional_t<sizeof(T) == 4, std::uint8_t, std::uint16_t>;

/// Labels one card's points once: arguments Run, Turn, Meeting.
/// d <= 16, k <= most_clusters.
template <class T>
Kernel pass_kernel(int d, int k);

/// Enqueues the means of the reduced sums, and clears the card's sums.
template <class T>
void enqueue_means(const Run<T>& run, const Turn<T>& turn, int width, cudaStream_t stream);

/// Enqueues 32-bit labels of a run that ended before its last possible iteration.
template <class T>
void enqueue_labels(const Run<T>& run, int label_bytes, cudaStream_t stream);

/// Loads all kernels of this file on the current device. A kernel that loads while another card waits for it may wait for that card.
void load_kernels(const Kernel& kernel, std::size_t shared_bytes);

}  // namespace km::many

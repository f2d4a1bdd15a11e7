// One iteration on one of several cards: a launch labels the card's points and sums those that moved, as gpu/lloyd/register_tiles does in its loop.
// The sums are integers whose units come from all points, so any number of cards gives the same bits. Every card then needs the sums of all cards.
// They meet after the kernel (nccl.cu) or in its last block (peers.cu), and each card makes the means itself.
#pragma once

#include "impl/gpu/lloyd/register_tiles_run.cuh"

namespace km::many {

using register_tiles::Bits;
using register_tiles::Run;

constexpr int most_cards = 8, most_clusters = 256;

/// Values that a card sums per iteration: words x cells, rests (cells), counts (k), labels changed, and two counters of register_tiles.
/// cells: k rows of the kernel's width.
template <class T>
__host__ __device__ constexpr int sums_of(int cells, int k) {
  return (register_tiles::words<T> + 1) * cells + k + register_tiles::counters;
}

/// How the last blocks of all cards meet inside the kernel. size 0: they do not. The two halves of an inbox alternate: a card enters epoch e + 2 only
/// after all have read epoch e.
struct Meeting {
  int rank = 0, size = 0;
  Bits* inbox[most_cards] = {};                  // of each card: 2 x size x sums
  Bits* arrived[most_cards] = {};                // of each card: the last epoch that each other one has sent
  Bits* epoch = nullptr;                         // of this card; never restarts
  int *late = nullptr, *late_on_host = nullptr;  // rank that did not come, plus one
};

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

template <class T>
struct Kernel {
  void (*run)(const Run<T>, const Turn<T>, const Meeting);
  int width, tile, step, threads;  // dimensions, points per tile, step of rows, threads
  int label_bytes;
  std::size_t (*bytes)(int k, int rows, int warps, int copies);

  int rows(int k) const { return (k + step - 1) / step * step; }
};

/// d <= 16, k <= most_clusters.
template <class T>
Kernel<T> kernel_for(int d, int k);

/// Enqueues the means of the reduced sums, and clears the card's sums.
template <class T>
void enqueue_means(const Run<T>& run, const Turn<T>& turn, int width, cudaStream_t stream);

/// Enqueues 32-bit labels of a run that ended before its last possible iteration.
template <class T>
void enqueue_labels(const Run<T>& run, int label_bytes, cudaStream_t stream);

/// Loads all kernels of this file on the current device. A kernel that loads while another card waits for it may wait for that card.
template <class T>
void load_kernels(const Kernel<T>& kernel, std::size_t shared_bytes);

}  // namespace km::many

// What the kernel of impl/gpu/lloyd/boxes.cu takes, and what a block holds. A tile is a run of up to 256 points in the order of
// boxes_order.cuh; a few tiles that follow each other are a group, with a box of its own. A tile has one owner, the cluster of all its points, or several.
#pragma once

#include "bench/base/exact.hpp"
#include "impl/gpu/lloyd/fixed_point.cuh"
#include "impl/gpu/whole_run.cuh"

namespace km::boxes {

using Bits = unsigned long long;
using moved_sums::FixedPoint;

constexpr int most_dimensions = 8;
constexpr unsigned all = 0xFFFFFFFF;               // lanes
constexpr std::int16_t several = -1, nobody = -2;  // owners

/// Values of a tile's sums: coarse, fine, the number of points with their copies.
constexpr int sums_of_tile(int d) { return 2 * d + 1; }

template <class T>
struct Run {
  const T* points;              // tiles x D x size
  const std::int32_t* numbers;  // tiles x size: of copies for which each point stands; null: one each
  const T* boxes;               // by block: its tiles x 2 D, least and greatest coordinates
  const T* group_boxes;         // groups x 2 D
  const Bits* sums;             // by block: its tiles x sums_of_tile
  std::int16_t* owners;         // by block: its tiles, unless shared memory has them
  std::uint16_t* labels;        // tiles x size: those of tiles with several owners
  void* all_owners;             // tiles x owner_bytes, at the end
  std::int64_t n, tiles, groups;
  int d, k, max_iters;
  double stop_at;  // stop at so few changed labels
  int size;        // points of a tile, a power of two
  int tiles_a_group, tiles_a_block, change_copies;
  bool held;        // boxes and owners in shared memory
  bool owners_fit;  // all tiles' owners in shared memory, at the end
  int owner_bytes;
  FixedPoint<T> fixed_point;
  const T* initial;
  Bits* meetings;  // max_iters + 1; initially zero, as changes
  Bits* changes;   // of the sums per iteration, three, alternating: copies of coarse and fine k x D each, and counts k
  T *assigned, *next;
  const std::int32_t* places;  // of the points, in the tiles
  std::int32_t* labels_out;
  int* iters;
  cuda::Stamps* stamps;
};

/// Layout of a block's shared memory, in this order.
struct SharedLayout {
  int k, d, warps, tiles;  // the last: whose boxes the block holds
  std::size_t value_bytes;

  __host__ __device__ int cells() const { return k * d; }
  __host__ __device__ int words() const { return (k + 31) / 32; }
  __host__ __device__ std::size_t totals() const { return sizeof(Bits) * (2 * cells() + k); }  // of all points so far: coarse, fine, counts
  __host__ __device__ std::size_t rows() const { return sizeof(double) * cells(); }
  __host__ __device__ std::size_t candidates() const { return (warps * (sizeof(unsigned) * words() + sizeof(std::uint16_t) * k) + 7) / 8 * 8; }
  __host__ __device__ std::size_t owned_box() const { return 2 * d * value_bytes + sizeof(std::int16_t); }
  __host__ __device__ std::size_t bytes() const { return totals() + rows() + candidates() + tiles * owned_box(); }
};

template <class T, int D>
struct Block {
  __device__ Block(const Run<T>& r, unsigned char* shared) : r(r), k(r.k), groups_here(int((r.groups - blockIdx.x + gridDim.x - 1) / gridDim.x)) {
    const int t = threadIdx.x, block = blockDim.x, warps = block / 32;
    const SharedLayout layout{k, D, warps, r.held ? r.tiles_a_block : 0, sizeof(T)};
    totals = reinterpret_cast<Bits*>(shared);
    rows = reinterpret_cast<double*>(shared + layout.totals());
    unsigned char* const above = reinterpret_cast<unsigned char*>(rows) + layout.rows();
    masks = reinterpret_cast<unsigned*>(above) + t / 32 * layout.words();
    list = reinterpret_cast<std::uint16_t*>(reinterpret_cast<unsigned*>(above) + warps * layout.words()) + t / 32 * k;
    const std::int64_t first = std::int64_t(blockIdx.x) * r.tiles_a_block;
    T* const held = reinterpret_cast<T*>(above + layout.candidates());
    boxes = r.held ? held : r.boxes + first * 2 * D;
    owners = r.held ? reinterpret_cast<std::int16_t*>(held + r.tiles_a_block * 2 * D) : r.owners + first;
    if (r.held)
      for (int at = t; at < r.tiles_a_block * 2 * D; at += block) held[at] = r.boxes[first * 2 * D + at];
    for (int at = t; at < r.tiles_a_block; at += block) owners[at] = nobody;
    for (int at = t; at < 2 * cells() + k; at += block) totals[at] = 0;
    for (int at = t; at < cells(); at += block) rows[at % D * k + at / D] = double(r.initial[at]);
  }

  __device__ int cells() const { return k * D; }
  __device__ int change_size() const { return 2 * cells() + k; }
  /// Groups of a block are far apart: those on boundaries are near each other.
  __device__ std::int64_t group(int at) const { return blockIdx.x + std::int64_t(at) * gridDim.x; }
  __device__ std::int64_t tile(int at) const { return group(at / r.tiles_a_group) * r.tiles_a_group + at % r.tiles_a_group; }
  __device__ int points_of(int at) const { return static_cast<int>(min(r.n - tile(at) * r.size, std::int64_t(r.size))); }
  __device__ double row(int c, int j) const { return rows[j * k + c]; }
  __device__ Bits* changes(int iter) const { return r.changes + iter % 3 * (r.change_copies * change_size()); }

  const Run<T>& r;
  int k, groups_here;
  Bits* totals;
  double* rows;  // D x k
  // Of the warp: the candidates of a group, and a bit for each that is one of a tile.
  std::uint16_t* list;
  unsigned* masks;
  const T* boxes;
  std::int16_t* owners;
};

}  // namespace km::boxes

// The kernel of impl/gpu/lloyd/boxes.cu: a run from the initial centroids to the labels. A tile is a run of up to 256 points in the order of
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
  std::uint16_t* labels;        // tiles x size: those of tiles with several owners; at the end all
  std::int64_t n, tiles, groups;
  int d, k, max_iters;
  double stop_at;  // stop at so few changed labels
  int size, tiles_a_group, tiles_a_block, change_copies;
  bool held;  // boxes and owners in shared memory
  FixedPoint fixed_point;
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

/// What the lanes that share a box find.
struct Found {
  int leader;           // about the nearest to the middle
  int count;            // of candidates
  unsigned candidates;  // the first 32
};

__device__ __forceinline__ unsigned first_bits(int count) { return count < 32 ? (1u << count) - 1 : all; }

/// Lanes of a warp that share a box: each looks at every `lanes`th centroid.
__device__ __forceinline__ int lanes_a_box(int count) { return count > 16 ? 32 : count > 8 ? 16 : count > 4 ? 8 : count > 2 ? 4 : count; }

/// Finds the candidates of a box among `count` centroids. number(i): the index of the i-th. No point is nearer to c than to the leader if no corner is; the
/// corner farthest towards c decides. Calls visit(word, bits) for 32 at a time. All lanes call it.
template <int D, class T, class Number, class Visit>
__device__ __forceinline__ Found find_candidates(const Block<T, D>& b, const T* box, int count, int lanes, Number number, Visit visit) {
  constexpr double doubt = fp64_doubt(D);
  const int lane = threadIdx.x % 32, mine = lane & (lanes - 1);
  const unsigned index = (2u << (31 - __clz(count))) - 1;  // the lowest bits of a distance hold the place
  double low[D], high[D], middle[D];
#pragma unroll
  for (int j = 0; j < D; ++j) low[j] = double(box[j]), high[j] = double(box[D + j]), middle[j] = 0.5 * (low[j] + high[j]);
  unsigned best = 0xFFFFFFFF;
#pragma unroll 2
  for (int at = mine; at < count; at += lanes) {
    const int c = number(at);
    double dist = 0;
#pragma unroll
    for (int j = 0; j < D; ++j) {
      const double difference = b.row(c, j) - middle[j];
      dist += difference * difference;
    }
    best = min(best, (__float_as_uint(static_cast<float>(dist)) & ~index) | at);
  }
  for (int step = lanes / 2; step > 0; step /= 2) best = min(best, __shfl_xor_sync(all, best, step));
  Found found{number(min(static_cast<int>(best & index), count - 1)), 0, 0};

  double near[D];
#pragma unroll
  for (int j = 0; j < D; ++j) near[j] = b.row(found.leader, j);
#pragma unroll 2
  for (int word = 0; word * 32 < count; ++word) {
    const int at = word * 32 + mine;
    bool kept = at < count;
    if (kept) {
      const int c = number(at);
      double to_c = 0, to_leader = 0;
#pragma unroll
      for (int j = 0; j < D; ++j) {
        const double centre = b.row(c, j), corner = centre > near[j] ? high[j] : low[j];
        to_c += (corner - centre) * (corner - centre), to_leader += (corner - near[j]) * (corner - near[j]);
      }
      kept = !((to_c - to_leader) - doubt * (to_c + to_leader) > std::numeric_limits<double>::min());
    }
    unsigned bits = __ballot_sync(all, kept) >> (lane & ~(lanes - 1));
    bits &= first_bits(lanes);
    visit(word, bits);
    if (word == 0) found.candidates = bits;
    found.count += __popc(bits);
  }
  return found;
}

/// The nearest of a tile's candidates, in fp64, the lowest index first. count: of the group's candidates.
template <class T, int D>
__device__ __forceinline__ int nearest(const Block<T, D>& b, const double (&x)[D], int count, unsigned candidates) {
  int best = -1;
  double least = cuda::infinity<double>;
  for (int word = 0; word * 32 < count; ++word)
    for (unsigned left = count > 32 ? b.masks[word] : candidates; left; left &= left - 1) {
      const int c = b.list[word * 32 + __ffs(left) - 1];
      double dist = 0;
#pragma unroll
      for (int j = 0; j < D; ++j) {
        const double difference = x[j] - b.row(c, j);
        dist += difference * difference;
      }
      if (best < 0 || dist < least) least = dist, best = c;
    }
  return best;
}

/// Moves all points of a tile from one cluster to another, one value a lane. from: nobody if they only join.
template <class T, int D>
__device__ __forceinline__ int move_tile(const Block<T, D>& b, Bits* change, int at, int from, int to) {
  constexpr int size = sums_of_tile(D);
  const Bits* const sums = b.r.sums + (std::int64_t(blockIdx.x) * b.r.tiles_a_block + at) * size;
  if (const int lane = threadIdx.x % 32; lane < size) {
    const int j = lane % D, cells = b.cells(), part = lane / D;
    const auto cell = [&](int c) { return part == 2 ? 2 * cells + c : part * cells + c * D + j; };
    const Bits value = sums[lane];
    if (value != 0) {
      atomicAdd(change + cell(to), value);
      if (from != nobody) atomicAdd(change + cell(from), Bits(0) - value);
    }
  }
  return threadIdx.x % 32 == 0 ? static_cast<int>(sums[2 * D]) : 0;
}

/// Moves up to 32 points of a tile at x, a lane each. Those that move between the same two clusters move together: a lane has one dimension, and teams
/// of lanes share the points.
/// Returns the lane's number of moved points.
template <class T, int D>
__device__ __forceinline__ int move_points(const Block<T, D>& b, Bits* change, const T* x, const std::int32_t* numbers, bool moves, int from,
                                           int to) {
  constexpr int width = D > 4 ? 8 : D > 2 ? 4 : D, teams = 32 / width;
  const int lane = threadIdx.x % 32, team = lane / width, j = lane % width, cells = b.cells();
  const int copies = !moves ? 0 : numbers ? numbers[lane] : 1;
  for (unsigned left = __ballot_sync(all, moves); left;) {
    const int one = __ffs(left) - 1, joins = __shfl_sync(all, to, one), leaves = __shfl_sync(all, from, one);
    const bool mine = moves && to == joins && from == leaves;
    const unsigned members = __ballot_sync(all, mine);
    left &= ~members;
    long long coarse = 0, fine = 0;
#pragma unroll
    for (int turn = 0; turn < width; ++turn) {
      const int member = turn * teams + team, number = __shfl_sync(all, copies, member);
      if (j >= D || !(members >> member & 1)) continue;
      long long whole, rest;
      b.r.fixed_point.split(double(x[j * b.r.size + member]), whole, rest);
      coarse += whole * number, fine += rest * number;
    }
#pragma unroll
    for (int step = width; step < 32; step *= 2) coarse += __shfl_xor_sync(all, coarse, step), fine += __shfl_xor_sync(all, fine, step);
    const int number = __reduce_add_sync(all, mine ? copies : 0);
    if (team > 1) continue;
    const int c = team == 0 ? joins : leaves, sign = team == 0 ? 1 : -1;
    if (j < D && coarse != 0) atomicAdd(change + c * D + j, Bits(coarse * sign));
    if (j < D && fine != 0) atomicAdd(change + cells + c * D + j, Bits(fine * sign));
    if (j == 0) atomicAdd(change + 2 * cells + c, Bits((long long)(number)*sign));
  }
  return copies;
}

/// A warp gives a tile, or each of its points, the owner. count: of the group's candidates. Returns the lane's number of points that changed label.
template <class T, int D>
__device__ __forceinline__ int label_tile(const Block<T, D>& b, Bits* change, int at, int count, const Found& found) {
  const int lane = threadIdx.x % 32, noted = b.owners[at], owner = found.count > 1 ? int(several) : found.leader;
  const bool is_first = noted == nobody;
  const int before = is_first ? found.leader : noted;  // at first all join the leader, and some leave it
  int moved = is_first ? move_tile(b, change, at, nobody, found.leader) : 0;
  if (owner != several && before != several) {
    if (owner != before) moved += move_tile(b, change, at, before, owner);
  } else {
    const int size = b.r.size, points = b.points_of(at);
    const std::int64_t first = b.tile(at) * size;
    for (int i = 0; i < points; i += 32) {
      const T* const x = b.r.points + first * D + i;
      const bool is_point = i + lane < points;
      int old = before, now = owner;
      if (is_point) {
        std::uint16_t& label = b.r.labels[first + i + lane];
        if (before == several) old = label;
        if (owner == several) {
          double own[D];
#pragma unroll
          for (int j = 0; j < D; ++j) own[j] = double(x[j * size + lane]);
          now = nearest(b, own, count, found.candidates);
          if (now != old || before != several) label = static_cast<std::uint16_t>(now);
        }
      }
      const int joined = move_points(b, change, x, b.r.numbers ? b.r.numbers + first + i : nullptr, is_point && now != old, old, now);
      if (!is_first) moved += joined;
    }
  }
  __syncwarp();
  if (lane == 0) b.owners[at] = static_cast<std::int16_t>(owner);
  return moved;
}

/// Labels the tiles of a group. Returns the lane's number of points that changed label.
template <class T, int D>
__device__ __forceinline__ int label_group(const Block<T, D>& b, Bits* change, int group) {
  const int lane = threadIdx.x % 32;
  int listed = 0;
  __syncwarp();
  const auto list = [&](int word, unsigned bits) {
    if (bits >> lane & 1) b.list[listed + __popc(bits & ((1u << lane) - 1))] = static_cast<std::uint16_t>(word * 32 + lane);
    listed += __popc(bits);
  };
  const auto itself = [](int c) { return c; };
  const Found of_group = find_candidates(b, b.r.group_boxes + b.group(group) * 2 * D, b.k, 32, itself, list);
  const int tiles_a_group = b.r.tiles_a_group, first_tile = group * tiles_a_group;
  if (tiles_a_group == 1) {  // what holds for the group holds for its tile
    for (int word = lane; listed > 32 && word * 32 < listed; word += 32) b.masks[word] = first_bits(listed - word * 32);
    __syncwarp();
    const bool open = listed > 1 || of_group.leader != b.owners[group];
    return open ? label_tile(b, change, group, listed, {of_group.leader, listed, first_bits(listed)}) : 0;
  }
  __syncwarp();
  const int lanes = lanes_a_box(listed), each = 32 / lanes,
            tiles = static_cast<int>(min(b.r.tiles - b.tile(first_tile), std::int64_t(tiles_a_group)));
  const auto listed_at = [&](int place) { return int(b.list[place]); };
  const auto note = [&](int word, unsigned bits) {
    if (listed > 32 && lane == 0) b.masks[word] = bits;
  };
  int moved = 0;
  for (int first = 0; first < tiles; first += each) {
    const int place = first + lane / lanes, at = first_tile + min(place, tiles - 1);
    const Found found = find_candidates(b, b.boxes + at * 2 * D, listed, lanes, listed_at, note);
    const bool open = place < tiles && lane % lanes == 0 && (found.count > 1 || found.leader != b.owners[at]);
    __syncwarp();
    for (unsigned left = __ballot_sync(all, open); left; left &= left - 1) {
      const int from = __ffs(left) - 1;
      const auto of = [&](auto value) { return __shfl_sync(all, value, from); };
      moved += label_tile(b, change, of(at), listed, {of(found.leader), of(found.count), of(found.candidates)});
    }
    __syncwarp();
  }
  return moved;
}

/// Labels the block's tiles. A free warp takes the next group. next: initially 0. Returns the lane's number of points that changed label.
template <class T, int D>
__device__ __forceinline__ int assign(const Block<T, D>& b, Bits* change, int* next) {
  int moved = 0;
  for (int group = threadIdx.x / 32; group < b.groups_here;) {
    moved += label_group(b, change, group);
    if (threadIdx.x % 32 == 0) group = atomicAdd(next, 1) + int(blockDim.x) / 32;
    group = __shfl_sync(all, group, 0);
  }
  return moved;
}

/// Means of the sums so far, in every block. The last iteration writes the centroids out. An empty cluster keeps its centroid.
template <class T, int D>
__device__ __forceinline__ void update_centroids(const Block<T, D>& b, const Bits* changes, bool last) {
  const int cells = b.cells(), size = b.change_size();
  for (int at = threadIdx.x; at < size; at += blockDim.x) {
    Bits sum = b.totals[at];
    for (int copy = 0; copy < b.r.change_copies; ++copy) sum += __ldcg(changes + copy * size + at);
    b.totals[at] = sum;
  }
  __syncthreads();
  for (int cell = threadIdx.x; cell < cells; cell += blockDim.x) {
    const int c = cell / D, j = cell % D;
    const auto count = static_cast<long long>(b.totals[2 * cells + c]);
    double& value = b.rows[j * b.k + c];
    const bool out = last && blockIdx.x == 0;
    if (out) b.r.assigned[cell] = static_cast<T>(value);
    if (count > 0) value = double(static_cast<T>(b.r.fixed_point.value(b.totals[cell], b.totals[cells + cell]) / double(count)));
    if (out) b.r.next[cell] = static_cast<T>(value);
  }
}

/// Every point's label, in the problem's order. All blocks call it.
template <class T, int D>
__device__ __forceinline__ void write_labels(const Block<T, D>& b) {
  for (int at = threadIdx.x / 32; at < b.groups_here * b.r.tiles_a_group; at += blockDim.x / 32) {
    const int owner = b.owners[at];
    if (owner < 0) continue;
    for (int i = threadIdx.x % 32; i < b.r.size; i += 32) b.r.labels[b.tile(at) * b.r.size + i] = static_cast<std::uint16_t>(owner);
  }
  __syncthreads();
  if (threadIdx.x == 0) cuda::meet(b.r.meetings);
  __syncthreads();
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < b.r.n; i += std::int64_t(gridDim.x) * blockDim.x)
    b.r.labels_out[i] = __ldcg(b.r.labels + b.r.places[i]);
}

/// Threads of a block: as many as the registers allow.
template <class T, int D>
constexpr int threads_of = D * sizeof(T) <= 16 ? 1024 : 512;

template <class T, int D>
__global__ void __launch_bounds__(threads_of<T, D>, 1) iterate_all(const __grid_constant__ Run<T> r) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ int moved_here, next;
  __shared__ Bits moved;
  const int t = threadIdx.x, block = blockDim.x;
  const Block<T, D> b(r, shared);
  const int all_changes = r.change_copies * b.change_size();
  if (t == 0) moved_here = next = 0;
  if (blockIdx.x == 0 && t == 0) r.stamps[0].made = cuda::nanoseconds();
  __syncthreads();

  for (int iter = 1;; ++iter) {
    const int mine = __reduce_add_sync(all, assign(b, b.changes(iter) + int(blockIdx.x) % r.change_copies * b.change_size(), &next));
    if (t % 32 == 0 && mine > 0) atomicAdd(&moved_here, mine);
    // No block reads them after the last meeting, none adds to them before the next.
    for (int at = blockIdx.x * block + t; at < all_changes; at += gridDim.x * block) b.changes(iter + 1)[at] = 0;
    __syncthreads();
    if (t == 0) {
      if (blockIdx.x == 0) r.stamps[iter].assigned = cuda::nanoseconds();
      moved = cuda::meet(r.meetings + iter, Bits(moved_here));
      moved_here = next = 0;
      if (blockIdx.x == 0) r.stamps[iter].met = cuda::nanoseconds();
    }
    __syncthreads();
    const bool last = iter == r.max_iters || static_cast<double>(moved) <= r.stop_at;
    update_centroids(b, b.changes(iter), last);
    if (blockIdx.x == 0 && t == 0) r.stamps[iter].made = cuda::nanoseconds();
    if (last) {
      if (blockIdx.x == 0 && t == 0) *r.iters = iter;
      break;
    }
    __syncthreads();
  }
  write_labels(b);
}

}  // namespace km::boxes

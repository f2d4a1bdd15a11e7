// Labels of one iteration of impl/gpu/lloyd/boxes.cu: boxes drop centroids, tiles change owner, points on boundaries meet the candidates that are left.
#pragma once

#include "impl/gpu/lloyd/boxes_state.cuh"

namespace km::boxes {

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
  Found found{number(static_cast<int>(best & index)), 0, 0};

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

/// Moves all points of tiles from one cluster to another, one value a lane. tiles: a bit for each after the first. from: nobody if they only join.
/// Returns, in the last value's lane, the number of points.
template <class T, int D>
__device__ __forceinline__ int move_tiles(const Block<T, D>& b, Bits* change, int first, unsigned tiles, int from, int to) {
  constexpr int size = sums_of_tile(D);
  const int lane = threadIdx.x % 32;
  if (lane >= size) return 0;
  Bits value = 0;
  for (unsigned left = tiles; left; left &= left - 1)
    value += b.r.sums[(std::int64_t(blockIdx.x) * b.r.tiles_a_block + first + __ffs(left) - 1) * size + lane];
  const int j = lane % D, cells = b.cells(), part = lane / D;
  const auto cell = [&](int c) { return part == 2 ? 2 * cells + c : part * cells + c * D + j; };
  if (value != 0) {
    atomicAdd(change + cell(to), value);
    if (from != nobody) atomicAdd(change + cell(from), Bits(0) - value);
  }
  return part == 2 ? static_cast<int>(value) : 0;
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
      b.r.fixed_point.split(double(x[j * b.r.size + member]), j, whole, rest);
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
  int moved = is_first ? move_tiles(b, change, at, 1, nobody, found.leader) : 0;
  if (owner != several && before != several) {
    if (owner != before) moved += move_tiles(b, change, at, 1, before, owner);
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
  const int tiles_a_group = b.r.tiles_a_group, first_tile = group * tiles_a_group;
  const T* const box = tiles_a_group == 1 ? b.boxes + group * 2 * D : b.r.group_boxes + b.group(group) * 2 * D;
  const Found of_group = find_candidates(b, box, b.k, 32, itself, list);
  if (tiles_a_group == 1) {  // what holds for the group holds for its tile
    for (int word = lane; listed > 32 && word * 32 < listed; word += 32) b.masks[word] = first_bits(listed - word * 32);
    __syncwarp();
    const bool open = listed > 1 || of_group.leader != b.owners[group];
    return open ? label_tile(b, change, group, listed, {of_group.leader, listed, first_bits(listed)}) : 0;
  }
  __syncwarp();
  const int tiles = static_cast<int>(min(b.r.tiles - b.tile(first_tile), std::int64_t(tiles_a_group)));
  int moved = 0;
  if (listed == 1) {  // it takes the group whole
    const int to = of_group.leader, before = lane < tiles ? int(b.owners[first_tile + lane]) : to;
    for (unsigned left = __ballot_sync(all, before != to); left;) {
      const int one = __ffs(left) - 1, from = __shfl_sync(all, before, one);
      const unsigned same = __ballot_sync(all, before == from);
      left &= ~same;
      if (from != several) moved += move_tiles(b, change, first_tile, same, from, to);
      else
        for (unsigned rest = same; rest; rest &= rest - 1) moved += label_tile(b, change, first_tile + __ffs(rest) - 1, 1, of_group);
    }
    __syncwarp();
    if (lane < tiles) b.owners[first_tile + lane] = static_cast<std::int16_t>(to);
    return moved;
  }
  const int lanes = lanes_a_box(listed), each = 32 / lanes;
  const auto listed_at = [&](int place) { return int(b.list[place]); };
  const auto note = [&](int word, unsigned bits) {
    if (listed > 32 && lane == 0) b.masks[word] = bits;
  };
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

}  // namespace km::boxes

// A block's labels in impl/gpu/hamerly/neighbours.cu: all points against all centroids in the first iteration. In later ones, points
// past their bounds meet the neighbours of their own centroid.
#pragma once

#include "impl/gpu/hamerly/neighbours_state.cuh"

namespace km::neighbours {

/// Adds the table to this iteration's changes and clears it. All threads call it.
template <class T, int D>
__device__ __forceinline__ void flush(const Block<T, D>& b, const resident::Table& table, int iter) {
  const Run<T>& r = b.r;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, cells = b.cells(), copy = b.copy;
  Bits *const coarse = b.change(iter) + copy * cells, *const fine = b.change(iter) + (r.copies + copy) * cells,
              *const words = b.change(iter) + 2 * r.copies * cells + copy * r.k, *const any = b.change(iter) + b.change_size() - 1;
  __syncthreads();
  const bool any_fine = *table.any_fine != 0;
  for (int at = warp; at < cells + r.k; at += b.warps) {
    const long long sum = at < cells ? table.take_coarse(at) : table.take(table.counts + (at - cells) * table.copies);
    if (lane == 0 && sum != 0) atomicAdd(at < cells ? coarse + at : words + (at - cells), at < cells ? Bits(sum) : moves_of(sum, Bits(sum)));
  }
  for (int cell = warp; any_fine && cell < cells; cell += b.warps) {
    const long long sum = table.take(table.fine + cell * table.copies);
    if (lane == 0 && sum != 0) atomicAdd(fine + cell, Bits(sum));
  }
  __syncthreads();
  if (any_fine && threadIdx.x == 0) atomicAdd(any, Bits(1)), *table.any_fine = 0;
  __syncthreads();
}

/// Moves points with all their copies between the sums, one by one; lanes share the dimensions. mover: the lane has one, of the block's point `place`.
/// from: negative if it only joins. Returns the number of points that moved.
template <class T, int D>
__device__ __forceinline__ int move_points(const Block<T, D>& b, int iter, bool mover, unsigned place, int to, int from) {
  const Run<T>& r = b.r;
  const int lane = threadIdx.x % 32, cells = b.cells(), copy = b.copy;
  Bits *const coarse = b.change(iter) + copy * cells, *const fine = b.change(iter) + (r.copies + copy) * cells,
              *const words = b.change(iter) + 2 * r.copies * cells + copy * r.k, *const any = b.change(iter) + b.change_size() - 1;
  int moved = 0;
  for (unsigned bits = __ballot_sync(all, mover); bits; bits &= bits - 1) {
    const int owner = __ffs(bits) - 1, joins = __shfl_sync(all, to, owner), leaves = __shfl_sync(all, from, owner);
    const unsigned at = __shfl_sync(all, place, owner);
    const int copies = b.copies(at);
    const T* const x = b.points_of(at / slice) + at % slice;
#pragma unroll
    for (int first = 0; first < 2 * D; first += 32) {
      const int v = first + lane, j = v % D, c = v < D ? joins : leaves;
      if (v >= 2 * D || c < 0) continue;
      long long whole, rest;
      r.fixed_point.split(v < D ? double(x[j * slice]) : -double(x[j * slice]), j, whole, rest);
      if (whole != 0) atomicAdd(coarse + c * D + j, Bits(whole * copies));
      if (rest != 0) {
        atomicAdd(fine + c * D + j, Bits(rest * copies));
        if (sizeof(T) == 4) atomicMax(any, Bits(1));
      }
    }
    if (const int c = lane == 0 ? joins : leaves; lane < 2 && c >= 0) atomicAdd(words + c, moves_of(lane == 0 ? copies : -copies, 1));
    moved += copies;
  }
  return moved;
}

/// The first iteration: every point against every centroid, and all into the table.
template <class T, int D>
__device__ __forceinline__ void assign_all(const Block<T, D>& b, const resident::Table& table, int iter, int* tally) {
  constexpr int P = D * sizeof(T) <= 64 ? 2 : 1;  // points of a lane
  const Run<T>& r = b.r;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, k = r.k, chunk = slices_a_flush * r.table_copies;
  const T* const rows = b.rows_of(iter - 1);
  int doubts = 0, points = 0, joined = 0;  // joined: with copies
  for (int begin = 0; begin < b.slices; begin += chunk) {
    const int end = min(begin + chunk, b.slices);
    for (int first = begin + warp * P; first < end; first += b.warps * P) {
      T x[P][D];
#pragma unroll
      for (int p = 0; p < P; ++p) {
        const T* const from = b.points_of(min(first + p, end - 1)) + lane;
#pragma unroll
        for (int j = 0; j < D; ++j) x[p][j] = from[j * slice];
      }
      Nearest<T> best[P];
#pragma unroll
      for (int p = 0; p < P; ++p) best[p].at = 0;
#pragma unroll 2
      for (int c = 0; c < k; ++c) {
        T dist[P];
        distances(x, rows + c * b.pitch, dist);
#pragma unroll
        for (int p = 0; p < P; ++p) {
          best[p].second = min(best[p].second, max(best[p].first, dist[p]));
          best[p].at = dist[p] < best[p].first ? c : best[p].at;  // strict: the lowest index wins a tie
          best[p].first = min(best[p].first, dist[p]);
        }
      }
#pragma unroll
      for (int p = 0; p < P; ++p) {
        const int s = first + p;
        if (s >= end) break;
        const T* const from = b.points_of(s) + lane;
        const bool here = b.whole(s) * slice + lane < r.n;
        float upper = above(best[p].first, r.widening), lower = below(best[p].second, r.widening);
        int label = best[p].at;
        const bool doubt = here && doubtful(best[p], r.d);
        for (unsigned bits = __ballot_sync(all, doubt); bits; bits &= bits - 1, ++doubts) {
          const int owner = __ffs(bits) - 1;
          const Nearest<double> exact = settle<D>(from - lane + owner, rows, b.twin, k);
          if (lane == owner && exact.at < k) label = exact.at, upper = above(exact.first, r.finer), lower = below(exact.second, r.finer);
        }
        b.bounds_of(s)[lane] = make_float2(upper, lower);
        b.labels_of(s)[lane] = static_cast<std::uint16_t>(label);
        if (r.numbers != nullptr) {
          joined += move_points(b, iter, here, unsigned(s) * slice + lane, label, -1);
        } else if (here) {
          table.add<D>(from, slice, label, 1, r.fixed_point);
        }
        points += __popc(__ballot_sync(all, here));
      }
    }
    flush(b, table, iter);
  }
  if (lane == 0) {
    atomicAdd(tally + changed, r.numbers ? joined : points), atomicAdd(tally + past, points), atomicAdd(tally + tight, points);
    if (doubts > 0) atomicAdd(tally + in_doubt, doubts);
  }
}

/// A warp's counters of an iteration.
struct Counts {
  int changed = 0, past = 0, tight = 0, in_doubt = 0;  // the same in all lanes
  int evaluated = 0;                                   // this lane's distances

  __device__ void give(int* tally) {
    evaluated = __reduce_add_sync(all, evaluated);
    if (threadIdx.x % 32 > 0 || past == 0) return;
    atomicAdd(tally + neighbours::past, past), atomicAdd(tally + neighbours::tight, tight), atomicAdd(tally + neighbours::evaluated, evaluated);
    if (changed > 0) atomicAdd(tally + neighbours::changed, changed);
    if (in_doubt > 0) atomicAdd(tally + neighbours::in_doubt, in_doubt);
  }
};

/// A lane tries the centroids of its part whose cut distance² to the point's own is below `limit`. Returns the least excess over it among the others, in
/// two halves with bit 15 set; without others, bit 15 is clear. log: of the lanes of a point.
template <class T, int D>
__device__ __forceinline__ unsigned try_candidates(const Block<T, D>& b, const T (&x)[1][D], const T* rows, int own, unsigned limit, int log,
                                                   int part, Nearest<T>& best, Counts& counts) {
  unsigned rest = none_left_out;
  const unsigned* const row = b.apart + own * b.apart_pitch + part;
  const int pairs = (b.r.k + 1) / 2;  // and what the lanes read beyond them: no centroids
  for (int base = 0; base < pairs; base += 16 << log) {
    unsigned mask = 0;  // bit u: the first centroid of the lane's pair u is a candidate; bit 16 + u: the second
    const int steps = min(16, (pairs - base + (1 << log) - 1) >> log);
#pragma unroll 4
    for (int u = 0; u < steps; ++u) {
      // Distances have bit 15 set and the limit has not, so no half borrows. The bit stays where the centroid is no candidate.
      const unsigned excess = row[base + (u << log)] - limit * 0x10001;
      rest = __vmins2(rest, excess);
      mask = (mask >> 1 & 0x7FFF7FFF) | (~excess & 0x80008000);
    }
    mask >>= 16 - steps;
    counts.evaluated += __popc(mask);
    while (mask) {
      const int bit = highest(mask), c = 2 * (base + ((bit & 15) << log) + part) + (bit >> 4);
      mask ^= 1u << bit;
      best.add(distance(x, rows + c * b.pitch), c);
    }
  }
  return rest;
}

/// Compares up to 32 points with the neighbours of their centroids. places: the slices and lanes of `size` points. Lanes share few points.
template <class T, int D>
__device__ __forceinline__ void compare(const Block<T, D>& b, int iter, const unsigned* places, int size, float slack, Counts& counts) {
  const Run<T>& r = b.r;
  const int lane = threadIdx.x % 32, k = r.k;
  const T* const rows = b.rows_of(iter - 1);
  const int log = __clz(size - 1) - 27, lanes = 1 << log, at = lane >> log, part = lane & (lanes - 1);  // lanes of a point
  const bool here = at < size, first_lane = here && part == 0;
  const unsigned place = places[here ? at : 0];
  const int s = place / slice, p = place % slice;
  float2* const bound_at = b.bounds_of(s) + p;
  std::uint16_t* const label_at = b.labels_of(s) + p;
  T x[1][D];
  {
    const T* const from = b.points_of(s) + p;
#pragma unroll
    for (int j = 0; j < D; ++j) x[0][j] = from[j * slice];
  }
  const int own = *label_at;
  const float2 bound = *bound_at;
  const T own_dist = distance(x, rows + own * b.pitch);
  const float upper = fminf(bound.x, above(own_dist, r.widening));
  const bool open = here && !(upper < fmaxf(bound.y, b.loosen[own].y));
  counts.past += size, counts.tight += __popc(__ballot_sync(all, open && part == 0));
  if (!__any_sync(all, open)) {
    if (first_lane) *bound_at = make_float2(upper, bound.y);
    return;
  }

  Nearest<T> best;
  if (part == 0) best.add(own_dist, own);
  counts.evaluated += open && part == 0;
  const float reach = __fmaf_ru(2, upper, slack <= upper / 4 ? slack : 0.0f);
  const unsigned limit = min((__float_as_uint(__fmul_ru(reach, reach)) + 0xFFFF) >> 16, infinite) + 1;  // candidates are below it
  unsigned rest = open ? try_candidates(b, x, rows, own, limit, log, part, best, counts) : none_left_out;
  for (int away = lanes / 2; away > 0; away /= 2) {
    merge_from_lane(best, best, away);
    rest = __vmins2(rest, __shfl_xor_sync(all, rest, away));
  }
  const unsigned excess = __vmins2(rest, rest >> 16) & 0xFFFF;
  const float left_out = excess < 0x8000 ? cuda::infinity<float> : __fsub_rd(root_of_cut((excess & 0x7FFF) + limit), upper);
  int label = best.at;
  float nearest = above(best.first, r.widening), lower = fminf(below(best.second, r.widening), left_out);
  for (unsigned bits = __ballot_sync(all, open && part == 0 && doubtful(best, r.d)); bits; bits &= bits - 1, ++counts.in_doubt) {
    const int owner = __ffs(bits) - 1;
    const unsigned which = __shfl_sync(all, place, owner);
    const Nearest<double> exact = settle<D>(b.points_of(which / slice) + which % slice, rows, b.twin, k);
    if (lane == owner) label = exact.at, nearest = above(exact.first, r.finer), lower = below(exact.second, r.finer);
  }
  if (label >= k || !open) label = own;  // also if every distance is NaN
  if (first_lane) {
    *bound_at = !open          ? make_float2(upper, bound.y)
                : label == own ? make_float2(fminf(upper, nearest), fmaxf(lower, bound.y))
                               : make_float2(nearest, lower);
    if (label != own) *label_at = static_cast<std::uint16_t>(label);
  }
  counts.changed += move_points(b, iter, first_lane && label != own, place, label, own);
}

/// Loosens the bounds of `ahead` slices of a warp. past: per slice, bits of the lanes whose points are past them.
template <class T, int D>
__device__ __forceinline__ void find_past(const Block<T, D>& b, int first, float top, unsigned (&past)[ahead]) {
  const int lane = threadIdx.x % 32;
  float2 bound[ahead];
  int label[ahead];
#pragma unroll
  for (int u = 0; u < ahead; ++u) {
    const int s = first + (first + u * b.warps < b.slices ? u * b.warps : 0);  // not another warp's slice
    bound[u] = b.bounds_of(s)[lane], label[u] = b.labels_of(s)[lane];
  }
#pragma unroll
  for (int u = 0; u < ahead; ++u) {
    const int s = first + u * b.warps;
    past[u] = 0;
    if (s >= b.slices) continue;
    const bool here = b.whole(s) * slice + lane < b.r.n;
    const float4 loosen = b.loosen[label[u]], far = b.reach[label[u]];
    const float reach[levels] = {far.x, far.y, far.z, far.w};
    const float upper = __fadd_ru(bound[u].x, loosen.x);
    float lower = __fsub_rd(bound[u].y, loosen.z);
#pragma unroll
    for (int level = 0; level < levels; ++level) lower = fmaxf(lower, fminf(__fsub_rd(bound[u].y, slow(top, level)), __fsub_rd(reach[level], upper)));
    if (here && (upper != bound[u].x || lower != bound[u].y)) b.bounds_of(s)[lane] = make_float2(upper, lower);
    past[u] = __ballot_sync(all, here && !(upper < fmaxf(lower, loosen.y)));
  }
}

/// Later iterations: points past their loosened bounds are queued. A warp compares 32 of its own at a time; at last the block's warps share what is left
/// evenly. top: the greatest shift. queued: zero, and zero again after the next __syncthreads.
template <class T, int D>
__device__ __forceinline__ void assign_past(const Block<T, D>& b, int iter, float top, int* tally, int& queued) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, stride = ahead * b.warps;
  const float slack = slack_shifts * top;
  Counts counts;
  unsigned *const own = b.queue + warp * queue_size, past[ahead];
  int waiting = 0, first = warp;
  const auto put = [&](unsigned* to) {  // the points past their bounds; returns the place behind them
#pragma unroll
    for (int u = 0; u < ahead; ++u) {
      if (past[u] >> lane & 1) to[__popc(past[u] & ((1u << lane) - 1))] = unsigned(first + u * b.warps) * slice + lane;
      to += __popc(past[u]);
    }
    return to;
  };
  for (; first - warp + stride < b.slices; first += stride) {
    find_past(b, first, top, past);
    waiting = static_cast<int>(put(own + waiting) - own);
    __syncwarp();
    for (; waiting >= slice; waiting -= slice) {
      compare(b, iter, own + waiting - slice, slice, slack, counts);
      __syncwarp();
    }
  }

  const auto reserve = [&](int size) {  // in the queue that the warps share
    int at = 0;
    if (lane == 0 && size > 0) at = atomicAdd(&queued, size);
    return b.queue + __shfl_sync(all, at, 0);
  };
  if (first > warp) {
    const unsigned left = own[lane];
    __syncthreads();  // before other warps overwrite it
    unsigned* const to = reserve(waiting);
    if (lane < waiting) to[lane] = left;
  }
  if (first < b.slices) {
    find_past(b, first, top, past);
    int size = 0;
#pragma unroll
    for (int u = 0; u < ahead; ++u) size += __popc(past[u]);
    put(reserve(size));
  }
  __syncthreads();
  for (int size = queued; size > 0;) {
    const int each = size < slice * b.warps ? quotient(size + b.warps - 1, b.warps) : slice, end = size - warp * each;
    if (const int mine = min(each, end); mine > 0) compare(b, iter, b.queue + end - mine, mine, slack, counts);
    size -= each * b.warps;
  }
  __syncthreads();
  if (threadIdx.x == 0) queued = 0;
  counts.give(tally);
}

}  // namespace km::neighbours

// The distinct points of a problem on the device, each with its number of copies, for implementations that run over these alone.
#pragma once

#include "bench/device/cuda_lloyd.cuh"

namespace km::cuda {

/// points: n x d. numbers: copies of each. places: for each of all points its place among these.
template <class T>
struct DistinctRows {
  Buffer<T> points;
  Buffer<std::int32_t> numbers, places;

  /// The problem of these points, which are on the device alone.
  Problem<T> among(Problem<T> p) const {
    p.n = numbers.size(), p.points = {};
    return p;
  }
};

/// Finds the points that differ in a bit, in order of their first ones. Below 2^31 points. Phases: transfer, distinct.
template <class T>
DistinctRows<T> distinct_rows(const Problem<T>& problem, Trace& trace);

}  // namespace km::cuda

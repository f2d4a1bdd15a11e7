// Exact k-means to convergence for few dimensions: bounds leave most points alone, and the rest meets only the neighbours of its own centroid.
// Each point has an upper bound of the distance to its own centroid and one lower bound of the distance to all others (Hamerly 2010). A point past
// its bounds first gets its own distance anew. If that does not help, only centroids within about twice that distance of its own can be nearer. This
// is the ball of exponion (Newling and Fleuret 2016), with Elkan's distances between centroids (2003). What lies outside the ball bounds the lower
// bound (after Borgelt 2020).
// The lower bound shrinks by the greatest shift of another centroid. Alternatively, by four levels of speed, faster centroids count by their distance
// to the point's own (as in gpu/yinyang/compacted; after Rysavy and Hamerly 2016).
// All iterations are one kernel. Blocks meet once an iteration, by one counter that also sums up the changed labels. Every block makes the centroids
// with moved points itself, and all distances from them to other centroids, 16 bits each, rounded down. Sums are integers, so results do not depend
// on grid or order, and a cluster at rest does not move. Bounds, labels and points stay in shared memory as far as they fit.
// A warp queues its points past their bounds and compares 32 at a time, a lane each; fewer points share the lanes. A lane tests two distances between
// centroids in one subtraction, then walks the set bits.
// Cost of an iteration: 10 bytes and some 60 instructions a point; past the bounds 2 d, then 3 k, then 2 d a candidate. Per moved point: 2 d
// additions to L2. Per block: 8 bytes a value of the sums from L2; 2 k d instructions a changed centroid (points of up to 64
// bytes: at most k² d); 2 k² for the nearest. Barriers: one of the grid, six of the block. Per run: all distances once; a layout in prepare; one launch.
// Limit: 48 dimensions, 32 in fp64; centroids, sums and 2 k² bytes in a block's shared memory, some 300 clusters. In many dimensions without structure most
// centroids are candidates: gpu/yinyang/compacted. While most points move, gpu/lloyd/register_tiles is faster.
#include "impl/cost_terms.hpp"
#include "impl/gpu/hamerly/neighbours.cuh"
#include "impl/gpu/over_distinct.hpp"

namespace km {
namespace {

template <class T>
struct Neighbours : neighbours::Neighbours<T> {
  using neighbours::Neighbours<T>::Neighbours;
};

const Register<Neighbours> registration{{
    .summary = "bounds, then the neighbours of a point's own centroid; all iterations in one kernel with one barrier each",
    .device = Device::gpu,
    .parameters = neighbours::parameters(),
    .unsupported = neighbours::too_large,
    .fixed_point = true,
    .cost =
        [](const ProblemShape& p, const Config& config, int value_bytes) {
          const cost::Counts c(p, value_bytes);
          std::vector<double> terms = cost::moved(p, config, value_bytes);
          for (const double term : {c.early() * c.n * c.k * c.d, c.iters * c.n, c.iters * c.k * c.k}) terms.push_back(term);
          return terms;
        },
}};

}  // namespace

template <class T>
std::unique_ptr<AnySolver<T>> neighbours::over_distinct(const Problem<T>& problem, const Config& config, Trace& trace) {
  cuda::DistinctRows<T> rows = cuda::distinct_rows(problem, trace);
  return std::make_unique<Neighbours<T>>(rows.among(problem), config, trace, 1.0f, &rows);
}
template std::unique_ptr<AnySolver<float>> neighbours::over_distinct(const Problem<float>&, const Config&, Trace&);
template std::unique_ptr<AnySolver<double>> neighbours::over_distinct(const Problem<double>&, const Config&, Trace&);

}  // namespace km

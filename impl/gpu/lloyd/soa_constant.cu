// benedetti2025 as in its text (Sections 3.1, 3.2, 3.6): structure of arrays, one thread per point in assign. Centroids are in constant memory, which
// all threads of a warp read at one address. The update has a block per value of the centroids and no atomics. A block reads all n labels for its
// value: O(n k d) reads, from the L2 cache if they fit.
// Limit: k d values beyond 64 KiB; with k d below the number of multiprocessors the update leaves some idle.
// Differences from the text: blocks of 1024 (256 there); labels are read 16 bytes at a time, four reads ahead, to hide latency; no phantom point.
#include "impl/gpu/lloyd/benedetti.cuh"

namespace km {
namespace {

template <class T>
using SoaConstant = Benedetti<T, Columns, ConstantMemory, BlockPerValue>;

const Register<SoaConstant> registration{
    block_per_value("structure of arrays, centroids in constant memory, an update block a centroid value", true)};

}  // namespace
}  // namespace km

// benedetti2025 as its text describes it (Sections 3.1, 3.2, 3.6): structure of arrays, a thread a point in assign, the centroids
// in constant memory, which all threads of a warp read at one address; the update has a block for each value of each centroid
// and adds without atomics. A block reads all n labels for its one value: O(n k d) reads, from the L2 cache where they fit it.
// Where it stops: k d values beyond 64 KiB; and for k d below the number of multiprocessors the update leaves some idle.
// What differs from the text: blocks of 1024 (256 there) and labels read 16 bytes at a time, four such reads ahead, for a
// block's speed is how many reads it keeps under way; no phantom point at the end.
#include "impl/gpu/lloyd/benedetti.cuh"

namespace km {
namespace {

template <class T>
using SoaConstant = Benedetti<T, Columns, ConstantMemory, BlockPerValue>;

const Register<SoaConstant> registration{
    block_per_value("structure of arrays, centroids in constant memory, an update block a centroid value", true)};

}  // namespace
}  // namespace km

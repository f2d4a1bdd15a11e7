// lutz2018's single-pass strategy (Section 4) as the paper launches it: assignment and update fused in one kernel, the points transposed
// through local memory, the labels exchanged in the block. The defaults are the paper's configuration of a GTX 1080: 32,768 threads in
// blocks of 32, four points a thread, 48 KiB of local memory; so that points of 128 dimensions and more are read again from global memory,
// where the paper's own code made wrong sums. Ours that is faster: gpu/lloyd/single_pass and gpu/lloyd/registers.
// Cost of an iteration: points and labels read once (points twice past local memory), changed labels written.
#include "impl/gpu/lloyd/single_pass_transposed.cuh"

namespace km {
namespace {

template <class T>
struct SinglePassTransposed : lutz::SinglePass<T> {
  using lutz::SinglePass<T>::SinglePass;
};

const Register<SinglePassTransposed> registration{
    lutz::fused_description("assignment and update fused as the paper launches it: transposed through local memory")};

}  // namespace
}  // namespace km

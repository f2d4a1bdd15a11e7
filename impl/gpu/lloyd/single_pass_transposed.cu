// lutz2018's single-pass strategy (Section 4) as launched in the paper. One kernel fuses assignment and update, transposes points through local
// memory, and exchanges labels in the block. Defaults are the paper's configuration of a GTX 1080: 32,768 threads in blocks of 32, four points per
// thread, 48 KiB of local memory. Points of 128 dimensions or more are therefore read again from global memory, where the paper's own code computes
// wrong sums. Our faster versions: gpu/lloyd/single_pass and gpu/lloyd/registers.
// Cost of an iteration: points and labels read once (points twice beyond local memory), changed labels written.
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

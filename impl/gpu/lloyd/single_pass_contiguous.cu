// gpu/lloyd/single_pass_transposed with the other of lutz2018's memory access patterns (Section 6.1): a thread's points are neighbours. A warp's reads
// are then `vector` values apart; their cache lines serve `vector` reads.
// Cost of an iteration: single_pass_transposed's.
#include "impl/gpu/lloyd/single_pass_transposed.cuh"

namespace km {
namespace {

template <class T>
struct SinglePassContiguous : lutz::SinglePass<T, lutz::PointsReadAgain, lutz::Contiguous> {
  using lutz::SinglePass<T, lutz::PointsReadAgain, lutz::Contiguous>::SinglePass;
};

const Register<SinglePassContiguous> registration{lutz::fused_description("single_pass_transposed whose threads read neighbouring points")};

}  // namespace
}  // namespace km

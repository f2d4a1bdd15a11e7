// Exact Lloyd's on several cards of one process, or of several (kmbench run --launch). Each labels and sums its share of the points. NCCL adds the
// sums of all cards between two kernels, and each card makes the means itself. Kernels and reductions of a run are one CUDA graph a card. The sums are
// 64-bit integers, whose units come from all points. Any number of cards and ranks gives the same bits, whatever the order in which NCCL adds.
// Cost of an iteration: n / R (d s + 1) bytes read on each of R cards, as gpu/lloyd/register_tiles. Two launches and an all-reduce of k (3 d + 1) + 3
// values of 8 bytes (k (2 d + 1) + 3 in fp32).
// Limit: 16 dimensions, 256 clusters. With a tolerance the host waits for every iteration's count of changed labels.
#include "impl/gpu/many/cards.cuh"
#include "impl/gpu/many/communicators.hpp"

namespace km {
namespace {

template <class T>
class Nccl : public many::Cards<T> {
 public:
  Nccl(const Problem<T>& problem, const Config& config, Trace& trace)
      : many::Cards<T>(problem, many::pass_kernel<T>(problem.d, problem.k), config, trace),
        ranks_(many::communicators(this->devices(), problem.group)) {
    this->record([this](int rank, int iter, Trace& trace) {
      many::Card<T>& card = this->card(rank);
      {
        const cuda::Phase phase(trace, "fused", card.stream());
        card.enqueue_pass(iter, {});
      }
      {
        const cuda::Phase phase(trace, "reduce", card.stream());
        auto& sums = card.changes();
        nccl::check(ranks_->add(rank, sums.data(), sums.data(), std::size_t(sums.size()), nccl::int64, card.stream()), "ncclAllReduce");
      }
      const cuda::Phase phase(trace, "update", card.stream());
      card.enqueue_means(iter);
    });
  }
  ~Nccl() { this->drop(); }  // graphs end before the communicators that they hold

 private:
  std::shared_ptr<const many::Communicators> ranks_;
};

const Register<Nccl> registration{many::description(
    "several GPUs, of one process or of several ranks: a pass on each, sums of all by NCCL between kernels", many::pass_kernel<float>,
    many::pass_kernel<double>, [](const Config&) { return nccl::missing(); }, true)};

}  // namespace
}  // namespace km

// Exact Lloyd's by fp16 products on several cards, of one process or of several ranks: NCCL adds the sums of all between kernels. Idea and cost:
// screened_cards.cuh. To let each card make the means of some clusters (a reduce-scatter and an all-gather) took as long, with more launches.
#include "impl/gpu/many/communicators.hpp"
#include "impl/gpu/many/screened_cards.cuh"

namespace km {
namespace {

template <class T>
class Screened : public many::ScreenedCards<T> {
 public:
  Screened(const Problem<T>& problem, const Config& config, Trace& trace)
      : many::ScreenedCards<T>(problem, config, trace), ranks_(many::communicators(this->devices(), problem.group)) {
    this->record(
        [this](int rank) {
          many::Share<T>& own = this->card(rank);
          nccl::check(ranks_->add(rank, own.changed.data(), own.lloyd.changed(), 1, nccl::int64, own.lloyd.stream()), "ncclAllReduce");
        },
        [this](int rank) {
          many::Share<T>& own = this->card(rank);
          const screen::Totals mine = own.work->totals();
          nccl::check(nccl::functions().begin_group(), "ncclGroupStart");
          const nccl::Result of_sums =
              ranks_->add(rank, mine.sums, own.sums.data(), 2 * std::size_t(own.sums.size()), nccl::int64, own.lloyd.stream());
          const nccl::Result of_counts =
              ranks_->add(rank, mine.counts, own.counts.data(), std::size_t(own.counts.size()), nccl::int32, own.lloyd.stream());
          const nccl::Result ended = nccl::functions().end_group();  // an open group would queue all later calls
          for (const nccl::Result result : {of_sums, of_counts, ended}) nccl::check(result, "ncclAllReduce");
        });
  }
  ~Screened() { this->drop(); }  // graphs end before the communicators that they hold

 private:
  std::shared_ptr<const many::Communicators> ranks_;
};

const Register<Screened> registration{many::screened_description(
    "several GPUs, of one process or of several ranks: gpu/lloyd/screened on each, sums of all by NCCL",
    [](const Config&) { return nccl::missing(); }, true)};

}  // namespace
}  // namespace km

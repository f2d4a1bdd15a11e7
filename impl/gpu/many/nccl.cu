// Exact Lloyd's on several cards of one process, or of several (kmbench run --launch): each labels and sums its share of the points, NCCL adds the
// sums of all cards between two kernels, and each card makes the means itself. Kernels and reductions of a run are one CUDA graph a card. The sums are
// 64-bit integers, whose units come from all points: any number of cards and ranks gives the same bits, whatever the order in which NCCL adds.
// Cost of an iteration: n / R (d s + 1) bytes read on each of R cards, as gpu/lloyd/register_tiles; two launches and an all-reduce of k (3 d + 1) + 3
// values of 8 bytes (k (2 d + 1) + 3 in fp32).
// Limit: 16 dimensions, 256 clusters. With a tolerance the host waits for every iteration's count of changed labels.
#include <map>
#include <numeric>

#include "bench/contract/reuse_scope.hpp"
#include "impl/gpu/many/cards.cuh"
#include "impl/gpu/many/nccl_library.hpp"

namespace km {
namespace {

/// NCCL's ranks of this process, one a card.
class Communicators {
 public:
  Communicators(const std::vector<int>& devices, Group* group) : Communicators(devices.size()) {
    const cuda::KeepDevice kept;
    if (group) join(devices, *group);
    else nccl::check(nccl::functions().init_all(all_.data(), int(devices.size()), devices.data()), "ncclCommInitAll");
  }
  ~Communicators() {
    const cuda::KeepDevice kept;
    for (nccl::Communicator* const one : all_)
      if (one) static_cast<void>(nccl::functions().destroy(one));
  }
  Communicators(const Communicators&) = delete;

  void add(int rank, cuda::Buffer<many::Bits>& values, cudaStream_t stream) const {
    const auto count = static_cast<std::size_t>(values.size());
    nccl::check(nccl::functions().all_reduce(values.data(), values.data(), count, nccl::int64, nccl::sum, all_[std::size_t(rank)], stream),
                "ncclAllReduce");
  }

 private:
  explicit Communicators(std::size_t size) : all_(size) {}  // a constructor that throws later destroys what was made

  /// The cards of a process follow each other among those of all.
  void join(const std::vector<int>& devices, Group& group) {
    nccl::UniqueId id{};
    if (group.rank() == 0) nccl::check(nccl::functions().unique_id(&id), "ncclGetUniqueId");
    group.sum(id.words);  // the others' words are 0
    std::vector<std::int64_t> cards(std::size_t(group.size()), 0);
    cards[std::size_t(group.rank())] = std::ssize(devices);
    group.sum(cards);
    const auto before = std::accumulate(cards.begin(), cards.begin() + group.rank(), std::int64_t(0));
    const auto total = std::accumulate(cards.begin() + group.rank(), cards.end(), before);
    nccl::check(nccl::functions().begin_group(), "ncclGroupStart");
    nccl::Result made = nccl::success;
    for (std::size_t at = 0; at < devices.size() && made == nccl::success; ++at) {
      static_cast<void>(cudaSetDevice(devices[at]));  // its card has used it before
      made = nccl::functions().init_rank(&all_[at], int(total), id, int(before) + int(at));
    }
    const nccl::Result ended = nccl::functions().end_group();  // an open group would queue all later calls
    nccl::check(made, "ncclCommInitRank");
    nccl::check(ended, "ncclGroupEnd");
  }

  std::vector<nccl::Communicator*> all_;
};

/// To make them takes as long as many runs: a ReuseScope keeps them. Ranks make them together, once, and keep them.
std::shared_ptr<const Communicators> communicators(const std::vector<int>& devices, Group* group) {
  static std::map<std::vector<int>, std::shared_ptr<const Communicators>> kept;
  if (!group && !ReuseScope::active()) return std::make_shared<const Communicators>(devices, group);
  [[maybe_unused]] static const bool told = group || (ReuseScope::on_end([] { kept.clear(); }), true);
  auto& found = kept[devices];
  if (!found) found = std::make_shared<const Communicators>(devices, group);
  return found;
}

template <class T>
class Nccl {
 public:
  Nccl(const Problem<T>& problem, const Config& config, Trace& trace)
      : cards_(problem, many::pass_kernel<T>(problem.d, problem.k), config, trace), ranks_(communicators(cards_.devices(), problem.group)) {
    cards_.record([this](int rank, int iter, Trace& trace) {
      many::Card<T>& card = cards_.card(rank);
      {
        const cuda::Phase phase(trace, "fused", card.stream());
        card.enqueue_pass(iter, {});
      }
      const cuda::Phase phase(trace, "update", card.stream());
      ranks_->add(rank, card.changes(), card.stream());
      card.enqueue_means(iter);
    });
  }
  ~Nccl() {  // graphs end before the communicators that they hold
    try {
      cards_.each([this](int rank) { cards_.card(rank).graph.reset(); });
    } catch (...) {  // reported before
    }
  }
  Nccl(const Nccl&) = delete;

  void reset() { cards_.reset(); }
  int iterate(Trace& trace) { return cards_.iterate(trace); }
  Solution<T> download() { return cards_.download(); }

 private:
  many::Cards<T> cards_;
  std::shared_ptr<const Communicators> ranks_;
};

const Register<Nccl> registration{{
    .summary = "several GPUs, of one process or of several ranks: a pass on each, sums of all by NCCL between kernels",
    .device = Device::gpu,
    .parameters = {many::gpus_parameter()},
    .unsupported =
        [](const ProblemShape& p, const Config& config, int value_bytes) {
          return many::refusal(p, value_bytes == 4 ? many::pass_kernel<float> : many::pass_kernel<double>, config,
                               [](const Config&) { return nccl::missing(); });
        },
    .fixed_point = true,
    .shards = true,
}};

}  // namespace
}  // namespace km

// Exact Lloyd's on several cards of one host, one launch a card for the whole run: gpu/lloyd/register_tiles, whose barrier is that of all cards. A
// card's last block to arrive sends the card's sums to all cards (meeting.cuh). Every block of every card waits for the flags of all, adds their sums
// in order of ranks and makes all centroids itself. The flags are the barrier inside a card, too: nobody waits twice. A block that waits
// for ten seconds gives up, and the run fails. The sums are 64-bit integers, whose units come from all points: 1, 2 and 4 cards give the same bits.
// Cost of an iteration: n / R (d s + 1) bytes read on each of R cards, as gpu/lloyd/register_tiles. One barrier: an atomic addition, R k (3 d + 1) +
// 3 values of 8 bytes over NVLink (2 d in fp32), one way of a flag. Every block reads as many values from L2.
// Limit: 16 dimensions, 256 clusters.
#include "impl/gpu/lloyd/last_block.cuh"
#include "impl/gpu/many/cards.cuh"
#include "impl/gpu/many/mailboxes.cuh"

namespace km {
namespace {

using namespace register_tiles;
using many::Meeting;

/// The barrier of all cards, in place of register_tiles::GridBarrier.
struct CardsBarrier {
  struct Sums {
    const Meeting& cards;
    Bits epoch;
    int count;
    __device__ __forceinline__ Bits operator()(int at) const { return cards.sum(epoch, count, at); }
  };
  const Meeting& cards;
  unsigned* done;
  Bits before;  // the epoch before this run

  __device__ __forceinline__ bool wait(int iter, const Bits* change, int count) const {
    if (cuda::is_last_block(done)) cards.send(before + iter, change, count);
    return cards.wait(before + iter);
  }
  __device__ __forceinline__ Sums sums(int iter, const Bits*, int count) const { return {cards, before + iter, count}; }
  __device__ __forceinline__ void end(int iter) const { *cards.epoch = before + iter; }  // all blocks have read it
};

template <class T, int D, int P, int Group, class Label, int Threads>
__global__ void __launch_bounds__(Threads, 1)
    iterate_together(const __grid_constant__ Run<T> r, const __grid_constant__ Meeting cards, unsigned* done) {
  iterate_block<D, P, Group, 0, Label>(r, CardsBarrier{cards, done, __ldcg(cards.epoch)});
}

template <class T>
Kernel resident_kernel(int d, int k) {
  return many::kernel_of_width<T>(d, k, [](auto width, auto group) {
    constexpr int D = decltype(width)::value, Group = decltype(group)::value;
    constexpr auto launch = launch_of<T>(D, Group);
    using Label = many::LabelOf<T>;
    return describe<T, D, Group, Label, SharedLayout<T, D, Group>>(iterate_together<T, D, launch.points, Group, Label, launch.threads>);
  });
}

/// What a card needs beside its share of the points for a run in one kernel.
struct WholeRun {
  WholeRun(int sums, std::int64_t rest_values, int max_iters)
      : changes(3 * std::int64_t(sums)), rests(rest_values), turn(1), records(max_iters + 1), iters(1) {}
  cuda::Buffer<Bits> changes, rests;
  cuda::Buffer<int> turn;
  cuda::Buffer<IterationRecord> records;
  cuda::PinnedBuffer<int> iters;
};

template <class T>
class Resident {
 public:
  Resident(const Problem<T>& problem, const Config& config, Trace& trace)
      : problem_(problem), cards_(problem, resident_kernel<T>(problem.d, problem.k), config, trace), boxes_(cards_.devices()),
        runs_(std::size_t(cards_.size())) {
    cards_.each([this](int rank) {
      boxes_.open(rank, cards_.card(rank).sums(), cards_.card(rank).stream());
      set_up(rank);
    });
    cards_.each([this](int rank) {
      many::Card<T>& card = cards_.card(rank);
      card.graph.emplace(card.stream(), [&] { card.launch_together(boxes_.meeting(rank)); });  // faster to launch than the kernel alone
      card.graph->upload(card.stream());
      card.stream().synchronize();
    });
  }

  void reset() { cards_.reset(); }

  int iterate(Trace& trace) {
    cards_.run_graphs();
    boxes_.refuse_late();
    if (trace.active()) report(trace);
    return iters();
  }

  Solution<T> download() { return cards_.download(iters(), cards_.card(0).next(1), cards_.card(0).next(2)); }

 private:
  int iters() { return runs_[0]->iters[0]; }

  void set_up(int rank) {
    many::Card<T>& card = cards_.card(rank);
    auto& own = runs_[std::size_t(rank)];
    own = std::make_unique<WholeRun>(card.sums(), std::int64_t(card.grid()) * card.cells(), problem_.max_iters);
    cuda::clear(card.stream(), own->changes, own->turn);
    Run<T>& run = card.run();
    run.max_iters = problem_.max_iters;
    run.stop_at = cuda::stop_at(problem_);
    run.initial = card.initial(), run.assigned = card.next(1), run.next = card.next(2);
    run.changes = own->changes.data(), run.turn = own->turn.data(), run.rests = own->rests.data();
    run.iters = own->iters.data(), run.records = own->records.data();
    card.stream().synchronize();
  }

  /// Reports the first card's own clock by iteration.
  void report(Trace& trace) {
    const auto ended = cuda::fetched(runs_[0]->records, cards_.card(0).stream(), iters() + 1);
    for (std::size_t iter = 1; iter < ended.size(); ++iter) {
      trace.begin_iteration();
      trace.add("fused", double(ended[iter].nanoseconds - ended[iter - 1].nanoseconds) * 1e-9);
      trace.count("open", double(ended[iter].opened));
      trace.count("gpus", cards_.size());
    }
  }

  Problem<T> problem_;  // views
  many::Cards<T> cards_;
  many::Mailboxes boxes_;
  std::vector<std::unique_ptr<WholeRun>> runs_;
};

const Register<Resident> registration{many::description("several GPUs: all iterations in one kernel a card, one barrier for the blocks of all cards",
                                                        resident_kernel<float>, resident_kernel<double>, many::peers_apart)};

}  // namespace
}  // namespace km

// Exact Lloyd's by fp16 products on several cards of one host that meet in each other's memory. One kernel stores a card's sums in every card's
// memory, waits for the sums of all, and adds them in order of ranks ("one-shot"). Idea and cost: screened_cards.cuh; meeting: meeting.cuh.
#include "impl/gpu/lloyd/last_block.cuh"
#include "impl/gpu/many/mailboxes.cuh"
#include "impl/gpu/many/screened_cards.cuh"

namespace km {
namespace {

using many::Bits, many::Meeting;

constexpr int block = 512;

/// Adds all cards' values: `size` numbers, then `k` counts. Blocks wait for other cards: all of the grid must be resident.
__global__ void __launch_bounds__(block)
    add_all(const __grid_constant__ Meeting m, const Bits* numbers, int size, const int* counts, int k, Bits* all_numbers, int* all_counts) {
  const int first = blockIdx.x * block + threadIdx.x, turn = gridDim.x * block, count = size + k;
  const Bits now = *static_cast<volatile Bits*>(m.epoch) + 1;
  for (int at = first; at < count; at += turn) {
    const Bits value = at < size ? __ldcg(numbers + at) : Bits(__ldcg(counts + at - size));
    for (int card = 0; card < m.size; ++card) m.place(card, now, m.rank, count)[at] = value;
  }
  __threadfence_system();
  if (cuda::is_last_block(m.done)) {
    if (threadIdx.x == 0) *m.epoch = now;
    m.announce(now);
  }
  m.wait(now);
  for (int at = first; at < count; at += turn) {
    const Bits sum = m.sum(now, count, at);
    if (at < size) all_numbers[at] = sum;
    else all_counts[at - size] = static_cast<int>(sum);
  }
}

template <class T>
class ScreenedPeers : public many::ScreenedCards<T> {
 public:
  ScreenedPeers(const Problem<T>& problem, const Config& config, Trace& trace)
      : many::ScreenedCards<T>(problem, config, trace), of_sums_(this->devices()), of_changed_(this->devices()) {
    this->each([&](int rank) {
      const many::Share<T>& own = this->card(rank);
      of_sums_.open(rank, 2 * int(own.sums.size()) + int(own.counts.size()), own.lloyd.stream());
      of_changed_.open(rank, 1, own.lloyd.stream());
      cudaFuncAttributes unused{};  // a kernel that loads while another card waits for it may wait for that card
      cuda::check(cudaFuncGetAttributes(&unused, add_all));
    });
    this->record(
        [this](int rank) {
          many::Share<T>& own = this->card(rank);
          enqueue(rank, of_changed_, own.changed.data(), 1, nullptr, 0, own.lloyd.changed(), nullptr);
        },
        [this](int rank) {
          many::Share<T>& own = this->card(rank);
          const screen::Totals mine = own.work->totals();
          enqueue(rank, of_sums_, &mine.sums->coarse, 2 * int(own.sums.size()), mine.counts, int(own.counts.size()), &own.sums.data()->coarse,
                  own.counts.data());
        });
  }

  int iterate(Trace& trace) {
    const int iters = many::ScreenedCards<T>::iterate(trace);
    of_sums_.refuse_late();
    of_changed_.refuse_late();
    return iters;
  }

 private:
  void enqueue(int rank, many::Mailboxes& boxes, const Bits* numbers, int size, const int* counts, int k, Bits* all_numbers, int* all_counts) {
    Meeting meeting = boxes.meeting(rank);
    const unsigned grid = std::min(cuda::blocks(size + k, block), unsigned(cuda::multiprocessors()));
    cuda::launch_together(add_all, grid, block, 0, this->card(rank).lloyd.stream(), meeting, numbers, size, counts, k, all_numbers, all_counts);
  }

  many::Mailboxes of_sums_, of_changed_;
};

const Register<ScreenedPeers> registration{
    many::screened_description("several GPUs: gpu/lloyd/screened on each, whose sums meet in the memory of all", many::peers_apart, false)};

}  // namespace
}  // namespace km

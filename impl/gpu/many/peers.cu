// Exact Lloyd's on several cards of one host that meet in each other's memory. The last block of a card's kernel stores the card's sums in every
// card's memory, raises a flag there, waits for the flags of all, adds the sums in order of ranks ("one-shot") and makes the means: an iteration is
// one launch a card. Flags count iterations and never restart. A card that waits for ten seconds gives up, and the run fails.
// The sums are 64-bit integers, whose units come from all points: 1, 2 and 4 cards give the same bits.
// Cost of an iteration: n / R (d s + 1) bytes read on each of R cards, as gpu/lloyd/register_tiles; one launch; R k (3 d + 1) + 3 values of 8 bytes
// over NVLink (2 d in fp32), and one way of a flag.
// Limit: 16 dimensions, 256 clusters. With a tolerance the host waits for every iteration's count of changed labels.
#include "impl/gpu/many/cards.cuh"

namespace km {
namespace {

/// Lets the current device use the others' memory. It stays so: another instance may need it.
void enable_peers(const std::vector<int>& devices, int rank) {
  for (const int peer : devices) {
    if (peer == devices[std::size_t(rank)]) continue;
    const auto code = cudaDeviceEnablePeerAccess(peer, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) static_cast<void>(cudaGetLastError());
    else cuda::check(code);
  }
}

/// Returns a pair of cards that cannot use each other's memory, in a sentence; or "".
std::string peers_apart(const std::vector<int>& devices) {
  for (const int from : devices)
    for (const int to : devices) {
      int can = 1;
      if (from != to) cuda::check(cudaDeviceCanAccessPeer(&can, from, to));
      if (!can) return "GPU " + std::to_string(from) + " has no access to the memory of GPU " + std::to_string(to);
    }
  return "";
}

/// A card's memory in which the others leave their sums.
struct Mailbox {
  Mailbox(int cards, int sums, cudaStream_t stream) : inbox(2 * std::int64_t(cards) * sums), arrived(cards), epoch(1), late(1), late_on_host(1) {
    cuda::clear(stream, inbox, arrived, epoch, late);
    late_on_host[0] = 0;
    cuda::check(cudaStreamSynchronize(stream));
  }
  cuda::Buffer<many::Bits> inbox, arrived, epoch;
  cuda::Buffer<int> late;
  cuda::PinnedBuffer<int> late_on_host;
};

template <class T>
class Peers {
 public:
  Peers(const Problem<T>& problem, const Config& config, Trace& trace)
      : cards_(problem, config, trace), boxes_(std::size_t(cards_.size())), meetings_(std::size_t(cards_.size())) {
    cards_.each([this](int rank) {
      enable_peers(cards_.devices(), rank);
      boxes_[std::size_t(rank)] = std::make_unique<Mailbox>(cards_.size(), cards_.card(rank).sums(), cards_.card(rank).stream());
    });
    for (int rank = 0; rank < cards_.size(); ++rank) meetings_[std::size_t(rank)] = meeting(rank);
    cards_.record([this](int rank, int iter, Trace& trace) {
      const cuda::Phase phase(trace, "fused", cards_.card(rank).stream());
      cards_.card(rank).enqueue_pass(iter, meetings_[std::size_t(rank)]);
    });
    refuse_late();
  }

  void reset() { cards_.reset(); }
  int iterate(Trace& trace) {
    const int iters = cards_.iterate(trace);
    refuse_late();
    return iters;
  }
  Solution<T> download() { return cards_.download(); }

 private:
  many::Meeting meeting(int rank) {
    Mailbox& own = *boxes_[std::size_t(rank)];
    many::Meeting m{.rank = rank, .size = cards_.size(), .epoch = own.epoch.data(), .late = own.late.data(), .late_on_host = own.late_on_host.data()};
    for (std::size_t card = 0; card < boxes_.size(); ++card)
      m.inbox[card] = boxes_[card]->inbox.data(), m.arrived[card] = boxes_[card]->arrived.data();
    return m;
  }
  void refuse_late() {
    for (std::size_t rank = 0; rank < boxes_.size(); ++rank)
      if (const int late = boxes_[rank]->late_on_host[0]; late > 0)
        throw std::runtime_error("GPU " + std::to_string(cards_.devices()[rank]) + " waited ten seconds for the sums of GPU " +
                                 std::to_string(cards_.devices()[std::size_t(late) - 1]));
  }

  many::Cards<T> cards_;
  std::vector<std::unique_ptr<Mailbox>> boxes_;
  std::vector<many::Meeting> meetings_;
};

const Register<Peers> registration{{
    .summary = "several GPUs: a pass on each, whose last block meets the others' in their memory",
    .device = Device::gpu,
    .parameters = {many::gpus_parameter()},
    .unsupported = [](const ProblemShape& p, const Config& config, int value_bytes) -> std::string {
      if (const std::string reason = many::refusal(p, config, value_bytes); !reason.empty()) return reason;
      return peers_apart(many::devices_of(many::cards_of(config)));
    },
    .fixed_point = true,
}};

}  // namespace
}  // namespace km

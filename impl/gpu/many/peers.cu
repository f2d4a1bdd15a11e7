// Exact Lloyd's on several cards of one host that meet in each other's memory. The last block of a card's kernel stores the card's sums in every
// card's memory and raises a flag there. It waits for the flags of all, adds the sums in order of ranks ("one-shot") and makes the means. An
// iteration is one launch a card. Flags count iterations and never restart. A card that waits for ten seconds gives up, and the run fails.
// The sums are 64-bit integers, whose units come from all points: 1, 2 and 4 cards give the same bits.
// Cost of an iteration: n / R (d s + 1) bytes read on each of R cards, as gpu/lloyd/register_tiles; one launch; R k (3 d + 1) + 3 values of 8 bytes
// over NVLink (2 d in fp32), and one way of a flag.
// Limit: 16 dimensions, 256 clusters. With a tolerance the host waits for every iteration's count of changed labels.
#include "impl/gpu/many/cards.cuh"
#include "impl/gpu/many/mailboxes.cuh"

namespace km {
namespace {

template <class T>
class Peers : public many::Cards<T> {
 public:
  Peers(const Problem<T>& problem, const Config& config, Trace& trace)
      : many::Cards<T>(problem, many::pass_kernel<T>(problem.d, problem.k), config, trace), boxes_(this->devices()) {
    this->each([this](int rank) { boxes_.open(rank, this->card(rank).sums(), this->card(rank).stream()); });
    this->record([this](int rank, int iter, Trace& trace) {
      const cuda::Phase phase(trace, "fused", this->card(rank).stream());
      this->card(rank).enqueue_pass(iter, boxes_.meeting(rank));
    });
    boxes_.refuse_late();
  }

  int iterate(Trace& trace) {
    const int iters = many::Cards<T>::iterate(trace);
    boxes_.refuse_late();
    return iters;
  }

 private:
  many::Mailboxes boxes_;
};

const Register<Peers> registration{many::description("several GPUs: a pass on each, whose last block meets the others' in their memory",
                                                     many::pass_kernel<float>, many::pass_kernel<double>, many::peers_apart)};

}  // namespace
}  // namespace km

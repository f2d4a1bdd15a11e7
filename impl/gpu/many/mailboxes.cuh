// The host side of meeting.cuh: the memory in which cards leave their sums for each other.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "impl/gpu/many/meeting.cuh"
#include "impl/gpu/many/on_each.hpp"

namespace km::many {

/// Lets the current device use the others' memory. It stays so: another instance may need it.
inline void enable_peers(const std::vector<int>& devices, int rank) {
  for (const int peer : devices) {
    if (peer == devices[std::size_t(rank)]) continue;
    const auto code = cudaDeviceEnablePeerAccess(peer, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) static_cast<void>(cudaGetLastError());
    else cuda::check(code);
  }
}

/// Returns a pair of cards that cannot use each other's memory, in a sentence; or "".
inline std::string peers_apart(const Config& config) {
  const std::vector<int> devices = devices_of(cards_of(config));
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
  Mailbox(int cards, int sums, cudaStream_t stream)
      : inbox(2 * std::int64_t(cards) * sums), arrived(cards), epoch(1), late(1), done(1), late_on_host(1) {
    cuda::clear(stream, inbox, arrived, epoch, late, done);
    late_on_host[0] = 0;
    cuda::check(cudaStreamSynchronize(stream));
  }
  cuda::Buffer<Bits> inbox, arrived, epoch;
  cuda::Buffer<int> late;
  cuda::Buffer<unsigned> done;
  cuda::PinnedBuffer<int> late_on_host;
};

/// One a card.
class Mailboxes {
 public:
  explicit Mailboxes(const std::vector<int>& devices) : devices_(devices), boxes_(devices.size()) {}

  /// On the card's thread.
  void open(int rank, int sums, cudaStream_t stream) {
    enable_peers(devices_, rank);
    boxes_[std::size_t(rank)] = std::make_unique<Mailbox>(int(devices_.size()), sums, stream);
  }
  /// When all are open.
  Meeting meeting(int rank) {
    Mailbox& own = *boxes_[std::size_t(rank)];
    Meeting m;
    m.rank = rank, m.size = int(devices_.size());
    m.epoch = own.epoch.data(), m.late = own.late.data(), m.late_on_host = own.late_on_host.data(), m.done = own.done.data();
    for (std::size_t card = 0; card < boxes_.size(); ++card)
      m.inbox[card] = boxes_[card]->inbox.data(), m.arrived[card] = boxes_[card]->arrived.data();
    return m;
  }
  /// After a run.
  void refuse_late() {
    for (std::size_t rank = 0; rank < boxes_.size(); ++rank)
      if (const int late = boxes_[rank]->late_on_host[0]; late > 0)
        throw std::runtime_error("GPU " + std::to_string(devices_[rank]) + " waited ten seconds for the sums of GPU " +
                                 std::to_string(devices_[std::size_t(late) - 1]));
  }

 private:
  std::vector<int> devices_;
  std::vector<std::unique_ptr<Mailbox>> boxes_;
};

}  // namespace km::many

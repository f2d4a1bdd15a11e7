// The cards of a process, an object on each: made, used and destroyed on the card's own thread. The process may be one of several ranks.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/device/cuda.cuh"
#include "impl/gpu/many/team.hpp"
#include "impl/gpu/registration.hpp"

namespace km::many {

/// Number of cards that a configuration takes in this process. The ranks of a machine divide its cards.
inline int cards_of(const Config& config, const Group* group = nullptr) {
  const int asked = config.integer("gpus");
  return asked > 0 ? asked : std::clamp(device::count() / (group ? group->local_size() : 1), 1, most_cards);
}

/// The cards: the harness's device, of which each rank has another, and those after it. A launcher may show each rank its own alone.
inline std::vector<int> devices_of(int count, const Group* group = nullptr) {
  const int ranks = group ? group->local_size() : 1, visible = device::count();
  if (ranks * count > visible && visible != count)
    throw std::runtime_error(std::to_string(ranks) + " ranks of a machine take " + std::to_string(count) + " GPUs each, but " +
                             std::to_string(visible) + " can be seen");
  const int first = cuda::current_device();
  std::vector<int> devices;
  for (int rank = 0; rank < count; ++rank) devices.push_back((first + rank) % visible);
  return devices;
}

inline Parameter gpus_parameter() {
  return {.name = "gpus",
          .fallback = 0,
          .range = {0, 1, 2, 4, 8},
          .help = "cards that share a process's points; 0: all visible, at most 8, divided among the ranks of a machine"};
}

/// Returns why a process has not the cards of a configuration, or "".
inline std::string too_few_cards(const Config& config) {
  const int cards = cards_of(config), visible = device::count();
  return cards > visible ? "gpus = " + std::to_string(cards) + ", but " + std::to_string(visible) + " can be seen" : "";
}
/// The same of cards that wait for each other.
std::string cards_missing(const Config& config);

template <class Card>
class OnEach {
 public:
  OnEach(const Config& config, const Group* group)
      : devices_(devices_of(cards_of(config, group), group)), team_(int(devices_.size()), [this](int rank) { select(rank); }),
        cards_(devices_.size()) {}
  ~OnEach() { drop(); }
  OnEach(const OnEach&) = delete;

  int size() const { return team_.size(); }
  const std::vector<int>& devices() const { return devices_; }
  Card& card(int rank) { return *cards_[std::size_t(rank)]; }
  void each(const std::function<void(int)>& work) { team_.each(work); }
  /// make(rank): std::unique_ptr<Card>.
  template <class Make>
  void make(Make make) {
    each([&](int rank) { cards_[std::size_t(rank)] = make(rank); });
  }
  void drop() noexcept {
    try {
      each([this](int rank) { cards_[std::size_t(rank)].reset(); });
    } catch (...) {  // reported before
    }
  }

 protected:
  void select(int rank) { cuda::check(cudaSetDevice(devices_[std::size_t(rank)])); }

 private:
  std::vector<int> devices_;
  Team team_;
  std::vector<std::unique_ptr<Card>> cards_;
};

}  // namespace km::many

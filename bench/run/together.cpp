#include "bench/run/together.hpp"

#include <algorithm>
#include <functional>

#include "bench/contract/must_agree.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/judge.hpp"

namespace km {

double slowest(Group* group, double s) { return std::ranges::max(gathered<double>(group, {s})); }

Timing shared(Group* group, Timing timing, double own_s) {
  if (!group) return timing;
  constexpr double unknown = -1;
  using Readings = std::array<double, 6>;  // wall_s, event_s, disturbed, run_delay_s, involuntary_switches, own_s
  const Delay& own = timing.delay;
  const auto all = gathered<Readings>(group, {{timing.wall_s, timing.event_s, timing.disturbed, own.run_delay_s.value_or(unknown),
                                               own.involuntary_switches ? double(*own.involuntary_switches) : unknown, own_s}});
  const Readings& worst = *std::ranges::max_element(all, {}, [](const Readings& one) { return one[2]; });
  timing.wall_s = all[0][0], timing.event_s = all[0][1], timing.disturbed = worst[2];
  timing.delay = {};
  for (const Readings& one : all) timing.delay.ranks_s.push_back(one[5]);
  if (worst[3] != unknown) timing.delay.run_delay_s = worst[3];
  if (worst[4] != unknown) timing.delay.involuntary_switches = std::int64_t(worst[4]);
  timing.reset_s = slowest(group, timing.reset_s);
  timing.complaint = agreed(group, timing.complaint);  // whoever has one is infinitely disturbed
  return timing;
}

Trace::Series of_all_ranks(Group* group, const Trace::Series& mine) {
  if (!group) return mine;
  std::string names;
  for (const auto& [name, values] : mine) names += fmt::format("{} {} ", name, values.size());
  must_agree(group, std::int64_t(std::hash<std::string>{}(names)), "counted other things");
  Trace::Series sums = mine;
  for (auto& [name, values] : sums) {
    const std::vector<double> all = gathered(group, values);
    std::ranges::fill(values, 0);
    for (std::size_t at = 0; at < all.size(); ++at) values[at % values.size()] += all[at];
  }
  return sums;
}

const std::vector<std::size_t>& gpus_of(Group& group) {
  static const auto ids = gathered<std::size_t>(&group, {std::hash<std::string>{}(device::uuid())});
  return ids;
}

std::string explain_shared_gpu(const Group& group, std::vector<std::size_t> gpus) {
  std::ranges::sort(gpus);
  if (std::ranges::adjacent_find(gpus) == gpus.end()) return "";
  return fmt::format("{} ranks of a machine share its {} GPUs: each takes one of its own", group.local_size(), device::count());
}

}  // namespace km

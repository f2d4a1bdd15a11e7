#include "impl/gpu/many/communicators.hpp"

#include <map>
#include <numeric>
#include <utility>

#include "bench/contract/reuse_scope.hpp"
#include "bench/device/cuda_host.cuh"

namespace km::many {

Communicators::Communicators(const std::vector<int>& devices, Group* group) : Communicators(devices.size()) {
  const cuda::KeepDevice kept;
  if (group) join(devices, *group);
  else nccl::check(nccl::functions().init_all(all_.data(), int(devices.size()), devices.data()), "ncclCommInitAll");
}

Communicators::~Communicators() {
  const cuda::KeepDevice kept;
  for (nccl::Communicator* const one : all_)
    if (one) static_cast<void>(nccl::functions().destroy(one));
}

void Communicators::join(const std::vector<int>& devices, Group& group) {
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

std::shared_ptr<const Communicators> communicators(const std::vector<int>& devices, Group* group) {
  static std::map<std::pair<Group*, std::vector<int>>, std::shared_ptr<const Communicators>> kept;  // a replay's rank 0 also runs without its group
  if (!group && !ReuseScope::active()) return std::make_shared<const Communicators>(devices, group);
  [[maybe_unused]] static const bool told = (ReuseScope::on_end([] { std::erase_if(kept, [](const auto& one) { return !one.first.first; }); }), true);
  auto& found = kept[{group, devices}];
  if (!found) found = std::make_shared<const Communicators>(devices, group);
  return found;
}

}  // namespace km::many

// NCCL's communicators of a process's GPUs, alone or among those of all ranks.
#pragma once

#include <memory>
#include <vector>

#include "bench/contract/group.hpp"
#include "impl/gpu/many/nccl_library.hpp"

namespace km::many {

class Communicators {
 public:
  /// One a device. With a group, collective: the GPUs of a rank follow each other among those of all.
  Communicators(const std::vector<int>& devices, Group* group);
  ~Communicators();
  Communicators(const Communicators&) = delete;

  /// Enqueues the sums of all GPUs: of a GPU's `count` values. The caller checks the result, after a group of calls.
  nccl::Result add(int rank, const void* mine, void* all, std::size_t count, nccl::Type type, cudaStream_t stream) const {
    return nccl::functions().all_reduce(mine, all, count, type, nccl::sum, all_[std::size_t(rank)], stream);
  }

 private:
  explicit Communicators(std::size_t size) : all_(size) {}  // a constructor that throws later destroys what was made
  void join(const std::vector<int>& devices, Group& group);

  std::vector<nccl::Communicator*> all_;
};

/// To make them takes as long as many runs: a ReuseScope keeps them. Ranks make them together, once, and keep them.
std::shared_ptr<const Communicators> communicators(const std::vector<int>& devices, Group* group);

}  // namespace km::many

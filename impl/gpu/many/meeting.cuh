// Cards of one host meet in each other's memory. A card stores its sums in every card's inbox, then its epoch as a flag there. Flags are released and
// acquired in the scope of the system. Each card adds what lies in its own inbox, in order of ranks. Epochs count meetings and never restart. The two
// halves of an inbox alternate: a card enters epoch e + 2 only after all have read epoch e.
// Cost: R stores of the sums over NVLink, one way of a flag, R loads from the card's own memory.
#pragma once

#include "bench/device/cuda.cuh"
#include "impl/gpu/lloyd/register_tiles_sums.cuh"
#include "impl/gpu/many/team.hpp"
#include "impl/gpu/whole_run.cuh"

namespace km::many {

using register_tiles::Bits;

constexpr unsigned long long patience_ns = 10'000'000'000;

/// size 0: nobody meets.
struct Meeting {
  int rank = 0, size = 0;
  Bits* inbox[most_cards] = {};                  // of each card: 2 x size x sums
  Bits* arrived[most_cards] = {};                // of each card: the last epoch that each other one has sent
  Bits* epoch = nullptr;                         // of this card
  int *late = nullptr, *late_on_host = nullptr;  // the card that did not come, plus one
  unsigned* done = nullptr;                      // blocks that have stored, zero outside a kernel

  /// Stores a card's sums for all cards. One block, all its threads.
  __device__ __forceinline__ void send(Bits now, const Bits* sums, int count) const {
    for (int at = threadIdx.x; at < size * count; at += blockDim.x) place(at / count, now, rank, count)[at % count] = __ldcg(sums + at % count);
    __threadfence_system();
    __syncthreads();
    announce(now);
  }

  /// Tells all cards that this one's sums lie in their inboxes. One block, all its threads.
  __device__ __forceinline__ void announce(Bits now) const {
    if (threadIdx.x < size) asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(arrived[threadIdx.x] + rank), "l"(now) : "memory");
  }

  /// Waits for all cards' sums. All threads of a block. False if a card did not come in time, now or before.
  __device__ __forceinline__ bool wait(Bits now) const {
    bool here = true;
    if (threadIdx.x < size) {
      const unsigned long long start = cuda::nanoseconds();
      for (unsigned looks = 1; here; ++looks) {
        Bits there;
        asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(there) : "l"(arrived[rank] + threadIdx.x) : "memory");
        if (there >= now) break;
        if (looks % 1024 != 0) continue;
        here = *static_cast<volatile int*>(late) == 0 && cuda::nanoseconds() - start < patience_ns;
        if (!here) *late = *late_on_host = static_cast<int>(threadIdx.x) + 1;
      }
    }
    return __syncthreads_and(here);
  }

  /// Value `at` of all cards' sums.
  __device__ __forceinline__ Bits sum(Bits now, int count, int at) const {
    Bits all = 0;
    for (int card = 0; card < size; ++card) all += __ldcg(place(rank, now, card, count) + at);
    return all;
  }

  /// Where `from` puts its sums in the inbox of `of`.
  __device__ __forceinline__ Bits* place(int of, Bits now, int from, int count) const {
    return inbox[of] + (static_cast<int>(now % 2) * size + from) * count;
  }
};

}  // namespace km::many

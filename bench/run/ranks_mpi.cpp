// Ranks by MPI (any library with its C interface, 3.0 or later).
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <numeric>

#include "bench/run/ranks.hpp"

namespace km {
namespace {

constexpr std::size_t most_at_once = 1 << 30;  // MPI counts in int

/// Calls f(offset, length) for pieces that MPI can count.
template <class F>
void in_pieces(std::size_t count, F f) {
  for (std::size_t done = 0; done < count; done += most_at_once) f(done, int(std::min(most_at_once, count - done)));
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no rank outlives its launcher
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    find_places();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int processors() const override { return places_[std::size_t(rank_)].processors; }
  int local_size() const override { return local_size_; }
  int local_rank() const override { return local_rank_; }

  void sum(std::span<std::int64_t> numbers) override { reduce(numbers, MPI_SUM); }
  void max(std::span<std::int64_t> numbers) override { reduce(numbers, MPI_MAX); }

  void broadcast(void* bytes, std::size_t count) override {
    in_pieces(count, [&](std::size_t at, int length) {
      MPI_Request request;
      MPI_Ibcast(static_cast<char*>(bytes) + at, length, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
      for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;) ::usleep(200);
    });
  }
  std::vector<std::byte> gather(std::span<const std::byte> mine) override {
    const std::vector<std::int64_t> sizes = numbers_of_all(std::int64_t(mine.size()));
    std::vector<std::byte> all(std::size_t(std::reduce(sizes.begin(), sizes.end())));
    if (mine.size() < most_at_once && std::ranges::count(sizes, sizes[0]) == size_) {
      MPI_Allgather(mine.data(), int(mine.size()), MPI_BYTE, all.data(), int(mine.size()), MPI_BYTE, MPI_COMM_WORLD);
      return all;
    }
    std::size_t at = 0;
    for (int from = 0; from < size_; ++from) {
      const auto count = std::size_t(sizes[std::size_t(from)]);
      if (from == rank_) std::ranges::copy(mine, all.begin() + std::ptrdiff_t(at));
      in_pieces(count, [&](std::size_t first, int length) { MPI_Bcast(&all[at + first], length, MPI_BYTE, from, MPI_COMM_WORLD); });
      at += count;
    }
    return all;
  }

  void leave(bool at_once) override {
    if (at_once) MPI_Abort(MPI_COMM_WORLD, 1);
    else MPI_Finalize();
  }

  const std::vector<Place>& places() const override { return places_; }

  std::string library() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string words(text, std::size_t(length));
    return words.substr(0, words.find_first_of(",\n"));
  }

 private:
  static void reduce(std::span<std::int64_t> numbers, MPI_Op by) {
    in_pieces(numbers.size(), [&](std::size_t at, int count) { MPI_Allreduce(MPI_IN_PLACE, &numbers[at], count, MPI_INT64_T, by, MPI_COMM_WORLD); });
  }
  std::vector<std::int64_t> numbers_of_all(std::int64_t mine) const {
    std::vector<std::int64_t> all(std::size_t(size_), 0);
    MPI_Allgather(&mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    return all;
  }

  void find_places() {
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
    int first = rank_;
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Comm_size(node, &local_size_);
    MPI_Comm_rank(node, &local_rank_);
    MPI_Comm_free(&node);
    cpu_set_t mine;
    CPU_ZERO(&mine);
    ::sched_getaffinity(0, sizeof mine, &mine);
    std::vector<cpu_set_t> masks(static_cast<std::size_t>(size_));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, masks.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    const std::vector<std::int64_t> firsts = numbers_of_all(first),
                                    of_node = numbers_of_all(::sysconf(_SC_NPROCESSORS_ONLN));  // the node's first rank
    std::vector<std::int64_t> nodes = firsts;
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    for (std::size_t a = 0; a < masks.size(); ++a) {
      int sharers = 0;
      cpu_set_t used = masks[a];
      for (std::size_t b = 0; b < masks.size(); ++b) {
        if (firsts[a] != firsts[b]) continue;
        sharers += CPU_EQUAL(&masks[a], &masks[b]);
        CPU_OR(&used, &used, &masks[b]);
      }
      places_.push_back({int(std::ranges::find(nodes, firsts[a]) - nodes.begin()), std::max(1, CPU_COUNT(&masks[a]) / sharers),
                         std::max(0, int(of_node[a]) - CPU_COUNT(&used)), text_of(masks[a])});
    }
  }

  static std::string text_of(const cpu_set_t& mask) {
    std::string text;
    for (int first = 0; first < CPU_SETSIZE; ++first) {
      if (!CPU_ISSET(first, &mask)) continue;
      int last = first;
      while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &mask)) ++last;
      text += fmt::format("{}{}", text.empty() ? "" : ",", first);
      if (last > first) text += fmt::format("-{}", last);
      first = last;
    }
    return text;
  }

  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  std::vector<Place> places_;
};

std::unique_ptr<MpiRanks> joined;

}  // namespace

std::string no_ranks() { return ""; }
void join_ranks() { joined = std::make_unique<MpiRanks>(); }
Ranks* ranks() { return joined.get(); }

}  // namespace km

// Uploads chunks repeatedly in the same order (lutz2018, Sections 5 and 6.2.6): staged through page-locked memory, or directly if their memory can
// be page-locked. Copying, sending and computing overlap. One thread copies at a fraction of the bus's rate, so a crew of threads copies pieces into
// a ring ahead of time. Only the caller's thread talks to the device: it sends finished pieces and releases used places.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "bench/device/cuda.cuh"

namespace km::out_of_core {

/// Threads that copy pieces of `from` repeatedly, start to end, into places of a ring. The destructor stops them.
class Crew {
 public:
  /// A pass has `chunks` of chunk_bytes, the last one shorter. Each starts with a new piece.
  Crew(std::span<const char> from, std::size_t chunk_bytes, std::size_t piece_bytes, char* ring, std::size_t places, int threads, bool timed)
      : from_(from), chunk_bytes_(chunk_bytes), piece_bytes_(piece_bytes), ring_(ring), copied_(places), timed_(timed) {
    for (int thread = 0; thread < threads; ++thread) threads_.emplace_back([this](std::stop_token stop) { work(stop); });
  }

  /// Returns piece `number`, counted from 0 over all passes, or null if it is not there yet.
  const char* look_for(std::size_t number) const {
    const std::size_t place = number % copied_.size();
    return copied_[place].load(std::memory_order_acquire) == number + 1 ? ring_ + place * piece_bytes_ : nullptr;
  }
  /// Releases the places of the first `pieces` pieces.
  void free(std::size_t pieces) { freed_.store(pieces, std::memory_order_release); }
  /// Mean seconds of copying per thread.
  double copied_s() const { return double(nanoseconds_) * 1e-9 / double(threads_.size()); }

 private:
  void work(const std::stop_token& stop) {
    const std::size_t chunks = (from_.size() + chunk_bytes_ - 1) / chunk_bytes_, pieces = (chunk_bytes_ + piece_bytes_ - 1) / piece_bytes_;
    while (!stop.stop_requested()) {
      const std::size_t number = next_++, place = number % copied_.size();
      while (number >= freed_.load(std::memory_order_acquire) + copied_.size()) {
        if (stop.stop_requested()) return;
        std::this_thread::yield();
      }
      const std::size_t chunk = number / pieces % chunks * chunk_bytes_, offset = chunk + number % pieces * piece_bytes_;
      const std::size_t end = std::min({from_.size(), chunk + chunk_bytes_, offset + piece_bytes_});
      const auto start = timed_ ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
      if (offset < end) std::memcpy(ring_ + place * piece_bytes_, from_.data() + offset, end - offset);  // the last chunk may have fewer pieces
      if (timed_) nanoseconds_ += (std::chrono::steady_clock::now() - start).count();
      copied_[place].store(number + 1, std::memory_order_release);
    }
  }

  std::span<const char> from_;
  std::size_t chunk_bytes_, piece_bytes_;
  char* ring_;
  std::vector<std::atomic<std::size_t>> copied_;  // by place: its piece + 1
  bool timed_;
  std::atomic<std::size_t> next_ = 0, freed_ = 0;
  std::atomic<std::int64_t> nanoseconds_ = 0;
  std::vector<std::jthread> threads_;  // last member: joined first
};

template <class T>
class Uploads {
 public:
  /// Sends chunks of `points`, `chunk` values each, to `slots` buffers. Unless staged, the caller page-locks the points.
  Uploads(std::span<const T> points, std::int64_t chunk, int slots, int threads, bool staged, std::size_t piece_bytes)
      : points_(points), chunk_(chunk), threads_(threads), piece_bytes_(std::min(piece_bytes, static_cast<std::size_t>(chunk) * sizeof(T))),
        device_(slots * chunk) {
    for (int slot = 0; slot < slots; ++slot) {
      uploaded_.emplace_back(cudaEventDisableTiming);
      used_.emplace_back(cudaEventDisableTiming);
    }
    if (points.empty() || !staged) return;
    threads_ = static_cast<int>(std::clamp<std::size_t>(points.size_bytes() / piece_bytes_, 1, static_cast<std::size_t>(threads)));
    const int places = 2 * threads_;  // one being filled and one being sent
    ring_.emplace(static_cast<std::int64_t>(places * piece_bytes_));
    for (int place = 0; place < places; ++place) sent_.emplace_back(cudaEventDisableTiming);
  }

  int slots() const { return static_cast<int>(used_.size()); }

  /// Uploads of one run, from the first chunk on.
  class Pass {
   public:
    Pass(Uploads& uploads, Trace& trace) : u_(uploads), trace_(trace) {
      if (!u_.ring_) return;
      const std::span from(reinterpret_cast<const char*>(u_.points_.data()), u_.points_.size_bytes());
      crew_.emplace(from, static_cast<std::size_t>(u_.chunk_) * sizeof(T), u_.piece_bytes_, u_.ring_->data(), u_.sent_.size(), u_.threads_,
                    trace.active());
    }

    /// Returns chunk `number` on the device, ready when `compute` reaches this point. Call in order; give the slot back.
    const T* fetch(std::int64_t number, int slot, cudaStream_t compute) {
      const auto chunk = u_.points_.subspan(static_cast<std::size_t>(number * u_.chunk_));
      const auto values = chunk.first(std::min(chunk.size(), static_cast<std::size_t>(u_.chunk_)));
      T* const to = u_.device_.data() + slot * u_.chunk_;
      cuda::check(cudaStreamWaitEvent(u_.stream_, u_.used_[slot]));
      {
        const cuda::Phase phase(trace_, "transfer", u_.stream_);
        if (crew_) send_pieces(reinterpret_cast<char*>(to), values.size_bytes());
        else cuda::check(cudaMemcpyAsync(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice, u_.stream_));
      }
      u_.uploaded_[slot].record(u_.stream_);
      cuda::check(cudaStreamWaitEvent(compute, u_.uploaded_[slot]));
      return to;
    }

    /// Marks the slot as used when `compute` reaches this point.
    void give_back(int slot, cudaStream_t compute) { u_.used_[slot].record(compute); }

    /// Traces the iteration's copies.
    void end_iteration() {
      if (!crew_ || !trace_.active()) return;
      const double now = crew_->copied_s();
      trace_.add("memcpy", now - std::exchange(copied_s_, now));
    }

   private:
    void send_pieces(char* to, std::size_t bytes) {
      const std::size_t piece = u_.piece_bytes_, pieces = (static_cast<std::size_t>(u_.chunk_) * sizeof(T) + piece - 1) / piece;
      for (std::size_t at = 0; at < pieces; ++at) {
        const char* from = nullptr;
        do look_for_free_places();
        while (!(from = crew_->look_for(sent_)));
        if (at * piece < bytes)
          cuda::check(cudaMemcpyAsync(to + at * piece, from, std::min(piece, bytes - at * piece), cudaMemcpyHostToDevice, u_.stream_));
        u_.sent_[sent_++ % u_.sent_.size()].record(u_.stream_);
      }
    }

    void look_for_free_places() {
      const auto before = free_;
      for (; free_ < sent_; ++free_) {
        const auto state = cudaEventQuery(u_.sent_[free_ % u_.sent_.size()]);
        if (state == cudaErrorNotReady) break;
        cuda::check(state);
      }
      if (free_ != before) crew_->free(free_);
    }

    Uploads& u_;
    Trace& trace_;
    std::size_t sent_ = 0, free_ = 0;  // pieces
    double copied_s_ = 0;
    std::optional<Crew> crew_;
  };

 private:
  std::span<const T> points_;
  std::int64_t chunk_;
  int threads_;
  std::size_t piece_bytes_;
  cuda::Stream stream_;
  cuda::Buffer<T> device_;  // slots x chunk
  std::optional<cuda::PinnedBuffer<char>> ring_;
  std::vector<cuda::Event> uploaded_, used_;  // by slot
  std::vector<cuda::Event> sent_;             // by place of the ring
};

}  // namespace km::out_of_core

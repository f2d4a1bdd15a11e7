// What download and reset may take: work that belongs to iterate must not hide there.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "bench/base/statistics.hpp"

namespace km {

/// Returns the seconds of plain copies to new host memory from the device's or the host's. sizes: bytes of the arrays.
std::vector<double> copies_s(bool on_gpu, std::initializer_list<std::size_t> sizes, int tries);

/// Returns a sentence if work was moved into download or reset, or "". Each may take three copies of the outputs and a tenth of iterate. A library
/// may take nine, as it hands over through shared memory, and half of iterate. Some do not hand over their labels and assign anew.
/// All but copy_s are medians of a case's runs.
std::string explain_times(double sample_s, double download_s, double reset_s, double copy_s, bool library);

/// The part of what a download or reset may take that depends on nothing.
constexpr double fixed_s = 2e-4;

/// Returns a sentence or "" for a run with nothing between its verbs. Reset and download together (beside_s) may take three copies of the outputs and
/// a tenth of a sample, iterate three samples: what it does in its timed runs cannot differ by more. A GPU may take longer by a few launches.
std::string explain_whole(double sample_s, double iterate_s, double beside_s, double copy_s, bool on_gpu);

/// The times of a case's downloads and resets, without run delay.
class VerbTimes {
 public:
  void add(double reset_s, double download_s) {
    resets_s_.push_back(reset_s);
    downloads_s_.push_back(download_s);
  }
  void clear() { *this = {}; }
  /// Seconds of both, the medians.
  double beside_s() const { return median(resets_s_) + median(downloads_s_); }
  /// As explain_times, for outputs of these sizes. The copy of another case's outputs of the same sizes may clear them; to refuse takes the longest of
  /// nine made now.
  std::string explain(double sample_s, std::size_t label_bytes, std::size_t centroid_bytes, bool on_gpu, bool library) const;

 private:
  std::vector<double> resets_s_, downloads_s_;
};

}  // namespace km

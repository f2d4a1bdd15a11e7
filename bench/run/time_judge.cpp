#include "bench/run/time_judge.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace km {

std::vector<double> copies_s(const OutputBytes& outputs, int tries) {
  const std::initializer_list<std::size_t> sizes = {outputs.labels, outputs.centroids, outputs.centroids};
  if (outputs.on_gpu) return device::downloads_s(sizes, tries);
  const std::vector<char> source(std::max(sizes));
  std::vector<double> all_s;
  std::vector<std::vector<char, Unwritten<char>>> copies;  // kept while small: each goes to memory that was never touched, as a download does
  while (tries-- > 0) {
    const auto start = std::chrono::steady_clock::now();
    for (const std::size_t size : sizes) {
      std::memcpy(copies.emplace_back(size).data(), source.data(), size);
      asm volatile("" : : "r"(copies.back().data()) : "memory");  // the copy counts as read
    }
    all_s.push_back(seconds_since(start));
    if (source.size() > 64 << 20) copies.clear();
  }
  return all_s;
}

std::string explain_times(double sample_s, double download_s, double reset_s, double copy_s, bool library) {
  const double allowed = library ? 9 * copy_s + 0.5 * sample_s + 5e-4 : 3 * copy_s + 0.1 * sample_s + fixed_s;
  const auto sentence = [&](const char* verb, double verb_s) {
    return fmt::format("{} took {:.3g} ms, iterate {:.3g} ms: compute in iterate, not in {}", verb, verb_s * 1e3, sample_s * 1e3, verb);
  };
  if (download_s > allowed) return sentence("download", download_s);
  if (reset_s > allowed) return sentence("reset", reset_s);
  return "";
}

std::string explain_whole(double sample_s, double now_s, double iterate_s, double beside_s, double copy_s, bool on_gpu) {
  const double least_s = on_gpu ? 5e-5 : 1e-5;
  if (iterate_s > 3 * std::max(sample_s, now_s) + least_s)
    return fmt::format("iterate took {:.3g} ms right after reset and before download, in the timed runs {:.3g} ms", iterate_s * 1e3, sample_s * 1e3);
  if (beside_s <= 0.1 * sample_s + 3 * copy_s + least_s) return "";
  return fmt::format("reset and download took {:.3g} ms, iterate {:.3g} ms: compute in iterate", beside_s * 1e3, sample_s * 1e3);
}

std::string explain_times_of(const OutputBytes& outputs, double sample_s, double download_s, double reset_s, bool library) {
  static std::map<OutputBytes, double> known;
  const auto complaint = [&](double copy_s) { return explain_times(sample_s, download_s, reset_s, copy_s, library); };
  if (const auto before = known.find(outputs); before != known.end() && complaint(before->second).empty()) return "";
  if (complaint(known[outputs] = median(copies_s(outputs, 3))).empty()) return "";
  return complaint(std::ranges::max(copies_s(outputs, 9)));  // where others use the processors or the GPU, some copies wait for them, as a reset does
}

}  // namespace km

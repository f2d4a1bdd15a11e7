#include "bench/contract/trace.hpp"

#include <algorithm>

namespace km {
namespace {

void add_to(Trace::Series& series, std::string_view name, int iteration, double amount) {
  auto& values = series.try_emplace(std::string(name)).first->second;
  values.resize(std::max<std::size_t>(values.size(), static_cast<std::size_t>(iteration)));
  values[static_cast<std::size_t>(iteration) - 1] += amount;
}

}  // namespace

void Trace::add_at(int iteration, std::string_view phase, double seconds) {
  if (iteration == 0) prepare_.try_emplace(std::string(phase)).first->second += seconds;
  else add_to(phases_, phase, iteration, seconds);
}

void Trace::add(std::string_view phase, double seconds) {
  if (active_) add_at(iteration_, phase, seconds);
}

void Trace::defer(std::string_view phase, std::function<double()> seconds) {
  if (active_) deferred_.push_back({std::string(phase), iteration_, std::move(seconds)});
}

void Trace::count(std::string_view counter, double amount) {
  if (active_ && iteration_ > 0) add_to(counters_, counter, iteration_, amount);
}

void Trace::finish() {
  for (const auto& entry : deferred_) add_at(entry.iteration, entry.phase, entry.seconds());
  deferred_.clear();
  for (auto* all : {&phases_, &counters_})
    for (auto& [name, values] : *all) values.resize(static_cast<std::size_t>(iteration_));  // zero for the last iterations
}

}  // namespace km

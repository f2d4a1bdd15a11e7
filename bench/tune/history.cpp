#include "bench/tune/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "bench/plan/sweep.hpp"

namespace km {
namespace {

int rank_of(const std::string& grade) { return grade == "coarse" ? 2 : grade == "rounded" ? 1 : 0; }

}  // namespace

History::History(const std::filesystem::path& file, const std::string& machine, bool dirty) {
  for (const auto& line : read_lines(file)) {
    if (line["machine"] != machine || line["commit"] != version::commit() || dirty || line["dirty"] != false) ++others_;
    else if (!line["failure"].is_string()) add(line);  // a failure may not come again, as with a longer --timeout
  }
}

void History::add(const Json& line) {
  Tried tried{.line = std::make_shared<const Json>(line), .reason = reason_of(line)};
  if (tried.counts()) {
    tried.runs = int(line["samples_s"].size());
    tried.seconds = iteration_s(line);
    tried.grade = line["grade"].is_string() ? line["grade"].get<std::string>() : "";
  }
  tried_[line["case"].get<std::string>()].push_back(std::move(tried));
}

const Tried* History::find(const std::string& id, int runs) const {
  if (const auto at = tried_.find(id); at != tried_.end())
    for (const auto& tried : at->second)
      if (!tried.counts() || tried.runs >= runs) return &tried;
  return nullptr;
}

Case case_of(const Json& line, const Case& like) {
  Case c = like;
  auto values = like.config.values();
  for (const auto& [name, value] : line["parameters"].items()) {
    const auto at = values.find(name);
    if (const auto own = value_of(value); own && at != values.end()) at->second = *own;
  }
  c.config = Config(std::move(values));
  c.skip = unsupported(c);
  return c;
}

Found found_in(const History& history, const TuningSpace& space, int repetitions) {
  Found found;
  const Case start = space.at(space.start());
  const auto defaults = history.tried().find(start.id());
  const bool graded = defaults != history.tried().end() && defaults->second.back().counts();
  const int worst_grade = rank_of(graded ? defaults->second.back().grade : "coarse");
  std::vector<std::tuple<bool, double, Case>> valid;
  for (const auto& [id, tried] : history.tried()) {
    const Tried& last = tried.back();
    const Case c = case_of(*last.line, start);
    if (c.id() != id || !space.holds(c)) continue;
    ++found.settings;
    if (!last.counts()) {
      ++(last.reason.starts_with("wrong") ? found.wrong : found.failed);
      found.reasons.emplace_back(shown_parameters(c, space.names()), last.reason);
      continue;
    }
    if (rank_of(last.grade) <= worst_grade) valid.emplace_back(last.runs < repetitions, last.seconds, c);
  }
  std::ranges::stable_sort(valid, {}, [](const auto& one) { return std::pair(std::get<0>(one), std::get<1>(one)); });
  for (auto& [few, seconds, c] : valid) found.best.push_back(std::move(c));
  return found;
}

std::string shown_parameters(const Case& c, const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_string(c.config.values().find(name)->second));
  return text;
}

}  // namespace km

#include "bench/tune/again.hpp"

#include <nlohmann/json.hpp>

#include "bench/statistics.hpp"

namespace km {

void Again::keep(const Json& line) { lines_.insert_or_assign(line["case"].get<std::string>(), std::make_shared<const Json>(line)); }

const Json* Again::line(const Case& c) const {
  const auto at = lines_.find(c.id());
  return at == lines_.end() ? nullptr : at->second.get();
}

double Again::seconds(const Case& c) const {
  const Json* found = line(c);
  return !found || !reason_of(*found).empty() ? 0 : median((*found)["samples_s"]) / (*found)["iterations"].get<double>();
}

std::optional<Again> measure_again(const std::vector<Case>& cases, const TuneOptions& options, const ResultFile& file) {
  std::map<std::string, const Case*> by_id;
  for (const auto& c : cases) by_id.emplace(c.id(), &c);
  std::vector<Job> jobs;
  for (const auto& [id, c] : by_id) {
    Case more = *c;
    more.repetitions = options.at_last;
    jobs.push_back({id, c->patience_s(options.timeout_s), packed(more).dump()});
  }
  Again again;
  const auto keep = [&](const std::string& id, const std::string& text, const std::string& why) {
    const Json line = line_of(*by_id.at(id), text, why, options.by);
    file.append(line);
    again.keep(line);
  };
  const auto left = run_in_workers(options.by.argv, jobs, WorkerLimits::of(options.memory_bytes),
                                   {[](const std::string&) {}, [&](const std::string& id, const std::string& text) { keep(id, text, ""); },
                                    [&](const std::string& id, const std::string& why) { keep(id, "", why); }});
  return left.empty() ? std::optional(again) : std::nullopt;
}

}  // namespace km

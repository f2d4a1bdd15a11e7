#include "bench/run/continued.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "bench/run/result.hpp"

namespace km {

std::vector<Case> missing_runs(std::vector<Case> cases, const RunOptions& options) {
  if (options.redo) return cases;
  std::map<std::filesystem::path, std::map<std::string, Json>> recorded;
  for (auto& c : cases) {
    if (!c.skip.empty()) continue;
    const auto path = result_path(options, c);
    if (!recorded.contains(path)) recorded.emplace(path, latest(read_lines(path)));
    const auto& lines = recorded.at(path);
    const auto before = lines.find(c.id());
    if (before == lines.end() || !can_continue(before->second, skeleton(c, options.argv, options.machine))) continue;
    const int made = int(before->second["samples_s"].size());
    if (made >= c.repetitions) continue;
    c.continues = made;
    c.repetitions -= made;
  }
  return cases;
}

}  // namespace km

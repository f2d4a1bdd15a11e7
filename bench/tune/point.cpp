#include "bench/tune/point.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/run/result.hpp"

namespace km {

std::shared_ptr<const Json> measure_point(Workers& workers, const Case& c, double timeout_s, const RunOptions& run) {
  std::shared_ptr<const Json> line;
  bool begun = false;
  const auto ended = [&](const std::string&, const std::string& answer, const std::string& why) {
    if (!begun && !why.empty()) throw std::runtime_error(why);
    line = std::make_shared<const Json>(line_of(c, answer, why, run.argv, run.machine));
  };
  workers.run({job_of(c, timeout_s)}, {.started = [&](const std::string&) { begun = true; }, .ended = ended});
  return line;
}

bool measure_together(std::vector<Case> cases, int repetitions, const RunOptions& run, const std::function<void(const Case&, const Json&)>& note,
                      std::optional<std::chrono::steady_clock::time_point> until) {
  std::vector<Job> jobs;
  for (auto& c : cases) {
    c.repetitions = repetitions;
    jobs.push_back(job_of(c, run.timeout_s));
  }
  const auto ended = [&](const std::string& id, const std::string& answer, const std::string& why) {
    const Case& c = *std::ranges::find_if(cases, [&](const Case& one) { return one.id() == id; });
    note(c, line_of(c, answer, why, run.argv, run.machine));
  };
  WorkerLimits limits = WorkerLimits::of(run.memory_bytes);
  limits.until = until;
  return Workers(run.argv, limits).run(jobs, {.started = [](const std::string&) {}, .ended = ended}).empty();
}

}  // namespace km

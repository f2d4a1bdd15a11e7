#include "bench/tune/point.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "bench/run/result.hpp"

namespace km {

Json line_of(const Case& c, const std::string& answer, const std::string& why, const Provenance& by) {
  Json line = Json::parse(answer, nullptr, false);
  if (line.is_object() && line.value("case", "") == c.id()) return readable(line);
  line = skeleton(c, by.argv, by.machine);
  line["failure"] = why.empty() ? "the worker said of it what is no result line" : why;
  return line;
}

double steady_now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace km

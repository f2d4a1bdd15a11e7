// Replaces lines that readers would refuse. One such line would make all results of a machine unreadable.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/run/result.hpp"

namespace km {
namespace {

/// Returns "" for a finite number of at least 0, else its fault, such as " is nan". JSON has no NaN or infinity: a worker's line has null
/// instead.
std::string fault_of(const Json& value) {
  if (!value.is_number()) return value.is_null() ? " is no finite number" : " is no number";
  const double number = value.get<double>();
  return std::isfinite(number) && number >= 0 ? "" : fmt::format(" is {:g}", number);
}

std::string fault_in(const Json& values, const std::string& name, const char* counted) {
  if (!values.is_array()) return name + " is no array";
  for (std::size_t at = 0; at < values.size(); ++at)
    if (const std::string fault = fault_of(values[at]); !fault.empty()) return fmt::format("{} {} {}{}", name, counted, at + 1, fault);
  return "";
}

}  // namespace

std::string unreadable(const Json& line) {
  for (const char* name : {"samples_s", "samples_event_s", "run_delay_s", "involuntary_switches"})
    if (!line[name].is_null())
      if (std::string fault = fault_in(line[name], name, "of run"); !fault.empty()) return fault;
  for (const char* name : {"prepare_s", "download_s", "judge_s"})
    if (const std::string fault = line[name].is_null() ? "" : fault_of(line[name]); !fault.empty()) return name + fault;
  for (const auto& [name, seconds] : line["prepare_phases"].items())
    if (const std::string fault = fault_of(seconds); !fault.empty()) return "phase " + name + " of prepare" + fault;
  for (const auto& [field, word] : {std::pair{"phases", "phase "}, {"counters", "counter "}})
    for (const auto& [name, values] : line[field].items())
      if (std::string fault = fault_in(values, word + name, "of iteration"); !fault.empty()) return fault;
  if (line["energy"].is_object())
    for (const char* name : {"joules", "iterations", "window_s"})
      if (const Json value = line["energy"].value(name, Json()); !value.is_null())
        if (const std::string fault = fault_of(value); !fault.empty()) return std::string("energy: ") + name + fault;
  return "";
}

Json readable(Json line) {
  const std::string why = unreadable(line);
  if (why.empty()) return line;
  without_results(line);
  line["failure"] = "not a result that can be read: " + why;
  return line;
}

}  // namespace km

// The fields of a result line. schema/line.json alone declares them (cmake/schemas.cmake).
#pragma once

#include <line_fields.hpp>

#include "bench/plan/case.hpp"

namespace km {

/// What the schema says of a field.
struct Field {
  std::string name;
  std::string known;  // "before" a case runs, of every run that was "judged", else ""
  std::string type;   // of JSON; not null
  bool nullable;
  bool counted;  // its numbers are at least 0

  /// What stands for no value: null, or "", 0, [] or {}.
  Json empty() const;
  bool fits(const Json& value) const;
};
/// All fields in the schema's order.
const std::vector<Field>& line_fields();

/// Number of the schema of the lines that this program writes. It reads all earlier ones (docs/results.md).
int line_version();

/// Writes the values that a run has set; of a wrong run only those that are known of every judged one.
void write_fields(Json& line, const LineFields& values, bool right);

}  // namespace km

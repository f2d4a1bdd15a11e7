// The written formats of schema/, as they stood when this program was built (cmake/schemas.cmake).
#pragma once

#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace km {

const nlohmann::ordered_json& exhibit_schema();
const nlohmann::ordered_json& line_schema();

/// The names of a JSON object's members, sorted.
template <class Object>
std::vector<std::string> names_of(const Object& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace km

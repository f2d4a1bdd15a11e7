// The written formats of schema/, as they stood when this program was built (cmake/schemas.cmake).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace km {

const nlohmann::ordered_json& exhibit_schema();
const nlohmann::ordered_json& line_schema();

/// The names of an object's members, sorted.
std::vector<std::string> names_of(const nlohmann::ordered_json& object);

}  // namespace km

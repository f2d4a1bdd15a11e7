#include "bench/plan/schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace km {

std::vector<std::string> names_of(const nlohmann::ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace km

// The keys of an exhibit, from schema/exhibit.json (cmake/exhibit_keys.cmake).
#pragma once

#include <span>
#include <string_view>

namespace km {

struct Section {
  std::string_view name;
  std::string_view type;  // in JSON Schema's words, sorted as there: "string", "array object"
};

extern const std::span<const Section> exhibit_sections;
extern const std::span<const std::string_view> sweep_keys;

}  // namespace km

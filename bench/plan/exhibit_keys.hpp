// The keys of an exhibit, generated from schema/exhibit.json (cmake/exhibit_keys.cmake).
#pragma once

#include <span>
#include <string_view>

namespace km {

struct Section {
  std::string_view name;
  std::string_view type;  // JSON Schema types, sorted: "string", "array object"
};

extern const std::span<const Section> exhibit_sections;
extern const std::span<const std::string_view> sweep_keys;

}  // namespace km

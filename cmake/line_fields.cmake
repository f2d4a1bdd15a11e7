# From schema/line.json to line_fields.hpp: the schema, and a struct with a member for every number, series of numbers and object that a run adds.
set(schema ${PROJECT_SOURCE_DIR}/schema/line.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema})
file(READ ${schema} text)
set(type_optional_time std::optional<double>)
set(type_optional_number std::optional<double>)
set(type_optional_count std::optional<std::int64_t>)
set(type_seconds std::vector<double>)
set(type_counts std::vector<std::int64_t>)
set(type_object std::shared_ptr<const\ nlohmann::ordered_json>)

string(JSON count LENGTH "${text}" properties)
math(EXPR last "${count} - 1")
foreach(at RANGE ${last})
  string(JSON name MEMBER "${text}" properties ${at})
  string(JSON known ERROR_VARIABLE none GET "${text}" properties ${name} known)
  string(JSON ref ERROR_VARIABLE none GET "${text}" properties ${name} $ref)
  if(NOT ref)
    string(JSON ref ERROR_VARIABLE none GET "${text}" properties ${name} anyOf 0 $ref)
  endif()
  string(REPLACE "#/$defs/" "type_" type "${ref}")
  string(JSON first ERROR_VARIABLE none GET "${text}" properties ${name} type 0)
  if(first STREQUAL object)
    set(type type_object)
  endif()
  if(DEFINED ${type} AND NOT known STREQUAL "before")
    string(APPEND members "  ${${type}} ${name};\n")
    string(APPEND visits "  visit(\"${name}\", fields.${name});\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/schema/line_fields.hpp @ONLY CONTENT [=[
// From schema/line.json.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace km {

struct LineFields {
@members@};

/// Calls visit(name, value) for each.
template <class Visit>
void each_field(const LineFields& fields, const Visit& visit) {
@visits@}

inline constexpr std::string_view line_schema_text = R"json(@text@)json";

}  // namespace km
]=])
